"""What a workspace used of models, and its requests, for its admin: by day, key or agent, and by purpose."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, date
from typing import Any

from service.db.pool import Row
from service.domain.ids import NO_KEY
from service.domain.principal import Principal
from service.memory.engine import Engine
from service.memory.ops.limit_use import limit_use
from service.memory.ops.stats import days_between
from service.store import limits, model_usage
from service.store.model_usage import By
from service.store.settings import workspace_settings

Record = dict[str, Any]

ROWS_MAX = 10_000


async def usage_report(
    engine: Engine, principal: Principal, *, since: date | None, until: date | None, by: By
) -> Record:
    """Usage of these days (UTC, both included; by default the last 30), requests and what was stored (none by
    agent), dreams, what of today's budget is taken, and what is used of each limit.


    Raises Forbidden for anyone but an admin, and InvalidInput.
    """
    principal.require_admin()
    workspace = principal.workspace_id
    today = engine.now().astimezone(UTC).date()
    since, until = days_between(today, since, until)
    await engine.budget.flush()
    await engine.key_usage.flush()
    await engine.request_limits.flush()
    async with engine.db.transaction(workspace) as connection:
        rows = await model_usage.report(connection, workspace, since=since, until=until, by=by, limit=ROWS_MAX)
        requests, stored = list[Row](), list[Row]()
        if by != "agent":
            requests = await connection.fetch(
                "key_requests", workspace=workspace, since=since, until=until, by_day=by == "day", limit=ROWS_MAX
            )
            stored = await limits.stored_by_day(
                connection, workspace, since=since, until=until, by_key=by == "key", limit=ROWS_MAX
            )
        dreams = await limits.dreams_by(connection, workspace, since=since, until=until, by=by, limit=ROWS_MAX)
        taken, _ = await model_usage.taken(connection, workspace, today)
        used = await limit_use(engine, connection, workspace)
        settings = await workspace_settings(connection, workspace)
    return {
        "since": since,
        "until": until,
        "by": by,
        "items": [_item(dict(row)) for row in rows],
        "requests": [dict(row) for row in requests],
        "stored": [dict(row) for row in stored],
        "dreams": [dict(row) for row in dreams],
        "limits": used,
        "today": asdict(taken)
        | {
            "tokens_max": settings.budget.day_tokens_max,
            "cost_max_usd": settings.budget.day_cost_max_usd,
            "dream_tokens_max": settings.dream.day_tokens_max,
            "dream_cost_max_usd": settings.dream.day_cost_max_usd,
        },
    }


def _item(row: Record) -> Record:
    return row | {"key_id": None if row["key_id"] == NO_KEY else row["key_id"], "agent": row["agent"] or None}
