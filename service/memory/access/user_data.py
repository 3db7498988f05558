"""Everything about or from a user: exported, and purged.

A purge is the right to be forgotten: all of it goes, in one transaction, with a receipt. A memory that others are
behind as well keeps what they said: the sentences with words only the user brought go, and its past versions go.
Whoever dreams for one of the agents concerned loses its lease, so that a purge during a dream wins; and since the
messages are gone, no later dream brings anything back. What has been deleted and can be brought back goes too, and so
do saved searches and pages that ask about the user, and sentences of other pages that name them or cite their memories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.db.pool import Connection
from service.db.records import make
from service.domain.identity import identity_of, summary_of
from service.domain.ids import new_id
from service.domain.json import JsonObject, dumps
from service.domain.pages import PageSentence
from service.domain.principal import Principal
from service.domain.redact_sentences import content_words, drop_sentences, json_drop_sentences
from service.embedding.tokens import count_tokens
from service.memory.access import audit
from service.memory.access.redaction import forms_of, masked_names, masking_of
from service.runtime import Runtime
from service.store import deletions, entities, insights, memories, pages, saved_searches, subjects
from service.store.pages import AskedPage, SaidVersion
from service.store.saved_searches import AskedSearch
from service.store.subjects import CalledBy, SubjectData
from service.store.vectors import EmbeddingBatch

REASON = "a purge"
LONGEST_S = 600.0


@dataclass(frozen=True, slots=True)
class Receipt:
    """Receipt of a purge."""

    id: Annotated[UUID, Field(description="Id of the receipt.")]
    counts: Annotated[
        dict[str, int],
        Field(
            description="Number of deleted rows by table; `shared_memories` counts memories kept without the user's "
            "part."
        ),
    ]
    why: Annotated[dict[str, int], Field(description="Number of affected memories by their tie to the user.")]
    at: Annotated[datetime, Field(description="Time of the purge.")]


@dataclass(frozen=True, slots=True)
class PurgeReceipt:
    """Response to a purge."""

    receipt: Annotated[Receipt, Field(description="Receipt of the purge.")]


async def purge_user(runtime: Runtime, principal: Principal, user: str) -> PurgeReceipt:
    """Forget a user; return the receipt, whose ``why`` has the ties of ``subjects.WHY``. Raises Forbidden for anyone
    but an admin, and where the request is made for another user."""
    principal.require_admin()
    now = runtime.now()
    workspace = principal.workspace_id
    receipt_id = new_id()
    users = await forms_of(runtime, workspace, await masking_of(runtime, principal), user)
    principal.check_is_for(users)
    async with runtime.db.transaction(workspace, viewer="everybody") as connection:
        await connection.set_timeout(LONGEST_S)
        await connection.run("purge_one_at_a_time", workspace=workspace)
        counts, why = await _purge(connection, workspace, users, now)
        await audit.record(connection, principal, "user.purged", target=str(receipt_id), details=counts)
    await forget_statistics(runtime, workspace)
    return PurgeReceipt(Receipt(receipt_id, counts, why, now))


async def forget_statistics(runtime: Runtime, workspace: UUID) -> None:
    """Take the texts that are gone out of the planner's statistics too.

    Each table by itself, after the purge has committed: sampling waits for whoever builds an index on the table. Not on
    Citus, where the nodes keep statistics of their own.
    """
    if runtime.db.is_citus:
        return
    for table in subjects.CONTENT_TABLES:
        async with runtime.db.transaction(workspace) as connection:
            await connection.set_timeout(LONGEST_S)
            await connection.run("forget_statistics", table=table)


@dataclass(slots=True)
class _Deleted:
    """Data of the user where deletions wait: the agents it belonged to, and the memories, which others may quote."""

    agents: set[UUID] = field(default_factory=set)
    memories: list[UUID] = field(default_factory=list)


async def _purge(
    connection: Connection, workspace: UUID, users: list[str], now: datetime
) -> tuple[dict[str, int], dict[str, int]]:
    """Purge what has been deleted and can be brought back, and then the workspace; the counts of all."""
    counts: Counter[str] = Counter()
    why: Counter[str] = Counter()
    deleted = _Deleted()
    places = await deletions.places(connection, workspace)
    called = await subjects.called_by(connection, places, users)
    for place in reversed(places):
        await connection.switch_workspace(place)
        purge = _Purge(connection, place, called, now, deleted if place == workspace else _Deleted())
        rows, reasons = await purge.run()
        counts.update(rows)
        why.update(reasons)
        deleted.agents |= purge.agents
        deleted.memories += purge.memories
    await deletions.forget_names(connection, workspace)
    return dict(counts), dict(why)


class _Purge:
    """One user's purge of one workspace, in one transaction. ``agents`` and ``memories`` are those it was about."""

    def __init__(
        self, connection: Connection, workspace: UUID, called: CalledBy, now: datetime, deleted: _Deleted
    ) -> None:
        self._connection = connection
        self._workspace = workspace
        self._called = called
        self._users = called.users
        self._names = content_words(called.names)
        self._now = now
        self._deleted = deleted
        self.agents: set[UUID] = set()
        self.memories: list[UUID] = []

    async def run(self) -> tuple[dict[str, int], dict[str, int]]:
        """Remove and scrub everything; how many rows of each table went, and how many memories by why."""
        connection, workspace = self._connection, self._workspace
        held = await self._held()
        kept = await self._shared(held)
        own, deleted = sorted(held.own), self._deleted.memories
        self.agents, self.memories = held.agents, [*own, *kept]
        replaced = await subjects.superseded_by(connection, workspace, own + deleted)
        quoting = await subjects.superseded_by(connection, workspace, own + kept + deleted)
        proposed = await connection.run("purge_proposals", workspace=workspace, ids=list(held.proposals))
        await self._scrub_entities(held)
        edges = await subjects.remove_edges(connection, workspace, self._users, own, kept)
        rows = await subjects.remove(connection, workspace, self._users, own, kept, held.message_ids)
        await self._revive(replaced)
        await subjects.strip_quotes(connection, workspace, quoting, REASON)
        around = await subjects.purge_related(
            connection, workspace, self._users, sorted(held.agents), held.session_ids, [*own, *kept, *quoting]
        )
        subject = Subject(self._users, self._names, frozenset([*own, *kept, *deleted]))
        around |= await forget_pages(connection, workspace, subject)
        around["saved_searches"] = await forget_searches(connection, workspace, subject)
        await subjects.disown(connection, workspace, self._users, self._now)
        counts = rows | edges | around | {"proposals": proposed, "shared_memories": len(kept)}
        return counts, subjects.counted_by_why(held.own)

    async def _held(self) -> SubjectData:
        """Return what is held, with every dream that could still write something of it fenced off."""
        connection, workspace = self._connection, self._workspace
        rows = await connection.fetch("subject_agents", workspace=workspace, users=self._users)
        agents = {row["agent_id"] for row in rows} | self._deleted.agents
        while True:
            await connection.run("break_leases", workspace=workspace, agents=list(agents), now=self._now)
            await connection.run("purge_locks_proposals", workspace=workspace, agents=list(agents))
            held = await subjects.find_subject_data(connection, workspace, self._called)
            rows = await connection.fetch("owners_of", workspace=workspace, ids=[*held.own, *held.shared])
            held.agents = agents | {row["agent_id"] for row in rows} | set(held.proposals.values())
            if held.agents == agents:
                return held
            agents = held.agents

    async def _shared(self, held: SubjectData) -> list[UUID]:
        """Scrub the shared memories; those that stay. One of which nothing is left joins the user's own."""
        kept: list[UUID] = []
        for memory_id in sorted(held.shared):
            theirs, others = held.shared[memory_id]
            if await self._scrub(memory_id, theirs, others):
                kept.append(memory_id)
            else:
                held.own[memory_id] = "shared"
        return kept

    async def _scrub_entities(self, held: SubjectData) -> None:
        """Take the user's names out of the metadata of entities, and of those that the user's memories speak of what
        only the user said."""
        connection, workspace = self._connection, self._workspace
        rows = await connection.fetch("described_entities", workspace=workspace, ids=sorted(held.own))
        theirs = {*held.own, *held.message_ids} if any(row["others"] is not None for row in rows) else set()
        brought = content_words(await subjects.texts(connection, workspace, theirs))
        for row in rows:
            gone = self._names
            if row["others"] is not None:
                gone |= brought - content_words(await subjects.texts(connection, workspace, set(row["others"])))
            metadata = json_drop_sentences(row["metadata"], gone)
            if metadata != row["metadata"]:
                await entities.set_metadata(connection, workspace, row["id"], metadata, self._now)

    async def _revive(self, replaced: list[UUID]) -> None:
        """Reactivate memories of others whose replacement is gone, unless another says the same by now."""
        for memory_id in replaced:
            stored = await memories.lock(self._connection, self._workspace, memory_id)
            assert stored is not None
            duplicate = await memories.find_duplicate(self._connection, self._workspace, stored)
            await self._connection.run(
                "reactivate_memory",
                workspace=self._workspace, id=memory_id, twin=duplicate, now=self._now, reason=REASON,
            )  # fmt: skip
            await memories.reindex(self._connection, self._workspace, memory_id)
        await insights.retract_unsupported(self._connection, self._workspace, replaced)

    async def _scrub(self, memory_id: UUID, theirs: set[UUID], others: set[UUID]) -> bool:
        stored = await memories.lock(self._connection, self._workspace, memory_id)
        if stored is None:
            return False
        brought = content_words(await subjects.texts(self._connection, self._workspace, theirs))
        said = content_words(await subjects.texts(self._connection, self._workspace, others))
        gone = (brought - said) | self._names
        content = drop_sentences(stored.content, gone)
        if not content:
            return False
        left = replace(
            stored,
            content=content,
            summary=drop_sentences(stored.summary, gone) or summary_of(content),
            key=json_drop_sentences(stored.key, gone) if stored.key else None,
            tags=json_drop_sentences(stored.tags, gone),
            metadata=json_drop_sentences(stored.metadata, gone),
            source=json_drop_sentences(stored.source, gone),
            tokens=count_tokens(content),
            owners=[name for name in stored.owners if name not in self._users],
        )
        left = replace(left, identity_hash=identity_of(left))
        if stored.live:
            duplicate = await memories.find_duplicate(self._connection, self._workspace, left)
            if duplicate not in (None, memory_id):
                return False
        pending = EmbeddingBatch(None, [None]) if content != stored.content else None
        await memories.rewrite(
            self._connection, self._workspace, memory_id, left, pending,
            actor="purge", reason=REASON, now=self._now, archived=False,
        )  # fmt: skip
        return True


