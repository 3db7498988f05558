"""Why a memory is no result: the stage of the search at which it was lost, and what brings it back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from service.store.search.plan import SearchLimits
from tests.live_api import Api, Caller, Json, Tenant
from tests.tables import table
from tests.worker.dreaming import dream, say
from tests.worker.test_decay import days_pass

LATER, EARLIER = "2030-01-01T00:00:00Z", "2020-01-01T00:00:00Z"


@pytest.fixture
def api(static_tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return static_tenant


async def explain(api: Caller, memory: Json, query: str = "Where does Ada live?", **fields: Any) -> Json:
    body = {"agent": "a", "query": query, "explain_id": memory["id"]} | fields
    explanation: Json = (await api.post("/v1/memories/search/preview", body))["explanation"]
    return explanation


async def brought_back(api: Caller, memory: Json, query: str, explanation: Json, **fields: Any) -> Json:
    """The explanation after the changes that it asked for."""
    changes = {each["field"]: each["value"] for each in explanation["would_need"]}
    assert changes
    kept = {name: value for name, value in (fields | changes).items() if value is not None}
    return await explain(api, memory, query, **kept)


async def test_a_result_is_explained_by_its_place(api: Caller) -> None:
    home = await api.save("Ada lives in Bergen")
    await api.save("Ada likes tea")
    explanation = await explain(api, home)
    assert (explanation["found"], explanation["stage"]) == (True, "returned")
    assert explanation["ranks"] == {"keyword": 1, "semantic": 1, "final": 1}
    assert explanation["scores"]["relevance"] > 0.3
    assert explanation["would_need"] == []


async def test_without_an_id_nothing_is_explained_and_stages_are_timed(api: Caller) -> None:
    await api.save("Ada lives in Bergen")
    answer = await api.post("/v1/memories/search/preview", {"agent": "a", "query": "Ada"})
    assert answer["explanation"] is None
    stages = {"prepare", "embed", "search", "plan", "candidates", "rank", "records", "rerank", "total"}
    assert set(answer["timings_ms"]) == stages
    searched = await api.post("/v1/memories/search", {"agent": "a", "query": "Ada"})
    assert not {"timings_ms", "explanation"} & set(searched)


@pytest.mark.parametrize(
    ("saved", "asked", "hides"),
    [
        ({}, {"types": ["goal"]}, "types"),
        ({}, {"scopes": ["team"]}, "scopes"),
        ({"tags": ["x"]}, {"tags": ["y"]}, "tags"),
        ({"tags": ["x"]}, {"tags": ["x", "y"], "tags_mode": "all"}, "tags"),
        ({"user": "Ada"}, {"user": "Ben"}, "user"),
        ({"metadata": {"a": 1}}, {"metadata": {"a": 2}}, "metadata"),
        ({"importance": 0.3}, {"min_importance": 0.5}, "min_importance"),
        ({"occurred_at": EARLIER}, {"since": LATER}, "since"),
        ({"occurred_at": LATER}, {"until": EARLIER}, "until"),
        ({}, {"include": ["messages"]}, "include"),
    ],
)
async def test_a_filter_that_hides_it_is_named(api: Caller, saved: Json, asked: Json, hides: str) -> None:
    home = await api.save("Ada lives in Bergen", **saved)
    explanation = await explain(api, home, **asked)
    assert (explanation["found"], explanation["stage"], explanation["filters"]) == (False, "filters", [hides])
    again = await brought_back(api, home, "Where does Ada live?", explanation, **asked)
    assert again["found"]


async def test_all_filters_that_hide_it_are_named(api: Caller) -> None:
    home = await api.save("Ada lives in Bergen", user="Ada", tags=["home"])
    explanation = await explain(api, home, user="Ben", tags=["work"], types=["fact"])
    assert sorted(explanation["filters"]) == ["tags", "user"]


async def test_the_state_that_hides_it_is_named(api: Tenant) -> None:
    gone = await api.save("Ada lives in Bergen")
    await api.delete(f"/v1/memories/{gone['id']}")
    assert (await explain(api, gone))["filters"] == ["deleted"]
    old = await api.save("Ada lives in Oslo")
    await api.stored(
        "UPDATE search_index SET valid_from = now() - interval '9 days', valid_until = now() - interval '1 day' "
        "WHERE id = $1 RETURNING id",
        UUID(old["id"]),
    )
    assert (await explain(api, old))["filters"] == ["superseded"]
    assert (await explain(api, old, as_of="2020-06-01T00:00:00Z"))["filters"] == ["later"]


async def test_what_has_faded_is_brought_back_by_asking_for_it(static_tenant: Tenant) -> None:
    gate = await static_tenant.save("The gate squeaks", type="observation", importance=0.4)
    await days_pass(static_tenant, 93)
    explanation = await explain(static_tenant, gate, "gate")
    assert explanation["filters"] == ["include_faded"]
    assert (await brought_back(static_tenant, gate, "gate", explanation))["found"]


async def test_what_is_too_old_is_neither_found_nor_in_a_context(static_tenant: Tenant) -> None:
    old = await static_tenant.save("I love jasmine tea", type="preference")
    await days_pass(static_tenant, 93)
    new = await static_tenant.save("I love black coffee", type="preference", occurred_at=EARLIER)
    await static_tenant.put("/v1/settings", {"retrieval": {"days_max": 90}})
    found = await static_tenant.search("What do I love to drink?")
    assert [one["content"] for one in found] == ["I love black coffee"], "what happened long ago was saved now"
    prompt = await static_tenant.post("/v1/context", {"agent": "a", "message": "jasmine tea or black coffee?"})
    assert ("coffee" in str(prompt["sections"]), "jasmine" in str(prompt["sections"])) == (True, False)
    explanation = await explain(static_tenant, old, "jasmine tea")
    assert explanation["filters"] == ["retrieval.days_max"]
    assert (await explain(static_tenant, new, "black coffee"))["found"]


async def test_another_agents_memory_is_out_of_the_audience(api: Caller) -> None:
    of_b = await api.save("Ada lives in Bergen", agent="b")
    await api.save("Ada likes tea")
    assert (await explain(api, of_b))["filters"] == ["audience"]


async def test_what_is_below_the_floor_says_how_relevant_it_is(api: Caller) -> None:
    far = await api.save("Ada lives in Bergen")
    await api.save("The invoice of the printer is due")
    explanation = await explain(api, far, "When is the printer's invoice due?", min_relevance=0.5)
    assert explanation["stage"] == "min_relevance"
    assert explanation["min_relevance"] == 0.5
    assert 0 <= explanation["scores"]["relevance"] < 0.5
    assert explanation["ranks"]["final"] is None
    again = await brought_back(api, far, "When is the printer's invoice due?", explanation, min_relevance=0.5)
    assert again["found"]


async def test_what_is_ranked_below_the_limit_says_where(api: Caller) -> None:
    for number in range(30):
        await api.save(f"Ada lives in flat {number} of the red house in Bergen")
    far = await api.save("Ada was seen by somebody who used to have a house, among very many other things to be told")
    query = "Ada lives in the red house in Bergen"
    explanation = await explain(api, far, query, limit=5, min_relevance=0)
    assert explanation["stage"] == "limit"
    assert explanation["ranks"]["final"] == explanation["would_need"][0]["value"] > 5
    assert (await brought_back(api, far, query, explanation, limit=5, min_relevance=0))["found"]


@pytest.mark.parametrize("limits", [SearchLimits(exact_rows=0), SearchLimits(listed_from=0, listed_share=1)])
async def test_large_audiences_and_lists_of_filters_are_explained(own_static_api: Api, limits: SearchLimits) -> None:
    own_static_api.runtime.search_limits = limits
    for number in range(60):
        await own_static_api.save(f"Ada lives in flat {number} of the red house in Bergen", user="Ada")
    far = await own_static_api.save("Ben is taller than the house", user="Ada")
    query = "Ada lives in the red house in Bergen"
    asked: Json = {"limit": 5, "min_relevance": 0, "user": "Ada"}
    explanation = await explain(own_static_api, far, query, **asked)
    assert (explanation["stage"], explanation["ranks"]["final"]) == ("limit", 61)
    assert (await brought_back(own_static_api, far, query, explanation, **asked))["found"]


async def test_what_has_no_room_in_the_budget_says_so(api: Caller) -> None:
    long = await api.save("Ada lives in Bergen. " + "The house is red and very old. " * 20)
    await api.save("Ada lives in Oslo")
    explanation = await explain(api, long, max_tokens=20)
    assert explanation["stage"] == "max_tokens"
    assert (await brought_back(api, long, "Where does Ada live?", explanation, max_tokens=20))["found"]


async def test_the_newest_are_explained_by_their_place(api: Caller) -> None:
    old = await api.save("Ada lives in Bergen", occurred_at=EARLIER)
    for number in range(4):
        await api.save(f"note {number}")
    explanation = await explain(api, old, "", strategy="recent", limit=2)
    assert (explanation["stage"], explanation["ranks"]) == ("limit", {"keyword": None, "semantic": None, "final": 5})
    assert explanation["scores"] is None


async def test_what_another_result_stands_for_names_it(static_tenant: Tenant) -> None:
    text = "I prefer bullet points over paragraphs. Walls of text on the phone, no thanks!"
    (said,) = await say(static_tenant, text, user="Priya")
    await dream(static_tenant)
    (memory,) = (await static_tenant.get("/v1/memories", agent="a"))["items"]
    both = {"include": ["memories", "messages"]}
    query = "bullet points or walls of text on the phone"
    explanation = await explain(static_tenant, memory, query, **both)
    assert (explanation["found"], explanation["stage"]) == (False, "duplicate")
    assert explanation["shown_as"] == said["id"]
    assert (await brought_back(static_tenant, memory, query, explanation, **both))["found"]


async def test_what_cannot_be_explained_is_refused_by_name(api: Caller) -> None:
    with table() as row:
        for fields in [
            {"explain_id": "00000000-0000-0000-0000-000000000001"},
            {"explain_id": "no id"},
            {"queries": ["more"]},
            {"expand": True},
        ]:
            with row(fields):
                home = await api.save("Ada lives in Bergen")
                body = {"agent": "a", "query": "Ada", "explain_id": home["id"]} | fields
                refused = await api.call("POST", "/v1/memories/search/preview", json=body)
                assert refused.status_code == 422
                assert refused.json()["errors"][0]["loc"] == ["body", "explain_id"]


async def test_a_reader_cannot_ask_about_what_it_may_not_read(api: Caller) -> None:
    secret = await api.save("Ada lives in Bergen", agent="b")
    reader = await api.as_role("agent", "a")
    await reader.save("Ada likes tea")
    body = {"query": "Ada", "explain_id": secret["id"]}
    refused = await reader.call("POST", "/v1/memories/search/preview", json=body)
    assert refused.status_code == 422
    assert "Bergen" not in refused.text
