"""What models were used for, and what of each day's budget is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, replace
from datetime import date, datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.ids import NO_KEY
from service.domain.spending import DREAM_PURPOSES, Purpose, Usage
from service.domain.usage import By, UsageItem


@dataclass(frozen=True, slots=True, order=True)
class UsageKey:
    """What a row of usage is about, in its workspace. ``key_id`` is zero, and ``agent`` empty, where there is none."""

    day: date
    purpose: Purpose
    model: str
    key_id: UUID
    agent: str


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens and US dollars of a day's budget: of all calls, and of those that are a dream's."""

    tokens: int = 0
    cost_usd: float = 0.0
    dream_tokens: int = 0
    dream_cost_usd: float = 0.0

    @staticmethod
    def by(purpose: Purpose, used: Usage) -> Spent:
        """Return what a call for this purpose takes."""
        if purpose in DREAM_PURPOSES:
            return Spent(used.tokens, used.cost_usd, used.tokens, used.cost_usd)
        return Spent(used.tokens, used.cost_usd)

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Spent) -> Spent:
        return Spent(*(mine - theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The most that may be taken in a day, and in its month; None is no bound."""

    tokens_max: int | None = None
    cost_max_usd: float | None = None
    dream_tokens_max: int | None = None
    dream_cost_max_usd: float | None = None
    month_cost_max_usd: float | None = None

    def passed_by(self, taken: Spent) -> list[int]:
        """Return which of the limits of a day, by their position, this would be over."""
        pairs = enumerate(zip(astuple(taken), astuple(self)[:-1], strict=True))
        return [position for position, (amount, most) in pairs if most is not None and amount > most]


async def reserve(
    connection: Connection, workspace: UUID, key_id: UUID, day: date, worst: Spent, limits: BudgetLimits
) -> bool:
    """Take ``worst`` of the day's budget of a key (zero: of the workspace); False, and nothing taken, when that would
    pass a limit."""
    if limits.passed_by(worst):
        return False
    earlier = 0.0
    if limits.month_cost_max_usd is not None:
        _, earlier = await taken(connection, workspace, day, key_id)
        if worst.cost_usd + earlier > limits.month_cost_max_usd:
            return False
    row = await connection.row(
        "reserve_budget", workspace=workspace, key_id=key_id, day=day, earlier_cost_usd=earlier,
        **asdict(worst), **asdict(limits),
    )  # fmt: skip
    return row is not None


async def taken(connection: Connection, workspace: UUID, day: date, key_id: UUID = NO_KEY) -> tuple[Spent, float]:
    """Return what of a day's budget is taken, and the cost in US dollars of the days of its month before it."""
    row = dict(await connection.row("budget_taken", workspace=workspace, key_id=key_id, day=day) or {})
    earlier: float = row.pop("earlier_cost_usd", 0.0)
    return Spent(**row), earlier


async def settle(
    connection: Connection,
    workspace: UUID,
    used: Mapping[UsageKey, Usage],
    released: Mapping[tuple[date, UUID], Spent],
) -> None:
    """Record what ended calls used, and change what is taken of each day's budget (of a key, or of the
    workspace where it is zero) by as much as is ``released``."""
    for day, key_id in sorted(released):
        await connection.run(
            "reconcile_budget", workspace=workspace, day=day, key_id=key_id, **asdict(released[day, key_id])
        )
    for key in sorted(used):
        await connection.run("add_model_usage", workspace=workspace, **asdict(key), **asdict(used[key]))


async def report(
    connection: Connection, workspace: UUID, *, since: date, until: date, by: By, limit: int
) -> list[UsageItem]:
    """Return the usage of these days, both included, by day, key or agent, and by purpose; at most ``limit`` of it."""
    found = await connection.many(
        UsageItem, "model_usage", workspace=workspace, since=since, until=until, limit=limit,
        by_day=by == "day", by_key=by == "key", by_agent=by == "agent",
    )  # fmt: skip
    return [
        replace(item, key_id=None if item.key_id == NO_KEY else item.key_id, agent=item.agent or None) for item in found
    ]


async def collect(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> int:
    """Delete usage of days before then; how many rows."""
    await connection.run("collect_model_budgets", workspace=workspace, before=before)
    return await connection.run("collect_model_usage", workspace=workspace, before=before, limit=limit)
