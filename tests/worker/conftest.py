"""The models that tests of dreaming share."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, Tenant
from tests.worker.dreaming import asked_for, fact, model, notes, turns_of


def _note_everything(body: dict[str, Any]) -> str:
    if asked_for(body) != "Notes":
        return json.dumps({"verdicts": [], "sections": []})
    return notes([fact(turn["said"][:1500], turn["turn"], confidence=0.95) for turn in turns_of(body)])


@pytest.fixture
async def credulous_model(api: Api | Tenant) -> AsyncIterator[FakeOpenAI]:
    """A model that notes whatever it reads as a fact that it is sure of, word for word, citing one turn."""
    await load_litellm()
    with FakeOpenAI() as opened:
        opened.default_reply = _note_everything
        with api.lending(llm=model(opened, timeout_s=60)):
            yield opened
