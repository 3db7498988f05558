"""Writing the records of an import: settings, agents, tasks, sessions, messages, memories, entities, edges, documents,
bulletins, pages, saved searches and proposals, in one transaction that counts what became of each line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field

from service.concurrency.executor import NOT_KNOWN, FairExecutor
from service.db.pool import Columns, Connection
from service.domain.agents import Task
from service.domain.drafts import MemoryDraft
from service.domain.export_edges import Audience, EdgeLine, MergeLine
from service.domain.export_lines import (
    AgentLine,
    BulletinLine,
    DocumentLine,
    EntityLine,
    HistoryLine,
    MemoryLine,
    MessageLine,
    PageLine,
    PageVersionPart,
    ProposalLine,
    SearchLine,
    SearchResultPart,
    SessionLine,
    SettingsLine,
    TaskLine,
    WindowLine,
)
from service.domain.guards import normalize
from service.domain.identity import identity_hash
from service.domain.json import JsonObject
from service.domain.json_schema import Checked
from service.domain.memory import Memory, StoredMemory
from service.domain.own_types import BUILT_IN, Misfit, OwnType, check_memory, like
from service.domain.owners import owners_of_all, with_owner
from service.domain.pages import PageSentence
from service.domain.placeholders import holds_bare_placeholder
from service.domain.principal import Principal
from service.domain.proposals import fingerprint
from service.domain.types import MemoryType
from service.errors import InvalidImportLine, InvalidInput
from service.memory.access import audit
from service.memory.access.workspace import check_days_max, check_own_types, check_profile
from service.memory.saving.documents import parts_of
from service.memory.saving.entity_metadata import check_metadata
from service.memory.saving.remember import insert_of
from service.memory.saving.scopes import ScopeIds, ScopeNames, ScopeResolver
from service.memory.sessions.conversations import message_characters, message_columns, said_in, search_words
from service.store import agents, documents, memories, sessions, transfer
from service.store.documents import NewDocument
from service.store.memories import MemoryInsert
from service.store.settings import put_settings, workspace_settings
from service.store.vectors import EmbeddingBatch

BATCH = 500

Line = TypeVar("Line", bound=BaseModel)
Lines = list[tuple[int, Line]]
"""The lines of one record with their numbers."""

COMPARED = MemoryDraft.model_fields.keys() - {"agent", "created_at", "links"} | {
    "valid_until", "superseded_by", "deleted_at",
}  # fmt: skip
"""What makes a line differ from the memory of its id."""


@dataclass(slots=True)
class ImportCounts:
    """Counts of imported records."""

    created: Annotated[int, Field(description="Number of created records.")]
    unchanged: Annotated[int, Field(description="Number of records identical to the stored ones.")]
    updated: Annotated[int, Field(description="Number of updated records.")]
    skipped: Annotated[
        int, Field(description="Number of skipped records, which refer to what is not in this workspace.")
    ]


class ImportTransaction:
    """One import on its way into the database.

    ``same`` maps ids of the import to the ids under which the same thing was here already.
    """

    def __init__(
        self,
        connection: Connection,
        principal: Principal,
        now: datetime,
        embedded: EmbeddingBatch,
        executor: FairExecutor,
    ) -> None:
        self.connection = connection
        self.executor = executor
        self.principal = principal
        self.workspace = principal.workspace_id
        self.now = now
        self.places = ScopeResolver(connection, principal, membership=False)
        self.tallies: dict[str, ImportCounts] = defaultdict(lambda: ImportCounts(0, 0, 0, 0))
        self.same: dict[UUID, UUID] = {}
        self.made_sessions: set[UUID] = set()
        self.unowned_entities: set[UUID] = set()
        self._embedded = embedded
        self._taken = 0

    def vectors(self, count: int) -> EmbeddingBatch:
        """Return the vectors of the next ``count`` memory lines; all missing where the import left them to the
        worker."""
        found = self._embedded.vectors[self._taken : self._taken + count]
        self._taken += count
        return EmbeddingBatch(self._embedded.space, list(found) or [None] * count)

    async def place(self, number: int, line: ScopeNames, user: str | None = None) -> ScopeIds:
        """Return where a line belongs. Raises InvalidImportLine."""
        try:
            return await self.places.resolve(line, (), user=user)
        except InvalidInput as error:
            raise InvalidImportLine(number, error.loc, error.message) from error

    async def agent(self, agent: str | None) -> UUID:
        """Return the id of the agent of a line, which ``parse_line`` has seen to."""
        assert agent is not None
        return await self.places.agent(agent)

    async def audience(self, number: int, audience: Audience, agent: str | None) -> UUID:
        """Return the id of an audience; team and task audiences are anybody's, so any agent will do to find them."""
        if audience.agent is None and agent is not None:
            audience = audience.model_copy(update={"agent": agent})
        if audience.agent is None and audience.team:
            return await self.places.team(audience.team)
        if audience.agent is None and audience.task:
            return await self.places.task(audience.task)
        return (await self.place(number, audience)).audience

    def count(self, record: str, lines: Sequence[object], made: int, found: int | None = None) -> None:
        """Count what became of lines, of which ``made`` were new; those that were not ``found`` to fit are skipped."""
        fitting = len(lines) if found is None else found
        tally = self.tallies[record]
        tally.created += made
        tally.unchanged += fitting - made
        tally.skipped += len(lines) - fitting

    async def finish(self) -> None:
        """Own entities and update counters, after the last line."""
        unowned = sorted(self.unowned_entities)
        for start in range(0, len(unowned), BATCH):
            await self.connection.run("own_entities", workspace=self.workspace, ids=unowned[start : start + BATCH])
        sessions = sorted(self.made_sessions)
        for start in range(0, len(sessions), BATCH):
            made = sessions[start : start + BATCH]
            await self.connection.run("update_session_counters", workspace=self.workspace, ids=made, made=made)


