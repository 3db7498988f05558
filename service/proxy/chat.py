"""One chat completion through memory: recall, forward, keep. Whatever memory does, the model's answer is given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from typing import Any

import structlog

from service.domain.context import ContextRequest, Placement, ShareChanges
from service.domain.json import dumps
from service.domain.principal import Principal
from service.domain.values import QUERY_MAX
from service.domain.workspace import ProxySettings
from service.errors import Forbidden
from service.memory.context import build_context
from service.memory.converse import keep_turns
from service.memory.engine import Engine
from service.memory.workspace import get_settings
from service.proxy import injection, transcript
from service.proxy.injection import Payload
from service.proxy.upstream import DONE, Reply, Upstream

log = structlog.get_logger(__name__)

OFF = "off"
ON = "on"
DEGRADED = "degraded"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Asked:
    """A client's request: its bytes, and what its headers say; None leaves it to the key and the settings."""

    content: bytes
    agent: str | None = None
    user: str | None = None
    session: str | None = None
    task: str | None = None
    placement: Placement | None = None
    max_tokens: int | None = None


@dataclass(slots=True)
class Memory:
    """What memory did for one completion, as the answer's headers tell."""

    state: str = OFF
    detail: str = ""
    tokens: int = 0
    session: str | None = None

    def worse(self, state: str, detail: str) -> None:
        """Something went wrong; the worst is told."""
        if self.state != FAILED:
            self.state, self.detail = state, detail

    def headers(self) -> dict[str, str]:
        """For the answer."""
        told = {"x-reverie-memory": self.state, "x-reverie-memory-tokens": str(self.tokens)}
        if self.detail:
            told["x-reverie-memory-detail"] = self.detail.encode("ascii", "replace").decode().replace("\n", " ")[:300]
        if self.session:
            told["x-reverie-session"] = self.session.encode("ascii", "replace").decode()
        return told


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back to the client."""

    status: int
    headers: dict[str, str]
    body: bytes | AsyncIterator[bytes]


@dataclass(frozen=True, slots=True)
class _Turn:
    """A completion whose turn is to be kept, and where."""

    payload: Payload
    agent: str
    user: str | None
    session: str
    settings: ProxySettings


class Chat:
    """The proxy of one process. ``aclose`` waits for turns still being kept."""

    def __init__(self, engine: Engine, upstream: Upstream) -> None:
        self._engine = engine
        self._upstream = upstream
        self._keeping: set[asyncio.Task[None]] = set()

    async def complete(self, principal: Principal, asked: Asked) -> Answer:
        """Answer as the model does, with one block of memory added to what it is asked, and the turn kept.

        With memory off, not enabled, or unable to help, the model gets the client's bytes as they are. Raises
        Unavailable when there is no model, or it does not answer.
        """
        memory = Memory()
        turn = await self._turn(principal, asked, memory)
        content = asked.content
        if turn is not None:
            content = await self._with_memory(principal, asked, turn, memory)
        reply = await self._upstream.send(content)
        if turn is None or reply.status != 200:
            body = reply.body if reply.is_stream else await reply.whole()
            return Answer(reply.status, reply.headers | memory.headers(), body)
        if reply.is_stream:
            stream = self._keeping_stream(principal, turn, reply)
            return Answer(200, reply.headers | memory.headers(), stream)
        body = await reply.whole()
        failure = await self._keep(principal, turn, transcript.answer_in(body))
        if failure is not None:
            memory.worse(FAILED, failure)
        return Answer(200, reply.headers | memory.headers(), body)

    async def aclose(self) -> None:
        """Wait for turns still being kept, each of which has its own deadline."""
        await asyncio.gather(*self._keeping, return_exceptions=True)
        await self._upstream.aclose()

    async def _turn(self, principal: Principal, asked: Asked, memory: Memory) -> _Turn | None:
        """The turn, when memory has a part in it."""
        if principal.memory_off:
            return None
        try:
            settings = (await get_settings(self._engine, principal)).proxy
        except Exception as error:
            log.exception("proxy_settings_failed")
            memory.worse(FAILED, f"settings: {_reason(error)}")
            return None
        if not settings.enabled:
            return None
        payload = injection.readable(asked.content)
        if payload is None:
            memory.detail = "the request has no user message"
            return None
        memory.state = ON
        user = asked.user or transcript.name_of(payload.get("user"))
        memory.session = asked.session or transcript.derived_session(user, payload["messages"])
        agent = principal.agent or asked.agent or settings.agent
        return _Turn(payload, agent, user, memory.session, settings)

    async def _with_memory(self, principal: Principal, asked: Asked, turn: _Turn, memory: Memory) -> bytes:
        """The request with the block in it, or as it was when there is nothing to add."""
        settings = turn.settings
        messages = turn.payload["messages"]
        at = injection.last_user(messages)
        assert at is not None
        request = ContextRequest(
            agent=turn.agent,
            session=turn.session,
            user=turn.user,
            task=asked.task,
            message=injection.text_of(messages[at])[:QUERY_MAX],
            max_tokens=settings.max_tokens if asked.max_tokens is None else asked.max_tokens,
            sections=ShareChanges(window=0),
        )
        try:
            async with asyncio.timeout(settings.recall_timeout_ms / 1000):
                context = await build_context(self._engine, principal, request)
        except Exception as error:
            log.exception("proxy_recall_failed")
            memory.worse(FAILED, f"recall: {_reason(error)}")
            return asked.content
        if context.degraded is not None:
            memory.worse(DEGRADED, context.degraded.reason)
        block = context.assembled.block
        if not block:
            return asked.content
        memory.tokens = context.assembled.block_tokens
        wanted = asked.placement or settings.placement
        placement = injection.placement_for(turn.payload.get("model"), wanted, settings.no_system_models)
        return dumps(injection.with_block(turn.payload, block, placement))

    async def _keep(self, principal: Principal, turn: _Turn, answer: Payload) -> str | None:
        """Append the turn to its session, for the next dream; why not, when that fails."""
        try:
            drafts = transcript.new_turns(turn.payload["messages"], answer)
            async with asyncio.timeout(turn.settings.capture_timeout_ms / 1000):
                await keep_turns(self._engine, principal, turn.agent, turn.session, drafts, user=turn.user)
        except Forbidden:
            return "not kept: a reader key may not write"
        except Exception as error:
            log.exception("proxy_capture_failed")
            return f"not kept: {_reason(error)}"
        return None

    async def _keeping_stream(self, principal: Principal, turn: _Turn, reply: Reply) -> AsyncIterator[bytes]:
        """Pass events on as they come, but the last only when the turn is kept: who has seen the end of an answer
        can rely on it. A client that goes away early leaves what it has heard so far."""
        listener = transcript.Listener()
        kept = False
        try:
            async for event in _events(reply.body):
                if event.strip() == DONE.strip():
                    await self._keep(principal, turn, listener.answer)
                    kept = True
                listener.hear(event)
                yield event
        finally:
            if not kept:
                self._later(self._keep_quietly(principal, turn, listener.answer))

    async def _keep_quietly(self, principal: Principal, turn: _Turn, answer: Payload) -> None:
        await self._keep(principal, turn, answer)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)


async def _events(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The body cut after each event, its bytes unchanged."""
    rest = b""
    async for part in body:
        rest += part
        while (end := _event_end(rest)) > 0:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _event_end(data: bytes) -> int:
    """Where the first event ends, its blank line included; 0 while it is not whole."""
    ends = [at + len(mark) for mark in (b"\n\n", b"\r\n\r\n") if (at := data.find(mark)) >= 0]
    return min(ends, default=0)


def _reason(error: Exception) -> str:
    return "timed out" if isinstance(error, TimeoutError) else type(error).__name__
