"""Agents, their bulletins and their dreams."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query, Request
from starlette.responses import Response

from service.api import schemas
from service.api.dependencies import AgentPath, AgentQuery, Caller, Cursor, EngineDep, Limit, json_response, page
from service.api.naming import api_router
from service.domain.field_types import Name
from service.memory.dreams import agents
from service.memory.dreams import dream_requests as dreams
from service.memory.dreams.undo import undo_dream
from service.memory.sessions.summarize import summarize

router = api_router(prefix="/v1", tags=["agents"])

MAX_VERSION = 2**31 - 1


@router.get("/agents", response_model=schemas.Page[schemas.Agent])
async def list_(engine: EngineDep, caller: Caller, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """Agents by name."""
    return page(*await agents.list_agents(engine, caller, limit=limit, cursor=cursor))


@router.get("/agents/{agent}", response_model=schemas.Agent)
async def get(engine: EngineDep, caller: Caller, agent: AgentPath) -> Response:
    """One agent."""
    return json_response(await agents.get_agent(engine, caller, agent))


@router.put("/agents/{agent}", response_model=schemas.Agent)
async def put(engine: EngineDep, caller: Caller, agent: AgentPath, body: schemas.PutAgent) -> Response:
    """Make or change an agent."""
    changes = body.model_dump(exclude_unset=True)
    return json_response(await agents.put_agent(engine, caller, agent, changes))


@router.get("/agents/{agent}/bulletin", response_model=schemas.Bulletin)
async def bulletin(
    engine: EngineDep,
    caller: Caller,
    agent: AgentPath,
    version: Annotated[int | None, Query(ge=1, le=MAX_VERSION)] = None,
) -> Response:
    """The agent's bulletin."""
    return json_response(await agents.get_bulletin(engine, caller, agent, version))


@router.post("/agents/{agent}/bulletin", response_model=schemas.Bulletin)
async def rewrite_bulletin(engine: EngineDep, caller: Caller, agent: AgentPath) -> Response:
    """Regenerate the agent's bulletin now."""
    return json_response(await agents.rewrite_bulletin(engine, caller, agent))


@router.get("/agents/{agent}/bulletin/versions", response_model=schemas.Page[schemas.Bulletin])
async def bulletin_versions(
    engine: EngineDep, caller: Caller, agent: AgentPath, limit: Limit = 50, cursor: Cursor = None
) -> Response:
    """Every bulletin of the agent, newest first."""
    return page(*await agents.bulletin_versions(engine, caller, agent, limit=limit, cursor=cursor))


@router.post(
    "/agents/{agent}/dream", status_code=202, response_model=schemas.Dream, responses={200: {"model": schemas.Dream}}
)
async def dream(
    request: Request, engine: EngineDep, caller: Caller, agent: AgentPath, body: schemas.RequestDream | None = None
) -> Response:
    """Ask for a dream: 202 when it is queued, 200 with ``wait`` when it is done."""
    wanted = body or schemas.RequestDream()
    queued = await dreams.request_dream(engine, caller, agent, dry_run=wanted.dry_run)
    if not wanted.wait:
        return json_response(queued, 202)
    with engine.streams.slot(caller):
        return json_response(await dreams.wait_for_dream(engine, caller, queued["id"], request.is_disconnected))


@router.get("/dreams", response_model=schemas.Page[schemas.Dream])
async def list_dreams(
    engine: EngineDep,
    caller: Caller,
    agent: AgentQuery = None,
    status: Name | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Dreams, newest first."""
    return page(*await dreams.list_dreams(engine, caller, agent, status, limit=limit, cursor=cursor))


@router.get("/dreams/{dream_id}", response_model=schemas.Dream)
async def get_dream(engine: EngineDep, caller: Caller, dream_id: UUID) -> Response:
    """One dream with its changes."""
    return json_response(await dreams.get_dream(engine, caller, dream_id))


@router.post("/dreams/{dream_id}/undo", response_model=schemas.Dream)
async def undo(engine: EngineDep, caller: Caller, dream_id: UUID) -> Response:
    """Take back everything a dream did; 409 names what has changed since."""
    return json_response(await undo_dream(engine, caller, dream_id))


@router.post("/summarize", response_model=schemas.SummarizeResponse)
async def summarize_memories(engine: EngineDep, caller: Caller, body: schemas.Summarize) -> Response:
    """Fold an agent's old, unimportant memories into one; a dry run shows which."""
    return json_response(
        await summarize(engine, caller, body.agent, older_than_days=body.older_than_days, dry_run=body.dry_run)
    )
