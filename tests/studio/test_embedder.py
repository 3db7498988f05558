"""A failing embedder is told of on every page, and a change of the model that waits is started on the page Engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.fakes.openai_server import FakeOpenAI
from tests.processes import ServerProcess
from tests.studio.app_page import at_the_studio
from tests.studio.browser import Chromium
from tests.studio.conftest import Start
from tests.tuning import tuning

MEMORY = {"agent": "a", "type": "fact", "content": "The ferry leaves at nine"}
pytestmark = pytest.mark.asyncio(loop_scope="package")


@pytest.fixture
def provider() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(dim=48) as running:
        yield running


async def test_a_failing_embedder_is_told_of_on_every_page(
    start: Start, opened: Chromium, provider: FakeOpenAI
) -> None:
    remote = {"EMBEDDING_MODEL": "openai/fake", "EMBEDDING_API_BASE": provider.base_url, "EMBEDDING_DIM": "48"}
    provider.fail(status=500, times=None, endpoint="embeddings")
    async with start(**remote) as server, at_the_studio(opened, f"http://127.0.0.1:{server.port}") as visitor:
        page = visitor.page
        saved = await server.call("POST", "/v1/memories", json=MEMORY)
        assert saved.json()["memory"]["embedding"] == "pending"
        told = page.get_by_role("status").filter(has_text="The embedder fails")
        await visitor.open()
        await visitor.sign_in()
        await expect(told).to_be_visible()
        await visitor.go("Memories")
        await expect(told).to_be_visible()
        await told.get_by_role("link", name="See why").click()
        await expect(page.get_by_role("region", name="Embedder", exact=True)).to_contain_text("made to fail")
        provider.heal()
        await expect(told).to_have_count(0)


async def test_a_change_of_the_model_waits_until_it_is_started(
    start: Start, opened: Chromium, provider: FakeOpenAI, tmp_path: Path
) -> None:
    async with start(EMBEDDING_API_BASE=provider.base_url) as former:
        assert (await former.call("POST", "/v1/memories", json=MEMORY)).json()["memory"]["embedding"] == "ready"
        server = ServerProcess(
            former.database_url, tmp_path / "server.log", EMBEDDING_MODEL="openai/fake", EMBEDDING_DIM="48",
            EMBEDDING_API_BASE=provider.base_url, REVERIE_TUNING=tuning(embedding_change="ask"),
        )  # fmt: skip
        await server.start()
        async with at_the_studio(opened, f"http://127.0.0.1:{server.port}") as visitor:
            page = visitor.page
            await visitor.open("/engine")
            await visitor.sign_in(title="Engine")
            embedding = page.get_by_role("region", name="Embedding", exact=True)
            await expect(embedding).to_contain_text("remote:openai/fake:48 is configured and waits")
            await visitor.press("Re-embed everything", embedding)
            await visitor.press("Re-embed everything", page.get_by_role("dialog"))
            await expect(page.get_by_role("region", name="Embedder", exact=True)).to_contain_text("openai/fake")
            await expect(embedding.get_by_text("is configured and waits")).to_have_count(0)
        await server.close()
