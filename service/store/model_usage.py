"""What models were used for, and what of each day's budget is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.spending import DREAM_PURPOSES, Purpose, Usage

By = Literal["day", "key", "agent"]


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
        """What a call for this purpose takes."""
        if purpose in DREAM_PURPOSES:
            return Spent(used.tokens, used.cost_usd, used.tokens, used.cost_usd)
        return Spent(used.tokens, used.cost_usd)

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Spent) -> Spent:
        return Spent(*(mine - theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that may be taken in a day; None is no bound."""

    tokens_max: int | None = None
    cost_max_usd: float | None = None
    dream_tokens_max: int | None = None
    dream_cost_max_usd: float | None = None

    def passed_by(self, taken: Spent) -> list[int]:
        """Which of the limits, by their position, this would be over."""
        pairs = enumerate(zip(astuple(taken), astuple(self), strict=True))
        return [position for position, (amount, most) in pairs if most is not None and amount > most]


async def reserve(connection: Connection, workspace: UUID, day: date, worst: Spent, limits: Limits) -> bool:
    """Take ``worst`` of the day's budget; False, and nothing taken, when that would pass a limit."""
    if limits.passed_by(worst):
        return False
    taken = await connection.value("reserve_budget", workspace=workspace, day=day, **asdict(worst), **asdict(limits))
    return taken is not None


async def taken(connection: Connection, workspace: UUID, day: date) -> Spent:
    """What of a day's budget is taken."""
    row = await connection.row("budget_taken", workspace=workspace, day=day)
    return Spent(**dict(row)) if row else Spent()


async def settle(
    connection: Connection, workspace: UUID, used: Mapping[UsageKey, Usage], released: Mapping[date, Spent]
) -> None:
    """Record what ended calls used, and change what is taken of each day's budget by as much as is ``released``."""
    for day in sorted(released):
        await connection.run("reconcile_budget", workspace=workspace, day=day, **asdict(released[day]))
    for key in sorted(used):
        await connection.run("add_model_usage", workspace=workspace, **asdict(key), **asdict(used[key]))


async def report(connection: Connection, workspace: UUID, *, since: date, until: date, by: By, limit: int) -> list[Row]:
    """Usage of these days, both included, by day, key or agent, and by purpose; at most ``limit`` rows."""
    return await connection.fetch(
        "model_usage", workspace=workspace, since=since, until=until, limit=limit,
        by_day=by == "day", by_key=by == "key", by_agent=by == "agent",
    )  # fmt: skip


async def collect(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> int:
    """Delete usage of days before then; how many rows."""
    await connection.run("collect_model_budgets", workspace=workspace, before=before)
    return await connection.run("collect_model_usage", workspace=workspace, before=before, limit=limit)
