"""Saving memories: one or a thousand, embedded first, then written in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from uuid import UUID

from service.concurrency.executor import NOT_KNOWN
from service.concurrency.group_commit import GroupCommit
from service.db.deferred_commit import current_deferred_commit
from service.db.pool import Connection
from service.db.records import make
from service.domain.drafts import MemoryDraft
from service.domain.identity import identity_hash, identity_of, scoped_key, summary_of
from service.domain.ids import new_id
from service.domain.json import JsonObject
from service.domain.json_schema import Checked
from service.domain.memory import Memory, Outcome, SavedMemory, StoredMemory
from service.domain.origin import most_trusted
from service.domain.own_types import BUILT_IN, NO_TYPES, EntityKind, Misfit, OwnType, check_memory, known_as, like
from service.domain.owners import Owners, UsersMode, with_owner
from service.domain.principal import CachedCredential, Principal
from service.domain.spending import paid_by
from service.domain.times import Period
from service.domain.types import POLICIES, MemoryType
from service.errors import Conflict, InvalidInput, Loc, StaleCredential
from service.memory.access.redaction import redact_drafts
from service.memory.access.workspace import get_settings
from service.memory.saving.entity_metadata import redact_links
from service.memory.saving.links import Linked, write_links
from service.memory.saving.scopes import ScopeIds, ScopeResolver, scope_cache
from service.runtime import Runtime
from service.store import memories
from service.store.memories import DerivedText, MemoryInsert
from service.store.vectors import EmbeddingBatch

AS_GIVEN = MemoryDraft.model_fields.keys() - {
    "agent", "type", "team", "task", "session", "user", "origin", "summary", "importance", "tags", "status",
    "created_at", "links", "owners",
}  # fmt: skip
"""Fields of a draft that are columns of the same name and value."""
CONTENT_FIELDS = (
    "content", "type", "user_name", "hearsay_by", "status", "decay_exempt", "occurred_at",
    "occurred_until", "expires_at",
)  # fmt: skip
"""What a memory states: saved under its key with any of it changed, it is updated, not said again."""


async def remember_one(
    runtime: Runtime, principal: Principal, draft: MemoryDraft, key: CachedCredential | None = None
) -> SavedMemory | None:
    """Save one draft, together with others being saved at the same time; None with the caller's memory off.

    Promises and raises what ``remember`` does. With a ``key``, whose principal it is then, StaleCredential and other
    errors mean that nothing was saved for it and it has to be looked up.
    """
    if principal.no_memory or current_deferred_commit() is not None:
        return next(iter(await remember(runtime, principal, [draft])), None)
    principal.require_write()
    owned = draft.session is None or principal.owners_of(draft.owners, draft.user, "separate") is not None
    plain = owned and not draft.links and draft.key is None and draft.created_at is None
    place = runtime.part(scope_cache).get(principal, draft) if plain else None
    saved: SavedMemory | None = None
    if place is not None:
        saved = await runtime.part(_inserts).do(
            (principal, key), (draft, place), partial(_insert_new, runtime, principal, key)
        )
    elif key is not None:
        raise StaleCredential
    return saved or await runtime.part(_saves).do(principal, draft, partial(remember, runtime, principal))


def _saves(_: Runtime) -> GroupCommit[MemoryDraft, SavedMemory]:
    return GroupCommit()


def _inserts(_: Runtime) -> GroupCommit[tuple[MemoryDraft, ScopeIds], SavedMemory | None]:
    return GroupCommit()


async def _insert_new(
    runtime: Runtime, principal: Principal, key: CachedCredential | None, placed: Sequence[tuple[MemoryDraft, ScopeIds]]
) -> list[SavedMemory | None]:
    """Save those that are new where they belong, in one round trip; None for each that is left to ``remember``.

    Raises StaleCredential for a ``key`` that does not hold any more."""
    prepared = await _prepare(runtime, principal, [draft for draft, _ in placed])
    new = [prepared.insert_of(position, place) for position, (_, place) in enumerate(placed)]
    try:
        async with runtime.db.autocommit(principal.workspace_id) as connection:
            inserted = await memories.insert(
                connection, principal.workspace_id, new, prepared.embedded, key, checked=True
            )
    except Conflict:
        if key is not None:
            raise StaleCredential from None
        inserted = set()
    return [
        SavedMemory.after(prepared.record(n, one.memory), "created") if one.memory.id in inserted else None
        for n, one in enumerate(new)
    ]


async def remember(runtime: Runtime, principal: Principal, drafts: Sequence[MemoryDraft]) -> list[SavedMemory]:
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
    prepared = await _prepare(runtime, principal, drafts)
    drafts, embedded = prepared.drafts, prepared.embedded
    saved: dict[int, tuple[UUID, Outcome]] = {}
    async with runtime.db.generic_plan_transaction(principal.workspace_id, viewer=principal.writes_as) as connection:
        scopes = ScopeResolver(connection, principal)
        await scopes.prefetch(drafts)
        found = [await scopes.resolve(draft, _loc(drafts, n), user=draft.user) for n, draft in enumerate(drafts)]
        drafts = prepared.drafts = await _with_owners(connection, principal, prepared, found, scopes.users_of_agents)
        new = await runtime.executor.each(
            lambda one: prepared.insert_of(*one), list(enumerate(found)), lambda one: len(drafts[one[0]].content)
        )
        identities = [_identity(one.memory) for one in new]
        first = sorted({identity: n for n, identity in reversed(list(enumerate(identities)))}.values())
        vectors = EmbeddingBatch(embedded.space, [embedded.vectors[n] for n in first])
        inserted = await memories.insert(connection, principal.workspace_id, [new[n] for n in first], vectors)
        # Lock ordering against deadlock: batches that meet the same memories lock them in one order.
        for n in sorted(range(len(new)), key=lambda n: (identities[n], n)):
            if new[n].memory.id in inserted:
                saved[n] = (new[n].memory.id, "created")
            else:
                vector = EmbeddingBatch(embedded.space, [embedded.vectors[n]])
                saved[n] = await merge_into_duplicate(connection, principal, drafts[n], new[n], vector, prepared.now)
        linked = [
            Linked(
                saved[n][0],
                found[n].audience,
                new[n].memory.owners,
                principal.acting_agent(draft.agent),
                draft.links,
                _loc(drafts, n),
            )
            for n, draft in enumerate(drafts)
            if draft.links
        ]
        await write_links(
            connection, principal, linked, executor=runtime.executor, kinds=prepared.kinds, now=prepared.now
        )
        changed = {memory_id for memory_id, outcome in saved.values() if outcome != "created"}
        read = changed | {saved[n][0] for n, draft in enumerate(drafts) if draft.created_at is not None}
        rows = await memories.get(connection, principal.workspace_id, list(read), None) if read else []
    for draft, place in zip(drafts, found, strict=True):
        runtime.part(scope_cache).put(principal, draft, place)
    records = {row.id: row for row in rows}
    for n, one in enumerate(new):
        if one.memory.id == saved[n][0] and one.memory.id not in records:
            records[one.memory.id] = prepared.record(n, one.memory)
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
    texts: Sequence[DerivedText]
    now: datetime
    types: Mapping[str, OwnType]
    kinds: Mapping[str, EntityKind]

    def insert_of(self, position: int, place: ScopeIds) -> MemoryInsert:
        return insert_of(
            self.drafts[position], place, self.principal.actor, self.now, self.texts[position], self.types,
            key_id=self.principal.key_id,
        )  # fmt: skip

    def record(self, position: int, stored: StoredMemory) -> Memory:
        """Return the memory just inserted."""
        draft, ready = self.drafts[position], self.embedded.vectors[position] is not None
        return _new_record(draft, stored, self.principal.acting_agent(draft.agent), ready=ready)


async def _prepare(runtime: Runtime, principal: Principal, drafts: Sequence[MemoryDraft]) -> _Prepared:
    locs, now = [_loc(drafts, n) for n in range(len(drafts))], runtime.now()
    for draft, loc in zip(drafts, locs, strict=True):
        check_expiry(draft.expires_at, draft.created_at or now, loc)
    drafts = await redact_drafts(runtime, principal, drafts, locs)
    drafts = await redact_links(runtime, principal, drafts, locs)
    settings = await get_settings(runtime, principal)
    given = [draft.owners for draft in drafts]
    drafts = await runtime.executor.each(
        lambda draft: _owned(principal, draft, draft.owners, settings.users), drafts, lambda draft: len(draft.content)
    )
    drafts = [_of_our_type(draft, settings.memory_types) for draft in drafts]
    await check_types(runtime, settings.memory_types, drafts, locs)
    contents = [draft.content for draft in drafts]
    agents_named = {draft.agent for draft in drafts}
    # Said here, as saves that come together are carried out outside of the requests that asked for them.
    with paid_by(principal.payer(agents_named.pop() if len(agents_named) == 1 else None)):
        texts = await runtime.executor.each(DerivedText.of, contents, len)
        embedded = await runtime.embed(contents)
    return _Prepared(principal, drafts, given, embedded, texts, now, settings.memory_types, settings.entity_kinds)


def _of_our_type(draft: MemoryDraft, types: Mapping[str, OwnType]) -> MemoryDraft:
    name = known_as(types, draft.type, draft.content)
    return draft if name == draft.type else draft.model_copy(update={"type": name})


def check_expiry(expires_at: datetime | None, now: datetime, loc: Loc) -> None:
    """Raise InvalidInput for a time of expiry that is over: nobody would ever see what is saved. What is backfilled
    may have expired since it was made."""
    if expires_at is not None and expires_at <= now:
        raise InvalidInput((*loc, "expires_at"), "is in the past")


async def check_types(
    runtime: Runtime, types: Mapping[str, OwnType], drafts: Sequence[MemoryDraft], locs: Sequence[Loc]
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
    await runtime.executor.each(check, checked, lambda one: NOT_KNOWN if one[0].metadata else 0)


def _loc(drafts: Sequence[MemoryDraft], position: int) -> Loc:
    return ("body",) if len(drafts) == 1 else ("body", "items", position)


def _identity(memory: StoredMemory) -> tuple[object, ...]:
    if memory.key is not None:
        return ("key", memory.agent_id, memory.audience, memory.key)
    return ("content", memory.audience, memory.type, memory.identity_hash)


def insert_of(
    draft: MemoryDraft,
    place: ScopeIds,
    actor: str,
    now: datetime,
    text: DerivedText | None = None,
    types: Mapping[str, OwnType] = NO_TYPES,
    *,
    key_id: UUID | None = None,
    dream_analysis: JsonObject | None = None,
) -> MemoryInsert:
    """Return the memory of a draft, to insert.

    ``text`` is what is derived of the content, where that has been done already; ``types`` are the workspace's own.
    With a ``dream_analysis``, dreams have nothing to read in it.
    """
    text = text or DerivedText.of(draft.content)
    created_at = draft.created_at or now
    owners = draft.owners if draft.owners is not None else with_owner([], draft.user)
    own = draft.type not in BUILT_IN
    base = like(types, draft.type)
    status = draft.status or ("open" if draft.type == MemoryType.TODO else None)
    identity = identity_hash(
        base, draft.content, user=draft.user, key=scoped_key(place.agent_id, draft.key),
        occurred_at=draft.occurred_at, hearsay_by=draft.hearsay_by, owners=owners,
    )  # fmt: skip
    memory = StoredMemory(
        id=new_id(),
        agent_id=place.agent_id,
        audience=place.audience,
        type=str(draft.type),
        like_type=base.value if own else None,
        team_id=place.team_id,
        task_id=place.task_id,
        session_id=place.session_id,
        user_name=draft.user,
        owners=owners,
        origin=draft.origin or "api",
        summary=draft.summary or text.summary,
        identity_hash=bytes.fromhex(identity),
        tokens=text.tokens,
        importance=POLICIES[base].importance if draft.importance is None else draft.importance,
        tags=list(dict.fromkeys(draft.tags)),
        status=status,
        valid_from=created_at,
        created_at=created_at,
        updated_at=created_at,
        changed_by=actor,
        change_reason="saved",
        dream_analysis=dream_analysis,
        key_id=key_id,
        **{name: getattr(draft, name) for name in AS_GIVEN},
    )
    return MemoryInsert(memory, text)


def _new_record(draft: MemoryDraft, stored: StoredMemory, agent: str, *, ready: bool) -> Memory:
    """Return the memory just inserted, as ``memory_records`` has it, without reading it."""
    known = {
        "agent": agent, "team": draft.team, "task": draft.task, "session": draft.session, "user": draft.user,
        "effective_importance": stored.importance, "embedding": "ready" if ready else "pending",
        "access_count": 0, "last_accessed_at": None,
        "occurred_precision": Period(draft.occurred_at, draft.occurred_until).precision if draft.occurred_at else None,
    }  # fmt: skip
    return make(Memory, stored.columns() | known)


async def merge_into_duplicate(
    connection: Connection,
    principal: Principal,
    draft: MemoryDraft,
    new: MemoryInsert,
    vector: EmbeddingBatch,
    now: datetime,
) -> tuple[UUID, Outcome]:
    """Settle a save that collided with a live memory: update that memory where the draft has a key, else reinforce it.
    Return its id and the outcome.

    One that has expired, and only waits to be collected, makes room.
    """
    workspace = principal.workspace_id
    while True:
        duplicate_id = await memories.find_duplicate(connection, workspace, new.memory)
        duplicate = await memories.lock(connection, workspace, duplicate_id) if duplicate_id is not None else None
        if duplicate_id is not None and duplicate is not None:
            if duplicate.expires_at is None or duplicate.expires_at > now:
                break
            await memories.mark_deleted(
                connection, workspace, duplicate_id, now, actor=principal.actor, reason="expired", now=now
            )
        if await memories.insert(connection, workspace, [new], vector):
            return new.memory.id, "created"
    if draft.key is not None:
        changed = _updated(draft, new.memory, duplicate)
        if any(getattr(changed, name) != getattr(duplicate, name) for name in CONTENT_FIELDS):
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
        origin=most_trusted((new.memory.origin, duplicate.origin)),
        actor=principal.actor, reason="said again", now=now,
    )  # fmt: skip
    return duplicate_id, "reinforced"


def _updated(draft: MemoryDraft, new: StoredMemory, duplicate: StoredMemory) -> StoredMemory:
    """Return an upserted memory: what the draft sets, over what was there; metadata merged one level."""
    given = draft.model_fields_set | {"content", "type"}
    names = {"user": "user_name", "session": "session_id", "task": "task_id", "team": "team_id"}
    kept = {
        column: getattr(duplicate, column)
        for field in MemoryDraft.model_fields
        if field not in given and (column := names.get(field, field)) in StoredMemory.__slots__
    }
    kept |= {"created_at": new.created_at, "metadata": duplicate.metadata | draft.metadata}
    if draft.content != duplicate.content:
        kept["origin"] = new.origin
    if not draft.summary:
        kept["summary"] = summary_of(draft.content)
    changed = replace(new, **kept)
    return replace(changed, identity_hash=identity_of(changed))
