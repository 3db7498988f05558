"""One request to a model through memory: recall, forward, keep. Whatever memory does, the model's answer is given."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import chain, repeat
from typing import Any, Final
from uuid import UUID

import orjson
import structlog

from service.concurrency.executor import FairExecutor
from service.concurrency.limit import Bounds, ConcurrencyLimit
from service.db.viewing import set_viewer
from service.domain.context import ContextRequest, Placement, ShareChanges
from service.domain.drafts import MessageDraft
from service.domain.field_types import QUERY_MAX
from service.domain.ids import new_id
from service.domain.json import dumps
from service.domain.owners import Viewer, shown_viewer
from service.domain.principal import Principal
from service.domain.spending import FAILED as FAILED_CALL
from service.domain.spending import Charge, Payer, Usage, paid_by
from service.domain.workspace import ProxySettings
from service.errors import AnswerTooLarge, Forbidden, InvalidInput, NotFound, Unavailable
from service.memory.access.redaction import masked_names
from service.memory.access.workspace import get_settings
from service.memory.search.context import build_context
from service.memory.search_results import SWITCHED_OFF
from service.memory.sessions.conversations import Attempt, append_turns, last_kept
from service.provider import BYTES_PER_TOKEN, reported, usage_of
from service.proxy import wire_formats
from service.proxy.upstream import NO_MODEL, OK, PASSED_ON, Upstream, UpstreamRequest, UpstreamResponse
from service.proxy.wire_formats import CHAT_COMPLETIONS, Conversation, Payload, WireFormat, objects, prompt_tokens
from service.runtime import Runtime

ATTEMPT_HEADER: Final = "x-stainless-retry-count"
"""Of the official clients of OpenAI and Anthropic: 0 for a first attempt."""
COUNTED_MAX: Final = 100
COMPLETIONS: Final = Bounds(per_key=50, per_workspace=80, per_process=100)
"""httpx opens 100 connections to the model's server; the next would wait for one of them."""


def completions(_: Runtime) -> ConcurrencyLimit:
    """Make the limit of chat completions under way."""
    return ConcurrencyLimit("chat completions", COMPLETIONS)


def attempt_number(text: str | None) -> int | None:
    """Return how many attempts went before, as the header says; None for a client that does not count them."""
    if text is None or len(text) > len(str(COUNTED_MAX)) or not (text.isascii() and text.isdigit()):
        return None
    return min(int(text), COUNTED_MAX)


def attempt_at(content: bytes, wire: str, agent: str, session: str, number: int, now: datetime) -> Attempt:
    """Return the attempt at a request with these bytes in a format, whose turn would be kept in a session of an
    agent."""
    digest = hashlib.sha256("\x00".join(("turn", wire, agent, session, "")).encode("utf-8", "replace"))
    digest.update(content)
    return Attempt(digest.digest(), number, now)


NAME_MAX: Final = 200
OTHER_MODELS: Final = ("models", "fallbacks", "context_window_fallbacks", "fallback_models")
"""Fields by which gateways (OpenRouter, LiteLLM) take models to fall back to: those would be called unseen."""
_MODEL: Final = b'"model"'
_ESCAPED_LETTER: Final = b"\\u006"
"""How an escaped letter of that name begins."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request for an allowed ``model``: what it says, and the bytes that say it."""

    model: str
    payload: Payload
    content: bytes


