"""Documents: ingest, read, delete. They are searched with memories (``include: ["documents"]``)."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path
from starlette.responses import Response

from service.api import document_schemas as schemas
from service.api.dependencies import AgentQuery, Call, Paging, UserQuery, json_response, page_response
from service.api.lists import Page
from service.api.naming import api_router
from service.api.problems import NOTHING_STORED
from service.domain.documents import DocumentDraft
from service.memory.saving import documents

DocumentId = Annotated[UUID, Path(description="Id of the document.")]

router = api_router(prefix="/v1/documents", tags=["documents"])


@router.post(
    "", status_code=201, response_model=schemas.Document, responses=NOTHING_STORED, summary="Create a document"
)
async def create_document(call: Call, draft: DocumentDraft) -> Response:
    """Text or Markdown, split into chunks, embedded and searchable."""
    stored = await documents.add_document(*call, draft)
    return json_response(stored, 201 if stored else 200)


@router.get("", response_model=Page[schemas.DocumentHead], summary="List documents")
async def list_documents(call: Call, paging: Paging, agent: AgentQuery = None, user: UserQuery = None) -> Response:
    """Documents without their text, newest first."""
    return page_response(*await documents.list_documents(*call, agent, user, **paging))


@router.get("/{document_id}", response_model=schemas.Document)
async def get_document(call: Call, document_id: DocumentId) -> Response:
    """Get a document."""
    return json_response(await documents.get_document(*call, document_id))


@router.delete("/{document_id}", status_code=204, summary="Delete a document")
async def delete_document(call: Call, document_id: DocumentId) -> None:
    """Deletes the document and its chunks permanently."""
    await documents.drop_document(*call, document_id)