Writer = Callable[[ImportTransaction, Lines[BaseModel]], Awaitable[None]]


def writer_of(shape: type[Line], write: Callable[[ImportTransaction, Lines[Line]], Awaitable[None]]) -> Writer:
    """Return the writer of the record whose lines are of this type."""

    async def written(writing: ImportTransaction, lines: Lines[BaseModel]) -> None:
        await write(writing, [(number, line) for number, line in lines if isinstance(line, shape)])

    return written


async def write_settings(writing: ImportTransaction, lines: Lines[SettingsLine]) -> None:
    """Lay the settings over those here."""
    for number, line in lines:
        if "llm" in line.settings.model_fields_set:
            raise InvalidImportLine(
                number, ("settings", "llm"), "cannot be imported: set models and keys in the settings"
            )
        present = await workspace_settings(writing.connection, writing.workspace)
        try:
            changed = present.over(line.settings.model_dump(exclude_unset=True))
        except ValueError as error:
            raise InvalidImportLine(number, ("settings",), str(error)) from error
        if changed == present:
            writing.tallies["settings"].unchanged += 1
            continue
        check_days_max(writing.principal, present, changed)
        try:
            check_profile(present, changed)
            await check_own_types(writing.connection, writing.workspace, present, changed)
        except InvalidInput as error:
            raise InvalidImportLine(number, ("settings", *error.loc[1:]), error.message) from None
        await put_settings(writing.connection, writing.workspace, changed)
        details = line.settings.model_dump(mode="json", exclude_unset=True)
        await audit.record(writing.connection, writing.principal, "settings.changed", details=details)
        writing.tallies["settings"].updated += 1


async def write_agents(writing: ImportTransaction, lines: Lines[AgentLine]) -> None:
    """Make agents, or bring those here in line with what the lines say."""
    for _, line in lines:
        present = await agents.get_agent(writing.connection, writing.workspace, line.agent)
        wanted: Columns = {
            name: getattr(line, name) for name in ("name", "prime", "settings") if name in line.model_fields_set
        }
        teams = sorted(set(line.teams)) if "teams" in line.model_fields_set else None
        if (
            present is not None
            and all(getattr(present, name) == value for name, value in wanted.items())
            and teams in (None, present.teams)
        ):
            writing.tallies["agent"].unchanged += 1
            continue
        agent_id = await writing.agent(line.agent)
        await agents.change_agent(writing.connection, writing.workspace, agent_id, wanted)
        if teams is not None:
            await agents.set_teams(writing.connection, writing.workspace, agent_id, teams)
        if present is None and line.created_at is not None:
            await writing.connection.run(
                "import_agent_times", workspace=writing.workspace, id=agent_id, created_at=line.created_at
            )
        writing.tallies["agent"].created += present is None
        writing.tallies["agent"].updated += present is not None


