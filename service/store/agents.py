"""Agents, teams, tasks and sessions by name: found, or made on first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict
from uuid import UUID

from service.db.pool import Connection
from service.domain.ids import new_id
from service.domain.json import JsonObject, JsonValue
from service.domain.principal import CachedCredential
from service.domain.workspace import WorkspaceSettings
from service.errors import NotFound, ReverieError
from service.store.settings import agent_settings, settings_from, workspace_settings

COUNTED = ("counted_audiences", "counted_kinds", "counted_rows", "parts")


@dataclass(frozen=True, slots=True)
class Counted:
    """``rows`` of one kind in an audience, as last counted; ``part`` of the HNSW index that has them, or None."""

    audience: UUID
    kind: int
    rows: int
    part: int | None


@dataclass(frozen=True, slots=True)
class ReaderKey:
    """Whom a read is for, by name."""

    agent: str
    session: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """The resolved reader. ``session_id`` and ``task_id`` are None when the names given are unknown, or name a task
    whose members the agent is none of.

    ``languages`` are the text-search configurations in use in the audiences.
    """

    agent_id: UUID
    audiences: list[UUID]
    languages: list[str]
    session_id: UUID | None
    task_id: UUID | None
    settings: WorkspaceSettings
    members: Sequence[str] = ()
    """Of the session."""
    counted: Sequence[Counted] = ()
    """What those of the audiences hold that are not small."""
    model: int | None = None
    """The embedding model in use."""
    changing_model: bool = False
    """Whether vectors of another model stand beside those in use."""
    noise: float = 0.0
    """The noise level of the embedding model in use; 0 until it has been measured."""


@dataclass(frozen=True, slots=True)
class StoredAgent:
    """An agent with the ids that it has inside."""

    id: UUID
    agent: str
    name: str | None
    prime: bool
    prime_audience: UUID
    teams: list[str]
    settings: JsonObject


class SeenBy(TypedDict):
    """What queries call a reader."""

    agent_id: UUID | None
    audiences: list[UUID] | None


def seen_by(reader: Reader | None) -> SeenBy:
    """Return what queries call a reader; None sees the workspace."""
    return {"agent_id": reader.agent_id if reader else None, "audiences": reader.audiences if reader else None}


async def ensure_agent(connection: Connection, workspace: UUID, agent: str) -> UUID:
    """Return the agent's id; a new agent is put on the dream schedule."""
    found: UUID | None = None
    while found is None:
        found = await connection.value(
            "ensure_agent", workspace=workspace, agent=agent, id=new_id(), prime_audience=new_id()
        )
    return found


async def hold(connection: Connection, workspace: UUID, agent_id: UUID, gone: ReverieError) -> None:
    """Keep an agent from being deleted for the rest of the transaction, before anything of it is locked, as a deletion
    does. Raises ``gone`` where there is no such agent any more."""
    if await connection.value("hold_agent", workspace=workspace, id=agent_id) is None:
        raise gone


async def ensure_group(connection: Connection, kind: str, workspace: UUID, name: str) -> UUID:
    """Return the id of a team or task (``kind``), made on first use."""
    found: UUID | None = None
    while found is None:
        found = await connection.value(
            "ensure_team" if kind == "team" else "ensure_task", workspace=workspace, name=name, id=new_id()
        )
    return found


async def ensure_session(
    connection: Connection, workspace: UUID, agent_id: UUID, name: str, user: str | None = None
) -> UUID:
    """Return the id of the agent's session of that name, made on first use."""
    found: UUID | None = None
    while found is None:
        found = await connection.value(
            "ensure_session", workspace=workspace, agent_id=agent_id, name=name, user=user, id=new_id()
        )
    return found


async def reader(
    connection: Connection, workspace: UUID, reader_key: ReaderKey, key: CachedCredential | None = None
) -> Reader | None:
    """Return the reader of that name, or None for an agent nobody has heard of, and for a ``key`` that holds no
    more."""
    rows = await connection.fetch(
        "reader",
        {"known": key is not None},
        workspace=workspace,
        agent=reader_key.agent,
        session=reader_key.session,
        task=reader_key.task,
        **(key.parameters() if key is not None else {}),
    )
    if not rows:
        return None
    row = rows[0]
    return Reader(
        row["agent_id"],
        row["audiences"],
        row["languages"],
        row["session_id"],
        row["task_id"],
        settings_from(row["settings"], row["agent_settings"]),
        row["members"] or (),
        [Counted(*one) for one in zip(*(row[name] for name in COUNTED), strict=True)],
        row["model"],
        row["changing_model"],
        row["noise"] or 0.0,
    )


async def get_agent(connection: Connection, workspace: UUID, agent: str) -> StoredAgent | None:
    """Return the agent, or None where there is none of that name."""
    return await connection.first(StoredAgent, "get_agent", workspace=workspace, agent=agent)


async def existing_agent(connection: Connection, workspace: UUID, agent: str) -> StoredAgent:
    """Return the agent. Raises NotFound."""
    found = await get_agent(connection, workspace, agent)
    if found is None:
        raise no_agent(agent)
    return found


def no_agent(agent: str) -> NotFound:
    """Return the error for an agent that does not exist."""
    return NotFound(f"There is no agent {agent!r} here.")


async def named_agent_settings(connection: Connection, workspace: UUID, agent: str) -> WorkspaceSettings:
    """Return the settings of an agent by its name; the workspace's for one that does not exist yet."""
    found = await get_agent(connection, workspace, agent)
    if found is None:
        return await workspace_settings(connection, workspace)
    return await agent_settings(connection, workspace, found.id)


async def set_teams(connection: Connection, workspace: UUID, agent_id: UUID, teams: list[str]) -> None:
    """Make the agent a member of exactly these teams."""
    await connection.run("clear_teams", workspace=workspace, agent_id=agent_id)
    for team in sorted(teams):
        team_id = await ensure_group(connection, "team", workspace, team)
        await connection.run("join_team", workspace=workspace, agent_id=agent_id, team_id=team_id)


async def set_members(
    connection: Connection, workspace: UUID, task_id: UUID, members: Sequence[UUID] | None, *, replace: bool = True
) -> None:
    """Let only these agents name a task, or with None whoever does; without ``replace`` they join those who may."""
    await connection.run("restrict_task", workspace=workspace, task_id=task_id, members_only=members is not None)
    if replace:
        await connection.run("clear_task", workspace=workspace, task_id=task_id)
    if members:
        await connection.run("join_task", workspace=workspace, task_id=task_id, agent_ids=members)


async def change_agent(
    connection: Connection, workspace: UUID, agent_id: UUID, changes: Mapping[str, JsonValue]
) -> None:
    """Set the ``name``, ``prime`` and ``settings`` of an agent, those of them that ``changes`` has."""
    await connection.run(
        "change_agent",
        workspace=workspace,
        id=agent_id,
        set_name="name" in changes,
        name=changes.get("name"),
        prime=changes.get("prime"),
        settings=changes.get("settings"),
    )
