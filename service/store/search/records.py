"""What is returned of what was found: memories, messages and parts of documents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from service.db.pool import Connection
from service.db.records import make
from service.domain.documents import DocumentPart
from service.domain.memory import Memory
from service.domain.session import FoundMessage
from service.store.search.plan import KINDS

Kind = Literal["memory", "message", "document"]


@dataclass(frozen=True, slots=True)
class ContextMemory(Memory):
    """A memory with what a context has to know besides: the user of its session, the messages that it came from, and
    whether it is the summary of a window."""

    session_user: str | None
    sources: list[UUID]
    window_summary: bool


@dataclass(frozen=True, slots=True)
class ContextMessage(FoundMessage):
    """A message with the time zone of its speaker, None where it names none, and the share of the memories made of it
    that others have superseded, None where it has none."""

    time_zone: str | None
    superseded: float | None


@dataclass(frozen=True, slots=True)
class FoundChunk(DocumentPart):
    """A part of a document with its agent and its length."""

    agent: str
    tokens: int


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record that was found, and how many tokens its text has."""

    kind: Kind
    record: Memory | FoundMessage | FoundChunk
    tokens: int


async def records(
    connection: Connection, workspace: UUID, ids: Sequence[UUID], *, kinds: Collection[int], for_context: bool
) -> dict[UUID, FoundRecord]:
    """Return those of these ids that are still there; ``kinds`` they may be of. ``for_context``, memories are
    ContextMemory and messages ContextMessage."""
    if not ids:
        return {}
    with_messages, with_documents = KINDS["messages"] in kinds, KINDS["documents"] in kinds
    flags = {"for_context": for_context, "with_messages": with_messages, "with_documents": with_documents}
    of_memory: type[Memory] = ContextMemory if for_context else Memory
    of_message: type[FoundMessage] = ContextMessage if for_context else FoundMessage
    found: dict[UUID, FoundRecord] = {}
    for row in await connection.fetch("records", flags, workspace=workspace, ids=list(ids)):
        if row["id"] is not None:
            found[row["found_id"]] = FoundRecord("memory", make(of_memory, row), row["tokens"])
        elif with_messages and row["message_id"] is not None:
            message, structured = make(of_message, row, "message_"), row["message_content_json"]
            message = message if structured is None else replace(message, content=structured)
            found[row["found_id"]] = FoundRecord("message", message, message.tokens)
        elif with_documents and row["chunk_id"] is not None:
            chunk = make(FoundChunk, row, "chunk_")
            found[row["found_id"]] = FoundRecord("document", chunk, chunk.tokens)
    return found