async def write_tasks(writing: ImportTransaction, lines: Lines[TaskLine]) -> None:
    """Let only members name these tasks: those that the lines name, beside those declared here."""
    for _, line in lines:
        present = await writing.connection.first(
            Task, "get_task", workspace=writing.workspace, task=line.task, only=None
        )
        if present is not None and present.members is not None and set(line.members) <= set(present.members):
            writing.tallies["task"].unchanged += 1
            continue
        members = [await writing.places.agent(member) for member in sorted(set(line.members))]
        task_id = await writing.places.task(line.task)
        await agents.set_members(writing.connection, writing.workspace, task_id, members, replace=False)
        changed = await writing.connection.first(
            Task, "get_task", workspace=writing.workspace, task=line.task, only=None
        )
        assert changed is not None
        details = {"members": changed.members}
        await audit.record(writing.connection, writing.principal, "task.changed", target=line.task, details=details)
        writing.tallies["task"].created += present is None
        writing.tallies["task"].updated += present is not None


async def write_sessions(writing: ImportTransaction, lines: Lines[SessionLine]) -> None:
    """Make the sessions that are not here; those that are keep their own watermarks."""
    items = [line.model_dump(exclude={"agent"}) | {"agent_id": await writing.agent(line.agent)} for _, line in lines]
    made = await writing.connection.fetch("import_sessions", workspace=writing.workspace, items=items, now=writing.now)
    writing.made_sessions.update(row["id"] for row in made)
    writing.count("session", lines, len(made))


async def write_messages(writing: ImportTransaction, lines: Lines[MessageLine]) -> None:
    """Write the messages that are not here; a message is never rewritten."""
    split = await writing.executor.each(MessageLine.messages, [line for _, line in lines], message_characters)
    messages = [message for line in split for message in line]
    columns = await writing.executor.each(
        lambda line: message_columns(line, line.user, line.id, searchable=line.searchable), messages, message_characters
    )
    places = [
        await writing.places.session(await writing.agent(line.agent), line.session, line.user) for line in messages
    ]
    owners = await _owners(writing, messages, places)
    items: list[Columns] = [
        {**of_line, "seq": line.seq, "session_id": place, "owners": own}
        for line, of_line, place, own in zip(messages, columns, places, owners, strict=True)
    ]
    made = await transfer.add_messages(
        writing.connection, writing.workspace, items, writing.principal.key_id, writing.now
    )
    words = await search_words(writing.executor, said_in(zip(columns, messages, strict=True)))
    await sessions.index_messages(
        writing.connection, writing.workspace, words, EmbeddingBatch(None, [None] * len(words))
    )
    changed = list({item["session_id"] for item in items})
    await writing.connection.run("update_session_counters", workspace=writing.workspace, ids=changed, made=())
    writing.count("message", messages, made)


async def _owners(
    writing: ImportTransaction, lines: Sequence[MessageLine], places: Sequence[UUID]
) -> list[Sequence[str]]:
    """Return the owners of messages; of those that name none, the members of their session, who join as they speak."""
    rows = await writing.connection.fetch("session_members", workspace=writing.workspace, ids=list(set(places)))
    before = {row["id"]: row["members"] for row in rows}
    members: dict[UUID, list[str]] = dict(before)
    owners: list[Sequence[str]] = []
    for line, place in zip(lines, places, strict=True):
        members[place] = with_owner(members[place], line.user)
        owners.append(members[place] if line.owners is None else line.owners)
    joined = [{"id": id_, "members": now} for id_, now in members.items() if now != before[id_]]
    await writing.connection.run("join_sessions", workspace=writing.workspace, items=joined)
    return owners


