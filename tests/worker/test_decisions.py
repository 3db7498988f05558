"""Pairs of statements before a decision model, in both wire formats: what it is sure of holds, unless the guards forbid
it; the rest, and whatever it answers besides probabilities, is left to the language model."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.provider.library import load_litellm
from service.settings import EnvironmentModel, Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
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
        "llm_decide": (EnvironmentModel(model=request.param, api_base=server.base_url, api_key="k"),),
        "llm_bulletin": (),
    }  # fmt: skip
    async with serving(settings.model_copy(update=chosen)) as opened:
        yield opened


async def dream_about(api: Api, *statements: str) -> Json:
    for one in statements:
        await api.save(one)
    return await dream(api.engine)


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


@pytest.mark.parametrize(
    ("answered", "counted"),
    [
        pytest.param(sure_of("duplicate", 0.96), "between", id="not sure enough to merge"),
        pytest.param(sure_of("update", 0.89), "between", id="not sure enough to replace"),
        pytest.param(sure_of("different", 0.6), "between", id="not sure enough to keep apart"),
        pytest.param(None, "unusable", id="refused"),
        pytest.param({"duplicate": 0.9}, "unusable", id="a class is missing"),
        pytest.param(sure_of("duplicate") | {"update": 0.9}, "unusable", id="the sum is not 1"),
        pytest.param(sure_of("duplicate") | {"update": float("nan")}, "unusable", id="NaN"),
        pytest.param(sure_of("duplicate") | {"duplicate": 1e308}, "unusable", id="overflow"),
        pytest.param(sure_of("duplicate") | {"duplicate": -1.0}, "unusable", id="negative"),
        pytest.param(sure_of("duplicate") | {"update": "none"}, "unusable", id="no number"),
    ],
)
async def test_the_rest_is_left_to_the_language_model(
    api: Api, server: FakeOpenAI, answered: Json | None, counted: str
) -> None:
    server.decides = lambda text, question: answered
    server.default_reply = lambda body: (
        json.dumps({"verdicts": [{"pair": 1, "outcome": "update"}]})
        if asked_for(body) == "Verdicts"
        else note_everything(body)
    )
    done = await dream_about(api, *PAIR)
    assert await contents(api) == {PAIR[1]}
    assert adjudications(server) == 1
    assert done["report"]["decisions"] == {counted: 1}
    assert "probability" not in json.dumps([change["reason"] for change in done["changes"]])


@pytest.mark.parametrize("fault", [{"status": 429}, {"status": 400}, {"invalid_json": True}, {"endless": True}])
async def test_a_model_that_does_not_answer_decides_nothing(api: Api, server: FakeOpenAI, fault: Json) -> None:
    for endpoint in FORMATS.values():
        server.fail(endpoint=endpoint, times=None, **fault)
    done = await dream_about(api, *PAIR)
    assert done["status"] == "succeeded"
    assert done["report"]["decisions"] == {"unusable": 1}
    assert (await contents(api), adjudications(server)) == (set(PAIR), 1)


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
            await dream(api.engine)
    assert await contents(api) == {f"Sam said: {one}" for one in PAIR}
    assert (decisions(server), adjudications(server)) == (1, 0)
