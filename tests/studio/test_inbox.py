"""The inbox in a browser: what was said beside what a dream made of it; decided on by click and by key."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.browser import Chromium, visiting
from tests.studio.conftest import Start

pytestmark = pytest.mark.asyncio(loop_scope="package")

SAID = (
    "I love tea.",
    "I live in Bergen.",
    "I work at Acme.",
    "I have a dog named Rex.",
    "My favourite colour is green.",
)


async def contents(server: ServerProcess) -> set[str]:
    answer = await server.call("GET", "/v1/memories", params={"agent": "eve"})
    return {memory["content"] for memory in answer.json()["items"]}


async def test_proposals_are_decided_on_by_click_and_by_key(start: Start, opened: Chromium) -> None:
    async with start() as server, visiting(opened, f"http://127.0.0.1:{server.port}") as visitor:
        settings = {"settings": {"dream": {"propose_below": 0.99}}}
        assert (await server.call("PUT", "/v1/agents/eve", json=settings)).is_success
        await visitor.sign_in()
        await visitor.go("Inbox")
        await visitor.expect_notification("Nothing here")
        turns = [{"role": "user", "content": content} for content in SAID]
        body = {"agent": "eve", "user": "sam", "messages": turns}
        assert (await server.call("POST", "/v1/sessions/s/messages", json=body)).is_success
        assert (await server.call("POST", "/v1/agents/eve/dream", json={"wait": True})).is_success
        rows, page = visitor.page.locator(".rows .item"), visitor.page
        await expect(rows).to_have_count(5)
        shown = page.locator(".column-of .card")
        await visitor.press_until(rows.filter(has_text="Bergen"), shown.get_by_text("I live in Bergen.", exact=True))
        await visitor.photograph("inbox")

        await visitor.press("Accept", shown)
        await expect(rows).to_have_count(4)
        assert await contents(server) == {"sam lives in Bergen."}
        await visitor.press_until(rows.filter(has_text="tea"), shown.get_by_text("I love tea.", exact=True))
        await visitor.press("Edit", shown)
        await visitor.press("Cancel", visitor.dialog())
        await visitor.press("Edit", shown)
        await page.get_by_label("What is to be remembered").fill("Sam loves green tea.")
        await visitor.press("Save", visitor.dialog())
        await expect(rows).to_have_count(3)
        assert await contents(server) == {"sam lives in Bergen.", "Sam loves green tea."}
        await visitor.press("Reject", shown)
        await expect(rows).to_have_count(2)

        await page.locator("h1").click()
        first, second = [await rows.nth(n).locator("b").inner_text() for n in range(2)]
        await page.keyboard.press("k")
        await expect(shown.locator("p.words")).to_have_text(first)
        await page.keyboard.press("j")
        await expect(shown.locator("p.words")).to_have_text(second)
        await page.keyboard.press("r")
        await expect(rows).to_have_count(1)
        await page.keyboard.press("a")
        await visitor.expect_notification("Nothing here")
        assert first in await contents(server)

        await visitor.choose("What to show", "What was rejected")
        await expect(rows).to_have_count(2)
        await visitor.press("Reopen", shown)
        await expect(rows).to_have_count(1)
        visitor.has_pressed("/studio/inbox", "inbox")
