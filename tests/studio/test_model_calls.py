"""What a model was asked and answered, from the switch to the texts of one call of a dream."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.fakes.openai_server import FakeOpenAI
from tests.processes import ServerProcess
from tests.studio.app_page import at_the_studio
from tests.studio.browser import Chromium
from tests.studio.conftest import Start
from tests.worker.dreaming import note_everything

pytestmark = pytest.mark.asyncio(loop_scope="package")

SAID = "Mira keeps <img src=x onerror=alert(1)> bees in Piran."


@pytest.fixture
def model() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        server.default_reply = note_everything
        yield server


@pytest_asyncio.fixture(loop_scope="package")
async def service_with_model(start: Start, model: FakeOpenAI) -> AsyncIterator[ServerProcess]:
    chosen = {"LLM_MODEL": "openai/gpt-4o-mini", "LLM_API_BASE": model.base_url, "LLM_API_KEY": "none"}
    async with start(**chosen) as server:
        yield server


async def test_the_calls_of_a_dream_are_switched_on_found_and_read(
    service_with_model: ServerProcess, opened: Chromium
) -> None:
    service = service_with_model
    async with at_the_studio(opened, f"http://127.0.0.1:{service.port}") as visitor:
        page = visitor.page
        await visitor.open("/engine", tab="model-calls")
        await visitor.sign_in(title="Engine")
        await expect(page.get_by_text("Calls are not kept")).to_be_visible()
        await page.get_by_role("link", name="Open the setting").click()
        await page.get_by_role("textbox", name="Model calls, days").fill("7")
        await visitor.press("Save")
        await expect(page.get_by_text("Saved. In effect from the next call.")).to_be_visible()

        said = {"agent": "mira", "user": "mira", "messages": [{"role": "user", "content": SAID}]}
        assert (await service.call("POST", "/v1/sessions/s/messages", json=said)).is_success
        dreamed = await service.call("POST", "/v1/agents/mira/dream", json={"wait": True}, timeout=600)
        await visitor.open("/dreams", agent="mira", dream=dreamed.json()["id"])
        await page.get_by_role("link", name="Input and output of each call").click()
        calls = page.get_by_role("region", name="Model calls")
        await expect(calls.get_by_role("link", name="Extract by openai/gpt-4o-mini")).to_be_visible()
        await page.get_by_label("Outcome").select_option("refused")
        await expect(page.get_by_text("No calls")).to_be_visible()
        await visitor.open("/engine", tab="model-calls", agent="mira", purpose="extract")
        await visitor.check_screens("engine-model-calls")
        await calls.get_by_role("link", name="Extract by openai/gpt-4o-mini").click()
        call = page.get_by_role("dialog", name="Model call")
        await expect(call.get_by_role("region", name="Input")).to_contain_text("bees in Piran")
        await expect(call.get_by_role("region", name="Output")).to_contain_text("bees in Piran")
        await expect(call.get_by_text("answered", exact=True)).to_be_visible()
        await page.reload()
        await expect(call.get_by_role("link", name="Open the dream")).to_be_visible()
        await visitor.check_screens("engine-model-call")
        await page.keyboard.press("Escape")
        await expect(call).to_have_count(0)
        await visitor.open("/engine", tab="model-calls", call="01890000-0000-7000-8000-00000000dead")
        await expect(page.get_by_text("No such call")).to_be_visible()
