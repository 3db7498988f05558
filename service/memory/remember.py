"""Saving memories: one or a thousand, embedded first, then written in one transaction (rows W1 to W8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import UUID

from service.db.pool import Connection
from service.domain.drafts import MemoryDraft
from service.domain.identity import identity_hash, summary_of
from service.domain.ids import new_id
from service.domain.lexical import shape_of
from service.domain.principal import Principal
from service.domain.types import MemoryType, Scope
from service.embedding.tokens import count_tokens
from service.errors import InvalidInput
from service.memory.engine import Engine
from service.memory.links import write_links
from service.memory.redaction import cleared_drafts
from service.store import agents, memories

Outcome = Literal["created", "reinforced", "updated"]
Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Saved:
    """One memory after a save, and what the save did to it."""

    memory: memories.Record
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Place:
    """Where a memory belongs, by id."""

    agent_id: UUID
    audience: UUID
    team_id: UUID | None
    task_id: UUID | None
    session_id: UUID | None


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
    drafts = await cleared_drafts(engine, principal, drafts, [_loc(drafts, n) for n in range(len(drafts))])
    now = engine.now()
    embedded = await engine.embed([draft.content for draft in drafts])
    saved: dict[int, tuple[UUID, Outcome]] = {}
    async with engine.db.transaction(principal.workspace_id) as connection:
        places = Places(connection, principal)
        items: list[Item] = []
        first: dict[tuple[Any, ...], int] = {}
        repeats: dict[int, int] = {}
        for position, draft in enumerate(drafts):
            place = await places.find(draft, _loc(drafts, position), user=draft.user)
            item = columns_of(draft, place, position + 1, principal.actor, now)
            identity = _identity(item)
            if identity in first:
                repeats[position] = first[identity]
            else:
                first[identity] = position
                items.append(item)
        inserted = await memories.insert(connection, principal.workspace_id, items, embedded)
        for item in items:
            position = item["ordinal"] - 1
            if item["id"] in inserted:
                saved[position] = (item["id"], "created")
            else:
                vector = memories.Embedded(embedded.model, [embedded.vectors[position]])
                saved[position] = await _meet_twin(connection, principal, drafts[position], item, vector, now)
        for position, original in repeats.items():
            draft = drafts[position]
            memory_id = saved[original][0]
            await memories.reinforce(
                connection, principal.workspace_id, memory_id, tags=draft.tags, metadata=draft.metadata,
                actor=principal.actor, reason="said again", now=now,
            )  # fmt: skip
            saved[position] = (memory_id, "reinforced")
        for position, draft in enumerate(drafts):
            if draft.links:
                place = await places.find(draft, _loc(drafts, position), user=draft.user)
                reader = await agents.reader(connection, principal.workspace_id, principal.acting(draft.agent))
                await write_links(
                    connection,
                    principal,
                    reader,
                    saved[position][0],
                    place.audience,
                    draft.links,
                    _loc(drafts, position),
                )
        rows = await memories.get(connection, principal.workspace_id, [id_ for id_, _ in saved.values()], None)
    records = {row["id"]: memories.record(row) for row in rows}
    return [Saved(records[saved[n][0]], saved[n][1]) for n in range(len(drafts))]


def _loc(drafts: Sequence[MemoryDraft], position: int) -> tuple[str | int, ...]:
    return ("body",) if len(drafts) == 1 else ("body", "items", position)


def _identity(item: Item) -> tuple[Any, ...]:
    if item["key"] is not None:
        return ("key", item["agent_id"], item["audience"], item["key"])
    return ("content", item["audience"], item["type"], item["identity_hash"])


async def place_of(connection: Connection, principal: Principal, draft: MemoryDraft, *, owner: str) -> Place:
    """Where a memory of the agent ``owner`` belongs after a change."""
    return await Places(connection, principal).find(
        draft.model_copy(update={"agent": owner}), ("body",), user=draft.user
    )


class Placed(Protocol):
    """What says where something belongs."""

    @property
    def agent(self) -> str | None: ...
    @property
    def scope(self) -> Scope: ...
    @property
    def team(self) -> str | None: ...
    @property
    def task(self) -> str | None: ...
    @property
    def session(self) -> str | None: ...


class Places:
    """Finds (or makes) the agents, teams, tasks and sessions that drafts name, each once per transaction."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        self._connection = connection
        self._principal = principal
        self._workspace = principal.workspace_id
        self._known: dict[tuple[Any, ...], UUID] = {}
        self._agents: dict[UUID, Any] = {}

    async def find(self, draft: Placed, loc: tuple[str | int, ...], *, user: str | None = None) -> Place:
        """Where something of this agent, scope, team, task and session belongs; ``user`` is for a new session."""
        agent = self._principal.acting(draft.agent)
        agent_id = await self.agent(agent)
        session_id = await self.session(agent_id, draft.session, user) if draft.session else None
        task_id = await self.task(draft.task) if draft.task else None
        team_id = await self._team(agent, draft.team, loc) if draft.team else None
        if draft.scope is Scope.PRIME:
            audience = (await self._agent_row(agent_id, agent))["prime_audience"]
        else:
            audience = {
                Scope.AGENT: agent_id, Scope.TEAM: team_id, Scope.TASK: task_id, Scope.SESSION: session_id
            }[draft.scope]  # fmt: skip
        return Place(agent_id, audience, team_id, task_id, session_id)

    async def agent(self, agent: str) -> UUID:
        """The id of an agent."""
        return await self._once("agent", agent)

    async def session(self, agent_id: UUID, session: str, user: str | None = None) -> UUID:
        """The id of an agent's session."""
        return await self._once("session", session, agent_id, user)

    async def task(self, task: str) -> UUID:
        """The id of a task."""
        return await self._once("task", task)

    async def team(self, team: str) -> UUID:
        """The id of a team, whoever is in it."""
        return await self._once("team", team)

    async def _team(self, agent: str, team: str, loc: tuple[str | int, ...]) -> UUID:
        if self._principal.role != "admin":
            agent_id = await self.agent(agent)
            if team not in (await self._agent_row(agent_id, agent))["teams"]:
                raise InvalidInput((*loc, "team"), f"the agent is not a member of a team {team!r}")
        return await self.team(team)

    async def _agent_row(self, agent_id: UUID, agent: str) -> Any:
        if agent_id not in self._agents:
            self._agents[agent_id] = await agents.get_agent(self._connection, self._workspace, agent)
        return self._agents[agent_id]

    async def _once(self, kind: str, name: str, owner: UUID | None = None, user: str | None = None) -> UUID:
        known = self._known.get((kind, name, owner))
        if known is None:
            if kind == "agent":
                known = await agents.ensure_agent(self._connection, self._workspace, name)
            elif kind == "session":
                assert owner is not None
                known = await agents.ensure_session(self._connection, self._workspace, owner, name, user)
            else:
                known = await agents.ensure_group(self._connection, kind, self._workspace, name)
            self._known[(kind, name, owner)] = known
        return known


