"""The figures of a workspace: by day as the charts of the Studio show them, what it used of models and of its limits,
and the calls of models that it keeps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final
from uuid import UUID

from service.db.pool import Connection, Row
from service.db.records import make, make_all
from service.domain import cursors
from service.domain.ids import NO_KEY
from service.domain.kept_calls import ModelCall
from service.domain.latency import quantile_ms
from service.domain.limits import LimitHolder, Limits
from service.domain.model_calls import Outcome
from service.domain.principal import Principal
from service.domain.spending import Purpose
from service.domain.stats import DayFigures, DreamFigures, MemoryFigures, SearchFigures, Stats, Totals
from service.domain.usage import (
    BudgetToday,
    By,
    DreamsItem,
    LimitsUsed,
    LimitUse,
    RequestsItem,
    StoredItem,
    UsageReport,
)
from service.errors import InvalidInput, NotFound
from service.memory.counters import KeyUsage, Period, ReadCounter, RequestLimits, SearchCounter, window_start
from service.runtime import Runtime
from service.store import limits, model_usage
from service.store.settings import workspace_settings

DAYS = 30
DAYS_MAX = 400
"""As long as searches are counted."""
NO_DREAMS = DreamFigures(
    dreams=0, failed=0, undone=0, messages=0, created=0, duration_p50_s=None, duration_max_s=None, tokens=0,
    cost_usd=0.0,
)  # fmt: skip

KEYS_MAX = 1_000
ROWS_MAX = 10_000
PREVIEW_CHARACTERS: Final = 200
"""Of each text of a call in a list."""


async def stats_report(
    runtime: Runtime, principal: Principal, *, agent: str | None, since: date | None, until: date | None
) -> Stats:
    """Return figures of these days (UTC, both included; by default the last 30), of one agent or of the whole
    workspace.

    An agent key gets those of its own agent. Raises InvalidInput for a span that is none or longer than 400 days.
    """
    since, until = days_between(runtime.now().astimezone(UTC).date(), since, until)
    if (until - since).days >= DAYS_MAX:
        raise InvalidInput(("query", "since"), f"must be less than {DAYS_MAX} days before until")
    workspace, agent = principal.workspace_id, principal.reader_agent(agent)
    await runtime.part(SearchCounter).flush()
    async with runtime.db.transaction(workspace) as connection:
        span: dict[str, object] = {"workspace": workspace, "since": since, "until": until, "agent": agent}
        memories = _by_day(await connection.fetch("memories_by_day", **span))
        faded = _by_day(await connection.fetch("faded_by_day", **span))
        dreams = _by_day(await connection.fetch("dreams_by_day", **span))
        searches = _by_day(await connection.fetch("searches_by_day", **span))
        totals = await connection.one("stats_totals", workspace=workspace, agent=agent, now=runtime.now())
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


@dataclass(frozen=True, slots=True)
class _LimitedKey:
    """A live key with limits."""

    id: UUID
    name: str
    limits: Limits


@dataclass(frozen=True, slots=True)
class _Cost:
    """Cost of models of a day, and of its month up to it; of the workspace where ``key_id`` is zero."""

    key_id: UUID
    day_cost_usd: float
    month_cost_usd: float


@dataclass(frozen=True, slots=True)
class _Stored:
    """Rows and bytes of a key, or of the workspace where ``key_id`` is zero, as limits hold them, else as last
    counted."""

    key_id: UUID
    rows: int
    bytes: int


async def limit_use(runtime: Runtime, connection: Connection, workspace: UUID) -> list[LimitUse]:
    """Return the limits of the workspace and of each live key that has any, at most ``KEYS_MAX``, and their use."""
    now = runtime.now().astimezone(UTC)
    whole, _ = await limits.in_force(connection, workspace, None)
    holders: list[tuple[LimitHolder, UUID, str | None, Limits]] = [("workspace", NO_KEY, None, whole)]
    for key in await connection.many(_LimitedKey, "limited_keys", workspace=workspace, limit=KEYS_MAX):
        holders.append(("key", key.id, key.name, key.limits))
    starts: dict[Period, datetime] = {"minute": window_start(now, "minute"), "day": window_start(now, "day")}
    requests = {
        (row["key_id"], row["period"]): row["requests"]
        for row in await connection.fetch(
            "requests_now", workspace=workspace, minute=starts["minute"], day=starts["day"]
        )
    }
    stored = {one.key_id: one for one in await connection.many(_Stored, "stored_now", workspace=workspace)}
    costs = {
        cost.key_id: cost for cost in await connection.many(_Cost, "costs_now", workspace=workspace, day=now.date())
    }
    dreams = await limits.unfinished_dreams(connection, workspace)
    return [
        LimitUse(
            of=of,
            key_id=None if key_id == NO_KEY else key_id,
            name=name,
            limits=held,
            used=LimitsUsed(
                requests_this_minute=requests.get((key_id, "minute"), 0) if held.requests_per_minute else None,
                requests_today=requests.get((key_id, "day"), 0) if held.requests_per_day else None,
                rows=stored[key_id].rows if key_id in stored else None,
                bytes=stored[key_id].bytes if key_id in stored else None,
                day_cost_usd=costs[key_id].day_cost_usd if key_id in costs else 0.0,
                month_cost_usd=costs[key_id].month_cost_usd if key_id in costs else 0.0,
                dreams=dreams.get(key_id, 0),
            ),
        )
        for of, key_id, name, held in holders
    ]


async def usage_report(
    runtime: Runtime, principal: Principal, *, since: date | None, until: date | None, by: By
) -> UsageReport:
    """Return the usage of these days (UTC, both included; by default the last 30), requests and what was stored (none
    by agent), dreams, what of today's budget is taken, and what is used of each limit.

    Raises Forbidden for anyone but an admin, and InvalidInput.
    """
    principal.require_admin()
    workspace = principal.workspace_id
    today = runtime.now().astimezone(UTC).date()
    since, until = days_between(today, since, until)
    await runtime.budget.flush()
    await runtime.part(KeyUsage).flush()
    await runtime.part(RequestLimits).flush()
    async with runtime.db.transaction(workspace) as connection:
        items = await model_usage.report(connection, workspace, since=since, until=until, by=by, limit=ROWS_MAX)
        requests, stored = list[RequestsItem](), list[StoredItem]()
        if by != "agent":
            requests = await connection.many(
                RequestsItem,
                "key_requests",
                workspace=workspace,
                since=since,
                until=until,
                by_day=by == "day",
                limit=ROWS_MAX,
            )
            stored = await connection.many(
                StoredItem, "stored_by_key" if by == "key" else "stored_by_day", workspace=workspace, since=since,
                until=until, no_key=NO_KEY, limit=ROWS_MAX,
            )  # fmt: skip
        dreams = await connection.many(
            DreamsItem, "dreams_by", workspace=workspace, since=since, until=until, by_day=by == "day",
            by_key=by == "key", by_agent=by == "agent", limit=ROWS_MAX,
        )  # fmt: skip
        taken, _ = await model_usage.taken(connection, workspace, today)
        used = await limit_use(runtime, connection, workspace)
        settings = await workspace_settings(connection, workspace)
    return UsageReport(
        since=since,
        until=until,
        by=by,
        items=items,
        requests=requests,
        stored=stored,
        dreams=dreams,
        limits=used,
        today=BudgetToday(
            tokens=taken.tokens,
            cost_usd=taken.cost_usd,
            dream_tokens=taken.dream_tokens,
            dream_cost_usd=taken.dream_cost_usd,
            tokens_max=settings.budget.day_tokens_max,
            cost_max_usd=settings.budget.day_cost_max_usd,
            dream_tokens_max=settings.dream.day_tokens_max,
            dream_cost_max_usd=settings.dream.day_cost_max_usd,
        ),
    )


async def list_model_calls(
    runtime: Runtime,
    principal: Principal,
    *,
    agent: str | None,
    dream: UUID | None,
    purpose: Purpose | None,
    outcome: Outcome | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    cursor: str | None,
) -> tuple[list[ModelCall], str | None]:
    """Return a page of calls, newest first, with the beginnings of their texts. Raises Forbidden for anyone but an
    admin."""
    principal.require_admin()
    at, id_ = cursors.decode(cursor, datetime, UUID)
    await runtime.model_calls.flush()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        rows = await connection.fetch(
            "list_model_calls", workspace=principal.workspace_id, characters=PREVIEW_CHARACTERS, agent=agent,
            dream_id=dream, purpose=purpose, outcome=outcome, since=since, until=until, before=at, before_id=id_,
            limit=limit + 1,
        )  # fmt: skip
    rows, more = cursors.paginate(rows, limit, "at", "id")
    runtime.part(ReadCounter).note(principal, "model_calls", [agent, *(row["agent"] for row in rows)])
    return make_all(ModelCall, rows), more


async def get_model_call(runtime: Runtime, principal: Principal, call_id: UUID) -> ModelCall:
    """Return a call with its texts. Raises Forbidden for anyone but an admin, and NotFound."""
    principal.require_admin()
    await runtime.model_calls.flush()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        call = await connection.first(ModelCall, "get_model_call", workspace=principal.workspace_id, id=call_id)
    if call is None:
        raise NotFound("There is no such call of a model here.")
    runtime.part(ReadCounter).note(principal, "model_calls", [call.agent])
    return call
