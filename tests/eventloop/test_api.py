"""The event loop of the API stays free while each way in gets its worst allowed request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import httpx
import pytest

from service.concurrency.executor import FairExecutor
from service.concurrency.garbage_collection import freeze_heap
from service.privacy.redactor import Redactor
from service.settings import ModelAddress, Settings
from tests.eventloop.heartbeat import Heart
from tests.eventloop.worst import AGENT, Worst, worst_requests
from tests.fakes.wire_formats import FakeModels
from tests.live_api import ADMIN_KEY, Api, serving

REDACTED = (
    "save: long metadata", "batch: 1,000 Chinese texts", "append: five messages of 200,000 characters",
    "members of a task", "search with a long filter", "compaction of a window",
)  # fmt: skip
"""What is sent once more with personal data masked, which takes long."""


@pytest.fixture
async def worst_api(settings: Settings) -> AsyncIterator[Api]:
    with FakeModels() as model:
        given = {
            "embedding_model": "static", "llm_api_base": model.base_url,
            "proxy_anthropic": ModelAddress(api_base=model.base_url),
        }  # fmt: skip
        async with serving(settings.model_copy(update=given)) as api:
            await api.put("/v1/settings", {"proxy": {"enabled": True, "models": ["*"]}})
            await api.search("load everything", agent=AGENT)
            freeze_heap()
            yield api


async def beats(api: Api, requests: Sequence[Worst]) -> Heart:
    """How the heart beats while these are answered, by a client outside of the event loop."""
    heart = Heart()
    memory = await api.save("To be changed.", agent=AGENT)
    with httpx.Client(base_url=str(api.http.base_url), timeout=600) as http:
        for request in requests:
            with heart.during(request.name):
                status = await asyncio.to_thread(_status, http, request, memory["id"])
            assert status in request.statuses, request.name
    return heart


def _status(http: httpx.Client, request: Worst, memory: str) -> int:
    headers = {"Authorization": f"Bearer {ADMIN_KEY}", "Content-Type": "application/json"} | request.headers
    path = request.path.format(memory=memory)
    return http.request(request.method, path, content=request.body, headers=headers).status_code


async def test_no_worst_request_stops_the_loop(worst_api: Api) -> None:
    requests = worst_requests()
    assert len(requests) >= 15
    assert (await beats(worst_api, requests)).stopped == {}


async def test_nor_does_one_whose_personal_data_is_masked(worst_api: Api) -> None:
    await worst_api.put("/v1/settings", {"pii": {"mode": "redact"}})
    requests = [request for request in worst_requests() if request.name in REDACTED]
    assert len(requests) == len(REDACTED)
    assert (await beats(worst_api, requests)).stopped == {}


class OnTheLoop(FairExecutor):
    """Handles every text where it is."""

    async def each(self, function: Callable[[Any], Any], items: Sequence[Any], characters: object) -> list[Any]:
        return [function(item) for item in items]


async def test_without_the_executor_they_do(worst_api: Api) -> None:
    worst_api.runtime.redactor = Redactor(executor=OnTheLoop())
    await worst_api.put("/v1/settings", {"pii": {"mode": "redact"}})
    name = "append: five messages of 200,000 characters"
    requests = [request for request in worst_requests() if request.name == name]
    assert set((await beats(worst_api, requests)).stopped) == {name}
