"""The page Sessions, by labels and keys."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

LONG = 450
DRAWN_MAX = 60


async def _said(service: ServerProcess, agent: str, session: str, contents: list[str], user: str | None = None) -> None:
    for at in range(0, len(contents), 100):
        turns = [
            {"role": "user" if (at + n) % 2 == 0 else "assistant", "content": content}
            for n, content in enumerate(contents[at : at + 100])
        ]
        body = {"agent": agent, "messages": turns} | ({"user": user} if user else {})
        answer = await service.call("POST", f"/v1/sessions/{session}/messages", json=body)
        assert answer.is_success, answer.text


def _messages(page: Page) -> Any:
    return page.get_by_role("region", name="Conversation").get_by_role("listitem")


async def test_a_long_conversation_is_whole_found_in_and_anchored(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "ses-long"
    lines = [f"Turn {at}: nothing to see <img onerror=alert(1)>" for at in range(1, LONG + 1)]
    lines[6] = "We should visit Ålesund in May"
    lines[430] = "Did you book ålesund yet?"
    await _said(service, agent, "road-trip", lines, "Caroline")
    await visitor.open("/sessions", agent=agent)
    await page.get_by_role("list", name="Sessions").get_by_role("link", name="road-trip").click()
    await expect(_messages(page).filter(has_text=f"Turn {LONG}:")).to_be_visible()
    assert await _messages(page).count() <= DRAWN_MAX
    await page.get_by_label("Find in this session").fill("ÅLESUND")
    status = page.get_by_role("search").get_by_role("status")
    await expect(status).to_have_text("0 of 2")
    await page.keyboard.press("Enter")
    await expect(_messages(page).filter(has_text="visit Ålesund")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(status).to_have_text("2 of 2")
    found = _messages(page).filter(has_text="Did you book")
    await expect(found).to_be_in_viewport()
    await expect(found).to_have_attribute("aria-current", "true")
    assert "message=431" in page.url
    await page.reload()
    await expect(found).to_be_in_viewport()
    await expect(found.get_by_role("mark")).to_have_text("ålesund")
    await visitor.press("First message")
    await expect(_messages(page).filter(has_text="Turn 1:")).to_be_in_viewport()
    await visitor.check_screens("sessions")
    await visitor.open("/sessions", agent=agent, session="road-trip", message="9999")
    await expect(page.get_by_role("alert")).to_contain_text("the last one is 450")


async def test_messages_show_what_became_of_them_and_the_window_once(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    await visitor.open("/sessions", agent="ada", session="monday")
    helix = _messages(page).filter(has_text="My favorite editor is Helix")
    chips = helix.get_by_role("list", name="Memories made of this message")
    await expect(chips.get_by_role("link").first).to_be_visible()
    await chips.get_by_role("link").filter(has_text="Helix").first.click()
    await visitor.shows("Memories")
    await expect(page.get_by_role("article")).to_contain_text("Helix")
    await page.go_back()
    await visitor.shows("Sessions")
    await expect(page.get_by_role("article", name="monday")).to_be_visible()
    await visitor.check_screens("sessions-memories")


async def test_a_window_is_compacted_and_its_summary_shown_once(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "ses-window"
    await _said(service, agent, "standup", [f"We agreed on point {at} of the plan" for at in range(10)])
    await visitor.open("/sessions", agent=agent, session="standup")
    article = page.get_by_role("article", name="standup")
    await expect(article).to_contain_text("10 messages in the window")
    await visitor.press("Compact window", article)
    await visitor.press("Compact window", page.get_by_role("dialog"))
    await expect(article).to_contain_text("5 messages in the window")
    await article.get_by_text("Summary before the window").click()
    await expect(article.get_by_text("The window starts here")).to_have_count(1)
    await visitor.check_screens("sessions-window")
    await visitor.press("Clear window", article)
    await visitor.press("Clear window", page.get_by_role("dialog"))
    await expect(article).to_contain_text("The window is empty")


async def test_sessions_are_found_by_user_and_name_and_unknown_ones_told(
    visitor: AppPage, service: ServerProcess
) -> None:
    page, agent = visitor.page, "ses-find"
    await _said(service, agent, "tea-talk", ["I like oolong"], "Melanie")
    await _said(service, agent, "race-day", ["I ran five miles"], "Caroline")
    await visitor.open("/sessions", agent=agent)
    rows = page.get_by_role("list", name="Sessions").get_by_role("link")
    await expect(rows).to_have_count(2)
    await page.get_by_label("User").fill("Melanie")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("tea-talk")
    await visitor.press("Clear filters")
    await page.get_by_label("Find by name or what was said").fill("five miles")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("race-day")
    await visitor.open("/sessions", agent=agent, session="nowhere")
    await expect(page.get_by_role("heading", name="No such session")).to_be_visible()


async def test_a_message_that_comes_is_shown_without_moving_the_reader(
    visitor: AppPage, service: ServerProcess
) -> None:
    page, agent = visitor.page, "ses-live"
    await _said(service, agent, "chat", [f"Line {at:02} of a long talk" for at in range(80)])
    await visitor.open("/sessions", agent=agent, session="chat", message="10")
    marked = _messages(page).filter(has_text="Line 09 of a")
    await expect(marked).to_be_in_viewport()
    await _said(service, agent, "chat", ["And one more thing"])
    await expect(page.get_by_role("article", name="chat")).to_contain_text("81 messages")
    await expect(marked).to_be_in_viewport()
    await visitor.press("Last message")
    await expect(_messages(page).filter(has_text="And one more thing")).to_be_in_viewport()
