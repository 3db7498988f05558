"""The page People: what an agent knows about somebody, since when, from where, and how it is forgotten."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")

AGENT = "concierge"
PERSON = "Solveig"
SAID = (
    "Hi, my name is Solveig Dahl. I live in Bergen.",
    "I work as a nurse at Haukeland, and I am vegetarian.",
    "I moved from Bergen to Oslo.",
    "I love skiing. I don't like coffee.",
)


@pytest_asyncio.fixture(loop_scope="package", scope="package", autouse=True)
async def lived(service: ServerProcess) -> None:
    """A person who has moved, after a dream about what they said."""
    for number, said in enumerate(SAID):
        body = {"agent": AGENT, "user": PERSON, "messages": [{"role": "user", "content": said}]}
        answer = await service.call("POST", f"/v1/sessions/visit-{number}/messages", json=body)
        assert answer.is_success, answer.text
        dream = await service.call("POST", f"/v1/agents/{AGENT}/dream", json={"wait": True}, timeout=600)
        assert dream.json()["status"] == "succeeded", dream.text
    others = [
        {"content": "Håkon plays the hardanger fiddle", "user": "Håkon <b>"},
        {"content": "Solveig lent Håkon a bow", "user": PERSON, "owners": ["Håkon <b>"]},
    ]
    for other in others:
        saved = await service.call("POST", "/v1/memories", json={"agent": AGENT, "type": "fact", **other})
        assert saved.is_success, saved.text


async def test_a_person_is_found_with_profile_timeline_and_sources(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.go("People")
    await visitor.choose_agent(AGENT)
    people = page.get_by_role("list", name="People").get_by_role("link")
    await expect(people).to_have_count(2)
    await visitor.keys("/")
    await page.keyboard.type("solv")
    await expect(people).to_have_count(1)
    await page.get_by_role("heading", level=1).click()
    await visitor.keys("j", "Enter")
    person = page.get_by_role("article", name=PERSON)
    home = person.locator("dl > div").filter(has=page.get_by_text("home", exact=True))
    await expect(home).to_contain_text("Oslo")
    await expect(person.locator("dl").first).not_to_contain_text("Bergen")
    await visitor.check_screens("people")

    await person.get_by_role("tab", name="Timeline").click()
    former = person.get_by_role("list", name="Timeline").get_by_role("listitem").filter(has_text="superseded")
    await expect(former.last).to_contain_text("Bergen")
    told = person.get_by_role("list", name="Timeline").get_by_role("listitem").filter(has_text="lent Håkon a bow")
    await expect(told.last).to_contain_text("belongs to Håkon <b>")
    await visitor.check_screens("people-timeline")
    await former.last.get_by_role("link", name="What supersedes it").click()
    await expect(page.get_by_role("article")).to_contain_text("Oslo")
    await page.go_back()
    assert "tab=timeline" in page.url

    await person.get_by_role("tab", name="Changes").click()
    await expect(person.get_by_role("list", name="Changes")).to_contain_text("Oslo")
    await person.get_by_role("tab", name="Profile").click()
    await person.get_by_label("As of").fill("2020-01-01")
    await expect(person.get_by_role("heading", name="No field of the profile is known yet")).to_be_visible()
    assert "as_of=2020-01-01" in page.url
    await page.get_by_label("As of").fill("")
    await home.get_by_role("link", name="Source 1").click()
    await expect(page.get_by_role("article")).to_contain_text("Oslo")


async def test_an_unknown_person_is_a_page_that_says_so(visitor: AppPage) -> None:
    await visitor.open("/people", agent=AGENT, person="Nobody", tab="timeline")
    await expect(visitor.page.get_by_role("heading", name="Nothing is known of that person")).to_be_visible()


async def test_a_person_is_exported_and_purged_with_a_receipt(visitor: AppPage, tmp_path: Path) -> None:
    page = visitor.page
    await visitor.open("/people", agent=AGENT, person="Håkon <b>")
    person = page.get_by_role("article", name="Håkon <b>")
    async with page.expect_download() as download:
        await visitor.press("Export", person)
    await (await download.value).save_as(tmp_path / "export.json")
    held = json.loads((tmp_path / "export.json").read_text("utf-8"))
    assert "hardanger fiddle" in json.dumps(held["memories"])

    await visitor.press("Purge", person)
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name="Purge")).to_be_disabled()
    await dialog.get_by_label("Type Håkon <b> to confirm").fill("Håkon <b>")
    await visitor.press("Purge", dialog)
    receipt = page.get_by_role("dialog", name="Receipt of the purge")
    await expect(receipt).to_contain_text(re.compile(r'"memories": 2\b'))
    await visitor.press("Done", receipt)
    await expect(page.get_by_role("list", name="People").get_by_role("link", name="Håkon")).to_have_count(0)
