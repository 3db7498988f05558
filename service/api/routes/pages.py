"""Pages: standing questions whose answers are written again when what they cite changes."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path

from service.api.dependencies import (
    AgentQuery,
    Call,
    ComparedTo,
    JsonResponse,
    Page,
    Paging,
    json_response,
    page_response,
    stored_response,
)
from service.api.errors import NOTHING_STORED
from service.api.routing import api_router
from service.domain.pages import AnsweredPage, PageContent, PageDraft, PageVersion
from service.memory import pages

router = api_router(prefix="/v1/pages", tags=["pages"])

PageId = Annotated[UUID, Path(description="Id of the page.")]


@router.post("", status_code=201, responses=NOTHING_STORED, summary="Create a page")
async def create_page(call: Call, draft: PageDraft) -> JsonResponse[AnsweredPage]:
    """Answers the question at once, and again at each trigger. At most 100 pages per agent."""
    return stored_response(await pages.add_page(*call, draft))


@router.get("", summary="List pages")
async def list_pages(call: Call, paging: Paging, agent: AgentQuery = None) -> JsonResponse[Page[AnsweredPage]]:
    """Pages with their answers, newest first."""
    return page_response(*await pages.list_pages(*call, agent, **paging))


@router.get("/{page_id}", summary="Get a page")
async def get_page(call: Call, page_id: PageId) -> JsonResponse[AnsweredPage]:
    """The newest answer, without sentences that do not hold any more."""
    return json_response(await pages.get_page(*call, page_id))


@router.put("/{page_id}", summary="Update a page")
async def put_page(call: Call, page_id: PageId, content: PageContent) -> JsonResponse[AnsweredPage]:
    """Replaces question, scope, trigger and length, and answers the question at once."""
    return json_response(await pages.put_page(*call, page_id, content))


@router.post("/{page_id}", summary="Rewrite a page")
async def rewrite_page(call: Call, page_id: PageId) -> JsonResponse[AnsweredPage]:
    """Answers the question now. The newest version stays if nothing it is made of has changed."""
    return json_response(await pages.rewrite_page(*call, page_id))


@router.delete("/{page_id}", status_code=204, summary="Delete a page")
async def delete_page(call: Call, page_id: PageId) -> None:
    """Delete a page with all its versions."""
    await pages.delete_page(*call, page_id)


@router.get("/{page_id}/versions", summary="List the versions of a page")
async def list_page_versions(
    call: Call, page_id: PageId, paging: Paging, compared_to: ComparedTo = None
) -> JsonResponse[Page[PageVersion]]:
    """The last 20 versions, newest first, each with the sentences added and removed."""
    return page_response(*await pages.page_versions(*call, page_id, compared_to=compared_to, **paging))
