"""Saving memories: one or a thousand, embedded first, then written in one transaction (rows W1 to W8)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Literal
from uuid import UUID

from service.db.ending import current_ending
from service.db.pool import Connection
from service.domain.drafts import MemoryDraft
from service.domain.identity import identity_hash, keyed, summary_of
from service.domain.ids import new_id
from service.domain.lexical import shape_of
from service.domain.principal import KnownKey, Principal
from service.domain.types import MemoryType
from service.embedding.tokens import count_tokens
from service.errors import Conflict, InvalidInput, Unconfirmed
from service.memory.engine import Engine
from service.memory.links import Linked, write_links
from service.memory.places import Place, Places
from service.memory.redaction import cleared_drafts
from service.store import memories
from service.store.vectors import Embedded

Outcome = Literal["created", "reinforced", "updated"]
Item = dict[str, Any]

KEPT_AS_GIVEN = (
    "id", "type", "scope", "key", "content", "summary", "importance", "confidence", "tags", "metadata", "source",
    "status", "decay_exempt", "occurred_at", "valid_until", "expires_at", "dream_id",
)  # fmt: skip
STATED = ("content", "type", "user_name", "status", "decay_exempt", "occurred_at", "expires_at")
"""What a memory states: saved under its key with any of it changed, it is updated, not said again."""
READ_AT_ONCE = 32
NEVER_SET_AT_FIRST = ("last_accessed_at", "superseded_by", "deleted_at")


@dataclass(frozen=True, slots=True)
class Saved:
    """One memory after a save, and what the save did to it."""

    memory: memories.Record
    outcome: Outcome


async def remember_one(
    engine: Engine, principal: Principal, draft: MemoryDraft, key: KnownKey | None = None
) -> Saved | None:
    """Save one draft, together with others being saved at the same time; None with the caller's memory off.

    Promises and raises what ``remember`` does. With a ``key``, whose principal it is then, Unconfirmed and other errors
    mean that nothing was saved for it and it has to be looked up.
    """
    if principal.memory_off or current_ending() is not None:
        return next(iter(await remember(engine, principal, [draft])), None)
    principal.must_write()
    plain = not draft.links and draft.key is None and draft.created_at is None
    place = engine.places.of(principal, draft) if plain else None
    saved: Saved | None = None
    if place is not None:
        saved = await engine.inserts.do((principal, key), (draft, place), partial(_insert_new, engine, principal, key))
    elif key is not None:
        raise Unconfirmed
    return saved or await engine.saves.do(principal, draft, partial(remember, engine, principal))


async def _insert_new(
    engine: Engine, principal: Principal, key: KnownKey | None, placed: Sequence[tuple[MemoryDraft, Place]]
) -> list[Saved | None]:
    """Save those that are new where they belong, in one round trip; None for each that is left to ``remember``.

    Raises Unconfirmed for a ``key`` that does not hold any more."""
    prepared = await _prepare(engine, principal, [draft for draft, _ in placed])
    items = [prepared.columns(position, place) for position, (_, place) in enumerate(placed)]
    try:
        async with engine.db.saving(principal.workspace_id) as connection:
            inserted = await memories.insert(connection, principal.workspace_id, items, prepared.embedded, key)
    except Conflict:
        if key is not None:
            raise Unconfirmed from None
        inserted = set()
    return [Saved(prepared.record(item), "created") if item["id"] in inserted else None for item in items]


async def remember(engine: Engine, principal: Principal, drafts: Sequence[MemoryDraft]) -> list[Saved]:
    """Save all drafts or none, in order.

    A draft that repeats a live memory reinforces it; one whose key exists updates it, the old content going
    to the history. Embeddings are computed before the transaction; where that fails they stay pending.

    With the caller's memory off nothing is saved, and the answer is empty.

    Raises Forbidden for a reader key, InvalidInput naming the draft's field, NotFound for a link's target.
    """
    principal.must_write()
    if principal.memory_off:
        return []
    for position, draft in enumerate(drafts):
        if draft.created_at is not None and principal.role != "admin":
            raise InvalidInput((*_loc(drafts, position), "created_at"), "only an admin key may set created_at")
    prepared = await _prepare(engine, principal, drafts)
    drafts, embedded = prepared.drafts, prepared.embedded
    saved: dict[int, tuple[UUID, Outcome]] = {}
    async with engine.db.planned_once(principal.workspace_id) as connection:
        places = Places(connection, principal)
        await places.settle(drafts)
        found = [await places.find(draft, _loc(drafts, n), user=draft.user) for n, draft in enumerate(drafts)]
        items = [prepared.columns(position, place) for position, place in enumerate(found)]
        firsts = list({_identity(item): item for item in reversed(items)}.values())
        inserted = await memories.insert(connection, principal.workspace_id, firsts, embedded)
        # Always in the same order, so that two batches that meet the same memories wait and never block each other.
        for item in sorted(items, key=lambda item: (_identity(item), item["ordinal"])):
            position = item["ordinal"] - 1
            if item["id"] in inserted:
                saved[position] = (item["id"], "created")
            else:
                vector = Embedded(embedded.space, [embedded.vectors[position]])
                saved[position] = await _meet_twin(connection, principal, drafts[position], item, vector, prepared.now)
        linked = [
            Linked(saved[n][0], found[n].audience, principal.acting(draft.agent), draft.links, _loc(drafts, n))
            for n, draft in enumerate(drafts)
            if draft.links
        ]
        await write_links(connection, principal, linked)
        changed = {memory_id for memory_id, outcome in saved.values() if outcome != "created"}
        rows = await memories.get(connection, principal.workspace_id, list(changed), None) if changed else []
    for draft, place in zip(drafts, found, strict=True):
        engine.places.learn(principal, draft, place)
    records = {row["id"]: memories.record(row) for row in rows}
    for item in items:
        if item["id"] == saved[item["ordinal"] - 1][0] and item["id"] not in changed:
            records[item["id"]] = prepared.record(item)
    return [Saved(records[saved[n][0]], saved[n][1]) for n in range(len(drafts))]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Drafts without what may not be kept, and what is known of each before the database is asked."""

    principal: Principal
    drafts: Sequence[MemoryDraft]
    embedded: Embedded
    read: Sequence[Item]
    now: datetime

    def columns(self, position: int, place: Place) -> Item:
        draft = self.drafts[position]
        return columns_of(draft, place, position + 1, self.principal.actor, self.now, self.read[position])

    def record(self, item: Item) -> memories.Record:
        """The memory just inserted."""
        position = item["ordinal"] - 1
        draft, ready = self.drafts[position], self.embedded.vectors[position] is not None
        return _new_record(draft, item, self.principal.acting(draft.agent), ready=ready)


