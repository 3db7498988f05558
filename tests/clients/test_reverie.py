"""The Python clients, against a real server."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from reverie_client import (
    AsyncReverie,
    Conflict,
    ConnectionFailed,
    InvalidRequest,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    Reverie,
    calls,
)
from reverie_client.call import Call
from tests.api_document import DOCUMENT
from tests.live_api import ADMIN_KEY, Api

UNANSWERED = {"/v1/export", "/v1/workspaces/{}/export", "/v1/import", "/v1/events", "/metrics"}
"""Streams and texts: methods of their own, or none."""


@pytest.fixture
async def client(static_api: Api) -> AsyncIterator[AsyncReverie]:
    """An awaited client that acts as the agent ``a``."""
    async with AsyncReverie(str(static_api.http.base_url), ADMIN_KEY, agent="a") as opened:
        yield opened


async def blocking(api: Api, work: Callable[[Reverie], Any]) -> Any:
    """What ``work`` gives with a blocking client, run beside the server's event loop."""

    def run() -> Any:
        with Reverie(str(api.http.base_url), ADMIN_KEY, agent="a") as opened:
            return work(opened)

    return await asyncio.to_thread(run)


def sample(build: Any) -> Call[Any]:
    """A call made with whatever its parameters take."""
    needed = {"type": "fact", "items": [], "messages": [], "memory_ids": [], "webhook": {}, "edge": {}, "request": {}}
    code = build.__code__
    required = code.co_varnames[: code.co_argcount - len(build.__defaults__ or ())]
    return build(**{parameter: needed.get(parameter, "{}") for parameter in required})  # type: ignore[no-any-return]


def all_calls() -> dict[str, Any]:
    """The functions that make calls, by name."""
    return {
        name: value
        for module in calls.MODULES
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__
    }


async def test_every_endpoint_of_the_api_has_its_call(static_api: Api) -> None:
    def shape(method: str, path: str) -> tuple[str, str]:
        return method.upper(), re.sub(r"\{[^}]*\}|%7B%7D", "{}", path)

    schema = (await static_api.http.get("/openapi.json")).json()
    served = {shape(method, path) for path, methods in schema["paths"].items() for method in methods}
    served = {(method, path) for method, path in served if path not in UNANSWERED}
    called = {shape(call.method, call.path) for call in map(sample, all_calls().values())}
    assert served - called == set()


def test_a_method_has_the_name_of_its_operation() -> None:
    ids = {one["operationId"] for item in DOCUMENT["paths"].values() for one in item.values()}
    others = {"count_agent", "count_session", "count_team", "count_workspace", "ask_memory_stream"}
    of_the_client = {"send", "lines", "for_user", "for_prompts", "close"}
    assert {name for name in dir(Reverie) if not name.startswith("_")} == ids - {"get_metrics"} | others | of_the_client


def test_both_clients_have_every_call() -> None:
    for name, build in all_calls().items():
        assert getattr(Reverie, name) is build, name
        assert getattr(AsyncReverie, name) is build, name


async def test_memories_there_and_back(client: AsyncReverie) -> None:
    saved = await client.save_memory("fact", "Ana likes tea", tags=["drink"], metadata={"n": 1}, importance=0.9)
    assert saved.created
    assert saved.memory is not None
    memory = saved.memory
    assert (memory.agent, memory.tags, memory.metadata) == ("a", ["drink"], {"n": 1})
    assert await client.get_memory(memory.id) == memory
    found = await client.search_memories("what does Ana like to drink?", limit=3)
    assert found.results[0].memory == memory
    previewed = (await client.preview_search("tea")).results[0].memory
    assert previewed is not None
    assert previewed.id == memory.id  # its access count is written meanwhile
    changed = await client.update_memory(memory.id, memory.version, content="Ana likes green tea", expires_at=None)
    assert changed.version == memory.version + 1
    with pytest.raises(Conflict):
        await client.update_memory(memory.id, memory.version, content="stale")
    assert len((await client.list_memory_history(memory.id)).items) == 2
    assert (await client.list_memory_sources(memory.id)).items == []
    await client.delete_memory(memory.id)
    with pytest.raises(NotFound):
        await client.get_memory(memory.id)
    assert (await client.restore_memory(memory.id)).id == memory.id


