"""Folds windows as soon as they are full: whoever appends past the bounds asks for it."""

from __future__ import annotations

from datetime import timedelta

from service.domain.spending import paid_by
from service.memory.dreams.agents import payer_for
from service.memory.dreams.in_flight import InFlight
from service.memory.engine import Engine
from service.memory.sessions.compaction import compact_agent
from service.store import sessions

LEASE_S = timedelta(minutes=5)


async def compact_next(engine: Engine, flight: InFlight | None = None) -> bool:
    """Fold the full windows of one agent that was asked for; False when there is none.

    An agent whose windows cannot be folded now is taken up again in five minutes.
    """
    now = engine.now()
    async with engine.db.unscoped() as connection:
        claim = await sessions.claim_compaction(connection, now=now, until=now + LEASE_S)
    if claim is None:
        return False
    with paid_by(await payer_for(engine, claim["workspace_id"], claim["agent_id"])):
        done = await compact_agent(engine, claim["workspace_id"], claim["agent_id"], flight or InFlight(engine))
    if not done:
        return True
    async with engine.db.unscoped() as connection:
        await sessions.finish_compaction(connection, claim)
    return True
