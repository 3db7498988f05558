"""Every other page of the Studio: each button pressed, against real processes and a real dream."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.async_api import Locator, Page, expect

from tests.live_api import ADMIN_KEY
from tests.processes import ServerProcess
from tests.studio.browser import PRESSED_MS, PRESSES, Chromium, StudioPage, visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")

WHERE_DRAWN = """
() => {
  const box = document.querySelector('.chart');
  const chart = box && getElement(box.id.slice(1))?.chart;
  if (!chart) return [];  // it is being drawn anew
  box.scrollIntoView({block: 'nearest'});
  const series = chart.getModel().getSeriesByIndex(0);
  const nodes = series.getData();
  const corner = box.getBoundingClientRect();
  return nodes.mapArray('value', (value, index) => {
    const [x, y] = series.coordinateSystem.dataToPoint(nodes.getItemLayout(index));
    return [nodes.getName(index), value, Math.round(corner.x + x), Math.round(corner.y + y)];
  });
}
"""
PANEL = frozenset({"Edit", "Delete", "About", "History", "Sources", "Mark as done", "Undo the fold"})
"""Buttons of an open memory: each is pressed where it is opened from the list of memories."""


async def test_the_playground_explains_its_results(visitor: StudioPage) -> None:
    page = visitor.page
    await visitor.go("Playground")
    await visitor.photograph("playground-whose")
    async with page.expect_navigation():
        await visitor.press("ben")
    await visitor.look_at("ada")
    await visitor.expect_notification("Type a question")
    await page.get_by_label("What would you like to know?").fill("what did we decide about pricing?")
    results = page.locator(".result")
    await expect(results.first).to_contain_text("tiered pricing")
    await expect(results.first.locator(".bars").first).to_be_visible()
    for shown in ("tier: exact", "embedder: static:", "store: pgvector:halfvec", re.compile(r"cache: \d hits? of 1")):
        await expect(page.get_by_text(shown)).to_be_visible()
    await visitor.photograph("playground")
    everything = await results.count()
    await page.get_by_label("At most").fill("2")
    await expect(results).to_have_count(2)
    await page.get_by_label("At most").fill("10")
    await page.get_by_label("Token budget").fill("10")
    await expect(results).not_to_have_count(everything)
    await page.get_by_label("Token budget").fill("16001")
    await visitor.expect_notification(re.compile("max_tokens"))
    await page.get_by_label("Token budget").fill("2000")
    await visitor.choose("Strategy", "Words only")
    await expect(results.first.get_by_text("meaning: not in the list")).to_be_visible()
    await visitor.choose("Strategy", "Words and meaning")
    await visitor.choose("Fusion", "Reciprocal ranks")
    await visitor.choose("Look in", "Messages")
    await page.keyboard.press("Escape")
    await visitor.expect_notification(re.compile("message in "))
    await page.get_by_text("Faded memories too").click()
    await visitor.choose("Types", "decision")
    await page.keyboard.press("Escape")
    await expect(results.filter(has_text="message in ")).to_have_count(0)
    await visitor.open(results.get_by_role("button", name="Open").first)
    await visitor.close("Close")
    visitor.has_pressed("/studio/playground", "playground", but=PANEL)


async def test_dreams_are_read_run_and_undone(visitor: StudioPage, service: ServerProcess) -> None:
    page, rows = visitor.page, visitor.page.locator(".rows .item")
    await page.goto(f"{visitor.base}/studio/dreams?agent=ada")
    await expect(rows).to_have_count(2)
    await visitor.press_until(rows.last, page.locator(".change").filter(has_text="Created").first)
    await visitor.press_until(rows.first, page.locator(".change").filter(has_text="Superseded").first)
    await visitor.photograph("dreams")
    await visitor.open(page.locator(".change").get_by_role("button", name="Open").first)
    await page.get_by_role("tab", name="Sources").click()
    await expect(visitor.dialog().get_by_role("link", name="monday")).to_be_visible()
    await visitor.close("Close")

    await visitor.press_until(rows.last, page.locator(".change").filter(has_text="Superseded"), 0)
    await visitor.open("Undo this dream")
    await visitor.close("Cancel")
    await visitor.open("Undo this dream")
    await visitor.press("Undo", visitor.dialog())
    await visitor.expect_notification("This dream cannot be undone")
    await visitor.photograph("dream-refusal")
    await visitor.dialog().locator(".choice").first.click()
    await visitor.press("Close", visitor.dialog())
    await expect(page.get_by_role("dialog")).to_have_count(1)
    await visitor.close("Understood")

    turns = [{"role": "user", "content": "I really love hiking in Jotunheimen. My favourite tea is Darjeeling."}]
    await service.call("POST", "/v1/sessions/hike/messages", json={"agent": "ada", "user": "Maya", "messages": turns})
    await visitor.look_at("All agents")
    await visitor.open("Dry run")
    await visitor.close("Cancel")
    await visitor.open("Dry run")
    await visitor.press("ada", visitor.dialog())
    await visitor.expect_notification("What it would change")
    await visitor.look_at("ada")
    await visitor.press("Dream now")
    await visitor.expect_notification(re.compile("^Dreamed: 1 message read"))
    await expect(page.locator(".change").filter(has_text="Darjeeling").first).to_be_visible()
    await visitor.photograph("dream-done")
    await visitor.open("Undo this dream")
    await visitor.press("Undo", visitor.dialog())
    await visitor.expect_notification("Undone. The messages are due again.")
    found = (await service.call("GET", "/v1/memories", params={"agent": "ada", "q": "Darjeeling"})).json()
    assert found["items"] == []

    for _ in range(20):
        last = await service.call("POST", "/v1/agents/ada/dream", json={"dry_run": True, "wait": True})
    await expect(page.locator(f"[data-key='{last.json()['id']}']").get_by_text("dry run", exact=True)).to_be_visible()
    await visitor.press("Earlier dreams")
    await expect(rows.nth(20)).to_be_visible()
    visitor.has_pressed("/studio/dreams", "dreams", but=PANEL | {"Show more"})


async def test_the_graph_is_drawn_and_walked(visitor: StudioPage) -> None:
    page = visitor.page
    await visitor.go("Graph")
    await expect(page.locator(".chart svg")).to_be_visible()
    await where_drawn(page)
    await visitor.photograph("graph")
    await page.get_by_label("Find an entity").fill("project apollo")
    await expect(page.locator(".entities .item")).to_have_count(2)  # the agent's, and the team's
    await visitor.press_until(page.locator(".entities .item").first, page.locator(".step"), 2)
    labels = page.locator(".chart svg text").filter(has_text=re.compile("Maya|Tigran|Northwind"))
    await labels.first.wait_for()
    await visitor.choose("How far", "One step")
    await visitor.press_until(page.locator(".step").first, page.locator(".step"))
    await page.get_by_label("Find an entity").fill("nobody at all")
    await visitor.expect_notification("Nobody of that name")
    await visitor.open(page.locator(".card.flush .item").last)
    await visitor.close("Close")
    await what_is_drawn_is_clicked(visitor)
    visitor.has_pressed("/studio/graph", "graph", but=PANEL | {"More entities"})


async def what_is_drawn_is_clicked(visitor: StudioPage) -> None:
    page = visitor.page
    beside = page.locator(".beside > .column-of > .card .item .text")
    await page.get_by_label("Find an entity").fill("northwind")
    await visitor.press_until(page.locator(".entities .item"), page.locator(".step").last.filter(has_text="Northwind"))
    await visitor.choose("How far", "Two steps")
    before = await beside.all_inner_texts()
    await click_drawn(visitor, 1, lambda name: page.locator(".step").last.filter(has_text=name))
    await expect(beside).not_to_have_text(before)
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await click_drawn(visitor, 0, lambda _: visitor.dialog().get_by_role("tab", name="About"))
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def click_drawn(visitor: StudioPage, value: int, shown: Callable[[str], Locator]) -> None:
    """Click circles of this value, but not Northwind's, until one shows what its name stands for.

    The one with most room around it comes first: a circle may lie under another one, or still move.
    """
    clicked: set[str] = {"Northwind"}
    for _ in range(PRESSES):
        drawn = await where_drawn(visitor.page)
        rooms = {
            name: sorted(math.dist(place, other) for other in drawn.values())[1]
            for (name, kind), place in drawn.items()
            if kind == value and name not in clicked
        }
        name = max(rooms, key=lambda one: rooms[one])
        clicked.add(name)
        await visitor.page.mouse.click(*drawn[name, value])
        with suppress(AssertionError):
            await expect(shown(name)).to_be_visible(timeout=PRESSED_MS)
            return
        await visitor.page.keyboard.press("Escape")
    raise AssertionError(f"none of {clicked} takes a click")


async def where_drawn(page: Page) -> dict[tuple[str, int], tuple[float, float]]:
    """The middle of each drawn circle in the window, by its name and value (1: an entity, 0: a memory), at rest."""
    seen: list[list[object]] = []
    while True:
        found: list[list[object]] = await page.evaluate(WHERE_DRAWN)
        if found and found == seen:
            return {(str(name), int(str(value))): (float(str(x)), float(str(y))) for name, value, x, y in found}
        seen = found
        await page.wait_for_timeout(300)


async def test_bulletins_are_compared(visitor: StudioPage, service: ServerProcess) -> None:
    page, rows = visitor.page, visitor.page.locator(".rows .item")
    await visitor.look_at("ada")
    await visitor.go("Bulletins")
    await expect(rows.first).to_be_visible()
    before = await rows.count()
    await visitor.press("Write it anew")
    await visitor.expect_notification(re.compile("Nothing has changed since|is written"))
    await service.call(
        "POST", "/v1/memories", json={"agent": "ada", "type": "goal", "content": "Learn to bake rye bread"}
    )
    await visitor.press("Write it anew")
    await expect(rows).not_to_have_count(before)
    await expect(page.locator("ins").first).to_be_visible()
    await visitor.photograph("bulletins")
    await visitor.choose("Compared with", "Nothing, as it stands")
    await expect(page.locator("ins")).to_have_count(0)
    await visitor.press_until(rows.last, page.get_by_role("heading", name="Version 1", exact=True))
    visitor.has_pressed("/studio/bulletins", "bulletins")


async def test_sessions_show_what_became_of_what_was_said(visitor: StudioPage, service: ServerProcess) -> None:
    page, rows = visitor.page, visitor.page.locator(".rows .item")
    await visitor.go("Sessions")
    await visitor.press_until(rows.filter(has_text="monday"), page.get_by_role("heading", name="monday", exact=True))
    await expect(page.locator(".said.in-window")).not_to_have_count(0)
    became = page.locator(".became-one").filter(has_text="Helix")
    await expect(became).to_be_visible()
    await visitor.photograph("sessions")
    await visitor.open(became)
    await visitor.close("Close")
    turns = [{"role": "user", "content": f"Line {n} of many"} for n in range(60)]
    await service.call("POST", "/v1/sessions/marathon/messages", json={"agent": "ben", "messages": turns})
    heading = page.get_by_role("heading", name="marathon", exact=True)
    await visitor.press_until(rows.filter(has_text="marathon"), heading)
    await visitor.press("Earlier messages")
    await expect(page.locator(".said")).to_have_count(60)
    for doing, deed, done in (
        ("Fold the older half", "Fold", "Before the window"),
        ("Clear the window", "Clear", re.compile("The window is empty")),
    ):
        await visitor.open(doing)
        await visitor.close("Cancel")
        await visitor.open(doing)
        await visitor.press(deed, visitor.dialog())
        await visitor.expect_notification(done)

    for n in range(50):
        await service.call("POST", "/v1/sessions", json={"agent": "ben", "session": f"short {n}"})
    await expect(rows.filter(has_text="short 49")).to_be_visible()
    await visitor.press("Older sessions")
    await expect(rows.nth(50)).to_be_visible()
    visitor.has_pressed("/studio/sessions", "sessions", but=PANEL)


async def test_the_engine_is_watched_and_set(visitor: StudioPage, service: ServerProcess) -> None:
    page = visitor.page
    await visitor.go("Engine")
    await visitor.expect_notification("Everything works.")
    await expect(visitor.page.get_by_text(re.compile(r"[\d,]+ hits?, [\d,]+ miss(es)?, [\d,]+ kept"))).to_be_visible()
    await visitor.photograph("engine")
    await visitor.press("Try it")
    await visitor.expect_notification(re.compile("^It works: "))
    await visitor.press("Embed what is pending")
    await visitor.expect_notification(re.compile("^Started: |^There is nothing to do"))
    await visitor.open("Embed everything anew")
    await visitor.close("Cancel")
    await visitor.open("Embed everything anew")
    await visitor.press("Embed everything", visitor.dialog())
    await visitor.expect_notification(re.compile("^Started: "))
    await visitor.expect_notification(re.compile("Last asked for"))
    await page.get_by_role("tab", name="Health").click()

    await page.get_by_role("tab", name="Settings").click()
    await page.get_by_role("button", name='Expand "Window"').click()
    await page.get_by_label("Trim to").fill("0")
    await visitor.press_until_said("Save", re.compile("^Not saved: look at trim to"))
    await page.get_by_label("Trim to").fill("50")
    await visitor.press_until_said("Save", re.compile("trim_to must be less than messages_max"))
    await visitor.photograph("settings")
    await visitor.press("Put back")
    await expect(page.get_by_label("Trim to")).to_have_value("10")
    await page.get_by_label("Trim to").fill("12")
    await visitor.press_until_said("Save", re.compile("^Saved. In effect"))
    assert (await service.call("GET", "/v1/settings")).json()["window"]["trim_to"] == 12
    await page.get_by_role("button", name='Expand "Models of steps"').click()
    await page.get_by_label("Ask").fill("off")
    await visitor.press_until_said("Save", re.compile("^Not saved: look at ask"))
    await page.get_by_label("Ask").fill('{"model": "off"}')
    await visitor.press_until_said("Save", re.compile("^Saved. In effect"))
    assert (await service.call("GET", "/v1/settings")).json()["llm"]["ask"]["model"] == "off"
    await keys_are_made_and_revoked(visitor, service)
    visitor.has_pressed("/studio/engine", "engine", "keys", "settings_form")


async def keys_are_made_and_revoked(visitor: StudioPage, service: ServerProcess) -> None:
    page = visitor.page
    await page.get_by_role("tab", name="Keys").click()
    await visitor.press("Make a key")
    await visitor.press("Make it", visitor.dialog())
    await visitor.expect_notification(re.compile("^Say what it is for"))
    await visitor.close("Cancel")
    await visitor.press("Make a key")
    await page.get_by_label("What it is for").fill("the night shift")
    await visitor.choose("Role", "Reader: sees everything, changes nothing", visitor.dialog())
    await visitor.press("Make it", visitor.dialog())
    await visitor.expect_notification("This is the only time it is shown")
    key = await page.locator("pre.once").inner_text()
    await visitor.press("Copy", visitor.dialog())
    await visitor.expect_notification("Copied.")
    await visitor.close("I have it")
    await visitor.photograph("keys")
    row = page.locator(".split").filter(has_text="the night shift")
    await visitor.press("New secret", row)
    await visitor.close("Cancel")
    await visitor.press("New secret", row)
    await visitor.press("Give it a new secret", visitor.dialog())
    await expect(page.locator("pre.once")).not_to_have_text(key)
    second = await page.locator("pre.once").inner_text()
    await visitor.close("I have it")
    for text, status in ((key, 401), (second, 200), (ADMIN_KEY, 200)):
        answer = await service.call("GET", "/v1/whoami", headers={"Authorization": f"Bearer {text}"})
        assert answer.status_code == status
    await visitor.press("Revoke", row)
    await visitor.press("Revoke", visitor.dialog())
    await visitor.expect_notification("Revoked.")
    await expect(row.get_by_text("revoked", exact=True)).to_be_visible()


async def test_the_engine_page_of_another_key_tells_nothing_of_the_installation(
    service: ServerProcess, opened: Chromium
) -> None:
    agent = (await service.call("POST", "/v1/keys", json={"role": "agent", "agent": "ada", "name": "ada"})).json()
    async with visiting(opened, f"http://127.0.0.1:{service.port}") as visitor:
        await visitor.sign_in(agent["key"])
        await visitor.go("Engine")
        await visitor.expect_notification("are shown to admin keys of the default workspace")
        await expect(visitor.page.get_by_role("heading", name="Database")).to_be_visible()
        for heading in ("Workers", "Embedding"):
            await expect(visitor.page.get_by_role("heading", name=heading, exact=True)).to_have_count(0)
        await expect(visitor.page.locator("code")).to_have_text(["static"])
