"""The Studio while Postgres is down: the frame and its pages are there, say so, and recover by themselves."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.databases import migrate_and_seed
from tests.killable import KillablePostgres
from tests.processes import ServerProcess
from tests.studio.app_page import at_the_studio
from tests.studio.browser import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_pages_are_shown_without_the_database_and_recover(
    opened: Chromium, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("away")
    postgres = await asyncio.to_thread(KillablePostgres, folder / "postgres")
    server = ServerProcess(postgres.url, folder / "server.log", EMBEDDING_MODEL="none")
    try:
        await asyncio.to_thread(migrate_and_seed, postgres.url)
        await server.start()
        body = {"agent": "ada", "type": "fact", "content": "The lamp is green"}
        assert (await server.call("POST", "/v1/memories", json=body)).is_success
        async with at_the_studio(opened, f"http://127.0.0.1:{server.port}") as visitor:
            await visitor.open()
            await visitor.sign_in()
            await asyncio.to_thread(postgres.kill)
            await visitor.open("/engine")
            await visitor.shows("Engine")
            lost = visitor.page.get_by_role("alert").filter(has_text="The database cannot be reached")
            await expect(lost).to_be_visible()
            await expect(visitor.page.get_by_role("region", name="Database")).to_contain_text("fails")
            await expect(visitor.page.get_by_role("region", name="Embedder")).to_be_visible()
            await visitor.open("/memories", agent="ada")
            await visitor.shows("Memories")
            await expect(visitor.page.get_by_text("Reverie does not answer. What you see")).to_be_visible()
            await asyncio.to_thread(postgres.start)
            await expect(visitor.page.get_by_text("The lamp is green").first).to_be_visible()
            await visitor.open("/engine")
            await expect(visitor.page.get_by_role("region", name="Search index")).to_be_visible()
            await asyncio.to_thread(postgres.kill)
            await expect(lost).to_contain_text("What is shown below may be out of date")
            await asyncio.to_thread(postgres.start)
            await expect(lost).to_have_count(0)
    finally:
        await server.close()
        await asyncio.to_thread(postgres.close)
