"""Memories: rows in, records out. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict, Unpack
from uuid import UUID

from service.db.pool import Connection
from service.domain.identity import summary_of
from service.domain.json import JsonObject
from service.domain.memory import Memory, StoredMemory
from service.domain.memory_words import content_words, field_words
from service.domain.origin import Origin
from service.domain.principal import CachedCredential
from service.domain.text_features import TextFeatures, extract_features
from service.embedding.tokens import count_tokens
from service.errors import StaleCredential
from service.store import insights
from service.store.agents import Reader, seen_by
from service.store.vectors import NO_SPACE, EmbeddingBatch


@dataclass(frozen=True, slots=True)
class DerivedText:
    """What follows from a content alone; ``words`` is what it is found by, ``features`` what it is ranked by."""

    summary: str
    tokens: int
    words: dict[str, str]
    features: TextFeatures

    @classmethod
    def of(cls, content: str) -> DerivedText:
        """Derive it, which takes time in proportion to the content."""
        return cls(summary_of(content), count_tokens(content), content_words(content), extract_features(content))


@dataclass(frozen=True, slots=True)
class MemoryInsert:
    """A memory to insert, with what has been derived of its content."""

    memory: StoredMemory
    text: DerivedText


@dataclass(frozen=True, slots=True)
class _Fields:
    """What the words of a memory's fields are taken from."""

    id: UUID
    content: str
    summary: str
    key: str | None
    tags: list[str]

    def words(self) -> dict[str, str]:
        return field_words(content=self.content, summary=self.summary, key=self.key, tags=self.tags)


class Change(TypedDict):
    """Who changes a memory, for the history: why, and when."""

    actor: str
    reason: str
    now: datetime


async def insert(
    connection: Connection,
    workspace: UUID,
    new: Sequence[MemoryInsert],
    embedded: EmbeddingBatch,
    key: CachedCredential | None = None,
    *,
    checked: bool = False,
) -> set[UUID]:
    """Insert memories, the vector of each at its place in ``embedded``; the ids that went in.

    An id missing from the answer collided with a live memory or, where they are ``checked``, names a task whose
    declared members its agent is none of, or is of an agent with a setting ``users`` of its own. Raises
    StaleCredential, and nothing went in, for a ``key`` that does not hold any more.
    """
    rows = await connection.fetch(
        "insert_memories",
        {
            **embedded.flags,
            "known": key is not None,
            "membership": checked and any(one.memory.task_id is not None for one in new),
            "checked": checked,
        },
        workspace=workspace,
        items=[_new_item(one, ordinal) for ordinal, one in enumerate(new, start=1)],
        embeddings=embedded.stored(),
        model=embedded.model,
        **(key.parameters() if key is not None else {}),
    )
    if key is None:
        return {row["id"] for row in rows}
    if not rows[0]["sure"]:
        raise StaleCredential
    return {row["id"] for row in rows if row["id"] is not None}


def _new_item(new: MemoryInsert, ordinal: int) -> JsonObject:
    item = _item(new.memory)
    item.update(new.text.words, ordinal=ordinal, **new.text.features.columns())
    return item


def _item(memory: StoredMemory) -> JsonObject:
    """Return the columns of a memory, and the words of its fields, as statements take them."""
    item = memory.columns()
    item["identity_hash"] = memory.identity_hash.hex()
    item.update(field_words(content=memory.content, summary=memory.summary, key=memory.key, tags=memory.tags))
    return item


async def find_duplicate(connection: Connection, workspace: UUID, memory: StoredMemory) -> UUID | None:
    """Return the live memory which ``memory`` would double, by its key or else by what it says, locked."""
    same = {"workspace": workspace, "audience": memory.audience}
    found: UUID | None
    if memory.key is not None:
        found = await connection.value(
            "duplicate_by_key", agent_id=memory.agent_id, key=memory.key, owners=memory.owners, **same
        )
    else:
        found = await connection.value(
            "duplicate_by_identity", type=memory.type, identity_hash=memory.identity_hash, **same
        )
    return found


async def lock(connection: Connection, workspace: UUID, memory_id: UUID) -> StoredMemory | None:
    """Return the memory, locked until the transaction ends."""
    return await connection.first(StoredMemory, "lock_memory", workspace=workspace, id=memory_id)


