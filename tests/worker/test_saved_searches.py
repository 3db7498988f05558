"""The daily run of saved searches."""

from __future__ import annotations

from tests.live_api import Api
from worker.maintenance.upkeep import run_saved_searches


async def test_every_saved_search_gets_a_result_and_removed_ones_none(api: Api) -> None:
    searches = []
    for agent in ("a", "b"):
        memory = await api.save("The ferry leaves at nine", agent=agent)
        body = {"agent": agent, "name": "n", "query": "ferry", "expected": [memory["id"]]}
        searches.append(await api.post("/v1/searches", body))
    assert await run_saved_searches(api.runtime) == 2
    await api.delete(f"/v1/searches/{searches[0]['id']}")
    assert await run_saved_searches(api.runtime) == 1
    results = (await api.get(f"/v1/searches/{searches[1]['id']}/results"))["items"]
    assert [(one["cause"], one["recall"]) for one in results] == [("schedule", 1.0)] * 2
    await api.put(f"/v1/searches/{searches[1]['id']}", {"name": "n", "expected": [memory["id"]], "k": 1})
    assert (await api.get("/v1/searches"))["items"][0]["last_result"] is None
