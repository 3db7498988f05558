"""A pair of statements that a model has decided on is not asked about again while both texts are the same: counted at a
server over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from service.provider import load_litellm
from service.settings import EnvironmentModel, LLMSteps, Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
from tests.worker.dreaming import asked_for, contents, dream, note_everything
from tests.worker.test_decisions import PAIR, adjudications, decisions, dream_about, sure_of
from worker.maintenance.retention import apply_retention

Json = dict[str, Any]

ANOTHER = "The office kitchen has a quite nice coffee maker"


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    await load_litellm()
    with FakeOpenAI() as opened:
        opened.default_reply = settling("different")
        yield opened


def settling(outcome: str) -> Any:
    def reply(body: Json) -> str:
        if asked_for(body) != "Verdicts":
            return note_everything(body)
        pairs = body["messages"][1]["content"].count('{"pair":')
        return json.dumps({"verdicts": [{"pair": n, "outcome": outcome} for n in range(1, pairs + 1)]})

    return reply


@pytest.fixture
def chosen(server: FakeOpenAI) -> Json:
    return {
        "embedding_model": "static", "llm_model": "openai/gpt-4o-mini", "llm_api_base": server.base_url,
        "llm_steps": LLMSteps(bulletin=()),
    }  # fmt: skip


def deciding(server: FakeOpenAI, model: str = "openai/decider") -> Json:
    decider = EnvironmentModel(model=model, api_base=server.base_url, api_key="k")
    return {"llm_steps": LLMSteps(decide=(decider,), bulletin=())}


async def read_again(api: Api) -> Json:
    """Change the importance of the first memory, and dream: it is compared with what is near once more."""
    first = min((await api.get("/v1/memories", agent="a"))["items"], key=lambda one: one["id"])
    await api.patch(f"/v1/memories/{first['id']}", {"version": first["version"], "importance": 0.9 / first["version"]})
    return await dream(api.runtime)


async def test_a_language_model_is_asked_once_while_both_texts_stay(
    settings: Settings, server: FakeOpenAI, chosen: Json
) -> None:
    async with serving(settings.model_copy(update=chosen)) as api:
        await dream_about(api, *PAIR)
        assert adjudications(server) == 1
        done = await read_again(api)
    async with serving(settings.model_copy(update=chosen)) as api:
        await read_again(api)
        assert adjudications(server) == 1
        assert done["report"]["decisions"] == {"remembered": 1}
        assert await contents(api) == set(PAIR)
        newest = max((await api.get("/v1/memories", agent="a"))["items"], key=lambda one: one["id"])
        await api.patch(f"/v1/memories/{newest['id']}", {"version": newest["version"], "content": ANOTHER})
        await dream(api.runtime)
        assert adjudications(server) == 2
        await read_again(api)
        assert adjudications(server) == 2
    other = chosen | {"llm_model": "openai/gpt-4o"}
    async with serving(settings.model_copy(update=other)) as api:
        await read_again(api)
        assert adjudications(server) == 3


async def test_probabilities_are_kept_and_held_to_the_thresholds_of_the_day(
    settings: Settings, server: FakeOpenAI, chosen: Json
) -> None:
    server.decides = lambda text, question: sure_of("duplicate", 0.9)
    async with serving(settings.model_copy(update=chosen | deciding(server))) as api:
        await dream_about(api, *PAIR)
        assert (decisions(server), adjudications(server)) == (1, 1)
        done = await read_again(api)
        assert (decisions(server), adjudications(server)) == (1, 1)
        assert done["report"]["decisions"] == {"between": 1, "remembered": 1}
        await api.put("/v1/settings", {"dream": {"merge_at": 0.85}})
        merged = await read_again(api)
        assert (decisions(server), adjudications(server)) == (1, 1)
        assert merged["report"]["decisions"] == {"decided": 1, "remembered": 1}
        assert len(await contents(api)) == 1
        verdicts = [one["after"]["verdict"] for one in merged["changes"] if "verdict" in (one["after"] or {})]
        assert {"outcome": "duplicate", "probability": 0.9} in verdicts


async def test_what_was_no_verdict_is_asked_again(settings: Settings, server: FakeOpenAI, chosen: Json) -> None:
    server.decides = lambda text, question: None
    server.default_reply = lambda body: (
        json.dumps({"verdicts": []}) if asked_for(body) == "Verdicts" else note_everything(body)
    )
    async with serving(settings.model_copy(update=chosen | deciding(server))) as api:
        await dream_about(api, *PAIR)
        await read_again(api)
        assert (decisions(server), adjudications(server)) == (2, 2)


async def test_only_the_new_one_of_several_pairs_is_asked_about(
    settings: Settings, server: FakeOpenAI, chosen: Json
) -> None:
    async with serving(settings.model_copy(update=chosen)) as api:
        await dream_about(api, *PAIR)
        await api.save(ANOTHER)
        await read_again(api)
        shown = [body["messages"][1]["content"] for body in server.requests("chat") if asked_for(body) == "Verdicts"]
        assert [PAIR[0] in text and PAIR[1] in text and ANOTHER not in text for text in shown] == [True, False]
        assert all(not (json.dumps(PAIR[0]) in line and json.dumps(PAIR[1]) in line) for line in shown[1].splitlines())


async def test_verdicts_go_with_a_purge_and_after_their_time(
    settings: Settings, server: FakeOpenAI, chosen: Json
) -> None:
    async with serving(settings.model_copy(update=chosen)) as api:
        await dream_about(api, *PAIR)
        start = api.runtime.now()
        for days, gone in ((399, 0), (402, 1)):
            api.runtime.now = lambda days=days: start + timedelta(days=days)  # type: ignore[method-assign,misc]
            steps = (await apply_retention(api.runtime))["steps"]
            assert steps == gone
        await read_again(api)
        assert adjudications(server) == 2
        await api.save("Ann likes tea", user="ann")
        await api.post("/v1/users/ann/purge")
        await read_again(api)
        assert adjudications(server) == 3
