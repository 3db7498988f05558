"""Dreams, their changes, and the schedule with its leases."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.ids import new_id

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to dream for one agent, for a term. ``token`` grows with every claim, fencing off late holders."""

    workspace_id: UUID
    agent_id: UUID
    token: int
    dream_id: UUID | None


async def queue(
    connection: Connection, workspace: UUID, agent_id: UUID, *, trigger: str, dry_run: bool, now: datetime
) -> UUID:
    """A dream waiting for a worker, due at once; one already waiting is taken instead."""
    dream_id: UUID = await connection.value(
        "queue_dream",
        workspace=workspace,
        agent_id=agent_id,
        id=new_id(),
        trigger=trigger,
        dry_run=dry_run,
        now=now,
    )
    return dream_id


async def get(connection: Connection, workspace: UUID, dream_id: UUID) -> Record | None:
    """One dream, without its changes."""
    row = await connection.row("get_dream", workspace=workspace, id=dream_id)
    return dict(row) if row else None


async def list_(connection: Connection, workspace: UUID, **filters: Any) -> list[Record]:
    """Dreams, newest first."""
    return [dict(row) for row in await connection.fetch("list_dreams", workspace=workspace, **filters)]


async def changes(connection: Connection, workspace: UUID, dream_id: UUID) -> list[Record]:
    """What a dream changed, in order."""
    return [dict(row) for row in await connection.fetch("dream_changes", workspace=workspace, dream_id=dream_id)]


def _lease(row: Row | None) -> Lease | None:
    return Lease(row["workspace_id"], row["agent_id"], row["lease_token"], row["dream_id"]) if row else None


async def claim_due(connection: Connection, *, worker: str, lease_s: float, now: datetime) -> Lease | None:
    """A lease on the agent that has been due longest and that nobody holds."""
    return _lease(await connection.row("claim_due_agent", worker=worker, lease_s=lease_s, now=now))


async def claim(
    connection: Connection, workspace: UUID, agent_id: UUID, *, worker: str, lease_s: float, now: datetime
) -> Lease | None:
    """A lease on one agent, due or not; None while another worker holds it."""
    return _lease(
        await connection.row(
            "claim_agent", workspace=workspace, agent_id=agent_id, worker=worker, lease_s=lease_s, now=now
        )
    )


async def extend(connection: Connection, lease: Lease, *, lease_s: float, now: datetime) -> bool:
    """Let the lease run on; False when it has been lost."""
    return bool(
        await connection.run(
            "extend_lease",
            workspace=lease.workspace_id,
            agent_id=lease.agent_id,
            token=lease.token,
            lease_s=lease_s,
            now=now,
        )
    )


async def fence(connection: Connection, lease: Lease, now: datetime) -> bool:
    """Lock the lease until the transaction ends; False when it has been lost."""
    found = await connection.value(
        "fence", workspace=lease.workspace_id, agent_id=lease.agent_id, token=lease.token, now=now
    )
    return found is not None


async def release(connection: Connection, lease: Lease, due_at: datetime | None) -> None:
    """Done: give the lease back; the agent is due again at ``due_at``, or when the schedule next fires."""
    await connection.run(
        "release_lease", workspace=lease.workspace_id, agent_id=lease.agent_id, token=lease.token, due_at=due_at
    )


async def let_go(connection: Connection, lease: Lease) -> None:
    """Not done: give the lease back; the agent is as due as it was."""
    await connection.run("free_lease", workspace=lease.workspace_id, agent_id=lease.agent_id, token=lease.token)


async def finish(
    connection: Connection,
    workspace: UUID,
    dream_id: UUID,
    *,
    status: str,
    report: Record,
    error: str | None,
    now: datetime,
) -> None:
    """Close a dream with its report."""
    await connection.run(
        "finish_dream", workspace=workspace, id=dream_id, status=status, report=report, error=error, now=now
    )