def admit(content: bytes, allowed: Sequence[str], own_model: str | None, wire: WireFormat) -> Admitted:
    """Return the request, if it may be made; ``allowed`` are patterns as in file names, and without any ``own_model``
    is.

    Fields that are not of the format are dropped; a request without any is the client's to the byte.
    Raises InvalidInput for what is no JSON object that names a model, and Forbidden for another model.
    """
    try:
        payload = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(("body",), "must be JSON") from error
    if not isinstance(payload, dict):
        raise InvalidInput(("body",), "must be a JSON object")
    model = payload.get("model")
    names = [name.casefold() for name in payload]
    if names.count("model") > 1:  # parsers that ignore case would take the last
        raise InvalidInput(("body", "model"), "must be given once")
    if not isinstance(model, str) or not model or len(model) > NAME_MAX:
        raise InvalidInput(("body", "model"), f"must name a model, in at most {NAME_MAX} characters")
    if not is_allowed(model, allowed, own_model):
        raise Forbidden(f"The model {model!r} may not be called through the proxy (setting proxy.models).")
    tools = (tool.get("model") for tool in objects(payload.get("tools")))
    for called in (named for named in tools if named is not None):
        if not isinstance(called, str) or not is_allowed(called, allowed, own_model):
            raise Forbidden(f"The model {called!r} of a tool may not be called through the proxy.")
    if named := next((field for field in OTHER_MODELS if field in names), None):
        raise Forbidden(f"The field {named!r} names other models, which the proxy does not call.")
    passed_on = {name: value for name, value in payload.items() if name in PASSED_ON[wire]}
    changed = len(passed_on) < len(payload) or _is_ambiguous(content)
    return Admitted(model, passed_on, dumps(passed_on) if changed else content)


def is_allowed(model: str, allowed: Sequence[str], own_model: str | None) -> bool:
    """Match a model by its name, or by that with or without the provider of the configured model."""
    provider, slash, _ = (own_model or "").partition("/")
    prefix = provider + slash if slash else ""
    patterns = allowed or ([own_model] if own_model else [])
    return any(fnmatchcase(model.removeprefix(prefix), pattern.removeprefix(prefix)) for pattern in patterns)


def _is_ambiguous(content: bytes) -> bool:
    """Return whether another parser could read another model out of these bytes: by a key that is there twice, or
    escaped."""
    return content.count(_MODEL) != 1 or _ESCAPED_LETTER in content


def worst_of(model: str, wire: WireFormat, payload: Payload, memory_tokens: int) -> Usage:
    """Return the most that a request is expected to use: its prompt by estimate, with so much memory added to it, and
    its answer as far as it is bounded."""
    prompt = prompt_tokens(payload, wire) + memory_tokens
    return usage_of(model, prompt, wire.answer_tokens(payload))


@dataclass(slots=True)
class Call:
    """One request under way, reserved at ``worst``."""

    wire: WireFormat
    model: str
    worst: Usage
    charge: Charge

    async def count_response(self, reply: UpstreamResponse, executor: FairExecutor) -> tuple[bytes, Payload]:
        """Return the body of an answer that comes at once, and the model's message in it; settles what it used. Raises
        what the body raises."""
        try:
            body = await reply.read()
        except BaseException:
            self.ended(None, "", failed=True)
            raise
        if reply.status != OK:
            self.fail()
            return body, {}
        answer = await executor.run(self.wire.answer_in, body, characters=len(body))
        self.ended(answer.usage, str(answer.message.get("content") or ""))
        return body, answer.message

    def ended(self, reported_usage: Any, text: str, *, failed: bool = False) -> None:
        """Settle: it used what the server reports, else by estimate the ``text`` of its answer."""
        usage: Payload = reported_usage if isinstance(reported_usage, dict) else {}
        estimate = len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN
        prompt = reported(usage.get("prompt_tokens"), self.worst.prompt_tokens)
        answer = reported(usage.get("completion_tokens"), estimate)
        self.charge.settle(usage_of(self.model, prompt, answer, failed=failed))

    def fail(self) -> None:
        """Settle: it was refused, or never got there."""
        self.charge.settle(FAILED_CALL)


log = structlog.get_logger(__name__)

