"""A workspace in figures, by day: what the charts of the Studio show."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, timedelta
from typing import Any

from service.db.pool import Row
from service.domain.latency import quantile_ms
from service.domain.principal import Principal
from service.errors import InvalidInput
from service.memory.engine import Engine
from service.store import embeddings, stats

Record = dict[str, Any]

DAYS = 30
DAYS_MAX = 400
"""As long as searches are counted."""
NO_MEMORIES = {"made": 0, "superseded": 0, "faded": 0, "deleted": 0}
NO_DREAMS = {
    "dreams": 0, "failed": 0, "undone": 0, "messages": 0, "created": 0, "duration_p50_s": None, "duration_max_s": None,
    "tokens": 0, "cost_usd": 0.0,
}  # fmt: skip


async def stats_report(
    engine: Engine, principal: Principal, *, agent: str | None, since: date | None, until: date | None
) -> Record:
    """Figures of these days (UTC, both included; by default the last 30), of one agent or of the whole workspace.

    An agent key gets those of its own agent. Raises InvalidInput for a span that is none or longer than 400 days.
    """
    since, until = days_between(engine.now().astimezone(UTC).date(), since, until)
    if (until - since).days >= DAYS_MAX:
        raise InvalidInput(("query", "since"), f"must be less than {DAYS_MAX} days before until")
    workspace, agent = principal.workspace_id, principal.reader_agent(agent)
    await engine.search_counts.flush()
    async with engine.db.transaction(workspace) as connection:
        found = await stats.by_day(connection, workspace, since=since, until=until, agent=agent)
        totals = await stats.totals(connection, workspace, agent=agent, now=engine.now())
        pending = await embeddings.count_pending(connection, workspace)
    by_day = {name: {row["day"]: row for row in rows} for name, rows in found.items()}
    days = [since + timedelta(days=n) for n in range((until - since).days + 1)]
    return {
        "since": since,
        "until": until,
        "step": "day",
        "agent": agent,
        "items": [_item(day, by_day) for day in days],
        "totals": totals | {"pending": pending},
    }


def days_between(today: date, since: date | None, until: date | None) -> tuple[date, date]:
    """The first and the last day of a report: of those that are not given, the last 30 days. Raises InvalidInput for a
    span that is none."""
    until = until or today
    since = since or max(date.min + timedelta(days=DAYS), until) - timedelta(days=DAYS - 1)
    if since > until:
        raise InvalidInput(("query", "since"), "must not be later than until")
    return since, until


def _item(day: date, by_day: Mapping[str, Mapping[date, Row]]) -> Record:
    rows = {name: dict(days.get(day, {})) for name, days in by_day.items()}
    searches = rows["searches"]
    latencies = searches.get("latencies", [])
    counts = NO_MEMORIES | rows["memories"] | rows["faded"]
    return {
        "day": day,
        "memories": {name: counts[name] for name in NO_MEMORIES},
        "dreams": {name: (NO_DREAMS | rows["dreams"])[name] for name in NO_DREAMS},
        "searches": {
            "searches": searches.get("searches", 0),
            "degraded": searches.get("degraded", 0),
            "p50_ms": quantile_ms(latencies, 0.5),
            "p95_ms": quantile_ms(latencies, 0.95),
        },
    }
