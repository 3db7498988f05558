"""Reservations of several processes in one day's budget: they fit exactly, and what they used is written once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.limits import Limits
from service.domain.principal import KeyGrant
from service.domain.spending import Payer, Purpose, Usage, paid_by
from service.errors import BudgetReached, CostLimitReached
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from service.store import keys
from tests.memory.test_model_budget import rows, taken

PAYER = Payer(DEFAULT_WORKSPACE)
OTHER = Payer(UUID(int=7))
CALL = Usage(calls=1, prompt_tokens=60, completion_tokens=40, cost_usd=0.01)
Json = dict[str, Any]


@pytest.fixture
async def runtimes(settings: Settings) -> AsyncIterator[list[Runtime]]:
    """Three processes' engines on one database."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(open_runtime(settings, f"test-{n}")) for n in range(3)]


async def _limits(runtime: Runtime, **sections: Json) -> None:
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.run("put_settings", workspace=DEFAULT_WORKSPACE, value=sections)


async def _reserve(runtime: Runtime, payer: Payer = PAYER, purpose: Purpose = "ask", worst: Usage = CALL) -> Any:
    with paid_by(payer):
        try:
            return await runtime.budget.reserve(purpose, "m", worst)
        except BudgetReached:
            return None


@pytest.mark.first_tier
@pytest.mark.parametrize("bound", [{"day_tokens_max": 1_050}, {"day_cost_max_usd": 0.105}])
async def test_what_is_reserved_at_once_fits_exactly(runtimes: list[Runtime], bound: Json) -> None:
    await _limits(runtimes[0], budget=bound)
    charges = await asyncio.gather(*(_reserve(runtimes[n % 3]) for n in range(60)))
    made = [charge for charge in charges if charge]
    assert len(made) == 10
    for charge in made:
        charge.settle(Usage(1, 0, 10, 0, 0.001))
    await asyncio.gather(*(runtime.budget.flush() for runtime in runtimes))
    assert sum(bool(charge) for charge in await asyncio.gather(*(_reserve(runtimes[n % 3]) for n in range(60)))) == 9


async def test_calls_of_others_and_for_others_do_not_count(runtimes: list[Runtime]) -> None:
    await _limits(runtimes[0], budget={"day_tokens_max": 100}, dream={"day_tokens_max": 0})
    assert await _reserve(runtimes[0], OTHER)
    assert await _reserve(runtimes[0], purpose="extract") is None
    assert await _reserve(runtimes[0], purpose="bulletin") is None
    assert await _reserve(runtimes[0], purpose="summary")
    assert await _reserve(runtimes[0], purpose="summary") is None
    assert await _reserve(runtimes[0], OTHER)


async def test_a_dreams_limit_is_within_that_of_all(runtimes: list[Runtime]) -> None:
    await _limits(runtimes[0], budget={"day_tokens_max": 250}, dream={"day_tokens_max": 100})
    assert await _reserve(runtimes[0], purpose="extract")
    assert await _reserve(runtimes[1], purpose="reconcile") is None
    assert await _reserve(runtimes[2], purpose="ask")
    assert await _reserve(runtimes[1], purpose="ask") is None


async def test_a_refusal_looks_at_what_this_process_has_not_written_yet(runtimes: list[Runtime]) -> None:
    await _limits(runtimes[0], budget={"day_tokens_max": 100})
    for _ in range(20):
        charge = await _reserve(runtimes[0])
        assert charge is not None
        charge.settle(Usage(calls=1, failed_calls=1))


async def test_the_next_day_begins_at_midnight_in_utc(runtimes: list[Runtime], database_url: str) -> None:
    runtime = runtimes[0]
    await _limits(runtime, budget={"day_tokens_max": 100})
    now = datetime(2030, 3, 1, 23, 59, 59, tzinfo=UTC)
    runtime.now = lambda: now
    late = await _reserve(runtime)
    with paid_by(PAYER), pytest.raises(BudgetReached, match=r"100 tokens of today's 100 tokens") as reached:
        await runtime.budget.reserve("ask", "m", CALL)
    assert reached.value.retry_after_s == 1
    now += timedelta(seconds=2)
    assert await _reserve(runtime)
    late.settle(Usage(1, 0, 30, 0, 0.0))
    await runtime.budget.flush()
    assert {row["day"].day: row["tokens"] for row in await rows(database_url, "model_budgets")} == {1: 30, 2: 100}
    assert [(row["day"].day, row["prompt_tokens"]) for row in await rows(database_url, "model_usage")] == [(1, 30)]


async def test_what_cannot_be_written_is_written_later_and_once(runtimes: list[Runtime], database_url: str) -> None:
    charge = await _reserve(runtimes[0])
    async with runtimes[0].db.unscoped() as connection:
        await connection.raw.execute("ALTER TABLE model_usage RENAME TO gone")
    charge.settle(CALL)
    for _ in range(3):
        with pytest.raises(asyncpg.UndefinedTableError):
            await runtimes[0].budget.flush()
    async with runtimes[0].db.unscoped() as connection:
        await connection.raw.execute("ALTER TABLE gone RENAME TO model_usage")
    await asyncio.gather(*(runtimes[0].budget.flush() for _ in range(5)))
    (row,) = await rows(database_url, "model_usage")
    assert (row["calls"], row["prompt_tokens"], row["completion_tokens"]) == (1, 60, 40)
    assert await taken(database_url) == 100


