"""A workspace in figures, by day: what the charts of the Studio show."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, timedelta

from service.db.pool import Row
from service.db.records import make
from service.domain.latency import quantile_ms
from service.domain.principal import Principal
from service.domain.stats import DayFigures, DreamFigures, MemoryFigures, SearchFigures, Stats, Totals
from service.errors import InvalidInput
from service.memory.engine import Engine

DAYS = 30
DAYS_MAX = 400
"""As long as searches are counted."""
NO_DREAMS = DreamFigures(
    dreams=0, failed=0, undone=0, messages=0, created=0, duration_p50_s=None, duration_max_s=None, tokens=0,
    cost_usd=0.0,
)  # fmt: skip


async def stats_report(
    engine: Engine, principal: Principal, *, agent: str | None, since: date | None, until: date | None
) -> Stats:
    """Return figures of these days (UTC, both included; by default the last 30), of one agent or of the whole
    workspace.

    An agent key gets those of its own agent. Raises InvalidInput for a span that is none or longer than 400 days.
    """
    since, until = days_between(engine.now().astimezone(UTC).date(), since, until)
    if (until - since).days >= DAYS_MAX:
        raise InvalidInput(("query", "since"), f"must be less than {DAYS_MAX} days before until")
    workspace, agent = principal.workspace_id, principal.reader_agent(agent)
    await engine.search_counts.flush()
    async with engine.db.transaction(workspace) as connection:
        span: dict[str, object] = {"workspace": workspace, "since": since, "until": until, "agent": agent}
        memories = _by_day(await connection.fetch("memories_by_day", **span))
        faded = _by_day(await connection.fetch("faded_by_day", **span))
        dreams = _by_day(await connection.fetch("dreams_by_day", **span))
        searches = _by_day(await connection.fetch("searches_by_day", **span))
        totals = await connection.one("stats_totals", workspace=workspace, agent=agent, now=engine.now())
        pending: int = await connection.value("count_pending", workspace=workspace)
    days = [since + timedelta(days=n) for n in range((until - since).days + 1)]
    return Stats(
        since=since,
        until=until,
        step="day",
        agent=agent,
        items=[
            DayFigures(
                day=day,
                memories=_memory_figures(memories.get(day, {}), faded.get(day, {})),
                dreams=make(DreamFigures, dreams[day]) if day in dreams else NO_DREAMS,
                searches=_search_figures(searches.get(day, {})),
            )
            for day in days
        ],
        totals=make(Totals, {**totals, "pending": pending}),
    )


def days_between(today: date, since: date | None, until: date | None) -> tuple[date, date]:
    """Return the first and the last day of a report: of those that are not given, the last 30 days. Raises InvalidInput
    for a span that is none."""
    until = until or today
    since = since or max(date.min + timedelta(days=DAYS), until) - timedelta(days=DAYS - 1)
    if since > until:
        raise InvalidInput(("query", "since"), "must not be later than until")
    return since, until


def _by_day(rows: Iterable[Row]) -> dict[date, Row]:
    """Return rows by their day; days without any are missing."""
    return {row["day"]: row for row in rows}


def _memory_figures(counted: Row, faded: Row) -> MemoryFigures:
    return MemoryFigures(
        made=counted.get("made", 0), superseded=counted.get("superseded", 0), faded=faded.get("faded", 0),
        deleted=counted.get("deleted", 0),
    )  # fmt: skip


def _search_figures(counted: Row) -> SearchFigures:
    latencies = counted.get("latencies", [])
    return SearchFigures(
        searches=counted.get("searches", 0), degraded=counted.get("degraded", 0),
        p50_ms=quantile_ms(latencies, 0.5), p95_ms=quantile_ms(latencies, 0.95),
    )  # fmt: skip
