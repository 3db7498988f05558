"""Everything that happens is sent to webhooks: signed, in order, until it arrives, by one worker at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from service.domain.events import signature
from service.memory.event_delivery import WebhookSender, webhook_sender
from service.settings import Settings
from tests.live_api import Api, Json, serving
from tests.waiting import until
from tests.webhook_receiver import Receiver
from worker.webhooks import POLL_INTERVAL_S, WebhookDispatcher


@pytest.fixture
async def api(settings: Settings) -> AsyncIterator[Api]:
    """An API whose operator allows webhooks inside the network."""
    async with serving(settings.model_copy(update={"allow_private": True})) as opened:
        yield opened


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as opened:
        yield opened


class Clock:
    """The runtime's time, moved by hand."""

    def __init__(self, api: Api) -> None:
        self._at = api.runtime.now()
        api.runtime.now = lambda: self._at

    def forward(self, seconds: float) -> None:
        self._at += timedelta(seconds=seconds)


def sender(api: Api, name: str = "w", **options: Any) -> WebhookDispatcher:
    return WebhookDispatcher(api.runtime, name, **options)


async def send_all(api: Api, **options: Any) -> None:
    """Send whatever is due."""
    while await sender(api, **options).send_next():
        pass


async def due(api: Api) -> None:
    """Wait until the last write has made its webhooks due, and send to the first of them."""
    await until(lambda: sender(api).send_next(), "nothing is due")


async def webhook(api: Api, webhook_id: str) -> Json:
    listed = (await api.get("/v1/webhooks"))["items"]
    return next(one for one in listed if one["id"] == webhook_id)


async def test_they_are_signed_and_sent_again_until_they_arrive(api: Api, receiver: Receiver) -> None:
    clock = Clock(api)
    await api.save("From before")
    hook = await api.post("/v1/webhooks", {"url": receiver.url, "events": ["memory.created"]})
    first, second = await api.save("one"), await api.save("two")
    await api.delete(f"/v1/memories/{first['id']}")
    receiver.statuses = [500, 302, 200]
    for _ in range(3):
        await send_all(api)
        clock.forward(60)
    bodies = [json.loads(body) for _, body in receiver.got]
    assert [body["memory_id"] for body in bodies] == [first["id"]] * 3 + [second["id"]]
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 2
    assert bodies[0]["id"] == receiver.got[0][0]["webhook-id"]
    for headers, body in receiver.got:
        expected = signature(hook["secret"], headers["webhook-id"], int(headers["webhook-timestamp"]), body)
        assert headers["webhook-signature"] == expected
        assert headers["host"] == httpx.URL(receiver.url).netloc.decode()
    listed = await webhook(api, hook["id"])
    assert (listed["failures"], listed["error"], listed["position"]) == (0, None, 4)
    assert "secret" not in listed
    await api.delete(f"/v1/webhooks/{hook['id']}")
    assert await api.status("DELETE", f"/v1/webhooks/{hook['id']}") == 404


async def test_one_that_fails_pauses_longer_each_time_and_holds_up_no_other(api: Api, receiver: Receiver) -> None:
    clock = Clock(api)
    await api.post("/v1/webhooks", {"url": receiver.url})
    async with Receiver() as other:
        other.always = 500
        broken = await api.post("/v1/webhooks", {"url": other.url})
        for n in range(4):
            await api.save(f"number {n}")
            await due(api)
            await send_all(api)
            assert len(receiver.got) == n + 1
        assert len(other.got) == 1
        for pause, tries in ((0.5, 1), (0.5, 2), (1.0, 2), (1.0, 3), (4.0, 4)):
            clock.forward(pause)
            await send_all(api)
            assert len(other.got) == tries
        failing = await webhook(api, broken["id"])
        assert (failing["failures"], failing["error"]) == (4, "answered 500")
        assert failing["retry_at"]
        assert {headers["webhook-id"] for headers, _ in other.got} == {receiver.got[0][0]["webhook-id"]}


async def test_one_that_takes_nothing_is_given_up_and_goes_on_when_it_is_enabled(api: Api, receiver: Receiver) -> None:
    clock = Clock(api)
    hook = await api.post("/v1/webhooks", {"url": receiver.url})
    receiver.always = 500
    kept = await api.save("kept for later")
    for _ in range(6):
        await send_all(api, failures_max=3)
        clock.forward(60)
    assert len(receiver.got) == 3
    assert (await webhook(api, hook["id"]))["disabled_at"]
    receiver.always = 200
    enabled = await api.post(f"/v1/webhooks/{hook['id']}/enable")
    assert (enabled["disabled_at"], enabled["failures"]) == (None, 0)
    await send_all(api, failures_max=3)
    assert [json.loads(body)["memory_id"] for _, body in receiver.got[3:]] == [kept["id"]]
    assert await api.status("POST", f"/v1/webhooks/{kept['id']}/enable") == 404


async def test_410_disables_a_webhook(api: Api, receiver: Receiver) -> None:
    hook = await api.post("/v1/webhooks", {"url": receiver.url})
    receiver.always = 410
    await api.save("one")
    await send_all(api)
    assert (await webhook(api, hook["id"]))["disabled_at"]


