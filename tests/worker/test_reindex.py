"""Changing the embedding model while everything runs."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.embedding.embedder import EmbeddingFailed
from service.memory.saving.remember import remember
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from service.store import embeddings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
from tests.processes import ROOT, ServerProcess, WorkerProcess
from tests.tuning import tuned, tuning
from tests.waiting import until
from tests.worker.background_load import BackgroundLoad
from worker.maintenance.vectors import BATCH, Reindexer

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
DEADLINE_S = 40
"""What a batch of a worker that was killed waits for another."""
STORED = 2 * BATCH + 50
CITIES = ("Oslo", "Bergen", "Tromsø", "Lisbon", "Porto", "Kyoto", "Lyon", "Ghent", "Graz", "Bari")


@pytest.fixture
def provider() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(dim=48) as running:
        yield running


@pytest.fixture
def old(settings: Settings) -> Settings:
    return settings.model_copy(update={"embedding_model": "static"})


@pytest.fixture
def new(settings: Settings, provider: FakeOpenAI) -> Settings:
    return settings.model_copy(
        update={"embedding_model": "openai/fake", "embedding_api_base": provider.base_url, "embedding_dim": 48}
    )


def notes(count: int) -> list[MemoryDraft]:
    return [
        MemoryDraft(agent="a", type="fact", content=f"Note {n}: a train to {CITIES[n % 10]} at {n % 24} o'clock")
        for n in range(count)
    ]


@pytest.fixture
async def stored(old: Settings) -> None:
    async with open_runtime(old, "test") as runtime:
        await remember(runtime, ADMIN, notes(STORED))


async def state(runtime: Runtime) -> embeddings.MigrationState:
    async with runtime.db.unscoped() as connection:
        return await embeddings.state(connection)


async def reached(runtime: Runtime, condition: Callable[[embeddings.MigrationState], bool]) -> None:
    async def holds() -> bool:
        return condition(await state(runtime))

    await until(holds, "it does not get there")


async def models(runtime: Runtime) -> list[tuple[Any, ...]]:
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        rows = await connection.raw.fetch(
            "SELECT DISTINCT embedding_model, vector_dims(embedding), next_model FROM search_index ORDER BY 1"
        )
    return [tuple(row) for row in rows]


async def cities(api: Api, strategy: str = "semantic") -> list[str]:
    return [memory["content"] for memory in await api.search("a train to Kyoto", strategy=strategy)]


async def test_until_the_change_is_complete_nobody_notices_and_then_all_do(
    stored: None, old: Settings, new: Settings, provider: FakeOpenAI
) -> None:
    async with AsyncExitStack() as stack:
        configured_before = await stack.enter_async_context(serving(old))
        before = await cities(configured_before)
        configured_anew = await stack.enter_async_context(serving(new))
        worker = await stack.enter_async_context(open_runtime(new, "test"))
        provider.reset()
        assert await cities(configured_anew) == before
        assert not provider.calls["embeddings"]
        await configured_anew.save("A ferry to Bergen")
        assert await models(worker) == [(1, 256, None)]

        await Reindexer(worker, "w").step()
        after_one_pass = await state(worker)
        assert after_one_pass.done == after_one_pass.total == STORED + 1
        assert await cities(configured_before) == before

        await Reindexer(worker, "w").step()
        switched = await state(worker)
        assert switched.active is not None
        assert switched.active.signature == "remote:openai/fake:48"
        provider.reset()
        for api in (configured_before, configured_anew):
            assert "Kyoto" in (await cities(api))[0]
        assert provider.calls["embeddings"]

        await Reindexer(worker, "w").step()
        assert await models(worker) == [(2, 48, None)]
        assert "Kyoto" in (await cities(configured_before))[0]


async def test_a_failing_embedder_is_told_of_and_the_work_goes_on_where_it_stopped(
    stored: None, new: Settings, provider: FakeOpenAI
) -> None:
    async with open_runtime(new, "test") as runtime:
        provider.fail(status=401, times=None, endpoint="embeddings")
        with pytest.raises(EmbeddingFailed):
            await Reindexer(runtime, "w").step()
        failed = await state(runtime)
        assert failed.next_model is not None
        assert "401" in (failed.error or "") or "Authentication" in (failed.error or "")
        provider.reset()
        await Reindexer(runtime, "w").step()
        healed = await state(runtime)
        assert (healed.done, healed.error) == (STORED, None)


async def test_one_text_that_is_refused_does_not_keep_the_rest(
    stored: None, new: Settings, provider: FakeOpenAI
) -> None:
    provider.refuses = lambda text: "Note 7:" in text
    async with open_runtime(new, "test") as runtime:
        worker = Reindexer(runtime, "w")
        while (await state(runtime)).next_model:
            await worker.step()
        while await worker.step():
            pass
        assert await models(runtime) == [(2, 48, None), (None, None, None)]


async def test_what_is_changed_or_said_meanwhile_is_embedded_as_it_is_now(
    stored: None, new: Settings, provider: FakeOpenAI
) -> None:
    async with serving(new) as api, open_runtime(new, "test") as runtime:
        memory = await api.save("The lighthouse keeper lives alone")
        await Reindexer(runtime, "w").step()
        await api.patch(f"/v1/memories/{memory['id']}", {"version": 1, "content": "The violin needs new strings"})
        worker = Reindexer(runtime, "w")
        await api.save("The tuner comes on Friday")
        while (await state(runtime)).next_model:
            await worker.step()
            now = await state(runtime)
            assert now.done <= (now.total or 0)
        assert (await api.search("new strings for the violin", strategy="semantic"))[0]["id"] == memory["id"]
        while await worker.step():
            pass
        assert (await api.search("new strings for the violin", strategy="semantic"))[0]["id"] == memory["id"]


async def test_a_change_that_is_taken_back_leaves_nothing(stored: None, old: Settings, new: Settings) -> None:
    async with open_runtime(new, "test") as runtime, runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("UPDATE search_index SET next_model = 2, next_embedding = '[1,2]'")
    async with open_runtime(old, "test") as runtime:
        assert (await state(runtime)).next_model is None
        await Reindexer(runtime, "w").until_done()
        assert await models(runtime) == [(1, 256, None)]
        assert not (await state(runtime)).backfilling


async def test_two_workers_do_not_do_it_twice(stored: None, new: Settings, provider: FakeOpenAI) -> None:
    async with open_runtime(new, "test") as runtime:
        first, second = Reindexer(runtime, "one"), Reindexer(runtime, "two")
        provider.reset()
        await asyncio.gather(first.step(), second.step())
        embedded = sum(len(body["input"]) for body in provider.requests("embeddings"))
        assert embedded == STORED
        assert not await second.step()
        async with runtime.db.unscoped() as connection:
            await connection.run("release_embedding", worker="one")
        assert await second.step()


async def test_a_model_that_cannot_be_opened_any_more_leaves_search_by_keyword(
    stored: None, new: Settings, old: Settings, database_url: str
) -> None:
    connection = await asyncpg.connect(database_url)
    await connection.execute("UPDATE embedding_models SET setting = 'local:/no/such/folder'")
    await connection.close()
    async with serving(new) as api:
        answer = await api.post("/v1/memories/search", {"agent": "a", "query": "a train to Kyoto"})
        assert "Kyoto" in answer["results"][0]["memory"]["content"]
        assert answer["degraded"]["fallback"] == "keyword"
        assert "/no/such/folder" in answer["degraded"]["reason"]
        assert (await api.save("A tram to Graz"))["embedding"] == "pending"


@pytest.fixture
async def minilm(shared: Path) -> str:
    folder = shared / "models" / "all-MiniLM-L6-v2"
    if not folder.is_dir():
        pytest.skip(f"no model at {folder}")
    return f"local:{folder}"


@pytest.fixture
async def killed(service_url: str, tmp_path: Path, minilm: str) -> AsyncIterator[tuple[ServerProcess, WorkerProcess]]:
    server = ServerProcess(service_url, tmp_path / "server.log", EMBEDDING_MODEL=minilm)
    worker = WorkerProcess(
        service_url, tmp_path / "worker.log", EMBEDDING_MODEL=minilm, REVERIE_TUNING=tuning(step_deadline_s=DEADLINE_S)
    )
    try:
        yield server, worker
    finally:
        await worker.kill()
        await server.close()


async def test_a_worker_killed_halfway_through_costs_nobody_anything(
    old: Settings, killed: tuple[ServerProcess, WorkerProcess]
) -> None:
    server, worker = killed
    async with open_runtime(old, "test") as runtime:
        await remember(runtime, ADMIN, notes(600))
        await server.start()
        async with BackgroundLoad(server) as traffic:
            worker.start()
            await reached(runtime, lambda now: now.done >= 100)
            await worker.kill()
            halfway = await state(runtime)
            assert halfway.next_model is not None
            assert 0 < halfway.done < 600
            assert halfway.active is not None
            assert halfway.active.signature.startswith("static:")
            worker.start()
            await reached(runtime, lambda now: now.next_model is None and not now.backfilling)
        assert traffic.wrong == []
        assert traffic.answered > 20
        finished = await state(runtime)
        assert finished.active is not None
        assert finished.active.signature.startswith("local:")
        assert await models(runtime) == [(2, 384, None)]


async def test_what_is_stored_keeps_its_model_until_somebody_asks(
    stored: None, old: Settings, new: Settings, tmp_path: Path
) -> None:
    careful = tuned(new, embedding_change="ask")
    async with open_runtime(careful, "test") as runtime:
        kept = await state(runtime)
        assert kept.active is not None
        assert kept.active.signature.startswith("static:")
        assert kept.next_model is None
        assert runtime.embedder is not None
        assert runtime.embedder.signature == kept.active.signature
    environment = os.environ | {
        "DATABASE_URL": str(new.database_url), "EMBEDDING_MODEL": new.embedding_model, "EMBEDDING_DIM": "48",
        "EMBEDDING_API_BASE": str(new.embedding_api_base), "EMBEDDING_API_KEY": "any",
    }  # fmt: skip
    command = [sys.executable, "-m", "reverie", "reindex", "--json"]
    done = await asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["next"].startswith("remote:")
    async with open_runtime(careful, "test") as runtime:
        asked = await state(runtime)
        assert asked.next_model is not None
        assert asked.next_model.signature.startswith("remote:")


async def test_a_waiting_change_is_told_and_started_over_the_api(stored: None, new: Settings) -> None:
    async with serving(tuned(new, embedding_change="ask")) as api:
        told = await api.get("/v1/engine")
        assert told["embedder"]["source"] == "static"
        assert told["embedder"]["change"] == {
            "waiting": True, "signature": "remote:openai/fake:48", "done": 0, "total": None, "started_at": None,
            "error": None,
        }  # fmt: skip
        assert any("remote:openai/fake:48 is configured" in problem for problem in told["problems"])
        assert (await api.post("/v1/reindex", {"force": False}))["started"] is False
        assert (await api.get("/v1/engine"))["embedder"]["change"]["waiting"]
        assert await api.post("/v1/reindex", {"force": True}) == {"started": True, "pending": STORED}
        told = await api.get("/v1/engine")
        assert told["embedder"]["change"]["waiting"] is False
        assert not any("is configured" in problem for problem in told["problems"])
        await Reindexer(api.runtime, "w").until_done()
        told = await api.get("/v1/engine")
        assert (told["embedder"]["source"], told["embedder"]["change"]) == ("remote", None)
        assert await models(api.runtime) == [(2, 48, None)]
