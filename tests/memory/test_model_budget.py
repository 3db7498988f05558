"""One ledger for every call of a model: who caused it, what for, and how much; never past the budget of the day."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.provider import load_litellm
from service.settings import RerankModel, Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
from tests.processes import ServerProcess
from tests.tuning import tuned
from tests.waiting import until
from tests.worker.dreaming import agent_id, asked_for, note_everything, say
from worker.dreaming.run import Dreamer
from worker.maintenance.vectors import embed_pending

CHAT = "/v1/chat/completions"
QUESTION = {"agent": "a", "question": "Where does Ada live?"}
Json = dict[str, Any]


@pytest.fixture
def model() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        server.default_reply = reply
        yield server


def reply(body: Json) -> str:
    """Notes of every turn, no answer to any question, and a word to everything else."""
    if asked_for(body) == "Reply":
        return json.dumps({"known": False, "answer": "", "citations": []})
    return note_everything(body) if asked_for(body) else "fine"


@pytest.fixture
async def behind(settings: Settings, model: FakeOpenAI) -> Settings:
    """Settings with a model for everything."""
    await load_litellm()
    return settings.model_copy(
        update={
            "llm_model": "openai/gpt-4o-mini",
            "llm_api_base": model.base_url,
            "llm_api_key": "k",
            "rerank_model": RerankModel(model="cohere/rerank-v3.5", api_base=f"{model.base_url}/rerank", api_key="k"),
            "embedding_model": "openai/fake",
            "embedding_dim": 64,
            "embedding_api_base": model.base_url,
            "embedding_api_key": "k",
        }
    )


@pytest.fixture
async def api(behind: Settings) -> AsyncIterator[Api]:
    async with serving(behind) as opened:
        await opened.put("/v1/settings", {"proxy": {"enabled": True}})
        yield opened


async def rows(database_url: str, table: str) -> list[Json]:
    connection = await asyncpg.connect(database_url, statement_cache_size=0)
    try:
        return [dict(row) for row in await connection.fetch(f"SELECT * FROM {table}")]  # noqa: S608
    finally:
        await connection.close()


async def used(api: Api, url: str) -> list[Json]:
    await api.runtime.budget.flush()
    return await rows(url, "model_usage")


async def taken(url: str) -> int:
    """Tokens taken of all budgets."""
    return sum(row["tokens"] for row in await rows(url, "model_budgets"))


async def limit(api: Api, **budget: Any) -> None:
    await api.put("/v1/settings", {"budget": budget})


async def test_every_call_is_recorded_by_whom_for_what_and_of_which_model(
    api: Api, model: FakeOpenAI, database_url: str
) -> None:
    ada = await api.as_role("agent", "ada")
    await api.get("/v1/engine")
    await ada.save("Ada lives in Bergen", agent="ada")
    saved = await ada.save("Ada lives on the harbour in Bergen", agent="ada")
    await ada.patch(f"/v1/memories/{saved['id']}", {"version": 1, "content": "Ada lives above the harbour in Bergen"})
    items = [{"agent": "ada", "type": "fact", "content": f"Ferry number {n} leaves at {n}"} for n in range(3)]
    await ada.post("/v1/memories/batch", {"items": items})
    await ada.post("/v1/documents", {"agent": "ada", "title": "Ferries", "text": "All ferries leave at the hour."})
    line = {"type": "fact", "agent": "ada", "content": "The pier is closed on Sundays"}
    assert (await api.call("POST", "/v1/import", content=json.dumps(line))).is_success
    await ada.search("Where does Ada live?", agent="ada", rerank=True)
    await ada.post("/v1/ask", QUESTION | {"agent": "ada"})
    await ada.post("/v1/agents/ada/bulletin")
    await ada.post("/v1/verify")
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
    await ada.post(CHAT, body, headers={"X-Reverie-No-Memory": "1"})
    streamed = await ada.call("POST", CHAT, json=body | {"stream": True})
    assert streamed.text.endswith("data: [DONE]\n\n")
    await say(api, "I live in Oslo.", "I work at Acme.", agent="ada")
    await api.call("POST", "/v1/sessions/s/compact", params={"agent": "ada"})
    dreamer = Dreamer(api.runtime, "test", 60)
    await dreamer.dream_for(DEFAULT_WORKSPACE, await agent_id(api.runtime, "ada"))

    found = await used(api, database_url)
    calls = Counter[str]()
    for row in found:
        calls[row["purpose"]] += row["calls"]
    assert calls.keys() >= {"extract", "bulletin", "summary", "ask", "rerank", "embed", "proxy", "probe"}
    assert calls.total() == sum(model.calls[kind] for kind in ("chat", "embeddings", "rerank"))
    assert calls["rerank"] == model.calls["rerank"] == 1
    key_id = UUID((await ada.get("/v1/whoami"))["key_id"])
    by_ada = {row["purpose"] for row in found if row["key_id"] == key_id}
    assert by_ada == {"ask", "rerank", "embed", "proxy", "bulletin"}
    assert {row["agent"] for row in found if row["purpose"] in ("extract", "ask", "proxy", "rerank")} == {"ada"}
    assert {row["purpose"] for row in found if row["workspace_id"] == UUID(int=0)} == {"probe"}
    assert {row["workspace_id"] for row in found if row["purpose"] == "probe"} == {UUID(int=0)}
    assert {row["model"] for row in found if row["purpose"] in ("ask", "proxy")} == {"openai/gpt-4o-mini"}
    assert all(row["prompt_tokens"] > 0 for row in found if row["purpose"] not in ("probe",))
    assert all(row["cost_usd"] > 0 for row in found if row["purpose"] in ("ask", "proxy", "extract"))
    assert await taken(database_url) == sum(
        row["prompt_tokens"] + row["completion_tokens"] for row in found if row["workspace_id"] == DEFAULT_WORKSPACE
    )


async def test_what_is_not_called_for_lack_of_budget_is_told(api: Api, model: FakeOpenAI, database_url: str) -> None:
    await api.save("Ada lives in Bergen")
    await api.save("Bergen is on the coast")
    await say(api, "I live in Oslo.")
    before = Counter(model.calls)
    await limit(api, day_tokens_max=1)

    answer = await api.post("/v1/ask", QUESTION)
    assert answer["answer"] is None
    assert answer["memories"]
    assert answer["degraded"]["reason"].startswith("budget reached")
    assert "budget.day_tokens_max" in answer["degraded"]["reason"]

    found = await api.post("/v1/memories/search", {"agent": "a", "query": "Bergen coast", "rerank": True})
    assert len(found["results"]) == 2
    assert found["degraded"]["reason"].startswith("budget reached")
    assert found["degraded"]["fallback"] == "keyword"
    plain = {"agent": "a", "query": "Bergen", "rerank": True, "strategy": "keyword"}
    assert (await api.post("/v1/memories/search", plain))["degraded"]["fallback"] == "the order without reranking"

    await api.save("Saved all the same")
    assert len((await api.get("/v1/memories"))["items"]) == 3
    written = await api.post("/v1/agents/a/bulletin")
    assert "Bergen" in written["content"]
    refused = await api.call(
        "POST", CHAT, json={"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}]}
    )
    assert refused.status_code == 429
    assert refused.json()["detail"].startswith("budget reached")
    assert 0 < int(refused.headers["retry-after"]) <= 86_400

    dreamer = Dreamer(api.runtime, "test", 60)
    (*_, done) = await dreamer.dream_for(DEFAULT_WORKSPACE, await agent_id(api.runtime))
    assert done.status == "succeeded"
    assert done.report["stopped"].startswith("budget reached")
    assert model.calls == before
    health = await api.get("/v1/engine")
    assert health["embedder"]["status"] != "failing"

    await limit(api, day_tokens_max=None)
    await embed_pending(api.runtime)
    await api.search("Saved all the same")
    assert (await api.post("/v1/ask", QUESTION))["degraded"] is None
    assert (await used(api, database_url)) != []


async def test_servers_together_never_pass_the_budget(behind: Settings, model: FakeOpenAI) -> None:
    async with AsyncExitStack() as stack:
        words_only = behind.model_copy(update={"embedding_model": "none"})
        servers = [await stack.enter_async_context(serving(words_only)) for _ in range(2)]
        await servers[0].save("Ada lives in Bergen")
        await limit(servers[0], day_tokens_max=5_500)  # an answer has at most 1,000 tokens, and its prompt some 500
        model.hold()
        asking = [asyncio.create_task(server.post("/v1/ask", QUESTION)) for server in servers for _ in range(10)]
        await until(lambda: model.calls["chat"] + sum(task.done() for task in asking) == len(asking))
        called = model.calls["chat"]
        model.let_go()
        answers = await asyncio.gather(*asking)
    assert 3 <= called <= 5
    assert sum(answer["answer"] is not None for answer in answers) == called == model.calls["chat"]


async def test_failed_calls_are_counted(api: Api, model: FakeOpenAI, database_url: str) -> None:
    await api.save("Ada lives in Bergen")
    model.fail(status=401, endpoint="chat")
    assert "openai/gpt-4o-mini at 127.0.0.1" in (await api.post("/v1/ask", QUESTION))["degraded"]["reason"]
    model.fail(status=500, endpoint="chat")
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}]}
    assert await api.status("POST", CHAT, json=body) == 500
    model.fail(status=500, endpoint="rerank")
    await api.search("Bergen", rerank=True)
    failed = {row["purpose"]: row for row in await used(api, database_url) if row["failed_calls"]}
    assert failed.keys() == {"ask", "proxy", "rerank"}
    assert {row["failed_calls"] for row in failed.values()} == {1}
    assert {row["prompt_tokens"] + row["completion_tokens"] for row in failed.values()} == {0}


async def test_a_clean_stop_writes_everything(behind: Settings, model: FakeOpenAI, database_url: str) -> None:
    async with serving(behind) as api:
        await api.save("Ada lives in Bergen")
        await api.post("/v1/ask", QUESTION)
        called = model.calls["chat"] + model.calls["embeddings"]
    found = await rows(database_url, "model_usage")
    assert sum(row["calls"] for row in found) == called
    assert await taken(database_url) == sum(row["prompt_tokens"] + row["completion_tokens"] for row in found)


async def test_a_crash_leaves_what_was_under_way_reserved(
    behind: Settings, service_url: str, model: FakeOpenAI, database_url: str, tmp_path: Path
) -> None:
    process = ServerProcess(
        service_url, tmp_path / "log", LLM_MODEL="openai/gpt-4o-mini", LLM_API_BASE=model.base_url, LLM_API_KEY="k"
    )
    try:
        await process.start()
        memory = {"agent": "a", "type": "fact", "content": "Ada lives in Bergen"}
        assert (await process.call("POST", "/v1/memories", json=memory)).status_code == 201
        model.hold()
        asking = asyncio.create_task(process.call("POST", "/v1/ask", json=QUESTION))
        await asyncio.to_thread(model.wait_for_call, "chat", timeout_s=120)
        await process.kill()
        with pytest.raises(httpx.TransportError):
            await asking
    finally:
        model.let_go()
        await process.close()
    assert await rows(database_url, "model_usage") == []
    assert await taken(database_url) > 1_000


async def stream(api: Api, **fields: Any) -> str:
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Count"}], "stream": True}
    return (await api.call("POST", CHAT, json=body | fields)).text


@pytest.mark.parametrize("memory", ["0", "1"])
async def test_a_stream_is_recorded_as_told_else_by_estimate(
    api: Api, model: FakeOpenAI, database_url: str, memory: str
) -> None:
    quiet = replace(api, key=(await api.as_role("admin")).key)
    said = "one two three four five six seven eight nine ten"
    for told in (True, False):
        model.say(said)
        body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Count"}], "stream": True}
        body |= {"stream_options": {"include_usage": told}}
        await quiet.call("POST", CHAT, json=body, headers={"X-Reverie-No-Memory": memory})
    (row,) = [row for row in await used(api, database_url) if row["purpose"] == "proxy"]
    assert (row["calls"], row["failed_calls"]) == (2, 0)
    assert row["completion_tokens"] == 10 + len(said) // 3


async def test_a_client_that_leaves_pays_for_what_it_heard(api: Api, model: FakeOpenAI, database_url: str) -> None:
    model.say("word " * 20_000)
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Count"}], "stream": True}
    headers = {"Authorization": f"Bearer {api.key}"}
    async with api.http.stream("POST", CHAT, json=body, headers=headers) as answer:
        await anext(answer.aiter_bytes())

    async def proxied() -> list[Any]:
        return [row for row in await used(api, database_url) if row["purpose"] == "proxy"]

    (row,) = await until(proxied, "it is not recorded")
    assert 0 < row["completion_tokens"] < 40_000


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_proxied_answer_without_end_is_cut_off(
    behind: Settings, model: FakeOpenAI, database_url: str, streamed: bool
) -> None:
    async with serving(tuned(behind, proxy_answer_bytes_max=1_048_576)) as api:
        await api.put("/v1/settings", {"proxy": {"enabled": True}})
        model.fail(endless=True, endpoint="chat")
        body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Go on"}], "stream": streamed}
        answer = await api.call("POST", CHAT, json=body)
        assert answer.status_code == (200 if streamed else 502)
        assert "more than 1,048,576 bytes" in answer.text
        assert len(answer.content) < 1_100_000
        assert model.sent < 33_554_432
        if streamed:
            *_, last = answer.text.strip().split("\n\n")
            assert "bytes" in json.loads(last.removeprefix("data: "))["error"]["message"]
        (row,) = [row for row in await used(api, database_url) if row["purpose"] == "proxy"]
        assert (row["calls"], row["failed_calls"]) == (1, 1)


async def test_a_prompt_too_large_for_the_budget_is_refused_before_it_is_sent(api: Api, model: FakeOpenAI) -> None:
    await limit(api, day_tokens_max=10_000)
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "word " * 20_000}]}
    assert await api.status("POST", CHAT, json=body) == 429
    many = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2_000, "n": 6}
    assert await api.status("POST", CHAT, json=many) == 429
    assert model.calls["chat"] == 0
    assert await api.status("POST", CHAT, json=many | {"n": 1}) == 200