async def write_memories(writing: ImportTransaction, lines: Lines[MemoryLine]) -> None:
    """Make the memories that are not here, and change those of the same id that a line knows better.

    A line of an id that is here: unchanged where it says the same or is of an older version, else updated, the former
    version going to the history. A line that repeats a live memory of another id: that one stays, updated where the
    line has its key and says something else.
    """
    types = (await workspace_settings(writing.connection, writing.workspace)).memory_types
    await _check_types(writing, lines, types)
    embedded = writing.vectors(len(lines))
    known = await _known(writing, lines)
    places = [await writing.place(number, line, line.user) for number, line in lines]
    lines = await _with_owners(writing, lines, places)
    read = await writing.executor.each(
        lambda one: _insert_of_line(writing, one[0][1], one[1], types),
        list(zip(lines, places, strict=True)),
        lambda one: len(one[0][1].content),
    )
    fresh: dict[UUID, tuple[int, MemoryLine, EmbeddingBatch, MemoryInsert]] = {}
    for (number, line), vector, new in zip(lines, embedded.vectors, read, strict=True):
        id_, one = new.memory.id, EmbeddingBatch(embedded.space, [vector])
        if id_ in fresh:
            writing.tallies["memory"].unchanged += 1
        elif id_ in known:
            await _update_existing(writing, number, line, new.memory, known[id_], one)
        else:
            fresh[id_] = (number, line, one, new)
    if fresh:
        vectors = EmbeddingBatch(embedded.space, [one.vectors[0] for _, _, one, _ in fresh.values()])
        new_ones = [new for _, _, _, new in fresh.values()]
        made = await memories.insert(writing.connection, writing.workspace, new_ones, vectors)
        writing.tallies["memory"].created += len(made)
        for id_, (number, line, one, new) in fresh.items():
            if id_ not in made:
                await _merge_into_duplicate(writing, number, line, one, new.memory)
    await _import_related(writing, lines)


async def _with_owners(
    writing: ImportTransaction, lines: Lines[MemoryLine], places: Sequence[ScopeIds]
) -> Lines[MemoryLine]:
    """Return the lines, those without owners with those of their messages, else their user, else the members of their
    session."""
    unowned = [(line, place) for (_, line), place in zip(lines, places, strict=True) if line.owners is None]
    if not unowned:
        return lines
    rows = await writing.connection.fetch(
        "session_members",
        workspace=writing.workspace,
        ids=[place.session_id for _, place in unowned if place.session_id],
    )
    members: dict[UUID | None, list[str]] = {row["id"]: row["members"] for row in rows}
    rows = await writing.connection.fetch(
        "owners_of_messages", workspace=writing.workspace, ids=[id_ for line, _ in unowned for id_ in line.message_ids]
    )
    said: dict[UUID, list[str]] = {row["id"]: row["owners"] for row in rows}

    def owners(line: MemoryLine, place: ScopeIds) -> list[str]:
        of = set(line.message_ids)
        evidence = [names for id_, names in said.items() if id_ in of and names]
        try:
            return owners_of_all(evidence) or with_owner([], line.user) or members.get(place.session_id, [])
        except ValueError:
            return evidence[0]

    return [
        (number, line if line.owners is not None else line.model_copy(update={"owners": owners(line, place)}))
        for (number, line), place in zip(lines, places, strict=True)
    ]


async def _check_types(writing: ImportTransaction, lines: Lines[MemoryLine], types: Mapping[str, OwnType]) -> None:
    so_far = Checked()

    def check(one: tuple[int, MemoryLine]) -> None:
        number, line = one
        try:
            check_memory(types, line.type, line.metadata, so_far)
        except Misfit as error:
            raise InvalidImportLine(number, error.loc, str(error)) from None

    own = [one for one in lines if one[1].type not in BUILT_IN]
    await writing.executor.each(check, own, lambda one: NOT_KNOWN)


async def _known(writing: ImportTransaction, lines: Lines[MemoryLine]) -> dict[UUID, Memory]:
    ids = [line.id for _, line in lines if line.id is not None]
    found = await memories.get(writing.connection, writing.workspace, ids, None)
    return {one.id: one for one in found}


