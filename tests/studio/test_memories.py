"""Signing in, and the Studio's first page, in a real browser against real processes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.live_api import ADMIN_KEY
from tests.processes import ServerProcess
from tests.studio.browser import Chromium, StudioPage, visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_a_key_opens_the_studio_and_stays_on_the_server(service: ServerProcess, opened: Chromium) -> None:
    async with visiting(opened, f"http://127.0.0.1:{service.port}") as visitor:
        page = visitor.page
        await page.goto(f"{visitor.base}/studio")
        await visitor.press("Sign in")
        await visitor.expect_notification("Paste a key first.")
        await page.get_by_label("API key").fill("not-a-key")
        await page.keyboard.press("Enter")
        await visitor.expect_notification(re.compile("This key opens nothing here"))
        await visitor.photograph("sign-in")
        await visitor.sign_in()
        for _ in range(3):
            theme = page.get_by_role("button", name=re.compile("^Colours: "))
            before = await theme.get_attribute("aria-label")
            await theme.click()
            await expect(theme).not_to_have_attribute("aria-label", str(before))
        await visitor.look_at("ben")
        await expect(page.locator(".rows .item")).to_have_count(1)
        reader = (await service.call("POST", "/v1/keys", json={"role": "reader", "name": "a guest"})).json()
        await visitor.choose("Workspace", "Open another…")
        await page.wait_for_url("**/sign-in")
        await visitor.sign_in(reader["key"])
        await visitor.expect_notification("Signed in with")
        await expect(page.get_by_role("button", name="Add a memory")).to_have_count(0)
        await visitor.choose("Workspace", "default · admin")
        await expect(page.get_by_role("button", name="Add a memory")).to_be_visible()
        cookies = await page.context.cookies()
        everything = await page.content() + json.dumps([dict(one) for one in cookies])
        assert ADMIN_KEY not in everything
        assert all(one["httpOnly"] and one["sameSite"] == "Strict" for one in cookies)
        await page.get_by_role("button", name="Sign out").click()
        await expect(page.get_by_label("API key")).to_be_visible()
        await page.goto(f"{visitor.base}/studio/engine")
        await expect(page.get_by_label("API key")).to_be_visible()
        assert ADMIN_KEY not in service.log.read_text(encoding="utf-8")


async def test_memories_are_found_changed_deleted_and_restored(
    visitor: StudioPage, service: ServerProcess, tmp_path: Path
) -> None:
    await visitor.look_at("ada")
    await visitor.expect_notification("tiered pricing")
    await visitor.photograph("memories")
    await memories_are_found(visitor)
    await a_memory_is_added(visitor)
    await it_is_changed_after_somebody_else_did(visitor, service)
    await it_is_deleted_and_restored(visitor)

    await service.call("POST", "/v1/memories", json={"agent": "ada", "type": "fact", "content": "Saved from elsewhere"})
    await expect(visitor.page.locator(".rows .item").first).to_contain_text("Saved from elsewhere")

    await everything_is_exported_and_imported(visitor, tmp_path)
    visitor.has_pressed(
        "/studio/",
        "memories",
        "memory_form",
        "memory_panel",
        "transfer",
        but={"Newer", "Older", "Compact old", "Mark as done", "Open again", "Undo the fold"},
    )  # pressed in test_record_fields


async def test_hearsay_says_whose_word_it_is(visitor: StudioPage, service: ServerProcess) -> None:
    hearsay = {"agent": "gus", "type": "fact", "content": "Alice lives in Hell.", "user": "Alice"}
    await service.call("POST", "/v1/memories", json=hearsay | {"hearsay_by": "mallory"})
    await visitor.page.reload()
    await visitor.look_at("gus")
    item = visitor.page.locator(".rows .item")
    await expect(item).to_contain_text("according to mallory")
    await visitor.open(item)
    await expect(visitor.dialog()).to_contain_text("according to mallory")


async def memories_are_found(visitor: StudioPage) -> None:
    page, items = visitor.page, visitor.page.locator(".rows .item")
    await page.get_by_label("Search in what is remembered").press_sequentially("helix", delay=20)
    await expect(items).to_have_count(1)
    await page.get_by_label("Search in what is remembered").fill("no such words")
    await visitor.expect_notification("Nothing like that")
    await page.get_by_label("Search in what is remembered").fill("")
    await visitor.choose("Scopes", "team")
    await expect(items).to_have_count(1)
    await page.keyboard.press("Escape")
    await visitor.choose("Scopes", "team")
    await page.keyboard.press("Escape")
    await page.get_by_label("Tag", exact=True).fill("legal")
    await expect(items).to_have_count(1)
    await page.get_by_label("Tag", exact=True).fill("")


async def a_memory_is_added(visitor: StudioPage) -> None:
    page, items = visitor.page, visitor.page.locator(".rows .item")
    await visitor.press("Add a memory")
    await visitor.press("Save", visitor.dialog())
    await visitor.expect_notification("Write down what is to be remembered.")
    await visitor.close("Cancel")
    for outcome in ("Saved.", "That was known already"):
        await visitor.press("Add a memory")
        await page.get_by_label("What is to be remembered", exact=True).fill("The kettle is on the third floor")
        await visitor.choose("Type", "goal", visitor.dialog())
        await page.get_by_label("Tags", exact=True).fill("office, tea")
        if outcome == "Saved.":
            await visitor.photograph("memory-form")
        await visitor.press("Save", visitor.dialog())
        await visitor.expect_notification(re.compile(outcome))
    await visitor.open(items.filter(has_text="kettle"))


async def it_is_changed_after_somebody_else_did(visitor: StudioPage, service: ServerProcess) -> None:
    page = visitor.page
    await page.get_by_role("tab", name="Sources").click()
    await visitor.expect_notification("Written directly")
    await visitor.press("Edit", visitor.dialog())
    await visitor.press("Cancel", visitor.dialog())
    await visitor.press("Edit", visitor.dialog())
    [memory] = (await service.call("GET", "/v1/memories", params={"q": "kettle"})).json()["items"]
    change = {"version": memory["version"], "content": "The kettle is on the fourth floor"}
    assert (await service.call("PATCH", f"/v1/memories/{memory['id']}", json=change)).is_success
    await page.get_by_label("What is to be remembered", exact=True).fill("The kettle is on the fifth floor")
    await page.get_by_label("Why (kept in the history)").fill("it was carried upstairs")
    await visitor.press("Save", visitor.dialog())
    await visitor.expect_notification(re.compile("Somebody has changed this memory since you opened it"))
    await visitor.photograph("memory-stale")
    await visitor.press("Save", visitor.dialog())
    await visitor.expect_notification(re.compile("^Changed"))
    await page.get_by_role("tab", name="History").click()
    await expect(visitor.dialog().locator("ins", has_text="fifth")).to_be_visible()
    await expect(visitor.dialog().locator("del", has_text="fourth")).to_be_visible()
    await visitor.expect_notification(re.compile("it was carried upstairs"))
    await visitor.photograph("memory-history")
    await page.get_by_role("tab", name="About").click()


async def it_is_deleted_and_restored(visitor: StudioPage) -> None:
    page, items = visitor.page, visitor.page.locator(".rows .item")
    await visitor.press("Delete", visitor.dialog())
    await visitor.press("Cancel", visitor.dialog("Delete this memory?"))
    await expect(page.get_by_role("dialog")).to_have_count(1)
    await visitor.press("Delete", visitor.dialog())
    await visitor.press("Delete", visitor.dialog("Delete this memory?"))
    await visitor.expect_notification("Deleted.")
    await expect(items.filter(has_text="kettle")).to_have_count(0)
    await visitor.choose("Show", "With deleted ones")
    await visitor.open(items.filter(has_text="kettle"))
    await visitor.press("Restore", visitor.dialog())
    await visitor.press("Restore", visitor.dialog("Restore this memory?"))
    await visitor.expect_notification("Restored.")
    await visitor.close("Close")
    await expect(items.filter(has_text="kettle").get_by_text("deleted")).to_have_count(0)


async def everything_is_exported_and_imported(visitor: StudioPage, tmp_path: Path) -> None:
    page = visitor.page
    await visitor.press("Export")
    await visitor.close("Close")
    await visitor.press("Export")
    async with page.expect_download() as download:
        await visitor.press("Export", visitor.dialog())
    file = tmp_path / "all.ndjson"
    await (await download.value).save_as(file)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert (lines[0]["record"], lines[-1]["record"]) == ("export", "end")
    await visitor.expect_notification(f"Done: {len(lines)} lines. Your browser has saved the file.")
    await visitor.photograph("export")
    await visitor.close("Close")

    await visitor.press("Import")
    await visitor.close("Close")
    await visitor.press("Import")
    await visitor.press("Import", visitor.dialog())
    await visitor.expect_notification("Choose a file first.")
    broken = tmp_path / "broken.ndjson"
    good = {"record": "memory", "agent": "ben", "type": "fact", "content": "The new desks are oak"}
    broken.write_text(json.dumps(good) + "\n{oops\n", encoding="utf-8")
    await page.get_by_label("File").set_input_files(broken)
    await visitor.press("Import", visitor.dialog())
    await visitor.expect_notification(re.compile("line 2", re.IGNORECASE))
    await page.get_by_label("File").set_input_files(file)
    await visitor.press("Import", visitor.dialog())
    await visitor.expect_notification(re.compile("^Done: 0 created"))
    await visitor.photograph("import")
    await visitor.close("Close")


async def test_ten_thousand_memories_are_paged(visitor: StudioPage, service: ServerProcess) -> None:
    line = '{{"record": "memory", "agent": "archive", "type": "event", "content": "Order {0} was shipped"}}'
    lines = "\n".join(line.format(n) for n in range(10_000))
    answer = await service.call("POST", "/v1/import", content=lines.encode(), timeout=120)
    assert answer.is_success, answer.text
    page, items = visitor.page, visitor.page.locator(".rows .item")
    await page.reload()
    await visitor.look_at("archive")
    await visitor.expect_notification("1–50 of 10,000")
    await expect(items).to_have_count(50)
    first = await items.first.inner_text()
    await visitor.press("Older")
    await visitor.expect_notification("51–100 of 10,000")
    await expect(items).to_have_count(50)
    await visitor.press("Newer")
    await visitor.expect_notification("1–50 of 10,000")
    assert (await items.first.inner_text()).split("\n")[0] == first.split("\n")[0]
    await page.get_by_label("Search in what is remembered").fill("Order 9999 ")
    await expect(items).to_have_count(1)
