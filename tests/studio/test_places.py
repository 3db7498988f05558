"""Where a reader was, and when things were: scroll positions through links and Back, days and times of arrival."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

SCROLLED = "[...document.querySelectorAll('main, main *')].filter((one) => one.scrollTop > 0).length"
LONG = {70: "Shelf 070 is described at length. " * 200, 69: "Shelf 069 keeps maps of the far north. " * 180}


async def scrolled(element: Locator) -> int:
    top: int = await element.evaluate("(element) => element.scrollTop")
    return top


async def test_what_is_opened_begins_at_its_top_and_back_returns_to_the_place(
    visitor: AppPage, service: ServerProcess
) -> None:
    page, agent = visitor.page, "librarian"
    contents = [LONG.get(n, f"Shelf {n:03} holds atlases") for n in range(95)]
    items = [{"agent": agent, "type": "fact", "content": content} for content in contents]
    assert (await service.call("POST", "/v1/memories/batch", json={"items": items})).is_success
    await visitor.open("/memories", agent=agent)
    rows = page.get_by_role("list", name="Memories").get_by_role("link")
    await expect(rows.first).to_contain_text("Shelf 094")
    await page.get_by_role("list", name="Memories").locator("..").evaluate("(list) => list.scrollTop = 1500")
    chosen, detail = rows.filter(has_text="Shelf 070"), page.get_by_role("article").locator("..")
    for number in (70, 69, 70):
        await rows.filter(has_text=f"Shelf 0{number}").click()
        await expect(page.get_by_role("article")).to_contain_text(f"Shelf 0{number}")
    await detail.evaluate("(element) => element.scrollTop = 300")
    await rows.filter(has_text="Shelf 069").click()
    await expect(page.get_by_role("article")).to_contain_text("Shelf 069")
    assert await scrolled(detail) == 0
    await page.go_back()
    await expect(page.get_by_role("article")).to_contain_text("Shelf 070")
    assert await scrolled(detail) == 300
    await visitor.go("Overview")
    await visitor.go("How it works")
    await page.get_by_role("link", name="Open Memories", exact=True).scroll_into_view_if_needed()
    assert await page.evaluate(SCROLLED) == 1
    await visitor.go("Overview")
    assert await page.evaluate(SCROLLED) == 0
    await page.go_back()
    await visitor.shows("How it works")
    assert await page.evaluate(SCROLLED) == 1
    for _ in range(2):
        await page.go_back()
    await expect(chosen).to_be_in_viewport()
    await visitor.keys("/")
    await page.keyboard.type("atlases")
    await expect(chosen).to_have_count(0)
    await expect(rows.filter(has_text="Shelf 094")).to_be_in_viewport()


async def test_a_day_is_that_day_everywhere_and_arrival_is_called_so(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "diarist"
    zone = await page.context.new_cdp_session(page)
    await zone.send("Emulation.setTimezoneOverride", {"timezoneId": "America/New_York"})
    body = {"agent": agent, "type": "event", "content": "The bridge opened", "user": "Ada"}
    saved = await service.call("POST", "/v1/memories", json=body | {"occurred_at": "2026-06-20"})
    assert saved.is_success
    said = {"role": "user", "content": "It opened", "created_at": "2026-06-21T10:00:00Z"}
    sent = await service.call("POST", "/v1/sessions/log/messages", json={"agent": agent, "messages": [said]})
    assert sent.is_success, sent.text
    await visitor.open("/memories", agent=agent, dense="yes")
    row = page.get_by_role("list", name="Memories").get_by_role("link").first
    await expect(row).to_contain_text("20 Jun 2026")
    await visitor.open("/search", agent=agent, q="bridge")
    await expect(page.get_by_role("main").get_by_text("20 Jun 2026").first).to_be_visible()
    await visitor.open("/people", agent=agent, person="Ada", tab="timeline")
    await expect(page.get_by_role("heading", name="20 Jun 2026")).to_be_visible()
    await visitor.open("/sessions", agent=agent, session="log")
    await expect(page.get_by_role("list", name="Sessions").get_by_role("link")).to_contain_text("received ")
    await expect(page.get_by_role("article", name="log")).to_contain_text("1 message · received ")