def _insert_of_line(
    writing: ImportTransaction, line: MemoryLine, place: ScopeIds, types: Mapping[str, OwnType]
) -> MemoryInsert:
    by = writing.principal
    new = insert_of(line, place, line.changed_by or by.actor, writing.now, types=types, key_id=by.key_id)
    memory = replace(
        new.memory,
        id=line.id or new.memory.id,
        origin=line.origin or "imported",
        version=line.version,
        updated_at=line.updated_at or new.memory.updated_at,
        valid_from=line.valid_from or new.memory.valid_from,
        valid_until=line.valid_until or (line.updated_at or writing.now if line.superseded_by else None),
        superseded_by=line.superseded_by,
        deleted_at=line.deleted_at,
        reinforced_at=line.reinforced_at,
        dream_id=line.dream_id,
        change_reason=line.change_reason or "imported",
    )
    return replace(new, memory=memory)


def _differs(line: MemoryLine, stored: Memory) -> bool:
    given = line.model_dump(include=line.model_fields_set & COMPARED)
    return any(
        getattr(stored, name) != value for name, value in given.items() if not (name == "summary" and value is None)
    )


async def _update_existing(
    writing: ImportTransaction,
    number: int,
    line: MemoryLine,
    wanted: StoredMemory,
    stored: Memory,
    embedded: EmbeddingBatch,
) -> None:
    if line.version < stored.version or not _differs(line, stored):
        writing.tallies["memory"].unchanged += 1
        return
    if line.deleted_at is None and line.superseded_by is None:
        duplicate = await memories.find_duplicate(writing.connection, writing.workspace, wanted)
        if duplicate not in (None, wanted.id):
            raise InvalidImportLine(number, ("id",), f"the memory {duplicate} says the same already, or has its key")
    await _rewrite(writing, line, wanted, stored, embedded)


async def _merge_into_duplicate(
    writing: ImportTransaction, number: int, line: MemoryLine, embedded: EmbeddingBatch, wanted: StoredMemory
) -> None:
    duplicate = await memories.find_duplicate(writing.connection, writing.workspace, wanted)
    if duplicate is None:
        raise InvalidImportLine(number, ("id",), "could not be written beside a change made at the same moment")
    if line.id is not None:
        writing.same[line.id] = duplicate
    (stored,) = await memories.get(writing.connection, writing.workspace, [duplicate], None)
    if line.key is None or (stored.content, stored.type) == (line.content, line.type):
        writing.tallies["memory"].unchanged += 1
        return
    await _rewrite(writing, line, wanted, stored, embedded)


async def _rewrite(
    writing: ImportTransaction,
    line: MemoryLine,
    wanted: StoredMemory,
    stored: Memory,
    embedded: EmbeddingBatch,
) -> None:
    await memories.rewrite(
        writing.connection, writing.workspace, stored.id, wanted,
        embedded if line.content != stored.content else None,
        actor=wanted.changed_by, reason=wanted.change_reason, now=writing.now,
    )  # fmt: skip
    await transfer.set_times(
        writing.connection,
        writing.workspace,
        stored.id,
        version=max(line.version, stored.version + 1),
        created_at=line.created_at or stored.created_at,
        updated_at=line.updated_at or writing.now,
        valid_from=line.valid_from or stored.valid_from,
        valid_until=wanted.valid_until,
        superseded_by=line.superseded_by,
        deleted_at=line.deleted_at,
        reinforced_at=line.reinforced_at,
    )
    await memories.reindex(writing.connection, writing.workspace, stored.id)
    writing.tallies["memory"].updated += 1


async def _import_related(writing: ImportTransaction, lines: Lines[MemoryLine]) -> None:
    """Tie memories to their messages, and bring their access counts along."""
    pairs: list[tuple[UUID, UUID]] = []
    usage: dict[UUID, MemoryLine] = {}
    for _, line in lines:
        if line.id is not None:
            memory_id = writing.same.get(line.id, line.id)
            pairs += [(memory_id, message_id) for message_id in line.message_ids]
            if line.access_count:
                usage[memory_id] = line
    await memories.add_sources(writing.connection, writing.workspace, pairs)
    await writing.connection.run(
        "import_usage", workspace=writing.workspace, ids=list(usage),
        counts=[line.access_count for line in usage.values()],
        times=[line.last_accessed_at for line in usage.values()],
    )  # fmt: skip


