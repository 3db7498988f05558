"""The clients: the whole API, blocking (``Reverie``) and awaited (``AsyncReverie``). They import nothing of the server.

A method is named after the call it sends (``service.clients.calls`` documents each). Lists are iterators that fetch the
next page when it is needed. Failures are the types of ``service.clients.errors``. What may have been lost on the way
is sent again, and never does anything twice: every POST carries an Idempotency-Key.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import httpx

from service.clients.call import Call
from service.clients.calls import agents, graph, holdings, memories, sessions, workspace
from service.clients.errors import ConnectionFailed, error_of
from service.clients.following import Following
from service.clients.methods import awaited, awaited_pages, paged, sent
from service.clients.models import Imported
from service.clients.sending import AsyncSender, Sender

Format = Literal["reverie", "mem0", "arkos"]
CHUNK_BYTES = 256 * 1024
OnProgress = Callable[[int, int], None]
"""Is told how many lines are written, of how many."""
STREAM_TIMEOUT = httpx.Timeout(30.0, read=600.0)
EVENTS_TIMEOUT = httpx.Timeout(30.0, read=60.0)
"""Something comes every 15 s, if only to say that nothing happens."""


def unheard(_done: int, _total: int) -> None:
    """Progress nobody asked for."""


class Reverie(Sender):
    """Reverie over HTTP, blocking. Thread-safe; close it, or use it as a context manager."""

    save_memory = sent(memories.save_memory)
    save_memories = sent(memories.save_memories)
    list_memories = paged(memories.list_memories)
    memory_stats = sent(memories.memory_stats)
    get_memory = sent(memories.get_memory)
    change_memory = sent(memories.change_memory)
    delete_memory = sent(memories.delete_memory)
    restore_memory = sent(memories.restore_memory)
    memory_history = sent(memories.memory_history)
    memory_sources = sent(memories.memory_sources)
    search = sent(memories.search)
    preview = sent(memories.preview)
    feedback = sent(memories.feedback)
    summarize = sent(memories.summarize)

    start_session = sent(sessions.start_session)
    list_sessions = paged(sessions.list_sessions)
    get_session = sent(sessions.get_session)
    append_messages = sent(sessions.append_messages)
    list_messages = paged(sessions.list_messages)
    window = sent(sessions.window)
    clear_window = sent(sessions.clear_window)
    compact = sent(sessions.compact)
    message_memories = sent(sessions.message_memories)
    context = sent(sessions.context)
    ask = sent(sessions.ask)

    list_agents = paged(agents.list_agents)
    get_agent = sent(agents.get_agent)
    put_agent = sent(agents.put_agent)
    dream = sent(agents.dream)
    list_dreams = paged(agents.list_dreams)
    get_dream = sent(agents.get_dream)
    undo_dream = sent(agents.undo_dream)
    bulletin = sent(agents.bulletin)
    list_bulletins = paged(agents.list_bulletins)
    write_bulletin = sent(agents.write_bulletin)

    list_entities = paged(graph.list_entities)
    get_entity = sent(graph.get_entity)
    entity_graph = sent(graph.entity_graph)
    change_entity = sent(graph.change_entity)
    merge_entity = sent(graph.merge_entity)
    unmerge_entity = sent(graph.unmerge_entity)
    split_entity = sent(graph.split_entity)
    add_edge = sent(graph.add_edge)
    delete_edge = sent(graph.delete_edge)

    purge_user = sent(holdings.purge_user)
    export_user = sent(holdings.export_user)
    add_document = sent(holdings.add_document)
    list_documents = paged(holdings.list_documents)
    get_document = sent(holdings.get_document)
    delete_document = sent(holdings.delete_document)

    get_settings = sent(workspace.get_settings)
    put_settings = sent(workspace.put_settings)
    engine = sent(workspace.engine)
    embedding_providers = sent(workspace.embedding_providers)
    reindex = sent(workspace.reindex)
    reindex_progress = sent(workspace.reindex_progress)
    verify = sent(workspace.verify)
    whoami = sent(workspace.whoami)
    create_key = sent(workspace.create_key)
    list_keys = paged(workspace.list_keys)
    rotate_key = sent(workspace.rotate_key)
    revoke_key = sent(workspace.revoke_key)
    list_audit = paged(workspace.list_audit)
    list_webhooks = paged(workspace.list_webhooks)
    add_webhook = sent(workspace.add_webhook)
    enable_webhook = sent(workspace.enable_webhook)
    delete_webhook = sent(workspace.delete_webhook)
    chat = sent(workspace.chat)
    health = sent(workspace.health)
    ready = sent(workspace.ready)

    def events(
        self, after: int | None = None, types: Sequence[str] = (), *, reconnect: bool = True
    ) -> Iterator[dict[str, Any]]:
        """What happens from now on, or after a position, for as long as it is iterated; each event once.

        A stream that breaks off is taken up again where it ended. Raises APIError when it is refused.
        """
        following = Following(after, types)
        while True:
            try:
                with self.http.stream(
                    "GET", following.path, params=following.query, headers=following.headers(self.options.own()),
                    timeout=EVENTS_TIMEOUT,
                ) as response:  # fmt: skip
                    if following.refused(response.status_code, reconnect):
                        response.read()
                        raise error_of(response)
                    yield from filter(None, map(following.read, response.iter_lines()))
            except httpx.TransportError as error:
                if not reconnect:
                    raise ConnectionFailed(f"GET {following.path}: {error!r}") from error
            time.sleep(following.pause_s)

    def export(
        self, agent: str | None = None, include: str | None = None, resume_from: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """The lines of an export, as they come. Raises ConnectionFailed when it breaks off before its last line."""
        call = _export(agent, include, resume_from)
        try:
            with self.http.stream(
                "GET", call.path, params=call.parameters(None), headers=self.options.own(), timeout=STREAM_TIMEOUT
            ) as response:
                if not response.is_success:
                    response.read()
                    raise error_of(response)
                yield from map(json.loads, response.iter_lines())
        except httpx.TransportError as error:
            raise ConnectionFailed(f"GET {call.path}: {error!r}") from error

    def import_file(
        self, path: Path | str, format: Format = "reverie", agent: str | None = None, on_progress: OnProgress = unheard
    ) -> Imported:
        """Read a file in, all of it or nothing. Raises InvalidRequest; ``problem["line"]`` is the broken line."""
        with Path(path).open("rb") as file:
            return self.import_chunks(iter(lambda: file.read(CHUNK_BYTES), b""), format, agent, on_progress)

    def import_chunks(
        self,
        chunks: Iterable[bytes],
        format: Format = "reverie",
        agent: str | None = None,
        on_progress: OnProgress = unheard,
    ) -> Imported:
        """As ``import_file``, from a stream. Never repeated by itself; repeating it does no harm.

        Once all lines are sent and checked, ``on_progress`` is told how many are written, of how many.
        """
        call = _import(self, format, agent)
        try:
            with self.http.stream(
                "POST",
                call.path,
                params=call.parameters(None),
                content=chunks,
                headers=_telling(self),
                timeout=STREAM_TIMEOUT,
            ) as response:
                if not response.is_success:
                    response.read()
                    raise error_of(response)
                for line in map(json.loads, response.iter_lines()):
                    if line["record"] == "imported":
                        return Imported.model_validate(line)
                    _progress(line, on_progress)
        except httpx.TransportError as error:
            raise ConnectionFailed(f"POST {call.path}: {error!r}") from error
        raise ConnectionFailed(f"POST {call.path}: the answer broke off")


class AsyncReverie(AsyncSender):
    """Reverie over HTTP, awaited. Close it, or use it as an async context manager."""

    save_memory = awaited(memories.save_memory)
    save_memories = awaited(memories.save_memories)
    list_memories = awaited_pages(memories.list_memories)
    memory_stats = awaited(memories.memory_stats)
    get_memory = awaited(memories.get_memory)
    change_memory = awaited(memories.change_memory)
    delete_memory = awaited(memories.delete_memory)
    restore_memory = awaited(memories.restore_memory)
    memory_history = awaited(memories.memory_history)
    memory_sources = awaited(memories.memory_sources)
    search = awaited(memories.search)
    preview = awaited(memories.preview)
    feedback = awaited(memories.feedback)
    summarize = awaited(memories.summarize)

    start_session = awaited(sessions.start_session)
    list_sessions = awaited_pages(sessions.list_sessions)
    get_session = awaited(sessions.get_session)
    append_messages = awaited(sessions.append_messages)
    list_messages = awaited_pages(sessions.list_messages)
    window = awaited(sessions.window)
    clear_window = awaited(sessions.clear_window)
    compact = awaited(sessions.compact)
    message_memories = awaited(sessions.message_memories)
    context = awaited(sessions.context)
    ask = awaited(sessions.ask)

    list_agents = awaited_pages(agents.list_agents)
    get_agent = awaited(agents.get_agent)
    put_agent = awaited(agents.put_agent)
    dream = awaited(agents.dream)
    list_dreams = awaited_pages(agents.list_dreams)
    get_dream = awaited(agents.get_dream)
    undo_dream = awaited(agents.undo_dream)
    bulletin = awaited(agents.bulletin)
    list_bulletins = awaited_pages(agents.list_bulletins)
    write_bulletin = awaited(agents.write_bulletin)

    list_entities = awaited_pages(graph.list_entities)
    get_entity = awaited(graph.get_entity)
    entity_graph = awaited(graph.entity_graph)
    change_entity = awaited(graph.change_entity)
    merge_entity = awaited(graph.merge_entity)
    unmerge_entity = awaited(graph.unmerge_entity)
    split_entity = awaited(graph.split_entity)
    add_edge = awaited(graph.add_edge)
    delete_edge = awaited(graph.delete_edge)

    purge_user = awaited(holdings.purge_user)
    export_user = awaited(holdings.export_user)
    add_document = awaited(holdings.add_document)
    list_documents = awaited_pages(holdings.list_documents)
    get_document = awaited(holdings.get_document)
    delete_document = awaited(holdings.delete_document)

    get_settings = awaited(workspace.get_settings)
    put_settings = awaited(workspace.put_settings)
    engine = awaited(workspace.engine)
    embedding_providers = awaited(workspace.embedding_providers)
    reindex = awaited(workspace.reindex)
    reindex_progress = awaited(workspace.reindex_progress)
    verify = awaited(workspace.verify)
    whoami = awaited(workspace.whoami)
    create_key = awaited(workspace.create_key)
    list_keys = awaited_pages(workspace.list_keys)
    rotate_key = awaited(workspace.rotate_key)
    revoke_key = awaited(workspace.revoke_key)
    list_audit = awaited_pages(workspace.list_audit)
    list_webhooks = awaited_pages(workspace.list_webhooks)
    add_webhook = awaited(workspace.add_webhook)
    enable_webhook = awaited(workspace.enable_webhook)
    delete_webhook = awaited(workspace.delete_webhook)
    chat = awaited(workspace.chat)
    health = awaited(workspace.health)
    ready = awaited(workspace.ready)

    async def events(
        self, after: int | None = None, types: Sequence[str] = (), *, reconnect: bool = True
    ) -> AsyncIterator[dict[str, Any]]:
        """What happens from now on, or after a position, for as long as it is iterated; each event once.

        A stream that breaks off is taken up again where it ended. Raises APIError when it is refused.
        """
        following = Following(after, types)
        while True:
            try:
                async with self.http.stream(
                    "GET", following.path, params=following.query, headers=following.headers(self.options.own()),
                    timeout=EVENTS_TIMEOUT,
                ) as response:  # fmt: skip
                    if following.refused(response.status_code, reconnect):
                        await response.aread()
                        raise error_of(response)
                    async for line in response.aiter_lines():
                        if event := following.read(line):
                            yield event
            except httpx.TransportError as error:
                if not reconnect:
                    raise ConnectionFailed(f"GET {following.path}: {error!r}") from error
            await asyncio.sleep(following.pause_s)

    async def export(
        self, agent: str | None = None, include: str | None = None, resume_from: str | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """The lines of an export, as they come. Raises ConnectionFailed when it breaks off before its last line."""
        call = _export(agent, include, resume_from)
        try:
            async with self.http.stream(
                "GET", call.path, params=call.parameters(None), headers=self.options.own(), timeout=STREAM_TIMEOUT
            ) as response:
                if not response.is_success:
                    await response.aread()
                    raise error_of(response)
                async for line in response.aiter_lines():
                    yield json.loads(line)
        except httpx.TransportError as error:
            raise ConnectionFailed(f"GET {call.path}: {error!r}") from error

    async def import_file(
        self, path: Path | str, format: Format = "reverie", agent: str | None = None, on_progress: OnProgress = unheard
    ) -> Imported:
        """Read a file in, all of it or nothing. Raises InvalidRequest; ``problem["line"]`` is the broken line."""
        with await asyncio.to_thread(Path(path).open, "rb") as file:

            async def chunks() -> AsyncIterator[bytes]:
                while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
                    yield chunk

            return await self.import_chunks(chunks(), format, agent, on_progress)

    async def import_chunks(
        self,
        chunks: AsyncIterator[bytes],
        format: Format = "reverie",
        agent: str | None = None,
        on_progress: OnProgress = unheard,
    ) -> Imported:
        """As ``import_file``, from a stream. Never repeated by itself; repeating it does no harm.

        Once all lines are sent and checked, ``on_progress`` is told how many are written, of how many.
        """
        call = _import(self, format, agent)
        try:
            async with self.http.stream(
                "POST",
                call.path,
                params=call.parameters(None),
                content=chunks,
                headers=_telling(self),
                timeout=STREAM_TIMEOUT,
            ) as response:
                if not response.is_success:
                    await response.aread()
                    raise error_of(response)
                async for text in response.aiter_lines():
                    line = json.loads(text)
                    if line["record"] == "imported":
                        return Imported.model_validate(line)
                    _progress(line, on_progress)
        except httpx.TransportError as error:
            raise ConnectionFailed(f"POST {call.path}: {error!r}") from error
        raise ConnectionFailed(f"POST {call.path}: the answer broke off")


def _export(agent: str | None, include: str | None, resume_from: str | None) -> Call[None]:
    """Of the agent named in the call alone: an export of a client that acts as an agent is still of the workspace."""
    query = {"agent": agent, "include": include, "resume_from": resume_from}
    return Call("GET", "/v1/export", None, query=query)


def _import(client: Sender | AsyncSender, format: Format, agent: str | None) -> Call[Imported]:
    query = {"format": format, "agent": agent or client.options.agent}
    return Call("POST", "/v1/import", Imported, query=query)


def _telling(client: Sender | AsyncSender) -> dict[str, str]:
    """The headers of an import that tells how far it is."""
    return client.options.own() | {"Accept": "application/x-ndjson, application/problem+json"}


def _progress(line: dict[str, Any], on_progress: OnProgress) -> None:
    """What an import tells before it is done. Raises APIError where that is a failure."""
    if line["record"] == "problem":
        raise error_of(httpx.Response(line["status"], json=line))
    on_progress(line["done"], line["total"])
