"""A dream watched while a slow model dreams it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.fakes.openai_server import FakeOpenAI
from tests.processes import ServerProcess
from tests.studio.browser import Chromium, visiting
from tests.studio.conftest import Start
from tests.worker.dreaming import note_everything

pytestmark = pytest.mark.asyncio(loop_scope="package")

TURNS = 200
"""Five calls of the model read so many, four of them at the same time."""
TOLD_MS = 1_200
"""A dream tells how far it is once a second."""


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
        "LLM_MODEL": "openai/gpt-4o-mini",
        "LLM_API_BASE": model.base_url,
        "LLM_API_KEY": "none",
        "LLM_TIMEOUT_S": "300",
    }
    async with start(**slow) as server:
        yield server


async def test_a_dream_shows_how_far_it_has_read(
    slow_service: ServerProcess, opened: Chromium, model: FakeOpenAI
) -> None:
    unfolded = {"window": {"messages_max": 1000}}
    assert (await slow_service.call("PUT", "/v1/settings", json=unfolded)).is_success
    turns = [{"role": "user", "content": f"Crate {n} stands in hall {n % 7}."} for n in range(TURNS)]
    said = await slow_service.call("POST", "/v1/sessions/s/messages", json={"agent": "ada", "messages": turns})
    assert said.is_success, said.text
    async with visiting(opened, f"http://127.0.0.1:{slow_service.port}") as visitor:
        page = visitor.page
        await visitor.sign_in()
        await visitor.look_at("ada")
        await visitor.go("Dreams")
        await visitor.press("Dream now")
        bar = page.get_by_role("progressbar", name="Read so far")
        await expect(bar).to_be_visible()
        await visitor.expect_notification(re.compile(r"^ada: dreaming, \d+ s\.$"))
        for read in (40, 80):
            model.let_go(1)
            await visitor.expect_notification(re.compile(rf"^ada: dreaming: {read} of {TURNS} messages read, \d+ s\.$"))
            await expect(bar).to_have_attribute("aria-valuenow", str(read / TURNS))
            await page.wait_for_timeout(TOLD_MS)
        await visitor.photograph("dream-progress")
        await page.reload()
        await visitor.expect_notification(re.compile(rf"^ada: dreaming: 80 of {TURNS} messages read"))
        model.let_go()
        await visitor.expect_notification(re.compile(f"^Dreamed: {TURNS} messages read, "))
        await expect(bar).to_have_count(0)
