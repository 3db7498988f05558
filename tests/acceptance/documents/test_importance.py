"""Importance "0.0–1.0, drives retrieval ranking", as it is when searched: decayed by the clock, not by dreams."""

from __future__ import annotations

from typing import Any

import pytest

from service.memory.counters import AccessCounter
from tests.live_api import Tenant
from tests.worker.test_decay import days_pass

TYPES = ("fact", "decision", "goal")


@pytest.fixture
def api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


async def previewed(api: Tenant, query: str, **fields: Any) -> list[dict[str, Any]]:
    """The results of a search that counts no access."""
    answer = await api.post("/v1/memories/search/preview", {"agent": "a", "query": query} | fields)
    results: list[dict[str, Any]] = answer["results"]
    return results


async def test_of_what_answers_alike_the_more_important_comes_first(api: Tenant) -> None:
    for number, importance in enumerate((0.1, 0.9, 0.5)):
        await api.save("The gateway is deployed at noon", type=TYPES[number], importance=importance)
        await api.save(f"Gateway {number} listens on port {number}", type="fact", importance=importance)
    results = await previewed(api, "when is the gateway deployed?")
    assert [one["memory"]["importance"] for one in results[:3]] == [0.9, 0.5, 0.1]
    results = await previewed(api, "gateways that listen on a port", types=["fact"], strategy="keyword")
    assert [one["memory"]["importance"] for one in results[:3]] == [0.9, 0.5, 0.1]
    assert [one["boosts"]["importance"] for one in results[:3]] == pytest.approx([0.09, 0.05, 0.01])


async def test_it_never_outweighs_an_answer(api: Tenant) -> None:
    await api.save("The gateway is painted green", importance=1.0)
    await api.save("The gateway listens on port 8443", importance=0.1)
    first, *_ = await previewed(api, "on which port does the gateway listen?")
    assert "8443" in first["memory"]["content"]


async def test_the_boost_is_a_setting(api: Tenant) -> None:
    await api.save("The gateway is restarted at noon", importance=1.0)
    await api.put("/v1/settings", {"retrieval": {"importance_boost": 0}})
    (result,) = await previewed(api, "gateway")
    assert "importance" not in result["boosts"]
    await api.put("/v1/settings", {"retrieval": {"importance_boost": 0.25}})
    (result,) = await previewed(api, "gateway")
    assert result["boosts"]["importance"] == pytest.approx(0.25)


async def test_an_event_counts_and_fades_by_the_clock_without_a_dream(api: Tenant) -> None:
    await api.save("The gate squeaks", type="observation", importance=0.4)
    for expected in (0.4, 0.2, 0.1):
        (result,) = await previewed(api, "which gate squeaks?")
        assert result["memory"]["effective_importance"] == pytest.approx(expected)
        assert result["boosts"]["importance"] == pytest.approx(expected / 10)
        assert await previewed(api, "gate", min_importance=expected + 0.01) == []
        assert len(await previewed(api, "gate", min_importance=expected - 0.01)) == 1
        await days_pass(api, 31)
    assert await previewed(api, "which gate squeaks?") == []
    (result,) = await previewed(api, "which gate squeaks?", include_faded=True)
    assert result["memory"]["effective_importance"] == pytest.approx(0.05)


@pytest.mark.parametrize("how", ["read", "said again", "rated", "exempted"])
async def test_what_is_revived_is_found_at_once(api: Tenant, how: str) -> None:
    said = {"type": "observation", "importance": 0.4, "occurred_at": "2026-05-01T10:00:00Z"}
    saved = await api.save("The gate squeaks", **said)
    await days_pass(api, 93)
    assert await previewed(api, "gate") == []
    if how == "read":
        await api.search("gate", include_faded=True)
        await api.inside(lambda runtime: runtime.part(AccessCounter).flush())
    elif how == "said again":
        await api.save("The gate squeaks", **said)
    elif how == "rated":
        await api.post(f"/v1/memories/{saved['id']}/feedback", {"useful": True})
        await api.search("gate", include_faded=True)
        await api.inside(lambda runtime: runtime.part(AccessCounter).flush())
    else:
        await api.patch(f"/v1/memories/{saved['id']}", {"decay_exempt": True, "version": 1})
    assert len(await previewed(api, "gate")) == 1


async def test_what_others_never_let_fade_stays(api: Tenant) -> None:
    await api.save("The gate will be oiled", type="decision", importance=0.4)
    await api.save("The gate was oiled", type="event", importance=0.4, decay_exempt=True)
    await days_pass(api, 400)
    results = await previewed(api, "gate")
    assert [one["memory"]["effective_importance"] for one in results] == pytest.approx([0.4, 0.4])
