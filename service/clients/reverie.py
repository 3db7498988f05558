"""The clients: the whole API, blocking (``Reverie``) and awaited (``AsyncReverie``). They import nothing of the server.

A method is named after the call it sends (``service.clients.calls`` documents each). Lists are iterators that fetch the
next page when it is needed. Failures are the types of ``service.clients.errors``. What may have been lost on the way
is sent again, and never does anything twice: every POST carries an Idempotency-Key.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import httpx

from service.clients import calls
from service.clients.call import Call
from service.clients.errors import ConnectionFailed, error_of
from service.clients.methods import awaited, awaited_pages, paged, sent
from service.clients.models import Imported
from service.clients.sending import AsyncSender, Sender

Format = Literal["reverie", "mem0", "arkos"]
CHUNK_BYTES = 256 * 1024
STREAM_TIMEOUT = httpx.Timeout(30.0, read=600.0)


class Reverie(Sender):
    """Reverie over HTTP, blocking. Thread-safe; close it, or use it as a context manager."""

    save_memory = sent(calls.save_memory)
    save_memories = sent(calls.save_memories)
    list_memories = paged(calls.list_memories)
    get_memory = sent(calls.get_memory)
    change_memory = sent(calls.change_memory)
    delete_memory = sent(calls.delete_memory)
    restore_memory = sent(calls.restore_memory)
    memory_history = sent(calls.memory_history)
    memory_sources = sent(calls.memory_sources)
    search = sent(calls.search)
    preview = sent(calls.preview)
    feedback = sent(calls.feedback)
    summarize = sent(calls.summarize)

    start_session = sent(calls.start_session)
    list_sessions = paged(calls.list_sessions)
    get_session = sent(calls.get_session)
    append_messages = sent(calls.append_messages)
    list_messages = paged(calls.list_messages)
    window = sent(calls.window)
    clear_window = sent(calls.clear_window)
    compact = sent(calls.compact)
    message_memories = sent(calls.message_memories)
    context = sent(calls.context)
    ask = sent(calls.ask)

    list_agents = paged(calls.list_agents)
    get_agent = sent(calls.get_agent)
    put_agent = sent(calls.put_agent)
    dream = sent(calls.dream)
    list_dreams = paged(calls.list_dreams)
    get_dream = sent(calls.get_dream)
    undo_dream = sent(calls.undo_dream)
    bulletin = sent(calls.bulletin)
    list_bulletins = paged(calls.list_bulletins)
    write_bulletin = sent(calls.write_bulletin)

    list_entities = paged(calls.list_entities)
    get_entity = sent(calls.get_entity)
    entity_graph = sent(calls.entity_graph)
    change_entity = sent(calls.change_entity)
    merge_entity = sent(calls.merge_entity)
    unmerge_entity = sent(calls.unmerge_entity)
    split_entity = sent(calls.split_entity)
    add_edge = sent(calls.add_edge)
    delete_edge = sent(calls.delete_edge)

    purge_user = sent(calls.purge_user)
    export_user = sent(calls.export_user)
    add_document = sent(calls.add_document)
    list_documents = paged(calls.list_documents)
    get_document = sent(calls.get_document)
    delete_document = sent(calls.delete_document)

    get_settings = sent(calls.get_settings)
    put_settings = sent(calls.put_settings)
    engine = sent(calls.engine)
    embedding_providers = sent(calls.embedding_providers)
    reindex = sent(calls.reindex)
    reindex_progress = sent(calls.reindex_progress)
    verify = sent(calls.verify)
    create_key = sent(calls.create_key)
    list_keys = paged(calls.list_keys)
    rotate_key = sent(calls.rotate_key)
    revoke_key = sent(calls.revoke_key)
    list_audit = paged(calls.list_audit)
    list_webhooks = paged(calls.list_webhooks)
    add_webhook = sent(calls.add_webhook)
    delete_webhook = sent(calls.delete_webhook)
    chat = sent(calls.chat)
    health = sent(calls.health)
    ready = sent(calls.ready)

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

    def import_file(self, path: Path | str, format: Format = "reverie", agent: str | None = None) -> Imported:
        """Read a file in, all of it or nothing. Raises InvalidRequest; ``problem["line"]`` is the broken line."""
        with Path(path).open("rb") as file:
            return self.import_chunks(iter(lambda: file.read(CHUNK_BYTES), b""), format, agent)

    def import_chunks(self, chunks: Iterable[bytes], format: Format = "reverie", agent: str | None = None) -> Imported:
        """As ``import_file``, from a stream. Never repeated by itself; repeating it does no harm."""
        call = _import(self, format, agent)
        try:
            response = self.http.post(
                call.path,
                params=call.parameters(None),
                content=chunks,
                headers=self.options.own(),
                timeout=STREAM_TIMEOUT,
            )
        except httpx.TransportError as error:
            raise ConnectionFailed(f"POST {call.path}: {error!r}") from error
        if not response.is_success:
            raise error_of(response)
        return call.parse(response.content)


class AsyncReverie(AsyncSender):
    """Reverie over HTTP, awaited. Close it, or use it as an async context manager."""

    save_memory = awaited(calls.save_memory)
    save_memories = awaited(calls.save_memories)
    list_memories = awaited_pages(calls.list_memories)
    get_memory = awaited(calls.get_memory)
    change_memory = awaited(calls.change_memory)
    delete_memory = awaited(calls.delete_memory)
    restore_memory = awaited(calls.restore_memory)
    memory_history = awaited(calls.memory_history)
    memory_sources = awaited(calls.memory_sources)
    search = awaited(calls.search)
    preview = awaited(calls.preview)
    feedback = awaited(calls.feedback)
    summarize = awaited(calls.summarize)

    start_session = awaited(calls.start_session)
    list_sessions = awaited_pages(calls.list_sessions)
    get_session = awaited(calls.get_session)
    append_messages = awaited(calls.append_messages)
    list_messages = awaited_pages(calls.list_messages)
    window = awaited(calls.window)
    clear_window = awaited(calls.clear_window)
    compact = awaited(calls.compact)
    message_memories = awaited(calls.message_memories)
    context = awaited(calls.context)
    ask = awaited(calls.ask)

    list_agents = awaited_pages(calls.list_agents)
    get_agent = awaited(calls.get_agent)
    put_agent = awaited(calls.put_agent)
    dream = awaited(calls.dream)
    list_dreams = awaited_pages(calls.list_dreams)
    get_dream = awaited(calls.get_dream)
    undo_dream = awaited(calls.undo_dream)
    bulletin = awaited(calls.bulletin)
    list_bulletins = awaited_pages(calls.list_bulletins)
    write_bulletin = awaited(calls.write_bulletin)

    list_entities = awaited_pages(calls.list_entities)
    get_entity = awaited(calls.get_entity)
    entity_graph = awaited(calls.entity_graph)
    change_entity = awaited(calls.change_entity)
    merge_entity = awaited(calls.merge_entity)
    unmerge_entity = awaited(calls.unmerge_entity)
    split_entity = awaited(calls.split_entity)
    add_edge = awaited(calls.add_edge)
    delete_edge = awaited(calls.delete_edge)

    purge_user = awaited(calls.purge_user)
    export_user = awaited(calls.export_user)
    add_document = awaited(calls.add_document)
    list_documents = awaited_pages(calls.list_documents)
    get_document = awaited(calls.get_document)
    delete_document = awaited(calls.delete_document)

    get_settings = awaited(calls.get_settings)
    put_settings = awaited(calls.put_settings)
    engine = awaited(calls.engine)
    embedding_providers = awaited(calls.embedding_providers)
    reindex = awaited(calls.reindex)
    reindex_progress = awaited(calls.reindex_progress)
    verify = awaited(calls.verify)
    create_key = awaited(calls.create_key)
    list_keys = awaited_pages(calls.list_keys)
    rotate_key = awaited(calls.rotate_key)
    revoke_key = awaited(calls.revoke_key)
    list_audit = awaited_pages(calls.list_audit)
    list_webhooks = awaited_pages(calls.list_webhooks)
    add_webhook = awaited(calls.add_webhook)
    delete_webhook = awaited(calls.delete_webhook)
    chat = awaited(calls.chat)
    health = awaited(calls.health)
    ready = awaited(calls.ready)

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

    async def import_chunks(
        self, chunks: AsyncIterator[bytes], format: Format = "reverie", agent: str | None = None
    ) -> Imported:
        """Read a stream in, all of it or nothing. Raises InvalidRequest; ``problem["line"]`` is the broken line.

        Never repeated by itself; repeating it does no harm.
        """
        call = _import(self, format, agent)
        try:
            response = await self.http.post(
                call.path,
                params=call.parameters(None),
                content=chunks,
                headers=self.options.own(),
                timeout=STREAM_TIMEOUT,
            )
        except httpx.TransportError as error:
            raise ConnectionFailed(f"POST {call.path}: {error!r}") from error
        if not response.is_success:
            raise error_of(response)
        return call.parse(response.content)


def _export(agent: str | None, include: str | None, resume_from: str | None) -> Call[None]:
    """Of the agent named in the call alone: an export of a client that acts as an agent is still of the workspace."""
    query = {"agent": agent, "include": include, "resume_from": resume_from}
    return Call("GET", "/v1/export", None, query=query)


def _import(client: Sender | AsyncSender, format: Format, agent: str | None) -> Call[Imported]:
    query = {"format": format, "agent": agent or client.options.agent}
    return Call("POST", "/v1/import", Imported, query=query)
