"""Saving memories: one or a thousand, embedded first, then written in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from service.concurrency.executor import NOT_KNOWN
from service.concurrency.group_commit import GroupCommit
from service.db.deferred_commit import current_deferred_commit
from service.db.pool import Columns, Connection, Row
from service.db.records import make
from service.domain.drafts import MemoryDraft
from service.domain.identity import identity_hash, scoped_key, summary_of
from service.domain.ids import new_id
from service.domain.json_schema import Checked
from service.domain.memory import Memory, Outcome, SavedMemory
from service.domain.memory_words import content_words
from service.domain.origin import most_trusted
from service.domain.own_types import BUILT_IN, NO_TYPES, EntityKind, Misfit, OwnType, check_memory, like
from service.domain.owners import Owners, UsersMode, with_owner
from service.domain.principal import CachedCredential, Principal
from service.domain.spending import paid_by
from service.domain.text_features import extract_features
from service.domain.types import POLICIES, MemoryType
from service.embedding.tokens import count_tokens
from service.errors import Conflict, InvalidInput, Loc, StaleCredential
from service.memory.access.redaction import redact_drafts
from service.memory.access.workspace import get_settings
from service.memory.engine import Engine
from service.memory.saving.entity_metadata import redact_links
from service.memory.saving.links import Linked, write_links
from service.memory.saving.scopes import ScopeIds, ScopeResolver, scope_cache
from service.store import memories
from service.store.vectors import EmbeddingBatch

AS_GIVEN = MemoryDraft.model_fields.keys() - {
    "agent", "type", "scope", "team", "task", "session", "user", "origin", "summary", "importance", "tags", "status",
    "created_at", "links", "owners",
}  # fmt: skip
"""Fields of a draft that are columns of the same name and value."""
CONTENT_FIELDS = ("content", "type", "user_name", "hearsay_by", "status", "decay_exempt", "occurred_at", "expires_at")
"""What a memory states: saved under its key with any of it changed, it is updated, not said again."""


async def remember_one(
    engine: Engine, principal: Principal, draft: MemoryDraft, key: CachedCredential | None = None
) -> SavedMemory | None:
    """Save one draft, together with others being saved at the same time; None with the caller's memory off.

    Promises and raises what ``remember`` does. With a ``key``, whose principal it is then, StaleCredential and other
    errors mean that nothing was saved for it and it has to be looked up.
    """
    if principal.no_memory or current_deferred_commit() is not None:
        return next(iter(await remember(engine, principal, [draft])), None)
    principal.require_write()
    owned = draft.session is None or principal.owners_of(draft.owners, draft.user, "separate") is not None
    plain = owned and not draft.links and draft.key is None and draft.created_at is None
    place = engine.part(scope_cache).get(principal, draft) if plain else None
    saved: SavedMemory | None = None
    if place is not None:
        saved = await engine.part(_inserts).do(
            (principal, key), (draft, place), partial(_insert_new, engine, principal, key)
        )
    elif key is not None:
        raise StaleCredential
    return saved or await engine.part(_saves).do(principal, draft, partial(remember, engine, principal))


def _saves(_: Engine) -> GroupCommit[MemoryDraft, SavedMemory]:
    return GroupCommit()


def _inserts(_: Engine) -> GroupCommit[tuple[MemoryDraft, ScopeIds], SavedMemory | None]:
    return GroupCommit()


async def _insert_new(
    engine: Engine, principal: Principal, key: CachedCredential | None, placed: Sequence[tuple[MemoryDraft, ScopeIds]]
) -> list[SavedMemory | None]:
    """Save those that are new where they belong, in one round trip; None for each that is left to ``remember``.

    Raises StaleCredential for a ``key`` that does not hold any more."""
    prepared = await _prepare(engine, principal, [draft for draft, _ in placed])
    items = [prepared.columns(position, place) for position, (_, place) in enumerate(placed)]
    try:
        async with engine.db.autocommit(principal.workspace_id) as connection:
            inserted = await memories.insert(
                connection, principal.workspace_id, items, prepared.embedded, key, checked=True
            )
    except Conflict:
        if key is not None:
            raise StaleCredential from None
        inserted = set()
    return [SavedMemory.after(prepared.record(item), "created") if item["id"] in inserted else None for item in items]


async def remember(engine: Engine, principal: Principal, drafts: Sequence[MemoryDraft]) -> list[SavedMemory]:
    """Save all drafts or none, in order.

    A draft that repeats a live memory reinforces it; one whose key exists updates it, the old content going
    to the history. Embeddings are computed before the transaction; where that fails they stay pending.

    With the caller's memory off nothing is saved, and the answer is empty.

    Raises Forbidden for a reader key, InvalidInput naming the draft's field, NotFound for a link's target.
    """
    principal.require_write()
    if principal.no_memory:
        return []
    for position, draft in enumerate(drafts):
        if draft.created_at is not None and principal.role != "admin":
            raise InvalidInput((*_loc(drafts, position), "created_at"), "only an admin key may set created_at")
    prepared = await _prepare(engine, principal, drafts)
    drafts, embedded = prepared.drafts, prepared.embedded
    saved: dict[int, tuple[UUID, Outcome]] = {}
    async with engine.db.generic_plan_transaction(principal.workspace_id, viewer=principal.writes_as) as connection:
        scopes = ScopeResolver(connection, principal)
        await scopes.prefetch(drafts)
        found = [await scopes.resolve(draft, _loc(drafts, n), user=draft.user) for n, draft in enumerate(drafts)]
        drafts = prepared.drafts = await _with_owners(connection, principal, prepared, found, scopes.users_of_agents)
        items = await engine.executor.each(
            lambda one: prepared.columns(*one), list(enumerate(found)), lambda one: len(drafts[one[0]].content)
        )
        unique_items = list({_identity(item): item for item in reversed(items)}.values())
        inserted = await memories.insert(connection, principal.workspace_id, unique_items, embedded)
        # Lock ordering against deadlock: batches that meet the same memories lock them in one order.
        for item in sorted(items, key=lambda item: (_identity(item), item["ordinal"])):
            position = item["ordinal"] - 1
            if item["id"] in inserted:
                saved[position] = (item["id"], "created")
            else:
                vector = EmbeddingBatch(embedded.space, [embedded.vectors[position]])
                saved[position] = await merge_into_duplicate(
                    connection, principal, drafts[position], item, vector, prepared.now
                )
        linked = [
            Linked(
                saved[n][0],
                found[n].audience,
                items[n]["owners"],
                principal.acting_agent(draft.agent),
                draft.links,
                _loc(drafts, n),
            )
            for n, draft in enumerate(drafts)
            if draft.links
        ]
        await write_links(
            connection, principal, linked, executor=engine.executor, kinds=prepared.kinds, now=prepared.now
        )
        changed = {memory_id for memory_id, outcome in saved.values() if outcome != "created"}
        read = changed | {saved[n][0] for n, draft in enumerate(drafts) if draft.created_at is not None}
        rows = await memories.get(connection, principal.workspace_id, list(read), None) if read else []
    for draft, place in zip(drafts, found, strict=True):
        engine.part(scope_cache).put(principal, draft, place)
    records = {row.id: row for row in rows}
    for item in items:
        if item["id"] == saved[item["ordinal"] - 1][0] and item["id"] not in records:
            records[item["id"]] = prepared.record(item)
    return [SavedMemory.after(records[saved[n][0]], saved[n][1]) for n in range(len(drafts))]


async def _with_owners(
    connection: Connection,
    principal: Principal,
    prepared: _Prepared,
    places: Sequence[ScopeIds],
    users_of_agents: Mapping[str, UsersMode],
) -> list[MemoryDraft]:
    """Return the drafts, those of agents with a setting ``users`` of their own with the owners by that, and those of a
    session of whose owners nothing is said with its members."""
    drafts = [
        draft if mode is None else _owned(principal, draft, given, mode)
        for draft, given in zip(prepared.drafts, prepared.owners_given, strict=True)
        for mode in [users_of_agents.get(principal.acting_agent(draft.agent))]
    ]
    sessions = [place.session_id if draft.owners is None else None for draft, place in zip(drafts, places, strict=True)]
    named = [session for session in sessions if session is not None]
    rows = await connection.fetch("session_members", workspace=principal.workspace_id, ids=named) if named else []
    members = {row["id"]: row["members"] for row in rows}
    return [
        draft if session is None else draft.model_copy(update={"owners": members[session]})
        for draft, session in zip(drafts, sessions, strict=True)
    ]


def _owned(principal: Principal, draft: MemoryDraft, given: Owners | None, mode: UsersMode) -> MemoryDraft:
    """Return a draft with the owners ``given``, else those that this setting ``users`` gives it; None where its session
    tells."""
    return draft.model_copy(update={"owners": principal.owners_of(given, draft.user, mode)})


@dataclass(slots=True)
class _Prepared:
    """Drafts without what may not be kept, and what is known of each before the database is asked."""

    principal: Principal
    drafts: Sequence[MemoryDraft]
    owners_given: Sequence[Owners | None]
    embedded: EmbeddingBatch
    derived: Sequence[Columns]
    now: datetime
    types: Mapping[str, OwnType]
    kinds: Mapping[str, EntityKind]

    def columns(self, position: int, place: ScopeIds) -> Columns:
        draft = self.drafts[position]
        return columns_of(
            draft,
            place,
            position + 1,
            self.principal.actor,
            self.now,
            self.derived[position],
            self.types,
            key_id=self.principal.key_id,
        )

    def record(self, item: Columns) -> Memory:
        """Return the memory just inserted."""
        position = item["ordinal"] - 1
        draft, ready = self.drafts[position], self.embedded.vectors[position] is not None
        return _new_record(draft, item, self.principal.acting_agent(draft.agent), ready=ready)


async def _prepare(engine: Engine, principal: Principal, drafts: Sequence[MemoryDraft]) -> _Prepared:
    locs, now = [_loc(drafts, n) for n in range(len(drafts))], engine.now()
    for draft, loc in zip(drafts, locs, strict=True):
        check_expiry(draft.expires_at, draft.created_at or now, loc)
    drafts = await redact_drafts(engine, principal, drafts, locs)
    drafts = await redact_links(engine, principal, drafts, locs)
    settings = await get_settings(engine, principal)
    given = [draft.owners for draft in drafts]
    drafts = await engine.executor.each(
        lambda draft: _owned(principal, draft, draft.owners, settings.users), drafts, lambda draft: len(draft.content)
    )
    await check_types(engine, settings.memory_types, drafts, locs)
    contents = [draft.content for draft in drafts]
    agents_named = {draft.agent for draft in drafts}
    # Said here, as saves that come together are carried out outside of the requests that asked for them.
    with paid_by(principal.payer(agents_named.pop() if len(agents_named) == 1 else None)):
        read = await engine.executor.each(derive_text_columns, contents, len)
        embedded = await engine.embed(contents)
    return _Prepared(principal, drafts, given, embedded, read, now, settings.memory_types, settings.entity_kinds)


def check_expiry(expires_at: datetime | None, now: datetime, loc: Loc) -> None:
    """Raise InvalidInput for a time of expiry that is over: nobody would ever see what is saved. What is backfilled
    may have expired since it was made."""
    if expires_at is not None and expires_at <= now:
        raise InvalidInput((*loc, "expires_at"), "is in the past")


async def check_types(
    engine: Engine, types: Mapping[str, OwnType], drafts: Sequence[MemoryDraft], locs: Sequence[Loc]
) -> None:
    """Raise InvalidInput for a type that the workspace does not have, or metadata that does not fit its schema."""

    so_far = Checked()

    def check(one: tuple[MemoryDraft, Loc]) -> None:
        draft, loc = one
        try:
            check_memory(types, draft.type, draft.metadata, so_far)
        except Misfit as error:
            raise InvalidInput((*loc, *error.loc), str(error)) from None

    checked = [one for one in zip(drafts, locs, strict=True) if one[0].type not in BUILT_IN]
    await engine.executor.each(check, checked, lambda one: NOT_KNOWN if one[0].metadata else 0)


def _loc(drafts: Sequence[MemoryDraft], position: int) -> Loc:
    return ("body",) if len(drafts) == 1 else ("body", "items", position)


def _identity(item: Columns) -> tuple[object, ...]:
    if item["key"] is not None:
        return ("key", item["agent_id"], item["audience"], item["key"])
    return ("content", item["audience"], item["type"], item["identity_hash"])


def derive_text_columns(content: str) -> Columns:
    """Return the columns that follow from the content alone."""
    return {
        "summary": summary_of(content),
        "tokens": count_tokens(content),
        **content_words(content),
        **extract_features(content).columns(),
    }


def columns_of(
    draft: MemoryDraft,
    place: ScopeIds,
    ordinal: int,
    actor: str,
    now: datetime,
    read: Columns | None = None,
    types: Mapping[str, OwnType] = NO_TYPES,
    *,
    key_id: UUID | None = None,
) -> Columns:
    """Return the columns of ``memories`` for a draft; ``ordinal`` is its place in the batch, from 1.

    ``read`` are the columns of ``derive_text_columns``, where those have been made already; ``types`` are the
    workspace's own.
    """
    owners = draft.owners if draft.owners is not None else with_owner([], draft.user)
    own = draft.type not in BUILT_IN
    base = like(types, draft.type)
    status = draft.status or ("open" if draft.type == MemoryType.TODO else None)
    return (read or derive_text_columns(draft.content)) | {
        "ordinal": ordinal,
        "id": new_id(),
        "agent_id": place.agent_id,
        "audience": place.audience,
        "type": str(draft.type),
        "like_type": base.value if own else None,
        "scope": draft.scope.value,
        "team_id": place.team_id,
        "task_id": place.task_id,
        "session_id": place.session_id,
        "user_name": draft.user,
        "owners": owners,
        **{name: getattr(draft, name) for name in AS_GIVEN},
        "origin": draft.origin or "api",
        **({"summary": draft.summary} if draft.summary else {}),
        "identity_hash": identity_hash(
            base,
            draft.content,
            user=draft.user,
            key=scoped_key(place.agent_id, draft.key),
            occurred_at=draft.occurred_at,
            hearsay_by=draft.hearsay_by,
            owners=owners,
        ),
        "importance": POLICIES[base].importance if draft.importance is None else draft.importance,
        "tags": list(dict.fromkeys(draft.tags)),
        "status": status,
        "valid_from": None,
        "valid_until": None,
        "created_at": draft.created_at or now,
        "dream_id": None,
        "changed_by": actor,
        "change_reason": "saved",
        "key_id": key_id,
    }


def _new_record(draft: MemoryDraft, item: Columns, agent: str, *, ready: bool) -> Memory:
    """Return the memory of the columns just inserted, as ``memory_records`` has it, without reading it."""
    known = {
        "agent": agent, "team": draft.team, "task": draft.task, "session": draft.session, "user": draft.user,
        "scope": draft.scope, "effective_importance": item["importance"], "embedding": "ready" if ready else "pending",
        "access_count": 0, "last_accessed_at": None, "valid_from": item["created_at"], "superseded_by": None,
        "updated_at": item["created_at"], "deleted_at": None, "version": 1,
    }  # fmt: skip
    return make(Memory, item | known)


async def merge_into_duplicate(
    connection: Connection,
    principal: Principal,
    draft: MemoryDraft,
    item: Columns,
    vector: EmbeddingBatch,
    now: datetime,
) -> tuple[UUID, Outcome]:
    """Settle a save that collided with a live memory: update that memory where the draft has a key, else reinforce it.
    Return its id and the outcome.

    One that has expired, and only waits to be collected, makes room.
    """
    workspace = principal.workspace_id
    while True:
        duplicate_id = await memories.find_duplicate(connection, workspace, item)
        duplicate = await memories.lock(connection, workspace, duplicate_id) if duplicate_id is not None else None
        if duplicate_id is not None and duplicate is not None:
            if duplicate["expires_at"] is None or duplicate["expires_at"] > now:
                break
            await memories.mark_deleted(
                connection, workspace, duplicate_id, now, actor=principal.actor, reason="expired", now=now
            )
        if await memories.insert(connection, workspace, [item | {"ordinal": 1}], vector):
            return item["id"], "created"
    if draft.key is not None:
        changed = _updated(draft, item, duplicate)
        if any(changed[column] != duplicate[column] for column in CONTENT_FIELDS):
            await memories.rewrite(
                connection,
                workspace,
                duplicate_id,
                changed,
                vector,
                actor=principal.actor,
                reason="saved with its key",
                now=now,
            )
            return duplicate_id, "updated"
    await memories.reinforce(
        connection, workspace, duplicate_id, tags=draft.tags, metadata=draft.metadata,
        origin=most_trusted((item["origin"], duplicate["origin"])),
        actor=principal.actor, reason="said again", now=now,
    )  # fmt: skip
    return duplicate_id, "reinforced"


def _updated(draft: MemoryDraft, item: Columns, duplicate: Row) -> Columns:
    """Return the new columns of an upserted memory: what the draft sets, over what was there; metadata merged one
    level."""
    given = draft.model_fields_set | {"content", "type"}
    names = {"user": "user_name", "session": "session_id", "task": "task_id", "team": "team_id"}
    kept = {
        column: duplicate[column]
        for field in MemoryDraft.model_fields
        if field not in given and (column := names.get(field, field)) in item and field != "created_at"
    }
    if draft.content != duplicate["content"]:
        kept.pop("origin", None)
    made = {} if draft.summary else {"summary": summary_of(draft.content)}
    changed = item | kept | made | {"metadata": duplicate["metadata"] | draft.metadata}
    changed["identity_hash"] = identity_hash(
        MemoryType(item["like_type"] or draft.type), draft.content, user=changed["user_name"],
        key=scoped_key(changed["agent_id"], changed["key"]), occurred_at=changed["occurred_at"],
        hearsay_by=changed["hearsay_by"], owners=changed["owners"],
    )  # fmt: skip
    return changed
