"""The page Inbox, by labels and keys: proposals are read with their evidence and decided on, one by one and in bulk."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

SAID = (
    "I love tea.",
    "I live in Bergen.",
    "I work at Acme.",
    "I have a dog named Rex.",
    "My favourite colour is green.",
)


async def proposed(service: ServerProcess, agent: str) -> None:
    """An agent who is sure of nothing, and what it proposes."""
    settings = {"settings": {"dream": {"propose_below": 0.99}}}
    assert (await service.call("PUT", f"/v1/agents/{agent}", json=settings)).is_success
    turns = [{"role": "user", "content": content} for content in SAID]
    body = {"agent": agent, "user": "sam", "messages": turns}
    assert (await service.call("POST", "/v1/sessions/s/messages", json=body)).is_success
    assert (await service.call("POST", f"/v1/agents/{agent}/dream", json={"wait": True}, timeout=600)).is_success


async def contents(service: ServerProcess, agent: str) -> set[str]:
    answer = await service.call("GET", "/v1/memories", params={"agent": agent})
    return {memory["content"] for memory in answer.json()["items"]}


async def test_proposals_are_decided_on_by_click(visitor: AppPage, service: ServerProcess) -> None:
    await proposed(service, "clicker")
    page = visitor.page
    await visitor.open("/inbox", agent="clicker")
    rows = page.get_by_role("list", name="Proposals").get_by_role("listitem")
    await expect(rows).to_have_count(5)
    await rows.filter(has_text="Bergen").get_by_role("link").click()
    article = page.get_by_role("article")
    await expect(article.get_by_text("I live in Bergen.", exact=True)).to_be_visible()
    await expect(article).to_contain_text("belongs to sam")
    await visitor.check_screens("inbox")
    await article.get_by_role("button", name="Accept").dblclick()
    await expect(article.get_by_text("accepted", exact=True)).to_be_visible()
    assert await contents(service, "clicker") == {"sam lives in Bergen."}
    address = page.url
    await page.reload()
    await expect(article.get_by_role("link", name="Open the memory")).to_be_visible()
    assert page.url == address
    await rows.filter(has_text="tea").get_by_role("link").click()
    await visitor.press("Edit", article)
    await page.get_by_role("dialog").get_by_label("Memory").fill("Sam loves green tea.")
    await visitor.check_screens("inbox-edit")
    await visitor.press("Save as memory", page.get_by_role("dialog"))
    await expect(article.get_by_text("accepted with changes")).to_be_visible()
    assert await contents(service, "clicker") == {"sam lives in Bergen.", "Sam loves green tea."}


async def test_proposals_are_decided_on_by_keys_and_in_bulk(visitor: AppPage, service: ServerProcess) -> None:
    await proposed(service, "keyer")
    page = visitor.page
    await visitor.open("/inbox", agent="keyer")
    rows = page.get_by_role("list", name="Proposals").get_by_role("listitem")
    article = page.get_by_role("article")
    await expect(rows).to_have_count(5)
    texts = [await rows.nth(n).locator("p").first.inner_text() for n in range(5)]
    await visitor.keys("j")
    await expect(article).to_have_accessible_name(texts[0])
    await visitor.keys("j", "k", "j", "a")
    await expect(rows).to_have_count(4)
    assert await contents(service, "keyer") == {texts[1]}
    await expect(article).to_have_accessible_name(texts[2])
    await visitor.keys("r")
    await expect(rows).to_have_count(3)
    await visitor.press("Undo", page.get_by_role("status").filter(has_text="Rejected"))
    await expect(rows).to_have_count(4)
    await visitor.keys("Escape", "j", "x", "j", "x")
    await expect(page.get_by_text("2 selected")).to_be_visible()
    await visitor.keys("r")
    await expect(rows).to_have_count(2)
    await visitor.press("Select all")
    await visitor.press("Accept selected")
    await expect(page.get_by_role("heading", name="Nothing is waiting")).to_be_visible()
    assert len(await contents(service, "keyer")) == 3
    await page.get_by_label("Show").select_option("Rejected")
    await expect(rows).to_have_count(2)
    await rows.first.get_by_role("link").click()
    await visitor.press("Reopen", article)
    await expect(article.get_by_role("button", name=re.compile("Accept"))).to_be_visible()


async def test_keys_act_on_what_those_before_them_led_to_however_slow_the_page_is(
    visitor: AppPage, service: ServerProcess
) -> None:
    await proposed(service, "typist")
    page = visitor.page
    rows = page.get_by_role("list", name="Proposals").get_by_role("listitem")
    await visitor.open("/inbox", agent="typist")
    await expect(rows).to_have_count(5)
    texts = [await rows.nth(n).locator("p").first.inner_text() for n in range(5)]
    slow = await page.context.new_cdp_session(page)
    await slow.send("Emulation.setCPUThrottlingRate", {"rate": 20})
    await visitor.keys(*"jjkj", *"jjjjjkkkkk" * 3, *"jaj", *"kra")
    await expect(rows).to_have_count(2)
    await slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    left = [await rows.nth(n).locator("p").first.inner_text() for n in range(2)]
    assert (await contents(service, "typist"), left) == ({texts[1], texts[3]}, [texts[0], texts[4]])


async def test_an_unknown_proposal_is_told(visitor: AppPage) -> None:
    await visitor.open("/inbox", proposal="00000000-0000-0000-0000-000000000000")
    await expect(visitor.page.get_by_role("heading", name="No such proposal")).to_be_visible()
