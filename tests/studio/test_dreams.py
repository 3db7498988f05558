"""The page Dreams, by labels and keys: what a dream changed and why, taking it back, asking for one, watching one."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.fakes.openai_server import FakeOpenAI
from tests.processes import ServerProcess
from tests.studio.app_page import AppPage, at_the_studio
from tests.studio.browser import Chromium
from tests.studio.conftest import Start
from tests.tuning import tuning
from tests.worker.dreaming import note_everything

pytestmark = pytest.mark.asyncio(loop_scope="package")

NOBODY = "00000000-0000-0000-0000-000000000000"
TURNS = 200
"""Five calls of the model read so many, four of them at the same time."""


async def say(service: ServerProcess, agent: str, *contents: str, session: str = "s") -> None:
    turns = [{"role": "user", "content": content} for content in contents]
    body = {"agent": agent, "user": "Caroline", "messages": turns}
    assert (await service.call("POST", f"/v1/sessions/{session}/messages", json=body)).is_success


async def dreamed(service: ServerProcess, agent: str) -> str:
    answer = await service.call("POST", f"/v1/agents/{agent}/dream", json={"wait": True}, timeout=600)
    assert answer.json()["status"] == "succeeded", answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def contents(service: ServerProcess, agent: str) -> set[str]:
    answer = await service.call("GET", "/v1/memories", params={"agent": agent, "limit": 200})
    return {one["content"] for one in answer.json()["items"] if one["type"] != "insight"}


async def test_what_a_dream_changed_is_seen_with_its_evidence_and_undone(
    visitor: AppPage, service: ServerProcess
) -> None:
    await say(service, "night", "I moved from Sweden four years ago.", "I love pottery.", "I have a dog named Oscar.")
    await dreamed(service, "night")
    page = visitor.page
    await visitor.open("/dreams", agent="night")
    await expect(page.get_by_role("list", name="Dreams").get_by_role("link")).to_have_count(1)
    await visitor.keys("j", "Enter")
    article = page.get_by_role("article", name="Dreams")
    await expect(article.get_by_role("heading", name="What it changed")).to_be_visible()
    created = article.get_by_role("region", name="Created")
    oscar = created.get_by_role("listitem").filter(has_text="Oscar").first
    await visitor.press("Evidence", oscar)
    await expect(oscar.get_by_text("I have a dog named Oscar.", exact=True)).to_be_visible()
    await expect(article).to_contain_text("belongs to Caroline")
    await visitor.check_screens("dreams")
    before = await contents(service, "night")
    await visitor.press("Undo this change", oscar)
    await expect(oscar.get_by_text("undone", exact=True)).to_be_visible()
    assert {one for one in before if "Oscar" not in one} == await contents(service, "night")
    await visitor.press(re.compile("^Created "), article)
    assert "action=created" in page.url
    await expect(article.get_by_role("region", name="Linked")).to_have_count(0)

    await visitor.press("Undo this dream", article)
    await visitor.press("Undo this dream", page.get_by_role("dialog"))
    await expect(page.get_by_text("This dream was undone.")).to_be_visible()


async def test_an_undone_dream_says_so_and_what_stands_in_the_way_is_named(
    visitor: AppPage, service: ServerProcess
) -> None:
    page = visitor.page
    await say(service, "undoer", "I live in Oslo.", "I adore fondue.")
    first = await dreamed(service, "undoer")
    await say(service, "undoer", "I live in Bergen now.", session="later")
    second = await dreamed(service, "undoer")
    dialog = page.get_by_role("dialog")
    await visitor.open("/dreams", dream=first)
    await visitor.press("Undo this dream")
    await visitor.press("Undo this dream", dialog)
    refused = page.get_by_role("dialog", name="This cannot be undone")
    await expect(refused.get_by_role("link").filter(has_text="Oslo")).to_be_visible()
    await visitor.check_screens("dreams-refused")
    await visitor.keys("Escape")
    for dream in (second, first):
        await visitor.open("/dreams", dream=dream)
        await visitor.press("Undo this dream")
        await visitor.press("Undo this dream", dialog)
        await expect(page.get_by_role("heading", name="What it had changed")).to_be_visible()
        await expect(page.get_by_text("This dream was undone.")).to_be_visible()
        await expect(page.get_by_role("article").get_by_role("link", name="Open", exact=True)).to_have_count(0)
    assert await contents(service, "undoer") == set()


async def test_every_change_of_a_long_dream_is_reached(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    for part in range(3):
        turns = [f"My friend number {part * 80 + n} lives in Town{part * 80 + n}." for n in range(80)]
        await say(service, "many", *turns, session=f"p{part}")
    dream = await dreamed(service, "many")
    answer = (await service.call("GET", f"/v1/dreams/{dream}/changes", params={"limit": 1})).json()
    op, total = max(answer["totals"].items(), key=lambda one: one[1])
    assert total > 200, answer["totals"]
    await visitor.open("/dreams", dream=dream, action=op)
    rows = page.get_by_role("article").get_by_role("region").get_by_role("region").get_by_role("listitem")
    more = page.get_by_role("button", name=re.compile("^Load more"))
    await expect(rows).to_have_count(100)
    for shown in range(200, total + 100, 100):
        await more.click()
        await expect(rows).to_have_count(min(shown, total))
    await expect(more).to_have_count(0)


async def test_a_dream_is_asked_for_once_and_a_dry_run_writes_nothing(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    await say(service, "asker", "I collect stamps.")
    await visitor.open("/dreams")
    await visitor.press("Dry run")
    dialog = page.get_by_role("dialog", name="Which agent should dream?")
    await dialog.get_by_label("Agent").select_option("asker")
    await visitor.press("Dry run", dialog)
    await expect(page.get_by_role("heading", name="What it would change")).to_be_visible()
    await expect(page.get_by_role("region", name="Created").get_by_text("stamps").first).to_be_visible()
    assert await contents(service, "asker") == set()
    await visitor.choose_agent("asker")
    await page.get_by_role("button", name="Dream now").dblclick()
    await expect(page.get_by_role("heading", name="What it changed")).to_be_visible()
    listed = (await service.call("GET", "/v1/dreams", params={"agent": "asker"})).json()["items"]
    assert [one["status"] for one in listed] == ["succeeded", "dry_run"]
    await page.get_by_label("Status").select_option("dry run")
    await expect(page.get_by_role("list", name="Dreams").get_by_role("link")).to_have_count(1)
    assert "status=dry_run" in page.url


async def test_an_unknown_dream_is_told(visitor: AppPage) -> None:
    await visitor.open("/dreams", dream=NOBODY)
    await expect(visitor.page.get_by_role("heading", name="No such dream")).to_be_visible()


@pytest.fixture
def model() -> Iterator[FakeOpenAI]:
    """A language model that waits to be let go."""
    with FakeOpenAI() as server:
        server.default_reply = note_everything
        server.hold()
        yield server


@pytest_asyncio.fixture(loop_scope="package")
async def slow_service(start: Start, model: FakeOpenAI) -> AsyncIterator[ServerProcess]:
    """A service that dreams by it."""
    slow = {
        "LLM_MODEL": "openai/gpt-4o-mini", "LLM_API_BASE": model.base_url, "LLM_API_KEY": "none",
        "REVERIE_TUNING": tuning(llm_timeout_s=300, poll_s=0.2),
    }  # fmt: skip
    async with start(**slow) as server:
        yield server


async def test_a_dream_is_watched_and_stopped(slow_service: ServerProcess, opened: Chromium, model: FakeOpenAI) -> None:
    unfolded = {"window": {"messages_max": 1000}}
    assert (await slow_service.call("PUT", "/v1/settings", json=unfolded)).is_success
    await say(slow_service, "eve", *(f"Crate {n} stands in hall {n % 7}." for n in range(TURNS)))
    async with at_the_studio(opened, f"http://127.0.0.1:{slow_service.port}") as visitor:
        page = visitor.page
        await visitor.open("/dreams", agent="eve")
        await visitor.sign_in(title="Dreams")
        await visitor.press("Dream now")
        live = page.get_by_role("region", name="In progress")
        await expect(live.get_by_role("progressbar", name="Messages read")).to_be_visible()
        model.let_go(1)
        await expect(live.get_by_text(f"40 of {TURNS} messages read", exact=True)).to_be_visible()
        await expect(live.get_by_text(re.compile(r"[1-9]\d* candidates so far · .* tokens"))).to_be_visible()
        newest = live.get_by_role("list", name="Newest candidates").get_by_role("listitem")
        await expect(newest).to_have_count(20)
        await expect(newest.first).to_contain_text(re.compile(r"Caroline said: Crate \d+ stands in hall \d"))
        await visitor.check_screens("dreams-live")
        await newest.nth(2).hover()
        texts, place = await newest.all_text_contents(), await newest.nth(2).bounding_box()
        model.let_go(1)
        await expect(live.get_by_text(f"80 of {TURNS} messages read", exact=True)).to_be_visible()
        assert (await newest.all_text_contents(), await newest.nth(2).bounding_box()) == (texts, place)
        await visitor.press("20 new", live)
        assert not set(texts) & set(await newest.all_text_contents())
        await page.reload()
        await expect(live.get_by_text(f"80 of {TURNS} messages read", exact=True)).to_be_visible()
        await visitor.press("Stop", live)
        await visitor.press("Stop", page.get_by_role("dialog"))
        await expect(page.get_by_text("It failed: ")).to_be_visible()
        model.let_go()
        assert await contents(slow_service, "eve") == set()
