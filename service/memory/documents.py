"""Documents: cut, embedded, searched beside memories, and dropped with all their parts (row G5)."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from service.domain import cursors
from service.domain.documents import DocumentDraft, DocumentSettings
from service.domain.ids import new_id
from service.domain.languages import language_of
from service.domain.lexical import shape_of
from service.domain.principal import Principal
from service.domain.spelling import spelled
from service.embedding.splitting import split
from service.embedding.tokens import count_tokens
from service.errors import NotFound
from service.memory.engine import Engine
from service.memory.redaction import cleared_fields
from service.memory.workspace import get_settings
from service.store import agents, documents

DOCUMENT_FIELDS = ("title", "text", "metadata")
ABSENT = "There is no such document here."

Record = dict[str, Any]


async def add_document(engine: Engine, principal: Principal, draft: DocumentDraft) -> Record | None:
    """Store a document of the acting agent and index its parts; None, and nothing stored, with memory off.

    Parts whose embedding fails are found by their words until the worker catches up.
    """
    principal.must_write()
    acting = principal.acting(draft.agent)
    if principal.memory_off:
        return None
    kept = await cleared_fields(engine, principal, {name: getattr(draft, name) for name in DOCUMENT_FIELDS})
    draft = draft.model_copy(update=kept)
    bounds = (await get_settings(engine, principal)).documents
    items = await asyncio.to_thread(parts_of, draft.title, draft.text, bounds)
    embedded = await engine.embed([f"{draft.title}\n{item['content']}" for item in items])
    document = {
        "id": new_id(),
        "title": draft.title,
        "text": draft.text,
        "user": draft.user,
        "metadata": draft.metadata,
        "tokens": sum(item["tokens"] for item in items),
        "chunks": len(items),
        "created_by": principal.actor,
    }
    async with engine.db.transaction(principal.workspace_id) as connection:
        agent_id = await agents.ensure_agent(connection, principal.workspace_id, acting)
        await documents.add(
            connection, principal.workspace_id, document, items, embedded, agent_id=agent_id, now=engine.now()
        )
        stored = await documents.get(connection, principal.workspace_id, document["id"], acting)
    assert stored is not None
    return dict(stored)


async def get_document(engine: Engine, principal: Principal, document_id: UUID) -> Record:
    """A document of the caller's agent, or of the workspace. Raises NotFound."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await documents.get(connection, principal.workspace_id, document_id, principal.agent)
    if row is None:
        raise NotFound(ABSENT)
    return dict(row)


async def list_documents(
    engine: Engine, principal: Principal, agent: str | None, user: str | None, *, limit: int, cursor: str | None
) -> tuple[list[Record], str | None]:
    """A page of documents without their text, newest first."""
    after = cursors.decode(cursor, UUID)
    async with engine.db.transaction(principal.workspace_id) as connection:
        rows = await documents.list_(
            connection,
            principal.workspace_id,
            agent=principal.reading(agent),
            user=user,
            before=after[0] if after else None,
            limit=limit + 1,
        )
    more = cursors.encode(rows[limit - 1]["id"]) if len(rows) > limit else None
    return [dict(row) for row in rows[:limit]], more


async def drop_document(engine: Engine, principal: Principal, document_id: UUID) -> None:
    """Delete a document and its parts for good. Raises NotFound."""
    principal.must_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        if await documents.get(connection, principal.workspace_id, document_id, principal.agent) is None:
            raise NotFound(ABSENT)
        await documents.drop(connection, principal.workspace_id, document_id)


def parts_of(title: str, text: str, bounds: DocumentSettings) -> list[Record]:
    """Columns of the parts of a text. The title is searched with each: a part alone seldom says what it is about."""
    return [
        {
            "ordinal": ordinal,
            "id": new_id(),
            "content": part,
            "language": language_of(part),
            "lexical": spelled(f"{title}\n{part}"),
            "tokens": count_tokens(part),
        }
        | shape_of(part, speaker="").columns()
        for ordinal, part in enumerate(
            split(text, tokens_max=bounds.chunk_tokens, overlap_tokens=bounds.overlap_tokens), start=1
        )
    ]
