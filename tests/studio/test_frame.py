"""The frame of all pages: signing in and out, keys of several workspaces, agents, commands, keys and colours."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, Request, expect

from service.studio import PATH
from tests.processes import ServerProcess
from tests.studio.app_page import AppPage, at_the_studio
from tests.studio.browser import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="package")


@pytest_asyncio.fixture(loop_scope="package")
async def stranger(service: ServerProcess, opened: Chromium) -> AsyncIterator[AppPage]:
    """Somebody who has not signed in."""
    async with at_the_studio(opened, f"http://127.0.0.1:{service.port}") as somebody:
        yield somebody


async def remember(service: ServerProcess, agent: str, content: str) -> None:
    answer = await service.call("POST", "/v1/memories", json={"agent": agent, "type": "fact", "content": content})
    assert answer.is_success, answer.text


def signs_in(page: Page) -> object:
    return expect(page.get_by_label("API key")).to_be_visible()


async def test_a_deep_link_survives_the_sign_in_and_a_wrong_key_is_told(stranger: AppPage) -> None:
    page = stranger.page
    await stranger.open("/memories", agent="ada", q="staging")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_contain_text("Enter an API key.")
    await page.get_by_label("API key").fill("wrong")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("Invalid or revoked key.")
    await stranger.check_screens("sign-in")
    await stranger.sign_in(title="Memories")
    await expect(page.get_by_role("list", name="Memories").get_by_role("link")).to_have_count(1)
    assert "agent=ada" in page.url
    assert "q=staging" in page.url
    assert await page.evaluate("document.cookie") == ""


async def test_two_tabs_show_two_agents_and_never_mix(visitor: AppPage, service: ServerProcess) -> None:
    await remember(service, "left", "The left lighthouse is red")
    await remember(service, "right", "The right lighthouse is green")
    other = await visitor.page.context.new_page()
    for page, agent in ((visitor.page, "left"), (other, "right")):
        await page.goto(f"{visitor.base}{PATH}/memories?agent={agent}")
        await expect(page.get_by_text(f"The {agent} lighthouse")).to_be_visible()
    sent: list[str] = []

    def note(request: Request) -> None:
        sent.append(request.url)

    visitor.page.on("request", note)
    await remember(service, "left", "The left harbour has a crane")
    await visitor.page.mouse.move(5, 5)
    await expect(visitor.page.get_by_text("left harbour")).to_be_visible()
    await expect(visitor.page.get_by_text("The right lighthouse")).to_have_count(0)
    assert not [url for url in sent if "agent=right" in url]


async def test_signing_out_ends_every_tab_at_once(visitor: AppPage) -> None:
    tabs = [visitor.page] + [await visitor.page.context.new_page() for _ in range(2)]
    for page in tabs[1:]:
        await page.goto(f"{visitor.base}{PATH}/memories?agent=ada")
        await expect(page.get_by_text("Maya loves Go").first).to_be_visible()
    await visitor.press("Workspace and key")
    await visitor.page.get_by_role("menuitem", name="Sign out").click()
    for page in tabs:
        await signs_in(page)
    await expect(tabs[1].get_by_role("alert")).to_contain_text("signed out in another tab")
    refused = "fetch('/v1/whoami', {headers: {'X-Reverie-Studio': '1'}}).then(({status}) => status)"
    assert await tabs[1].evaluate(refused) == 401
    await tabs[2].reload()
    await signs_in(tabs[2])


async def test_a_revoked_key_is_told_in_every_tab_without_a_press(stranger: AppPage, service: ServerProcess) -> None:
    made = (await service.call("POST", "/v1/keys", json={"role": "reader", "name": "a guest"})).json()
    await stranger.open("/memories", agent="ada")
    await stranger.sign_in(made["key"], "Memories")
    other = await stranger.page.context.new_page()
    await other.goto(f"{stranger.base}{PATH}/memories?agent=ada")
    await expect(other.get_by_text("Maya loves Go").first).to_be_visible()
    await service.call("DELETE", f"/v1/keys/{made['id']}")
    for page in (stranger.page, other):
        await expect(page.get_by_role("alert")).to_contain_text("Your key was revoked or rotated")
        assert "agent=ada" in page.url


async def test_a_second_key_is_used_in_its_tab_alone(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    made = (await service.call("POST", "/v1/keys", json={"role": "agent", "name": "bot", "agent": "ben"})).json()
    other = await page.context.new_page()
    await other.goto(f"{visitor.base}{PATH}/memories?agent=ada")
    await expect(other.get_by_text("Maya loves Go").first).to_be_visible()
    await visitor.press("Workspace and key")
    await page.get_by_role("menuitem", name="Add another key").click()
    await visitor.sign_in(made["key"])
    await visitor.go("Memories")
    await expect(page.get_by_text("office plants")).to_be_visible()
    await expect(page.get_by_text("Maya loves Go")).to_have_count(0)
    await other.get_by_role("searchbox", name="Search in memories").fill("staging")
    await expect(other.get_by_text("Postgres 18").first).to_be_visible()
    await visitor.press("Workspace and key")
    await page.get_by_role("menuitem", name=re.compile("admin$")).click()
    await visitor.choose_agent("ada")
    await expect(page.get_by_text("Maya loves Go.").first).to_be_visible()


async def test_all_agents_can_be_chosen_and_the_page_stays(visitor: AppPage, service: ServerProcess) -> None:
    items = [{"agent": f"fleet-{n:03}", "type": "fact", "content": f"Truck {n} is blue"} for n in range(260)]
    assert (await service.call("POST", "/v1/memories/batch", json={"items": items})).is_success
    await visitor.go("Memories")
    await visitor.choose_agent("fleet-259")
    await expect(visitor.page.get_by_text("Truck 259 is blue")).to_be_visible()
    assert "agent=fleet-259" in visitor.page.url
    await visitor.page.go_back()
    await expect(visitor.page.get_by_role("button", name="Agent: All agents")).to_be_visible()


async def test_commands_find_pages_agents_memories_and_actions(visitor: AppPage) -> None:
    page = visitor.page
    palette = page.get_by_role("combobox", name="Commands")
    await visitor.keys("Control+k")
    await expect(palette).to_be_focused()
    await page.keyboard.type("staging")
    await expect(page.get_by_role("option", name=re.compile("Postgres 18"))).to_be_visible()
    await visitor.check_screens("palette")
    await visitor.keys("Enter")
    await visitor.shows("Memories")
    await expect(page.get_by_role("article")).to_contain_text("Postgres 18")
    await visitor.keys("Control+k")
    await expect(palette).to_be_focused()
    await page.keyboard.type("ben")
    await page.get_by_role("option", name="ben", exact=True).click()
    await expect(page.get_by_role("button", name="Agent: ben")).to_be_visible()
    await visitor.keys("Control+k")
    await expect(palette).to_be_focused()
    await page.keyboard.type("theme: dark")
    await visitor.keys("Enter")
    assert await page.evaluate("document.documentElement.dataset.theme") == "dark"
    await page.reload()
    await expect(page.get_by_role("button", name="Theme: Dark")).to_be_visible()
    await visitor.keys("Control+k")
    await expect(palette).to_be_focused()
    await visitor.keys("Escape")
    await expect(palette).to_have_count(0)


async def test_keys_go_to_pages_and_are_listed(visitor: AppPage) -> None:
    page = visitor.page
    for key, title in (
        ("m", "Memories"),
        ("x", "Deletions"),
        ("e", "Engine"),
        ("h", "How it works"),
        ("o", "Overview"),
    ):
        await visitor.keys("g", key)
        await visitor.shows(title)
    await visitor.keys("?")
    await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    await visitor.check_screens("keys")
    await visitor.keys("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await visitor.go("Memories")
    await visitor.keys("/")
    await page.keyboard.type("g d?")
    await visitor.shows("Memories")
    await expect(page.get_by_role("searchbox", name="Search in memories")).to_have_value("g d?")


async def test_an_unknown_address_is_a_page_that_says_so(visitor: AppPage) -> None:
    for path in ("/nope", "/memories/nope", "/%00", "/a/b/c?agent=%F0%9F%A4%96"):
        await visitor.open(path)
        await expect(visitor.page.get_by_role("heading", name="Page not found")).to_be_visible()
    await visitor.page.get_by_role("link", name="Go to the overview").click()
    await visitor.shows("Overview")
