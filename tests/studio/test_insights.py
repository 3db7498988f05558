"""An insight in the Studio: what it says, and the memories that it was concluded from."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.studio.browser import Chromium, visiting
from tests.studio.conftest import Start

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_an_insight_shows_its_evidence(start: Start, opened: Chromium) -> None:
    async with start() as server, visiting(opened, f"http://127.0.0.1:{server.port}") as visitor:
        await visitor.sign_in()
        for session, said in (("may", "I live in Berlin."), ("june", "I live in Bergen now.")):
            body = {"agent": "wanda", "user": "Sam", "messages": [{"role": "user", "content": said}]}
            await server.call("POST", f"/v1/sessions/{session}/messages", json=body)
            dream = await server.call("POST", "/v1/agents/wanda/dream", json={"wait": True}, timeout=300)
            assert dream.json()["status"] == "succeeded"
        page = visitor.page
        await page.goto(f"{visitor.base}/studio/?agent=wanda")
        await visitor.open(page.locator(".rows .item").filter(has_text="Sam moved from Berlin to Bergen").first)
        await expect(visitor.dialog().get_by_role("button", name="Delete")).to_be_visible()
        await expect(visitor.dialog().get_by_role("button", name="Edit")).to_have_count(0)
        await page.get_by_role("tab", name="Sources").click()
        cards = visitor.dialog().locator(".card")
        await expect(cards).to_have_count(2)
        await expect(cards.filter(has_text="until then")).to_contain_text("Sam lives in Berlin.")
        await expect(cards.filter(has_text="Sam lives in Bergen")).to_be_visible()
        await visitor.photograph("insight")
        await visitor.close("Close")
