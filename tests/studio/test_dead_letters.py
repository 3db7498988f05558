"""Dead letters on the engine's page: seen while there are any, retried and given up."""

from __future__ import annotations

import re
from uuid import uuid4

import asyncpg
import pytest
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.browser import Chromium, visiting
from tests.studio.conftest import Start

TABS = ("Health", "Settings", "Keys")

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def set_aside(server: ServerProcess, *contents: str) -> None:
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


async def test_they_are_retried_and_given_up(start: Start, opened: Chromium) -> None:
    async with start() as server, visiting(opened, f"http://127.0.0.1:{server.port}") as visitor:
        await visitor.sign_in()
        await visitor.go("Engine")
        await visitor.expect_notification("Everything works.")
        await expect(visitor.page.get_by_role("heading", name="Dead letters")).to_be_hidden()
        await set_aside(server, "I love Go.", "I live in Bergen.")
        await visitor.expect_notification("Workers died over 2 texts, which nothing reads until you retry.")
        await visitor.expect_notification(re.compile("died over it 2 times in the step 'read'"))
        await visitor.photograph("dead-letters")
        first = visitor.page.locator(".split").filter(has_text="turn 1")
        await visitor.press("Retry", first)
        await visitor.expect_notification("It is read once more.")
        second = visitor.page.locator(".split").filter(has_text="turn 2")
        give_up = second.get_by_role("button", name="Give up")
        await visitor.open(give_up)
        await visitor.close("Cancel")
        await visitor.open(give_up)
        await visitor.press("Give up", visitor.dialog())
        await visitor.expect_notification("Given up.")
        await expect(second).to_be_hidden()
        await expect(visitor.page.get_by_role("heading", name="Dead letters")).to_be_hidden()
        visitor.has_pressed(
            "/studio/engine", "dead_letters", but={*TABS, "Try it", "Embed what is pending", "Embed everything anew"}
        )