OFF = "off"
ON = "on"
DEGRADED = "degraded"
FAILED = "failed"
QUEUED = "queued"
PAUSES_S: Final = (0.1, 0.5, 2.0, 10.0)
"""Before the turn is tried again that found the database unavailable; from then on the last."""
WAITING_MAX: Final = 1_000
"""Turns that a process holds back while they cannot be kept."""
COUNT_TOKENS = "/count_tokens"
DEFAULT_AGENT = "default"
"""Acts for a request without an agent's key or X-Reverie-Agent, either of which names another."""
EVENT_ENDS = (b"\n\n", b"\r\n\r\n")


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A client's request: its bytes, and what its headers say; None leaves it to the key and the settings.
    ``forwarded`` are the headers that go on to the model, ``attempt`` counts the client's attempts before this one."""

    content: bytes
    wire: WireFormat = CHAT_COMPLETIONS
    model_key: str | None = None
    forwarded: Mapping[str, str] = field(default_factory=dict)
    attempt: int | None = None
    agent: str | None = None
    user: str | None = None
    session: str | None = None
    task: str | None = None
    placement: Placement | None = None
    max_tokens: int | None = None


@dataclass(slots=True)
class MemoryStatus:
    """What memory did for one request, as the answer's headers tell."""

    state: str = OFF
    detail: str = ""
    tokens: int = 0
    session: str | None = None
    viewer: Viewer | None = None
    """For whom it was recalled."""

    def degrade(self, state: str, detail: str) -> None:
        """Something went wrong; the worst is told."""
        if self.state != FAILED:
            self.state, self.detail = state, detail

    def headers(self) -> dict[str, str]:
        """Return the headers of the answer."""
        headers = {"x-reverie-memory": self.state, "x-reverie-memory-tokens": str(self.tokens)}
        if self.detail:
            headers["x-reverie-memory-detail"] = (
                self.detail.encode("ascii", "replace").decode().replace("\n", " ")[:300]
            )
        if self.viewer is not None:
            headers["x-reverie-memory-viewer"] = json.dumps(shown_viewer(self.viewer))
        if self.session:
            headers["x-reverie-session"] = self.session.encode("ascii", "replace").decode()
        return headers


