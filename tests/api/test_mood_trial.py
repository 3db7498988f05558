import pytest
from tests.live_api import Tenant
pytestmark = pytest.mark.asyncio
@pytest.fixture
def api(tenant): return tenant
async def test_mood(api):
    one = await api.save("I like tea", mood="calm", key="k")
    assert one["mood"] == "calm"
    id_ = one["id"]
    got = await api.get(f"/v1/memories/{id_}")
    assert got["mood"] == "calm"
    found = await api.post("/v1/memories/search", {"agent": "a", "query": "tea"})
    assert found["results"][0]["memory"]["mood"] == "calm"
    r = await api.patch(f"/v1/memories/{id_}", {"version": 1, "mood": "glad"})
    assert r["mood"] == "glad"
    h = (await api.get(f"/v1/memories/{id_}/history"))["items"]
    assert [x["mood"] for x in h] == ["calm", "glad"]
    l = await api.get("/v1/memories", as_of=got["created_at"])
    assert l["items"][0]["mood"] == "calm"
    s = await api.post("/v1/memories/search", {"agent": "a", "query": "tea", "as_of": got["created_at"]})
    assert s["results"][0]["memory"]["mood"] == "calm"
