"""Agents, teams, tasks and sessions by name: found, or made on first use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.ids import new_id
from service.domain.workspace import WorkspaceSettings
from service.store.settings import settings_from

COUNTED = ("counted_audiences", "counted_kinds", "counted_rows", "parts")


@dataclass(frozen=True, slots=True)
class Counted:
    """``rows`` of one kind in an audience, as last counted; ``part`` of the HNSW index that has them, or None."""

    audience: UUID
    kind: int
    rows: int
    part: int | None


@dataclass(frozen=True, slots=True)
class Eyes:
    """Whose eyes a read uses, by name."""

    agent: str
    session: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """Whose eyes a read uses. ``session_id`` and ``task_id`` are None when the names given are unknown.

    ``languages`` are the text-search configurations in use in the audiences.
    """

    agent_id: UUID
    audiences: list[UUID]
    languages: list[str]
    session_id: UUID | None
    task_id: UUID | None
    settings: WorkspaceSettings
    counted: Sequence[Counted] = ()
    """What those of the audiences hold that are not small."""
    model: int | None = None
    """The embedding model in use."""
    changing_model: bool = False
    """Whether vectors of another model stand beside those in use."""
    look: bytes = b""
    """A hash of all of this as the database has it."""


async def known_places(
    connection: Connection,
    workspace: UUID,
    *,
    agents: set[str],
    sessions: set[tuple[str, str]],
    teams: set[str],
    tasks: set[str],
) -> list[Row]:
    """The ``kind``, ``name`` and ``id`` of those that exist; ``sessions`` are (agent, session), with ``agent_id``."""
    return await connection.fetch(
        "known_places",
        workspace=workspace,
        agents=list(agents),
        session_agents=[agent for agent, _ in sessions],
        sessions=[session for _, session in sessions],
        teams=list(teams),
        tasks=list(tasks),
    )


async def ensure_agent(connection: Connection, workspace: UUID, agent: str) -> UUID:
    """The agent's id; a new agent is put on the dream schedule."""
    found: UUID | None = None
    while found is None:
        found = await connection.value(
            "ensure_agent", workspace=workspace, agent=agent, id=new_id(), prime_audience=new_id()
        )
    return found


async def ensure_group(connection: Connection, kind: str, workspace: UUID, name: str) -> UUID:
    """The id of a team or task (``kind``), made on first use."""
    found: UUID | None = None
    while found is None:
        found = await connection.value(f"ensure_{kind}", workspace=workspace, name=name, id=new_id())
    return found


async def ensure_session(
    connection: Connection, workspace: UUID, agent_id: UUID, name: str, user: str | None = None
) -> UUID:
    """The id of the agent's session of that name, made on first use."""
    found: UUID | None = None
    while found is None:
        found = await connection.value(
            "ensure_session", workspace=workspace, agent_id=agent_id, name=name, user=user, id=new_id()
        )
    return found


async def reader(connection: Connection, workspace: UUID, eyes: Eyes) -> Reader | None:
    """The reader of that name, or None for an agent nobody has heard of."""
    row = await connection.row("reader", workspace=workspace, agent=eyes.agent, session=eyes.session, task=eyes.task)
    if row is None:
        return None
    return Reader(
        row["agent_id"],
        row["audiences"],
        row["languages"],
        row["session_id"],
        row["task_id"],
        settings_from(row["settings"]),
        [Counted(*one) for one in zip(*(row[name] for name in COUNTED), strict=True)],
        row["model"],
        row["changing_model"],
        row["look"],
    )


async def get_agent(connection: Connection, workspace: UUID, agent: str) -> Row | None:
    """The agent's row with its teams."""
    return await connection.row("get_agent", workspace=workspace, agent=agent)


async def list_agents(
    connection: Connection, workspace: UUID, *, only: str | None, after: str | None, limit: int
) -> list[Row]:
    """Agents by name."""
    return await connection.fetch("list_agents", workspace=workspace, only=only, after=after, limit=limit)


async def set_teams(connection: Connection, workspace: UUID, agent_id: UUID, teams: list[str]) -> None:
    """Make the agent a member of exactly these teams."""
    await connection.run("clear_teams", workspace=workspace, agent_id=agent_id)
    for team in sorted(teams):
        team_id = await ensure_group(connection, "team", workspace, team)
        await connection.run("join_team", workspace=workspace, agent_id=agent_id, team_id=team_id)
