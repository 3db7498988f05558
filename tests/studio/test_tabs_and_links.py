"""Two tabs act each on the agent that it shows, signing out ends both, and a link opens what it names."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.processes import ServerProcess
from tests.studio.browser import Chromium, StudioPage, visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def dreams_of(service: ServerProcess, agent: str) -> int:
    """How many dreams an agent has had."""
    return len((await service.call("GET", "/v1/dreams", params={"agent": agent})).json()["items"])


async def say(service: ServerProcess, agent: str, session: str, turns: list[str]) -> None:
    """Append what the user Priya says."""
    messages = [{"role": "user", "content": turn} for turn in turns]
    body = {"agent": agent, "user": "Priya", "messages": messages}
    assert (await service.call("POST", f"/v1/sessions/{session}/messages", json=body)).is_success


async def test_a_tab_acts_on_the_agent_that_its_picker_shows(visitor: StudioPage, service: ServerProcess) -> None:
    for agent in ("mel", "gina"):
        note = {"agent": agent, "type": "fact", "content": f"{agent} likes to swim"}
        await service.call("POST", "/v1/memories", json=note)
    tab = visitor.page
    await tab.reload()
    await visitor.look_at("mel")
    await expect(tab).to_have_url(re.compile(r"agent=mel$"))
    await visitor.go("Dreams")
    other = await tab.context.new_page()
    await other.goto(f"{visitor.base}/studio/?agent=gina")
    await expect(other.locator(".rows .item")).to_contain_text("gina likes to swim")
    await visitor.press("Dry run")
    await expect(tab.locator(".rows .item").get_by_text("dry run", exact=True)).to_be_visible()
    assert (await dreams_of(service, "mel"), await dreams_of(service, "gina")) == (1, 0)
    await visitor.go("Memories")
    await expect(tab.get_by_label("Agent", exact=True)).to_have_value("mel")
    await expect(tab.locator(".rows .item")).to_contain_text("mel likes to swim")
    await tab.goto(f"{visitor.base}/studio/?agent=nobody")
    await expect(tab.get_by_label("Agent", exact=True)).to_have_value("All agents")
    await other.close()


async def test_signing_out_ends_every_tab_and_says_why(service: ServerProcess, opened: Chromium) -> None:
    async with visiting(opened, f"http://127.0.0.1:{service.port}") as visitor:
        await visitor.sign_in()
        other = await visitor.page.context.new_page()
        await other.goto(f"{visitor.base}/studio/engine?agent=ada")
        await expect(other.get_by_role("heading", name="Engine", exact=True, level=1)).to_be_visible()
        await visitor.press("Sign out")
        await expect(visitor.page.get_by_label("API key")).to_be_visible()
        await expect(other.get_by_label("API key")).to_be_visible()
        await expect(other.get_by_role("alert")).to_contain_text("You have been signed out")


async def test_a_revoked_key_leads_to_the_sign_in_and_a_deep_link_past_it(
    service: ServerProcess, opened: Chromium
) -> None:
    made = (await service.call("POST", "/v1/keys", json={"role": "reader", "name": "a guest"})).json()
    async with visiting(opened, f"http://127.0.0.1:{service.port}") as visitor:
        await visitor.page.goto(f"{visitor.base}/studio/sessions?agent=ada&session=tuesday")
        await visitor.page.get_by_label("API key").fill(made["key"])
        await visitor.page.get_by_role("button", name="Sign in").click()
        await expect(visitor.page.get_by_role("heading", name="tuesday", exact=True)).to_be_visible()
        await service.call("DELETE", f"/v1/keys/{made['id']}")
        await expect(visitor.page.get_by_role("alert")).to_contain_text("the key was revoked")


async def test_a_source_opens_its_very_session_and_message(visitor: StudioPage, service: ServerProcess) -> None:
    await say(service, "melanie", "swamped", [f"Line {n} of a long day" for n in range(1, 100)])
    await say(service, "melanie", "swamped", ["I moved to Bergen."])
    await say(service, "melanie", "swamped", [f"Line {n} of the evening" for n in range(1, 60)])
    await asyncio.gather(*(say(service, "melanie", f"later {n}", ["Hello"]) for n in range(55)))
    await say(service, "weird", "swamped", ["Nothing to see here"])
    dream = await service.call("POST", "/v1/agents/melanie/dream", json={"wait": True}, timeout=300)
    assert dream.json()["status"] == "succeeded"
    page = visitor.page
    await page.goto(f"{visitor.base}/studio/?agent=melanie")
    await visitor.open(page.locator(".rows .item").filter(has_text="Bergen").first)
    await page.get_by_role("tab", name="Sources").click()
    await visitor.dialog().get_by_role("link", name="swamped").first.click()
    await expect(page.get_by_role("heading", name="swamped", exact=True)).to_be_visible()
    marked = page.locator(".said.marked")
    await expect(marked).to_contain_text("I moved to Bergen.")
    await expect(marked).to_be_in_viewport()
    await visitor.photograph("session-of-a-source")
    for missing, said in (("sessions?session=never", "No such session"), ("dreams?dream=never", "No such dream")):
        await page.goto(f"{visitor.base}/studio/{missing}&agent=melanie")
        await expect(page.get_by_role("heading", name=said)).to_be_visible()


async def walk_to_the_end(shown: Locator, button: Locator, total: int) -> None:
    """Press a button that shows more until all are shown and it is gone."""
    while (before := await shown.count()) < total:
        await button.click()
        await expect(shown).not_to_have_count(before)
    await expect(shown).to_have_count(total)
    await expect(button).to_have_count(0)


async def test_a_dream_is_shown_to_its_last_change(visitor: StudioPage, service: ServerProcess) -> None:
    turns = [
        f"I live at number {n} of the harbour street, in the house named {chr(97 + n % 26)}{n}." for n in range(120)
    ]
    await say(service, "busy", "long", turns)
    answer = await service.call("POST", "/v1/agents/busy/dream", json={"wait": True, "dry_run": True}, timeout=300)
    dream: dict[str, Any] = (await service.call("GET", f"/v1/dreams/{answer.json()['id']}")).json()
    assert len(dream["changes"]) > 200
    await visitor.page.goto(f"{visitor.base}/studio/dreams?agent=busy&dream={dream['id']}")
    shown, more = visitor.page.locator(".change"), visitor.page.get_by_role("button", name=re.compile("^Show "))
    await expect(shown).to_have_count(200)
    await walk_to_the_end(shown, more, len(dream["changes"]))
