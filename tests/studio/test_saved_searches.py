"""Saved searches on the page Search: saved as a test, run, compared, and all of it in the address."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

AGENT = "examiner"
QUERY = "when does the ferry leave?"
SAID = ("The ferry to Bergen leaves at nine", "The ferry's quay has a blue door", "Green tea is brewed at 80 °C")


async def save_as_test(visitor: AppPage, expected: str) -> None:
    """Save a filtered search that must find the memory ``expected``, the first of what was said, and run it."""
    page = visitor.page
    await visitor.open("/search", agent=AGENT, q=QUERY, limit="1", expected=expected)
    await page.get_by_text("Filters", exact=True).click()
    await page.get_by_label("Filter", exact=True).fill('{"metadata.room"')
    await expect(page.get_by_text("No JSON object: not applied.")).to_be_visible()
    await page.get_by_label("Filter", exact=True).fill('{"metadata.room": {"exists": false}}')
    await expect(page).to_have_url(re.compile("where=.*exists"))
    saved = page.get_by_role("region", name="Saved searches")
    await expect(saved).to_contain_text("None yet")

    await visitor.press("Save as test")
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label("Name")).to_have_value(QUERY)
    await dialog.get_by_label("Name").fill("Ferry <b>1</b>")
    await expect(dialog.get_by_label(SAID[0])).to_be_checked()
    await visitor.press("Save", dialog)
    row = saved.get_by_role("button", name=re.compile("Ferry"))
    await expect(row).to_contain_text("Ferry <b>1</b>")
    await expect(row).to_contain_text("Not run yet")
    await visitor.press("Run now", saved)
    await expect(row).to_contain_text("100 %")


async def compare_runs(visitor: AppPage, saved: Locator, row: Locator) -> Locator:
    """Run the edited search with its own options and with others. Returns the region that compares two runs."""
    page = visitor.page
    await visitor.press("Run all", saved)
    await expect(row).to_contain_text("50 %")
    compared = saved.get_by_role("region", name="Two runs side by side")
    ferry = compared.get_by_role("row").filter(has_text=SAID[0])
    await expect(ferry.get_by_role("cell")).to_have_text(["#1", "#1"])
    quay = compared.get_by_role("row").filter(has_text=SAID[1])
    await expect(quay.get_by_role("cell").last).to_contain_text("lost:")
    await page.get_by_label("Strategy").select_option("keyword")
    await visitor.press("Run with the options above", saved)
    await expect(compared.get_by_role("row").filter(has_text="strategy")).to_contain_text('"keyword"')
    await expect(row).to_contain_text("50 %")
    await visitor.press("Run now", saved)
    await expect(saved.get_by_role("img", name=re.compile("Recall over time: 2 results"))).to_be_visible()
    await visitor.check_screens("search-saved")
    return compared


async def test_a_search_becomes_a_test_whose_runs_stand_side_by_side(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    items = [{"agent": AGENT, "type": "fact", "content": one} for one in SAID]
    made = (await service.call("POST", "/v1/memories/batch", json={"items": items})).json()["items"]
    ids = [one["memory"]["id"] for one in made]
    await save_as_test(visitor, ids[0])
    saved = page.get_by_role("region", name="Saved searches")
    row = saved.get_by_role("button", name=re.compile("Ferry"))
    dialog = page.get_by_role("dialog")
    await visitor.open("/search", agent=AGENT, q=QUERY, limit="1", expected=ids[1])
    await row.click()
    await visitor.press("Edit", saved)
    await dialog.get_by_label("Name").fill("Ferry")
    await visitor.press("Cancel", dialog)
    await visitor.press("Edit", saved)
    await expect(dialog.get_by_label("Name")).to_have_value("Ferry")
    await dialog.get_by_label(SAID[1]).check()
    await visitor.press("Save", dialog)
    await expect(row).not_to_contain_text("<b>")
    search = (await service.call("GET", "/v1/searches", params={"agent": AGENT})).json()["items"][0]
    assert search["options"]["where"] == {"metadata.room": {"exists": False}}
    assert {one["memory_id"] for one in search["expected"]} == set(ids[:2])
    compared = await compare_runs(visitor, saved, row)
    before = compared.get_by_label("Before")
    await before.select_option(index=3)
    await expect(page).to_have_url(re.compile(rf"saved={search['id']}.*before="))
    await page.reload()
    await expect(before.locator("option:checked")).to_contain_text("revision 1")
    await visitor.press("Delete", saved)
    await visitor.press("Delete", page.get_by_role("dialog"))
    await expect(saved).to_contain_text("None yet")
