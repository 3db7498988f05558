"""A preview shows the tier of the search and the embedder."""

from __future__ import annotations

import pytest

from tests.live_api import Tenant


@pytest.mark.parametrize(
    ("asked", "tier", "source"),
    [
        ({"query": "tea"}, "exact", "static"),
        ({"query": "tea", "strategy": "keyword"}, "exact", None),
        ({"query": "", "strategy": "recent"}, "recent", None),
        ({"query": "tea", "queries": ["drinks"]}, "exact", "static"),
        ({"query": "tea", "agent": "nobody"}, None, None),
    ],
)
async def test_it_shows_tier_and_embedder(
    static_tenant: Tenant, asked: dict[str, object], tier: str | None, source: str | None
) -> None:
    await static_tenant.save("Maria likes tea")
    answer = await static_tenant.post("/v1/memories/search/preview", {"agent": "a"} | asked)
    assert answer["tier"] == tier
    assert (answer["embedder"] or "").partition(":")[0] == (source or "")
