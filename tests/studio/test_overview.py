"""The page Overview: what was learned since yesterday, what needs attention, charts; first steps in an empty one."""

from __future__ import annotations

import asyncio
import re
import shlex

import pytest
from playwright.async_api import expect

from tests.live_api import ADMIN_KEY
from tests.processes import ServerProcess
from tests.studio.app_page import AppPage, at_the_studio
from tests.studio.browser import Chromium
from tests.studio.conftest import Start

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_a_morning(visitor: AppPage, service: ServerProcess) -> None:
    page = visitor.page
    turns = [{"role": "user", "content": content} for content in ("I adopted a cat named Bailey.", "I love sunsets.")]
    body = {"agent": "morning", "user": "Caroline", "messages": turns}
    assert (await service.call("POST", "/v1/sessions/s/messages", json=body)).is_success
    dream = (await service.call("POST", "/v1/agents/morning/dream", json={"wait": True}, timeout=600)).json()
    assert dream["status"] == "succeeded", dream
    await visitor.open("/")
    learned = page.get_by_role("article", name="morning")
    await expect(learned.get_by_text("Bailey").first).to_be_visible()
    charts = page.get_by_role("region", name="Over time").get_by_role("img")
    await expect(charts).to_have_count(6)
    await expect(page.get_by_role("img", name=re.compile(r"^Memories by day: [\d,]+ created"))).to_be_visible()
    await visitor.check_screens("overview")
    await page.get_by_label("Period", exact=True).select_option("7 days")
    assert "days=7" in page.url
    memories = page.get_by_role("figure", name=re.compile("Memories by day"))
    await visitor.press("Show as table", memories)
    await expect(memories.get_by_role("row")).to_have_count(8)
    await visitor.press("Undo this dream", learned)
    await visitor.press("Undo this dream", page.get_by_role("dialog"))
    await expect(learned.get_by_text("undone", exact=True)).to_be_visible()
    answer = await service.call("GET", "/v1/memories", params={"agent": "morning"})
    assert answer.json()["items"] == []


async def test_first_steps_work_as_they_are(start: Start, opened: Chromium) -> None:
    async with start() as server, at_the_studio(opened, f"http://127.0.0.1:{server.port}") as visitor:
        page = visitor.page
        await visitor.open("/")
        await visitor.sign_in()
        steps = page.get_by_role("region", name="First steps")
        await expect(steps.get_by_role("listitem")).to_have_count(5)
        await visitor.check_screens("overview-first-steps")
        for command in (await steps.locator("pre").all_inner_texts())[1:]:
            assert f"http://127.0.0.1:{server.port}/v1/" in command
            words = [word for word in shlex.split(command.replace("$REVERIE_API_KEY", ADMIN_KEY)) if word.strip()]
            done = await asyncio.create_subprocess_exec(*words, "-sS", "--fail", stdout=asyncio.subprocess.PIPE)
            said, _ = await done.communicate()
            assert done.returncode == 0, (command, said)
        await page.reload()
        await expect(page.get_by_role("article", name="ada")).to_be_visible()