async def write_history(writing: ImportTransaction, lines: Lines[HistoryLine]) -> None:
    """Bring former versions along. Raises InvalidImportLine for the history of a memory that is not here.

    The history of a memory whose place another one holds here is passed over: that one has a history of its own.
    """
    own = [(number, line) for number, line in lines if line.memory_id not in writing.same]
    ids = [line.memory_id for _, line in own]
    known = await transfer.existing(writing.connection, writing.workspace, "existing_memories", ids)
    for number, line in own:
        if line.memory_id not in known:
            raise InvalidImportLine(number, ("memory_id",), f"there is no memory {line.memory_id}")
    items = [line.model_dump() for _, line in own]
    made = await writing.connection.fetch("import_history", workspace=writing.workspace, items=items)
    writing.count("history", lines, len(made))


async def write_windows(writing: ImportTransaction, lines: Lines[WindowLine]) -> None:
    """Say which memories sum up which turns.

    Only in sessions that this import has made: in one that was here the turns may have other numbers.
    """
    items = []
    for _, line in lines:
        agent_id = await writing.agent(line.agent)
        session_id = await writing.places.session(agent_id, line.session, None)
        items.append(
            {
                "session_id": session_id,
                "from_seq": line.from_seq,
                "to_seq": line.to_seq,
                "memory_id": writing.same.get(line.memory_id, line.memory_id),
                "fresh": session_id in writing.made_sessions,
            }
        )
    found, made = await transfer.add_windows(writing.connection, writing.workspace, items)
    writing.count("window", lines, made, found)


async def write_entities(writing: ImportTransaction, lines: Lines[EntityLine]) -> None:
    """Make the entities that are not here; one known here by any of its names is that one.

    One that was merged into another has given its names away, and is known by its id alone. One that an earlier release
    made of masked personal data, which may be anybody's, is passed over. Metadata that is here stays, and what is
    missing of it is added.
    """
    kinds = (await workspace_settings(writing.connection, writing.workspace)).entity_kinds
    for number, line in lines:
        if holds_bare_placeholder(line.name):
            writing.tallies["entity"].skipped += 1
            continue
        try:
            await check_metadata(writing.executor, kinds, line.kind, line.metadata, ())
        except InvalidInput as error:
            raise InvalidImportLine(number, error.loc, error.message) from None
        audience = await writing.audience(number, line.audience, line.agent)
        own = [] if line.merged_into else [normalize(line.name)]
        aliases = list(dict.fromkeys([*own, *line.aliases]))
        known: UUID | None = await writing.connection.value(
            "find_entity_by_alias",
            workspace=writing.workspace, id=line.id, audience=audience, owners=line.owners or [], kind=line.kind,
            aliases=aliases,
        )  # fmt: skip
        if known is None:
            await writing.connection.run(
                "import_entity", workspace=writing.workspace, id=line.id,
                agent_id=await writing.agent(line.agent), audience=audience, owners=line.owners or [],
                name=line.name, kind=line.kind,
                metadata=line.metadata, merged_into=line.merged_into, dream_id=line.dream_id,
                created_at=line.created_at or writing.now,
                updated_at=line.updated_at or writing.now,
            )  # fmt: skip
            writing.tallies["entity"].created += 1
            if line.owners is None:
                writing.unowned_entities.add(line.id)
        else:
            writing.tallies["entity"].unchanged += 1
            if known != line.id:
                writing.same[line.id] = known
            await writing.connection.run(
                "complete_entity", workspace=writing.workspace, id=known, metadata=line.metadata
            )
        await writing.connection.run(
            "add_aliases",
            workspace=writing.workspace, audience=audience, owners=line.owners or [], kind=line.kind,
            entity_id=known or line.id, aliases=aliases,
        )  # fmt: skip


async def write_edges(writing: ImportTransaction, lines: Lines[EdgeLine]) -> None:
    """Write the edges whose ends are here."""
    items = []
    for number, line in lines:
        ends = {name: getattr(line, name) for name in ("source_id", "target_id", "memory_id")}
        items.append(
            line.model_dump()
            | {"audience": await writing.audience(number, line.audience, None)}
            | {name: writing.same.get(end, end) for name, end in ends.items()}
        )
    row = await writing.connection.one("import_edges", workspace=writing.workspace, items=items, now=writing.now)
    writing.count("edge", lines, row["made"], row["found"])


