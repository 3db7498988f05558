"""Pages in the Studio: a question is asked, its answer opened, found stale, written again, compared and deleted."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.studio.browser import Chromium, visiting
from tests.studio.conftest import Start
from tests.studio.test_pages import PANEL

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_a_page_with_its_versions(start: Start, opened: Chromium) -> None:
    async with start() as server, visiting(opened, f"http://127.0.0.1:{server.port}") as visitor:
        await visitor.sign_in()
        page, rows = visitor.page, visitor.page.locator(".rows .item")
        body = {"agent": "ada", "type": "decision", "content": "The lighthouse lamp is lit at dusk"}
        memory = (await server.call("POST", "/v1/memories", json=body)).json()["memory"]
        await page.goto(f"{visitor.base}/studio/?agent=ada")
        await visitor.go("Pages")
        await expect(page.get_by_text("No page yet")).to_be_visible()
        await visitor.open("Ask a question")
        await visitor.close("Cancel")
        await visitor.open("Ask a question")
        await visitor.press("Ask", visitor.dialog())
        await visitor.expect_notification("question")
        await visitor.dialog().get_by_label("Question").fill("When is the lighthouse lamp lit?")
        await visitor.press("Ask", visitor.dialog())
        await expect(page.get_by_role("heading", name="When is the lighthouse lamp lit?")).to_be_visible()
        sentence = rows.filter(has_text="lit at dusk")
        await visitor.open(sentence)
        await expect(visitor.dialog().get_by_text("The lighthouse lamp is lit at dusk").first).to_be_visible()
        await visitor.close("Close")
        changed = {"version": memory["version"], "content": "The lighthouse lamp is lit at five"}
        await server.call("PATCH", f"/v1/memories/{memory['id']}", json=changed)
        await expect(page.get_by_text("left out: what it rests on has changed").first).to_be_visible()
        await visitor.photograph("pages")
        await visitor.press("Answer now")
        await visitor.expect_notification("Version 2 is written")
        await expect(page.locator("ins").first).to_contain_text("lit at five")
        await expect(page.locator("del").first).to_contain_text("lit at dusk")
        await visitor.press("Answer now")
        await visitor.expect_notification("Nothing has changed since")
        await visitor.open("Delete")
        await visitor.close("Cancel")
        await visitor.open("Delete")
        await visitor.press("Delete page", visitor.dialog())
        await expect(page.get_by_text("No page yet")).to_be_visible()
        visitor.has_pressed("/studio/pages", "pages", but=PANEL)
