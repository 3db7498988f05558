"""The page Search: why a memory was not found, what would bring it back, and two settings side by side."""

from __future__ import annotations

import re

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

AGENT = "seeker"
TURNS = (
    "Caroline moved from Sweden 4 years ago and keeps a painted stone from the beach there",
    "Melanie signed up for a pottery class on the second of July",
    "Caroline went to a support group and found it moving",
    "Melanie's son hurt his knee in a road accident",
    "Caroline researches adoption agencies that help everybody",
    "Melanie reads by the fireplace when it rains",
)


@pytest_asyncio.fixture(loop_scope="package", scope="package", autouse=True)
async def remembered(service: ServerProcess) -> dict[str, str]:
    """The ids of what the agent remembers, by content."""
    items = [{"agent": AGENT, "type": "event", "content": turn} for turn in TURNS]
    items.append({"agent": "stranger", "type": "fact", "content": "Caroline's home country is Sweden"})
    answer = await service.call("POST", "/v1/memories/batch", json={"items": items})
    assert answer.is_success, answer.text
    return {one["memory"]["content"]: one["memory"]["id"] for one in answer.json()["items"]}


async def test_a_search_says_why_a_memory_is_missing_and_brings_it_back(
    visitor: AppPage, remembered: dict[str, str]
) -> None:
    page = visitor.page
    await visitor.go("Search")
    await expect(page.get_by_role("heading", name="Choose an agent")).to_be_visible()
    await visitor.choose_agent(AGENT)
    await visitor.keys("/")
    await page.keyboard.type("Where did Caroline move from 4 years ago?")
    results = page.get_by_role("list", name="Search").get_by_role("listitem")
    await expect(results.first).to_contain_text("Sweden")

    await page.get_by_label("Limit").fill("1")
    await expect(results).to_have_count(1)
    why = page.get_by_role("region", name="Why not this one?")
    await why.get_by_label("Find the expected memory").fill("support group")
    await why.get_by_role("button", name=re.compile("support group")).click()
    explanation = page.get_by_role("region", name="Search").get_by_role("region", name="Why not this one?")
    await expect(explanation).to_contain_text("Not found")
    await expect(explanation.get_by_role("listitem").filter(has_text="Limit")).to_have_attribute("aria-current", "step")
    await expect(explanation).to_contain_text("Semantic list")
    await visitor.check_screens("search-missing")

    await visitor.press("Apply", explanation)
    await expect(explanation).to_contain_text(re.compile(r"Found: rank \d"))
    await expect(page.locator("li[aria-current=true]")).to_contain_text("support group")
    address = page.url
    for parameter in (f"agent={AGENT}", "limit=", "expected=", "q=Where"):
        assert parameter in address
    await page.reload()
    await expect(explanation).to_contain_text(re.compile(r"Found: rank \d"))
    await page.go_back()
    await expect(explanation).to_contain_text("Not found")


async def test_what_another_agent_remembers_is_lost_to_its_scope(visitor: AppPage, remembered: dict[str, str]) -> None:
    await visitor.open(
        "/search", agent=AGENT, q="Which country is Caroline from?",
        expected=remembered["Caroline's home country is Sweden"],
    )  # fmt: skip
    explanation = visitor.page.get_by_role("region", name="Search").get_by_role("region", name="Why not this one?")
    await expect(explanation).to_contain_text("its scope, which the agent cannot read")
    await expect(explanation.get_by_role("listitem").filter(has_text="Filters")).to_have_attribute(
        "aria-current", "step"
    )


async def test_nonsense_finds_nothing_and_says_so(visitor: AppPage) -> None:
    await visitor.open("/search", agent=AGENT, q="zzxqy")
    await expect(visitor.page.get_by_role("heading", name="No results")).to_be_visible()


async def test_two_settings_stand_side_by_side(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/search", agent=AGENT, q="pottery class")
    await page.get_by_label("Compare two settings").check()
    second = page.get_by_role("group", name="Ranking B")
    await second.get_by_label("Strategy").select_option("semantic")
    await second.get_by_label("Minimum relevance").fill("0")
    answer = page.get_by_role("region", name="B", exact=True)
    await expect(answer).to_contain_text("semantic")
    await expect(answer.get_by_role("list", name="Search").get_by_role("listitem")).to_have_count(len(TURNS))
    await expect(page.get_by_role("region", name="A", exact=True)).to_contain_text("hybrid")
    await expect(answer).to_contain_text("only here")
    await visitor.check_screens("search-compared")
    assert "with_strategy=semantic" in page.url


async def test_a_search_for_a_user_says_for_whom_it_is_and_becomes_a_test_of_that_user(
    visitor: AppPage, service: ServerProcess
) -> None:
    page, agent = visitor.page, "confidant"
    items = [
        {"content": "Wanda plays the cello in the evening", "user": "Wanda"},
        {"content": "Wanda's cello is out of tune", "user": "Wanda", "owners": ["Viktor"]},
        {"content": "Cello lessons are on Tuesdays"},
    ]
    drafts = [{"agent": agent, "type": "fact", **item} for item in items]
    saved = (await service.call("POST", "/v1/memories/batch", json={"items": drafts})).json()["items"]
    own = saved[0]["memory"]["id"]
    await visitor.open("/search", agent=agent, q="cello", expected=own)
    answer = page.get_by_role("region", name="Search", exact=True)
    results = answer.get_by_role("list", name="Search").get_by_role("listitem")
    await expect(results).to_have_count(3)
    await expect(answer.get_by_role("status")).to_contain_text("for everybody")
    await page.get_by_text("Filters", exact=True).first.click()
    await page.get_by_label("For user").fill("Wanda")
    await expect(answer.get_by_role("status")).to_contain_text("for Wanda")
    await expect(results).to_have_count(2)
    await expect(results.filter(has_text="evening")).to_contain_text("belongs to Wanda")
    await page.get_by_label("About", exact=True).fill("Wanda")
    await expect(results).to_have_count(1)
    await visitor.press("Save as test")
    await visitor.press("Save", page.get_by_role("dialog"))
    row = page.get_by_role("region", name="Saved searches").get_by_role("button", name="cello")
    await expect(row).to_contain_text("belongs to Wanda")
    kept = (await service.call("GET", "/v1/searches", params={"agent": agent})).json()["items"][0]["options"]
    assert (kept["user"], kept["about"]) == ("Wanda", "Wanda")


async def test_an_impossible_number_is_refused_beside_its_field_and_keeps_the_answer(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/search", agent=AGENT, q="pottery", limit="3")
    results = page.get_by_role("list", name="Search").get_by_role("listitem")
    await expect(results).not_to_have_count(0)
    await page.get_by_label("Token budget").fill("999999")
    await expect(page.get_by_role("alert")).to_have_text("From 0 to 16,000.")
    await expect(results).not_to_have_count(0)
    assert "999999" not in page.url
