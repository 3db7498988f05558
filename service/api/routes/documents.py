"""Documents: ingest, read, delete. They are searched with memories (``include: ["documents"]``)."""

from __future__ import annotations

from uuid import UUID

from starlette.responses import Response

from service.api import schemas
from service.api.dependencies import AgentQuery, Caller, Cursor, EngineDep, Limit, json_response, page
from service.api.naming import api_router
from service.domain.documents import DocumentDraft
from service.domain.field_types import Name
from service.memory.saving import documents

router = api_router(prefix="/v1/documents", tags=["documents"])


@router.post(
    "",
    status_code=201,
    response_model=schemas.Document,
    responses={200: {"model": None, "description": "The call has its memory off: nothing was kept"}},
)
async def add(engine: EngineDep, caller: Caller, draft: DocumentDraft) -> Response:
    """Ingest a text or Markdown document: cut into parts, embedded, searchable."""
    stored = await documents.add_document(engine, caller, draft)
    return json_response(stored, 201 if stored else 200)


@router.get("", response_model=schemas.Page[schemas.DocumentHead])
async def list_(
    engine: EngineDep,
    caller: Caller,
    agent: AgentQuery = None,
    user: Name | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Documents without their text, newest first."""
    return page(*await documents.list_documents(engine, caller, agent, user, limit=limit, cursor=cursor))


@router.get("/{document_id}", response_model=schemas.Document)
async def get(engine: EngineDep, caller: Caller, document_id: UUID) -> Response:
    """One document."""
    return json_response(await documents.get_document(engine, caller, document_id))


@router.delete("/{document_id}", status_code=204)
async def delete(engine: EngineDep, caller: Caller, document_id: UUID) -> None:
    """Delete a document and its parts for good."""
    await documents.drop_document(engine, caller, document_id)
