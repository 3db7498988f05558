"""What the engine says of itself, a trial run of it, and embedding anew."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import asyncpg
import pytest

from reverie_client import AsyncReverie
from service.domain.principal import KeyGrant
from service.first_start import key_in_workspace
from service.memory.ops.engine_status import LATE_S
from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import ADMIN_KEY, Api, serving
from tests.schema_snapshot import table_names
from tests.tuning import tuned
from tests.waiting import until
from tests.worker.dreaming import dream, say
from worker.maintenance.vectors import Reindexer

WITHIN_S = 120


@pytest.fixture
def provider() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(dim=48) as running:
        yield running


@pytest.fixture
async def remote_api(settings: Settings, provider: FakeOpenAI) -> AsyncIterator[Api]:
    models = {
        "embedding_model": "openai/fake", "embedding_api_base": provider.base_url, "embedding_dim": 48,
        "llm_model": "openai/fake", "llm_api_base": provider.base_url,
    }  # fmt: skip
    async with serving(settings.model_copy(update=models)) as api:
        yield api


async def rows_everywhere(api: Api) -> dict[str, int]:
    async with api.runtime.db.unscoped() as connection:
        await connection.raw.execute("RESET ROLE")
        return {
            name: await connection.raw.fetchval(f'SELECT count(*) FROM "{name}"')  # noqa: S608
            for name in table_names()
        }


async def test_the_engine_says_what_it_is_made_of(static_api: Api) -> None:
    await static_api.save("The ferry leaves at nine")
    told = await static_api.get("/v1/engine")
    assert told["embedder"]["status"] == "ok"
    assert (told["embedder"]["source"], told["embedder"]["dim"], told["embedder"]["storage"]) == (
        "static", 256, "halfvec",
    )  # fmt: skip
    assert told["llm"]["status"] == "off"
    assert told["pending"] == 0
    assert told["index"] == {"memories": 1, "messages": 0, "chunks": 0}
    assert told["database"]["status"] == "ok"
    assert told["database"]["search_index_bytes"] > 0
    assert told["pii"]["mode"] == "off"
    assert told["workers_status"] == "failing"
    assert told["problems"] == ["workers: No worker is running."]
    await static_api.post("/v1/agents/a/dream", {})
    assert (await static_api.get("/v1/engine"))["dreams"]["due"] == 1


async def until_models_are(status: str, api: Api) -> dict[str, Any]:
    """What the engine says once embedder and model are in this condition: a look at them may be late."""
    async with asyncio.timeout(WITHIN_S):
        while True:
            said = await api.get("/v1/engine")
            if said["embedder"]["status"] == said["llm"]["status"] == status:
                return said
            await asyncio.sleep(0.05)


async def test_a_broken_embedder_and_a_broken_model_are_told_and_then_no_more(
    remote_api: Api, provider: FakeOpenAI
) -> None:
    await until_models_are("ok", remote_api)
    provider.fail(status=500, times=None)
    broken = await until_models_are("failing", remote_api)
    assert broken["status"] == "degraded"
    assert broken["embedder"]["error"]
    ready = await remote_api.get("/readyz")
    assert ready["status"] == "ready"
    assert ready["degraded"] == ["workers", "embedder", "llm"]
    assert ready["checks"]["embedder"] == ready["checks"]["llm"] == "failing"
    provider.heal()
    await until_models_are("ok", remote_api)


async def test_the_cause_of_a_failing_embedder_is_told_while_its_server_lists_models(
    settings: Settings, provider: FakeOpenAI
) -> None:
    """A list of models every twentieth of a second does not stand for a call."""
    models = {"embedding_model": "openai/fake", "embedding_api_base": provider.base_url, "embedding_dim": 48}
    async with serving(tuned(settings, health_probe_interval_s=0.05).model_copy(update=models)) as api:
        await until(partial(_knows, api, "ok"), "the list of models is not seen")
        provider.fail(status=500, times=None, endpoint="embeddings")
        told = await until(partial(_told_failing, api), "the failure is not told")
        assert all(part in told["embedder"]["error"] for part in ("500", "made to fail by the test"))
        assert f"embedder: {told['embedder']['error']}" in told["problems"]


async def _told_failing(api: Api) -> dict[str, Any] | None:
    """The engine as it is told once its embedder fails: a call of less than a second ago stands for a look."""
    told = await api.get("/v1/engine")
    return told if told["embedder"]["status"] == "failing" else None


async def _knows(api: Api, state: str) -> bool:
    return (await api.get("/readyz"))["checks"]["embedder"] == state


async def test_what_calls_show_is_known_without_a_look(remote_api: Api, provider: FakeOpenAI) -> None:
    provider.fail(status=400, times=None, endpoint="embeddings")
    saved = await remote_api.save("The ferry leaves at nine")
    assert saved["embedding"] == "pending"
    assert (await remote_api.get("/readyz"))["checks"]["embedder"] == "failing"


async def test_readiness_needs_the_database_and_tells_no_details(api: Api) -> None:
    assert (await api.http.get("/readyz")).json()["checks"]["database"] == "ok"
    await api.runtime.db.close()
    answer = await api.http.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {
        "status": "unavailable",
        "degraded": ["database"],
        "checks": {"database": "failing", "replica": "off", "workers": "unknown", "embedder": "off", "llm": "off"},
        "detail": None,
    }


@pytest.mark.parametrize("key", [None, "wrong"])
async def test_the_engine_answers_without_the_database(api: Api, settings: Settings, key: str | None) -> None:
    caller = api if key is None else replace(api, key=key)
    async with AsyncExitStack() as stack:
        for _ in range(settings.tuning.pool_size):  # a database that hangs: every connection is taken
            await stack.enter_async_context(api.runtime.db.unscoped())
        for path in ("/v1/engine", "/readyz", "/v1/engine"):
            answer = await caller.call("GET", path)
            assert answer.status_code == 503
            assert answer.json()["degraded"] == ["database"]
            assert answer.json()["checks"]["database"] == "failing"
        assert answer.headers["Retry-After"]
        assert answer.headers["Content-Type"] == "application/problem+json"
    assert await caller.status("GET", "/v1/engine") == (200 if key is None else 401)


async def test_a_trial_run_works_and_leaves_nothing(static_api: Api) -> None:
    await static_api.save("Something that stays")
    before = await rows_everywhere(static_api)
    done = await static_api.post("/v1/verify")
    assert done["working"] is True
    assert [(step["name"], step["ok"]) for step in done["steps"]] == [
        ("embed", True), ("write", True), ("find_by_keyword", True), ("find_by_vector", True), ("delete", True),
    ]  # fmt: skip
    assert await rows_everywhere(static_api) == before


async def test_a_trial_run_with_a_broken_embedder_says_so(remote_api: Api, provider: FakeOpenAI) -> None:
    assert (await remote_api.post("/v1/verify"))["working"] is True
    provider.fail(status=400, times=None, endpoint="embeddings")
    done = await remote_api.post("/v1/verify")
    assert done["working"] is False
    assert {step["name"]: step["ok"] for step in done["steps"]} == {
        "embed": False, "write": True, "find_by_keyword": True, "delete": True,
    }  # fmt: skip


async def others(api: Api, settings: Settings) -> dict[str, Api]:
    """Every kind of key but an admin key of the default workspace."""
    tenant = replace(api, key=await key_in_workspace(settings, KeyGrant("admin", "tenant"), "tenant"))
    return {
        "agent": await api.as_role("agent", "a"), "reader": await api.as_role("reader"), "tenant": tenant,
        "tenant's agent": await tenant.as_role("agent", "a"), "tenant's reader": await tenant.as_role("reader"),
    }  # fmt: skip


SHARED = re.compile(r"version|postgres|pgvector|schema|bytes|pool|lag|host|worker", re.IGNORECASE)
"""In the names of what concerns the whole installation."""


async def test_what_concerns_the_whole_installation_is_for_its_admins(
    remote_api: Api, provider: FakeOpenAI, settings: Settings
) -> None:
    await remote_api.save("The ferry leaves at nine")
    await remote_api.post("/v1/agents/a/dream", {})
    async with remote_api.runtime.db.unscoped() as connection:
        await connection.run("heartbeat", worker="worker-on-some-host", health={})
        await connection.raw.execute("UPDATE worker_heartbeats SET seen_at = seen_at - interval '1 minute'")
        await connection.raw.execute("UPDATE embedding_state SET next = active, total = 471104711, done = 815815815")
    whole = await remote_api.get("/v1/engine")
    assert whole["workers"][0]["worker"] == "worker-on-some-host"
    assert whole["embedder"]["change"]["total"] == 471104711
    provider.fail(status=500, times=None)
    await until_models_are("failing", remote_api)
    for name, caller in (await others(remote_api, settings)).items():
        answer = await caller.call("GET", "/v1/engine")
        told = answer.json()
        own = 0 if name.startswith("tenant") else 1
        assert (told["index"]["memories"], told["dreams"]["due"]) == (own, own), name
        assert told["database"].keys() == {"status", "error", "checked_at", "latency_ms"}
        assert (told["version"], told["replica"], told["workers"], told["embedder"]["change"]) == (None,) * 4
        assert (told["embedder"]["status"], told["llm"]["status"], told["workers_status"]) == ("failing",) * 3
        assert told["embedder"]["error"] is told["llm"]["error"] is told["embedder"]["index_bytes"] is None
        assert told["status"] == "degraded"
        assert told["problems"] == ["embedder: failing", "llm: failing", "workers: failing"]
        for secret in (
            "some-host",
            str(whole["database"]["database_bytes"]),
            "471104711",
            "815815815",
            provider.base_url,
        ):
            assert secret not in answer.text, (name, secret)
        given = {path for path, value in flat(told) if value not in (None, "failing") and SHARED.search(path)}
        assert given == {"embedder.vector_bytes"}
        providers = (await caller.get("/v1/embedding-providers"))["items"]
        assert [(one["source"], one["active"]) for one in providers] == [("remote", True)]


def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of an answer with the path to it."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from flat(part, f"{path}.{name}" if path else name)
    else:
        yield path, value


async def test_who_may_ask(api: Api) -> None:
    reader = await api.as_role("reader")
    agent = await api.as_role("agent", "a")
    assert await reader.status("GET", "/v1/engine") == 200
    assert await reader.status("POST", "/v1/verify") == 403
    assert await agent.status("POST", "/v1/verify") == 200
    assert await agent.status("POST", "/v1/reindex") == 403
    assert (await api.http.get("/v1/engine")).status_code == 401


async def test_embedding_anew_is_started_done_and_told(remote_api: Api, provider: FakeOpenAI) -> None:
    provider.fail(status=400, times=2, endpoint="embeddings")
    await remote_api.save("The ferry leaves at nine")
    await remote_api.save("The train leaves at ten")
    assert (await remote_api.get("/v1/engine"))["pending"] == 2
    assert await remote_api.post("/v1/reindex", {"force": False}) == {"started": True, "pending": 2}
    assert (await remote_api.get("/v1/reindex"))["running"] is True
    await Reindexer(remote_api.runtime, "w").step()
    progress = await remote_api.get("/v1/reindex")
    assert (progress["running"], progress["done"], progress["total"], progress["pending"]) == (False, 2, 2, 0)
    assert await remote_api.post("/v1/reindex") == {"started": False, "pending": 0}
    assert (await remote_api.post("/v1/reindex", {"force": True}))["started"] is True
    assert (await remote_api.get("/v1/engine"))["reindex"]["total"] == 2


async def test_without_an_embedder_nothing_can_be_embedded_anew(api: Api) -> None:
    assert await api.status("POST", "/v1/reindex", json={"force": True}) == 409


async def test_the_providers_say_what_would_work_here(static_api: Api) -> None:
    items = (await static_api.get("/v1/embedding-providers"))["items"]
    assert {one["source"] for one in items} == {"remote", "local", "static", "none"}
    assert [one["source"] for one in items if one["active"]] == ["static"]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"embedding_api_key": "k"}, "a key is set"),
        ({"embedding_api_base": "http://127.0.0.1:9/v1"}, "the server of EMBEDDING_API_BASE is used without a key"),
    ],
)
async def test_a_key_that_is_set_is_seen(settings: Settings, given: dict[str, str], reason: str) -> None:
    async with serving(settings.model_copy(update={"embedding_model": "static", **given})) as api:
        items = (await api.get("/v1/embedding-providers"))["items"]
    assert [(one["available"], one["reason"]) for one in items if one["source"] == "remote"] == [(True, reason)]


async def test_settings_are_in_effect_in_every_process_at_once(settings: Settings) -> None:
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(serving(settings))
        other = await stack.enter_async_context(serving(settings))
        mail = "Write to ada@example.org about the ferry"
        assert (await other.save(mail))["content"] == mail
        await one.put("/v1/settings", {"pii": {"mode": "redact"}})
        assert "<EMAIL_ADDRESS>" in (await other.save(mail + " today"))["content"]
        assert (await other.get("/v1/engine"))["pii"]["mode"] == "redact"
        refused = await one.call("PUT", "/v1/settings", json={"window": {"messages_max": 5, "trim_to": 9}})
        assert refused.status_code == 422
        assert await one.status("PUT", "/v1/settings", json={"windwo": {}}) == 422
        assert (await other.get("/v1/settings"))["window"]["messages_max"] == 20


async def test_the_client_asks_for_all_of_it(static_api: Api) -> None:
    base = str(static_api.http.base_url)
    async with AsyncReverie(base, ADMIN_KEY) as client:
        assert (await client.get_engine())["embedder"]["source"] == "static"
        assert (await client.verify_engine())["working"] is True
        assert (await client.start_reindex(force=True))["started"] is False
        assert (await client.get_reindex())["running"] is False
        assert len((await client.list_embedding_providers())["items"]) == 4


async def test_a_dream_that_waits_is_told_since_when(api: Api) -> None:
    await say(api, "I live in Oslo.")
    began = datetime.now(UTC)
    await api.post("/v1/agents/a/dream")
    queue = (await api.get("/v1/engine"))["dreams"]
    assert queue["due"] == 1
    assert datetime.fromisoformat(queue["oldest_due_at"]) >= began
    await api.post("/v1/agents/a/dream")
    assert (await api.get("/v1/engine"))["dreams"] == queue
    later = datetime.now(UTC) + timedelta(seconds=LATE_S + 5)
    api.runtime.now = lambda: later
    other = await api.as_role("agent", "a")
    for caller in (api, other):
        told = await caller.get("/v1/engine")
        assert told["status"] == "degraded"
        assert any(problem.startswith("dreams: 1 agent") for problem in told["problems"])
    await dream(api.runtime)
    assert (await api.get("/v1/engine"))["dreams"]["oldest_due_at"] is None


async def test_waiting_for_a_dream_ends_when_its_worker_is_silent(api: Api, database_url: str) -> None:
    await say(api, "I live in Oslo.")
    connection = await asyncpg.connect(database_url)
    await connection.execute("INSERT INTO worker_heartbeats VALUES ('dead', now(), now() - interval '30 s', '{}')")
    await connection.execute(
        "UPDATE dream_schedule SET lease_owner = 'dead', lease_token = 7, lease_until = now() + interval '120 s'"
    )
    await connection.close()
    answer = await api.call("POST", "/v1/agents/a/dream", json={"wait": True})
    assert answer.status_code == 503
    assert "is silent" in answer.json()["detail"]
    assert 60 <= int(answer.headers["retry-after"]) <= 120
    assert [one["status"] for one in (await api.get("/v1/dreams"))["items"]] == ["queued"]
