"""A window's summary keeps who said what: another speaker's words never become the session's user's."""

from __future__ import annotations

import pytest

from tests.live_api import Tenant
from tests.worker.dreaming import say


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def test_each_turn_keeps_its_speaker(api: Tenant) -> None:
    await say(api, "The red car is mine.", session="s", user="alice")
    await say(api, "The green car is mine.", session="s", user="alice", name="Mel")
    await say(api, "The blue car is mine.", session="s", user="bob")
    await say(api, "Nobody else has a car.", session="s", user="alice")
    await say(api, "That was all.", session="s", user="alice")
    await api.post("/v1/sessions/s/compact?agent=a")
    found = await api.get("/v1/memories", agent="a", type="observation")
    (summary,) = found["items"]
    assert "alice: The red car is mine." in summary["content"]
    assert "Mel: The green car is mine." in summary["content"]
    assert "alice: The green car" not in summary["content"]
    assert "alice: The blue car" not in summary["content"]
    assert summary["user"] is None
