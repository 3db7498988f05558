"""Calls of language models, where the workspace keeps them."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query

from service.api.dependencies import AgentQuery, Call, JsonResponse, Page, Paging, json_response, page_response
from service.api.routing import api_router
from service.domain.field_types import Timestamp
from service.domain.kept_calls import ModelCall
from service.domain.model_calls import Outcome
from service.domain.spending import Purpose
from service.memory.ops import usage

router = api_router(prefix="/v1/model-calls", tags=["admin"])

CallId = Annotated[UUID, Path(description="Id of the call.")]


@router.get("", summary="List model calls")
async def list_model_calls(
    call: Call,
    paging: Paging,
    agent: AgentQuery = None,
    dream: Annotated[UUID | None, Query(description="Id of a dream to filter by.")] = None,
    purpose: Annotated[
        Purpose | None,
        Query(
            description="Purpose to filter by: extract, reconcile, decide, reflect, bulletin, summary, page, ask, "
            "rerank, embed, proxy or probe."
        ),
    ] = None,
    outcome: Annotated[
        Outcome | None,
        Query(description="Outcome to filter by: answered, invalid, timeout, unavailable, refused or cancelled."),
    ] = None,
    since: Annotated[Timestamp | None, Query(description="Earliest time, inclusive.")] = None,
    until: Annotated[Timestamp | None, Query(description="Latest time, exclusive.")] = None,
) -> JsonResponse[Page[ModelCall]]:
    """Attempts at language models with the beginnings of their texts, newest first, kept by the setting
    `retention.model_calls_days`. Not those of embedders and of the proxy. Admin keys only."""
    found = await usage.list_model_calls(
        *call, agent=agent, dream=dream, purpose=purpose, outcome=outcome, since=since, until=until, **paging
    )
    return page_response(*found)


@router.get("/{call_id}", summary="Read a model call")
async def get_model_call(call: Call, call_id: CallId) -> JsonResponse[ModelCall]:
    """A call with its whole texts. Admin keys only."""
    return json_response(await usage.get_model_call(*call, call_id))
