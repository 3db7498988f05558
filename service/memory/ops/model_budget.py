"""The ledger of calls to models: each workspace's budget of the day, shared by all processes, and who used what.

A call is reserved before it is made, at the most that it may use, in the row of the workspace's day: one statement that
takes the amount only if it fits, so that processes together never pass a limit, however many call at once. When it
has ended, the reservation is replaced by what it used, and its usage recorded by key, agent, purpose and model. That is
written behind, each second and on a clean stop. A crash leaves what was not written reserved until midnight, so the
budget is never passed; what is recorded then lacks the calls under way and those of the last second.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

import structlog

from service.concurrency.write_behind import WriteBehindBuffer
from service.db.deferred_commit import current_deferred_commit, without_deferred_commit
from service.db.pool import Connection, Database
from service.domain.spending import INSTALLATION, Charge, Purpose, Usage, payer
from service.errors import BudgetReached, Unavailable
from service.metrics import Metrics
from service.store import model_usage
from service.store.model_usage import Limits, Spent, UsageKey
from service.store.settings import workspace_settings

log = structlog.get_logger(__name__)

NO_KEY = UUID(int=0)
SETTINGS = ("budget.day_tokens_max", "budget.day_cost_max_usd", "dream.day_tokens_max", "dream.day_cost_max_usd")
"""In the order of ``Limits``."""


class ModelBudget(WriteBehindBuffer):
    """The ledger of one process."""

    def __init__(self, db: Database, now: Callable[[], datetime], measures: Metrics) -> None:
        super().__init__()
        self._db = db
        self._now = now
        self._measures = measures
        self._used: dict[UUID, dict[UsageKey, Usage]] = {}
        self._released: dict[UUID, dict[date, Spent]] = {}

    async def reserve(self, purpose: Purpose, model: str, worst: Usage) -> Charge:
        """See Ledger.reserve. Raises Unavailable when the database is away: nothing is spent unseen."""
        who = payer()
        purpose = who.purpose or purpose
        day = self._now().astimezone(UTC).date()
        workspace, most = who.workspace_id, Spent.by(purpose, worst)
        key = UsageKey(day, purpose, model, who.key_id or NO_KEY, who.agent or "")
        if workspace == INSTALLATION.workspace_id:  # never limited, so that a probe needs no database
            return _Charge(self, workspace, key, Spent())
        limits = await self._try(workspace, day, most)
        if limits is not None:
            await self.flush()  # what this process has not written yet may be what is missing
            limits = await self._try(workspace, day, most)
        if limits is not None:
            raise await self._reached(workspace, day, most, limits)
        return _Charge(self, workspace, key, most)

    def settle(self, workspace: UUID, key: UsageKey, most: Spent, actual: Usage) -> None:
        """Note what a call used, to be written."""
        self._add(workspace, {key: actual}, {key.day: Spent.by(key.purpose, actual) - most})
        self._measure(key.purpose, actual)

    async def write(self) -> None:
        """Write what ended calls used. What cannot be written is kept for the next time."""
        for workspace in list(self._used):
            used, released = self._used.pop(workspace, {}), self._released.pop(workspace, {})
            try:
                async with self._transaction(workspace) as connection:
                    await model_usage.settle(connection, workspace, used, released)
            except BaseException as error:
                self._add(workspace, used, released)
                if not isinstance(error, Unavailable):
                    raise
                log.warning("model_usage_not_written", error=error.message)

    async def _try(self, workspace: UUID, day: date, most: Spent) -> Limits | None:
        """Reserve; the limits in force where that would pass one of them."""
        async with self._transaction(workspace) as connection:
            limits = await _limits(connection, workspace)
            return None if await model_usage.reserve(connection, workspace, day, most, limits) else limits

    async def _reached(self, workspace: UUID, day: date, most: Spent, limits: Limits) -> BudgetReached:
        async with self._transaction(workspace) as connection:
            taken = await model_usage.taken(connection, workspace, day)
        position = next(iter(limits.passed_by(taken + most)), 0)
        setting = SETTINGS[position]
        limit, used, needed = (_amount(astuple(each)[position], setting) for each in (limits, taken, most))
        midnight = datetime.combine(day + timedelta(days=1), time(), UTC)
        return BudgetReached(
            f"budget reached: {used} of today's {limit} are taken, and this call may use {needed} "
            f"(setting {setting}); the next day begins at 00:00 UTC.",
            retry_after_s=max(1, math.ceil((midnight - self._now()).total_seconds())),
        )

    @asynccontextmanager
    async def _transaction(self, workspace: UUID) -> AsyncIterator[Connection]:
        """A transaction of its own, also within a request that commits with its answer: a row that other calls wait for
        must not stay locked while a model is called."""
        if (ending := current_deferred_commit()) is not None:
            await ending.commit()
        with without_deferred_commit():
            async with self._db.transaction(workspace, track_lsn=False) as connection:
                yield connection

    def _add(self, workspace: UUID, used: dict[UsageKey, Usage], released: dict[date, Spent]) -> None:
        usages, takings = self._used.setdefault(workspace, {}), self._released.setdefault(workspace, {})
        for key, usage in used.items():
            usages[key] = usages.get(key, Usage()) + usage
        for day, taken in released.items():
            takings[day] = takings.get(day, Spent()) + taken

    def _measure(self, purpose: Purpose, actual: Usage) -> None:
        measures = self._measures
        measures.model_calls.labels(purpose, "failed").inc(actual.failed_calls)
        measures.model_calls.labels(purpose, "answered").inc(actual.calls - actual.failed_calls)
        measures.model_tokens.labels(purpose, "prompt").inc(actual.prompt_tokens)
        measures.model_tokens.labels(purpose, "completion").inc(actual.completion_tokens)
        measures.model_cost.labels(purpose).inc(actual.cost_usd)


@dataclass(slots=True)
class _Charge:
    """One call, reserved at ``most``."""

    budget: ModelBudget
    workspace: UUID
    key: UsageKey
    most: Spent

    def settle(self, actual: Usage) -> None:
        self.budget.settle(self.workspace, self.key, self.most, actual)


def _amount(value: float, setting: str) -> str:
    return f"${value:,.4f}" if "cost" in setting else f"{value:,} tokens"


async def _limits(connection: Connection, workspace: UUID) -> Limits:
    settings = await workspace_settings(connection, workspace)
    return Limits(
        settings.budget.day_tokens_max,
        settings.budget.day_cost_max_usd,
        settings.dream.day_tokens_max,
        settings.dream.day_cost_max_usd,
    )
