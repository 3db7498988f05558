"""A preview shows the tier of the search, the embedder, the store, and whether the query's vector was cached."""

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


async def test_it_shows_the_store(static_tenant: Tenant) -> None:
    await static_tenant.save("Maria likes tea")
    stores = {}
    for strategy in ("hybrid", "semantic", "keyword", "recent"):
        asked = {"agent": "a", "query": "tea", "strategy": strategy}
        stores[strategy] = (await static_tenant.post("/v1/memories/search/preview", asked))["store"]
    assert stores == {
        "hybrid": "pgvector:halfvec",
        "semantic": "pgvector:halfvec",
        "keyword": "postgres",
        "recent": "postgres",
    }
    unknown = await static_tenant.post("/v1/memories/search/preview", {"agent": "nobody", "query": "tea"})
    assert (unknown["store"], unknown["cache"]) == (None, None)


async def test_it_shows_cache_hits(static_tenant: Tenant) -> None:
    async def cache(**asked: object) -> object:
        answer = await static_tenant.post("/v1/memories/search/preview", {"agent": "a"} | asked)
        return answer["cache"]

    await static_tenant.save("Maria likes tea")
    query = f"what does Maria of {static_tenant.workspace} like?"
    assert await cache(query=query) == {"hits": 0, "misses": 1}
    assert await cache(query=query) == {"hits": 1, "misses": 0}
    assert await cache(query=query, queries=[f"drinks {static_tenant.workspace}"]) == {"hits": 1, "misses": 1}
    assert await cache(query=query, strategy="keyword") is None
