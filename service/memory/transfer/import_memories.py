"""Memories of an import, with their sources, usage and former versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from service.concurrency.executor import NOT_KNOWN
from service.db.pool import Columns
from service.domain.drafts import MemoryDraft
from service.domain.export_lines import HistoryLine, MemoryLine, WindowLine
from service.domain.json_schema import Checked
from service.domain.memory import Memory
from service.domain.own_types import BUILT_IN, Misfit, OwnType, check_memory
from service.domain.owners import owners_of_all, with_owner
from service.errors import InvalidImportLine
from service.memory.saving.remember import columns_of
from service.memory.saving.scopes import ScopeIds
from service.memory.transfer.import_base import ImportTransaction, Lines, Writer, writer_of
from service.store import memories, transfer
from service.store.settings import workspace_settings
from service.store.vectors import EmbeddingBatch

COMPARED = MemoryDraft.model_fields.keys() - {"agent", "created_at", "links"} | {
    "valid_until", "superseded_by", "deleted_at",
}  # fmt: skip
"""What makes a line differ from the memory of its id."""


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
        lambda one: _columns(writing, one[0][1], one[1], types),
        list(zip(lines, places, strict=True)),
        lambda one: len(one[0][1].content),
    )
    items: list[Columns] = []
    fresh: dict[UUID, tuple[int, MemoryLine, EmbeddingBatch]] = {}
    for (number, line), vector, item in zip(lines, embedded.vectors, read, strict=True):
        one = EmbeddingBatch(embedded.space, [vector])
        if item["id"] in fresh:
            writing.tallies["memory"].unchanged += 1
        elif item["id"] in known:
            await _update_existing(writing, number, line, item, known[item["id"]], one)
        else:
            fresh[item["id"]] = (number, line, one)
            items.append(item | {"ordinal": len(items) + 1})
    if items:
        vectors = EmbeddingBatch(embedded.space, [one.vectors[0] for _, _, one in fresh.values()])
        made = await memories.insert(writing.connection, writing.workspace, items, vectors)
        writing.tallies["memory"].created += len(made)
        for item in items:
            if item["id"] not in made:
                await _merge_into_duplicate(writing, *fresh[item["id"]], item)
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


def _columns(writing: ImportTransaction, line: MemoryLine, place: ScopeIds, types: Mapping[str, OwnType]) -> Columns:
    by = writing.principal
    item = columns_of(line, place, 1, line.changed_by or by.actor, writing.now, types=types, key_id=by.key_id)
    ended = line.valid_until or (line.updated_at or writing.now if line.superseded_by else None)
    return item | {
        "id": line.id or item["id"],
        "origin": line.origin or "imported",
        "version": line.version,
        "updated_at": line.updated_at,
        "valid_from": line.valid_from,
        "valid_until": ended,
        "superseded_by": line.superseded_by,
        "deleted_at": line.deleted_at,
        "reinforced_at": line.reinforced_at,
        "dream_id": line.dream_id,
        "change_reason": line.change_reason or "imported",
    }


def _differs(line: MemoryLine, stored: Memory) -> bool:
    given = line.model_dump(include=line.model_fields_set & COMPARED)
    return any(
        getattr(stored, name) != value for name, value in given.items() if not (name == "summary" and value is None)
    )


async def _update_existing(
    writing: ImportTransaction, number: int, line: MemoryLine, item: Columns, stored: Memory, embedded: EmbeddingBatch
) -> None:
    if line.version < stored.version or not _differs(line, stored):
        writing.tallies["memory"].unchanged += 1
        return
    if line.deleted_at is None and line.superseded_by is None:
        duplicate = await memories.find_duplicate(writing.connection, writing.workspace, item)
        if duplicate not in (None, item["id"]):
            raise InvalidImportLine(number, ("id",), f"the memory {duplicate} says the same already, or has its key")
    await _rewrite(writing, line, item, stored, embedded)


async def _merge_into_duplicate(
    writing: ImportTransaction, number: int, line: MemoryLine, embedded: EmbeddingBatch, item: Columns
) -> None:
    duplicate = await memories.find_duplicate(writing.connection, writing.workspace, item)
    if duplicate is None:
        raise InvalidImportLine(number, ("id",), "could not be written beside a change made at the same moment")
    if line.id is not None:
        writing.same[line.id] = duplicate
    (stored,) = await memories.get(writing.connection, writing.workspace, [duplicate], None)
    if line.key is None or (stored.content, stored.type) == (line.content, line.type):
        writing.tallies["memory"].unchanged += 1
        return
    await _rewrite(writing, line, item, stored, embedded)


async def _rewrite(
    writing: ImportTransaction,
    line: MemoryLine,
    item: Columns,
    stored: Memory,
    embedded: EmbeddingBatch,
) -> None:
    await memories.rewrite(
        writing.connection, writing.workspace, stored.id, item,
        embedded if line.content != stored.content else None,
        actor=item["changed_by"], reason=item["change_reason"], now=writing.now,
    )  # fmt: skip
    await transfer.set_times(
        writing.connection,
        writing.workspace,
        stored.id,
        version=max(line.version, stored.version + 1),
        created_at=line.created_at or stored.created_at,
        updated_at=line.updated_at or writing.now,
        valid_from=line.valid_from or stored.valid_from,
        valid_until=item["valid_until"],
        superseded_by=line.superseded_by,
        deleted_at=line.deleted_at,
        reinforced_at=line.reinforced_at,
    )
    await memories.reindex(writing.connection, writing.workspace, stored.id)
    writing.tallies["memory"].updated += 1


async def _import_related(writing: ImportTransaction, lines: Lines[MemoryLine]) -> None:
    """Tie memories to their messages, and bring their access counts along."""
    pairs, usage = [], {}
    for _, line in lines:
        if line.id is not None:
            memory_id = writing.same.get(line.id, line.id)
            pairs += [(memory_id, message_id) for message_id in line.message_ids]
            if line.access_count:
                usage[memory_id] = (memory_id, line.access_count, line.last_accessed_at)
    await memories.add_sources(writing.connection, writing.workspace, pairs)
    await transfer.add_usage(writing.connection, writing.workspace, list(usage.values()))


async def write_history(writing: ImportTransaction, lines: Lines[HistoryLine]) -> None:
    """Bring former versions along. Raises InvalidImportLine for the history of a memory that is not here.

    The history of a memory whose place another one holds here is passed over: that one has a history of its own.
    """
    own = [(number, line) for number, line in lines if line.memory_id not in writing.same]
    ids = [line.memory_id for _, line in own]
    known = await transfer.existing(writing.connection, writing.workspace, "memories", ids)
    for number, line in own:
        if line.memory_id not in known:
            raise InvalidImportLine(number, ("memory_id",), f"there is no memory {line.memory_id}")
    made = await transfer.add_history(writing.connection, writing.workspace, [line.model_dump() for _, line in own])
    writing.count("history", lines, made)


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


MEMORY_WRITERS: dict[str, Writer] = {
    "memory": writer_of(MemoryLine, write_memories),
    "history": writer_of(HistoryLine, write_history),
    "window": writer_of(WindowLine, write_windows),
}
