"""What a dream under way shows of what it has found: masked, filtered, and gone with the dream."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.waiting import until
from tests.worker.dreaming import agent_id, contents, dream, model, note_everything, say
from worker.dreaming.run import Dreamer

Json = dict[str, Any]
Work = Callable[[str], Awaitable[None]]


async def under_way(api: Api) -> Json:
    """The dream that runs now."""
    (running,) = (await api.get("/v1/dreams", agent="a", status="running"))["items"]
    found: Json = await api.get(f"/v1/dreams/{running['id']}")
    return found


async def shows(api: Api, read: int) -> bool:
    """Whether the dream under way shows so many turns as read."""
    return bool((await under_way(api))["report"].get("read") == read)


async def seen_when(api: Api, step: str, work: Work | None = None) -> list[Json]:
    """Dream; the report after a step, or before ``work`` is done there."""
    seen: list[Json] = []

    async def look(name: str) -> None:
        if name == step:
            shown = await under_way(api)
            seen.append(shown["report"])
            if work is not None:
                await work(shown["id"])

    await Dreamer(api.runtime, "test", 60, on_step=look).dream_for(DEFAULT_WORKSPACE, await agent_id(api.runtime))
    return seen


async def test_the_newest_come_first_without_repetition_and_go_with_the_dream(api: Api) -> None:
    await say(api, *(f"I love {fruit}s." for fruit in ("apple", "pear", "plum")), "I love plums.", "i luv <b>figs</b>")
    (report,) = await seen_when(api, "reconciled")
    texts = [one["content"] for one in report["newest"]]
    assert report["candidates"] >= 3
    assert [text for text in texts if "plums" in text or "apples" in text] == ["u1 loves plums.", "u1 loves apples."]
    assert {one["type"] for one in report["newest"]} == {"preference"}
    assert {"u1 loves plums.", "u1 loves apples."} <= await contents(api)
    (over,) = (await api.get("/v1/dreams", agent="a"))["items"]
    assert over["status"] == "succeeded"
    assert "newest" not in over["report"]


async def test_no_more_than_twenty_are_shown(api: Api) -> None:
    await say(api, *(f"I love number{n} tea." for n in range(45)))
    (report,) = await seen_when(api, "reconciled")
    assert [one["content"] for one in report["newest"]] == [f"u1 loves number{n} tea." for n in range(44, 24, -1)]


@pytest.mark.parametrize("step", ["extracted", "reconciled"])
@pytest.mark.parametrize("mode", ["redact", "reject"])
async def test_personal_data_is_never_shown(api: Api, mode: str, step: str) -> None:
    await say(api, "I love tea.", "My favorite contact is jo.qxz@example.com.", "I love jo.qxz@example.com!")
    await api.put("/v1/settings", {"pii": {"mode": mode}})
    (report,) = await seen_when(api, step)
    assert "u1 loves tea." in {one["content"] for one in report["newest"]}
    assert "jo.qxz" not in str(report)


@pytest.mark.parametrize("step", ["extracted", "reconciled"])
async def test_what_the_settings_leave_out_is_not_shown(api: Api, step: str) -> None:
    await api.put("/v1/settings", {"dream": {"ignore_types": ["preference"]}})
    await say(api, "I love tea.", "I live in Oslo.")
    (report,) = await seen_when(api, step)
    assert [one["content"] for one in report["newest"]] == ["u1 lives in Oslo."]


@pytest.mark.parametrize("how", ["/v1/dreams/{}/cancel", "/v1/users/u1/purge"])
async def test_neither_a_cancelled_dream_nor_one_whose_user_is_purged_keeps_any(api: Api, how: str) -> None:
    await say(api, "I love xqmarkx tea.")

    async def work(dream_id: str) -> None:
        await api.post(how.format(dream_id))
        assert "newest" not in (await api.get(f"/v1/dreams/{dream_id}"))["report"]

    (before,) = await seen_when(api, "reconciled", work)
    assert "xqmarkx" in str(before["newest"])
    listed = (await api.get("/v1/dreams", agent="a"))["items"]
    assert "xqmarkx" not in str(listed)


async def test_what_is_read_soon_after_another_part_is_shown_while_the_model_is_silent(api: Api) -> None:
    await load_litellm()
    with FakeOpenAI() as server:
        server.default_reply = note_everything
        api.runtime.llm = model(server, timeout_s=60)
        await say(api, *(f"Crate {n} stands in hall {n % 7}." for n in range(120)))
        server.hold()
        task = asyncio.create_task(dream(api.runtime))
        await asyncio.to_thread(server.wait_for_call, "chat", 3)
        for read in (40, 80):
            server.let_go(1)
            await until(partial(shows, api, read), "they are not shown")
        server.let_go()
        assert (await task)["status"] == "succeeded"
