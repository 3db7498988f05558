"""The page Engine: health, settings, keys, webhooks, audit, export and import, by labels and keys."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.async_api import Dialog, Route, expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage
from tests.studio.browser import TIMEOUT_MS

pytestmark = pytest.mark.asyncio(loop_scope="package")

AGENT = "mechanic"


async def test_health_says_what_works_and_a_trial_run_proves_it(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.go("Engine")
    await expect(page.get_by_text("Everything works", exact=True)).to_be_visible()
    await expect(page.get_by_role("region", name="Database")).to_contain_text("works")
    await expect(page.get_by_role("region", name="Reranker")).to_contain_text("RERANK_MODEL")
    await expect(page.get_by_role("region", name="Workers")).to_contain_text("alive")
    trial = page.get_by_role("region", name="Trial run")
    await visitor.press("Try it", trial)
    await expect(trial).to_contain_text(re.compile("It works: .* in all"))
    await visitor.check_screens("engine-health")
    await expect(page.get_by_role("region", name="Personal data")).to_contain_text("US_SSN")
    workers = page.get_by_role("region", name="Workers")

    async def silence(route: Route) -> None:
        answer = await route.fetch()
        state = await answer.json()
        seen = (datetime.now(UTC) - timedelta(minutes=3)).isoformat()
        workers = [worker | {"alive": False, "seen_at": seen} for worker in state["workers"]]
        await route.fulfill(response=answer, json=state | {"workers": workers})

    await page.route("**/v1/engine", silence)
    await expect(workers).to_contain_text("silent")
    await expect(workers).to_contain_text(re.compile(r"last heartbeat 3 min\.? ago"))


async def test_a_setting_is_found_checked_saved_and_reset(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    await visitor.open("/engine", tab="settings")
    await page.get_by_label("Find a setting").fill("deleted days")
    field = page.get_by_role("textbox", name="Deleted, days")
    await expect(field).to_have_value("30")
    await field.fill("many")
    await visitor.press("Save")
    await expect(page.get_by_text("This is not a number.")).to_be_visible()
    await field.fill("45")
    page.once("dialog", lambda asked: asked.accept())
    await page.reload()
    await expect(field).to_have_value("45")
    await visitor.press("Save")
    await expect(page.get_by_text("Saved. In effect from the next call.")).to_be_visible()
    assert (await service.call("GET", "/v1/settings")).json()["retention"]["deleted_days"] == 45
    await expect(page.get_by_text("Default: 30")).to_be_visible()
    await visitor.check_screens("engine-settings")
    await visitor.press("Reset to the default: Retention: Deleted, days")
    await visitor.press("Save")
    await expect(page.get_by_role("button", name="Save")).to_have_count(0)
    assert (await service.call("GET", "/v1/settings")).json()["retention"]["deleted_days"] == 30


async def test_what_few_change_is_folded_away_and_found_all_the_same(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/engine", tab="settings")
    await page.locator("summary", has_text="Context").click()
    await expect(page.get_by_label("Session window: Idle, seconds")).to_be_visible()
    field = page.get_by_label("Session window: Trim to")
    await expect(field).to_be_hidden()
    await page.locator("summary", has_text="Advanced").click()
    await expect(field).to_be_visible()
    await expect(page.get_by_text("Together with `window.messages_max`, of which it is half.")).to_be_visible()
    await visitor.check_screens("engine-advanced")
    await page.get_by_label("Find a setting").fill("rrf")
    await expect(page.get_by_label("RRF constant k")).to_be_visible()
    await expect(field).to_have_count(0)


async def test_how_users_are_kept_apart_is_a_choice_that_says_what_each_means(
    visitor: AppPage, service: ServerProcess
) -> None:
    page = visitor.page
    await visitor.open("/engine", tab="settings", find="users")
    field = page.get_by_label("Users", exact=True)
    await expect(page.get_by_text("a prompt for no user has what is nobody's")).to_be_visible()
    await field.select_option("shared")
    await expect(page.get_by_text("One team behind one agent: all see all.")).to_be_visible()
    await field.select_option("strict")
    await expect(page.get_by_text("every request for no user sees what is nobody's")).to_be_visible()
    await visitor.press("Save")
    await expect(page.get_by_role("button", name="Save")).to_have_count(0)
    assert (await service.call("GET", "/v1/settings")).json()["users"] == "strict"
    await visitor.check_screens("engine-users")
    await visitor.press("Reset to the default: Users")
    await visitor.press("Save")
    await expect(page.get_by_role("button", name="Save")).to_have_count(0)
    assert (await service.call("GET", "/v1/settings")).json()["users"] == "separate"


async def test_what_the_api_refuses_is_said_and_the_draft_is_kept(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/engine", tab="settings", find="trim to")
    field = page.get_by_role("textbox", name="Trim to")
    await field.fill("100000")
    await visitor.press("Save")
    await expect(page.get_by_text(re.compile(r"trim_to"))).to_be_visible()
    await expect(field).to_have_value("100000")
    await visitor.press("Discard changes")
    await expect(field).to_have_value("10")


async def test_settings_that_cost_tokens_say_so(visitor: AppPage, service: ServerProcess) -> None:
    proxy, retrieval = {"enabled": True, "models": ["openai/gpt-5"]}, {"context_max_tokens": 3_000}
    assert (await service.call("PUT", "/v1/settings", json={"proxy": proxy, "retrieval": retrieval})).is_success
    await visitor.open("/engine", tab="settings")
    costs = visitor.page.get_by_role("complementary", name="Costs")
    await expect(costs).to_contain_text("The proxy adds up to 3,000 tokens of memory to each request")
    await expect(costs).to_contain_text("100.00 US dollars or 100,000,000 tokens a day")
    reset = {"names": ["proxy", "retrieval"]}
    assert (await service.call("POST", "/v1/settings/reset", json=reset)).is_success


async def test_a_key_is_created_shown_once_rotated_and_revoked(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/engine", tab="keys", agent=AGENT)
    await visitor.press("Create key")
    dialog = page.get_by_role("dialog", name="Create key")
    await dialog.get_by_label("Name").fill("<b>night</b> shift")
    await dialog.get_by_label("Agent", exact=True).fill("")
    await expect(dialog.get_by_role("button", name="Create key")).to_be_disabled()
    await dialog.get_by_label("Agent", exact=True).fill(AGENT)
    await dialog.get_by_label("Role").select_option("admin")
    await expect(dialog.get_by_label("User")).to_have_count(0)
    await dialog.get_by_label("Role").select_option("agent")
    await dialog.get_by_label("User").fill("Tove")
    await dialog.get_by_label("read", exact=True).check()
    await dialog.get_by_role("button", name="Create key").dblclick()
    shown = page.get_by_role("dialog", name="Key created")
    first = await shown.locator("code").inner_text()
    await visitor.press("Done", shown)
    row = page.get_by_role("row").filter(has_text="<b>night</b> shift")
    await expect(row).to_have_count(1)
    await expect(row).to_contain_text(f"agent: {AGENT} for Tove (read)")
    await expect(row).to_contain_text("never")
    await visitor.check_screens("engine-keys")

    await visitor.press("Rotate", row)
    await visitor.press("Rotate", page.get_by_role("dialog"))
    assert await shown.locator("code").inner_text() != first
    await visitor.press("Done", shown)
    await visitor.press("Revoke", row)
    await visitor.press("Revoke", page.get_by_role("dialog"))
    await expect(row).to_contain_text("revoked")
    await page.get_by_role("tab", name="Audit").click()
    await expect(page.get_by_role("region", name="Audit log")).to_contain_text("key.revoked")


async def test_limits_are_shown_beside_what_is_used_of_them(visitor: AppPage, service: ServerProcess) -> None:
    body = {
        "role": "agent",
        "name": "<i>bounded</i>",
        "agent": AGENT,
        "limits": {"rows_max": 12_345, "bytes_max": 5_000},
    }
    made = (await service.call("POST", "/v1/keys", json=body)).json()
    draft = {"agent": AGENT, "type": "fact", "content": "x" * 1_198}
    saved = await service.call("POST", "/v1/memories", json=draft, headers={"Authorization": f"Bearer {made['key']}"})
    assert saved.is_success
    await visitor.open("/engine", tab="usage", agent=AGENT)
    shown = visitor.page.get_by_role("region", name="Limits").get_by_role("row").filter(has_text="<i>bounded</i>")
    await expect(shown).to_have_text(["<i>bounded</i>Memories and messages112,345", "<i>bounded</i>Bytes1.2 kB5.0 kB"])
    await expect(visitor.page.get_by_role("region", name="Use by day").get_by_role("row").nth(1)).to_contain_text("$0")
    await visitor.check_screens("engine-usage")


async def test_a_webhook_is_added_and_deleted(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/engine", tab="webhooks")
    await visitor.press("Add webhook")
    dialog = page.get_by_role("dialog", name="Add webhook")
    await dialog.get_by_label("URL").fill("https://hooks.example.com/reverie")
    await dialog.get_by_label("dream.finished").check()
    await visitor.press("Add webhook", dialog)
    await visitor.press("Done", page.get_by_role("dialog", name="Webhook added"))
    hooks = page.get_by_role("list", name="Webhooks").get_by_role("listitem")
    await expect(hooks).to_contain_text(["dream.finished"])
    await visitor.press("Delete", hooks)
    await visitor.press("Delete", page.get_by_role("dialog"))
    await expect(page.get_by_role("heading", name="No webhooks yet")).to_be_visible()


async def test_what_is_exported_can_be_imported_again(visitor: AppPage, service: ServerProcess, tmp_path: Path) -> None:
    page = visitor.page
    saved = await service.call(
        "POST", "/v1/memories", json={"agent": AGENT, "type": "fact", "content": "The lathe needs oil"}
    )
    await visitor.open("/engine", tab="transfer", agent=AGENT)
    async with page.expect_download() as download:
        await visitor.press("Export", page.get_by_role("region", name="Export"))
    file = tmp_path / "export.jsonl"
    await (await download.value).save_as(file)
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert any(saved.json()["memory"]["id"] == line.get("id") for line in lines), lines
    part = page.get_by_role("region", name="Import")
    await part.get_by_label("File").set_input_files(file)
    go_on, asked = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        await go_on.wait()
        await route.continue_()

    async def stay(dialog: Dialog) -> None:
        await dialog.dismiss()
        asked.set()

    await page.route("**/v1/import*", hold)
    await part.get_by_role("button", name="Import").click()
    await expect(part).to_contain_text("records read")
    page.once("dialog", stay)
    await page.get_by_role("navigation", name="Pages").get_by_role("link", name="Memories", exact=True).click()
    await asyncio.wait_for(asked.wait(), TIMEOUT_MS / 1000)
    await visitor.shows("Engine")
    go_on.set()
    await expect(part).to_contain_text("0 created")
    broken = tmp_path / "broken.jsonl"
    broken.write_text(file.read_text("utf-8") + "{oops\n", encoding="utf-8")
    await part.get_by_label("File").set_input_files(broken)
    await visitor.press("Import", part)
    await expect(page.get_by_text(re.compile(rf"line {len(lines) + 1}\b", re.IGNORECASE))).to_be_visible()
    await visitor.check_screens("engine-transfer")


async def test_stored_secrets_are_listed_with_links_and_masked(visitor: AppPage, service: ServerProcess) -> None:
    page, secret = visitor.page, "kalo!1999fin"
    await service.call("PUT", "/v1/settings", json={"secrets": {"mode": "off"}})
    saved = await service.call(
        "POST", "/v1/memories", json={"agent": AGENT, "type": "fact", "content": f"The password is {secret}"}
    )
    said = {"agent": AGENT, "messages": [{"role": "user", "content": f"as I said: {secret} works there too"}]}
    await service.call("POST", "/v1/sessions/shift/messages", json=said)
    await service.call("PUT", "/v1/settings", json={"secrets": {"mode": "redact"}})
    await visitor.open("/engine", tab="secrets")
    await expect(page.get_by_text("Nothing has been looked through yet")).to_be_visible()
    await visitor.press("Look for secrets")
    findings = page.get_by_role("region", name="Findings")
    row = findings.get_by_role("row").filter(has_text=saved.json()["memory"]["id"])
    await expect(row).to_contain_text("password")
    await expect(findings).not_to_contain_text(secret)
    await visitor.check_screens("engine-secrets")
    await findings.get_by_role("link", name="Message").click()
    await expect(page.get_by_text(f"as I said: {secret}").first).to_be_visible()
    await page.go_back()
    await visitor.press("Mask them")
    await visitor.press("Mask them", page.get_by_role("dialog", name="Mask all stored secrets?"))
    await expect(page.get_by_text(re.compile("^Masked in "))).to_be_visible()
    await row.get_by_role("link", name="Memory").click()
    await expect(page.get_by_text("The password is [SECRET:password]").first).to_be_visible()
