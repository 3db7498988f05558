"""Entities and edges: who and what memories speak of, and how it hangs together."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query
from starlette.responses import Response

from service.api import graph_schemas, schemas
from service.api.dependencies import AgentQuery, Caller, Cursor, EngineDep, Limit, json_response, page
from service.api.naming import api_router
from service.api.path_params import PathName
from service.api.problems import Problem
from service.domain.field_types import Identifies, Name, Text
from service.memory.dreams import graph

router = api_router(prefix="/v1", tags=["graph"])

EntityPath = Annotated[PathName, Path(description="the entity's id, or a name it goes by")]
PartOfName = Annotated[Text, Identifies()]
AMBIGUOUS: dict[int | str, dict[str, Any]] = {
    300: {"model": Problem, "description": "The name fits several; ``candidates`` are they"}
}


@router.get("/entities", response_model=schemas.Page[schemas.Entity])
async def list_(
    engine: EngineDep,
    caller: Caller,
    agent: AgentQuery = None,
    kind: Name | None = None,
    q: Annotated[PartOfName | None, Query(max_length=200)] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Entities the caller may see, newest first."""
    return page(*await graph.list_entities(engine, caller, agent, kind, q or None, limit=limit, cursor=cursor))


@router.get("/entities/{entity}", response_model=schemas.Entity, responses=AMBIGUOUS)
async def get(engine: EngineDep, caller: Caller, entity: EntityPath, agent: AgentQuery = None) -> Response:
    """One entity."""
    return json_response(await graph.get_entity(engine, caller, agent, entity))


@router.get("/entities/{entity}/graph", response_model=graph_schemas.Graph, responses=AMBIGUOUS)
async def entity_graph(
    engine: EngineDep,
    caller: Caller,
    entity: EntityPath,
    agent: AgentQuery = None,
    depth: Annotated[int, Query(ge=1, le=4)] = 2,
) -> Response:
    """What is known around an entity."""
    return json_response(await graph.graph(engine, caller, agent, entity, depth))


@router.patch("/entities/{entity_id}", response_model=schemas.Entity)
async def change(engine: EngineDep, caller: Caller, entity_id: UUID, body: graph_schemas.PatchEntity) -> Response:
    """Rename an entity, or change its kind or its other names."""
    return json_response(await graph.change_entity(engine, caller, entity_id, body.model_dump(exclude_unset=True)))


@router.post("/entities/{entity_id}/merge", response_model=schemas.Entity)
async def merge(engine: EngineDep, caller: Caller, entity_id: UUID, body: graph_schemas.MergeEntity) -> Response:
    """Let another entity stand for both; that one is given."""
    return json_response(await graph.merge_entities(engine, caller, entity_id, body.into))


@router.post("/entities/{entity_id}/unmerge", response_model=schemas.Entity)
async def unmerge(engine: EngineDep, caller: Caller, entity_id: UUID) -> Response:
    """Take a merge back: the entity stands for itself again."""
    return json_response(await graph.unmerge_entity(engine, caller, entity_id))


@router.post("/entities/{entity_id}/split", status_code=201, response_model=schemas.Entity)
async def split(engine: EngineDep, caller: Caller, entity_id: UUID, body: graph_schemas.SplitEntity) -> Response:
    """Make a new entity of what some memories say of this one."""
    return json_response(
        await graph.split_entity(engine, caller, entity_id, body.memory_ids, body.name, body.kind), 201
    )


@router.post(
    "/edges", status_code=201, response_model=graph_schemas.Edge, responses={200: {"model": graph_schemas.Edge}}
)
async def add_edge(engine: EngineDep, caller: Caller, body: graph_schemas.CreateEdge) -> Response:
    """Link memories and entities: 201 for a new edge, 200 for one that was there."""
    edge, made = await graph.add_edge(engine, caller, body.agent, body.relation, dict(body.source), dict(body.target))
    return json_response(edge, 201 if made else 200)


@router.delete("/edges/{edge_id}", status_code=204)
async def remove_edge(engine: EngineDep, caller: Caller, edge_id: UUID) -> None:
    """Delete an edge."""
    await graph.remove_edge(engine, caller, edge_id)
