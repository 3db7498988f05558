"""Scopes: resolves the agents, teams, tasks and sessions that writers name to ids, creating what is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from service.concurrency.lru import LRUCache
from service.db.pool import Connection
from service.domain.drafts import MemoryDraft
from service.domain.owners import UsersMode
from service.domain.principal import Principal
from service.domain.types import Scope
from service.errors import InvalidInput, Loc
from service.runtime import Runtime
from service.store import agents
from service.store.agents import StoredAgent

CACHED_MAX = 10_000


@dataclass(frozen=True, slots=True)
class ScopeIds:
    """Where a memory belongs, by id."""

    agent_id: UUID
    audience: UUID
    team_id: UUID | None
    task_id: UUID | None
    session_id: UUID | None


async def resolve_scope(
    connection: Connection, principal: Principal, draft: MemoryDraft, *, owner: str, moved: bool
) -> ScopeIds:
    """Return where a memory of the agent ``owner`` belongs after a change. Where it is not ``moved``, an admin may
    change what an agent left behind in a team or task."""
    places = ScopeResolver(connection, principal, membership=moved or principal.role != "admin")
    return await places.resolve(draft.model_copy(update={"agent": owner}), ("body",), user=draft.user)


class ScopeNames(Protocol):
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


def scope_cache(_: Runtime) -> ScopeCache:
    """Make the cache of a process."""
    return ScopeCache()


class ScopeCache:
    """LRU cache of the ids of the last names that something was saved under: without it saves with eight clients cost
    1.16 times as much processor time in the API and 1.26 in Postgres.

    An id stays that of its name as long as it is there, and Postgres refuses a row that belongs to what has been
    deleted (Conflict); whoever then looks it up, learns anew. Not kept is what has to be looked at each time: who is in
    a team. Who may name a task, the statement that saves there looks at.
    """

    def __init__(self) -> None:
        self._ids: LRUCache[tuple[object, ...], ScopeIds] = LRUCache(CACHED_MAX)

    def get(self, principal: Principal, placed: ScopeNames) -> ScopeIds | None:
        """Return where something of these names belongs, if that is known."""
        return self._ids.get(_name(principal, placed))

    def put(self, principal: Principal, placed: ScopeNames, place: ScopeIds) -> None:
        """Keep where it belongs, which has been committed."""
        if place.team_id is None and placed.scope is not Scope.PRIME:
            self._ids.put(_name(principal, placed), place)


def _name(principal: Principal, placed: ScopeNames) -> tuple[object, ...]:
    agent = principal.acting_agent(placed.agent)
    return (principal.workspace_id, agent, placed.scope, placed.team, placed.task, placed.session)


class ScopeResolver:
    """Finds (or makes) what drafts name, each once per transaction. Without ``membership`` an agent need not be in the
    team or task it names."""

    def __init__(self, connection: Connection, principal: Principal, *, membership: bool = True) -> None:
        self._connection = connection
        self._principal = principal
        self._workspace = principal.workspace_id
        self._membership = membership
        self._barred: dict[tuple[str, str], bool] = {}
        self._known: dict[tuple[str, str, UUID | None], UUID] = {}
        self._agents: dict[UUID, StoredAgent] = {}
        self.users_of_agents: dict[str, UsersMode] = {}
        """The agents' own setting ``users``, of those prefetched that have one."""

    async def prefetch(self, drafts: Sequence[MemoryDraft]) -> None:
        """Find or create what these name, in one order for all batches (lock ordering against deadlock)."""
        acting = [self._principal.acting_agent(draft.agent) for draft in drafts]
        users = {
            (agent, draft.session): self._principal.saves_for(draft.user)
            for agent, draft in reversed(list(zip(acting, drafts, strict=True)))
            if draft.session
        }
        tasks = {draft.task for draft in drafts if draft.task}
        teams = {draft.team for draft in drafts if draft.team}
        for row in await self._connection.fetch(
            "find_scopes", workspace=self._workspace, agents=list(set(acting)),
            session_agents=[agent for agent, _ in users], sessions=[session for _, session in users],
            teams=list(teams), tasks=list(tasks),
        ):  # fmt: skip
            self._known[(row["kind"], row["name"], row["agent_id"])] = row["id"]
            if row["users"] is not None:
                self.users_of_agents[row["name"]] = row["users"]
        await self._check_tasks(
            {(agent, draft.task) for agent, draft in zip(acting, drafts, strict=True) if draft.task}
        )
        for agent in sorted(set(acting)):
            await self.agent(agent)
        for agent, session in sorted(users):
            await self.session(await self.agent(agent), session, users[agent, session])
        for task in sorted(tasks):
            await self.task(task)

    async def resolve(self, draft: ScopeNames, loc: Loc, *, user: str | None = None) -> ScopeIds:
        """Return where something of this agent, scope, team, task and session belongs; ``user`` is for a new
        session."""
        agent = self._principal.acting_agent(draft.agent)
        agent_id = await self.agent(agent)
        session_id = await self.session(agent_id, draft.session, user) if draft.session else None
        task_id = await self._task(agent, draft.task, loc) if draft.task else None
        team_id = await self._team(agent, draft.team, loc) if draft.team else None
        audience: UUID | None
        if draft.scope is Scope.PRIME:
            audience = (await self._stored_agent(agent_id, agent)).prime_audience
        else:
            audience = {
                Scope.AGENT: agent_id, Scope.TEAM: team_id, Scope.TASK: task_id, Scope.SESSION: session_id
            }[draft.scope]  # fmt: skip
        assert audience is not None  # a draft names what its scope needs
        return ScopeIds(agent_id, audience, team_id, task_id, session_id)

    async def agent(self, agent: str) -> UUID:
        """Return the id of an agent."""
        return await self._once("agent", agent)

    async def session(self, agent_id: UUID, session: str, user: str | None = None) -> UUID:
        """Return the id of an agent's session."""
        return await self._once("session", session, agent_id, user)

    async def task(self, task: str) -> UUID:
        """Return the id of a task."""
        return await self._once("task", task)

    async def team(self, team: str) -> UUID:
        """Return the id of a team, whoever is in it."""
        return await self._once("team", team)

    async def _task(self, agent: str, task: str, loc: Loc) -> UUID:
        if (agent, task) not in self._barred:
            await self._check_tasks({(agent, task)})
        if self._barred[agent, task]:
            raise InvalidInput((*loc, "task"), f"the agent is not a member of the task {task!r}")
        return await self.task(task)

    async def _check_tasks(self, named: set[tuple[str, str]]) -> None:
        pairs = list(named)
        rows = await self._connection.fetch(
            "barred_from_tasks", workspace=self._workspace, agents=[agent for agent, _ in pairs],
            tasks=[task for _, task in pairs],
        ) if pairs and self._membership else []  # fmt: skip
        self._barred |= dict.fromkeys(pairs, False) | {(row["agent"], row["task"]): True for row in rows}

    async def _team(self, agent: str, team: str, loc: Loc) -> UUID:
        if self._membership:
            agent_id = await self.agent(agent)
            if team not in (await self._stored_agent(agent_id, agent)).teams:
                raise InvalidInput((*loc, "team"), f"the agent is not a member of a team {team!r}")
        return await self.team(team)

    async def _stored_agent(self, agent_id: UUID, agent: str) -> StoredAgent:
        if agent_id not in self._agents:
            self._agents[agent_id] = await agents.existing_agent(self._connection, self._workspace, agent)
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
