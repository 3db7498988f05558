"""The event loop of the worker stays free while it dreams, folds, embeds and sends what was said at length."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from service.concurrency.garbage_collection import freeze_heap
from service.memory.in_flight import InFlight
from service.settings import Settings
from tests.eventloop.heartbeat import Heart
from tests.eventloop.worst import CHINESE, PROSE, long_text
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
from tests.webhook_receiver import Receiver
from tests.worker.dreaming import dream, model, note_everything, say
from worker.maintenance.upkeep import compact_next
from worker.maintenance.vectors import embed_pending
from worker.webhooks import WebhookDispatcher

STATEMENTS = 400


@pytest.fixture
async def talked_to(settings: Settings) -> AsyncIterator[Api]:
    """An API, with the runtime that a worker would have, whose agent was told much and at length."""
    async with serving(settings.model_copy(update={"allow_private": True})) as api:
        await say(api, *(f"I like tea number {n} from place {n * 7}." for n in range(STATEMENTS)), session="many")
        await say(api, *(long_text(PROSE, 199_000 + n) for n in range(3)), session="long")
        await say(api, *(long_text(CHINESE, 66_000 + n) for n in range(4)), session="chinese")
        items = [{"agent": "a", "type": "fact", "content": f"{n} {long_text(PROSE, 7_000)}"} for n in range(100)]
        await api.post("/v1/memories/batch", {"items": items})
        await api.runtime.redactor.warm()
        freeze_heap()
        yield api


async def test_what_the_worker_does_by_rules(talked_to: Api) -> None:
    runtime, heart = talked_to.runtime, Heart()
    await talked_to.put("/v1/settings", {"pii": {"mode": "redact"}})
    with heart.during("dream"):
        assert (await dream(runtime))["status"] == "succeeded"
    with heart.during("fold"):
        assert await compact_next(runtime, InFlight(runtime))
    async with Receiver() as receiver:
        await talked_to.post("/v1/webhooks", {"url": receiver.url})
        await talked_to.save(long_text(CHINESE, 7_000))
        with heart.during("webhooks"):
            while await WebhookDispatcher(runtime, "w").send_next():
                pass
    assert heart.stopped == {}


async def test_what_the_worker_does_with_models(talked_to: Api) -> None:
    runtime, heart = talked_to.runtime, Heart()
    with FakeOpenAI() as server:
        server.default_reply = note_everything
        runtime.llm = model(server)
        await say(talked_to, "I like tea.", agent="b")
        await dream(runtime, "b")  # the client of the models is loaded at its first call
        with heart.during("dream"):
            assert (await dream(runtime))["status"] == "succeeded"
    assert heart.stopped == {}


async def test_embedding_what_is_pending(talked_to: Api, settings: Settings) -> None:
    heart = Heart()
    async with serving(settings.model_copy(update={"embedding_model": "static"})) as embedding:
        await embedding.search("load it")
        with heart.during("embed"):
            assert await embed_pending(embedding.runtime) >= 100
    assert heart.stopped == {}
