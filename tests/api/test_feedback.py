"""Saying whether a memory was of use."""

from __future__ import annotations

import pytest

from tests.live_api import Caller, Tenant


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


async def rate(api: Caller, memory_id: str, useful: bool) -> float:
    answer = await api.post(f"/v1/memories/{memory_id}/feedback", {"useful": useful})
    return float(answer["importance"])


async def test_importance_moves_by_a_step_and_the_history_says_why(api: Caller) -> None:
    saved = await api.save("The office is in Bergen", importance=0.5)
    assert await rate(api, saved["id"], True) == pytest.approx(0.6)
    assert await rate(api, saved["id"], False) == pytest.approx(0.5)
    history = (await api.get(f"/v1/memories/{saved['id']}/history"))["items"]
    assert [one["reason"] for one in history] == ["saved", "feedback: useful", "feedback: not useful"]
    assert [one["version"] for one in history] == [1, 2, 3]


async def test_importance_stays_within_its_bounds(api: Caller) -> None:
    for useful, importance in ((True, 0.95), (False, 0.05)):
        saved = await api.save(f"Fact {useful}", importance=importance)
        assert [await rate(api, saved["id"], useful) for _ in range(2)] == [float(useful)] * 2


async def test_who_may_rate(api: Caller) -> None:
    saved = await api.save("The office is in Bergen")
    path, body = f"/v1/memories/{saved['id']}/feedback", {"useful": True}
    assert await (await api.as_role("agent", "a")).status("POST", path, json=body) == 200
    assert await (await api.as_role("agent", "b")).status("POST", path, json=body) == 404
    assert await (await api.as_role("reader")).status("POST", path, json=body) == 403
    assert await api.status("POST", path, json={}) == 422
    await api.delete(f"/v1/memories/{saved['id']}")
    assert await api.status("POST", path, json=body) == 404
