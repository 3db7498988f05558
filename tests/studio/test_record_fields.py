"""Every field of a memory in the Studio, todos that are marked as done, and old memories that are folded."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.browser import StudioPage

PANEL = {"About", "History", "Sources", "Edit", "Delete", "Close"}
"""Buttons of an open memory that other tests press."""

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def memories(service: ServerProcess, **filters: Any) -> list[dict[str, Any]]:
    """What the API lists."""
    found: list[dict[str, Any]] = (await service.call("GET", "/v1/memories", params=filters)).json()["items"]
    return found


async def test_every_field_is_written_and_changed(visitor: StudioPage, service: ServerProcess) -> None:
    page, dialog = visitor.page, visitor.dialog()
    await visitor.press("Add a memory")
    await visitor.dialog("Add a memory").get_by_label("Agent", exact=True).fill("priya")
    await page.get_by_label("What is to be remembered", exact=True).fill("Launch the marketing site by 2026-05-01.")
    await visitor.choose("Type", "todo", dialog)
    await dialog.get_by_text("More", exact=True).click()
    await page.get_by_label("Key", exact=True).fill("marketing-site")
    await page.get_by_label("Expires, UTC").fill("2999-05-01T12:30")
    await page.get_by_label("Metadata").fill("not json")
    await page.get_by_text("Never fades").click()
    await visitor.press("Save", dialog)
    await visitor.expect_notification(re.compile("Metadata has to be a JSON object"))
    await page.get_by_label("Metadata").fill('{"project": "Apollo", "n": 1}')
    await visitor.photograph("memory-form-more")
    await visitor.press("Save", dialog)
    await expect(page.get_by_role("dialog")).to_have_count(0)
    (saved,) = await memories(service, agent="priya")
    assert (saved["type"], saved["status"], saved["key"]) == ("todo", "open", "marketing-site")
    assert saved["expires_at"].startswith("2999-05-01T12:30:00")
    assert (saved["metadata"], saved["decay_exempt"]) == ({"project": "Apollo", "n": 1}, True)

    await visitor.open(page.locator(".rows .item").filter(has_text="marketing site"))
    await visitor.press("Edit", dialog)
    await page.get_by_label("Key", exact=True).fill("site")
    await visitor.choose("Status", "done", visitor.dialog("Edit this memory"))
    await page.get_by_label("Expires, UTC").fill("")
    await page.get_by_label("Metadata").fill('{"n": 2}')
    await page.get_by_text("Never fades").click()
    await visitor.press("Save", visitor.dialog("Edit this memory"))
    await expect(page.get_by_role("dialog")).to_have_count(1)
    (changed,) = await memories(service, agent="priya")
    assert (changed["status"], changed["key"], changed["expires_at"]) == ("done", "site", None)
    assert (changed["metadata"], changed["decay_exempt"]) == ({"project": "Apollo", "n": 2}, False)
    assert changed["content"] == saved["content"]
    await page.get_by_role("tab", name="History").click()
    await visitor.expect_notification("key: marketing-site → site")


async def test_a_todo_is_marked_as_done(visitor: StudioPage, service: ServerProcess) -> None:
    todo = {"agent": "quark", "type": "todo", "content": "Ping Ramesh about the Q3 numbers."}
    await service.call("POST", "/v1/memories", json=todo)
    await visitor.page.reload()
    await visitor.look_at("quark")
    row = visitor.page.locator(".rows .item")
    await visitor.open(row)
    await visitor.press("Mark as done", visitor.dialog())
    await expect(visitor.dialog().get_by_role("button", name="Open again")).to_be_visible()
    await visitor.photograph("todo-done")
    assert [one["status"] for one in await memories(service, agent="quark")] == ["done"]
    await visitor.press("Open again", visitor.dialog())
    await expect(visitor.dialog().get_by_role("button", name="Mark as done")).to_be_visible()
    await visitor.press("Mark as done", visitor.dialog())
    await expect(visitor.dialog().get_by_role("button", name="Open again")).to_be_visible()
    await visitor.close("Close")
    await expect(row.get_by_text("done", exact=True)).to_be_visible()
    assert [one["status"] for one in await memories(service, agent="quark")] == ["done"]


async def test_what_is_written_survives_escape_and_a_double_press_acts_once(
    visitor: StudioPage, service: ServerProcess
) -> None:
    page = visitor.page
    await visitor.press("Add a memory")
    await expect(page.get_by_label("What is to be remembered", exact=True)).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await visitor.press("Add a memory")
    await visitor.dialog("Add a memory").get_by_label("Agent", exact=True).fill("doubled")
    await page.get_by_label("What is to be remembered", exact=True).fill("Said once")
    await page.keyboard.press("Escape")
    await page.mouse.click(5, 5)
    await expect(page.get_by_label("What is to be remembered", exact=True)).to_have_value("Said once")
    save = visitor.dialog().get_by_role("button", name="Save")
    await save.evaluate("button => { button.click(); button.click() }")  # a double click is tried anew once it closes
    await expect(page.get_by_role("dialog")).to_have_count(0)
    (saved,) = await memories(service, agent="doubled")
    history = (await service.call("GET", f"/v1/memories/{saved['id']}/history")).json()["items"]
    assert len(history) == 1
    await page.reload()
    await visitor.look_at("doubled")
    await visitor.go("Dreams")
    await page.get_by_role("button", name="Dream now").dblclick()
    await expect(page.locator(".rows .item").get_by_text("done", exact=True)).to_be_visible()
    dreams = (await service.call("GET", "/v1/dreams", params={"agent": "doubled"})).json()["items"]
    assert len(dreams) == 1


async def test_old_memories_are_folded_after_they_were_named(visitor: StudioPage, service: ServerProcess) -> None:
    page = visitor.page
    notes = [
        {"agent": "archivist", "type": "observation", "importance": 0.2, "created_at": "2024-01-01T00:00:00Z",
         "content": f"Deploy number {n} went to the cluster in Frankfurt after lunch, because the customer wanted to "
                    "see the prototype before paying any more, and nobody had to roll it back in the days after"}
        for n in range(4)
    ]  # fmt: skip
    await service.call("POST", "/v1/memories/batch", json={"items": notes})
    await visitor.press("Compact old")
    await visitor.press("Show what would be folded", visitor.dialog())
    await visitor.expect_notification("Choose an agent and an age first.")
    await visitor.close("Cancel")
    await page.reload()
    await visitor.look_at("archivist")
    await visitor.press("Compact old")
    await page.get_by_label("Older than, days").fill("36500")
    await visitor.press("Show what would be folded", visitor.dialog())
    await visitor.expect_notification(re.compile("There is nothing to fold"))
    await expect(page.get_by_role("button", name="Fold them")).to_have_count(0)
    await page.get_by_label("Older than, days").fill("30")
    await visitor.press("Show what would be folded", visitor.dialog())
    await visitor.expect_notification(re.compile("^4 memories of "))
    await visitor.photograph("compact-old")
    assert len(await memories(service, agent="archivist")) == 4
    await visitor.press("Fold them", visitor.dialog())
    await expect(page.locator(".rows .item")).to_have_count(1)
    (summary,) = await memories(service, agent="archivist")
    assert "Frankfurt" in summary["content"]
    await visitor.open(page.locator(".rows .item"))
    await visitor.press("Undo the fold", visitor.dialog())
    await visitor.press("Undo", visitor.dialog("Undo this fold?"))
    await expect(page.locator(".rows .item")).to_have_count(4)
    assert {one["content"] for one in await memories(service, agent="archivist")} == {one["content"] for one in notes}
    elsewhere = {"Add a memory", "Export", "Import", "Newer", "Older"} | PANEL
    visitor.has_pressed("/studio/", "compact_old", but=elsewhere)


async def test_the_first_command_names_the_address_of_this_service(visitor: StudioPage, service: ServerProcess) -> None:
    await service.call("PUT", "/v1/agents/newcomer", json={"name": "Newcomer"})
    await visitor.page.reload()
    await visitor.look_at("newcomer")
    await visitor.expect_notification(re.compile(rf"127\.0\.0\.1:{service.port}/v1/memories"))
    await visitor.go("Sessions")
    await visitor.expect_notification(re.compile(rf"127\.0\.0\.1:{service.port}/v1/sessions/"))
