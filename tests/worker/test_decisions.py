"""Pairs of statements before a decision model, in both wire formats: what it is sure of holds, unless the guards forbid
it; the rest, and whatever it answers besides probabilities, is left to the language model."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.provider import load_litellm
from service.settings import EnvironmentModel, LLMSteps, Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
from tests.tables import table
from tests.worker.dreaming import asked_for, contents, dream, note_everything, say

Json = dict[str, Any]

PAIR = ("The office kitchen has a very good coffee machine", "The office kitchen has a really nice coffee maker")
FORMATS = {"openai/decider": "decisions", "hosted_vllm/decider": "systemone"}
OUTCOMES = ("duplicate", "update", "contradiction", "different")


def sure_of(outcome: str, probability: float = 0.985) -> Json:
    rest = (1 - probability) / 3
    return {one: probability if one == outcome else rest for one in OUTCOMES}


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    await load_litellm()
    with FakeOpenAI() as opened:
        opened.default_reply = note_everything
        yield opened


@pytest.fixture(params=FORMATS)
async def api(request: pytest.FixtureRequest, settings: Settings, server: FakeOpenAI) -> AsyncIterator[Api]:
    """An API with a decision model and a language model, both on the server."""
    chosen: Json = {
        "embedding_model": "static", "llm_model": "openai/gpt-4o-mini", "llm_api_base": server.base_url,
        "llm_steps": LLMSteps(
            decide=(EnvironmentModel(model=request.param, api_base=server.base_url, api_key="k"),), bulletin=()
        ),
    }  # fmt: skip
    async with serving(settings.model_copy(update=chosen)) as opened:
        yield opened


async def dream_about(api: Api, *statements: str, agent: str = "a") -> Json:
    for one in statements:
        await api.save(one, agent=agent)
    return await dream(api.runtime, agent)


def decisions(server: FakeOpenAI) -> int:
    return server.calls["decisions"] + server.calls["systemone"]


def adjudications(server: FakeOpenAI) -> int:
    return [asked_for(body) for body in server.requests("chat")].count("Verdicts")


@pytest.mark.parametrize(("outcome", "left"), [("duplicate", 1), ("update", 1), ("contradiction", 1), ("different", 2)])
async def test_what_it_is_sure_of_holds_and_is_in_the_diff(
    api: Api, server: FakeOpenAI, outcome: str, left: int
) -> None:
    server.decides = lambda text, question: sure_of(outcome) if all(one in text for one in PAIR) else None
    done = await dream_about(api, *PAIR)
    assert len(await contents(api)) == left
    assert (decisions(server), adjudications(server)) == (1, 0)
    assert done["report"]["decisions"] == {"decided": 1}
    verdicts = [change["after"]["verdict"] for change in done["changes"] if "verdict" in (change["after"] or {})]
    if outcome == "different":
        assert verdicts == []
        return
    assert {"outcome": outcome, "probability": 0.985} in verdicts
    shown = (await api.get(f"/v1/dreams/{done['id']}"))["changes"]
    (closed,) = (change for change in shown if change["op"] == "superseded")
    assert closed["reason"].endswith(f"({outcome}, probability 0.985)")
    today = [row for row in (await api.get("/v1/usage"))["items"] if row["purpose"] == "decide"]
    assert [(row["calls"], row["failed_calls"]) for row in today] == [(1, 0)]


LEFT_TO_THE_MODEL: dict[str, tuple[Json | None, str]] = {
    "not sure enough to merge": (sure_of("duplicate", 0.96), "between"),
    "not sure enough to replace": (sure_of("update", 0.89), "between"),
    "not sure enough to keep apart": (sure_of("different", 0.6), "between"),
    "refused": (None, "unusable"),
    "a class is missing": ({"duplicate": 0.9}, "unusable"),
    "the sum is not 1": (sure_of("duplicate") | {"update": 0.9}, "unusable"),
    "NaN": (sure_of("duplicate") | {"update": float("nan")}, "unusable"),
    "overflow": (sure_of("duplicate") | {"duplicate": 1e308}, "unusable"),
    "negative": (sure_of("duplicate") | {"duplicate": -1.0}, "unusable"),
    "no number": (sure_of("duplicate") | {"update": "none"}, "unusable"),
}


async def test_the_rest_is_left_to_the_language_model(api: Api, server: FakeOpenAI) -> None:
    server.default_reply = lambda body: (
        json.dumps({"verdicts": [{"pair": 1, "outcome": "update"}]})
        if asked_for(body) == "Verdicts"
        else note_everything(body)
    )
    with table() as row:
        for name, (answered, counted) in LEFT_TO_THE_MODEL.items():
            with row(name):
                server.decides = lambda text, question, answered=answered: answered
                before = adjudications(server)
                done = await dream_about(api, *PAIR, agent=name)
                kept = (await api.get("/v1/memories", agent=name))["items"]
                assert [one["content"] for one in kept if one["type"] != "insight"] == [PAIR[1]]
                assert adjudications(server) == before + 1
                assert done["report"]["decisions"] == {counted: 1}
                assert "probability" not in json.dumps([change["reason"] for change in done["changes"]])


async def test_a_model_that_does_not_answer_decides_nothing(api: Api, server: FakeOpenAI) -> None:
    with table() as row:
        for number, fault in enumerate(({"status": 429}, {"status": 400}, {"invalid_json": True}, {"endless": True})):
            with row(fault):
                agent, before = f"a{number}", adjudications(server)
                for endpoint in FORMATS.values():
                    server.fail(endpoint=endpoint, times=None, **fault)
                done = await dream_about(api, *PAIR, agent=agent)
                assert done["status"] == "succeeded"
                assert done["report"]["decisions"] == {"unusable": 1}
                kept = (await api.get("/v1/memories", agent=agent))["items"]
                assert {one["content"] for one in kept} == set(PAIR)
                assert adjudications(server) == before + 1
                server.heal()


async def test_no_contradiction_is_merged_whatever_it_says(api: Api, server: FakeOpenAI) -> None:
    server.decides = lambda text, question: sure_of("duplicate", 1.0)
    pairs = [
        ("Anna likes the new office kitchen", "Anna does not like the new office kitchen"),
        ("The release of Apollo is on 3 March 2027", "The release of Apollo is on 4 March 2027"),
        ("The backup server has 64 GB of memory", "The backup server has 32 GB of memory"),
        ("The nightly build always runs on Linux", "The nightly build never runs on Linux"),
        ("Maya reviews the invoices of Northwind", "Tigran reviews the invoices of Northwind"),
    ]
    done = await dream_about(api, *(one for pair in pairs for one in pair))
    assert [change for change in done["changes"] if change["reason"].startswith("says the same")] == []
    assert done["report"]["reinforced"] == 0


async def test_the_thresholds_are_settings_of_an_agent(api: Api, server: FakeOpenAI) -> None:
    server.decides = lambda text, question: sure_of("duplicate", 0.8)
    await api.put("/v1/agents/a", {"settings": {"dream": {"merge_at": 0.75}}})
    done = await dream_about(api, *PAIR)
    assert (len(await contents(api)), done["report"]["decisions"]) == (1, {"decided": 1})
    refused = await api.call("PUT", "/v1/settings", json={"dream": {"merge_at": 0.4}})
    assert refused.status_code == 422


async def test_what_is_known_already_is_asked_of_no_model(api: Api, server: FakeOpenAI) -> None:
    server.decides = lambda text, question: sure_of("different")
    for again in range(3):
        for n, one in enumerate(PAIR):
            await say(api, one, user="Sam", session=f"{again}-{n}")
            await dream(api.runtime)
    assert await contents(api) == {f"Sam said: {one}" for one in PAIR}
    assert (decisions(server), adjudications(server)) == (1, 0)
