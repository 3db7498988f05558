"""What people decided on dreams' changes and proposals. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from service.db.pool import Connection
from service.domain.verdicts import Outcome


@dataclass(frozen=True, slots=True)
class DecidedChange:
    """A statement, one that a dream merged with it or let replace it, and what the latter is by what became of that."""

    a: str
    b: str
    label: Outcome
    kind: Literal["stood", "undone", "reverted"]


@dataclass(frozen=True, slots=True)
class DecidedProposal:
    """What was ``proposed``, and the memory that came of it: ``content`` is the memory's, of a rejected one its own."""

    kind: Literal["accepted", "edited", "rejected"]
    proposed: str
    content: str
    user: str | None
    said_at: datetime
    memory_id: UUID | None


async def changes(
    connection: Connection, workspace: UUID, agent_id: UUID, *, before: datetime, limit: int
) -> list[DecidedChange]:
    """Merges and replacements of an agent's dreams, newest first: those from ``before`` that stand, and those taken
    back."""
    rows = await connection.fetch("decided_changes", workspace=workspace, agent_id=agent_id, before=before, limit=limit)
    return [DecidedChange(**row) for row in rows]


async def proposals(connection: Connection, workspace: UUID, agent_id: UUID, *, limit: int) -> list[DecidedProposal]:
    """An agent's decided proposals that still have their words, newest first."""
    rows = await connection.fetch("decided_proposals", workspace=workspace, agent_id=agent_id, limit=limit)
    return [DecidedProposal(**row) for row in rows]


async def labels(
    connection: Connection, workspace: UUID, pairs: Sequence[tuple[UUID, UUID | None]]
) -> list[Outcome | None]:
    """For each older memory and the one that came of a proposal, or None of a rejected one, what the latter is; None
    where that is not settled."""
    rows = await connection.fetch(
        "labels_beside", workspace=workspace, older=[older for older, _ in pairs], newer=[newer for _, newer in pairs]
    )
    return [row["label"] for row in rows]
