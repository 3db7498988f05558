"""Standing questions, the inbox, questions to memory, and a dream that is waited for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.live_api import ADMIN_KEY, Api, Tenant
from tests.mcp_client import OVER_STDIO, Connect, over_http, told
from tests.worker.dreaming import dream, say
from worker.dreaming.run import Dreamer

both = pytest.mark.parametrize("connect", [over_http, OVER_STDIO], ids=["http", "stdio"])


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


async def test_a_standing_question_is_asked_listed_and_read(static_api: Tenant) -> None:
    ada = await static_api.as_role("agent", "ada")
    memory = await ada.save("Pricing is billed yearly", agent="ada", type="decision")
    async with over_http(static_api, ada.key) as client:
        page = await told(client, "page_create", question="What is decided about pricing?", types=["decision"])
        assert page["sentences"] == [{"text": "Pricing is billed yearly", "memory_ids": [memory["id"]]}]
        assert (await told(client, "page_list"))["pages"] == [page]
        await told(client, "memory_forget", memory_id=memory["id"])
        assert (await told(client, "page_read", page_id=page["id"]))["stale"] is True
        restored = await told(client, "memory_restore", memory_id=memory["id"])
        assert restored["content"] == "Pricing is billed yearly"
        assert (await told(client, "page_read", page_id=page["id"]))["stale"] is False


async def test_a_question_is_answered_with_its_memories(static_api: Tenant) -> None:
    ada = await static_api.as_role("agent", "ada")
    memory = await ada.save("Sam likes green tea", agent="ada", type="preference", user="sam")
    await dream(static_api, "ada")
    async with over_http(static_api, ada.key) as client:
        answered = await told(client, "memory_ask", question="What does Sam like?", user="sam")
        assert answered["memories"] == [{"id": memory["id"], "content": "Sam likes green tea"}]
        assert set(answered["citations"]) <= {memory["id"]}
        profile = await told(client, "user_profile", user="sam")
        assert {field["name"]: field["value"] for field in profile["fields"]}["likes"] == "green tea"
        assert profile["fields"][0]["memory_ids"] == [memory["id"]]


async def test_the_inbox_is_decided_on(static_api: Tenant) -> None:
    await static_api.put("/v1/agents/a", {"settings": {"dream": {"propose_below": 0.7}}})
    await say(static_api, "I think I work at Acme", "I think I live in Bergen", user="sam")
    await dream(static_api)
    agent = await static_api.as_role("agent", "a")
    async with over_http(static_api, agent.key, user="sam") as client:
        waiting = (await told(client, "inbox_list"))["proposals"]
        assert len(waiting) == 2
        accepted = await told(client, "inbox_decide", proposal_id=waiting[0]["id"], action="accept")
        assert accepted["status"] == "accepted"
        edit = {"action": "edit", "content": "Sam lives in Oslo", "about": "sam"}
        edited = await told(client, "inbox_decide", proposal_id=waiting[1]["id"], **edit)
        assert (await agent.get(f"/v1/memories/{edited['memory_id']}"))["content"] == "Sam lives in Oslo"
        assert (await told(client, "inbox_list"))["proposals"] == []
        again = await client.call_tool("inbox_decide", {"proposal_id": waiting[0]["id"], "action": "reject"})
        assert again.is_error
        assert "409" in str(again.content)


@both
async def test_a_dream_that_is_waited_for_reports_how_it_is(own_static_api: Api, connect: Connect) -> None:
    await say(own_static_api, "My name is Sam and I live in Bergen", user="sam")
    agent = await own_static_api.as_role("agent", "a")
    steps: list[tuple[float, float | None, str | None]] = []
    begun = asyncio.Event()

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, total, message))
        begun.set()

    async def work() -> None:
        await begun.wait()
        assert await Dreamer(own_static_api.runtime, "test", 60).dream_next()

    async with connect(own_static_api, agent.key, user="sam") as client:
        worker = asyncio.create_task(work())
        done: Any = (await client.call_tool("dream", {"wait_s": 300}, progress_callback=note)).structured_content
        await worker
        assert done["status"] == "succeeded"
        assert steps[0][2] == "The dream is queued."
        assert steps[-1] == (300, 300, "The dream has ended.")
        assert [step[0] for step in steps] == sorted(step[0] for step in steps)
        unwaited = await told(client, "dream", wait_s=0, dry_run=True)
        assert unwaited["status"] == "queued"
    async with over_http(own_static_api, ADMIN_KEY) as client:
        nobody = await client.call_tool("dream", {})
        assert nobody.is_error
        assert "Name the acting agent" in str(nobody.content)
