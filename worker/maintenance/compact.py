"""Folds windows as soon as they are full: whoever appends past the bounds asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from service.domain.spending import paid_by
from service.memory.agents import payer_for
from service.memory.engine import Engine
from service.memory.in_flight import InFlight
from service.memory.sessions.compaction import compact_agent

LEASE_S = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class _Claim:
    """An agent whose windows are to be folded, and until when it is leased for that."""

    workspace_id: UUID
    agent_id: UUID
    compact_at: datetime


async def compact_next(engine: Engine, flight: InFlight | None = None) -> bool:
    """Fold the full windows of one agent that was asked for; return False when there is none.

    An agent whose windows cannot be folded now is taken up again in five minutes.
    """
    now = engine.now()
    async with engine.db.unscoped() as connection:
        claim = await connection.first(_Claim, "claim_compaction", now=now, until=now + LEASE_S)
    if claim is None:
        return False
    with paid_by(await payer_for(engine, claim.workspace_id, claim.agent_id)):
        done = await compact_agent(engine, claim.workspace_id, claim.agent_id, flight or InFlight(engine))
    if not done:
        return True
    async with engine.db.unscoped() as connection:
        await connection.run(
            "finish_compaction", workspace=claim.workspace_id, agent_id=claim.agent_id, claimed=claim.compact_at
        )
    return True
