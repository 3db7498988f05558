"""Saved searches: queries with the memories that they must find, run as tests of the search."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path

from service.api.dependencies import (
    AgentQuery,
    Call,
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
from service.domain.saved_searches import (
    AgentSearchRun,
    SavedSearch,
    SavedSearchContent,
    SavedSearchDraft,
    SearchResultRecord,
    SearchRun,
)
from service.memory import saved_searches

router = api_router(prefix="/v1/searches", tags=["searches"])

SearchId = Annotated[UUID, Path(description="Id of the saved search.")]


@router.post("", status_code=201, responses=NOTHING_STORED, summary="Save a search")
async def create_search(call: Call, draft: SavedSearchDraft) -> JsonResponse[SavedSearch]:
    """A query with the memories that it must find, without a first run. At most 100 per agent."""
    return stored_response(await saved_searches.add_search(*call, draft))


@router.get("", summary="List saved searches")
async def list_searches(call: Call, paging: Paging, agent: AgentQuery = None) -> JsonResponse[Page[SavedSearch]]:
    """Saved searches with their newest recall, newest search first."""
    return page_response(*await saved_searches.list_searches(*call, agent, **paging))


@router.post("/run", summary="Run all saved searches of an agent")
async def run_searches(call: Call, run: AgentSearchRun) -> JsonResponse[Items[SearchResultRecord]]:
    """Searches as the agent, without counting access, and stores a result for each."""
    return items_response(await saved_searches.run_searches(*call, run.agent, run.overrides))


@router.get("/{search_id}", summary="Get a saved search")
async def get_search(call: Call, search_id: SearchId) -> JsonResponse[SavedSearch]:
    """The saved search with the present state of its expected memories."""
    return json_response(await saved_searches.get_search(*call, search_id))


@router.put("/{search_id}", summary="Update a saved search")
async def put_search(call: Call, search_id: SearchId, content: SavedSearchContent) -> JsonResponse[SavedSearch]:
    """Replaces name, query, options, expected memories and k. Former results stay, under their revision."""
    return json_response(await saved_searches.put_search(*call, search_id, content))


@router.delete("/{search_id}", status_code=204, summary="Delete a saved search")
async def delete_search(call: Call, search_id: SearchId) -> None:
    """Delete a saved search with all its results."""
    await saved_searches.delete_search(*call, search_id)


@router.post("/{search_id}/run", summary="Run a saved search")
async def run_search(call: Call, search_id: SearchId, run: SearchRun) -> JsonResponse[Items[SearchResultRecord]]:
    """Searches as the agent, without counting access, and stores the result; an empty list with
    X-Reverie-No-Memory."""
    return items_response(await saved_searches.run_search(*call, search_id, run.overrides))


@router.get(
    "/{search_id}/results",
    summary="List the results of a saved search",
)
async def list_search_results(
    call: Call, search_id: SearchId, paging: Paging
) -> JsonResponse[Page[SearchResultRecord]]:
    """The last 200 results, newest first."""
    return page_response(*await saved_searches.search_results(*call, search_id, **paging))
