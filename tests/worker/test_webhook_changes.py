"""Webhooks are changed and tried while they are in use."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from service.api.dependencies import streams
from service.concurrency.limit import Bounds, ConcurrencyLimit
from service.domain.events import signature
from service.memory.event_delivery import WebhookSender, webhook_sender
from service.settings import Settings
from tests.live_api import Api, Json, serving
from tests.webhook_receiver import Receiver
from worker.webhooks import WebhookDispatcher

MISSING = "01890000-0000-7000-8000-00000000dead"


@pytest.fixture
async def api(settings: Settings) -> AsyncIterator[Api]:
    """An API whose operator allows webhooks inside the network."""
    async with serving(settings.model_copy(update={"allow_private": True})) as opened:
        yield opened


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as opened:
        yield opened


def dispatcher(api: Api, name: str = "w") -> WebhookDispatcher:
    return WebhookDispatcher(api.runtime, name, failures_max=3)


async def send_all(api: Api) -> None:
    while await dispatcher(api).send_next():
        pass


async def webhook(api: Api, webhook_id: str) -> Json:
    return next(one for one in (await api.get("/v1/webhooks"))["items"] if one["id"] == webhook_id)


def genuine(secret: str, request: tuple[dict[str, str], bytes]) -> bool:
    headers, body = request
    expected = signature(secret, headers["webhook-id"], int(headers["webhook-timestamp"]), body)
    return headers["webhook-signature"] == expected


async def actions(api: Api) -> list[tuple[str, Json]]:
    lines = (await api.get("/v1/audit"))["items"]
    return [(line["action"], line["details"]) for line in lines if line["action"].startswith("webhook.")]


async def test_a_change_is_in_effect_at_once(api: Api, receiver: Receiver) -> None:
    async with Receiver() as former:
        hook = await api.post("/v1/webhooks", {"url": former.url, "name": "n", "events": ["memory.created"]})
        former.always = 500
        saved = await api.save("one")
        await send_all(api)
        assert (await webhook(api, hook["id"]))["failures"] == 1
        path = f"/v1/webhooks/{hook['id']}"
        changed = await api.patch(path, {"url": receiver.url, "events": ["memory.created", "memory.deleted"]})
        assert (changed["url"], changed["failures"], changed["name"]) == (receiver.url, 0, "n")
        assert (changed["secret"], changed["retry_at"]) == (None, None)
        await api.delete(f"/v1/memories/{saved['id']}")
        await send_all(api)
        assert len(former.got) == 1
    assert [json.loads(body)["type"] for _, body in receiver.got] == ["memory.created", "memory.deleted"]
    everything = await api.patch(path, {"events": None, "name": None})
    assert (everything["events"], everything["name"], everything["url"]) == (None, None, receiver.url)
    assert (await actions(api))[:2] == [
        ("webhook.updated", {"fields": ["events", "name"]}), ("webhook.updated", {"fields": ["events", "url"]}),
    ]  # fmt: skip


async def test_a_new_secret_signs_from_then_on_and_is_shown_once(api: Api, receiver: Receiver) -> None:
    hook = await api.post("/v1/webhooks", {"url": receiver.url})
    path = f"/v1/webhooks/{hook['id']}"
    rotated = (await api.patch(path, {"rotate_secret": True}))["secret"]
    assert rotated.startswith("whsec_")
    assert rotated != hook["secret"]
    await api.save("one")
    await send_all(api)
    assert genuine(rotated, receiver.got[0])
    assert not genuine(hook["secret"], receiver.got[0])
    assert (await api.patch(path, {"name": "n"}))["secret"] is None
    assert rotated not in json.dumps((await api.get("/v1/webhooks")) | (await api.get("/v1/audit")))


async def test_an_inactive_one_is_sent_nothing_until_it_is_active(api: Api, receiver: Receiver) -> None:
    hook = await api.post("/v1/webhooks", {"url": receiver.url})
    path = f"/v1/webhooks/{hook['id']}"
    assert (await api.patch(path, {"active": False}))["disabled_at"]
    kept = await api.save("one")
    await send_all(api)
    assert (await api.patch(path, {"name": "still off"}))["disabled_at"]
    await send_all(api)
    assert receiver.got == []
    assert (await api.patch(path, {"active": True}))["disabled_at"] is None
    await send_all(api)
    assert [json.loads(body)["memory_id"] for _, body in receiver.got] == [kept["id"]]


async def test_what_is_under_way_to_the_former_address_does_not_count(api: Api, receiver: Receiver) -> None:
    """A receiver that says 410 (gone) after its webhook has been given another address gives nothing up."""
    async with Receiver() as former:
        former.always = 410
        former.held.clear()
        hook = await api.post("/v1/webhooks", {"url": former.url})
        saved = await api.save("one")
        slow = asyncio.create_task(dispatcher(api, "slow").send_next())
        await former.arrived.wait()
        await api.patch(f"/v1/webhooks/{hook['id']}", {"url": receiver.url})
        former.held.set()
        assert await slow
    await send_all(api)
    assert [json.loads(body)["memory_id"] for _, body in receiver.got] == [saved["id"]]
    found = await webhook(api, hook["id"])
    assert (found["failures"], found["disabled_at"], found["error"]) == (0, None, None)


async def test_a_test_says_how_it_went_and_changes_nothing(api: Api, receiver: Receiver) -> None:
    hook = await api.post("/v1/webhooks", {"url": receiver.url, "events": ["dream.failed"]})
    path = f"/v1/webhooks/{hook['id']}"
    before = await webhook(api, hook["id"])
    good = await api.post(f"{path}/test")
    assert (good["delivered"], good["status_code"], good["error"]) == (True, 200, None)
    assert good["duration_ms"] > 0
    headers, body = receiver.got[0]
    event = json.loads(body)
    assert genuine(hook["secret"], receiver.got[0])
    assert (event["type"], event["webhook_id"], event["id"]) == ("ping", hook["id"], headers["webhook-id"])
    receiver.always = 410
    bad = await api.post(f"{path}/test")
    assert (bad["delivered"], bad["status_code"], bad["error"]) == (False, 410, "answered 410")
    await send_all(api)
    assert len(receiver.got) == 2
    assert await webhook(api, hook["id"]) == before
    assert await actions(api) == [("webhook.tested", {})] * 2 + [("webhook.created", {})]


async def test_a_test_of_one_that_answers_nothing_says_so(api: Api, receiver: Receiver) -> None:
    api.runtime.parts[webhook_sender] = WebhookSender(timeout_s=0.2, private=True)
    receiver.held.clear()
    hook = await api.post("/v1/webhooks", {"url": receiver.url})
    late = await api.post(f"/v1/webhooks/{hook['id']}/test")
    assert (late["delivered"], late["status_code"], late["error"]) == (False, None, "no answer: TimeoutError")
    receiver.held.set()


async def test_a_test_is_under_the_rules_of_sending(api: Api, receiver: Receiver) -> None:
    """A repeated request is one test, and an address inside the network is sent nothing."""
    hook = await api.post("/v1/webhooks", {"url": receiver.url})
    path = f"/v1/webhooks/{hook['id']}"
    repeat = {"headers": {"Idempotency-Key": "once"}}
    first = await api.call("POST", f"{path}/test", **repeat)
    assert (await api.call("POST", f"{path}/test", **repeat)).json() == first.json()
    assert len(receiver.got) == 1
    api.runtime.parts[webhook_sender] = WebhookSender()
    refused = await api.post(f"{path}/test")
    assert refused["status_code"] is None
    assert "inside a network" in refused["error"]
    assert len(receiver.got) == 1
    answer = await api.call("PATCH", path, json={"url": "http://127.0.0.1:9/x"})
    assert (answer.status_code, answer.json()["errors"][0]["loc"]) == (422, ["body", "url"])


async def test_a_test_takes_a_place_among_the_long_requests_of_its_key(api: Api, receiver: Receiver) -> None:
    api.runtime.parts[streams] = ConcurrencyLimit("streams", Bounds(per_key=1, per_workspace=2, per_process=3))
    path = f"/v1/webhooks/{(await api.post('/v1/webhooks', {'url': receiver.url}))['id']}/test"
    receiver.held.clear()
    slow = asyncio.create_task(api.post(path))
    await receiver.arrived.wait()
    assert await api.status("POST", path) == 429
    receiver.held.set()
    assert (await slow)["delivered"]
    assert (await api.post(path))["delivered"]
    assert len(receiver.got) == 2


async def test_who_may_change_and_try_them(api: Api, receiver: Receiver) -> None:
    path = f"/v1/webhooks/{(await api.post('/v1/webhooks', {'url': receiver.url}))['id']}"
    for role in ("agent", "reader"):
        other = await api.as_role(role, "a")
        assert await other.status("PATCH", path, json={"active": False}) == 403
        assert await other.status("POST", f"{path}/test") == 403
    missing = f"/v1/webhooks/{MISSING}"
    assert await api.status("PATCH", missing, json={"active": False}) == 404
    assert await api.status("POST", f"{missing}/test") == 404
    for wrong in ({"events": []}, {"events": ["ping"]}, {"url": "ftp://x.org/a"}, {"secret": "s"}, {"active": "maybe"}):
        assert await api.status("PATCH", path, json=wrong) == 422, wrong
    assert receiver.got == []
