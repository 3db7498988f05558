"""What dreams let replace what, by origin: nothing takes the place of what is trusted more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.domain.origin import ORIGINS, RANKS, Origin, outranks
from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Tenant
from tests.worker.dreaming import asked_for, contents, dream, model, note_everything, say

Json = dict[str, Any]

BEFORE, AFTER = "The budget of Apollo is 50000.", "The budget of Apollo is 60000."
PUT_OTHERWISE = "Apollo's budget is 50000."
ALIKE = ("The office kitchen has a very good coffee machine", "The office kitchen has a really nice coffee maker")


def test_every_origin_has_a_rank_in_the_order_of_trust() -> None:
    assert tuple(RANKS) == ORIGINS
    assert list(RANKS.values()) == sorted(RANKS.values())


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def _origins(api: Tenant, **filters: Any) -> dict[str, Origin]:
    items = (await api.get("/v1/memories", agent="a", limit=200, **filters))["items"]
    return {one["content"]: one["origin"] for one in items if one["type"] != "insight"}


@pytest.mark.parametrize("later", ORIGINS)
async def test_a_saved_value_is_replaced_by_what_is_trusted_no_less(api: Tenant, later: Origin) -> None:
    for earlier in ORIGINS:
        agent = f"{earlier} first"
        before = await api.save(BEFORE, agent=agent, origin=earlier)
        after = await api.save(AFTER, agent=agent, origin=later)
        await dream(api, agent)
        replaced = (await api.get(f"/v1/memories/{before['id']}"))["superseded_by"]
        assert replaced == (None if outranks(earlier, later) else after["id"]), earlier
        assert (await api.get(f"/v1/memories/{after['id']}"))["superseded_by"] is None


async def test_what_may_not_replace_stands_beside_with_its_origin(api: Tenant, credulous_model: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"dream": {"extract_from": ["user", "tool"]}})
    await say(api, BEFORE, user="ann")
    await dream(api)
    await say(api, AFTER, user="ann", role="tool")
    await dream(api)
    assert await _origins(api) == {BEFORE: "own_user", AFTER: "tool"}
    (planted,) = (await api.get("/v1/memories", agent="a", where=json.dumps({"origin": "tool"})))["items"]
    assert "contradicts" in json.dumps(await api.get(f"/v1/memories/{planted['id']}/links"))
    await say(api, "The budget of Apollo is 70000.", user="ann")
    await dream(api)
    assert await _origins(api) == {"The budget of Apollo is 70000.": "own_user"}


async def test_by_the_rules_a_named_speaker_does_not_replace_what_the_user_said(api: Tenant) -> None:
    await say(api, "The Apollo budget is 50000.", user="ann")
    await dream(api)
    await say(api, "The Apollo budget is 60000.", user="ann", name="bo")
    await dream(api)
    assert sorted((await _origins(api)).values()) == ["other_user", "own_user"]
    await say(api, "The Apollo budget is 80000.", user="ann", name="bo")
    await dream(api)
    assert sorted((await _origins(api)).values()) == ["other_user", "own_user"]
    assert len(await contents(api)) == 2


async def test_a_users_word_is_not_absorbed_by_what_a_tool_said_in_other_words(
    api: Tenant, credulous_model: FakeOpenAI
) -> None:
    await api.put("/v1/settings", {"dream": {"extract_from": ["user", "tool"]}})
    await say(api, BEFORE, user="ann", role="tool")
    await dream(api)
    assert await _origins(api) == {BEFORE: "tool"}
    await say(api, PUT_OTHERWISE, user="ann")
    await dream(api)
    assert await _origins(api) == {PUT_OTHERWISE: "own_user"}
    await say(api, BEFORE, user="ann", role="tool")
    await dream(api)
    assert await _origins(api) == {PUT_OTHERWISE: "own_user"}


@pytest.mark.parametrize("first", ["tool", "own_user"])
async def test_what_says_the_same_becomes_one_with_the_more_trusted(api: Tenant, first: Origin) -> None:
    second: Origin = "own_user" if first == "tool" else "tool"
    said = {
        origin: await api.save(content, origin=origin, tags=[origin], metadata={origin: 1})
        for origin, content in ((first, "Ann doesn't eat meat"), (second, "Ann does not eat meat."))
    }
    await dream(api)
    kept = await api.get(f"/v1/memories/{said['own_user']['id']}")
    assert (kept["superseded_by"], kept["origin"]) == (None, "own_user")
    assert (kept["tags"], kept["metadata"]) == (["own_user"], {"own_user": 1})
    assert (await api.get(f"/v1/memories/{said['tool']['id']}"))["superseded_by"] == kept["id"]


@pytest.mark.parametrize("outcome", ["update", "contradiction", "duplicate"])
@pytest.mark.parametrize("first", ["tool", "own_user"])
async def test_no_verdict_of_a_model_lets_a_tool_replace_a_user(
    static_tenant: Tenant, outcome: str, first: Origin
) -> None:
    api = static_tenant
    second: Origin = "own_user" if first == "tool" else "tool"

    def settles(body: Json) -> str:
        if asked_for(body) != "Verdicts":
            return note_everything(body)
        return json.dumps({"verdicts": [{"pair": 1, "outcome": outcome}]})

    await load_litellm()
    with FakeOpenAI() as opened:
        opened.default_reply = settles
        said = {
            origin: await api.save(content, origin=origin)
            for origin, content in zip((first, second), ALIKE, strict=True)
        }
        with api.lending(llm=model(opened)):
            await dream(api)
        assert [asked_for(body) for body in opened.requests("chat")].count("Verdicts") == 1
    ends = {
        origin: (await api.get(f"/v1/memories/{one['id']}"))["superseded_by"] is not None
        for origin, one in said.items()
    }
    assert ends == {"own_user": False, "tool": first == "tool" or outcome == "duplicate"}
