"""One visit to the Studio, in the first tier: sign in, search, see what a dream changed, take it back."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

AGENT = "traveller"


@pytest.mark.first_tier
async def test_a_visitor_searches_and_takes_a_dream_back(visitor: AppPage, service: ServerProcess) -> None:
    turns = [{"role": "user", "content": text} for text in ("I have a dog named Oscar.", "I live in Bergen.")]
    body = {"agent": AGENT, "user": "ida", "messages": turns}
    said = await service.call("POST", "/v1/sessions/s/messages", json=body)
    assert said.is_success, said.text
    dream = (await service.call("POST", f"/v1/agents/{AGENT}/dream", json={"wait": True})).json()
    assert dream["status"] == "succeeded", dream
    page = visitor.page
    await visitor.go("Search")
    await visitor.choose_agent(AGENT)
    await visitor.keys("/")
    await page.keyboard.type("What is the dog called?")
    await expect(page.get_by_role("list", name="Search").get_by_role("listitem").first).to_contain_text("Oscar")
    await visitor.open("/dreams", dream=dream["id"])
    created = page.get_by_role("article", name="Dreams").get_by_role("region", name="Created")
    await expect(created.get_by_role("listitem").filter(has_text="Oscar").first).to_be_visible()
    await visitor.press("Undo this dream")
    await visitor.press("Undo this dream", page.get_by_role("dialog"))
    await expect(page.get_by_text("This dream was undone.")).to_be_visible()
    left = await service.call("GET", "/v1/memories", params={"agent": AGENT})
    assert left.json()["items"] == []
