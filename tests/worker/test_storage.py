"""Vectors kept in each of the ways there are: found as if compared exactly, and changed while in use."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

import numpy as np
import pytest

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.search import SearchRequest
from service.domain.text_features import extract_features
from service.embedding.embedder import Storage, with_storage
from service.embedding.sources import StaticEmbedder
from service.extraction.candidates import Candidate
from service.memory.in_flight import InFlight
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from service.store import embeddings, hnsw
from service.store.dreams import Lease
from tests.captured_queries import queries_sent_by
from tests.citus_cluster import Cluster
from tests.databases import TEMPLATE, Databases
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
from tests.processes import ServerProcess, WorkerProcess
from tests.tuning import tuned, tuning
from tests.waiting import until
from tests.worker.background_load import BackgroundLoad
from tests.worker.dreaming import agent_id
from tests.worker.large_audience import ADMIN, LOW_HNSW_LIMITS, LOW_LIMITS, notes
from worker.dreaming.neighbours import find_related
from worker.maintenance.vectors import Reindexer, maintain_hnsw

STORAGES: tuple[Storage, ...] = get_args(Storage)
QUERIES = ("somebody fixes the roof", "money for the third quarter", "a journey by rail", "hot drinks")
WORDS_SATURATION = 8
ROUNDING: Mapping[Storage, float] = {"halfvec": 1e-3, "float32": 2e-6, "binary": 1e-3}
INDEXED: Mapping[Storage, str] = {
    "halfvec": "((embedding)::halfvec(256)) halfvec_ip_ops",
    "float32": "((embedding_float32)::halfvec(256)) halfvec_ip_ops",
    "binary": "bit_hamming_ops",
}


@pytest.fixture(params=STORAGES)
def storage(request: pytest.FixtureRequest) -> Storage:
    chosen: Storage = request.param
    return chosen


@pytest.fixture
def kept(settings: Settings, storage: Storage) -> Settings:
    return tuned(settings, embedding_storage=storage).model_copy(update={"embedding_model": "static"})


@pytest.fixture
async def kept_api(kept: Settings) -> AsyncIterator[Api]:
    async with serving(kept) as api:
        yield api


async def best(runtime: Runtime, text: str, **fields: Any) -> list[Any]:
    """The nearest by meaning, however far."""
    asked = {"agent": "a", "query": text, "strategy": "semantic", "min_relevance": 0}
    request = SearchRequest.model_validate(asked | fields)
    return (await recall(runtime, ADMIN, request)).results


async def compared(drafts: list[MemoryDraft], text: str) -> tuple[list[str], dict[str, float]]:
    """The ten best by cosine, weighed by their words, and every cosine; in double precision."""
    static = StaticEmbedder.open()
    vectors = (await static.embed([draft.content for draft in drafts])).astype(np.float64)
    asked = (await static.embed([text]))[0].astype(np.float64)
    await static.aclose()
    cosines = vectors @ asked
    words = np.array([extract_features(draft.content).words for draft in drafts])
    order = np.argsort(-cosines * (1 - np.exp(-words / WORDS_SATURATION)))[:10]
    return [drafts[n].content for n in order], {draft.content: cosines[n] for n, draft in enumerate(drafts)}


async def columns(runtime: Runtime) -> list[tuple[Any, ...]]:
    """Which columns hold vectors, of which models."""
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        rows = await connection.raw.fetch(
            "SELECT DISTINCT embedding_model, embedding IS NOT NULL, embedding_float32 IS NOT NULL,"
            " coalesce(next_embedding::text, next_embedding_float32::text) IS NOT NULL FROM search_index ORDER BY 1"
        )
    return [tuple(row) for row in rows]


async def signature(runtime: Runtime) -> str:
    async with runtime.db.unscoped() as connection:
        state = await embeddings.state(connection)
    assert state.active is not None
    return state.active.signature


async def test_a_small_audience_is_compared_exactly(kept: Settings, storage: Storage) -> None:
    drafts = notes(200)
    async with open_runtime(kept, "test") as runtime:
        await remember(runtime, ADMIN, drafts)
        for text in QUERIES:
            expected, cosines = await compared(drafts, text)
            found = await best(runtime, text)
            assert found[0].memory.content == expected[0]
            assert len({one.memory.content for one in found} & set(expected)) >= 9, text
            for one in found:
                assert one.semantic_score == pytest.approx(cosines[one.memory.content], abs=ROUNDING[storage])
        assert await signature(runtime) == with_storage("static:wordllama-l2_supercat:256", storage)
        assert await columns(runtime) == [(1, storage != "float32", storage == "float32", False)]


async def test_a_large_audience_is_searched_by_an_index_of_its_own_kind(
    kept: Settings, storage: Storage, citus: Cluster | None
) -> None:
    drafts = notes(600)
    async with open_runtime(kept, "test") as runtime:
        runtime.search_limits, runtime.hnsw_limits = LOW_LIMITS, LOW_HNSW_LIMITS
        await remember(runtime, ADMIN, drafts)
        assert await maintain_hnsw(runtime) == 600
        searched = queries_sent_by(runtime.db)
        await remember(runtime, ADMIN, [MemoryDraft(agent="a", type="fact", content="The swordfish swims at dawn")])
        for text in QUERIES:
            expected, _ = await compared(drafts, text)
            found = [one.memory.content for one in await best(runtime, text)]
            assert found[0] == expected[0]
            assert len(set(found) & set(expected)) >= 9, text
        assert (await best(runtime, "a swordfish in the morning"))[0].memory.content == "The swordfish swims at dawn"
        assert len(await best(runtime, "a train", about="u", limit=50)) == 12
        assert len(await best(runtime, "a train", tags=["odd"], limit=20)) == 20
        async with runtime.db.unscoped() as connection:
            (name,) = await hnsw.indexes(connection)
            definition = await connection.raw.fetchval("SELECT pg_get_indexdef($1::text::regclass)", name)
        assert INDEXED[storage] in definition
        asked = searched[0]
        async with runtime.db.search_connection(DEFAULT_WORKSPACE) as connection:
            plan = await connection.raw.fetch(
                f"EXPLAIN {asked.statement.sql}", *asked.statement.arguments(asked.values)
            )
        if citus is None:
            assert name in "\n".join(row[0] for row in plan)


async def test_whatever_is_searched_is_found_and_told(kept_api: Api, storage: Storage) -> None:
    memory = await kept_api.save("The lighthouse keeper lives alone", tags=["coast"])
    await kept_api.save("The violin needs new strings")
    await kept_api.patch(f"/v1/memories/{memory['id']}", {"version": 1, "content": "The tuner comes on Friday"})
    assert (await kept_api.search("somebody tunes the piano", strategy="semantic"))[0]["id"] == memory["id"]
    assert [one["id"] for one in await kept_api.search("music", strategy="semantic", tags=["coast"])] == [memory["id"]]
    say = {"agent": "a", "messages": [{"role": "user", "content": "Our ferry to the island leaves at nine"}]}
    await kept_api.post("/v1/sessions/s/messages", say)
    await kept_api.post("/v1/documents", {"agent": "a", "title": "Boats", "text": "A raft is built of logs and rope"})
    for text, kind in (("a boat trip in the morning", "messages"), ("how rafts are made", "documents")):
        body = {"agent": "a", "query": text, "strategy": "semantic", "include": [kind]}
        (found,) = (await kept_api.post("/v1/memories/search", body))["results"]
        assert found["semantic_rank"] == 1
    as_of = {"as_of": datetime(2001, 1, 1, tzinfo=UTC).isoformat()}
    assert await kept_api.search("the tuner", strategy="semantic", **as_of) == []
    assert (await kept_api.post("/v1/verify"))["working"] is True
    told = (await kept_api.get("/v1/engine"))["embedder"]
    assert (told["storage"], told["vector_bytes"], told["index_bytes"]) == (
        storage, 1_032 if storage == "float32" else 520, None,
    )  # fmt: skip
    items = (await kept_api.get("/v1/embedding-providers"))["items"]
    assert [one["storage"] for one in items if one["active"]] == [storage]
    assert (await kept_api.post("/v1/reindex", {"force": True}))["started"] is True
    await Reindexer(kept_api.runtime, "w").step()
    assert (await kept_api.search("somebody tunes the piano", strategy="semantic"))[0]["id"] == memory["id"]
    assert await columns(kept_api.runtime) == [(1, storage != "float32", storage == "float32", False)]


async def test_a_dream_sees_what_is_similar(kept: Settings, storage: Storage) -> None:
    async with open_runtime(kept, "test") as runtime:
        await remember(runtime, ADMIN, notes(20))
        await remember(runtime, ADMIN, [MemoryDraft(agent="a", type="fact", content="The budget is 50,000 euro")])
        lease = Lease(DEFAULT_WORKSPACE, await agent_id(runtime), 1, None, 0, 0, True, [])
        tracker = await InFlight(runtime).open(DEFAULT_WORKSPACE, "dream", lease.agent_id)
        candidate = Candidate("fact", "The budget is 60,000 euro", (uuid4(),))
        around = await find_related(runtime, lease, [candidate], [], tracker)
        similarity, known = around.near[0][0]
        _, cosines = await compared([MemoryDraft(agent="a", type="fact", content=known.content)], candidate.content)
        assert known.content == "The budget is 50,000 euro"
        assert similarity == pytest.approx(cosines[known.content], abs=ROUNDING[storage])


async def test_what_an_export_holds_can_be_kept_another_way(
    settings: Settings, kept_api: Api, databases: Databases, storage: Storage
) -> None:
    name = f"test_{uuid4().hex}"
    url = await databases.copy(TEMPLATE, name)
    try:
        async with serving(settings.model_copy(update={"database_url": url, "embedding_model": "static"})) as other:
            await other.save("The lighthouse keeper lives alone")
            exported = (await other.call("GET", "/v1/export")).content
    finally:
        await databases.drop(name)
    assert (await kept_api.call("POST", "/v1/import", content=exported)).is_success
    (found,) = await kept_api.search("who watches over ships", strategy="semantic", min_relevance=0)
    assert found["content"] == "The lighthouse keeper lives alone"
    assert (1, storage != "float32", storage == "float32", False) in await columns(kept_api.runtime)


@pytest.fixture
def provider() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(dim=48) as running:
        yield running


async def test_only_more_precise_vectors_are_asked_for_again(settings: Settings, provider: FakeOpenAI) -> None:
    remote = settings.model_copy(
        update={"embedding_model": "openai/fake", "embedding_api_base": provider.base_url, "embedding_dim": 48}
    )
    async with open_runtime(remote, "test") as runtime:
        runtime.search_limits, runtime.hnsw_limits = LOW_LIMITS, LOW_HNSW_LIMITS
        await remember(runtime, ADMIN, notes(150))
        await maintain_hnsw(runtime)
        before = [one.memory.id for one in await best(runtime, "a roof to repair")]
    calls = {}
    ways: tuple[Storage, ...] = ("binary", "float32", "halfvec")
    for number, storage in enumerate(ways, start=2):
        provider.reset()
        async with open_runtime(tuned(remote, embedding_storage=storage), "test") as runtime:
            runtime.search_limits, runtime.hnsw_limits = LOW_LIMITS, LOW_HNSW_LIMITS
            provider.reset()
            await Reindexer(runtime, "w", refreshed_within=timedelta(0)).until_done()
            calls[storage] = sum(len(body["input"]) for body in provider.requests("embeddings"))
            assert await signature(runtime) == with_storage("remote:openai/fake:48", storage)
            model = 1 if storage == "halfvec" else number
            assert await columns(runtime) == [(model, storage != "float32", storage == "float32", False)]
            found = [one.memory.id for one in await best(runtime, "a roof to repair")]
            assert len(set(found) & set(before)) >= 9
            async with runtime.db.unscoped() as connection:
                (index,) = await hnsw.indexes(connection)
            assert index.startswith(f"ix_search_index_ann_{model}_")
    assert calls == {"binary": 0, "float32": 150, "halfvec": 0}


async def test_a_second_change_waits_until_the_first_has_settled(settings: Settings) -> None:
    static = settings.model_copy(update={"embedding_model": "static"})
    async with open_runtime(static, "test") as runtime:
        await remember(runtime, ADMIN, notes(100))
    async with open_runtime(tuned(static, embedding_storage="float32"), "test") as runtime:
        worker = Reindexer(runtime, "w", refreshed_within=timedelta(0))
        while await signature(runtime) != "static:wordllama-l2_supercat:256:float32":
            await worker.step()
    async with open_runtime(tuned(static, embedding_storage="binary"), "test") as runtime:
        worker = Reindexer(runtime, "w", refreshed_within=timedelta(0))
        more = True
        while more:
            assert len(await best(runtime, "a roof to repair", limit=50)) == 50
            more = await worker.step()
        assert len(await best(runtime, "a roof to repair", limit=50)) == 50
        assert await signature(runtime) == "static:wordllama-l2_supercat:256:binary"
        assert await columns(runtime) == [(3, True, False, False)]


async def keeps(runtime: Runtime, way: tuple[str, None, bool]) -> bool:
    async with runtime.db.unscoped() as connection:
        now = await embeddings.state(connection)
    assert now.active is not None
    return (now.active.signature, now.next_model, now.backfilling) == way


async def test_from_one_way_to_the_next_nobody_is_denied_anything(
    settings: Settings, service_url: str, tmp_path: Path
) -> None:
    static = settings.model_copy(update={"embedding_model": "static"})
    async with AsyncExitStack() as stack:
        runtime = await stack.enter_async_context(open_runtime(static, "test"))
        await remember(runtime, ADMIN, notes(1_500))
        server = ServerProcess(service_url, tmp_path / "server.log", EMBEDDING_MODEL="static")
        stack.push_async_callback(server.close)
        await server.start()
        async with BackgroundLoad(server) as traffic:
            for storage in ("binary", "float32"):
                environment = {"EMBEDDING_MODEL": "static", "REVERIE_TUNING": tuning(embedding_storage=storage)}
                worker = WorkerProcess(service_url, tmp_path / f"{storage}.log", **environment)
                stack.push_async_callback(worker.kill)
                answered = traffic.answered
                worker.start()
                kept = (f"static:wordllama-l2_supercat:256:{storage}", None, False)
                await until(partial(keeps, runtime, kept), "it is not changed")
                await worker.kill()
                assert traffic.answered > answered + 5
        assert traffic.wrong == []
        assert await columns(runtime) == [(3, False, True, False)]
