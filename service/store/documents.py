"""Documents and their parts."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.store.vectors import EmbeddingBatch


async def add(
    connection: Connection,
    workspace: UUID,
    document: dict[str, Any],
    chunks: list[dict[str, Any]],
    embedded: EmbeddingBatch,
    *,
    agent_id: UUID,
    now: datetime,
) -> None:
    """Store a document (columns of ``documents``) with its parts (``ordinal`` from 1), searchable at once."""
    await connection.run("add_document", workspace=workspace, agent_id=agent_id, now=now, **document)
    await connection.run(
        "add_chunks",
        embedded.flags,
        workspace=workspace,
        document_id=document["id"],
        audience=agent_id,
        user=document["user"],
        items=chunks,
        embeddings=embedded.stored(),
        model=embedded.model,
        now=now,
    )


async def get(connection: Connection, workspace: UUID, document_id: UUID, agent: str | None) -> Row | None:
    """The document, when it is the agent's; agent None sees the workspace's."""
    return await connection.row("get_document", workspace=workspace, id=document_id, agent=agent)


async def list_(connection: Connection, workspace: UUID, **filters: Any) -> list[Row]:
    """Documents without their text, newest first."""
    return await connection.fetch("list_documents", workspace=workspace, **filters)


async def drop(connection: Connection, workspace: UUID, document_id: UUID) -> None:
    """Remove a document, its parts, and every trace of them in the index."""
    await connection.run("unindex_document", workspace=workspace, id=document_id)
    await connection.run("drop_document", workspace=workspace, id=document_id)
