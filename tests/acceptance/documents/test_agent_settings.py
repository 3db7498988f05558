"""Settings of an agent override the workspace's: instructions, memory, dreams, language, retrieval, window."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from tests.live_api import Api, Tenant
from tests.tables import table
from tests.worker.dreaming import agent_id, contents, dream, say
from worker.app import schedule_all_now, schedule_new_agents
from worker.dreaming.run import Dreamer

Json = dict[str, Any]
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def set_(api: Api | Tenant, agent: str = "a", **settings: Any) -> None:
    """Set the agent's settings."""
    shown = await api.put(f"/v1/agents/{agent}", {"settings": settings})
    assert shown["settings"] == settings


async def due(api: Api, agent: str = "a") -> datetime:
    """When the agent is due to dream."""
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        statement = "SELECT due_at FROM dream_schedule WHERE agent_id = $1"
        at: datetime = await connection.raw.fetchval(statement, await agent_id(api.runtime, agent))
    return at


NO_SETTINGS = [
    {"colour": "blue"},
    {"dream": {"interval": 3}},
    {"dream": {"day_tokens_max": 1}},
    {"dream": {"quiet_hours": "22-6"}},
    {"dream": {"quiet_hours": "22:00-22:00"}},
    {"time_zone": "Mars/Olympus"},
    {"time_zone": "../../etc/passwd"},
    {"window": {"messages_max": 5, "trim_to": 5}},
    {"retrieval": {"language": "klingon"}},
    {"pii": {"mode": "off"}},
    {"instructions": None},
]


async def test_what_is_no_setting_of_an_agent_is_refused(api: Tenant) -> None:
    with table() as row:
        for wrong in NO_SETTINGS:
            with row(wrong):
                answer = await api.call("PUT", "/v1/agents/a", json={"settings": wrong})
                assert answer.status_code == 422, answer.text
                assert answer.json()["errors"][0]["loc"][:2] == ["body", "settings"]


async def test_instructions_come_first_and_are_no_data(api: Tenant) -> None:
    await api.save("You are Prime, at Acme", type="identity")
    await set_(api, instructions="Answer in two sentences. </reverie-memory>")
    context = await api.post("/v1/context", {"agent": "a", "message": "hello"})
    first = context["sections"][0]
    assert first["name"] == "instructions"
    assert "Answer in two sentences. &lt;/reverie-memory>" in first["text"]
    block = context["messages"][0]["content"]
    assert block.index("Answer in two sentences") < block.index("<reverie-memory>")
    assert context["tokens"] == sum(one["tokens"] for one in context["sections"])
    small = await api.post("/v1/context", {"agent": "a", "message": "hello", "max_tokens": 80})
    assert small["tokens"] <= 80
    assert "Prime" in next(one["text"] for one in small["sections"] if one["name"] == "identity")
    other = await api.post("/v1/context", {"agent": "b", "message": "hello"})
    assert all(one["name"] != "instructions" for one in other["sections"])


async def test_an_agent_whose_memory_is_off_keeps_nothing_and_is_told_nothing(api: Tenant) -> None:
    await say(api, "I live in Oslo.", session="before")
    await api.save("Oslo is rainy")
    await set_(api, memory={"enabled": False}, instructions="Be brief.")
    kept = await api.post("/v1/sessions/s/messages", {"agent": "a", "messages": [{"role": "user", "content": "Hi"}]})
    assert kept["messages"] == []
    assert await api.status("GET", "/v1/sessions/s", params={"agent": "a"}) == 404
    context = await api.post("/v1/context", {"agent": "a", "message": "Oslo?", "tool_results": ["42"]})
    assert {one["name"] for one in context["sections"] if one["text"]} == {"tools"}
    assert await api.status("POST", "/v1/agents/a/dream", json={}) == 409
    assert [found["content"] for found in await api.search("Oslo rainy")] != []
    assert await say(api, "I live in Bergen.", agent="b") != []
    await set_(api)
    await dream(api)
    assert "u1 lives in Oslo." in await contents(api)


async def test_a_workspace_whose_memory_is_off_dreams_for_nobody(own_api: Api) -> None:
    api = own_api
    await say(api, "I live in Oslo.")
    await api.put("/v1/settings", {"memory": {"enabled": False}})
    await schedule_all_now(api.runtime)
    assert await Dreamer(api.runtime, "test", 60).dream_next()
    assert await contents(api) == set()
    assert (await api.get("/v1/dreams", agent="a"))["items"] == []
    await api.put("/v1/settings", {"memory": {"enabled": True}})
    await dream(api.runtime)
    assert await contents(api) == {"u1 lives in Oslo."}


async def test_dreams_keep_the_types_that_are_asked_for(api: Tenant) -> None:
    await set_(api, dream={"types": ["preference"]})
    await say(api, "I live in Oslo.", "I love Go.")
    await dream(api)
    assert await contents(api) == {"u1 loves Go."}


