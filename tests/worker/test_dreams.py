"""Dreams end to end, in one process: what becomes of what was said."""

from __future__ import annotations

import pytest

from tests.live_api import Api, Tenant
from tests.worker.dreaming import contents, dream, say
from worker.app import schedule_all_now
from worker.dreaming.run import Dreamer

pytestmark = pytest.mark.first_tier


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def test_what_was_said_becomes_memory_with_its_source(api: Tenant) -> None:
    (message,) = await say(api, "I live in Oslo.")
    done = await dream(api)
    assert done["status"] == "succeeded"
    assert done["report"]["messages"] == 1
    (memory,) = (await api.get(f"/v1/messages/{message['id']}/memories"))["items"]
    assert memory["content"] == "u1 lives in Oslo."
    assert memory["dream_id"] == done["id"].__str__()
    (source,) = (await api.get(f"/v1/memories/{memory['id']}/sources"))["items"]
    assert source["message_id"] == message["id"]


async def test_a_second_dream_finds_nothing_left(api: Tenant) -> None:
    await say(api, "I live in Oslo.")
    await dream(api)
    again = await dream(api)
    assert again["report"]["messages"] == 0
    assert again["changes"] == []


async def test_a_schedule_with_nothing_to_do_leaves_no_dream(own_api: Api) -> None:
    api = own_api
    await say(api, "I live in Oslo.")
    dreamer = Dreamer(api.runtime, "test", 60)
    await schedule_all_now(api.runtime)
    assert await dreamer.dream_next()
    for _ in range(3):
        await schedule_all_now(api.runtime)
        assert await dreamer.dream_next()
        assert not await dreamer.dream_next()
    assert len((await api.get("/v1/dreams", agent="a"))["items"]) == 1


async def test_tea_is_superseded_when_it_is_quit(api: Tenant) -> None:
    await say(api, "I like tea.")
    await dream(api)
    await say(api, "I quit tea, coffee only.")
    await dream(api)
    assert await contents(api) == {"u1 quit tea.", "u1 only likes coffee."}
    page = await api.get("/v1/memories", agent="a", include="superseded")
    (tea,) = [memory for memory in page["items"] if memory["content"] == "u1 likes tea."]
    (quit_,) = [memory for memory in page["items"] if memory["content"] == "u1 quit tea."]
    assert tea["superseded_by"] == quit_["id"]
    assert tea["valid_until"] == quit_["valid_from"]


async def test_only_what_the_user_holds_is_remembered(api: Tenant) -> None:
    await say(
        api,
        "I don't like Python, but I love Go.",
        "If I liked Java, I would write it every day.",
        "My boss says 'I always use Windows'.",
        "Do I like Rust?",
    )
    await dream(api)
    assert await contents(api) == {"u1 doesn't like Python.", "u1 loves Go."}


async def test_an_old_conversation_read_late_changes_nothing_current(api: Tenant) -> None:
    await say(api, "I live in Bergen.", created_at="2024-05-01T10:00:00Z")
    await dream(api)
    await say(api, "I live in Oslo.", session="older", created_at="2020-05-01T10:00:00Z")
    await dream(api)
    assert await contents(api) == {"u1 lives in Bergen."}


async def test_a_denial_replaces_only_what_it_denies(api: Tenant) -> None:
    await say(api, "I live in Bergen.")
    await dream(api)
    await say(api, "I no longer live in Oslo.")
    await dream(api)
    assert "u1 lives in Bergen." in await contents(api)
    await say(api, "I no longer live in Bergen.")
    await dream(api)
    assert "u1 lives in Bergen." not in await contents(api)


async def test_said_again_is_reinforced_and_keeps_both_sources(api: Tenant) -> None:
    await say(api, "I live in Oslo.")
    await dream(api)
    await say(api, "I live in Oslo.", session="other")
    done = await dream(api)
    assert [change["op"] for change in done["changes"] if change["op"] != "bulletin"] == ["reinforced"]
    (memory,) = (await api.get("/v1/memories", agent="a"))["items"]
    assert memory["version"] == 2
    assert len((await api.get(f"/v1/memories/{memory['id']}/sources"))["items"]) == 2


async def test_the_same_thing_said_unsaid_and_said_again_within_one_dream(api: Tenant) -> None:
    await say(api, "I like tea.", "I don't like tea.", "I like tea.")
    await dream(api)
    assert await contents(api) == {"u1 likes tea."}
    assert len(await contents(api, include="superseded")) == 2


async def test_a_dry_run_shows_the_same_diff_and_writes_nothing(api: Tenant) -> None:
    await say(api, "I live in Oslo.", "I work at Acme with Maria.")
    shown = await dream(api, dry_run=True)
    assert shown["status"] == "dry_run"
    assert await contents(api) == set()
    done = await dream(api)

    def plain(dreamed: dict) -> list:  # type: ignore[type-arg]
        return [(c["op"], (c["after"] or {}).get("content"), c["reason"]) for c in dreamed["changes"]]

    assert plain(shown) == plain(done)


async def test_a_dry_run_that_was_asked_for_is_not_followed_by_a_real_one(own_api: Api) -> None:
    api = own_api
    await say(api, "I live in Oslo.")
    await api.post("/v1/agents/a/dream", {"dry_run": True})
    dreamer = Dreamer(api.runtime, "test", 60)
    assert await dreamer.dream_next()
    assert not await dreamer.dream_next()
    assert await contents(api) == set()


async def test_a_dream_asked_for_while_another_runs_is_not_lost(own_api: Api) -> None:
    api = own_api
    await say(api, "I live in Oslo.")

    asked: list[str] = []

    async def ask(step: str) -> None:
        if step == "committed" and not asked:
            asked.append(step)
            await say(api, "I work at Acme.")
            await api.post("/v1/agents/a/dream", {})

    await api.post("/v1/agents/a/dream", {})
    assert await Dreamer(api.runtime, "test", 60, on_step=ask).dream_next()
    while await Dreamer(api.runtime, "test", 60).dream_next():
        pass
    statuses = {item["status"] for item in (await api.get("/v1/dreams", agent="a"))["items"]}
    assert statuses == {"succeeded"}
    assert "u1 works at Acme." in await contents(api)


async def test_the_lease_is_gone_when_a_dream_is_over(own_api: Api) -> None:
    api = own_api
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    async with api.runtime.db.unscoped() as connection:
        held = await connection.raw.fetch("SELECT 1 FROM dream_schedule WHERE lease_until IS NOT NULL")
    assert held == []
