"""Where a memory comes from is stored with it, and nothing of an untrusted origin reaches a context unmarked."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from service.domain.origin import ORIGINS, Origin, least_trusted
from service.memory.prompts import QUOTED
from tests.extraction.planted import planted_otherwise
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Tenant
from tests.mcp_client import over_http
from tests.worker.dreaming import dream, say

Json = dict[str, Any]

WAYS = ("tool", "named speaker", "another user's session", "saved of a tool", "import", "document")
HER_OWN = [
    f"My {thing} {verb} {place}."
    for thing, verb in (
        ("piano", "stands in"),
        ("violin", "is kept in"),
        ("oak desk", "was moved to"),
        ("kayak", "is in"),
    )
    for place in ("the attic", "Room 12", "the barn", "Lisbon", "the hall", "my office", "the shed", "Bergen", "a box")
]


@pytest.fixture
async def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, in which all users of an agent see all."""
    await tenant.put("/v1/settings", {"users": "shared"})
    return tenant


async def _plant(api: Tenant, way: str, texts: list[str]) -> None:
    if way == "tool":
        await say(api, *texts, session="t", user="ann", role="tool")
    elif way == "named speaker":
        await say(api, *texts, session="n", user="ann", name="mallory")
    elif way == "another user's session":
        await say(api, *texts, session="m", user="mallory")
    elif way == "document":
        for number, text in enumerate(texts):
            await api.post("/v1/documents", {"agent": "a", "title": f"Page {number}", "text": text})
    else:
        items: list[Json] = [{"agent": "a", "type": "fact", "content": text} for text in texts]
        if way == "import":
            lines = [json.dumps(one | {"user": [None, "ann"][number % 2]}) for number, one in enumerate(items)]
            await api.call("POST", "/v1/import", content="\n".join(lines))
        else:
            await api.post("/v1/memories/batch", {"items": [one | {"origin": "tool"} for one in items]})


async def _items(api: Tenant, message: str) -> list[str]:
    """The items of ann's context; the further lines of one are indented, whatever they say."""
    answer = await api.post("/v1/context", {"agent": "a", "user": "ann", "message": message, "max_tokens": 16_000})
    return [item for one in answer["sections"] for item in re.split(r"\n(?=- |<)", one["text"])]


def _is_marked(item: str) -> bool:
    """Labelled, quoted, or with the name of its speaker."""
    return any(
        mark in item for mark in ("[unverified: ", QUOTED, "according to mallory", ", mallory said]", ", tool said]")
    )


@pytest.mark.first_tier
async def test_nothing_of_an_untrusted_origin_reaches_a_context_unmarked(
    api: Tenant, credulous_model: FakeOpenAI
) -> None:
    await api.put("/v1/settings", {"dream": {"extract_from": ["user", "assistant", "tool"]}})
    everything = {place: planted_otherwise(seed=number) for number, place in enumerate(WAYS)}
    way_of = {word: way for way, all_ in everything.items() for _, word, _ in all_}
    for way, all_ in everything.items():
        await _plant(api, way, [text for _, _, text in all_])
    await say(api, *HER_OWN, session="hers", user="ann")
    while (await dream(api))["report"]["messages"]:
        pass
    shown: set[str] = set()
    for text in (text for all_ in everything.values() for _, word, text in all_ if word not in shown):
        for item in await _items(api, text):
            words = [word for word in way_of if word in item]
            assert not words or _is_marked(item), (way_of[words[0]], item)
            shown.update(words)
    of_way = Counter(way_of[word] for word in shown)
    assert all(of_way[way] >= 15 for way in WAYS), of_way
    kept: set[str] = set()
    for said in HER_OWN:
        for item in await _items(api, said):
            about = [one for one in HER_OWN if one.removeprefix("My ") in item]
            assert not about or not _is_marked(item), item
            kept.update(about)
    page = await api.get(
        "/v1/memories", agent="a", limit=200, include="superseded", where=json.dumps({"origin": "own_user"})
    )
    remembered = {one["content"] for one in page["items"]} & set(HER_OWN)
    assert min(len(kept), len(remembered)) >= len(HER_OWN) * 0.99


async def _memory(api: Tenant, part: str) -> Json:
    items = (await api.get("/v1/memories", agent="a", limit=200, include="superseded"))["items"]
    (found,) = [one for one in items if part in one["content"] and one["type"] != "insight"]
    return dict(found)


async def test_each_way_in_gives_its_origin(api: Tenant, credulous_model: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"dream": {"extract_from": ["user", "assistant", "tool"]}})
    await say(api, "Mog the cat snores.", user="ann")
    await say(api, "Tib the cat snores.", user="ann", name="bo")
    await say(api, "Rex the dog snores.", user="ann", role="assistant")
    await say(api, "Pip the dog snores.", user="ann", role="tool")
    await dream(api)
    saved = await api.save("Bun the hare snores.")
    await api.call("POST", "/v1/import", content='{"agent": "a", "type": "fact", "content": "Kit the fox snores."}')
    found = {part: (await _memory(api, part))["origin"] for part in ("Mog", "Tib", "Rex", "Pip", "Kit")}
    assert found == {
        "Mog": "own_user", "Tib": "other_user", "Rex": "assistant", "Pip": "tool", "Kit": "imported",
    }  # fmt: skip
    assert saved["origin"] == "api"
    where = json.dumps({"origin": {"in": ["tool", "imported"]}})
    page = await api.get("/v1/memories", agent="a", where=where)
    assert {one["content"].split()[0] for one in page["items"]} == {"Pip", "Kit"}
    exported = (await api.call("GET", "/v1/export")).text
    await api.call("POST", "/v1/import?agent=b", content=exported)
    other = json.loads(
        next(line for line in exported.splitlines() if "Pip the dog snores" in line and '"memory"' in line)
    )
    assert other["origin"] == "tool"


