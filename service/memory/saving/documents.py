"""Documents: cut, embedded, searched beside memories, and dropped with all their parts."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from service.concurrency.executor import FairExecutor
from service.domain import cursors
from service.domain.documents import DocumentDraft, DocumentSettings
from service.domain.ids import new_id
from service.domain.languages import language_of
from service.domain.principal import Principal
from service.domain.text_features import extract_features
from service.domain.text_normalization import normalize_for_search
from service.embedding.chunking import segments, split_segment
from service.embedding.tokens import count_tokens
from service.errors import NotFound
from service.memory.access.redaction import redact_fields
from service.memory.access.workspace import get_settings
from service.memory.engine import Engine
from service.store import agents, documents

DOCUMENT_FIELDS = ("title", "text", "metadata")
ABSENT = "There is no such document here."

Record = dict[str, Any]


async def add_document(engine: Engine, principal: Principal, draft: DocumentDraft) -> Record | None:
    """Store a document of the acting agent and index its parts; None, and nothing stored, with memory off.

    Parts whose embedding fails are found by their words until the worker catches up.
    """
    principal.require_write()
    acting = principal.acting_agent(draft.agent)
    if principal.no_memory:
        return None
    kept = await redact_fields(engine, principal, {name: getattr(draft, name) for name in DOCUMENT_FIELDS})
    draft = draft.model_copy(update=kept)
    bounds = (await get_settings(engine, principal)).documents
    items = await parts_of(engine.executor, draft.title, draft.text, bounds)
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
    (before,) = cursors.decode(cursor, UUID)
    async with engine.db.transaction(principal.workspace_id) as connection:
        rows = await documents.list_(
            connection,
            principal.workspace_id,
            agent=principal.reader_agent(agent),
            user=user,
            before=before,
            limit=limit + 1,
        )
    rows, more = cursors.paginate(rows, limit, "id")
    return [dict(row) for row in rows], more


async def drop_document(engine: Engine, principal: Principal, document_id: UUID) -> None:
    """Delete a document and its parts for good. Raises NotFound."""
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        if await documents.get(connection, principal.workspace_id, document_id, principal.agent) is None:
            raise NotFound(ABSENT)
        await documents.drop(connection, principal.workspace_id, document_id)


async def parts_of(executor: FairExecutor, title: str, text: str, bounds: DocumentSettings) -> list[Record]:
    """Columns of the parts of a text. The title is searched with each: a part alone seldom says what it is about."""
    cut = partial(split_segment, tokens_max=bounds.chunk_tokens, overlap_tokens=bounds.overlap_tokens)
    split = await executor.each(cut, list(segments(text)), len)
    parts = list(enumerate((part for some in split for part in some), start=1))
    return await executor.each(lambda part: _part_columns(title, *part), parts, lambda part: len(part[1]))


def _part_columns(title: str, ordinal: int, part: str) -> Record:
    return {
        "ordinal": ordinal,
        "id": new_id(),
        "content": part,
        "language": language_of(part),
        "lexical": normalize_for_search(f"{title}\n{part}"),
        "tokens": count_tokens(part),
    } | extract_features(part, speaker="").columns()
