"""What the summary of a window says makes no word commoner where messages are searched, in audiences of any size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.live_api import Api, Caller, Tenant

BOTH = ["memories", "messages"]


async def told(api: Caller) -> None:
    said = ["The venue is the old harbour hall.", *(f"Turn {n} is about something else." for n in range(11))]
    messages = [{"role": "user", "content": content} for content in said]
    await api.post("/v1/sessions/s/messages", {"agent": "a", "messages": messages})


async def scores(api: Caller, tier: str, **fields: Any) -> dict[str, float]:
    asked = {"agent": "a", "query": "harbour hall", "strategy": "keyword", "limit": 50, "min_relevance": 0} | fields
    answer = await api.post("/v1/memories/search", asked)
    assert answer["tier"] == tier
    found = [(one["memory"] or one["message"], one["keyword_score"]) for one in answer["results"]]
    return {one["id"]: score for one, score in found if score is not None}


@pytest.mark.parametrize("tier", ["exact", "scan"])
async def test_words_of_messages_stay_as_rare_as_they_are(own_static_api: Api, tier: str) -> None:
    api = own_static_api
    if tier == "scan":
        api.runtime.search_limits = replace(api.runtime.search_limits, exact_rows=-1)
    await told(api)
    before = await scores(api, tier, include=BOTH)
    assert len(before) == 1
    await api.post("/v1/sessions/s/compact?agent=a")
    assert await scores(api, tier, include=BOTH) == pytest.approx(before, rel=0.05), "of 13 rows instead of 12"
    assert len(await scores(api, tier, include=["memories"])) == 1, "its words are searched where messages are not"


async def test_a_summary_that_is_imported_makes_no_word_commoner(static_tenant: Tenant, tenant: Tenant) -> None:
    await told(static_tenant)
    before = await scores(static_tenant, "exact", include=BOTH)
    await static_tenant.post("/v1/sessions/s/compact?agent=a")
    exported = await static_tenant.call("GET", "/v1/export")
    assert (await tenant.call("POST", "/v1/import", content=exported.content)).is_success
    assert await scores(tenant, "exact", include=BOTH) == pytest.approx(before, rel=0.05)
    assert len(await scores(tenant, "exact", include=["memories"])) == 1
