"""A whole visit without a mouse."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Page, expect

from tests.live_api import ADMIN_KEY
from tests.processes import ServerProcess
from tests.studio.browser import Chromium, StudioPage, visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")

STOPS_MAX = 40
RING_SEEN = """
() => {
  const here = document.activeElement;
  if (!here.matches(':focus-visible')) return false;
  const field = here.closest('.q-field__control');
  if (field) return getComputedStyle(field, '::after').boxShadow !== 'none';
  const look = getComputedStyle(here);
  return look.outlineStyle !== 'none' || look.boxShadow !== 'none';
}
"""
"""Whether what has the focus shows it: fields by a glow, everything else by a ring."""


async def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until the target has the focus, and see that it shows. Raises AssertionError when it is not reached."""
    for _ in range(STOPS_MAX):
        if await target.count() and await target.first.evaluate("one => one === document.activeElement"):
            await page.wait_for_function(RING_SEEN)
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{STOPS_MAX} times Tab do not lead to {target}")


async def test_a_memory_is_found_changed_deleted_and_restored_by_keyboard(
    service: ServerProcess, opened: Chromium
) -> None:
    content = "The spare badge is in the red drawer"
    await service.call("POST", "/v1/memories", json={"agent": "ada", "type": "fact", "content": content})
    async with visiting(opened, f"http://127.0.0.1:{service.port}") as visitor:
        page, keys = visitor.page, visitor.page.keyboard
        row = page.locator(".rows .item").filter(has_text="badge")
        await page.goto(f"{visitor.base}/studio")
        await expect(page.get_by_label("API key")).to_be_focused()
        await keys.type(ADMIN_KEY)
        await keys.press("Enter")
        await expect(page.get_by_role("heading", name="Memories", exact=True)).to_be_visible()

        await tab_to(page, page.get_by_label("Agent", exact=True))
        await keys.type("ada")
        await expect(page.get_by_role("option")).to_have_count(1)
        await keys.press("ArrowDown")
        async with page.expect_navigation():
            await keys.press("Enter")
        await expect(row).to_be_visible()

        await tab_to(page, page.get_by_role("link", name="To the content"))
        await keys.press("Enter")
        await tab_to(page, page.get_by_label("Search in what is remembered"))
        await keys.type("badge")
        await expect(page.locator(".rows .item")).to_have_count(1)
        await tab_to(page, row)
        await keys.press("Enter")
        await expect(page.get_by_role("dialog")).to_be_visible()
        await it_is_edited(visitor)
        await it_is_deleted_and_restored(visitor, row)


async def it_is_edited(visitor: StudioPage) -> None:
    page, keys = visitor.page, visitor.page.keyboard
    edit = page.get_by_role("button", name="Edit", exact=True)
    await tab_to(page, edit)
    await keys.press("Enter")
    words = page.get_by_label("What is to be remembered", exact=True)
    await expect(words).to_be_focused()
    await keys.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(1)
    await expect(edit).to_be_focused()
    await keys.press("Enter")
    await expect(words).to_be_focused()
    await keys.press("Control+A")
    await keys.type("The spare badge is in the blue drawer")
    await tab_to(page, page.get_by_role("button", name="Save", exact=True))
    await keys.press("Enter")
    await visitor.expect_notification("Changed. The former version is in the history.")
    await expect(page.get_by_role("dialog")).to_have_count(1)
    await expect(visitor.dialog()).to_contain_text("blue drawer")
    await expect(edit).to_be_focused()


async def it_is_deleted_and_restored(visitor: StudioPage, row: Locator) -> None:
    page, keys = visitor.page, visitor.page.keyboard
    await tab_to(page, page.get_by_role("button", name="Delete", exact=True))
    await keys.press("Enter")
    sure = visitor.dialog("Delete this memory?")
    await expect(sure.get_by_role("button", name="Cancel")).to_be_focused()
    await tab_to(page, sure.get_by_role("button", name="Delete", exact=True))
    await keys.press("Enter")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(row).to_have_count(0)

    shown = page.get_by_label("Show", exact=True)
    await tab_to(page, page.get_by_role("link", name="To the content"))
    await keys.press("Enter")
    await tab_to(page, shown)
    await keys.press("Enter")
    await expect(page.get_by_role("option", name="With deleted ones")).to_be_visible()
    for _ in range(3):
        await keys.press("ArrowDown")
    await keys.press("Enter")
    await expect(row).to_have_count(1)
    await tab_to(page, row)
    await keys.press("Enter")
    await expect(page.get_by_role("dialog")).to_be_visible()
    restore = page.get_by_role("button", name="Restore", exact=True)
    await tab_to(page, restore.first)
    await keys.press("Enter")
    await expect(visitor.dialog("Restore this memory?")).to_be_visible()
    await tab_to(page, visitor.dialog("Restore this memory?").get_by_role("button", name="Restore", exact=True))
    await keys.press("Enter")
    await visitor.expect_notification("Restored.")
    await expect(page.get_by_role("dialog")).to_have_count(1)
    await keys.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(row.get_by_text("deleted")).to_have_count(0)
    await expect(row).to_be_focused()