async def _prepare(engine: Engine, principal: Principal, drafts: Sequence[MemoryDraft]) -> _Prepared:
    drafts = await cleared_drafts(engine, principal, drafts, [_loc(drafts, n) for n in range(len(drafts))])
    now = engine.now()
    contents = [draft.content for draft in drafts]
    if len(contents) <= READ_AT_ONCE:
        read = [read_off(content) for content in contents]
        embedded = await engine.embed(contents)
    else:
        embedded, read = await asyncio.gather(engine.embed(contents), _read(contents))
    return _Prepared(principal, drafts, embedded, read, now)


def _loc(drafts: Sequence[MemoryDraft], position: int) -> tuple[str | int, ...]:
    return ("body",) if len(drafts) == 1 else ("body", "items", position)


def _identity(item: Item) -> tuple[Any, ...]:
    if item["key"] is not None:
        return ("key", item["agent_id"], item["audience"], item["key"])
    return ("content", item["audience"], item["type"], item["identity_hash"])


async def _read(contents: Sequence[str]) -> list[Item]:
    """What is read off each content; a few at a time, so that the embedder and other requests have their turn."""
    read: list[Item] = []
    for start in range(0, len(contents), READ_AT_ONCE):
        if start:
            await asyncio.sleep(0)
        read.extend(read_off(content) for content in contents[start : start + READ_AT_ONCE])
    return read


def read_off(content: str) -> Item:
    """The columns that follow from the content alone."""
    return {
        "summary": summary_of(content),
        "tokens": count_tokens(content),
        **memories.words_of(content),
        **shape_of(content).columns(),
    }


