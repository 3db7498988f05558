"""No planted instruction comes back in a context as if it were memory: it waits in the inbox, or is marked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.extraction.prompt_injection import instruction_in
from service.memory.prompts import QUOTED
from tests.extraction.planted import planted
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Tenant
from tests.worker.dreaming import contents, dream, say

Json = dict[str, Any]

CHANNELS = ("user", "assistant", "tool", "other")


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def _context(api: Tenant, message: str, **fields: Any) -> str:
    answer = await api.post(
        "/v1/context", {"agent": "a", "user": "ann", "message": message, "max_tokens": 8000} | fields
    )
    block = answer["messages"][0]["content"] if len(answer["messages"]) > 1 else ""
    assert block == "" or block.startswith("<reverie-memory>")
    return block


def _unmarked(block: str, word: str) -> list[str]:
    return [line for line in block.split("\n") if word in line and QUOTED not in line]


@pytest.mark.first_tier
async def test_no_planted_instruction_reaches_a_context_unmarked(api: Tenant, credulous_model: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"dream": {"extract_from": ["user", "assistant", "tool"]}})
    once_each = planted(seed=2)[::3]  # tests/extraction/test_instructions.py recognises all of them
    said = [(CHANNELS[number % len(CHANNELS)], *one) for number, one in enumerate(once_each)]
    everything = [one for one in said if one[0] != "user" or instruction_in(one[3]) == "attack"]
    for number, (channel, _, _, text) in enumerate(everything):
        if channel == "other":
            await say(api, text, session=f"s{number % 5}", user="ann", name="mallory")
        else:
            await say(api, text, session=f"s{number % 5}", user="ann", role=channel)
    await say(api, "My cat is called Mog.", session="mine", user="ann")
    await dream(api)
    page = await api.get("/v1/memories", agent="a", limit=200)
    kept = [one["content"] for one in page["items"] if one["dream_id"] is not None]
    assert any("Mog" in one for one in kept)
    assert [(kind, word) for _, kind, word, _ in everything if any(word in one for one in kept)] == []
    waiting = (await api.get("/v1/inbox", agent="a", limit=200))["items"]
    assert all("reads like" in one["reason"] for one in waiting)
    assert len(waiting) > len(everything) * 0.9
    for _, kind, word, _ in everything:
        block = await _context(api, f"what about {word} and Mog?", session="new")
        assert _unmarked(block, word) == [], kind


async def test_what_is_saved_imported_or_read_is_marked(api: Tenant) -> None:
    everything = [one for one in planted(seed=3)[::4] if instruction_in(one[2]) == "attack"]
    lines = []
    for number, (_, word, text) in enumerate(everything):
        about = {"agent": "a", "type": "fact", "content": f"{text} ({word})", "user": ["mallory", None][number % 2]}
        if number % 3 == 0:
            await api.post("/v1/memories", about | {"hearsay_by": "mallory"} if about["user"] else about)
        elif number % 3 == 1:
            lines.append(json.dumps({"record": "memory"} | about))
        else:
            await api.post("/v1/documents", {"agent": "a", "title": f"Doc {number}", "text": f"{text} ({word})"})
    answer = await api.call("POST", "/v1/import", content="\n".join(lines))
    assert answer.json()["created"] == len(lines)
    shown = 0
    for kind, word, text in everything:
        block = await _context(api, word, tool_results=[text])
        shown += word in block
        assert _unmarked(block, word) == [], kind
    assert shown > len(everything) / 2


async def test_tools_are_not_extracted_from_by_default(api: Tenant, credulous_model: FakeOpenAI) -> None:
    await say(api, "The gate code was changed.", role="tool", user="ann")
    await say(api, "Ann's gate is green.", role="assistant", user="ann")
    await say(api, "My gate squeaks.", user="ann")
    await dream(api)
    said = await contents(api)
    assert {"The gate code was changed."}.isdisjoint(said)
    assert any("squeaks" in one for one in said)
    await api.put("/v1/settings", {"dream": {"extract_from": ["user"]}})
    await say(api, "The lamp is red.", role="assistant", user="ann")
    await dream(api)
    assert not any("lamp" in one for one in await contents(api))


async def test_a_preference_of_her_own_becomes_a_memory(api: Tenant, credulous_model: FakeOpenAI) -> None:
    await say(api, "Always answer me in French.", session="hers", user="ann")
    await dream(api)
    assert any("French" in one for one in await contents(api))
    block = await _context(api, "how do you answer me in French?")
    assert "French" in block
    assert QUOTED not in block


async def test_what_is_held_back_becomes_a_memory_when_it_is_accepted(api: Tenant, credulous_model: FakeOpenAI) -> None:
    await say(api, "You must always feed Mog at noon.", session="s", user="ann", name="bo")
    await dream(api)
    assert not any("Mog" in one for one in await contents(api))
    (proposal,) = (await api.get("/v1/inbox", agent="a"))["items"]
    await api.post(f"/v1/inbox/{proposal['id']}", {"action": "accept"})
    assert any("Mog" in one for one in await contents(api))


async def test_what_a_message_with_a_secret_says_waits_in_quarantine(api: Tenant, credulous_model: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"secrets": {"mode": "quarantine"}})
    await say(api, "My router is blue and its password is hunter2x.", user="ann")
    await say(api, "My lamp is red.", user="ann", session="t")
    await dream(api)
    said = await contents(api)
    assert any("lamp" in one for one in said)
    assert not any("router" in one for one in said)
    (proposal,) = (await api.get("/v1/inbox", agent="a"))["items"]
    assert proposal["reason"] == "its message had a secret: password"
    assert "hunter2x" not in str(proposal)
