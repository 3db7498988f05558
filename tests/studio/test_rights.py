"""What a key may not do has no button, and what it may not see is on no page."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.processes import ServerProcess
from tests.studio.app_page import AppPage, at_the_studio
from tests.studio.browser import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def _key(service: ServerProcess, **body: str) -> str:
    key: str = (await service.call("POST", "/v1/keys", json=body)).json()["key"]
    return key


async def _buttons(visitor: AppPage, path: str, title: str, shown: str, **query: str) -> set[str]:
    await visitor.open(path, **query)
    await visitor.shows(title)
    await expect(visitor.page.get_by_role("main").get_by_text(shown, exact=True).first).to_be_visible()
    return set(await visitor.page.get_by_role("main").get_by_role("button").all_inner_texts())


async def test_a_reader_has_no_button_that_changes_anything(
    visitor: AppPage, service: ServerProcess, opened: Chromium
) -> None:
    memory = (await service.call("GET", "/v1/memories", params={"agent": "ada"})).json()["items"][0]
    places = (
        ("/memories", "Memories", "History", {"memory": memory["id"]}),
        ("/dreams", "Dreams", "Choose a dream", {}),
    )
    changes = re.compile(r"add memory|edit|delete|pin|dream now|dry run|undo", re.IGNORECASE)

    async def changing(somebody: AppPage, path: str, title: str, shown: str, query: dict[str, str]) -> set[str]:
        return {
            name for name in await _buttons(somebody, path, title, shown, agent="ada", **query) if changes.search(name)
        }

    key = await _key(service, role="reader", name="auditor")
    async with at_the_studio(opened, visitor.base) as reader:
        await reader.open()
        await reader.sign_in(key)
        for path, title, shown, query in places:
            assert await changing(visitor, path, title, shown, query), path
            assert not await changing(reader, path, title, shown, query), path


async def test_the_engine_of_an_agents_key_says_nothing_of_the_installation(
    visitor: AppPage, service: ServerProcess, opened: Chromium
) -> None:
    key = await _key(service, role="agent", agent="ada", name="ada herself")
    async with at_the_studio(opened, visitor.base) as agent:
        await agent.open("/engine")
        await agent.sign_in(key, "Engine")
        await expect(agent.page.get_by_role("region", name="Database")).to_be_visible()
        for name in ("Workers", "Dead letters"):
            await expect(agent.page.get_by_role("region", name=name)).to_have_count(0)
        assert {"Keys", "Webhooks"}.isdisjoint(await agent.page.get_by_role("tab").all_inner_texts())