async def test_lists_go_on_over_pages(client: AsyncReverie) -> None:
    batch = [{"agent": "a", "type": "fact", "content": f"fact number {n}"} for n in range(7)]
    assert len((await client.save_memories(batch)).items) == 7  # type: ignore[arg-type]
    assert len({memory.id async for memory in client.list_memories(limit=2)}) == 7
    assert [memory.type async for memory in client.list_memories(type=["goal"])] == []


async def test_conversations_there_and_back(client: AsyncReverie) -> None:
    session = await client.start_session("Monday, 9:10?", user="sam")
    stored = await client.append_messages(session.session, [{"role": "user", "content": "I moved to Bergen."}])
    assert stored.messages[0].seq == 1
    assert (await client.get_session(session.session)).messages == 1
    assert [message.content async for message in client.list_messages(session.session)] == ["I moved to Bergen."]
    assert len((await client.get_window(session.session)).messages) == 1
    assert (await client.list_message_memories(stored.messages[0].id)).items == []
    assert [one.session async for one in client.list_sessions(user="sam")] == [session.session]
    context = await client.build_context("Where do I live?", session=session.session)
    assert context.messages[-1]["content"] == "Where do I live?"
    await client.clear_window(session.session)
    assert (await client.get_window(session.session)).messages == []


async def test_documents_there_and_back(client: AsyncReverie) -> None:
    document = await client.create_document("Tea", "Green tea is brewed at 80 degrees.", metadata={"n": 1})
    assert (await client.get_document(document.id)).text == "Green tea is brewed at 80 degrees."
    assert [one.title async for one in client.list_documents()] == ["Tea"]
    found = (await client.search_memories("how hot is green tea brewed?", include=["documents"])).results[0]
    assert found.document is not None
    assert found.document.document_id == document.id
    await client.delete_document(document.id)
    assert [one async for one in client.list_documents()] == []


async def test_agents_dreams_and_the_workspace(client: AsyncReverie) -> None:
    assert (await client.put_agent("a", name="Ada", teams=["blue"])).teams == ["blue"]
    assert (await client.get_agent("a")).name == "Ada"
    assert [agent.agent async for agent in client.list_agents()] == ["a"]
    assert (await client.put_task("t", ["a"])).members == ["a"]
    assert (await client.put_task("open", None)).members is None
    assert [task.task async for task in client.list_tasks()] == ["open", "t"]
    assert await client.get_task("t") == (await client.put_task("t", ["a"]))
    dream = await client.request_dream("a", dry_run=True)
    assert (await client.get_dream(dream.id)).status in ("queued", "running", "dry_run")
    assert [one.id async for one in client.list_dreams()] == [dream.id]
    with pytest.raises(NotFound):
        await client.get_bulletin("a")
    assert [one async for one in client.list_bulletin_versions("a")] == []
    assert [one async for one in client.list_entities()] == []
    assert (await client.update_settings({"window": {"messages_max": 30}}))["window"]["messages_max"] == 30
    assert (await client.get_settings())["window"]["messages_max"] == 30
    key = await client.create_key("agent", "mine", agent="a")
    assert key.id in {one.id async for one in client.list_keys()}
    rotated = await client.rotate_key(key.id)
    await client.revoke_key(key.id)
    assert rotated.key != key.key
    assert [line["action"] async for line in client.list_audit_entries(action="settings.changed")] == [
        "settings.changed"
    ]
    assert (await client.check_liveness())["status"] == "ok"
    assert (await client.check_readiness())["status"] == "ready"


