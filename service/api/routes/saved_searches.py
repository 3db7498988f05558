"""Saved searches: queries with the memories that they must find, run as tests of the search."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path
from starlette.responses import Response

from service.api import saved_search_schemas as schemas
from service.api.dependencies import AgentQuery, Call, Paging, json_response, page_response
from service.api.lists import Items, Page
from service.api.naming import api_router
from service.api.problems import NOTHING_STORED
from service.domain.saved_searches import AgentSearchRun, SavedSearchContent, SavedSearchDraft, SearchRun
from service.memory.saved_searches import runs, saved

router = api_router(prefix="/v1/searches", tags=["searches"])

SearchId = Annotated[UUID, Path(description="Id of the saved search.")]


@router.post("", status_code=201, response_model=schemas.SavedSearch, responses=NOTHING_STORED, summary="Save a search")
async def create_search(call: Call, draft: SavedSearchDraft) -> Response:
    """A query with the memories that it must find, without a first run. At most 100 per agent."""
    made = await saved.add_search(*call, draft)
    return json_response(made, 201 if made else 200)


@router.get("", response_model=Page[schemas.SavedSearch], summary="List saved searches")
async def list_searches(call: Call, paging: Paging, agent: AgentQuery = None) -> Response:
    """Saved searches with their newest recall, newest search first."""
    return page_response(*await saved.list_searches(*call, agent, **paging))


@router.post("/run", response_model=Items[schemas.SearchResultRecord], summary="Run all saved searches of an agent")
async def run_searches(call: Call, run: AgentSearchRun) -> Response:
    """Searches as the agent, without counting access, and stores a result for each."""
    return json_response({"items": await runs.run_searches(*call, run.agent, run.overrides)})


@router.get("/{search_id}", response_model=schemas.SavedSearch, summary="Get a saved search")
async def get_search(call: Call, search_id: SearchId) -> Response:
    """The saved search with the present state of its expected memories."""
    return json_response(await saved.get_search(*call, search_id))


@router.put("/{search_id}", response_model=schemas.SavedSearch, summary="Update a saved search")
async def put_search(call: Call, search_id: SearchId, content: SavedSearchContent) -> Response:
    """Replaces name, query, options, expected memories and k. Former results stay, under their revision."""
    return json_response(await saved.put_search(*call, search_id, content))


@router.delete("/{search_id}", status_code=204, summary="Delete a saved search")
async def delete_search(call: Call, search_id: SearchId) -> None:
    """Delete a saved search with all its results."""
    await saved.delete_search(*call, search_id)


@router.post("/{search_id}/run", response_model=Items[schemas.SearchResultRecord], summary="Run a saved search")
async def run_search(call: Call, search_id: SearchId, run: SearchRun) -> Response:
    """Searches as the agent, without counting access, and stores the result; an empty list with
    X-Reverie-No-Memory."""
    return json_response({"items": await runs.run_search(*call, search_id, run.overrides)})


@router.get(
    "/{search_id}/results",
    response_model=Page[schemas.SearchResultRecord],
    summary="List the results of a saved search",
)
async def list_search_results(call: Call, search_id: SearchId, paging: Paging) -> Response:
    """The last 200 results, newest first."""
    return page_response(*await saved.search_results(*call, search_id, **paging))
