"""Documents: cut, embedded, searched beside memories, and dropped with all their parts."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection
from service.domain import cursors
from service.domain.documents import Document, DocumentDraft, DocumentHead
from service.domain.ids import new_id
from service.domain.languages import language_of
from service.domain.principal import Principal
from service.domain.text_features import extract_features
from service.domain.text_normalization import normalize_for_search
from service.embedding.tokens import count_tokens, segments, split_segment
from service.errors import NotFound
from service.memory.access.redaction import redact_fields
from service.runtime import Runtime
from service.store import agents, documents
from service.store.documents import NewChunk, NewDocument
from service.store.settings import agent_settings

DOCUMENT_FIELDS = ("title", "text", "metadata")
CHUNK_TOKENS = 400
"""Maximum length of a part: within what every embedder reads, and five of them in the 2,000 tokens of a context."""
OVERLAP_TOKENS = 50
"""A part repeats at most so much of the one before: what a cut parts is whole in one of them."""
ABSENT = "There is no such document here."


async def add_document(runtime: Runtime, principal: Principal, draft: DocumentDraft) -> Document | None:
    """Store a document of the acting agent and index its parts; return it. None, and nothing stored, with memory off.

    Parts whose embedding fails are found by their words until the worker catches up.
    """
    principal.require_write()
    acting = principal.acting_agent(draft.agent)
    if principal.no_memory:
        return None
    kept = await redact_fields(runtime, principal, {name: getattr(draft, name) for name in DOCUMENT_FIELDS})
    draft = draft.model_copy(update=kept)
    items = await parts_of(runtime.executor, draft.title, draft.text)
    embedded = await runtime.embed([f"{draft.title}\n{item.content}" for item in items])
    async with runtime.db.transaction(principal.workspace_id, viewer=principal.writes_as) as connection:
        agent_id = await agents.ensure_agent(connection, principal.workspace_id, acting)
        users = (await agent_settings(connection, principal.workspace_id, agent_id)).users
        document = NewDocument(
            id=new_id(),
            title=draft.title,
            text=draft.text,
            user=draft.user,
            owners=principal.owners_of(draft.owners, draft.user, users) or [],
            metadata=draft.metadata,
            created_by=principal.actor,
        )
        await documents.add(
            connection, principal.workspace_id, document, items, embedded, agent_id=agent_id, now=runtime.now()
        )
        return await _document(connection, principal, document.id)


async def get_document(runtime: Runtime, principal: Principal, document_id: UUID) -> Document:
    """Return a document of the caller's agent, or of the workspace. Raises NotFound."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        return await _document(connection, principal, document_id)


async def _document(connection: Connection, principal: Principal, document_id: UUID) -> Document:
    found = await connection.first(
        Document, "get_document", workspace=principal.workspace_id, id=document_id, agent=principal.agent
    )
    if found is None:
        raise NotFound(ABSENT)
    return found


async def list_documents(
    runtime: Runtime, principal: Principal, agent: str | None, user: str | None, *, limit: int, cursor: str | None
) -> tuple[list[DocumentHead], str | None]:
    """Return a page of documents without their text, newest first."""
    (before,) = cursors.decode(cursor, UUID)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await connection.many(
            DocumentHead,
            "list_documents",
            workspace=principal.workspace_id,
            agent=principal.reader_agent(agent),
            user=user,
            before=before,
            limit=limit + 1,
        )
    return cursors.paginate(found, limit, "id")


async def drop_document(runtime: Runtime, principal: Principal, document_id: UUID) -> None:
    """Delete a document and its parts for good. Raises NotFound."""
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        document = await _document(connection, principal, document_id)
        principal.check_changes(document.owners)
        await documents.drop(connection, principal.workspace_id, document.id)


async def parts_of(executor: FairExecutor, title: str, text: str) -> list[NewChunk]:
    """Return the parts of a text. The title is searched with each: a part alone seldom says what it is about."""
    cut = partial(split_segment, tokens_max=CHUNK_TOKENS, overlap_tokens=OVERLAP_TOKENS)
    split = await executor.each(cut, list(segments(text)), len)
    parts = list(enumerate((part for some in split for part in some), start=1))
    return await executor.each(lambda part: _chunk(title, *part), parts, lambda part: len(part[1]))


def _chunk(title: str, ordinal: int, part: str) -> NewChunk:
    features = extract_features(part, speaker="")
    return NewChunk(
        ordinal=ordinal,
        id=new_id(),
        content=part,
        language=language_of(part),
        lexical=normalize_for_search(f"{title}\n{part}"),
        tokens=count_tokens(part),
        words=features.words,
        asks=features.asks,
        question_share=features.question_share,
    )