@dataclass(frozen=True, slots=True)
class SubjectExport:
    """All data about and from a user."""

    user: Annotated[str, Field(description="Name of the user.")]
    at: Annotated[datetime, Field(description="Time of the export.")]
    memories: Annotated[
        list[JsonObject], Field(description="Memories about the user; `shared` marks those also about other people.")
    ]
    messages: Annotated[list[JsonObject], Field(description="Messages of the user.")]
    sessions: Annotated[list[JsonObject], Field(description="Sessions of the user.")]
    documents: Annotated[list[JsonObject], Field(description="Documents of the user.")]
    proposals: Annotated[list[JsonObject], Field(description="Proposals of the inbox that are about or from the user.")]
    edges: Annotated[list[JsonObject], Field(description="Edges stated by memories about the user.")]
    pages: Annotated[
        list[JsonObject],
        Field(
            description="Questions of pages about the user, and sentences of their answers (by `version`) about the "
            "user."
        ),
    ]
    saved_searches: Annotated[list[JsonObject], Field(description="Saved searches that ask about the user.")]


async def export_user(runtime: Runtime, principal: Principal, user: str) -> SubjectExport:
    """Return memories with their history, messages, sessions, documents, edges to entities, what pages say, and saved
    searches, of what has been deleted and can be brought back too; what a purge would remove or trim. ``why`` a memory
    goes with the user is one of ``subjects.WHY``; null for shared ones, which are trimmed.

    Raises Forbidden for anyone but an admin, and where the request is made for another user.
    """
    principal.require_admin()
    workspace = principal.workspace_id
    pii = await masking_of(runtime, principal)
    users = await forms_of(runtime, workspace, pii, user)
    principal.check_is_for(users)
    (subject,) = await masked_names(runtime, workspace, pii, [(("path", "user"), user)], refuse=False)
    async with runtime.db.transaction(workspace, viewer="everybody") as connection:
        await connection.set_timeout(LONGEST_S)
        places = await deletions.places(connection, workspace)
        called = await subjects.called_by(connection, places, users)
        found: dict[str, list[object]] = {}
        for place in places:
            await connection.switch_workspace(place)
            for name, rows in (await _held(connection, place, called)).items():
                found.setdefault(name, []).extend(rows)
        await connection.switch_workspace(workspace)
        details = {"memories": len(found["memories"])}
        await audit.record(connection, principal, "user.exported", subject=subject, details=details)
    return make(SubjectExport, {"user": user, "at": runtime.now(), **found})


