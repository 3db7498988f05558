"""Dead letters on the page Engine: retried and discarded."""

from __future__ import annotations

import re
from uuid import uuid4

import asyncpg
import pytest
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.app_page import at_the_studio
from tests.studio.browser import Chromium
from tests.studio.conftest import Start

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def _set_aside(server: ServerProcess, *contents: str) -> None:
    """Messages as workers leave them that have died over them twice."""
    turns = [{"role": "user", "content": content} for content in contents]
    answer = await server.call("POST", "/v1/sessions/s/messages", json={"agent": "eve", "messages": turns})
    assert answer.is_success, answer.text
    connection = await asyncpg.connect(server.database_url, statement_cache_size=0)
    for message in answer.json()["messages"]:
        await connection.execute(
            "INSERT INTO dead_letters (workspace_id, id, message_id, status, job, step, attempts, created_at)"
            " SELECT workspace_id, $2, id, 'dead', 'dream', 'read', 2, now() FROM messages WHERE id = $1",
            message["id"], uuid4(),
        )  # fmt: skip
    await connection.close()


async def test_they_are_retried_and_discarded(start: Start, opened: Chromium) -> None:
    async with start() as server, at_the_studio(opened, f"http://127.0.0.1:{server.port}") as visitor:
        page = visitor.page
        await _set_aside(server, "I love Go.", "I live in Bergen.")
        await visitor.open("/engine")
        await visitor.sign_in(title="Engine")
        letters = page.get_by_role("region", name="Dead letters")
        await expect(letters.get_by_text(re.compile("died over it 2 times in the step 'read'"))).to_have_count(2)
        first, second = (letters.get_by_role("listitem").filter(has_text=f"s, message {seq}") for seq in (1, 2))
        await visitor.press("Retry", first)
        await expect(page.get_by_text("Queued for one more attempt")).to_be_visible()
        await visitor.press("Discard", second)
        await visitor.press("Discard", page.get_by_role("dialog"))
        await expect(second).to_have_count(0)
        await expect(page.get_by_role("dialog")).to_have_count(0)
        assert "I live in Bergen." in (await server.call("GET", "/v1/sessions/s/messages?agent=eve")).text
        await visitor.open("/sessions", agent="eve", session="s")
        await visitor.shows("Sessions")
        await expect(page.get_by_text("I live in Bergen.").first).to_be_visible()
        await expect(letters.get_by_role("listitem").filter(has_text="s, message 2")).to_have_count(0)