def columns_of(draft: MemoryDraft, place: Place, ordinal: int, actor: str, now: datetime) -> Item:
    """The columns of ``memories`` for a draft; ``ordinal`` is its place in the batch, from 1."""
    status = draft.status or ("open" if draft.type is MemoryType.TODO else None)
    return {
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
        "summary": draft.summary or summary_of(draft.content),
        "identity_hash": identity_hash(
            draft.type, draft.content, user=draft.user, key=draft.key, occurred_at=draft.occurred_at
        ),
        "tokens": count_tokens(draft.content),
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
    } | asdict(shape_of(draft.content))


async def _meet_twin(
    connection: Connection,
    principal: Principal,
    draft: MemoryDraft,
    item: Item,
    vector: memories.Embedded,
    now: datetime,
) -> tuple[UUID, Outcome]:
    """The save collided with a live memory: update it when its key was given, else reinforce it."""
    workspace = principal.workspace_id
    while True:
        twin_id = await memories.find_twin(connection, workspace, item)
        if twin_id is not None:
            break
        if await memories.insert(connection, workspace, [item | {"ordinal": 1}], vector):
            return item["id"], "created"
    if draft.key is not None:
        twin = await memories.lock(connection, workspace, twin_id)
        assert twin is not None
        if twin["content"] != item["content"] or twin["type"] != item["type"]:
            changed = _updated(draft, item, twin)
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
    return item | kept | made | {"metadata": twin["metadata"] | draft.metadata}
