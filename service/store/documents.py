"""Documents and their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.json import JsonObject
from service.store.vectors import EmbeddingBatch


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document to be stored; ``created_by`` is who it is from, as the audit log names them."""

    id: UUID
    title: str
    text: str
    user: str | None
    owners: list[str]
    metadata: JsonObject
    created_by: str


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A part of a document to be stored, with what the index keeps of it."""

    ordinal: int
    id: UUID
    content: str
    language: str
    lexical: str
    tokens: int
    words: int
    asks: bool
    question_share: float


async def add(
    connection: Connection,
    workspace: UUID,
    document: NewDocument,
    chunks: Sequence[NewChunk],
    embedded: EmbeddingBatch,
    *,
    agent_id: UUID,
    now: datetime,
) -> None:
    """Store a document with its parts (``ordinal`` from 1), searchable at once."""
    await connection.run(
        "add_document",
        workspace=workspace,
        id=document.id,
        agent_id=agent_id,
        title=document.title,
        text=document.text,
        user=document.user,
        owners=document.owners,
        metadata=document.metadata,
        tokens=sum(chunk.tokens for chunk in chunks),
        chunks=len(chunks),
        created_by=document.created_by,
        now=now,
    )
    await connection.run(
        "add_chunks",
        embedded.flags,
        workspace=workspace,
        document_id=document.id,
        audience=agent_id,
        user=document.user,
        owners=document.owners,
        items=chunks,
        embeddings=embedded.stored(),
        model=embedded.model,
        now=now,
    )


async def drop(connection: Connection, workspace: UUID, document_id: UUID) -> None:
    """Remove a document, its parts, and every trace of them in the index."""
    await connection.run("unindex_document", workspace=workspace, id=document_id)
    await connection.run("drop_document", workspace=workspace, id=document_id)