async def _limit(runtime: Runtime, key_id: UUID | None = None, **limits: float) -> None:
    """Set limits of the workspace or of a key, which is made where there is none."""
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        if key_id is None:
            statement = "UPDATE workspaces SET limits = $2 WHERE workspace_id = $1"
            await connection.raw.execute(statement, DEFAULT_WORKSPACE, limits)
        else:
            await keys.add(
                connection, DEFAULT_WORKSPACE, key_id, KeyGrant("reader", "r", limits=Limits(**limits)),
                hashed=key_id.bytes, prefix="",
            )  # fmt: skip


@pytest.mark.parametrize("of", ["workspace", "key"])
@pytest.mark.parametrize("limit", ["day_cost_max_usd", "month_cost_max_usd"])
async def test_costs_reserved_at_once_fit_exactly_into_a_limit(runtimes: list[Runtime], of: str, limit: str) -> None:
    key_id = new_id()
    await _limit(runtimes[0], key_id if of == "key" else None, **{limit: 0.105})
    payer = Payer(DEFAULT_WORKSPACE, key_id)
    charges = await asyncio.gather(*(_reserve(runtimes[n % 3], payer) for n in range(60)))
    made = [charge for charge in charges if charge]
    assert len(made) == 10
    with paid_by(payer), pytest.raises(CostLimitReached) as reached:
        await runtimes[0].budget.reserve("ask", "m", CALL)
    error = reached.value
    assert (error.limit, error.of, error.max, round(error.used, 6)) == (limit, of, 0.105, 0.1)
    assert (await _reserve(runtimes[0], Payer(DEFAULT_WORKSPACE, new_id())) is None) == (of == "workspace")
    for charge in made:
        charge.settle(Usage(1, 0, 10, 0, 0.001))
    await asyncio.gather(*(runtime.budget.flush() for runtime in runtimes))
    again = await asyncio.gather(*(_reserve(runtimes[n % 3], payer) for n in range(60)))
    assert sum(bool(charge) for charge in again) >= 8


async def test_what_a_key_made_counts_against_its_makers_too(runtimes: list[Runtime]) -> None:
    runtime, maker, made = runtimes[0], new_id(), new_id()
    await _limit(runtime, maker, day_cost_max_usd=0.025)
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        grant = KeyGrant("agent", "r", "a", makers=(maker,))
        await keys.add(connection, DEFAULT_WORKSPACE, made, grant, hashed=made.bytes, prefix="")
    assert await _reserve(runtime, Payer(DEFAULT_WORKSPACE, made))
    assert await _reserve(runtime, Payer(DEFAULT_WORKSPACE, maker))
    for payer in (maker, made):
        with paid_by(Payer(DEFAULT_WORKSPACE, payer)), pytest.raises(CostLimitReached) as reached:
            await runtime.budget.reserve("ask", "m", CALL)
        assert (reached.value.of, reached.value.max, round(reached.value.used, 6)) == ("key", 0.025, 0.02)


async def test_a_month_adds_up_its_days_and_begins_anew(runtimes: list[Runtime]) -> None:
    runtime = runtimes[0]
    await _limit(runtime, month_cost_max_usd=0.025, day_cost_max_usd=0.015)
    now = datetime(2031, 1, 29, 12, tzinfo=UTC)
    runtime.now = lambda: now
    assert await _reserve(runtime)
    assert await _reserve(runtime) is None
    now = datetime(2031, 1, 30, 12, tzinfo=UTC)
    assert await _reserve(runtime)
    now = datetime(2031, 1, 31, 23, 59, tzinfo=UTC)
    with paid_by(PAYER), pytest.raises(CostLimitReached) as reached:
        await runtime.budget.reserve("ask", "m", CALL)
    assert (reached.value.limit, reached.value.retry_after_s) == ("month_cost_max_usd", 60)
    now += timedelta(minutes=1)
    assert await _reserve(runtime)


async def test_the_smaller_of_a_setting_and_a_limit_holds(runtimes: list[Runtime]) -> None:
    await _limits(runtimes[0], budget={"day_cost_max_usd": 0.015})
    await _limit(runtimes[0], day_cost_max_usd=0.025)
    assert await _reserve(runtimes[0])
    with paid_by(PAYER), pytest.raises(BudgetReached, match=r"setting budget.day_cost_max_usd"):
        await runtimes[0].budget.reserve("ask", "m", CALL)
    await _limits(runtimes[0], budget={"day_cost_max_usd": 1})
    assert await _reserve(runtimes[0])
    assert await _reserve(runtimes[0]) is None
