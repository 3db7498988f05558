"""The ledger of calls to models: each workspace's budget of the day, shared by all processes, and who used what.

A call is reserved before it is made, at the most that it may use, in the row of the workspace's day: one statement that
takes the amount only if it fits, so that processes together never pass a limit, however many call at once. When it
has ended, the reservation is replaced by what it used, and its usage recorded by key, agent, purpose and model. That is
written behind, each second and on a clean stop. A crash leaves what was not written reserved until midnight, so the
budget is never passed; what is recorded then lacks the calls under way and those of the last second.

Calls are kept where a workspace wants it: masked and written behind, so that no call waits. A crash loses those of the
last second, and so does what cannot be masked or written: they are statistics. What was said before a purge is not kept
after it.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, astuple, dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from time import perf_counter
from uuid import UUID

import structlog

from service.concurrency.write_behind import WriteBehindBuffer
from service.db.deferred_commit import current_deferred_commit, without_deferred_commit
from service.db.pool import Connection, Database
from service.domain.field_types import replace_unstorable
from service.domain.ids import NO_KEY, new_id
from service.domain.kept_calls import ModelCall
from service.domain.limits import LimitHolder, Limits
from service.domain.model_calls import ERROR_CHARACTERS_MAX, Exchange, shortened
from service.domain.spending import INSTALLATION, Charge, Payer, Purpose, Usage, payer
from service.domain.workspace import WorkspaceSettings
from service.errors import BudgetReached, CostLimitReached, Unavailable
from service.metrics import Metrics
from service.privacy.redactor import PiiPolicy, Redactor, RedactorUnavailable
from service.store import limits as limits_store
from service.store import model_usage, workspaces
from service.store.model_usage import BudgetLimits, Spent, UsageKey
from service.store.settings import workspace_settings

log = structlog.get_logger(__name__)

SETTINGS = ("budget.day_tokens_max", "budget.day_cost_max_usd", "dream.day_tokens_max", "dream.day_cost_max_usd")
"""In the order of ``BudgetLimits``."""
LATE = timedelta(minutes=10)
"""For so long after a purge has begun, a call may be made of what was read before it has ended."""


class ModelLedger(WriteBehindBuffer):
    """The ledger of one process. ``calls``: where calls go of workspaces that keep them."""

    def __init__(self, db: Database, now: Callable[[], datetime], measures: Metrics, calls: ModelCallLog) -> None:
        super().__init__()
        self._db = db
        self._now = now
        self._measures = measures
        self._calls = calls
        self._used: dict[UUID, dict[UsageKey, Usage]] = {}
        self._released: dict[UUID, dict[tuple[date, UUID], Spent]] = {}

    async def reserve(self, purpose: Purpose, model: str, worst: Usage) -> Charge:
        """See Ledger.reserve. Raises Unavailable when the database is away: nothing is spent unseen."""
        who = payer()
        purpose = who.purpose or purpose
        now = self._now()
        day = now.astimezone(UTC).date()
        workspace, most = who.workspace_id, Spent.by(purpose, worst)
        key = UsageKey(day, purpose, model, who.key_id or NO_KEY, who.agent or "")
        if workspace == INSTALLATION.workspace_id:  # never limited, so that a probe needs no database
            return _Charge(self, who, now, key, Spent(), _Reserved((NO_KEY,)))
        try:
            reserved = await self._reserve(workspace, who.key_id, day, most)
        except _Full:
            await self.flush()  # what this process has not written yet may be what is missing
            try:
                reserved = await self._reserve(workspace, who.key_id, day, most)
            except _Full as full:
                raise await self._reached(workspace, day, most, full.budget) from None
        return _Charge(self, who, now, key, most, reserved)

    def settle(self, workspace: UUID, key: UsageKey, most: Spent, reserved: tuple[UUID, ...], actual: Usage) -> None:
        """Note what a call used, to be written."""
        released = Spent.by(key.purpose, actual) - most
        self._add(workspace, {key: actual}, {(key.day, key_id): released for key_id in reserved})
        self._measure(key.purpose, actual)

    async def write(self) -> None:
        """Write what ended calls used. What cannot be written is kept for the next time."""
        for workspace in list(self._used):
            used, released = self._used.pop(workspace, {}), self._released.pop(workspace, {})
            try:
                async with self._transaction(workspace) as connection:
                    if workspace != INSTALLATION.workspace_id and not await workspaces.hold(connection, workspace):
                        continue
                    await model_usage.settle(connection, workspace, used, released)
            except BaseException as error:
                self._add(workspace, used, released)
                if not isinstance(error, Unavailable):
                    raise
                log.warning("model_usage_not_written", error=error.message)

    def keep(self, charge: _Charge, actual: Usage, exchange: Exchange) -> None:
        """Have a call kept that has ended."""
        ms = (perf_counter() - charge.started) * 1000
        self._calls.note(charge.who, charge.key.purpose, charge.key.model, charge.at, ms, actual, exchange)

    async def _reserve(self, workspace: UUID, key_id: UUID | None, day: date, most: Spent) -> _Reserved:
        """Reserve in each budget that the call takes of. Raises _Full, and reserves nothing, where that would pass a
        limit."""
        async with self._transaction(workspace) as connection:
            settings = await workspace_settings(connection, workspace)
            budgets = await _budgets(connection, workspace, key_id, settings)
            for budget in budgets:
                if not await model_usage.reserve(connection, workspace, budget.key_id, day, most, budget.most):
                    raise _Full(budget)
        kept = settings.retention.model_calls_days is not None
        return _Reserved(tuple(budget.key_id for budget in budgets), kept=kept)

    async def _reached(self, workspace: UUID, day: date, most: Spent, budget: _Budget) -> BudgetReached:
        async with self._transaction(workspace) as connection:
            taken, earlier = await model_usage.taken(connection, workspace, day, budget.key_id)
        midnight = datetime.combine(day + timedelta(days=1), time(), UTC)
        limits, wanted = budget.limits, (taken + most).cost_usd
        if limits.day_cost_max_usd is not None and wanted > limits.day_cost_max_usd:
            return CostLimitReached(
                "day_cost_max_usd", budget.of, max=limits.day_cost_max_usd, used=taken.cost_usd,
                retry_after_s=self._seconds_until(midnight),
            )  # fmt: skip
        if limits.month_cost_max_usd is not None and earlier + wanted > limits.month_cost_max_usd:
            return CostLimitReached(
                "month_cost_max_usd", budget.of, max=limits.month_cost_max_usd, used=earlier + taken.cost_usd,
                retry_after_s=self._seconds_until(_next_month(day)),
            )  # fmt: skip
        position = next(iter(budget.most.passed_by(taken + most)), 0)
        setting = SETTINGS[position]
        limit, used, needed = (_amount(astuple(each)[position], setting) for each in (budget.most, taken, most))
        return BudgetReached(
            f"budget reached: {used} of today's {limit} are taken, and this call may use {needed} "
            f"(setting {setting}); the next day begins at 00:00 UTC.",
            retry_after_s=self._seconds_until(midnight),
        )

    def _seconds_until(self, moment: datetime) -> int:
        return max(1, math.ceil((moment - self._now()).total_seconds()))

    @asynccontextmanager
    async def _transaction(self, workspace: UUID) -> AsyncIterator[Connection]:
        """Open a transaction of its own, also within a request that commits with its answer: a row that other calls
        wait for must not stay locked while a model is called."""
        if (ending := current_deferred_commit()) is not None:
            await ending.commit()
        with without_deferred_commit():
            async with self._db.transaction(workspace, track_lsn=False) as connection:
                yield connection

    def _add(self, workspace: UUID, used: dict[UsageKey, Usage], released: dict[tuple[date, UUID], Spent]) -> None:
        usages, takings = self._used.setdefault(workspace, {}), self._released.setdefault(workspace, {})
        for key, usage in used.items():
            usages[key] = usages.get(key, Usage()) + usage
        for place, taken in released.items():
            takings[place] = takings.get(place, Spent()) + taken

    def _measure(self, purpose: Purpose, actual: Usage) -> None:
        measures = self._measures
        measures.model_calls.labels(purpose, "failed").inc(actual.failed_calls)
        measures.model_calls.labels(purpose, "answered").inc(actual.calls - actual.failed_calls)
        measures.model_tokens.labels(purpose, "prompt").inc(actual.prompt_tokens)
        measures.model_tokens.labels(purpose, "completion").inc(actual.completion_tokens)
        measures.model_cost.labels(purpose).inc(actual.cost_usd)


@dataclass(frozen=True, slots=True)
class _Reserved:
    """The keys in whose budgets a call is reserved (zero: the workspace), and whether the workspace keeps it."""

    keys: tuple[UUID, ...]
    kept: bool = False


@dataclass(slots=True)
class _Charge:
    """One call, begun at this time and reserved at ``most``."""

    budget: ModelLedger
    who: Payer
    at: datetime
    key: UsageKey
    most: Spent
    reserved: _Reserved
    started: float = field(default_factory=perf_counter)

    def settle(self, actual: Usage, exchange: Callable[[], Exchange] | None = None) -> None:
        self.budget.settle(self.who.workspace_id, self.key, self.most, self.reserved.keys, actual)
        if exchange is not None and self.reserved.kept:
            self.budget.keep(self, actual, exchange())


def _amount(value: float, setting: str) -> str:
    return f"${value:,.4f}" if "cost" in setting else f"{value:,} tokens"


@dataclass(frozen=True, slots=True)
class _Budget:
    """Of the workspace, where ``key_id`` is zero, or of a key: its ``limits``, and the ``most`` that may be taken."""

    of: LimitHolder
    key_id: UUID
    limits: Limits
    most: BudgetLimits


class _Full(Exception):
    """A call does not fit into a budget."""

    def __init__(self, budget: _Budget) -> None:
        super().__init__()
        self.budget = budget


async def _budgets(
    connection: Connection, workspace: UUID, key_id: UUID | None, settings: WorkspaceSettings
) -> list[_Budget]:
    """Return the budgets that a call takes of: the workspace's, and those of the key and of the keys that it comes from
    where their cost is limited; of keys in one order (lock ordering against deadlock)."""
    whole, of_keys = await limits_store.in_force(connection, workspace, key_id)
    costs = [cost for cost in (settings.budget.day_cost_max_usd, whole.day_cost_max_usd) if cost is not None]
    most = BudgetLimits(
        settings.budget.day_tokens_max,
        min(costs, default=None),
        settings.dream.day_tokens_max,
        settings.dream.day_cost_max_usd,
        whole.month_cost_max_usd,
    )
    budgets = [_Budget("workspace", NO_KEY, whole, most)]
    for holder, own in sorted(of_keys.items()):
        if (own.day_cost_max_usd, own.month_cost_max_usd) != (None, None):
            of_key = BudgetLimits(cost_max_usd=own.day_cost_max_usd, month_cost_max_usd=own.month_cost_max_usd)
            budgets.append(_Budget("key", holder, own, of_key))
    return budgets


def _next_month(day: date) -> datetime:
    return datetime.combine((day.replace(day=28) + timedelta(days=4)).replace(day=1), time(), UTC)


class ModelCallLog(WriteBehindBuffer):
    """Calls that one process is about to write."""

    def __init__(self, db: Database, redactor: Redactor) -> None:
        super().__init__()
        self._db = db
        self._redactor = redactor
        self._ended: dict[UUID, list[ModelCall]] = {}

    def note(
        self, who: Payer, purpose: Purpose, model: str, at: datetime, ms: float, used: Usage, exchange: Exchange
    ) -> None:
        """Keep a call that has ended, begun at this time."""
        call = ModelCall(
            new_id(), at, who.agent, list(who.owners), who.dream_id, who.key_id, purpose, model, exchange.outcome,
            exchange.error, exchange.attempt, exchange.failover, round(ms), used.prompt_tokens, used.completion_tokens,
            used.cost_usd, exchange.input, exchange.output, len(exchange.input), len(exchange.output),
        )  # fmt: skip
        self._ended.setdefault(who.workspace_id, []).append(call)

    async def write(self) -> None:
        """Mask and write the calls that have ended since the last time."""
        ended, self._ended = self._ended, {}
        for workspace, calls in ended.items():
            try:
                masked = await self._masked(workspace, calls)
                async with self._db.transaction(workspace, track_lsn=False) as connection:
                    if not await workspaces.hold(connection, workspace):
                        continue
                    for call in masked:
                        if await connection.value("admits_model_calls", workspace=workspace, since=call.at - LATE):
                            await connection.run("add_model_call", workspace=workspace, **asdict(call))
            except (Unavailable, RedactorUnavailable) as error:
                log.warning("model_calls_not_kept", calls=len(calls), error=error.message)

    async def _masked(self, workspace: UUID, calls: list[ModelCall]) -> list[ModelCall]:
        """Return the calls with personal data masked where the workspace masks what it stores, and with secrets masked
        always."""
        async with self._db.transaction(workspace, track_lsn=False) as connection:
            masking = (await workspace_settings(connection, workspace)).masking
        policy = replace(PiiPolicy.of(masking, lenient=True), secrets="redact")
        texts = [replace_unstorable(text) for call in calls for text in (call.input, call.output, call.error or "")]
        clean = iter([one.text for one in await self._redactor.redact(texts, policy)])
        return [_with_texts(call, next(clean), next(clean), next(clean)) for call in calls]


def _with_texts(call: ModelCall, input_: str, output: str, error: str) -> ModelCall:
    return replace(
        call, input=shortened(input_), output=shortened(output), error=error[:ERROR_CHARACTERS_MAX] or None,
        input_chars=len(input_), output_chars=len(output),
    )  # fmt: skip
