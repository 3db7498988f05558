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

from service.clients.bindings import async_method, async_pager, sync_method, sync_pager
from service.clients.call import Call
from service.clients.calls import agents, graph, memories, sessions, users_documents, workspace
from service.clients.errors import ConnectionFailed, error_of
from service.clients.models import Imported
from service.clients.sse import EventStream
from service.clients.transport import AsyncSender, Sender

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

    save_memory = sync_method(memories.save_memory)
    save_memories = sync_method(memories.save_memories)
    list_memories = sync_pager(memories.list_memories)
    memory_stats = sync_method(memories.memory_stats)
    get_memory = sync_method(memories.get_memory)
    change_memory = sync_method(memories.change_memory)
    delete_memory = sync_method(memories.delete_memory)
    restore_memory = sync_method(memories.restore_memory)
    memory_history = sync_method(memories.memory_history)
    memory_sources = sync_method(memories.memory_sources)
    search = sync_method(memories.search)
    preview = sync_method(memories.preview)
    feedback = sync_method(memories.feedback)
    summarize = sync_method(memories.summarize)
    undo_summary = sync_method(memories.undo_summary)

    start_session = sync_method(sessions.start_session)
    list_sessions = sync_pager(sessions.list_sessions)
    get_session = sync_method(sessions.get_session)
    append_messages = sync_method(sessions.append_messages)
    list_messages = sync_pager(sessions.list_messages)
    window = sync_method(sessions.window)
    clear_window = sync_method(sessions.clear_window)
    compact = sync_method(sessions.compact)
    message_memories = sync_method(sessions.message_memories)
    context = sync_method(sessions.context)
    ask = sync_method(sessions.ask)

    list_agents = sync_pager(agents.list_agents)
    get_agent = sync_method(agents.get_agent)
    put_agent = sync_method(agents.put_agent)
    list_tasks = sync_pager(agents.list_tasks)
    get_task = sync_method(agents.get_task)
    put_task = sync_method(agents.put_task)
    dream = sync_method(agents.dream)
    list_dreams = sync_pager(agents.list_dreams)
    get_dream = sync_method(agents.get_dream)
    undo_dream = sync_method(agents.undo_dream)
    bulletin = sync_method(agents.bulletin)
    list_bulletins = sync_pager(agents.list_bulletins)
    write_bulletin = sync_method(agents.write_bulletin)

    list_entities = sync_pager(graph.list_entities)
    get_entity = sync_method(graph.get_entity)
    entity_graph = sync_method(graph.entity_graph)
    change_entity = sync_method(graph.change_entity)
    merge_entity = sync_method(graph.merge_entity)
    unmerge_entity = sync_method(graph.unmerge_entity)
    split_entity = sync_method(graph.split_entity)
    add_edge = sync_method(graph.add_edge)
    delete_edge = sync_method(graph.delete_edge)

    purge_user = sync_method(users_documents.purge_user)
    export_user = sync_method(users_documents.export_user)
    add_document = sync_method(users_documents.add_document)
    list_documents = sync_pager(users_documents.list_documents)
    get_document = sync_method(users_documents.get_document)
    delete_document = sync_method(users_documents.delete_document)

    get_settings = sync_method(workspace.get_settings)
    put_settings = sync_method(workspace.put_settings)
    engine = sync_method(workspace.engine)
    embedding_providers = sync_method(workspace.embedding_providers)
    reindex = sync_method(workspace.reindex)
    reindex_progress = sync_method(workspace.reindex_progress)
    verify = sync_method(workspace.verify)
    whoami = sync_method(workspace.whoami)
    create_key = sync_method(workspace.create_key)
    list_keys = sync_pager(workspace.list_keys)
    rotate_key = sync_method(workspace.rotate_key)
    revoke_key = sync_method(workspace.revoke_key)
    list_audit = sync_pager(workspace.list_audit)
    usage = sync_method(workspace.usage)
    list_webhooks = sync_pager(workspace.list_webhooks)
    add_webhook = sync_method(workspace.add_webhook)
    update_webhook = sync_method(workspace.update_webhook)
    test_webhook = sync_method(workspace.test_webhook)
    enable_webhook = sync_method(workspace.enable_webhook)
    delete_webhook = sync_method(workspace.delete_webhook)
    list_dead_letters = sync_pager(workspace.list_dead_letters)
    retry_dead_letter = sync_method(workspace.retry_dead_letter)
    discard_dead_letter = sync_method(workspace.discard_dead_letter)
    chat = sync_method(workspace.chat)
    health = sync_method(workspace.health)
    ready = sync_method(workspace.ready)

    def events(
        self, after: int | None = None, types: Sequence[str] = (), *, reconnect: bool = True
    ) -> Iterator[dict[str, Any]]:
        """What happens from now on, or after a position, for as long as it is iterated; each event once.

        A stream that breaks off is taken up again where it ended. Raises APIError when it is refused.
        """
        following = EventStream(after, types)
        while True:
            try:
                with self.http.stream(
                    "GET", following.path, params=following.query, headers=following.headers(self.options.own()),
                    timeout=EVENTS_TIMEOUT,
                ) as response:  # fmt: skip
                    if following.must_reconnect(response.status_code, reconnect):
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

    save_memory = async_method(memories.save_memory)
    save_memories = async_method(memories.save_memories)
    list_memories = async_pager(memories.list_memories)
    memory_stats = async_method(memories.memory_stats)
    get_memory = async_method(memories.get_memory)
    change_memory = async_method(memories.change_memory)
    delete_memory = async_method(memories.delete_memory)
    restore_memory = async_method(memories.restore_memory)
    memory_history = async_method(memories.memory_history)
    memory_sources = async_method(memories.memory_sources)
    search = async_method(memories.search)
    preview = async_method(memories.preview)
    feedback = async_method(memories.feedback)
    summarize = async_method(memories.summarize)
    undo_summary = async_method(memories.undo_summary)

    start_session = async_method(sessions.start_session)
    list_sessions = async_pager(sessions.list_sessions)
    get_session = async_method(sessions.get_session)
    append_messages = async_method(sessions.append_messages)
    list_messages = async_pager(sessions.list_messages)
    window = async_method(sessions.window)
    clear_window = async_method(sessions.clear_window)
    compact = async_method(sessions.compact)
    message_memories = async_method(sessions.message_memories)
    context = async_method(sessions.context)
    ask = async_method(sessions.ask)

    list_agents = async_pager(agents.list_agents)
    get_agent = async_method(agents.get_agent)
    put_agent = async_method(agents.put_agent)
    list_tasks = async_pager(agents.list_tasks)
    get_task = async_method(agents.get_task)
    put_task = async_method(agents.put_task)
    dream = async_method(agents.dream)
    list_dreams = async_pager(agents.list_dreams)
    get_dream = async_method(agents.get_dream)
    undo_dream = async_method(agents.undo_dream)
    bulletin = async_method(agents.bulletin)
    list_bulletins = async_pager(agents.list_bulletins)
    write_bulletin = async_method(agents.write_bulletin)

    list_entities = async_pager(graph.list_entities)
    get_entity = async_method(graph.get_entity)
    entity_graph = async_method(graph.entity_graph)
    change_entity = async_method(graph.change_entity)
    merge_entity = async_method(graph.merge_entity)
    unmerge_entity = async_method(graph.unmerge_entity)
    split_entity = async_method(graph.split_entity)
    add_edge = async_method(graph.add_edge)
    delete_edge = async_method(graph.delete_edge)

    purge_user = async_method(users_documents.purge_user)
    export_user = async_method(users_documents.export_user)
    add_document = async_method(users_documents.add_document)
    list_documents = async_pager(users_documents.list_documents)
    get_document = async_method(users_documents.get_document)
    delete_document = async_method(users_documents.delete_document)

    get_settings = async_method(workspace.get_settings)
    put_settings = async_method(workspace.put_settings)
    engine = async_method(workspace.engine)
    embedding_providers = async_method(workspace.embedding_providers)
    reindex = async_method(workspace.reindex)
    reindex_progress = async_method(workspace.reindex_progress)
    verify = async_method(workspace.verify)
    whoami = async_method(workspace.whoami)
    create_key = async_method(workspace.create_key)
    list_keys = async_pager(workspace.list_keys)
    rotate_key = async_method(workspace.rotate_key)
    revoke_key = async_method(workspace.revoke_key)
    list_audit = async_pager(workspace.list_audit)
    usage = async_method(workspace.usage)
    list_webhooks = async_pager(workspace.list_webhooks)
    add_webhook = async_method(workspace.add_webhook)
    update_webhook = async_method(workspace.update_webhook)
    test_webhook = async_method(workspace.test_webhook)
    enable_webhook = async_method(workspace.enable_webhook)
    delete_webhook = async_method(workspace.delete_webhook)
    list_dead_letters = async_pager(workspace.list_dead_letters)
    retry_dead_letter = async_method(workspace.retry_dead_letter)
    discard_dead_letter = async_method(workspace.discard_dead_letter)
    chat = async_method(workspace.chat)
    health = async_method(workspace.health)
    ready = async_method(workspace.ready)

    async def events(
        self, after: int | None = None, types: Sequence[str] = (), *, reconnect: bool = True
    ) -> AsyncIterator[dict[str, Any]]:
        """What happens from now on, or after a position, for as long as it is iterated; each event once.

        A stream that breaks off is taken up again where it ended. Raises APIError when it is refused.
        """
        following = EventStream(after, types)
        while True:
            try:
                async with self.http.stream(
                    "GET", following.path, params=following.query, headers=following.headers(self.options.own()),
                    timeout=EVENTS_TIMEOUT,
                ) as response:  # fmt: skip
                    if following.must_reconnect(response.status_code, reconnect):
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
