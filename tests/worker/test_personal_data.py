"""Masked personal data in dreams: no model is shown a name that was stored before, and no placeholder
becomes an entity, whoever finds it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Json, Tenant
from tests.worker.dreaming import asked_for, contents, dream, fact, model, note_everything, notes, say, turns_of

BOB, AMY, CLEO = "bob@ex.com", "amy@ex.com", "cleo@ex.com"


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


@pytest.fixture
def server(api: Tenant) -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as opened:
        opened.default_reply = note_everything
        with api.lending(llm=model(opened)):
            yield opened


async def redact(api: Tenant, mode: str = "redact") -> None:
    await api.put("/v1/settings", {"pii": {"mode": mode}})


async def entities(api: Tenant) -> list[str]:
    return [one["name"] for one in (await api.get("/v1/entities", limit=200))["items"]]


@pytest.mark.parametrize("mode", ["redact", "off"])
async def test_placeholders_are_no_entities_by_rules(api: Tenant, mode: str) -> None:
    """Also of texts that were masked when they were said, and are dreamt about when nothing is masked any more."""
    await api.put("/v1/settings", {"users": "shared"})
    await redact(api)
    await say(api, f"I work with {BOB} on Project Apollo.", f"My sister is called Ann, call her at {CLEO}.", user="u1")
    await say(api, f"I work with {AMY} on Project Hermes.", session="t", user="u2")
    await say(api, "I live in Bergen.", session="w", user=CLEO, name=CLEO)
    await redact(api, mode)
    assert (await dream(api))["report"]["created"] > 2
    assert "u1 works with <EMAIL_ADDRESS> on Project Apollo." in await contents(api)
    found = await entities(api)
    assert {"Project Apollo", "Project Hermes"} <= {f"{name}" for name in found} | {f"Project {name}" for name in found}
    assert [name for name in found if "ADDRESS" in name.upper()] == []


async def test_placeholders_are_no_entities_by_a_model(api: Tenant, server: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"users": "shared"})

    def reply(body: Json) -> str:
        if asked_for(body) != "Notes":
            return note_everything(body)
        named: list[Any] = [{"name": name, "kind": "person"} for name in ("<EMAIL_ADDRESS>", "EMAIL_ADDRESS", "Ann")]
        return notes(
            [
                fact(f"Ann can be reached at {turn['said']}", turn["turn"], entities=named, subject="<EMAIL_ADDRESS>")
                for turn in turns_of(body)
            ]
        )

    server.default_reply = reply
    await redact(api)
    await say(api, f"one {BOB}", user="u1")
    await say(api, f"two {AMY}", session="t", user="u2")
    assert (await dream(api))["report"]["created"] == 2
    assert await entities(api) == ["Ann"]
    assert {memory["user"] for memory in (await api.get("/v1/memories", agent="a"))["items"]} == {None}


async def test_no_model_is_shown_a_name_that_was_stored_before(api: Tenant, server: FakeOpenAI) -> None:
    await say(api, "I live in Bergen.", user=BOB, name=AMY)
    await say(api, "I live in Oslo.", user=BOB, session="t")
    await redact(api)
    await dream(api)
    await api.post("/v1/sessions/s/compact?agent=a")
    await api.post("/v1/sessions/t/compact?agent=a")
    asked = json.dumps(server.requests("chat"))
    assert "<EMAIL_ADDRESS:" in asked
    assert [name for name in (BOB, AMY) if name in asked] == []
    said = "\n".join(await contents(api, include="superseded"))
    assert [name for name in (BOB, AMY) if name in said] == []


async def test_what_is_learned_about_a_user_is_found_by_the_name_the_user_has_always_had(api: Tenant) -> None:
    await say(api, "I live in Bergen.", user=BOB)
    await redact(api)
    await say(api, "I live in Oslo.", session="t", user=AMY)
    await dream(api)
    for user, place in ((BOB, "Bergen"), (AMY, "Oslo")):
        found = (await api.get("/v1/memories", agent="a", user=user, type="fact"))["items"]
        assert [place in memory["content"] for memory in found] == [True], user


@pytest.mark.parametrize("named_before", [True, False])
async def test_a_user_whose_name_is_masked_speaks_for_herself_alone(api: Tenant, named_before: bool) -> None:
    """Her own word replaces what is remembered of her, another's is hearsay, whenever her name was stored."""
    if named_before:
        await say(api, "Hello there.", user=AMY)
    await redact(api)
    await say(api, "I live in Oslo.", user=AMY)
    await dream(api)
    await say(api, f"{AMY} lives in Hell.", session="t", user="mallory")
    await say(api, "I live in Bergen now.", user=AMY)
    await dream(api)
    hers = (await api.get("/v1/memories", agent="a", user=AMY, limit=50))["items"]
    own = [
        one["content"].split(" lives in ")[1] for one in hers if one["hearsay_by"] is None and "lives" in one["content"]
    ]
    assert own == ["Bergen now."]
