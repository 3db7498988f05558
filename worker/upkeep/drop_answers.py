"""Forgets the answers kept for repeated requests once their day is over (row W5)."""

from __future__ import annotations

from service.memory.engine import Engine
from service.memory.once import KEPT
from service.store import idempotency


async def drop_answers(engine: Engine) -> int:
    """Drop the answers past their term in every workspace; how many."""
    async with engine.db.unscoped() as connection:
        workspaces = [row["workspace_id"] for row in await connection.fetch("workspaces")]
    dropped = 0
    for workspace in workspaces:
        async with engine.db.transaction(workspace) as connection:
            dropped += await idempotency.drop_before(connection, workspace, engine.now() - KEPT)
    return dropped
