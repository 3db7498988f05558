"""Events: a transactional outbox, in an order nobody can skip anything of.

The statements that change something write its event, with no position. Positions are given when somebody reads, under
the lock of the workspace's counter: transactions that commit late get later positions, never ones already passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.events import Kind
from service.domain.json import JsonObject

POSITIONS_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Event:
    """One event; ``position`` grows by one within a workspace."""

    position: int
    body: JsonObject


async def assign_positions(connection: Connection, workspace: UUID) -> int:
    """Give positions to a batch of events that have none; how many got one."""
    if not await connection.value("has_unsequenced_events", workspace=workspace):
        return 0
    last: int = await connection.value("lock_event_sequence", workspace=workspace)
    reached = await connection.value("position_events", workspace=workspace, last=last, limit=POSITIONS_BATCH)
    if reached is None:
        return 0
    await connection.run("set_event_sequence", workspace=workspace, last=reached)
    return int(reached) - last


async def after(
    connection: Connection,
    workspace: UUID,
    position: int,
    *,
    agent: str | None,
    kinds: Sequence[Kind] | None,
    limit: int,
) -> list[Event]:
    """Return the next events after a position, in order."""
    rows = await connection.fetch(
        "list_events", workspace=workspace, after=position, agent=agent, kinds=kinds or None, limit=limit
    )
    return [Event(row["position"], _body(row)) for row in rows]


def _body(row: Row) -> JsonObject:
    """Return an event as the API tells it: ids, never content."""
    subject = {"memory": "memory_id", "dream": "dream_id", "proposal": "proposal_id", "window": "session_id"}[
        row["kind"].partition(".")[0]
    ]
    body: JsonObject = {
        "id": row["id"],
        "position": row["position"],
        "type": row["kind"],
        "at": row["at"],
        "agent": row["agent"],
    }
    session: JsonObject = {"session": row["session"]} if row["session"] else {}
    details: JsonObject = row["details"]
    return body | {subject: row["subject_id"]} | session | details