async def test_out_and_in_again(client: AsyncReverie, static_api: Api, tmp_path: Path) -> None:
    await client.save_memory("fact", "Ana likes tea")
    lines = [line async for line in client.export_records()]
    assert (lines[0]["record"], lines[-1]["record"]) == ("export", "end")
    whole = [line["record"] async for line in client.export_workspace("default")]
    assert whole == [line["record"] for line in lines]
    assert await blocking(static_api, lambda opened: [x["record"] for x in opened.export_workspace("default")]) == whole
    written = tmp_path / "all.ndjson"
    written.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told: list[tuple[int, int]] = []
    done = await blocking(
        static_api, lambda opened: opened.import_records(written, on_progress=lambda *step: told.append(step))
    )
    assert (done.created, done.updated) == (0, 0)
    assert told[-1] == (len(lines) - 2, len(lines) - 2)
    told.clear()
    again = await client.import_records(written, on_progress=lambda *step: told.append(step))
    assert again.unchanged == done.unchanged
    assert told[-1] == (len(lines) - 2, len(lines) - 2)
    written.write_text("{broken")
    with pytest.raises(InvalidRequest) as refused:
        await blocking(static_api, lambda opened: opened.import_records(written))
    assert refused.value.problem["line"] == 1
    assert (
        await blocking(static_api, lambda opened: [line["record"] for line in opened.export_records(agent="a")][-1])
        == "end"
    )


async def test_the_blocking_client_is_the_same(static_api: Api) -> None:
    def work(opened: Reverie) -> tuple[list[str], list[str]]:
        for n in range(5):
            opened.save_memory("fact", f"tea number {n}")
        found = [result.memory.content for result in opened.search_memories("tea", limit=2).results if result.memory]
        return [memory.content for memory in opened.list_memories(limit=2)], found

    listed, found = await blocking(static_api, work)
    assert len(listed) == 5
    assert len(found) == 2


async def test_failures_are_types(static_api: Api) -> None:
    url = str(static_api.http.base_url)
    async with AsyncReverie(url, "no such key", retries=0) as stranger:
        with pytest.raises(NotAuthenticated):
            await stranger.list_agents(limit=1).__anext__()
    reader = await static_api.as_role("reader")
    async with AsyncReverie(url, reader.key, agent="a") as reading:
        with pytest.raises(NotAllowed):
            await reading.save_memory("fact", "x")
    async with AsyncReverie(url, ADMIN_KEY, agent="a") as client:
        with pytest.raises(InvalidRequest) as refused:
            await client.save_memory("fact", "x", importance=2)
        assert "importance" in refused.value.errors[0]["loc"]
    async with AsyncReverie("http://127.0.0.1:9", retries=0) as nowhere:
        with pytest.raises(ConnectionFailed):
            await nowhere.check_liveness()


async def test_switched_off_memory_keeps_nothing(static_api: Api) -> None:
    async with AsyncReverie(str(static_api.http.base_url), ADMIN_KEY, agent="a", no_memory=True) as client:
        await client.append_messages("s", [{"role": "user", "content": "unheard"}])
    assert (await static_api.get("/v1/sessions"))["items"] == []


async def test_what_passes_is_sent_again_under_the_same_key() -> None:
    keys: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["idempotency-key"])
        if len(keys) == 1:
            raise httpx.ReadError("gone", request=request)
        if len(keys) == 2:
            return httpx.Response(503, headers={"Retry-After": "0"}, json={})
        return httpx.Response(200, json={})

    http = httpx.AsyncClient(base_url="http://reverie", transport=httpx.MockTransport(answer))
    async with AsyncReverie(http=http, agent="a") as client:
        await client.rate_memory(uuid4(), True)
    assert len(keys) == 3
    assert len(set(keys)) == 1


async def test_a_patch_whose_answer_was_lost_is_not_sent_again() -> None:
    sent = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal sent
        sent += 1
        raise httpx.ReadError("gone", request=request)

    http = httpx.AsyncClient(base_url="http://reverie", transport=httpx.MockTransport(answer))
    async with AsyncReverie(http=http) as client:
        with pytest.raises(ConnectionFailed):
            await client.update_memory("x", 1, content="y")
    assert sent == 1


def test_importable_without_the_server() -> None:
    check = (
        "import sys; import reverie_client; "
        "print(sorted({m.split('.')[0] for m in sys.modules} & "
        "{'fastapi', 'sqlalchemy', 'asyncpg', 'orjson', 'structlog', 'litellm', 'numpy', 'pydantic_settings', "
        "'service', 'worker', 'reverie'}))"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
