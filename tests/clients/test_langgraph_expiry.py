"""Times to live in the LangGraph store over real HTTP."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from reverie_client.langgraph import ReverieStore
from tests.clients.langgraph_stores import keys, store_of
from tests.live_api import Api


async def ends(api: Api) -> datetime | None:
    """When the one item here expires."""
    (memory,) = (await api.get("/v1/memories", agent="a"))["items"]
    return datetime.fromisoformat(memory["expires_at"]) if memory["expires_at"] else None


async def half_over(api: Api) -> datetime:
    """Half of the hour that the one item here was given is over; when it expires now."""
    (memory,) = (await api.get("/v1/memories", agent="a"))["items"]
    left = datetime.now(UTC) + timedelta(minutes=30)
    await api.patch(f"/v1/memories/{memory['id']}", {"version": memory["version"], "expires_at": left.isoformat()})
    return left


async def test_what_has_lived_its_time_is_gone(store: ReverieStore, static_api: Api) -> None:
    await store.aput(("t",), "k", {"text": "short-lived"}, ttl=60)
    await store.aput(("t",), "kept", {"text": "long-lived"})
    later = datetime.now(UTC) + timedelta(minutes=61)
    static_api.runtime.now = lambda: later
    assert await store.aget(("t",), "k") is None
    assert await keys(store, "t") == await keys(store, "t", query="lived") == ["kept"]
    assert await store.alist_namespaces() == [("t",)]
    await store.adelete(("t",), "kept")
    assert await store.alist_namespaces() == []


async def test_an_item_put_again_after_its_time_lives_again(store: ReverieStore, static_api: Api) -> None:
    await store.aput(("t",), "k", {"text": "short-lived"}, ttl=60)
    later = datetime.now(UTC) + timedelta(minutes=61)
    static_api.runtime.now = lambda: later
    await store.aput(("t",), "k", {"text": "short-lived"}, ttl=None)
    assert await keys(store, "t", query="lived") == ["k"]


async def test_reading_renews_the_time_to_live(store: ReverieStore, static_api: Api) -> None:
    await store.aput(("t",), "k", {"text": "read often"}, ttl=60)
    for read in (
        lambda: store.aget(("t",), "k"),
        lambda: store.asearch(("t",)),
        lambda: store.asearch(("t",), query="read"),
    ):
        before = await half_over(static_api)
        await read()
        assert (await ends(static_api)) > before  # type: ignore[operator]
    before = await half_over(static_api)
    await store.aget(("t",), "k", refresh_ttl=False)
    await store.asearch(("t",), query="read", refresh_ttl=False)
    assert await ends(static_api) == before


async def test_a_read_soon_after_is_no_write(store: ReverieStore, static_api: Api) -> None:
    await store.aput(("t",), "k", {"text": "read often"}, ttl=60)
    before = await ends(static_api)
    await store.aget(("t",), "k")
    assert await ends(static_api) == before


async def test_times_to_live_by_default(static_api: Api) -> None:
    async with store_of(static_api, ttl={"default_ttl": 60, "refresh_on_read": False}) as store:
        await store.aput(("t",), "k", {"text": "x"})
        before = await half_over(static_api)
        await store.aget(("t",), "k")
        assert await ends(static_api) == before
        await store.aget(("t",), "k", refresh_ttl=True)
        assert (await ends(static_api)) > before  # type: ignore[operator]
        await store.aput(("t",), "k", {"text": "x"}, ttl=None)
        assert await ends(static_api) is None
