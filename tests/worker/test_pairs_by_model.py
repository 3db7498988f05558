"""Pairs of saved memories that rules cannot tell apart, and that a model is asked about."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.worker.dreaming import asked_for, contents, dream, model, note_everything

Json = dict[str, Any]


@pytest.mark.parametrize(("outcome", "left"), [("duplicate", 1), ("update", 1), ("different", 2)])
async def test_a_model_tells_pairs_of_saved_memories_apart(static_api: Api, outcome: str, left: int) -> None:
    api = static_api
    pair = ("The office kitchen has a very good coffee machine", "The office kitchen has a really nice coffee maker")

    def settles(body: Json) -> str:
        if asked_for(body) != "Verdicts":
            return note_everything(body)
        assert all(one in str(body["messages"]) for one in pair)
        return json.dumps({"verdicts": [{"pair": 1, "outcome": outcome}]})

    await load_litellm()
    with FakeOpenAI() as opened:
        opened.default_reply = settles
        api.runtime.llm = model(opened)
        first, second = [await api.save(content) for content in pair]
        done = await dream(api.runtime)
        assert [asked_for(body) for body in opened.requests("chat")].count("Verdicts") == 1
    assert (done["report"]["memories"], done["report"]["superseded"]) == (2, 2 - left)
    assert len(await contents(api)) == left
    ends = [(await api.get(f"/v1/memories/{one['id']}"))["superseded_by"] for one in (first, second)]
    assert (
        ends == {"duplicate": [None, first["id"]], "update": [second["id"], None], "different": [None, None]}[outcome]
    )
