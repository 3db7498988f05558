"""Pages: standing questions whose answers are written again when what they cite changes."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path
from starlette.responses import Response

from service.api import page_schemas as schemas
from service.api.dependencies import AgentQuery, Call, ComparedTo, Paging, json_response, page_response
from service.api.lists import Page
from service.api.naming import api_router
from service.api.problems import NOTHING_STORED
from service.domain.pages import PageContent, PageDraft
from service.memory.pages import pages

router = api_router(prefix="/v1/pages", tags=["pages"])

PageId = Annotated[UUID, Path(description="Id of the page.")]


@router.post(
    "", status_code=201, response_model=schemas.AnsweredPage, responses=NOTHING_STORED, summary="Create a page"
)
async def create_page(call: Call, draft: PageDraft) -> Response:
    """Answers the question at once, and again at each trigger. At most 100 pages per agent."""
    made = await pages.add_page(*call, draft)
    return json_response(made, 201 if made else 200)


@router.get("", response_model=Page[schemas.AnsweredPage], summary="List pages")
async def list_pages(call: Call, paging: Paging, agent: AgentQuery = None) -> Response:
    """Pages with their answers, newest first."""
    return page_response(*await pages.list_pages(*call, agent, **paging))


@router.get("/{page_id}", response_model=schemas.AnsweredPage, summary="Get a page")
async def get_page(call: Call, page_id: PageId) -> Response:
    """The newest answer, without sentences that do not hold any more."""
    return json_response(await pages.get_page(*call, page_id))


@router.put("/{page_id}", response_model=schemas.AnsweredPage, summary="Update a page")
async def put_page(call: Call, page_id: PageId, content: PageContent) -> Response:
    """Replaces question, scope, trigger and length, and answers the question at once."""
    return json_response(await pages.put_page(*call, page_id, content))


@router.post("/{page_id}", response_model=schemas.AnsweredPage, summary="Rewrite a page")
async def rewrite_page(call: Call, page_id: PageId) -> Response:
    """Answers the question now. The newest version stays if nothing it is made of has changed."""
    return json_response(await pages.rewrite_page(*call, page_id))


@router.delete("/{page_id}", status_code=204, summary="Delete a page")
async def delete_page(call: Call, page_id: PageId) -> None:
    """Delete a page with all its versions."""
    await pages.delete_page(*call, page_id)


@router.get("/{page_id}/versions", response_model=Page[schemas.PageVersion], summary="List the versions of a page")
async def list_page_versions(call: Call, page_id: PageId, paging: Paging, compared_to: ComparedTo = None) -> Response:
    """The last 20 versions, newest first, each with the sentences added and removed."""
    return page_response(*await pages.page_versions(*call, page_id, compared_to=compared_to, **paging))
