"""Memories: rows in, records out. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict, Unpack
from uuid import UUID

from service.db.pool import Columns, Connection, Row
from service.domain.json import JsonObject
from service.domain.memory import Memory
from service.domain.memory_words import content_words, field_words
from service.domain.origin import Origin
from service.domain.principal import CachedCredential
from service.domain.text_features import TextFeatures, extract_features
from service.errors import StaleCredential
from service.store import insights
from service.store.agents import Reader, seen_by
from service.store.vectors import NO_SPACE, EmbeddingBatch


class Change(TypedDict):
    """Who changes a memory, for the history: why, and when."""

    actor: str
    reason: str
    now: datetime


async def insert(
    connection: Connection,
    workspace: UUID,
    items: Sequence[Columns],
    embedded: EmbeddingBatch,
    key: CachedCredential | None = None,
    *,
    checked: bool = False,
) -> set[UUID]:
    """Insert ``items`` (columns of ``memories``, with ``ordinal`` counting from 1); the ids that went in.

    An id missing from the answer collided with a live memory or, where they are ``checked``, names a task whose
    declared members its agent is none of, or is of an agent with a setting ``users`` of its own. Raises
    StaleCredential, and nothing went in, for a ``key`` that does not hold any more.
    """
    rows = await connection.fetch(
        "insert_memories",
        {
            **embedded.flags,
            "known": key is not None,
            "membership": checked and any(item["task_id"] is not None for item in items),
            "checked": checked,
        },
        workspace=workspace,
        items=[_with_words(item) for item in items],
        embeddings=embedded.stored(),
        model=embedded.model,
        **(key.parameters() if key is not None else {}),
    )
    if key is None:
        return {row["id"] for row in rows}
    if not rows[0]["sure"]:
        raise StaleCredential
    return {row["id"] for row in rows if row["id"] is not None}


def _with_words(item: Columns) -> Columns:
    words = {} if "lexical" in item else content_words(item["content"])
    return item | words | field_words(item)


async def find_duplicate(connection: Connection, workspace: UUID, item: Columns) -> UUID | None:
    """Return the live memory which ``item`` would double, by its key or else by what it says, locked."""
    same = {"workspace": workspace, "audience": item["audience"]}
    found: UUID | None
    if item["key"] is not None:
        found = await connection.value(
            "duplicate_by_key", agent_id=item["agent_id"], key=item["key"], owners=item["owners"], **same
        )
    else:
        identity_hash = bytes.fromhex(item["identity_hash"])
        found = await connection.value("duplicate_by_identity", type=item["type"], identity_hash=identity_hash, **same)
    return found


async def lock(connection: Connection, workspace: UUID, memory_id: UUID) -> Row | None:
    """Return the whole row, locked until the transaction ends."""
    return await connection.row("lock_memory", workspace=workspace, id=memory_id)


async def lock_all(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> dict[UUID, Row]:
    """Return the whole rows of these ids, by id, locked in one order until the transaction ends."""
    rows = await connection.fetch("lock_memories", workspace=workspace, ids=ids)
    return {row["id"]: row for row in rows}


def as_item(row: Row) -> Columns:
    """Return the columns of a locked memory as statements take them."""
    return dict(row) | {"identity_hash": row["identity_hash"].hex(), "lexemes": None}


async def duplicate_of(connection: Connection, workspace: UUID, row: Row) -> UUID | None:
    """As ``find_duplicate``, of a locked row."""
    return await find_duplicate(connection, workspace, as_item(row))


async def archive(connection: Connection, workspace: UUID, memory_id: UUID, *, with_vector: bool = False) -> None:
    """Keep the present version in the history; call it before every change, ``with_vector`` before one of the text."""
    await connection.run("archive_memory", {"with_vector": with_vector}, workspace=workspace, id=memory_id)


async def _change(
    connection: Connection, query: str, workspace: UUID, memory_id: UUID, change: Change, **values: object
) -> None:
    """Archive a memory, then change it by this query."""
    await archive(connection, workspace, memory_id)
    await connection.run(query, workspace=workspace, id=memory_id, **_columns(change), **values)


def _columns(change: Change) -> Columns:
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
    row = await connection.one("fields_of_memory", workspace=workspace, id=memory_id)
    await _index_fields(connection, workspace, memory_id, field_words(row))


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
    rows = await connection.fetch(
        "memories_to_backfill", workspace=workspace, after=begun["after"] or UUID(int=0), limit=limit
    )
    for row in rows:
        words = field_words(row)
        if any(map(str.strip, words.values())):
            await _index_fields(connection, workspace, row["id"], words)
    if len(rows) < limit:
        await connection.run("finish_field_backfill", workspace=workspace)
        return False
    await connection.run("advance_field_backfill", workspace=workspace, after=rows[-1]["id"])
    return True


async def rewrite(
    connection: Connection,
    workspace: UUID,
    memory_id: UUID,
    item: Columns,
    embedded: EmbeddingBatch | None,
    *,
    archived: bool = True,
    **change: Unpack[Change],
) -> None:
    """Archive (unless told not to), then set every changeable field; ``embedded`` is given when the content changed."""
    if archived:
        await archive(connection, workspace, memory_id, with_vector=embedded is not None)
    if embedded is not None:
        await connection.run("forget_stated_edges", workspace=workspace, id=memory_id)
    await connection.run("delete_postings", workspace=workspace, id=memory_id)
    await connection.run(
        "rewrite_memory",
        workspace=workspace,
        id=memory_id,
        item=item | content_words(item["content"]) | field_words(item),
        **_columns(change),
    )
    await connection.run("insert_postings", workspace=workspace, id=memory_id)
    await reindex(connection, workspace, memory_id, embedded, extract_features(item["content"]))
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
