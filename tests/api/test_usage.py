"""What models were used for, as an admin sees it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.spending import Payer, Purpose, Usage, paid_by
from tests.api.test_metrics import scraped
from tests.live_api import Api
from tests.tables import table
from worker.maintenance.retention import apply_retention

KEY = uuid4()


async def spend(api: Api, purpose: Purpose, agent: str | None = None, key: UUID | None = None, days: int = 0) -> None:
    now = api.runtime.now()
    api.runtime.now = lambda: now - timedelta(days=days)
    with paid_by(Payer(DEFAULT_WORKSPACE, key, agent)):
        charge = await api.runtime.budget.reserve(purpose, "m", Usage(1, 0, 100, 50, 0.5))
    charge.settle(Usage(1, 0, 10, 5, 0.25))
    api.runtime.now = lambda: now


def totals(report: dict[str, Any], by: str) -> dict[Any, int]:
    return {(item[by], item["purpose"]): item["prompt_tokens"] for item in report["items"]}


async def test_usage_by_day_key_and_agent(api: Api) -> None:
    await spend(api, "ask", "ada", KEY)
    await spend(api, "ask", "ada", KEY)
    await spend(api, "embed", None, KEY)
    await spend(api, "extract", "bo", None, days=1)
    now = api.runtime.now()  # stands still since the first spending, also at midnight
    today, yesterday = str(now.date()), str(now.date() - timedelta(days=1))
    report = await api.get("/v1/usage")
    assert totals(report, "day") == {
        (yesterday, "extract"): 10, (today, "ask"): 20, (today, "embed"): 10
    }  # fmt: skip
    assert totals(await api.get("/v1/usage", by="key"), "key_id") == {
        (str(KEY), "ask"): 20, (str(KEY), "embed"): 10, (None, "extract"): 10
    }  # fmt: skip
    assert totals(await api.get("/v1/usage", by="agent"), "agent") == {
        ("ada", "ask"): 20, (None, "embed"): 10, ("bo", "extract"): 10
    }  # fmt: skip
    assert totals(await api.get("/v1/usage", since=today), "day").keys() == {(today, "ask"), (today, "embed")}
    assert totals(await api.get("/v1/usage", until=yesterday), "day").keys() == {(yesterday, "extract")}
    assert report["today"]["tokens"] == 45
    assert report["today"]["cost_usd"] == 0.75
    assert report["today"]["dream_tokens"] == 0
    assert report["today"]["dream_tokens_max"] == 5_000_000


@pytest.mark.parametrize("role", ["agent", "reader"])
async def test_usage_is_for_admins(api: Api, role: str) -> None:
    other = await api.as_role(role, "ada" if role == "agent" else None)
    assert await other.status("GET", "/v1/usage") == 403


async def test_a_span_that_is_none_is_invalid(api: Api) -> None:
    with table() as row:
        for query in [
            {"since": "2024-01-02", "until": "2024-01-01"},
            {"since": "9999-12-31"},
            {"by": "model"},
            {"since": "yesterday"},
            {"until": "0001-01-01"},
        ]:
            with row(query):
                assert await api.status("GET", "/v1/usage", params=query) == 422


async def test_the_ends_of_time_are_days_too(api: Api) -> None:
    assert (await api.get("/v1/usage", since="0001-01-01", until="9999-12-31"))["items"] == []
    assert (await api.get("/v1/usage", until=str(date.min + timedelta(days=3))))["items"] == []


async def test_usage_is_measured_by_purpose(api: Api) -> None:
    await spend(api, "ask")
    await spend(api, "ask")
    found = await scraped(api)
    assert found['reverie_model_calls_total{outcome="answered",purpose="ask"}'] == 2
    assert found['reverie_model_tokens_total{kind="prompt",purpose="ask"}'] == 20
    assert found['reverie_model_cost_usd_total{purpose="ask"}'] == 0.5


async def test_usage_is_kept_for_400_days(api: Api) -> None:
    await spend(api, "ask", days=401)
    await spend(api, "ask", days=399)
    await api.runtime.budget.flush()
    assert (await apply_retention(api.runtime))["usage"] == 1
    assert len((await api.get("/v1/usage", since="2000-01-01"))["items"]) == 1
