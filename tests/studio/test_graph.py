"""The pages Graph and How it works."""

from __future__ import annotations

import re

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

AGENT = "cartographer"
SAID = (
    "I met Dagny Roe at Northwind. Dagny Roe works at Northwind.",
    "Dagny Roe lives in Trondheim.",
    "Dagny Roe and Sverre Lie work on Project Fram.",
    "Sverre Lie moved to Stavanger.",
    "Dagnny Roe leads Project Fram now.",
)


@pytest_asyncio.fixture(loop_scope="package", scope="package", autouse=True)
async def linked(service: ServerProcess) -> None:
    """Entities that a dream has linked."""
    said = [{"role": "user", "content": one} for one in SAID]
    body = {"agent": AGENT, "user": "Ola", "messages": said}
    assert (await service.call("POST", "/v1/sessions/map/messages", json=body)).is_success
    dream = await service.call("POST", f"/v1/agents/{AGENT}/dream", json={"wait": True}, timeout=600)
    assert dream.json()["status"] == "succeeded", dream.text


async def wheel_is_kept(page: Page) -> bool:
    """Whether the drawing under the pointer keeps a turn of the wheel from the page."""
    await page.evaluate(
        "() => { window.turned = new Promise((done) => addEventListener('wheel',"
        " (event) => setTimeout(() => done(event.defaultPrevented)), {once: true, passive: true, capture: true})) }"
    )
    await page.mouse.wheel(0, 40)
    kept: bool = await page.evaluate("window.turned")
    return kept


async def test_a_hub_shows_its_neighbours_and_memories_by_keys_alone(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.go("Graph")
    await visitor.choose_agent(AGENT)
    drawing = page.get_by_role("img", name=re.compile(r"\d+ entities, [1-9]\d* links"))
    await expect(drawing).to_be_visible()
    await drawing.hover()
    assert not await wheel_is_kept(page)
    await page.keyboard.down("Control")
    assert await wheel_is_kept(page)
    await page.keyboard.up("Control")
    await visitor.check_screens("graph")
    await page.get_by_label("View").select_option("list")
    rows = page.get_by_role("list", name="List").get_by_role("link")
    await expect(rows.filter(has_text="Northwind")).to_have_count(1)
    await visitor.keys("/")
    await page.keyboard.type("dagny roe")
    await expect(rows).to_have_count(1)
    await page.get_by_role("heading", level=1).click()
    await visitor.keys("j", "Enter")
    entity = page.get_by_role("article", name="Dagny Roe")
    await expect(entity.get_by_role("list", name="Named together with")).to_contain_text("Northwind")
    await expect(entity.get_by_role("list", name="Memories")).to_contain_text("Trondheim")
    await expect(entity).to_contain_text("belongs to Ola")
    assert "entity=" in page.url
    await entity.get_by_role("link", name="Northwind").first.click()
    await expect(page.get_by_role("article", name="Northwind")).to_be_visible()
    await page.go_back()
    await expect(entity).to_be_visible()
    await page.reload()
    await visitor.press("Show its neighbours in the graph", entity)
    assert "expanded=" in page.url


async def test_the_list_begins_with_the_most_mentioned_and_has_an_end(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "harbour-master"
    named = ["Lightship"] * 3 + [f"Buoy {n:03}" for n in range(109)]
    items = [
        {"agent": agent, "type": "fact", "content": f"Note {n} says {name} was painted",
         "links": [{"relation": "about", "entity": {"name": name, "kind": "place"}}]}
        for n, name in enumerate(named)
    ]  # fmt: skip
    for at in (0, 100):
        saved = await service.call("POST", "/v1/memories/batch", json={"items": items[at : at + 100]})
        assert saved.is_success, saved.text
    await visitor.open("/graph", agent=agent, layout="list")
    rows = page.get_by_role("list", name="List").get_by_role("link")
    await expect(rows.first).to_contain_text("Lightship")
    await rows.first.focus()
    await visitor.keys("End")
    await expect(page.get_by_role("list", name="List").get_by_role("listitem").last).to_have_attribute(
        "aria-setsize", "110"
    )
    await rows.last.focus()
    await visitor.keys("End")
    await expect(page.get_by_text("110 entities", exact=True)).to_be_visible()


async def test_two_spellings_are_merged_and_the_merge_is_taken_back(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/graph", agent=AGENT, layout="list", q="Dagnny")
    rows = page.get_by_role("list", name="List").get_by_role("link")
    await rows.first.click()
    misspelt = page.get_by_role("article", name="Dagnny Roe")
    await visitor.press("Merge", misspelt)
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Find an entity").fill("Dagny Roe")
    await visitor.press("Merge into Dagny Roe", dialog)
    merged = page.get_by_role("article", name="Dagny Roe")
    await expect(merged).to_contain_text("Dagnny Roe")
    await visitor.press("Undo")
    await expect(rows.filter(has_text="Dagnny Roe")).to_have_count(1)


async def test_an_unknown_entity_is_a_page_that_says_so(visitor: AppPage) -> None:
    await visitor.open("/graph", agent=AGENT, entity="00000000-0000-0000-0000-000000000000")
    await expect(visitor.page.get_by_role("heading", name="No such entity")).to_be_visible()


async def test_how_it_works_leads_to_every_page_that_it_names(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.go("How it works")
    await visitor.check_screens("how-it-works")
    for title in ("Sessions", "Dreams", "Search", "Context", "Pages & bulletins", "Memories"):
        await page.get_by_role("link", name=f"Open {title}", exact=True).click()
        await visitor.shows(title)
        await page.go_back()
        await visitor.shows("How it works")
