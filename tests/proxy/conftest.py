"""A proxy in front of a server that speaks all of the wire formats."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from service.settings import ModelAddress, Settings
from tests.fakes.wire_formats import FakeModels
from tests.live_api import Api, serving

MODELS_KEY = "the-models-key"
PROXY = {"enabled": True, "models": ["m", "claude*"], "recall_timeout_ms": 60_000}
"""With time enough on any machine: what is late is tested with chat completions."""


@pytest.fixture
def models() -> Iterator[FakeModels]:
    with FakeModels(key=MODELS_KEY) as server:
        yield server


@pytest.fixture
def in_front(settings: Settings, models: FakeModels) -> Settings:
    """``claude*`` are at a server that speaks Anthropic's protocol, all others at one that speaks OpenAI's."""
    return settings.model_copy(
        update={
            "llm_api_base": models.base_url,
            "llm_api_key": MODELS_KEY,
            "proxy_anthropic": ModelAddress(api_base=models.base_url, api_key=MODELS_KEY),
        }
    )


@pytest.fixture
async def wired(in_front: Settings) -> AsyncIterator[Api]:
    async with serving(in_front) as opened:
        await opened.put("/v1/settings", {"proxy": PROXY})
        yield opened