@dataclass(frozen=True, slots=True)
class CompletionResponse:
    """What goes back to the client."""

    status: int
    headers: dict[str, str]
    body: bytes | AsyncIterator[bytes]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A request whose turn is to be kept, and where."""

    payload: Payload
    messages: list[Payload]
    agent: str
    user: str | None
    session: str
    task: str | None
    settings: ProxySettings
    characters: int
    attempt: Attempt | None = None


NAMES = ("agent", "user", "session", "task")


class Chat:
    """The proxy of one process. ``aclose`` waits for turns still being kept."""

    def __init__(self, runtime: Runtime, upstream: Upstream | None, model: str | None) -> None:
        """``model`` is the configured one, which may be called where the workspace lists none."""
        self._runtime = runtime
        self._upstream = upstream
        self._model = model
        self._keeping: set[asyncio.Task[str | None]] = set()
        self._closing = asyncio.Event()

    @property
    def limit(self) -> ConcurrencyLimit:
        """Return the limit of requests under way."""
        return self._runtime.part(completions)

    async def complete(self, principal: Principal, asked: CompletionRequest) -> CompletionResponse:
        """Answer as the model does, with one block of memory added to what it is asked, and the turn kept.

        With memory off, or unable to help, the model gets the client's bytes as they are. Raises NotFound where the
        proxy is off, Forbidden for a reader key and for a model that is not allowed, InvalidInput, BudgetReached,
        AnswerTooLarge, and Unavailable when there is no model, or it does not answer.
        """
        settings = await self._settings_for(principal, asked)
        wire, size = asked.wire, len(asked.content)
        run = self._runtime.executor.run
        request = await run(admit, asked.content, settings.models, self._model, wire, characters=size)
        wire.check(request.payload)
        memory = MemoryStatus()
        turn = await self._exchange(principal, asked, request.payload, settings, memory)
        content = request.content
        if turn is not None:
            principal = replace(principal, named_user=turn.user, for_prompt=True)
            set_viewer(principal.viewer)
            content = await self._with_memory(principal, asked, turn, memory) or content
        agent = turn.agent if turn is not None else DEFAULT_AGENT
        worst = await run(
            worst_of, self._priced_as(request.model), wire, request.payload, memory.tokens, characters=size
        )
        call = await self._reserve(principal.payer(agent, memory.viewer), request.model, wire, worst)
        sent = UpstreamRequest(wire, request.model, content, headers=asked.forwarded, key=asked.model_key)
        reply = await self._send(call, sent)
        if reply.is_stream and reply.status == OK:
            events = self._streamed(principal, turn, reply, call)
            return CompletionResponse(OK, reply.headers | memory.headers(), events)
        body, answer = await call.count_response(reply, self._runtime.executor)
        if turn is not None and reply.status == OK:
            failure = await self._keep(principal, turn, answer)
            if failure is not None:
                memory.degrade(DEGRADED if failure.startswith(QUEUED) else FAILED, failure)
        return CompletionResponse(reply.status, reply.headers | memory.headers(), body)

    async def count_tokens(self, principal: Principal, asked: CompletionRequest) -> CompletionResponse:
        """Return what the model's server says of the tokens of a message, memory left out. Raises as ``complete``
        does."""
        settings = await self._settings_for(principal, asked)
        size = len(asked.content)
        request = await self._runtime.executor.run(
            admit, asked.content, settings.models, self._model, asked.wire, characters=size
        )
        call = await self._reserve(principal.payer(DEFAULT_AGENT), request.model, asked.wire, Usage(calls=1))
        sent = UpstreamRequest(
            asked.wire, request.model, request.content, COUNT_TOKENS, asked.forwarded, asked.model_key
        )
        reply = await self._send(call, sent)
        body, _ = await call.count_response(reply, self._runtime.executor)
        return CompletionResponse(reply.status, reply.headers, body)

    async def models(self, principal: Principal, forwarded: Mapping[str, str]) -> list[Payload]:
        """Return the models that may be called: those that the settings name, and of those that the server lists, the
        ones that the settings allow. Raises NotFound and Forbidden as ``complete`` does."""
        settings = await self._settings(principal)
        listed = await self._upstream.models(forwarded) if self._upstream is not None else []
        named = settings.models or ([self._model] if self._model else [])
        found: dict[str, Payload] = {name: {"id": name} for name in named if not set("*?[") & set(name)}
        for model in objects(listed):
            id_ = model.get("id")
            if isinstance(id_, str) and is_allowed(id_, settings.models, self._model):
                found[id_] = model
        return list(found.values())

    async def aclose(self) -> None:
        """Wait for turns still being kept, each of which is tried once more."""
        self._closing.set()
        await asyncio.gather(*self._keeping, return_exceptions=True)
        if self._upstream is not None:
            await self._upstream.aclose()

    async def _settings(self, principal: Principal) -> ProxySettings:
        """Return the settings of the proxy, where the caller may use it."""
        settings = (await get_settings(self._runtime, principal)).proxy
        if not settings.enabled:
            raise NotFound("The proxy is off in this workspace (setting proxy.enabled).")
        if principal.role == "reader":
            raise Forbidden("A reader key may not call models through the proxy.")
        return settings

    async def _settings_for(self, principal: Principal, asked: CompletionRequest) -> ProxySettings:
        """Return the settings of the proxy, where the caller may make this request and there is a model."""
        settings = await self._settings(principal)
        if asked.model_key is not None and not settings.caller_keys:
            raise Forbidden("Keys of callers are not passed on to models (setting proxy.caller_keys).")
        if self._upstream is None:
            raise Unavailable(NO_MODEL)
        return settings

    async def _exchange(
        self,
        principal: Principal,
        asked: CompletionRequest,
        payload: Payload,
        settings: ProxySettings,
        memory: MemoryStatus,
    ) -> _Exchange | None:
        """Return the turn, when memory has a part in it."""
        if principal.no_memory:
            return None
        run, size = self._runtime.executor.run, len(asked.content)
        said: Conversation | None = await run(asked.wire.conversation, payload, characters=size)
        if said is None:
            memory.detail = "the request has no user message"
            return None
        user = principal.user or asked.user or principal.named_user or said.user
        session = asked.session or said.session
        if session is None:
            session = await run(wire_formats.derived_session, user, said.messages, characters=size)
        agent = principal.agent or asked.agent or DEFAULT_AGENT
        assert agent is not None
        named = _Exchange(payload, said.messages, agent, user, session, asked.task, settings, size)
        try:
            turn = await self._masked(principal, named)
        except Exception as error:
            log.exception("proxy_names_failed")
            memory.degrade(FAILED, f"names: {_reason(error)}")
            return None
        memory.state, memory.session = ON, turn.session
        if asked.attempt is None:
            return turn
        place = asked.wire.name, turn.agent, turn.session
        attempt = await run(attempt_at, asked.content, *place, asked.attempt, self._runtime.now(), characters=size)
        return replace(turn, attempt=attempt)

    async def _masked(self, principal: Principal, turn: _Exchange) -> _Exchange:
        """Return the turn with its names masked. Raises InvalidInput where the workspace refuses personal data."""
        given = {name: getattr(turn, name) for name in NAMES if getattr(turn, name) is not None}
        masking = (await get_settings(self._runtime, principal)).masking
        located = [(("header", name), value) for name, value in given.items()]
        masked = await masked_names(self._runtime, principal.workspace_id, masking, located, refuse=True)
        changes: dict[str, Any] = dict(zip(given, masked, strict=True))
        return replace(turn, **changes)

    async def _with_memory(
        self, principal: Principal, asked: CompletionRequest, turn: _Exchange, memory: MemoryStatus
    ) -> bytes | None:
        """Return the request with the block in it; None when there is nothing to add."""
        settings = turn.settings
        run, size = self._runtime.executor.run, turn.characters
        message = await run(wire_formats.last_words, turn.messages, characters=size)
        if message is None:
            memory.detail = "the request has no user message to recall by"
            return None
        request = ContextRequest(
            agent=turn.agent,
            session=turn.session,
            user=turn.user,
            task=turn.task,
            message=message[:QUERY_MAX],
            max_tokens=asked.max_tokens,
            sections=ShareChanges(window=0),
        )
        try:
            async with asyncio.timeout(settings.recall_timeout_ms / 1000):
                context = await build_context(self._runtime, principal, request)
        except Exception as error:
            log.exception("proxy_recall_failed")
            memory.degrade(FAILED, f"recall: {_reason(error)}")
            return None
        memory.viewer = context.viewer
        if context.degraded == SWITCHED_OFF:
            memory.state, memory.detail = OFF, SWITCHED_OFF.reason
            return None
        if context.degraded is not None:
            memory.degrade(DEGRADED, context.degraded.reason)
        block = context.assembled.block
        if not block:
            return None
        memory.tokens = context.assembled.block_tokens
        wanted = asked.placement or settings.placement
        placement = wire_formats.placement_for(turn.payload.get("model"), wanted, settings.no_system_models)
        return await run(lambda: dumps(asked.wire.with_block(turn.payload, block, placement)), characters=size)

    async def _reserve(self, payer: Payer, model: str, wire: WireFormat, worst: Usage) -> Call:
        """Return the call about to be made, reserved at the most it is expected to use."""
        priced = self._priced_as(model)
        with paid_by(payer):
            charge = await self._runtime.budget.reserve("proxy", priced, worst)
        return Call(wire, priced, worst, charge)

    async def _send(self, call: Call, request: UpstreamRequest) -> UpstreamResponse:
        assert self._upstream is not None
        try:
            return await self._upstream.send(request)
        except BaseException:
            call.fail()
            raise

    def _priced_as(self, model: str) -> str:
        """Return the name under which usage is counted: the configured model's, with or without its provider."""
        configured = self._model or ""
        return configured if configured.partition("/")[2] == model else model

    async def _keep(self, principal: Principal, turn: _Exchange, answer: Payload) -> str | None:
        """Append the turn to its session, for the next dream; why it is not there yet, or will not be. What takes too
        long, or finds the database unavailable, goes on behind the answer."""
        if len(self._keeping) >= WAITING_MAX:
            return f"not kept: {WAITING_MAX} turns are waiting to be kept"
        task = self._behind(self._append(principal, turn, answer))
        try:
            async with asyncio.timeout(turn.settings.recall_timeout_ms / 1000):
                return await asyncio.shield(task)
        except TimeoutError:
            return f"{QUEUED}: keeping the turn timed out"

    def _behind(self, work: Coroutine[None, None, str | None]) -> asyncio.Task[str | None]:
        """Start what ``aclose`` waits for."""
        task = asyncio.create_task(work)
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)
        return task

    async def _append(self, principal: Principal, turn: _Exchange, answer: Payload) -> str | None:
        """Append the turn, as often as it takes while the database is unavailable; why not, where that cannot help."""
        where, run = (turn.agent, turn.session), self._runtime.executor.run
        drafts: list[MessageDraft] | None = None
        ids: list[UUID] = []
        for again, pause_s in enumerate(chain(PAUSES_S, repeat(PAUSES_S[-1]))):
            try:
                if drafts is None:
                    known = await self._known(principal, turn)
                    drafts = await run(wire_formats.new_turns, turn.messages, answer, known, characters=turn.characters)
                    ids = [new_id() for draft in drafts for _ in draft.split()]
                await append_turns(
                    self._runtime, principal, *where, drafts,
                    user=turn.user, attempt=turn.attempt, ids=ids, again=again > 0,
                )  # fmt: skip
            except Unavailable as error:
                log.warning("proxy_capture_waits", error=error.message)
                if self._closing.is_set():
                    return "not kept: the proxy is stopping"
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._closing.wait(), pause_s)
            except Exception as error:
                log.exception("proxy_capture_failed")
                return f"not kept: {_reason(error)}"
            else:
                break
        return None

    async def _known(self, principal: Principal, turn: _Exchange) -> str | None:
        """Return the last answer in the history of a request that is kept in the session, in the words of the request;
        None where none is."""
        run = self._runtime.executor.run
        answers = await run(wire_formats.answers_of, turn.messages, characters=turn.characters)
        if not answers:
            return None
        return await last_kept(self._runtime, principal, turn.agent, turn.session, answers)

    async def _streamed(
        self, principal: Principal, turn: _Exchange | None, reply: UpstreamResponse, call: Call
    ) -> AsyncIterator[bytes]:
        """Pass events on as they come, but the last only when the turn is kept: who has seen the end of an answer
        can rely on it. A client that goes away early leaves what it has heard so far. A stream that breaks off, or is
        too long, ends with an event that says so. Of a model that failed before it said anything nothing is kept, as
        of a refusal."""
        listener, run = call.wire.stream(), self._runtime.executor.run
        kept, broken = turn is None, False
        try:
            async for event in _events(reply.body):
                await run(listener.feed, event, characters=len(event))
                if listener.ended and not kept and turn is not None and not listener.failed:
                    await self._keep(principal, turn, listener.answer)
                    kept = True
                yield event
        except (AnswerTooLarge, Unavailable) as error:
            broken = True
            log.warning("proxy_stream_broke_off", error=error.message)
            yield call.wire.error_event(error.message)
        finally:
            call.ended(listener.usage, listener.text, failed=broken or listener.failed)
            if not kept and turn is not None and (listener.text or not listener.failed):
                self._behind(self._append(principal, turn, listener.answer))


async def _events(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the body cut after each event, its bytes unchanged. No byte is looked at more than a few times."""
    rest = bytearray()
    looked_at = 0
    async for part in body:
        rest += part
        while (end := _event_end(rest, looked_at)) > 0:
            yield bytes(rest[:end])
            del rest[:end]
            looked_at = 0
        looked_at = max(0, len(rest) - len(EVENT_ENDS[-1]))
    if rest:
        yield bytes(rest)


def _event_end(data: bytearray, start: int) -> int:
    """Return where the first event ends, its blank line included; 0 while it is not whole."""
    ends = [at + len(mark) for mark in EVENT_ENDS if (at := data.find(mark, start)) >= 0]
    return min(ends, default=0)


def _reason(error: Exception) -> str:
    return "timed out" if isinstance(error, TimeoutError) else type(error).__name__