def columns_of(
    draft: MemoryDraft, place: Place, ordinal: int, actor: str, now: datetime, read: Item | None = None
) -> Item:
    """The columns of ``memories`` for a draft; ``ordinal`` is its place in the batch, from 1.

    ``read`` is what was read off its content, where that has been done already.
    """
    status = draft.status or ("open" if draft.type is MemoryType.TODO else None)
    return (read or read_off(draft.content)) | {
        "ordinal": ordinal,
        "id": new_id(),
        "agent_id": place.agent_id,
        "audience": place.audience,
        "type": draft.type.value,
        "scope": draft.scope.value,
        "team_id": place.team_id,
        "task_id": place.task_id,
        "session_id": place.session_id,
        "user_name": draft.user,
        "key": draft.key,
        "content": draft.content,
        **({"summary": draft.summary} if draft.summary else {}),
        "identity_hash": identity_hash(
            draft.type,
            draft.content,
            user=draft.user,
            key=keyed(place.agent_id, draft.key),
            occurred_at=draft.occurred_at,
        ),
        "importance": draft.importance,
        "confidence": draft.confidence,
        "tags": list(dict.fromkeys(draft.tags)),
        "metadata": draft.metadata,
        "source": draft.source,
        "status": status,
        "decay_exempt": draft.decay_exempt,
        "occurred_at": draft.occurred_at,
        "expires_at": draft.expires_at,
        "valid_from": None,
        "valid_until": None,
        "created_at": draft.created_at or now,
        "dream_id": None,
        "changed_by": actor,
        "change_reason": "saved",
    }


def _new_record(draft: MemoryDraft, item: Item, agent: str, *, ready: bool) -> memories.Record:
    """A memory as the API shows it, of the columns just inserted: as ``memory_records`` has it, without reading it."""
    names = {"agent": agent, "team": draft.team, "task": draft.task, "session": draft.session, "user": draft.user}
    times = {"created_at": item["created_at"], "updated_at": item["created_at"], "valid_from": item["created_at"]}
    return {
        **dict.fromkeys(NEVER_SET_AT_FIRST),
        **{name: item[name] for name in KEPT_AS_GIVEN},
        **names,
        **times,
        "effective_importance": item["importance"],
        "embedding": "ready" if ready else "pending",
        "access_count": 0,
        "version": 1,
    }


async def _meet_twin(
    connection: Connection,
    principal: Principal,
    draft: MemoryDraft,
    item: Item,
    vector: Embedded,
    now: datetime,
) -> tuple[UUID, Outcome]:
    """The save collided with a live memory: update it when its key was given, else reinforce it.

    One that has expired, and only waits to be collected, makes room.
    """
    workspace = principal.workspace_id
    while True:
        twin_id = await memories.find_twin(connection, workspace, item)
        twin = await memories.lock(connection, workspace, twin_id) if twin_id is not None else None
        if twin_id is not None and twin is not None:
            if twin["expires_at"] is None or twin["expires_at"] > now:
                break
            await memories.mark_deleted(
                connection, workspace, twin_id, now, actor=principal.actor, reason="expired", now=now
            )
        if await memories.insert(connection, workspace, [item | {"ordinal": 1}], vector):
            return item["id"], "created"
    if draft.key is not None:
        changed = _updated(draft, item, twin)
        if any(changed[column] != twin[column] for column in STATED):
            await memories.rewrite(
                connection,
                workspace,
                twin_id,
                changed,
                vector,
                actor=principal.actor,
                reason="saved with its key",
                now=now,
            )
            return twin_id, "updated"
    await memories.reinforce(
        connection, workspace, twin_id, tags=draft.tags, metadata=draft.metadata,
        actor=principal.actor, reason="said again", now=now,
    )  # fmt: skip
    return twin_id, "reinforced"


def _updated(draft: MemoryDraft, item: Item, twin: Any) -> Item:
    """The new columns of an upserted memory: what the draft sets, over what was there; metadata merged one level."""
    given = draft.model_fields_set | {"content", "type"}
    names = {"user": "user_name", "session": "session_id", "task": "task_id", "team": "team_id"}
    kept = {
        column: twin[column]
        for field in MemoryDraft.model_fields
        if field not in given and (column := names.get(field, field)) in item and field != "created_at"
    }
    made = {} if draft.summary else {"summary": summary_of(draft.content)}
    changed = item | kept | made | {"metadata": twin["metadata"] | draft.metadata}
    changed["identity_hash"] = identity_hash(
        draft.type, draft.content, user=changed["user_name"], key=keyed(changed["agent_id"], changed["key"]),
        occurred_at=changed["occurred_at"],
    )  # fmt: skip
    return changed
