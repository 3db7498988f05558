"""Where things belong: the agents, teams, tasks and sessions that their writers name, found or made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from service.db.pool import Connection
from service.domain.drafts import MemoryDraft
from service.domain.lately import Lately
from service.domain.principal import Principal
from service.domain.types import Scope
from service.errors import InvalidInput
from service.store import agents

KNOWN_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where a memory belongs, by id."""

    agent_id: UUID
    audience: UUID
    team_id: UUID | None
    task_id: UUID | None
    session_id: UUID | None


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


class KnownPlaces:
    """The places of the last names that something was saved under, so that they need not be looked up again.

    An id stays that of its name as long as it is there, and Postgres refuses a row that belongs to what has been
    deleted (Conflict); whoever then looks it up, learns anew. Not kept is what has to be looked at each time: who is in
    a team.
    """

    def __init__(self) -> None:
        self._known: Lately[tuple[Any, ...], Place] = Lately(KNOWN_MAX)

    def of(self, principal: Principal, placed: Placed) -> Place | None:
        """Where something of these names belongs, if that is known."""
        return self._known.get(_name(principal, placed))

    def learn(self, principal: Principal, placed: Placed, place: Place) -> None:
        """Keep where it belongs, which has been committed."""
        if place.team_id is None and placed.scope is not Scope.PRIME:
            self._known.keep(_name(principal, placed), place)


def _name(principal: Principal, placed: Placed) -> tuple[Any, ...]:
    agent = principal.acting(placed.agent)
    return (principal.workspace_id, agent, placed.scope, placed.team, placed.task, placed.session)


class Places:
    """Finds (or makes) what drafts name, each once per transaction."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        self._connection = connection
        self._principal = principal
        self._workspace = principal.workspace_id
        self._known: dict[tuple[Any, ...], UUID] = {}
        self._agents: dict[UUID, Any] = {}

    async def settle(self, drafts: Sequence[MemoryDraft]) -> None:
        """Find or make what these name: always in the same order, so that two batches that name the same new ones wait
        and never block each other."""
        acting = [self._principal.acting(draft.agent) for draft in drafts]
        users = {
            (agent, draft.session): draft.user
            for agent, draft in reversed(list(zip(acting, drafts, strict=True)))
            if draft.session
        }
        tasks = {draft.task for draft in drafts if draft.task}
        teams = {draft.team for draft in drafts if draft.team}
        for row in await agents.known_places(
            self._connection, self._workspace, agents=set(acting), sessions=set(users), teams=teams, tasks=tasks
        ):
            self._known[(row["kind"], row["name"], row["agent_id"])] = row["id"]
        for agent in sorted(set(acting)):
            await self.agent(agent)
        for agent, session in sorted(users):
            await self.session(await self.agent(agent), session, users[agent, session])
        for task in sorted(tasks):
            await self.task(task)
        if self._principal.role == "admin":  # anybody else has to be in the team already
            for team in sorted(teams):
                await self.team(team)

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
