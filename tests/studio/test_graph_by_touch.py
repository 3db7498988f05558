"""The page Graph by touch: one finger scrolls the page, two move and zoom the graph."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from playwright.async_api import Page, expect

from tests.processes import ServerProcess
from tests.studio.app_page import at_the_studio
from tests.studio.browser import Chromium
from tests.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="package")

T = TypeVar("T")

AGENT = "ada"
LOW = {"width": 740, "height": 390}
STEP_MS = 20
LOOKS = 10
"""So many in a row that show the same, and nothing moves any more."""


async def drag(page: Page, *fingers: tuple[tuple[float, float], tuple[float, float]], steps: int = 10) -> None:
    """Put fingers on the screen, move each from its first place to its second, and lift them."""
    client = await page.context.new_cdp_session(page)
    for step in range(steps + 1):
        points = [{"x": x + (to_x - x) * step / steps, "y": y + (to_y - y) * step / steps, "id": n}
                  for n, ((x, y), (to_x, to_y)) in enumerate(fingers)]  # fmt: skip
        kind = "touchMove" if step else "touchStart"
        await client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        await page.wait_for_timeout(STEP_MS)
    await client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


async def still(look: Callable[[], Awaitable[T]]) -> T:
    """What there is to see once nothing moves any more."""
    seen: list[T] = []

    async def stands() -> bool:
        seen.append(await look())
        return len(seen) >= LOOKS and all(one == seen[-1] for one in seen[-LOOKS:])

    await until(stands, "it goes on moving")
    return seen[-1]


async def test_one_finger_scrolls_past_the_graph_and_two_move_it(service: ServerProcess, opened: Chromium) -> None:
    options = {"viewport": LOW, "has_touch": True, "is_mobile": True}
    async with at_the_studio(opened, f"http://127.0.0.1:{service.port}", **options) as visitor:
        page = visitor.page
        await visitor.open("/graph", agent=AGENT)
        await visitor.sign_in(title="Graph")
        drawing = page.get_by_role("img", name=re.compile(r"\d+ entities"))
        await drawing.scroll_into_view_if_needed()
        await expect(page.get_by_text("Two fingers move and zoom")).to_be_visible()
        await visitor.settle()
        before, place = await still(drawing.screenshot), await drawing.bounding_box()
        assert place
        x, y = place["x"] + 60, place["y"] + place["height"] / 2
        await drag(page, ((x, y), (x, y + 80)))
        scrolled = await still(drawing.bounding_box)
        assert scrolled
        assert scrolled["y"] > place["y"] + 20
        await drawing.scroll_into_view_if_needed()
        assert await still(drawing.screenshot) == before
        await drag(page, ((x, y), (x - 40, y)), ((x + 80, y), (x + 160, y)))
        assert await still(drawing.screenshot) != before
        assert await page.evaluate("visualViewport.scale") == 1
        place = await drawing.bounding_box()
        await drag(page, ((x, y), (x, y + 80)))
        assert await still(drawing.bounding_box) != place
