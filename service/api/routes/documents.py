"""Documents: ingest, read, delete. They are searched with memories (``include: ["documents"]``)."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path

from service.api.dependencies import (
    AboutQuery,
    AgentQuery,
    Call,
    JsonResponse,
    Page,
    Paging,
    json_response,
    page_response,
    stored_response,
)
from service.api.errors import NOTHING_STORED
from service.api.routing import api_router
from service.domain.documents import Document, DocumentDraft, DocumentHead
from service.memory.saving import documents

DocumentId = Annotated[UUID, Path(description="Id of the document.")]

router = api_router(prefix="/v1/documents", tags=["documents"])


@router.post("", status_code=201, responses=NOTHING_STORED, summary="Create a document")
async def create_document(call: Call, draft: DocumentDraft) -> JsonResponse[Document]:
    """Text or Markdown, split into chunks, embedded and searchable."""
    return stored_response(await documents.add_document(*call, draft))


@router.get("", summary="List documents")
async def list_documents(
    call: Call, paging: Paging, agent: AgentQuery = None, about: AboutQuery = None
) -> JsonResponse[Page[DocumentHead]]:
    """Documents without their text, newest first."""
    return page_response(*await documents.list_documents(*call, agent, about, **paging))


@router.get("/{document_id}")
async def get_document(call: Call, document_id: DocumentId) -> JsonResponse[Document]:
    """Get a document."""
    return json_response(await documents.get_document(*call, document_id))


@router.delete("/{document_id}", status_code=204, summary="Delete a document")
async def delete_document(call: Call, document_id: DocumentId) -> None:
    """Deletes the document and its chunks permanently."""
    await documents.drop_document(*call, document_id)
