"""The pages Context and Documents."""

from __future__ import annotations

import re

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

AGENT = "composer"


@pytest_asyncio.fixture(loop_scope="package", scope="package", autouse=True)
async def known(service: ServerProcess) -> None:
    """What goes into the agent's contexts."""
    memories = [
        {"type": "identity", "content": "You are the composer's assistant"},
        {"type": "preference", "content": "Prefers tea from Assam in the morning", "user": "Iris"},
        {"type": "fact", "content": "The premiere of the opera is in Tromsø on the ninth of May"},
    ]
    answer = await service.call(
        "POST", "/v1/memories/batch", json={"items": [{"agent": AGENT, **one} for one in memories]}
    )
    assert answer.is_success, answer.text
    said = [{"role": "user", "content": f"Line {number} about the overture and its bassoons"} for number in range(40)]
    answer = await service.call(
        "POST", "/v1/sessions/rehearsal/messages", json={"agent": AGENT, "user": "Iris", "messages": said}
    )
    assert answer.is_success, answer.text


async def test_a_context_shows_its_sections_sources_and_tokens(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/context", agent=AGENT)
    await visitor.shows("Context")
    await visitor.keys("/")
    await page.keyboard.type("Where is the premiere?")
    shown = page.get_by_role("region", name="Context")
    await expect(shown.get_by_role("status")).to_contain_text("for nobody")
    await expect(shown).not_to_contain_text("Assam")
    await page.get_by_label("For user").fill("Iris")
    await expect(shown.get_by_role("status")).to_contain_text("for Iris")
    await expect(shown).to_contain_text("Assam")
    await page.get_by_label("For user").fill("")
    await expect(shown.get_by_role("status")).to_contain_text("for nobody")
    await page.get_by_label("Session").fill("rehearsal")
    await expect(shown.get_by_role("status")).to_contain_text("for Iris")
    await expect(shown.get_by_role("figure", name="Tokens by section")).to_contain_text("Identity")
    await expect(shown).to_contain_text("Line 39")
    await visitor.check_screens("context")
    await shown.get_by_role("link", name=re.compile("Tromsø")).click()
    await expect(page.get_by_role("article")).to_contain_text("Tromsø")
    await page.go_back()
    await expect(shown).to_contain_text("Tromsø")


async def test_two_budgets_are_compared_word_by_word(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/context", agent=AGENT, m="Where is the premiere?", session="rehearsal")
    await page.get_by_label("Compare two settings").check()
    await page.get_by_role("group", name="Settings B").get_by_label("Token budget").fill("120")
    await expect(page.get_by_role("region", name="B", exact=True)).to_contain_text("Left out for lack of budget")
    await page.get_by_role("tab", name="Difference").click()
    await expect(page.locator("del").first).to_be_visible()
    assert "with_max_tokens=120" in page.url
    await page.get_by_role("tab", name="As sent").click()
    await expect(page.get_by_role("region", name="A", exact=True).locator("pre").first).to_contain_text("composer")


async def test_a_document_is_written_once_found_again_and_deleted(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/documents", agent=AGENT)
    await expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()
    await visitor.press("Add a document")
    dialog = page.get_by_role("dialog", name="Add a document")
    await dialog.get_by_label("Title").fill("<img src=x onerror=alert(1)> libretto")
    await dialog.get_by_label("Text", exact=True).fill("Act one. A harbour in {{the}} north.")
    page.once("dialog", lambda asked: asked.accept())
    await page.reload()
    await visitor.press("Add a document")
    await expect(dialog.get_by_label("Text", exact=True)).to_have_value("Act one. A harbour in {{the}} north.")
    await dialog.get_by_role("button", name="Add", exact=True).dblclick()
    article = page.get_by_role("article")
    await expect(article).to_contain_text("A harbour in {{the}} north.")
    await expect(page.get_by_role("list", name="Documents").get_by_role("listitem")).to_have_count(1)
    await visitor.check_screens("documents")
    await visitor.press("Delete", article)
    await visitor.press("Delete", page.get_by_role("dialog"))
    await expect(page.get_by_role("heading", name="No documents yet")).to_be_visible()


async def test_an_unknown_document_is_a_page_that_says_so(visitor: AppPage) -> None:
    await visitor.open("/documents", agent=AGENT, document="00000000-0000-0000-0000-000000000000")
    await expect(visitor.page.get_by_role("heading", name="No such document")).to_be_visible()
