"""The page Pages & bulletins, by labels and keys: versions compared, sentences cited, standing questions."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def save(
    service: ServerProcess, agent: str, content: str, type_: str = "decision", **fields: object
) -> dict[str, Any]:
    draft = {"agent": agent, "type": type_, "content": content, **fields}
    answer = await service.call("POST", "/v1/memories", json=draft)
    memory: dict[str, Any] = answer.json()["memory"]
    return memory


async def change(service: ServerProcess, memory: dict[str, Any], content: str) -> None:
    body = {"version": memory["version"], "content": content}
    assert (await service.call("PATCH", f"/v1/memories/{memory['id']}", json=body)).is_success


async def test_versions_of_a_bulletin_are_compared(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    memory = await save(service, "editor", "The pottery class meets on Mondays")
    await save(service, "editor", "You are the keeper of the studio", "identity")
    await visitor.open("/bulletins")
    await page.get_by_role("list", name="Agents").get_by_role("link", name="editor", exact=True).click()
    await expect(page.get_by_role("heading", name="No bulletin yet")).to_be_visible()
    await page.get_by_role("button", name="Regenerate").dblclick()
    article = page.get_by_role("article", name="Version 1")
    sentence = article.get_by_role("listitem").filter(has_text="Mondays").first
    await visitor.press("1 memory", sentence)
    await expect(sentence.get_by_role("link", name="The pottery class meets on Mondays")).to_be_visible()
    await change(service, memory, "The pottery class meets on Fridays")
    await expect(article.get_by_text("Out of date: some of what it rests on has changed.")).to_be_visible()
    await visitor.press("Regenerate")
    await expect(page.get_by_role("article", name="Version 2")).to_be_visible()
    await visitor.press("Regenerate")
    await expect(page.get_by_text("Nothing has changed since the last version")).to_be_visible()
    await page.get_by_label("View").select_option("Word diff")
    await expect(page.locator("ins")).to_contain_text("Fridays")
    await expect(page.locator("del")).to_contain_text("Mondays")
    await page.get_by_label("View").select_option("Side by side")
    sides = page.get_by_role("article").get_by_role("region")
    await expect(sides).to_have_count(2)
    await expect(sides.first).to_contain_text("Mondays")
    await visitor.check_screens("bulletins")
    address = page.url
    assert "view=side" in address
    await page.reload()
    await expect(sides).to_have_count(2)
    await page.get_by_role("list", name="Versions of the bulletin").get_by_role("link").last.click()
    await expect(page.get_by_text("There is no other version to compare with.")).to_be_visible()
    await page.go_back()
    await expect(sides.first).to_contain_text("Mondays")
    await visitor.open("/bulletins", agent="editor", version="99")
    await expect(page.get_by_role("heading", name="No such version")).to_be_visible()


async def test_a_user_has_a_bulletin_of_their_own(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    await save(service, "herald", "The choir sings on Sundays")
    await save(service, "herald", "Mira sings alto", "fact", user="Mira")
    await visitor.open("/bulletins", agent="herald")
    await visitor.press("Regenerate")
    article = page.get_by_role("article", name="Version 1")
    await expect(article).to_contain_text("choir")
    await expect(article).not_to_contain_text("alto")
    await page.get_by_label("For user").fill("Mira")
    await expect(page.get_by_role("heading", name="No bulletin yet")).to_be_visible()
    await visitor.press("Regenerate")
    await expect(page.get_by_role("article", name="Version 2")).to_contain_text("alto")
    assert "user=Mira" in page.url
    await page.get_by_label("For user").fill("")
    await expect(article).to_contain_text("choir")


async def test_a_standing_question_through_its_life(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    memory = await save(service, "lighthouse", "The lighthouse lamp is lit at dusk")
    await visitor.open("/bulletins", agent="lighthouse", pages="yes")
    await expect(page.get_by_role("heading", name="No pages yet")).to_be_visible()
    await visitor.press("New page")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Question").fill("When is the lighthouse lamp lit?")
    await visitor.press("Create page", dialog)
    article = page.get_by_role("article", name="When is the lighthouse lamp lit?")
    sentence = article.get_by_role("region", name="Answer").get_by_role("listitem").first
    await expect(sentence).to_contain_text("lit at dusk")
    await visitor.press("1 memory", sentence)
    await expect(sentence.get_by_role("link")).to_have_text("The lighthouse lamp is lit at dusk")
    await change(service, memory, "The lighthouse lamp is lit at five")
    await expect(article.get_by_text("1 sentence left out")).to_be_visible()
    await visitor.check_screens("pages")
    await visitor.press("Answer now", article)
    await expect(sentence).to_contain_text("lit at five")
    await visitor.press("Answer now", article)
    await expect(page.get_by_text("Nothing has changed since the last answer")).to_be_visible()
    await article.get_by_label("View").select_option("Word diff")
    await expect(page.locator("ins")).to_contain_text("five")
    await article.get_by_label("View").select_option("Text")
    await visitor.press("Edit", article)
    await dialog.get_by_label("Answer it").select_option("on request only")
    await dialog.get_by_label("Length in tokens").fill("10")
    await visitor.press("Save", dialog)
    await expect(page.get_by_role("status").filter(has_text="max_tokens")).to_be_visible()
    await dialog.get_by_text("Only memories of").click()
    await dialog.get_by_label("Filter").fill("{oops")
    await expect(dialog.get_by_text("No JSON object.")).to_be_visible()
    await expect(dialog.get_by_role("button", name="Save")).to_be_disabled()
    await dialog.get_by_label("Filter").fill('{"metadata.season": {"exists": false}}')
    await dialog.get_by_label("Length in tokens").fill("300")
    await visitor.press("Save", dialog)
    await expect(dialog).to_have_count(0)
    await expect(article.get_by_text("300 tokens")).to_be_visible()
    await expect(article.get_by_text('{"metadata.season":{"exists":false}}')).to_be_visible()
    await page.reload()
    await expect(article.get_by_text("on request")).to_be_visible()
    await visitor.press("Delete", article)
    await visitor.press("Delete", dialog)
    await expect(page.get_by_role("heading", name="No pages yet")).to_be_visible()
    await page.go_back()


async def test_an_unknown_page_is_told(visitor: AppPage) -> None:
    await visitor.open("/bulletins", agent="ada", page="00000000-0000-0000-0000-000000000000")
    await expect(visitor.page.get_by_role("heading", name="No such page")).to_be_visible()