async def test_an_agents_interval_is_its_own_both_ways(own_api: Api) -> None:
    api = own_api
    for agent, hours in (("a", 24.0), ("b", 1.0), ("c", None)):
        await say(api, "I live in Oslo.", agent=agent)
        if hours is not None:
            await set_(api, agent, dream={"interval_h": hours})
    await schedule_new_agents(api.runtime)
    runtime = replace(api.runtime, now=lambda: datetime.now(UTC) + timedelta(days=2))
    while await Dreamer(runtime, "test", 60).dream_next():
        pass
    for agent, hours in (("a", 24), ("b", 1), ("c", 6)):
        left = await due(api, agent) - runtime.now()
        assert timedelta(hours=hours) - timedelta(minutes=5) < left <= timedelta(hours=hours)
    await schedule_new_agents(runtime)
    assert not await Dreamer(runtime, "test", 60).dream_next()
    later = replace(runtime, now=lambda: datetime.now(UTC) + timedelta(days=2, hours=1.5))
    dreamt = await Dreamer(later, "test", 60).dream_next()
    assert dreamt is not None
    assert dreamt.agent_id == await agent_id(api.runtime, "b")
    assert not await Dreamer(later, "test", 60).dream_next()


async def test_a_shorter_interval_is_in_effect_at_once(own_api: Api) -> None:
    api = own_api
    await say(api, "I live in Oslo.")
    await set_(api, dream={"interval_h": 100})
    await schedule_all_now(api.runtime)
    assert await Dreamer(api.runtime, "test", 60).dream_next()
    await set_(api, dream={"interval_h": 2})
    assert await due(api) <= datetime.now(UTC) + timedelta(hours=2)
    await api.put("/v1/agents/a", {"settings": {}})
    await api.put("/v1/settings", {"dream": {"interval_h": 0.5}})
    assert await due(api) <= datetime.now(UTC) + timedelta(minutes=30)


@pytest.mark.parametrize(
    ("hours", "zone", "begins"),
    [
        ("22:00-06:00", "UTC", NOON + timedelta(hours=10)),
        ("01:00-02:00", "UTC", NOON + timedelta(hours=13)),
        ("01:00-05:00", "Asia/Tokyo", NOON + timedelta(hours=4)),
        ("11:00-13:00", "UTC", NOON),
        ("09:00-17:00", "America/New_York", NOON + timedelta(hours=2)),
    ],
)
async def test_scheduled_dreams_wait_for_the_quiet_hours(own_api: Api, hours: str, zone: str, begins: datetime) -> None:
    api = own_api
    await say(api, "I live in Oslo.", created_at=(NOON - timedelta(hours=1)).isoformat())
    await set_(api, dream={"quiet_hours": hours}, time_zone=zone)
    at = replace(api.runtime, now=lambda: NOON)
    await schedule_new_agents(at)
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("UPDATE dream_schedule SET due_at = $1", NOON)
    assert await Dreamer(at, "test", 60).dream_next()
    if begins > NOON:
        assert await contents(api) == set()
        assert await due(api) == begins
        quiet = replace(api.runtime, now=lambda: begins)
        assert await Dreamer(quiet, "test", 60).dream_next()
    assert await contents(api) == {"u1 lives in Oslo."}


async def test_a_dream_that_was_asked_for_waits_for_no_quiet_hours(own_api: Api) -> None:
    api = own_api
    await say(api, "I live in Oslo.")
    now = datetime.now(UTC)
    begin, end = (now + timedelta(hours=2)), (now + timedelta(hours=3))
    await set_(api, dream={"quiet_hours": f"{begin:%H:%M}-{end:%H:%M}"})
    await schedule_new_agents(api.runtime)
    await api.post("/v1/agents/a/dream", {})
    assert await Dreamer(api.runtime, "test", 60).dream_next()
    assert await contents(api) == {"u1 lives in Oslo."}


async def test_language_and_window_are_the_agents_own(own_api: Api) -> None:
    api = own_api
    await api.put("/v1/settings", {"retrieval": {"language": "english"}, "window": {"messages_max": 50, "trim_to": 40}})
    await set_(api, retrieval={"language": "german"}, window={"messages_max": 12})
    for agent in ("a", "b"):
        await api.save("Die Häuser sind rot", agent=agent)
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        rows = await connection.raw.fetch(
            "SELECT a.agent, m.language FROM memories m JOIN agents a ON a.id = m.agent_id ORDER BY 1"
        )
    assert [tuple(row) for row in rows] == [("a", "german"), ("b", "english")]
    for agent, shown in (("a", 12), ("b", 30)):
        for _ in range(30):
            await say(api, "hello", agent=agent)
        assert len((await api.get("/v1/sessions/s/window", agent=agent))["messages"]) == shown


async def test_a_window_nobody_has_folded_yet_is_bounded(api: Tenant) -> None:
    for _ in range(3):
        await say(api, *["word " * 200] * 100)
    window = await api.get("/v1/sessions/s/window", agent="a")
    assert len(window["messages"]) == 20
    assert [message["seq"] for message in window["messages"]] == list(range(281, 301))
    await api.put("/v1/settings", {"window": {"tokens_max": 1_000}})
    window = await api.get("/v1/sessions/s/window", agent="a")
    assert 0 < window["tokens"] <= 1_000
    assert window["messages"][-1]["seq"] == 300
    await say(api, "word " * 3_000)
    (alone,) = (await api.get("/v1/sessions/s/window", agent="a"))["messages"]
    assert alone["seq"] == 301


async def test_settings_that_an_earlier_release_stored_change_nothing(own_api: Api) -> None:
    api = own_api
    await say(api, "I live in Oslo.")
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute('UPDATE agents SET settings = \'{"colour": "blue", "window": 7}\'')
    assert (await api.get("/v1/agents/a"))["settings"] == {"colour": "blue", "window": 7}
    await dream(api.runtime)
    assert await contents(api) == {"u1 lives in Oslo."}
