"""Standing questions whose answers are written again (pages), and searches that are kept and run as tests."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path

from service.api.dependencies import (
    AgentQuery,
    Call,
    ComparedTo,
    Items,
    JsonResponse,
    Page,
    Paging,
    items_response,
    json_response,
    page_response,
    stored_response,
)
from service.api.errors import NOTHING_STORED
from service.api.routing import api_router
from service.domain.pages import AnsweredPage, PageContent, PageDraft, PageVersion
from service.domain.saved_searches import (
    AgentSearchRun,
    SavedSearch,
    SavedSearchContent,
    SavedSearchDraft,
    SearchResultRecord,
    SearchRun,
)
from service.memory import pages, saved_searches

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


searches_router = api_router(prefix="/v1/searches", tags=["searches"])

SearchId = Annotated[UUID, Path(description="Id of the saved search.")]


@searches_router.post("", status_code=201, responses=NOTHING_STORED, summary="Save a search")
async def create_search(call: Call, draft: SavedSearchDraft) -> JsonResponse[SavedSearch]:
    """A query with the memories that it must find, without a first run. At most 100 per agent."""
    return stored_response(await saved_searches.add_search(*call, draft))


@searches_router.get("", summary="List saved searches")
async def list_searches(call: Call, paging: Paging, agent: AgentQuery = None) -> JsonResponse[Page[SavedSearch]]:
    """Saved searches with their newest recall, newest search first."""
    return page_response(*await saved_searches.list_searches(*call, agent, **paging))


@searches_router.post("/run", summary="Run all saved searches of an agent")
async def run_searches(call: Call, run: AgentSearchRun) -> JsonResponse[Items[SearchResultRecord]]:
    """Searches as the agent, without counting access, and stores a result for each."""
    return items_response(await saved_searches.run_searches(*call, run.agent, run.overrides))


@searches_router.get("/{search_id}", summary="Get a saved search")
async def get_search(call: Call, search_id: SearchId) -> JsonResponse[SavedSearch]:
    """The saved search with the present state of its expected memories."""
    return json_response(await saved_searches.get_search(*call, search_id))


@searches_router.put("/{search_id}", summary="Update a saved search")
async def put_search(call: Call, search_id: SearchId, content: SavedSearchContent) -> JsonResponse[SavedSearch]:
    """Replaces name, query, options, expected memories and k. Former results stay, under their revision."""
    return json_response(await saved_searches.put_search(*call, search_id, content))


@searches_router.delete("/{search_id}", status_code=204, summary="Delete a saved search")
async def delete_search(call: Call, search_id: SearchId) -> None:
    """Delete a saved search with all its results."""
    await saved_searches.delete_search(*call, search_id)


@searches_router.post("/{search_id}/run", summary="Run a saved search")
async def run_search(call: Call, search_id: SearchId, run: SearchRun) -> JsonResponse[Items[SearchResultRecord]]:
    """Searches as the agent, without counting access, and stores the result; an empty list with
    X-Reverie-No-Memory."""
    return items_response(await saved_searches.run_search(*call, search_id, run.overrides))


@searches_router.get(
    "/{search_id}/results",
    summary="List the results of a saved search",
)
async def list_search_results(
    call: Call, search_id: SearchId, paging: Paging
) -> JsonResponse[Page[SearchResultRecord]]:
    """The last 200 results, newest first."""
    return page_response(*await saved_searches.search_results(*call, search_id, **paging))