async def test_workers_do_not_send_at_the_same_time(api: Api, receiver: Receiver) -> None:
    await api.post("/v1/webhooks", {"url": receiver.url})
    for n in range(20):
        await api.save(f"number {n}")
    await asyncio.gather(*(sender(api, f"worker {n}").send_next() for n in range(5)))
    ids = [headers["webhook-id"] for headers, _ in receiver.got]
    assert len(ids) == len(set(ids)) == 20


async def test_who_has_lost_its_lease_stops(api: Api, receiver: Receiver) -> None:
    clock = Clock(api)
    await api.post("/v1/webhooks", {"url": receiver.url})
    saved = [(await api.save(f"number {n}"))["id"] for n in range(4)]
    slow = asyncio.create_task(sender(api, "slow").send_next())
    receiver.held.clear()
    await receiver.arrived.wait()
    receiver.arrived.clear()
    clock.forward(POLL_INTERVAL_S)
    async with api.runtime.db.unscoped() as connection:
        await connection.raw.execute("UPDATE webhook_schedule SET lease_until = now()")
    other = asyncio.create_task(sender(api, "other").send_next())
    await receiver.arrived.wait()
    receiver.held.set()
    assert await asyncio.gather(slow, other) == [True, True]
    sent = [json.loads(body)["memory_id"] for _, body in receiver.got]
    assert sent == [saved[0], *saved]
    await send_all(api)
    assert len(receiver.got) == len(sent)


async def test_a_write_makes_it_due_and_a_look_finds_what_did_not(api: Api, receiver: Receiver) -> None:
    clock = Clock(api)
    await api.post("/v1/webhooks", {"url": receiver.url})
    await send_all(api)
    await api.save("one")
    await due(api)
    assert len(receiver.got) == 1
    api.runtime.db.on_events_committed = lambda _: None
    await api.save("two")
    await send_all(api)
    assert len(receiver.got) == 1
    clock.forward(POLL_INTERVAL_S)
    await send_all(api)
    assert len(receiver.got) == 2


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "fe80::1%lo"]
)
async def test_nothing_is_sent_into_the_network(api: Api, receiver: Receiver, address: str) -> None:
    hook = await api.post("/v1/webhooks", {"url": receiver.url.replace("127.0.0.1", "hooks.example.org")})

    async def resolver(name: str, _: int | None) -> list[str]:
        assert name == "hooks.example.org"
        return [address]

    api.runtime.parts[webhook_sender] = WebhookSender(resolver=resolver)
    await api.save("one")
    await send_all(api)
    assert receiver.got == []
    assert "inside a network" in (await webhook(api, hook["id"]))["error"]


async def test_a_name_is_looked_up_once_and_what_was_judged_is_sent_to(api: Api, receiver: Receiver) -> None:
    """A name that stands for another address a moment later (DNS rebinding) gains nothing."""
    asked: list[str] = []

    async def resolver(name: str, _: int | None) -> list[str]:
        asked.append(name)
        return ["127.0.0.1" if len(asked) == 1 else "127.0.0.9"]

    api.runtime.parts[webhook_sender] = WebhookSender(private=True, resolver=resolver)
    await api.post("/v1/webhooks", {"url": receiver.url.replace("127.0.0.1", "hooks.example.org")})
    await api.save("one")
    await send_all(api)
    assert len(receiver.got) == 1
    assert asked == ["hooks.example.org"]


async def test_a_name_is_sent_to_under_its_name_at_the_first_address_that_answers(api: Api, receiver: Receiver) -> None:
    async def resolver(name: str, _: int | None) -> list[str]:
        assert name == "xn--hken-qoa.example.org"
        return ["127.0.0.2", "127.0.0.1"]

    api.runtime.parts[webhook_sender] = WebhookSender(private=True, resolver=resolver)
    await api.post("/v1/webhooks", {"url": receiver.url.replace("127.0.0.1", "håken.example.org")})
    await api.save("one")
    await send_all(api)
    assert receiver.got[0][0]["host"].startswith("xn--hken-qoa.example.org:")


async def test_a_name_that_is_none_fails_like_any_other(api: Api) -> None:
    hook = await api.post("/v1/webhooks", {"url": f"http://{'a' * 64}.example.org/"})
    await api.save("one")
    await send_all(api)
    assert (await webhook(api, hook["id"]))["failures"] == 1


async def test_who_may_have_webhooks(api: Api, settings: Settings) -> None:
    agent = await api.as_role("agent", "a")
    assert await agent.status("POST", "/v1/webhooks", json={"url": "http://x.org/"}) == 403
    assert await agent.status("GET", "/v1/webhooks") == 403
    assert await api.status("POST", "/v1/webhooks", json={"url": "ftp://x.org/a"}) == 422
    async with serving(settings) as careful:
        answer = await careful.call("POST", "/v1/webhooks", json={"url": "http://127.0.0.1:9/"})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["loc"] == ["body", "url"]


async def test_a_list_in_pages(api: Api) -> None:
    made = [(await api.post("/v1/webhooks", {"url": f"http://x.org/{n}"}))["id"] for n in range(5)]
    first = await api.get("/v1/webhooks", limit=3)
    rest = await api.get("/v1/webhooks", limit=3, cursor=first["next_cursor"])
    assert [one["id"] for one in first["items"] + rest["items"]] == made[::-1]


def test_the_signature_is_that_of_the_specification() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    assert signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body) == (
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )
