"""A limit on everything: connections, statements, bodies, slow clients; and a stop that keeps its word."""

from __future__ import annotations

import asyncio
import resource
import signal
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import httpx
import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.settings import Settings
from tests.live_api import ADMIN_KEY, Api, serving
from tests.processes import ServerProcess
from tests.tuning import tuned


async def test_no_free_connection_is_503_with_a_time_to_come_back(settings: Settings) -> None:
    tight = tuned(settings, pool_size=1, pool_wait_s=5)
    async with serving(tight) as api:
        async with api.runtime.db.unscoped():
            answer = await api.call("GET", "/v1/agents")
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
        assert answer.headers["content-type"] == "application/problem+json"
        assert await api.status("GET", "/v1/agents") == 200


async def test_a_statement_past_its_time_is_503_and_nothing_is_written(settings: Settings, database_url: str) -> None:
    async with serving(tuned(settings, statement_timeout_s=3)) as api:
        memory = await api.save("Held")
        holder = await asyncpg.connect(database_url)
        try:
            async with holder.transaction():
                await holder.execute("SELECT 1 FROM memories WHERE workspace_id = $1 FOR UPDATE", DEFAULT_WORKSPACE)
                answer = await api.call("PATCH", f"/v1/memories/{memory['id']}", json={"version": 1, "content": "New"})
                assert answer.status_code == 503
                assert "retry-after" in answer.headers
        finally:
            await holder.close()
        assert (await api.get(f"/v1/memories/{memory['id']}"))["content"] == "Held"


async def test_no_room_for_the_file_of_an_export_or_import_is_503(server: ServerProcess) -> None:
    lines = b"".join(b'{"agent": "a", "type": "fact", "content": "There are %d"}\n' % n for n in range(500))
    assert (await server.call("POST", "/v1/import", content=lines)).status_code == 200
    server.limit(resource.RLIMIT_FSIZE, 0)
    for method, path, content in (("GET", "/v1/export", None), ("POST", "/v1/import", lines)):
        answer = await server.call(method, path, content=content)
        assert answer.status_code == 503, answer.text
        assert int(answer.headers["retry-after"]) >= 1
    assert (await server.call("GET", "/v1/agents")).status_code == 200


@pytest.mark.parametrize("chunked", [True, False])
async def test_a_body_past_its_bound_is_413(api: Api, chunked: bool) -> None:
    body = b'{"agent": "a", "type": "fact", "content": "' + b"x" * 1_100_000 + b'"}'

    async def parts() -> Any:
        for start in range(0, len(body), 65_536):
            yield body[start : start + 65_536]

    content = parts() if chunked else body
    answer = await api.call("POST", "/v1/memories", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert answer.json()["status"] == 413


async def test_a_client_that_sends_its_body_too_slowly_is_let_go(settings: Settings) -> None:
    async with serving(tuned(settings, body_timeout_s=0.3)) as api:
        where = urlsplit(str(api.http.base_url))
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        head = (
            f"POST /v1/memories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ADMIN_KEY}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        )
        writer.write(head.encode())
        answer = await asyncio.wait_for(reader.read(4096), 120)
        assert b" 408 " in answer.split(b"\r\n")[0]
        writer.close()
        assert await api.status("GET", "/v1/agents") == 200


async def test_a_head_that_does_not_come_or_does_not_end_closes_the_connection(impatient: ServerProcess) -> None:
    whole = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

    async def answer_to(*parts: bytes) -> bytes:
        """What comes after the answers to whole heads; a connection reset while still sending is a refusal as well."""
        reader, writer = await asyncio.open_connection("127.0.0.1", impatient.port)
        try:
            for part in parts:
                writer.write(part)
                await writer.drain()
                if part == whole:
                    await reader.readuntil(b'{"status":"ok"}')
            return await asyncio.wait_for(reader.read(), 120)
        except ConnectionError:
            return b"HTTP/1.1 400 reset"
        finally:
            writer.close()

    unfinished = ((), (b"GET /healthz HT",), (whole, whole, b"GET /healthz HTTP/1.1\r\nHost:"))
    assert await asyncio.gather(*(answer_to(*parts) for parts in unfinished)) == [b""] * 3
    assert b" 400 " in await answer_to(b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 70_000)
    assert b" 400 " in await answer_to(b"GET /healthz HTTP/1.1\r\n" + b"X: y\r\n" * 20_000)
    assert (await impatient.call("GET", "/v1/agents")).status_code == 200


async def test_a_stop_finishes_what_it_acknowledges(server: ServerProcess) -> None:
    """SIGTERM under load: every append answered with 201 is there, every other one is not half there."""

    async def append(n: int) -> int | None:
        body = {"agent": "a", "messages": [{"role": "user", "content": f"turn {n}"}] * 3}
        try:
            return (await server.call("POST", "/v1/sessions/s/messages", json=body)).status_code
        except httpx.TransportError:
            return None

    sent = [asyncio.ensure_future(append(n)) for n in range(60)]
    await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
    server.signal(signal.SIGTERM)
    statuses = await asyncio.gather(*sent)
    assert await server.wait() in (0, -signal.SIGTERM)
    await server.start()
    assert set(statuses) <= {201, 503, None}
    items: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        page = (
            await server.call("GET", "/v1/sessions/s/messages", params={"agent": "a", "limit": 200} | cursor)
        ).json()
        items += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    counted = [sum(item["content"] == f"turn {n}" for item in items) for n in range(60)]
    assert all(count == 3 for count, status in zip(counted, statuses, strict=True) if status == 201)
    assert set(counted) <= {0, 3}