async def write_merges(writing: ImportTransaction, lines: Lines[MergeLine]) -> None:
    """Record how entities were merged, but not where either is here under another id: nothing leads back there."""
    ids = [line.id for _, line in lines]
    known = await transfer.existing(writing.connection, writing.workspace, "existing_merges", ids)
    tally = writing.tallies["merge"]
    for number, line in lines:
        if line.entity_id in writing.same or line.into_id in writing.same:
            into_id = writing.same.get(line.into_id, line.into_id)
            await writing.connection.run(
                "merged_elsewhere", workspace=writing.workspace, id=line.entity_id, into_id=into_id
            )
            tally.skipped += 1
            continue
        twice = [
            edge.model_dump(mode="json")
            | {"workspace_id": writing.workspace, "audience": await writing.audience(number, edge.audience, None)}
            for edge in line.twice
        ]
        moved = line.model_dump(mode="json", include={"aliases", "edges"}) | {"twice": twice}
        made = await writing.connection.row(
            "import_merge", workspace=writing.workspace, id=line.id, entity_id=line.entity_id, into_id=line.into_id,
            moved=moved, actor=line.actor, created_at=line.created_at,
        ) is not None  # fmt: skip
        tally.created += made
        tally.unchanged += line.id in known
        tally.skipped += not made and line.id not in known


async def write_documents(writing: ImportTransaction, lines: Lines[DocumentLine]) -> None:
    """Make the documents that are not here, cut as new ones are; the worker embeds their parts."""
    ids = [line.id for _, line in lines]
    known = await transfer.existing(writing.connection, writing.workspace, "existing_documents", ids)
    tally = writing.tallies["document"]
    for _, line in lines:
        if line.id in known:
            tally.unchanged += 1
            continue
        known.add(line.id)
        items = await parts_of(writing.executor, line.title, line.text)
        document = NewDocument(
            id=line.id,
            title=line.title,
            text=line.text,
            user=line.user,
            owners=line.owners if line.owners is not None else with_owner([], line.user),
            metadata=line.metadata,
            created_by=line.created_by or writing.principal.actor,
        )
        await documents.add(
            writing.connection, writing.workspace, document, items, EmbeddingBatch(None, [None] * len(items)),
            agent_id=await writing.agent(line.agent), now=line.created_at or writing.now,
        )  # fmt: skip
        tally.created += 1


async def write_bulletins(writing: ImportTransaction, lines: Lines[BulletinLine]) -> None:
    """Bring versions of bulletins along that are not here. One without owners, from before there were any, tells of
    every user, and is passed over: a dream writes another."""
    items = [
        line.model_dump() | {"agent_id": await writing.agent(line.agent)}
        for _, line in lines
        if line.owners is not None
    ]
    made = await writing.connection.fetch("import_bulletins", workspace=writing.workspace, items=items, now=writing.now)
    writing.count("bulletin", lines, len(made), len(items))


async def write_pages(writing: ImportTransaction, lines: Lines[PageLine]) -> None:
    """Bring pages along that are not here, with their versions, which cite memories by the ids that these have here.

    A page without a version that its user may see, from before there were owners, is due."""
    items = []
    for _, line in lines:
        cited = [version | {"sentences": _cited_here(writing, version)} for version in line.versions]
        versions = await _seen(writing, line.scope.user, cited)
        items.append(
            line.model_dump(exclude={"agent", "scope"})
            | {
                "agent_id": await writing.agent(line.agent),
                "owners": line.owners,
                "scope": line.scope.model_dump(mode="json", exclude_none=True),
                "created_by": line.created_by or writing.principal.actor,
                "versions": versions,
                "due_at": line.due_at if len(versions) == len(cited) else writing.now,
            }
        )
    made = await transfer.add_pages(writing.connection, writing.workspace, items, writing.now)
    writing.count("page", lines, made)


async def _seen(writing: ImportTransaction, user: str | None, versions: list[PageVersionPart]) -> list[PageVersionPart]:
    """Return the versions that cite nothing which belongs to others than the page does."""
    cited = [
        {memory["id"] for sentence in version["sentences"] for memory in sentence["memories"]} for version in versions
    ]
    rows = await writing.connection.fetch(
        "owners_of_memories", workspace=writing.workspace, ids=list(set().union(*cited))
    )
    hidden = {row["id"] for row in rows if row["owners"] and user not in row["owners"]}
    return [version for version, ids in zip(versions, cited, strict=True) if not ids & hidden]


