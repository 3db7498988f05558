"""Embedder, reranker, size and life of the embedding cache are settings, picked up by every process as it runs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, Json, Tenant
from tests.processes import ServerProcess, WorkerProcess
from tests.tables import table
from tests.waiting import until

REMOTE = {"model": "openai/fake", "dim": 64}


@pytest.fixture
def provider() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as server:
        yield server


@pytest.fixture
async def apis(database_url: str, tmp_path: Path, provider: FakeOpenAI) -> AsyncIterator[list[ServerProcess]]:
    """Two API processes that leave their models to the settings, and a worker."""
    environment = {
        "EMBEDDING_MODEL": "", "EMBEDDING_API_BASE": provider.base_url, "EMBEDDING_API_KEY": "",
        "RERANK_MODEL": json.dumps({"api_base": provider.base_url, "api_key": "key"}),
    }  # fmt: skip
    servers = [ServerProcess(database_url, tmp_path / f"api{n}.log", **environment) for n in range(2)]
    worker = WorkerProcess(database_url, tmp_path / "worker.log", **environment)
    worker.start()
    for server in servers:
        await server.start()
    yield servers
    await worker.stop()
    for server in servers:
        await server.close()


async def put(server: ServerProcess, settings: Json, status: int = 200) -> Json:
    response = await server.call("PUT", "/v1/settings", json=settings)
    assert response.status_code == status, response.text
    answer: Json = response.json()
    return answer


async def everywhere(servers: list[ServerProcess], holds: Callable[[Json], bool]) -> None:
    """Wait until it holds of what each process says of itself."""

    async def does(server: ServerProcess) -> bool:
        return holds((await server.call("GET", "/v1/engine")).json())

    for server in servers:
        await until(partial(does, server), "it is not picked up")


def embeds_with(source: str) -> Callable[[Json], bool]:
    return lambda runtime: runtime["embedder"]["source"] == source and runtime["embedder"]["change"] is None


async def found(server: ServerProcess, query: str) -> tuple[list[str], Any]:
    answer = (await server.call("POST", "/v1/memories/search", json={"agent": "a", "query": query})).json()
    return [one["memory"]["content"] for one in answer["results"]], answer["degraded"]


async def test_a_change_of_embedder_reaches_every_process_and_survives_restarts(apis: list[ServerProcess]) -> None:
    first, second = apis
    assert (await put(first, {"embedding": {"model": "static"}}))["embedding"]["locked_by"] == {}
    await everywhere(apis, embeds_with("static"))
    memory = {"agent": "a", "type": "fact", "content": "The harbour opens at dawn"}
    assert (await first.call("POST", "/v1/memories", json=memory)).status_code == 201

    shown = await put(second, {"embedding": REMOTE})
    assert shown["embedding"] | REMOTE == shown["embedding"]
    assert await found(first, "harbour") == ([memory["content"]], None), "searches go on meanwhile"
    await everywhere(apis, embeds_with("remote"))
    assert await found(first, "harbour") == ([memory["content"]], None)

    await first.stop()
    await first.restart()
    await everywhere([first], embeds_with("remote"))
    assert (await first.call("GET", "/v1/settings")).json()["embedding"] == shown["embedding"]

    await put(first, {"embedding": {"model": "none", "dim": None}})
    await everywhere(apis, embeds_with("none"))
    assert (await found(second, "harbour"))[0] == [memory["content"]]


async def test_the_reranker_is_a_setting_too(apis: list[ServerProcess], provider: FakeOpenAI) -> None:
    first, second = apis
    changes: Json = {"rerank": {"model": "jina_ai/fake"}, "embedding": {"model": "static"}}
    await put(first, changes)
    assert provider.requests("rerank"), "it is tried first"
    await everywhere(apis, lambda runtime: runtime["reranker"]["model"] == "jina_ai/fake")
    await everywhere(apis, embeds_with("static"))
    audit = (await second.call("GET", "/v1/audit?action=settings.changed")).json()["items"]
    assert audit[0]["details"] == changes
    await put(second, {"rerank": {"model": None}})
    await everywhere(apis, lambda runtime: runtime["reranker"]["model"] is None)


async def test_a_model_that_cannot_be_used_is_refused_with_the_reason(own_api: Api) -> None:
    with table() as row:
        for section, model, reason in [
            ("embedding", "local:/no/such/folder", "no/such/folder"),
            ("embedding", "no-such-model", "no-such-model"),
            ("embedding", " static", "spaces"),
            ("rerank", "no-such-model", "no-such-model"),
        ]:
            with row(section, model, reason):
                await load_litellm()
                response = await own_api.call("PUT", "/v1/settings", json={section: {"model": model}})
                assert response.status_code == 422
                (error,) = response.json()["errors"]
                assert error["loc"] == ["body", section, "model"]
                assert reason in error["msg"]
                assert (await own_api.get("/v1/settings"))[section]["model"] != model


async def test_environment_variables_win_and_the_answer_says_so(own_api: Api) -> None:
    shown = await own_api.put("/v1/settings", {"embedding": {"model": "static", "dim": 256}})
    assert shown["embedding"]["model"] == "none"
    assert shown["embedding"]["locked_by"] == {"model": "EMBEDDING_MODEL"}
    assert shown["embedding"]["dim"] == 256
    again = await own_api.put("/v1/settings", shown)
    assert again == shown, "what is shown may be sent back"


async def test_what_is_stored_by_a_former_release_is_taken_without_its_former_settings(own_api: Api) -> None:
    async with own_api.runtime.db.unscoped() as connection:
        await connection.raw.execute(
            "INSERT INTO installation_settings (section, value, updated_at) VALUES ('embedding', $1::jsonb, now())",
            {"dim": 256, "storage": "binary", "cache_size": 7, "cache_ttl_s": 9},
        )
    shown = (await own_api.get("/v1/settings"))["embedding"]
    assert shown["dim"] == 256
    assert not {"storage", "cache_size", "cache_ttl_s"} & shown.keys()


async def test_how_vectors_are_kept_is_said_by_the_environment_alone(own_api: Api) -> None:
    response = await own_api.call("PUT", "/v1/settings", json={"embedding": {"storage": "binary"}})
    assert response.status_code == 422
    assert response.json()["errors"][0]["msg"] == "embedding.storage is no longer a setting"


async def test_keys_and_addresses_are_no_settings(own_api: Api) -> None:
    with table() as row:
        for field in ["api_key", "api_base", "modell"]:
            with row(field):
                response = await own_api.call(
                    "PUT", "/v1/settings", json={"embedding": {field: "https://there.example"}}
                )
                assert response.status_code == 422
                assert response.json()["errors"][0]["loc"][-1] == field


async def test_other_workspaces_neither_see_nor_change_the_models(tenant: Tenant) -> None:
    shown = await tenant.get("/v1/settings")
    assert (shown["embedding"], shown["rerank"]) == (None, None)
    for section in ("embedding", "rerank"):
        assert await tenant.status("PUT", "/v1/settings", json={section: {"model": "static"}}) == 403
    assert (await tenant.put("/v1/settings", shown | {"window": {"idle_s": 60}}))["window"]["idle_s"] == 60
