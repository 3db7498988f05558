"""A bulletin says nothing that has been replaced or edited since it was written, and a context neither."""

from __future__ import annotations

import pytest

from tests.live_api import Tenant


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def bulletin(api: Tenant, **params: int) -> str:
    content: str = (await api.get("/v1/agents/a/bulletin", **params))["content"]
    return content


async def test_what_is_superseded_is_not_said_any_more(api: Tenant) -> None:
    await api.put("/v1/settings", {"users": "shared"})
    long = "is a note of so many words that a summary is shorter than all five of them are together"
    for number in range(5):
        await api.save(f"Batch {number} {long}", importance=0.2)
    await api.save("u1 likes tea", user="u1", type="preference")
    await api.post("/v1/agents/a/bulletin")
    assert "Batch" in await bulletin(api)
    assert (await api.post("/v1/summarize", {"agent": "a", "older_than_days": 0, "dry_run": False}))["memory"]
    assert "tea" in await bulletin(api)
    assert "Batch" not in await bulletin(api)
    built = await api.post("/v1/context", {"agent": "a", "message": "Hello"})
    (told,) = [section for section in built["sections"] if section["name"] == "bulletin"]
    assert "Batch" not in str(told)


async def test_what_is_edited_is_not_said_in_its_former_words(api: Tenant) -> None:
    saved = await api.save("The door is blue")
    await api.save("The roof is red")
    await api.post("/v1/agents/a/bulletin")
    await api.post(f"/v1/memories/{saved['id']}/feedback", {"useful": True})
    assert "door is blue" in await bulletin(api), "what it says is the same"
    version = (await api.get(f"/v1/memories/{saved['id']}"))["version"]
    await api.patch(f"/v1/memories/{saved['id']}", {"version": version, "content": "The door is green"})
    assert "blue" not in await bulletin(api)
    assert "roof is red" in await bulletin(api)
    await api.post("/v1/agents/a/bulletin")
    assert "door is green" in await bulletin(api)
    assert "door is blue" in await bulletin(api, version=1), "a former version is as it was written"
