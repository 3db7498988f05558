"""Entities: who and what memories speak of."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from service.api import schemas
from service.api.dependencies import AgentQuery, Caller, Cursor, EngineDep, Limit, page
from service.domain.values import Name, Text
from service.memory import graph

router = APIRouter(prefix="/v1", tags=["graph"])


@router.get("/entities", response_model=schemas.Page[schemas.Entity])
async def list_(
    engine: EngineDep,
    caller: Caller,
    agent: AgentQuery = None,
    kind: Name | None = None,
    q: Annotated[Text | None, Query(max_length=200)] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Entities the caller may see, newest first."""
    return page(*await graph.list_entities(engine, caller, agent, kind, q or None, limit=limit, cursor=cursor))
