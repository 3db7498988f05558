"""The list of memories while others write: nothing moves under the pointer, and a hundred thousand rows scroll."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from playwright.async_api import Route, expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

PRESSES = 100
PER_S = 10
ROWS = 100_000
DRAWN_MAX = 60
LONG_LIST = """
const send = window.fetch;
const at = new Date().toISOString();
window.fetch = (input, init) => {
  if (!`${input}`.includes('/v1/memories?')) return send(input, init);
  const items = Array.from({ length: %d }, (_, n) => ({
    id: `row-${n}`, content: `Row ${n}`, agent: 'ada', type: 'fact', created_at: at, deleted_at: null,
    superseded_by: null, tags: [], owners: [], importance: 0.5, version: 1,
  }));
  return Promise.resolve(Response.json({ items, next_cursor: null }));
};
"""
FRAMES = """
async () => {
  const list = document.querySelector('ul[aria-label="Memories"]').parentElement;
  let frames = 0;
  const times = [];
  let last = performance.now();
  for (; frames < 120; frames++) {
    list.scrollTop += 600;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  times.sort((a, b) => a - b);
  return { median: times[60], rows: list.querySelectorAll('li').length, top: list.scrollTop };
}
"""


async def write(service: ServerProcess, agent: str) -> None:
    """Ten memories a second, until it is cancelled."""
    number = 0
    while True:
        number += 1
        body = {"agent": agent, "type": "fact", "content": f"Tick number {number} of the clock in the hall"}
        await service.call("POST", "/v1/memories", json=body)
        await asyncio.sleep(1 / PER_S)


async def test_each_of_a_hundred_presses_opens_what_was_pressed(visitor: AppPage, service: ServerProcess) -> None:
    items = [{"agent": "clock", "type": "fact", "content": f"Old entry {n} in the book"} for n in range(40)]
    assert (await service.call("POST", "/v1/memories/batch", json={"items": items})).is_success
    page = visitor.page
    await visitor.open("/memories", agent="clock")
    rows = page.get_by_role("list", name="Memories").get_by_role("link")
    await expect(rows.nth(5)).to_be_visible()
    writing = asyncio.create_task(write(service, "clock"))
    wrong, lost = [], []
    try:
        for press in range(PRESSES):
            await rows.nth(1 + press % 5).hover(position={"x": 60, "y": 20})  # scrolls to it, if need be
            await asyncio.sleep(0.05)
            aimed = await page.locator("a:hover p").first.inner_text()
            await asyncio.sleep(0.15)
            await page.mouse.down()
            await asyncio.sleep(0.05)
            await page.mouse.up()
            article = page.get_by_role("article")
            try:
                await expect(article).to_contain_text(aimed)
            except AssertionError:
                (wrong if await article.count() else lost).append(aimed)
            await page.mouse.move(5, 5)
            if press % 10 == 0:
                await page.get_by_role("heading", level=1).click()
    finally:
        writing.cancel()
        with suppress(asyncio.CancelledError):
            await writing
    assert (wrong, lost) == ([], [])


async def test_rows_that_wait_are_shown_when_asked_for(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    body = {"agent": "bell", "type": "fact", "content": "The bell hangs in the tower"}
    await service.call("POST", "/v1/memories", json=body)
    await visitor.open("/memories", agent="bell")
    rows = page.get_by_role("list", name="Memories").get_by_role("link")
    await rows.first.hover()
    await service.call("POST", "/v1/memories", json=body | {"content": "The bell was rung at noon"})
    await expect(page.get_by_role("button", name="1 new")).to_be_visible()
    await expect(rows).to_have_count(1)
    await visitor.press("1 new")
    await expect(rows).to_have_count(2)
    await expect(rows.first).to_contain_text("rung at noon")


async def test_a_new_search_is_shown_under_the_pointer_and_old_rows_are_marked_until_then(
    visitor: AppPage, service: ServerProcess
) -> None:
    page, go_on = visitor.page, asyncio.Event()
    items = [{"agent": "choir", "type": "fact", "content": f"The {voice} sings"} for voice in ("alto", "bass", "tenor")]
    assert (await service.call("POST", "/v1/memories/batch", json={"items": items})).is_success
    await visitor.open("/memories", agent="choir")
    listed = page.get_by_role("list", name="Memories")
    rows = listed.get_by_role("link")
    await expect(rows).to_have_count(3)

    async def hold(route: Route) -> None:
        await go_on.wait()
        await route.continue_()

    await page.route("**/v1/memories?*q=bass*", hold)
    await rows.nth(1).hover()
    await visitor.keys("/")
    await page.keyboard.type("bass")
    await expect(listed).to_have_attribute("aria-busy", "true")
    await expect(rows).to_have_count(3)
    go_on.set()
    await expect(rows).to_have_count(1)
    await expect(listed).not_to_have_attribute("aria-busy", "true")


async def test_a_hundred_thousand_rows_scroll(visitor: AppPage) -> None:
    """Of a list that long, as if the API gave all of it at once, only what is in view is drawn."""
    page = visitor.page
    await page.add_init_script(LONG_LIST % ROWS)
    await visitor.open("/memories", agent="ada")
    rows = page.get_by_role("list", name="Memories").get_by_role("link")
    await expect(rows.first).to_contain_text("Row 0")
    measured = await page.evaluate(FRAMES)
    print(f"{ROWS} rows: {measured['median']:.1f} ms a frame, {measured['rows']} rows drawn")
    assert measured["rows"] < DRAWN_MAX
    assert measured["top"] > 50_000
    await rows.first.focus()
    await visitor.keys("End")
    await expect(rows.last).to_contain_text(f"Row {ROWS - 1}")


async def test_enter_opens_the_row_jumped_to(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    items = [{"agent": "jumps", "type": "fact", "content": f"Box {n:02} is shut"} for n in range(60)]
    saved = (await service.call("POST", "/v1/memories/batch", json={"items": items})).json()
    ids = {one["memory"]["content"]: one["memory"]["id"] for one in saved["items"]}
    await visitor.open("/memories", agent="jumps")
    rows = page.get_by_role("list", name="Memories").get_by_role("link")
    await expect(rows.first).to_contain_text("Box 59")
    for _ in range(5):
        await rows.first.focus()
        await visitor.keys("End", "Enter")
        last = page.get_by_role("article").get_by_text("Box 00 is shut")
        await expect(last).to_be_visible()
        assert f"memory={ids['Box 00 is shut']}" in page.url
        await visitor.keys("Home", "Enter")
        await expect(page.get_by_role("article").get_by_text("Box 59 is shut")).to_be_visible()
    await visitor.keys("j", "j", "Enter")
    await expect(page.get_by_role("article").get_by_text("Box 57 is shut")).to_be_visible()
