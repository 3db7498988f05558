"""The page Memories, by labels and keys."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage

pytestmark = pytest.mark.asyncio(loop_scope="package")
Json = dict[str, Any]


async def _saved(service: ServerProcess, agent: str, content: str, **fields: Any) -> Json:
    body = {"agent": agent, "type": "fact", "content": content, **fields}
    answer = await service.call("POST", "/v1/memories", json=body)
    assert answer.is_success, answer.text
    memory: Json = answer.json()["memory"]
    return memory


async def _changed(service: ServerProcess, memory: Json, **changes: Any) -> Json:
    body = {"version": memory["version"], **changes}
    answer = await service.call("PATCH", f"/v1/memories/{memory['id']}", json=body)
    assert answer.is_success, answer.text
    changed: Json = answer.json()
    return changed


async def _read(service: ServerProcess, memory: Json) -> Json:
    answer = await service.call("GET", f"/v1/memories/{memory['id']}", params={"include": "deleted,expired"})
    read: Json = answer.json()
    return read


def _rows(page: Page) -> Any:
    return page.get_by_role("list", name="Memories").get_by_role("link")


async def test_what_the_list_shows_is_saved_as_a_file(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.open("/memories", agent="ada", q="staging")
    await expect(_rows(page)).to_have_count(1)
    await page.get_by_role("button", name="Copy").first.click()
    async with page.expect_download() as download:
        await page.get_by_role("menuitem", name="Save as JSON").click()
    saved = json.loads((await (await download.value).path()).read_text("utf-8"))
    assert ["staging" in one["content"] for one in saved] == [True]


async def test_a_memory_is_found_opened_by_keys_and_a_link_to_it_holds(visitor: AppPage) -> None:
    page = visitor.page
    await visitor.go("Memories")
    await visitor.choose_agent("ada")
    rows = _rows(page)
    await expect(rows.filter(has_text="Maya").first).to_be_visible()
    await visitor.keys("/")
    await page.keyboard.type("staging")
    await expect(rows).to_have_count(1)
    await page.keyboard.press("Tab")
    await page.get_by_role("heading", level=1).click()
    await visitor.keys("j", "Enter")
    article = page.get_by_role("article")
    await expect(article).to_contain_text("Postgres 18 in Frankfurt")
    address = page.url
    assert "agent=ada" in address
    assert "q=staging" in address
    assert "memory=" in address
    await visitor.check_screens("memories")
    await page.reload()
    await expect(article).to_contain_text("Postgres 18 in Frankfurt")
    await visitor.keys("Escape")
    await expect(article).to_have_count(0)
    await page.go_back()
    await expect(article).to_be_visible()


async def test_an_unknown_memory_is_told(visitor: AppPage) -> None:
    await visitor.open("/memories", memory="00000000-0000-0000-0000-000000000000")
    await expect(visitor.page.get_by_role("heading", name="No such memory")).to_be_visible()


async def test_every_filter_is_in_the_address_and_narrows(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "mem-filters"
    await _saved(service, agent, "Caroline adopted a beagle", user="Caroline", tags=["pets"], importance=0.9)
    await _saved(service, agent, "Melanie paints at night", type="event", user="Melanie", metadata={"room": "attic"})
    await _saved(service, agent, "The attic leaks", type="observation", key="house/attic", importance=0.2)
    await visitor.open("/memories", agent=agent)
    rows = _rows(page)
    await expect(rows).to_have_count(3)
    await visitor.press("More filters")
    for label, value, left in (
        ("About", "Caroline", "beagle"),
        ("Tag", "pets", "beagle"),
        ("Key", "house/attic", "leaks"),
        ("Importance at least", "0.8", "beagle"),
        ("Metadata", "room=attic", "paints"),
        ("Metadata", '{"room": "attic"}', "paints"),
        ("Filter", '{"not": {"metadata.room": {"exists": false}}}', "paints"),
    ):
        await page.get_by_label(label, exact=True).fill(value)
        await expect(rows).to_have_count(1)
        await expect(rows).to_contain_text(left)
        await page.reload()
        await expect(rows).to_have_count(1)
        await visitor.press("Clear filters")
        await expect(rows).to_have_count(3)
    await page.get_by_label("Metadata", exact=True).fill("{room")
    await expect(page.get_by_text("Neither name=value nor a JSON object: not applied.")).to_be_visible()
    await page.get_by_label("Filter", exact=True).fill('{"metadata.room"')
    await expect(page.get_by_text("No JSON object: not applied.", exact=True)).to_be_visible()
    await page.get_by_label("Filter", exact=True).fill('{"metadata.room": {"near": 1}}')
    await expect(page.get_by_text("metadata.room › near: is not one of the operators")).to_be_visible()
    await visitor.press("Clear filters")
    counts = page.get_by_role("region", name="Counts")
    await expect(counts).to_contain_text("ever recalled")
    await expect(counts).not_to_contain_text(re.compile("hit", re.IGNORECASE))
    await visitor.press(re.compile("^fact 1"), counts)
    await visitor.press(re.compile("^event 1"), counts)
    await expect(rows).to_have_count(2)
    await page.get_by_label("To day").fill("2020-01-01")
    await expect(page.get_by_role("heading", name="No matches")).to_be_visible()


async def test_the_list_as_a_user_shows_what_is_theirs_and_nobodys(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "mem-owned"
    await _saved(service, agent, "Nadia collects stamps", user="Nadia")
    await _saved(service, agent, "Nadia snores, says Oleg", user="Nadia", owners=["Oleg"])
    await _saved(service, agent, "The archive opens at nine")
    await visitor.open("/memories", agent=agent)
    rows = _rows(page)
    await expect(rows).to_have_count(3)
    await visitor.press("More filters")
    await page.get_by_label("As user", exact=True).fill("Nadia")
    await expect(rows).to_have_count(2)
    await expect(rows.filter(has_text="stamps")).to_contain_text("belongs to Nadia")
    await expect(rows.filter(has_text="archive")).not_to_contain_text("belongs to")
    await expect(page.get_by_role("region", name="Counts")).to_contain_text("2 memories")
    assert "user=Nadia" in page.url
    await page.get_by_label("About", exact=True).fill("Nadia")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("stamps")
    await page.get_by_label("As user", exact=True).fill("")
    await expect(rows).to_have_count(2)
    await expect(rows.filter(has_text="snores")).to_contain_text("belongs to Oleg")
    await visitor.check_screens("memories-owned")


async def test_owners_are_changed_in_the_detail(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "mem-owners"
    memory = await _saved(service, agent, "The cellar key hangs behind the stove", user="Petra")
    await visitor.open("/memories", agent=agent, memory=memory["id"])
    article, dialog = page.get_by_role("article"), page.get_by_role("dialog", name="Edit memory")
    await expect(article).to_contain_text("belongs to Petra")
    await visitor.press("Edit", article)
    owners = dialog.get_by_label("Belongs to")
    await expect(owners).to_have_value("Petra")
    await owners.fill("Petra\nLund, Quirin")
    await visitor.press("Save", dialog)
    await expect(article).to_contain_text("belongs to Lund, Quirin and Petra")
    await visitor.open("/memories", agent=agent, user="Lund, Quirin")
    await expect(_rows(page)).to_have_count(1)
    await visitor.open("/memories", agent=agent, memory=memory["id"])
    await visitor.press("Edit", article)
    await owners.fill("")
    await visitor.press("Save", dialog)
    await expect(article).not_to_contain_text("belongs to")
    stored = (await service.call("GET", f"/v1/memories/{memory['id']}")).json()
    assert (stored["owners"], stored["user"]) == ([], "Petra")
    await article.get_by_role("tab", name="History").click()
    await expect(article).to_contain_text("owners: Lund, Quirin, Petra → none")


async def test_a_memory_is_written_and_a_draft_survives_a_reload(visitor: AppPage) -> None:
    page, agent = visitor.page, "mem-writer"
    await visitor.open("/memories")
    await visitor.shows("Memories")
    await visitor.keys("n")
    dialog = page.get_by_role("dialog", name="Add a memory")
    await visitor.press("Save", dialog)
    await expect(dialog.get_by_text("Enter the content.")).to_be_visible()
    await dialog.get_by_label("Content").fill("Grandma's recipe needs <b>two</b> eggs {{not three}}")
    await dialog.get_by_label("Agent").fill(agent)
    await page.reload()
    await visitor.shows("Memories")
    await visitor.keys("n")
    await expect(dialog.get_by_label("Content")).to_have_value(re.compile("two"))
    await dialog.get_by_label("Tags").fill("kitchen, family")
    await dialog.get_by_label("Type").select_option("preference")
    await dialog.get_by_text("More fields").click()
    await dialog.get_by_label("Metadata").fill("[1]")
    await visitor.press("Save", dialog)
    await expect(dialog.get_by_text("Enter a JSON object")).to_be_visible()
    await dialog.get_by_label("Metadata").fill('{"page": 7}')
    await dialog.get_by_role("button", name="Save", exact=True).dblclick()
    await expect(dialog).to_have_count(0)
    article = page.get_by_role("article")
    await expect(article).to_contain_text("Grandma's recipe needs <b>two</b> eggs {{not three}}")
    await expect(article).to_contain_text("kitchen")
    await expect(article).to_contain_text("page 7")
    await expect(page.get_by_text("reinforced")).to_have_count(0)


async def test_a_wrong_memory_is_corrected_and_a_former_version_brought_back(
    visitor: AppPage, service: ServerProcess
) -> None:
    page, agent = visitor.page, "mem-editor"
    memory = await _saved(service, agent, "Caroline moved from Sweden", tags=["home"])
    await visitor.open("/memories", agent=agent, memory=memory["id"])
    article = page.get_by_role("article")
    await expect(article).to_be_visible()
    await visitor.keys("e")
    dialog = page.get_by_role("dialog", name="Edit memory")
    await dialog.get_by_label("Content").fill("Caroline moved from Norway")
    await dialog.get_by_label("Reason").fill("she said so on Monday")
    await visitor.press("Save", dialog)
    await expect(dialog).to_have_count(0)
    await page.get_by_role("tab", name="History").click()
    history = page.get_by_role("list", name="History").get_by_role("listitem")
    await expect(history.first).to_contain_text("she said so on Monday")
    await expect(history.first.get_by_role("deletion")).to_have_text("Sweden")
    await expect(history.first.get_by_role("insertion")).to_have_text("Norway")
    await visitor.check_screens("memories-history")
    await visitor.press("Revert to this version", history.nth(1))
    await expect(article.get_by_role("paragraph").first).to_have_text("Caroline moved from Sweden")
    await expect(history).to_have_count(3)
    assert (await _read(service, memory))["content"] == "Caroline moved from Sweden"


async def test_a_conflict_names_what_they_did_and_what_save_will_do(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "mem-conflict"
    memory = await _saved(service, agent, "The meeting is on Tuesday", tags=["old"])
    await visitor.open("/memories", agent=agent, memory=memory["id"])
    await visitor.press("Edit", page.get_by_role("article"))
    dialog = page.get_by_role("dialog", name="Edit memory")
    await dialog.get_by_label("Tags").fill("old, work")
    await _changed(service, memory, content="The meeting is on Friday", importance=0.8)
    await visitor.press("Save", dialog)
    alert = dialog.get_by_role("alert")
    await expect(alert).to_contain_text("Somebody changed this memory since you opened it")
    await expect(alert.get_by_role("deletion")).to_have_text("Tuesday")
    await expect(alert.get_by_role("insertion")).to_have_text("Friday")
    await expect(alert).to_contain_text("tags: old → old, work")
    await visitor.check_screens("memories-conflict")
    await visitor.press("Save on top of theirs", dialog)
    await expect(dialog).to_have_count(0)
    stored = await _read(service, memory)
    assert (stored["content"], stored["tags"]) == ("The meeting is on Friday", ["old", "work"])
    assert stored["importance"] == pytest.approx(0.8)


async def test_what_is_deleted_pinned_or_rated_can_be_taken_back(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "mem-deeds"
    memory = await _saved(service, agent, "Melanie ran a charity race", type="event")
    todo = await _saved(service, agent, "Book the pottery class", type="todo")
    await visitor.open("/memories", agent=agent, memory=memory["id"])
    article = page.get_by_role("article")
    await expect(page.get_by_role("img", name=re.compile("^Importance over time"))).to_be_visible()
    await visitor.check_screens("memories-decay")
    await visitor.press("Pin", article)
    await expect(article.get_by_role("button", name="Unpin")).to_be_visible()
    await expect(article).to_contain_text("Does not fade")
    await visitor.press("Useful", article)
    await expect(page.get_by_text("Importance is now")).to_be_visible()
    await visitor.press("Delete", article)
    await expect(page.get_by_text("Memory deleted")).to_be_visible()
    await expect(article.get_by_role("button", name="Restore")).to_be_visible()
    await expect(_rows(page).filter(has_text="charity race")).to_have_count(0)
    await visitor.press("Undo")
    await expect(article.get_by_role("button", name="Delete")).to_be_visible()
    assert (await _read(service, memory))["deleted_at"] is None
    await visitor.open("/memories", agent=agent, memory=todo["id"])
    await visitor.press("Mark as done", article)
    await expect(article.get_by_role("button", name="Open again")).to_be_visible()
    assert (await _read(service, todo))["status"] == "done"


async def test_many_are_changed_at_once_and_undone(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "mem-bulk"
    memories = [await _saved(service, agent, f"Lap number {at} of the relay") for at in range(6)]
    await visitor.open("/memories", agent=agent)
    await expect(_rows(page)).to_have_count(6)
    boxes = page.get_by_role("list", name="Memories").get_by_role("checkbox")
    await boxes.nth(0).check()
    await boxes.nth(3).click(modifiers=["Shift"])
    bar = page.get_by_role("region", name="Selected memories")
    await expect(bar).to_contain_text("4 selected")
    await visitor.press("Add tag", bar)
    dialog = page.get_by_role("dialog", name="Add a tag to 4 memories")
    await dialog.get_by_label("Tag").fill("relay")
    await visitor.press("Add tag", dialog)
    await expect(page.get_by_text("Tagged 4 memories")).to_be_visible()
    await expect(bar).to_have_count(0)
    await visitor.keys("Escape")
    await page.get_by_role("heading", level=1).click()
    await visitor.keys("j", "x", "j", "x")
    await expect(bar).to_contain_text("2 selected")
    await visitor.check_screens("memories-bulk")
    await visitor.press("Delete", bar)
    await expect(_rows(page)).to_have_count(4)
    await visitor.press("Undo", page.get_by_text("Deleted 2 memories").locator(".."))
    await expect(_rows(page)).to_have_count(6)
    stored = [await _read(service, memory) for memory in memories]
    assert sum("relay" in memory["tags"] for memory in stored) == 4
    assert all(memory["deleted_at"] is None for memory in stored)


async def test_the_past_shows_what_was_known_then(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "mem-past"
    await _saved(service, agent, "Caroline lives in Bergen", created_at="2026-01-10T12:00:00Z")
    await _saved(service, agent, "Caroline adopted a dog", created_at="2026-06-10T12:00:00Z")
    await visitor.open("/memories", agent=agent)
    await expect(_rows(page)).to_have_count(2)
    await page.get_by_label("As of", exact=True).fill("2026-03-03")
    await expect(_rows(page)).to_have_count(1)
    await expect(_rows(page)).to_contain_text("Bergen")
    assert "as_of=2026-03-03" in page.url
    await expect(page.get_by_text("As it was at the end of 3 Mar 2026")).to_be_visible()
    await visitor.check_screens("memories-past")
    await visitor.press("Back to now")
    await expect(_rows(page)).to_have_count(2)
    await page.get_by_label("As of", exact=True).fill("2025-12-01")
    await expect(page.get_by_role("heading", name="No matches")).to_be_visible()


async def test_links_are_shown_made_and_removed(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "mem-links"
    cause = await _saved(service, agent, "The pottery kiln broke")
    memory = await _saved(
        service,
        agent,
        "The exhibition was moved",
        links=[{"relation": "about", "entity": {"name": "Melanie", "kind": "person"}}],
    )
    await visitor.open("/memories", agent=agent, memory=memory["id"], tab="links")
    links = page.get_by_role("list", name="Links").get_by_role("listitem")
    await expect(links).to_have_count(1)
    await expect(links).to_contain_text("Melanie")
    await visitor.press("Link", page.get_by_role("article"))
    dialog = page.get_by_role("dialog", name="Link")
    await dialog.get_by_label("Relation").select_option("caused_by")
    await dialog.get_by_label("To memory (id) or entity (name)").fill(cause["id"])
    await visitor.press("Link", dialog)
    await expect(links).to_have_count(2)
    await visitor.press("Remove the link to Melanie")
    await expect(links).to_have_count(1)
    await links.get_by_role("link", name="The pottery kiln broke").click()
    await expect(page.get_by_role("article", name="The pottery kiln broke")).to_be_visible()


async def test_a_source_opens_its_message_in_its_session(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    found = await service.call("GET", "/v1/memories", params={"agent": "ada", "q": "Helix"})
    memory = found.json()["items"][0]
    await visitor.open("/memories", agent="ada", memory=memory["id"], tab="sources")
    source = page.get_by_role("list", name="Sources").get_by_role("listitem").first
    await expect(source).to_contain_text("Helix")
    await source.get_by_role("link").click()
    await visitor.shows("Sessions")
    assert "session=monday" in page.url
    assert "message=" in page.url


async def test_old_memories_are_compacted_into_one_and_come_back(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "mem-compact"
    for number in range(8):
        text = (
            f"On market day {number} the stall by the fountain sold lamps, ropes, apples and rather old maps of the bay"
        )
        await _saved(service, agent, text, type="event", importance=0.1)
    await visitor.open("/memories", agent=agent)
    await expect(_rows(page)).to_have_count(8)
    await visitor.press("More actions")
    await page.get_by_role("menuitem", name="Compact old memories").click()
    dialog = page.get_by_role("dialog", name="Compact old memories")
    await dialog.get_by_label("Older than, days").fill("0")
    await visitor.press("Preview", dialog)
    await expect(dialog.get_by_role("status")).to_contain_text("8 memories of")
    await visitor.press("Compact", dialog)
    await expect(_rows(page)).to_have_count(1)
    await _rows(page).first.click()
    article = page.get_by_role("article")
    await visitor.press("Undo compaction", article)
    await visitor.press("Undo compaction", page.get_by_role("dialog"))
    await expect(_rows(page)).to_have_count(8)


async def test_an_insight_leads_to_the_memories_it_rests_on(visitor: AppPage, service: ServerProcess) -> None:
    page, agent = visitor.page, "mem-insight"
    said = ("I love hiking in Jotunheimen.", "I like hiking in Lofoten.")
    body = {"agent": agent, "user": "Sam", "messages": [{"role": "user", "content": text} for text in said]}
    assert (await service.call("POST", "/v1/sessions/s/messages", json=body)).is_success
    dream = await service.call("POST", f"/v1/agents/{agent}/dream", json={"wait": True}, timeout=600)
    assert dream.json()["status"] == "succeeded", dream.text
    found = await service.call("GET", "/v1/memories", params={"agent": agent, "type": "insight"})
    (insight,) = found.json()["items"]
    await visitor.open("/memories", agent=agent, memory=insight["id"], tab="sources")
    evidence = page.get_by_role("list", name="Evidence").get_by_role("listitem")
    await expect(evidence).to_have_count(2)
    await evidence.filter(has_text="Lofoten").get_by_role("link").click()
    await expect(page.get_by_role("article")).to_contain_text("Lofoten")
    await expect(page.get_by_role("article")).not_to_contain_text("Jotunheimen")