async def test_the_same_words_of_a_more_trusted_origin_raise_it(api: Tenant, credulous_model: FakeOpenAI) -> None:
    """And no others: a memory keeps the origin of its own words, and an edit is the word of the editor."""
    planted = await api.save("Mog the cat snores.", origin="tool")
    await say(api, "Mog the cat snores.", user="ann")
    await dream(api)
    raised = await _memory(api, "Mog")
    assert (raised["id"], raised["origin"]) == (planted["id"], "own_user")
    history = (await api.get(f"/v1/memories/{planted['id']}/history"))["items"]
    assert history[0]["origin"] == "tool"
    again = await api.save("Mog the cat snores.", origin="tool")
    assert again["origin"] == "own_user"
    edited = await api.patch(
        f"/v1/memories/{planted['id']}", {"version": again["version"], "content": "Mog the cat purrs."}
    )
    assert edited["origin"] == "api"


@pytest.mark.parametrize("origin", ORIGINS)
async def test_an_edit_never_raises_trust(api: Tenant, origin: Origin) -> None:
    saved = await api.save("Mog the cat snores.", origin=origin)
    path, worst = f"/v1/memories/{saved['id']}", least_trusted((origin, "api"))
    tagged = await api.patch(path, {"version": 1, "tags": ["cat"], "content": "Mog the cat snores."})
    assert tagged["origin"] == origin
    edited = await api.patch(path, {"version": 2, "content": "Mog the cat purrs."})
    assert edited["origin"] == worst
    claimed = await api.patch(path, {"version": 3, "content": "Mog the cat hisses.", "origin": "own_user"})
    assert claimed["origin"] == worst
    async with over_http(api, api.key, "a") as tools:
        await tools.call_tool("memory_update", {"memory_id": saved["id"], "content": "Mog the cat sings."})
    assert (await api.get(path))["origin"] == least_trusted((worst, "assistant"))


async def test_an_undone_dream_gives_back_the_origin(api: Tenant, credulous_model: FakeOpenAI) -> None:
    planted = await api.save("Mog the cat snores.", origin="imported")
    await say(api, "Mog the cat snores.", user="ann")
    done = await dream(api)
    await api.post(f"/v1/dreams/{done['id']}/undo", {})
    assert (await api.get(f"/v1/memories/{planted['id']}"))["origin"] == "imported"


async def test_what_is_held_waits_in_the_inbox(api: Tenant, credulous_model: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"dream": {"extract_from": ["user", "tool"]}, "origins": {"tool": "hold"}})
    await say(api, "Pip the dog snores.", user="ann", role="tool")
    await say(api, "Mog the cat snores.", user="ann")
    await dream(api)
    (proposal,) = (await api.get("/v1/inbox", agent="a"))["items"]
    assert (proposal["content"], proposal["reason"]) == ("Pip the dog snores.", "of the origin tool, which is held")
    (line,) = [one for one in await _items(api, "Mog Pip") if "Mog" in one and " said]" not in one]
    assert "[unverified" not in line
    accepted = await api.post(f"/v1/inbox/{proposal['id']}", {"action": "accept"})
    assert accepted["memory"]["origin"] == "api"
    refused = await api.call("PUT", "/v1/settings", json={"origins": {"imported": "hold"}})
    assert (refused.status_code, refused.json()["errors"][0]["loc"]) == (422, ["body", "origins", "imported"])


async def test_an_agent_trusts_by_its_own_settings(api: Tenant) -> None:
    await api.call("POST", "/v1/import", content='{"agent": "a", "type": "fact", "content": "Kit the fox snores."}')
    (item,) = [one for one in await _items(api, "Kit") if "Kit" in one]
    assert "[unverified: imported] Kit" in item
    await api.put("/v1/agents/a", {"settings": {"origins": {"imported": "allow"}}})
    (item,) = [one for one in await _items(api, "Kit") if "Kit" in one]
    assert "[unverified" not in item


async def test_a_conclusion_has_the_least_trusted_origin_of_its_evidence(api: Tenant) -> None:
    for day, origin in ((3, "own_user"), (10, "tool"), (17, "own_user")):
        await api.save(
            "Ann went swimming in the lake.",
            type="event",
            user="ann",
            origin=origin,
            occurred_at=f"2026-06-{day:02}T09:00:00Z",
        )
    await dream(api)
    insights = (await api.get("/v1/memories", agent="a", type="insight"))["items"]
    assert {one["origin"] for one in insights} == {"tool"}


async def test_a_former_version_is_found_by_its_origin(api: Tenant) -> None:
    saved = await api.save("Bun the hare snores.", origin="document")
    before = saved["updated_at"]
    await api.patch(f"/v1/memories/{saved['id']}", {"version": 1, "origin": "own_user"})
    body = {"agent": "a", "query": "hare snores", "as_of": before, "where": {"origin": "document"}, "min_relevance": 0}
    (found,) = (await api.post("/v1/memories/search", body))["results"]
    assert found["memory"]["origin"] == "document"