async def _held(connection: Connection, workspace: UUID, called: CalledBy) -> dict[str, Sequence[object]]:
    """Return what a workspace holds about a person, as an export shows it."""
    users = called.users
    held = await subjects.find_subject_data(connection, workspace, called)
    rows = await subjects.export(connection, workspace, users, held)
    about = Subject(users, content_words(called.names), frozenset([*held.own, *held.shared]))
    why = {str(id_): reason for id_, reason in held.own.items()}
    return {
        "memories": [
            {
                "memory": row["memory"],
                "history": row["history"],
                "shared": row["memory"]["id"] not in why,
                "why": why.get(row["memory"]["id"]),
            }
            for row in rows.pop("memories")
        ],
        "messages": [asdict(one) for one in held.messages],
        **rows,
        "pages": await exported_pages(connection, workspace, about),
        "saved_searches": await exported_searches(connection, workspace, about),
    }


@dataclass(frozen=True, slots=True)
class Subject:
    """A user by all its names, the words of these, and the memories that are about or from the user."""

    users: Sequence[str]
    names: frozenset[str]
    memories: frozenset[UUID]

    def is_asked_about(self, page: AskedPage) -> bool:
        """Return whether the question or the scope of a page names the user."""
        scope = page.scope
        texts = [page.question, *scope.get("tags", ()), *scope.get("entities", ())]
        texts += [dumps(scope.get(name, {})).decode() for name in ("metadata", "where")]
        named = bool(content_words(texts) & self.names)
        return named or scope.get("user") in self.users

    def is_in(self, sentence: PageSentence) -> bool:
        """Return whether a sentence names the user or cites one of the memories."""
        cites = any(UUID(str(memory["id"])) in self.memories for memory in sentence["memories"])
        return cites or bool(content_words([sentence["text"]]) & self.names)


