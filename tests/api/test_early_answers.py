"""Requests answered before their body has come: nothing of the body is taken for a request, or answered again."""

from __future__ import annotations

import asyncio
import re

import pytest

from tests.live_api import ADMIN_KEY
from tests.processes import ServerProcess

INNER = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
LARGE = (INNER * 50_000)[:1_500_000]
"""A body past its bound that looks like requests."""
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")


def request(path: str, body: bytes, *, chunked: bool, key: str = ADMIN_KEY) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n".encode()
    )
    if not chunked:
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    parts = (body[start : start + 100_000] for start in range(0, len(body), 100_000))
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


async def statuses(port: int, *sent: bytes, count: int) -> list[int]:
    """Statuses of what is answered to bytes on one connection, until there are ``count`` or the server closes it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    got = b""

    async def read() -> None:
        nonlocal got
        while len(STATUS.findall(got)) < count and (part := await reader.read(65_536)):
            got += part

    try:
        async with asyncio.timeout(120):
            reading = asyncio.create_task(read())
            for part in sent:
                writer.write(part)
                await writer.drain()
            await reading
    finally:
        writer.close()
    return [int(status) for status in STATUS.findall(got)]


CASES = [
    (413, request("/v1/memories", LARGE, chunked=False)),
    (413, request("/v1/memories", LARGE, chunked=True)),
    (401, request("/mcp", LARGE[:1_000_000], chunked=False, key="no-key")),
    (401, request("/mcp", LARGE, chunked=True, key="no-key")),
    (422, request("/v1/import", b"no json\n" + LARGE, chunked=False)),
    (404, request("/nowhere", LARGE[:1_000_000], chunked=True)),
]


@pytest.mark.parametrize(("status", "sent"), CASES, ids=[str(status) for status, _ in CASES])
async def test_the_rest_of_the_body_is_dropped_and_the_connection_goes_on(
    server: ServerProcess, status: int, sent: bytes
) -> None:
    """A request sent after the body (later, or in the same bytes) gets its own answer, and nothing else gets one."""
    missing = b"GET /v1/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    assert await statuses(server.port, sent, INNER, missing, count=9) == [status, 200, 401]
    assert await statuses(server.port, sent + INNER + missing, count=9) == [status, 200, 401]


async def test_a_body_whose_rest_does_not_come_closes_the_connection(impatient: ServerProcess) -> None:
    cut_off = (CASES[0][1][:1_200_000], CASES[1][1][:1_200_000], CASES[2][1][:1_000])
    answered = await asyncio.gather(*(statuses(impatient.port, sent, count=9) for sent in cut_off))
    assert answered == [[413], [413], [401]]


async def test_a_body_that_turns_out_malformed_is_not_answered_again(server: ServerProcess) -> None:
    sent = request("/v1/memories", LARGE, chunked=True).removesuffix(b"0\r\n\r\n")
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        async with asyncio.timeout(120):
            writer.write(sent)
            assert b" 413 " in await reader.readuntil(b"}")
            writer.write(b"no chunk\r\n" + INNER)
            assert await reader.read() == b""
    finally:
        writer.close()
