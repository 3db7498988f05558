"""The engine counts how often a vector was cached: a text asked for again is a hit, a new one is a miss."""

from __future__ import annotations

from tests.live_api import Api, Tenant


async def test_a_repeated_query_is_a_hit(static_api: Api) -> None:
    async def cache() -> tuple[int, int, int]:
        found = (await static_api.get("/v1/engine"))["embedder"]["cache"]
        assert found["entries"] <= found["entries_max"] == 1_000
        return found["hits"], found["misses"], found["entries"]

    await static_api.save("The launch of Apollo is in May")
    hits, misses, entries = await cache()
    for _ in range(3):
        await static_api.search("When is the launch?")
    assert await cache() == (hits + 2, misses + 1, entries + 1)


async def test_without_an_embedder_there_is_no_cache(api: Api) -> None:
    assert (await api.get("/v1/engine"))["embedder"]["cache"] is None


async def test_other_workspaces_are_not_told(static_tenant: Tenant) -> None:
    assert (await static_tenant.get("/v1/engine"))["embedder"]["cache"] is None
