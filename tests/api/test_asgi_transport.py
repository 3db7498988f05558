"""Calls to an API of the same process: whole answers, streams, and leaving early."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from service.asgi_transport import InProcess

URL = "http://reverie.invalid"


def over(app: object) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=InProcess(app), base_url=URL)  # type: ignore[arg-type]


async def test_a_stream_begins_before_it_ends_and_ends_when_its_reader_leaves() -> None:
    seen: list[Message] = []

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            while True:
                await send({"type": "http.response.body", "body": b"tick\n", "more_body": True})
        except asyncio.CancelledError:
            seen.append({"type": "cancelled"})
            raise

    async with over(endless) as http, http.stream("GET", "/") as response:
        assert await anext(response.aiter_lines()) == "tick"
    assert seen == [{"type": "cancelled"}]


async def test_a_body_is_sent_in_its_parts() -> None:
    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        more = True
        while more:
            message = await receive()
            more = message["more_body"]
            await send({"type": "http.response.body", "body": message["body"], "more_body": True})

    async def parts() -> AsyncIterator[bytes]:
        yield b"one "
        yield b"two"

    async with over(echo) as http:
        assert (await http.post("/", content=parts())).text == "one two"


async def test_an_app_that_fails_is_a_failure_here() -> None:
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("no")

    async def mute(scope: Scope, receive: Receive, send: Send) -> None:
        return

    async with over(failing) as http:
        with pytest.raises(RuntimeError):
            await http.get("/")
    async with over(mute) as http:
        with pytest.raises(httpx.RemoteProtocolError):
            await http.get("/")


async def test_paths_and_queries_arrive_as_they_were_sent() -> None:
    seen: list[Scope] = []

    async def note(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async with over(note) as http:
        assert (await http.get("/v1/sessions/on%20and%20on", params={"agent": "a&b"})).status_code == 204
    assert (seen[0]["path"], seen[0]["query_string"]) == ("/v1/sessions/on and on", b"agent=a%26b")
