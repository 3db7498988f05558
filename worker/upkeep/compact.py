"""Folds windows as soon as they are full (rows D8, S3): whoever appends past the bounds asks for it."""

from __future__ import annotations

from datetime import timedelta

from service.memory.compaction import compact_agent
from service.memory.engine import Engine

TAKEN_FOR = timedelta(minutes=5)


async def fold_next(engine: Engine) -> bool:
    """Fold the full windows of one agent that was asked for; False when there is none.

    An agent whose windows cannot be folded now is taken up again in five minutes.
    """
    now = engine.now()
    async with engine.db.unscoped() as connection:
        claim = await connection.row("claim_compaction", now=now, until=now + TAKEN_FOR)
    if claim is None:
        return False
    await compact_agent(engine, claim["workspace_id"], claim["agent_id"])
    async with engine.db.unscoped() as connection:
        await connection.run(
            "finish_compaction", workspace=claim["workspace_id"], agent_id=claim["agent_id"],
            claimed=claim["compact_at"],
        )  # fmt: skip
    return True