async def lock_all(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> dict[UUID, StoredMemory]:
    """Return the memories of these ids, by id, locked in one order until the transaction ends."""
    found = await connection.many(StoredMemory, "lock_memories", workspace=workspace, ids=ids)
    return {one.id: one for one in found}


async def archive(connection: Connection, workspace: UUID, memory_id: UUID, *, with_vector: bool = False) -> None:
    """Keep the present version in the history; call it before every change, ``with_vector`` before one of the text."""
    await connection.run("archive_memory", {"with_vector": with_vector}, workspace=workspace, id=memory_id)


async def _change(
    connection: Connection, query: str, workspace: UUID, memory_id: UUID, change: Change, **values: object
) -> None:
    """Archive a memory, then change it by this query."""
    await archive(connection, workspace, memory_id)
    await connection.run(query, workspace=workspace, id=memory_id, **_columns(change), **values)


def _columns(change: Change) -> dict[str, object]:
    return {"changed_by": change["actor"], "reason": change["reason"], "now": change["now"]}


async def _sync_index(connection: Connection, workspace: UUID, memory_id: UUID) -> None:
    """Let the search row follow a memory that holds no more, or again, and drop the insights that rested on it."""
    await reindex(connection, workspace, memory_id)
    await insights.retract_unsupported(connection, workspace, [memory_id])


async def reinforce(
    connection: Connection,
    workspace: UUID,
    memory_id: UUID,
    *,
    tags: list[str],
    metadata: JsonObject,
    origin: Origin,
    **change: Unpack[Change],
) -> None:
    """Archive, then strengthen a memory that was said again."""
    await _change(
        connection, "reinforce_memory", workspace, memory_id, change, tags=tags, metadata=metadata, origin=origin
    )
    if tags:
        await index_fields(connection, workspace, memory_id)
    await reindex(connection, workspace, memory_id)


async def set_status(
    connection: Connection, workspace: UUID, memory_id: UUID, status: str, *, dream_id: UUID, **change: Unpack[Change]
) -> None:
    """Archive a todo, then close it or open it again."""
    await _change(connection, "set_status", workspace, memory_id, change, status=status, dream_id=dream_id)


async def index_fields(connection: Connection, workspace: UUID, memory_id: UUID) -> None:
    """Find a locked memory by the words that its key, tags and summary have now."""
    fields = await connection.first(_Fields, "fields_of_memory", workspace=workspace, id=memory_id)
    assert fields is not None
    await _index_fields(connection, workspace, memory_id, fields.words())


async def _index_fields(connection: Connection, workspace: UUID, memory_id: UUID, words: dict[str, str]) -> None:
    await connection.run("delete_postings", workspace=workspace, id=memory_id)
    await connection.run("index_fields", workspace=workspace, id=memory_id, **words)
    await connection.run("insert_postings", workspace=workspace, id=memory_id)


async def post_again(connection: Connection, workspace: UUID, memory_id: UUID) -> None:
    """Put a memory that stands for a window from now on on the posting lists of these."""
    await connection.run("delete_postings", workspace=workspace, id=memory_id)
    await connection.run("insert_postings", workspace=workspace, id=memory_id)


async def backfill_fields(connection: Connection, workspace: UUID, limit: int) -> bool:
    """Do the same for the next memories from before these words were searched; whether there may be more of them."""
    begun = await connection.row("lock_field_backfill", workspace=workspace)
    if begun is None:
        return False
    found = await connection.many(
        _Fields, "memories_to_backfill", workspace=workspace, after=begun["after"] or UUID(int=0), limit=limit
    )
    for fields in found:
        words = fields.words()
        if any(map(str.strip, words.values())):
            await _index_fields(connection, workspace, fields.id, words)
    if len(found) < limit:
        await connection.run("finish_field_backfill", workspace=workspace)
        return False
    await connection.run("advance_field_backfill", workspace=workspace, after=found[-1].id)
    return True


async def rewrite(
    connection: Connection,
    workspace: UUID,
    memory_id: UUID,
    memory: StoredMemory,
    embedded: EmbeddingBatch | None,
    *,
    archived: bool = True,
    **change: Unpack[Change],
) -> None:
    """Archive (unless told not to), then set every changeable field to that of ``memory``; ``embedded`` is given when
    the content changed."""
    if archived:
        await archive(connection, workspace, memory_id, with_vector=embedded is not None)
    if embedded is not None:
        await connection.run("forget_stated_edges", workspace=workspace, id=memory_id)
    await connection.run("delete_postings", workspace=workspace, id=memory_id)
    await connection.run(
        "rewrite_memory",
        workspace=workspace,
        id=memory_id,
        item=_item(memory) | content_words(memory.content),
        **_columns(change),
    )
    await connection.run("insert_postings", workspace=workspace, id=memory_id)
    await reindex(connection, workspace, memory_id, embedded, extract_features(memory.content))
    await insights.retract_unsupported(connection, workspace, [memory_id])


async def reindex(
    connection: Connection,
    workspace: UUID,
    memory_id: UUID,
    embedded: EmbeddingBatch | None = None,
    shape: TextFeatures | None = None,
) -> None:
    """Bring the search row in line with the memory; ``embedded`` and ``shape`` are given when its content changed."""
    vector = embedded.stored()[0] if embedded else None
    await connection.run(
        "reindex_memory",
        embedded.flags if embedded else NO_SPACE,
        workspace=workspace,
        id=memory_id,
        embed=embedded is not None,
        model=embedded.model if embedded and vector is not None else None,
        embedding=vector,
        words=shape.words if shape else None,
        speaker=shape.speaker if shape else None,
        asks=shape.asks if shape else None,
        question_share=shape.question_share if shape else None,
    )


async def mark_deleted(
    connection: Connection, workspace: UUID, memory_id: UUID, at: datetime | None, **change: Unpack[Change]
) -> None:
    """Archive, then hide (``at`` set) or bring back (``at`` None) a memory."""
    await _change(connection, "mark_deleted", workspace, memory_id, change, at=at)
    await _sync_index(connection, workspace, memory_id)


async def remove(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> int:
    """Delete the rows of memories and all that is kept or concluded of them alone; return how many memories went."""
    gone = {*ids, *await insights.resting_on(connection, workspace, list(ids))}
    for query in ("collect_edges", "collect_terms", "collect_index", "collect_memories"):
        await connection.run(query, workspace=workspace, ids=list(gone))
    return len(gone)


async def set_importance(
    connection: Connection, workspace: UUID, memory_id: UUID, *, step: float, **change: Unpack[Change]
) -> None:
    """Archive, then move the importance by ``step``, within 0 and 1."""
    await _change(connection, "rate_memory", workspace, memory_id, change, step=step)
    await reindex(connection, workspace, memory_id)


async def label(
    connection: Connection,
    workspace: UUID,
    memory_id: UUID,
    *,
    tags: list[str],
    decay_exempt: bool,
    **change: Unpack[Change],
) -> None:
    """Archive, then set the tags, and whether the memory is exempt from decay."""
    await _change(connection, "label_memory", workspace, memory_id, change, tags=tags, decay_exempt=decay_exempt)
    await index_fields(connection, workspace, memory_id)
    await reindex(connection, workspace, memory_id)


async def supersede(
    connection: Connection,
    workspace: UUID,
    memory_id: UUID,
    *,
    by: UUID,
    until: datetime,
    dream_id: UUID | None,
    **change: Unpack[Change],
) -> None:
    """Archive, then close a memory that another one replaces."""
    await _change(connection, "mark_superseded", workspace, memory_id, change, by=by, until=until, dream_id=dream_id)
    await _sync_index(connection, workspace, memory_id)


async def reinstate(connection: Connection, workspace: UUID, memory_id: UUID, **change: Unpack[Change]) -> None:
    """Archive, then make a superseded memory current again."""
    await _change(connection, "reinstate_memory", workspace, memory_id, change)
    await _sync_index(connection, workspace, memory_id)


async def get(connection: Connection, workspace: UUID, ids: Sequence[UUID], reader: Reader | None) -> list[Memory]:
    """Return the memories of these ids that the reader may see; None sees the workspace."""
    return await connection.many(Memory, "get_memories", workspace=workspace, ids=ids, **seen_by(reader))


async def add_sources(
    connection: Connection, workspace: UUID, pairs: Sequence[tuple[UUID, UUID]]
) -> list[tuple[UUID, UUID]]:
    """Tie (memory, message) pairs together; those that were not tied before. Unknown messages are left out."""
    if not pairs:
        return []
    rows = await connection.fetch(
        "add_sources",
        workspace=workspace,
        memory_ids=[memory for memory, _ in pairs],
        message_ids=[message for _, message in pairs],
    )
    return [(row["memory_id"], row["message_id"]) for row in rows]


async def pass_on_sources(
    connection: Connection, workspace: UUID, pairs: Sequence[tuple[UUID, UUID]]
) -> list[tuple[UUID, UUID]]:
    """Tie what one memory came from to another, for (memory, heir) pairs; (heir, message) of those not tied before."""
    if not pairs:
        return []
    rows = await connection.fetch(
        "pass_on_sources", workspace=workspace, merged=[merged for merged, _ in pairs], kept=[kept for _, kept in pairs]
    )
    return [(row["memory_id"], row["message_id"]) for row in rows]
