"""The busiest entity leads the list, and is drawn with its neighbours."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.browser import StudioPage
from tests.studio.test_pages import where_drawn

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_a_hub_is_first_and_its_neighbours_are_drawn(visitor: StudioPage, service: ServerProcess) -> None:
    items = [
        {"agent": "matchmaker", "type": "fact", "content": f"Caroline met friend {n % 70} for the {n}th time",
         "links": [{"relation": "mentions", "entity": {"name": name, "kind": "person"}}
                   for name in ("Caroline", f"Friend {n % 70}")]}
        for n in range(560)
    ]  # fmt: skip
    assert (await service.call("POST", "/v1/memories/batch", json={"items": items}, timeout=120)).is_success
    page, rows = visitor.page, visitor.page.locator(".entities .item")
    await page.goto(f"{visitor.base}/studio/graph?agent=matchmaker")
    await expect(rows.first).to_contain_text("Caroline")
    await expect(rows.first).to_contain_text("560 mentions")
    await expect(rows).to_have_count(60)
    await expect(
        page.get_by_text("71 entities, 429 memories, the nearest of more; drawn are 60 and 60")
    ).to_be_visible()
    await expect(page.locator(".chart svg text").filter(has_text="Friend").first).to_be_visible()
    await where_drawn(page)
    await visitor.photograph("graph-of-a-hub")
    await visitor.press("More entities")
    await expect(rows).to_have_count(71)
    await expect(page.get_by_role("button", name="More entities")).to_have_count(0)