def _cited_here(writing: ImportTransaction, version: PageVersionPart) -> list[PageSentence]:
    return [
        {
            "text": sentence["text"],
            "memories": [
                {"id": writing.same.get(memory["id"], memory["id"]), "digest": memory["digest"]}
                for memory in sentence["memories"]
            ],
        }
        for sentence in version["sentences"]
    ]


async def write_searches(writing: ImportTransaction, lines: Lines[SearchLine]) -> None:
    """Bring saved searches along that are not here, with their results and the ids that their memories have here."""
    items = [
        line.model_dump(include={"id", "name", "query", "k", "revision", "created_at", "updated_at"})
        | {
            "agent_id": await writing.agent(line.agent),
            "owners": line.owners,
            "options": line.kept_options(),
            "expected": [writing.same.get(memory, memory) for memory in line.expected],
            "created_by": line.created_by or writing.principal.actor,
            "results": [_counted_here(writing, result) for result in line.results],
        }
        for _, line in lines
    ]
    made = await transfer.add_searches(writing.connection, writing.workspace, items, writing.now)
    writing.count("search", lines, made)


def _counted_here(writing: ImportTransaction, result: SearchResultPart) -> JsonObject:
    def here(memory: UUID | None) -> UUID | None:
        return memory if memory is None else writing.same.get(memory, memory)

    outcomes = [
        one | {"memory_id": here(one["memory_id"]), "counted_as": here(one["counted_as"])} for one in result["outcomes"]
    ]
    overrides = result["overrides"].model_dump(mode="json", exclude_unset=True)
    return result | {"outcomes": outcomes, "overrides": overrides}


async def write_proposals(writing: ImportTransaction, lines: Lines[ProposalLine]) -> None:
    """Bring proposals along that are not here. One with words is known by them, whatever its line says."""
    types = (await workspace_settings(writing.connection, writing.workspace)).memory_types
    marks = await writing.executor.each(
        lambda line: _marks(line, like(types, line.type)), [line for _, line in lines], lambda line: len(line.content)
    )
    items = [
        line.model_dump() | marked | {"agent_id": await writing.agent(line.agent)}
        for (_, line), marked in zip(lines, marks, strict=True)
    ]
    made = await writing.connection.fetch("import_proposals", workspace=writing.workspace, items=items, now=writing.now)
    writing.count("proposal", lines, len(made))


def _marks(line: ProposalLine, type_: MemoryType) -> dict[str, str]:
    user, hearsay_by, occurred_at = line.user, line.hearsay_by, line.occurred_at
    owners = line.owners if line.owners is not None else with_owner([], user)
    identity = identity_hash(
        type_, line.content, user=user, key=None, hearsay_by=hearsay_by, occurred_at=occurred_at, owners=owners
    )
    if not line.content:
        return {"identity_hash": identity}
    words = fingerprint(line.content, type_=type_, user=user, hearsay_by=hearsay_by, occurred_at=occurred_at)
    return {"fingerprint": words, "identity_hash": identity}


WRITERS: dict[str, Writer] = {
    "settings": writer_of(SettingsLine, write_settings),
    "agent": writer_of(AgentLine, write_agents),
    "task": writer_of(TaskLine, write_tasks),
    "session": writer_of(SessionLine, write_sessions),
    "message": writer_of(MessageLine, write_messages),
    "memory": writer_of(MemoryLine, write_memories),
    "history": writer_of(HistoryLine, write_history),
    "window": writer_of(WindowLine, write_windows),
    "entity": writer_of(EntityLine, write_entities),
    "merge": writer_of(MergeLine, write_merges),
    "edge": writer_of(EdgeLine, write_edges),
    "document": writer_of(DocumentLine, write_documents),
    "bulletin": writer_of(BulletinLine, write_bulletins),
    "page": writer_of(PageLine, write_pages),
    "search": writer_of(SearchLine, write_searches),
    "proposal": writer_of(ProposalLine, write_proposals),
}