@dataclass(frozen=True, slots=True)
class PageTexts:
    """Texts of a page, or of a version of it, about a user: its question, or sentences."""

    page_id: UUID
    version: int | None
    texts: list[str]


@dataclass(slots=True)
class _Traces:
    """Of some pages: those that go as a whole, and of the others' versions the sentences that go and that stay."""

    asked: list[AskedPage] = field(default_factory=list)
    versions: list[tuple[SaidVersion, list[PageSentence], list[PageSentence]]] = field(default_factory=list)


async def forget_pages(connection: Connection, workspace: UUID, subject: Subject) -> dict[str, int]:
    """Remove the pages that ask about a user, and the user's sentences from every version of the others; return how
    many pages and changed versions."""
    counts = {"pages": 0, "page_versions": 0}
    async for traces in _traces(connection, workspace, subject, locked=True):
        gone = [page.id for page in traces.asked]
        counts["pages"] += await connection.run("purge_pages", workspace=workspace, ids=gone)
        for version, _, kept in traces.versions:
            if version.page_id in gone:
                continue
            counts["page_versions"] += 1
            await connection.run(
                "rewrite_page_version", workspace=workspace, page_id=version.page_id, version=version.version,
                sentences=kept,
            )  # fmt: skip
    return counts


async def exported_pages(connection: Connection, workspace: UUID, subject: Subject) -> list[PageTexts]:
    """Return the questions about a user, and the user's sentences in every version of other pages."""
    found: list[PageTexts] = []
    async for traces in _traces(connection, workspace, subject, locked=False):
        found += [PageTexts(page.id, None, [page.question]) for page in traces.asked]
        found += [
            PageTexts(version.page_id, version.version, [one["text"] for one in theirs])
            for version, theirs, _ in traces.versions
        ]
    return found


async def _traces(connection: Connection, workspace: UUID, subject: Subject, *, locked: bool) -> AsyncIterator[_Traces]:
    async for asked, versions in pages.texts(connection, workspace, locked=locked):
        traces = _Traces([page for page in asked if subject.is_asked_about(page)])
        for version in versions:
            theirs = [sentence for sentence in version.sentences if subject.is_in(sentence)]
            if theirs:
                kept = [sentence for sentence in version.sentences if sentence not in theirs]
                traces.versions.append((version, theirs, kept))
        yield traces


async def forget_searches(connection: Connection, workspace: UUID, subject: Subject) -> int:
    """Remove the saved searches that ask about a user, with their results; return how many
    searches."""
    count = 0
    async for searches in saved_searches.texts(connection, workspace, locked=True):
        gone = [one.id for one in searches if _asks_about(one, subject)]
        count += await connection.run("purge_saved_searches", workspace=workspace, ids=gone)
    return count


async def exported_searches(connection: Connection, workspace: UUID, subject: Subject) -> list[AskedSearch]:
    """Return the saved searches that ask about a user."""
    return [
        one
        async for searches in saved_searches.texts(connection, workspace, locked=False)
        for one in searches
        if _asks_about(one, subject)
    ]


def _asks_about(search: AskedSearch, subject: Subject) -> bool:
    options = search.options
    texts = [search.name, search.query, options.get("session", ""), options.get("task", ""), *options.get("tags", ())]
    texts += [dumps(options.get(name, {})).decode() for name in ("metadata", "where")]
    return bool(content_words(texts) & subject.names) or options.get("user") in subject.users
