"""Entities and edges: who and what memories speak of, and how it hangs together."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query
from pydantic import Field

from service.api.dependencies import (
    AgentQuery,
    Call,
    JsonResponse,
    Page,
    Paging,
    PartOfName,
    PathName,
    json_response,
    page_response,
)
from service.api.errors import Problem
from service.api.routing import api_router
from service.domain.drafts import EdgeEnd, EntityName, RelationField
from service.domain.field_types import ActingAgent, BoundedObject, Name, Timestamp
from service.domain.graph import Edge, Entity, EntitySort, Graph, MemoryLinks, Overview
from service.domain.strict import StrictModel
from service.memory import graph


class PatchEntity(StrictModel):
    """Changes to an entity; only the fields given change."""

    name: EntityName | None = Field(None, description="New name.")
    kind: Name | None = Field(None, description="New kind, such as person or place.")
    aliases: Annotated[list[EntityName], Field(max_length=100)] | None = Field(
        None, description="New aliases, replacing all former ones; at most 100."
    )
    metadata: BoundedObject | None = Field(None, description="Metadata to merge into the former, one level deep.")


class MergeEntity(StrictModel):
    """Target of a merge."""

    into: UUID = Field(description="Id of the remaining entity.")


class SplitEntity(StrictModel):
    """Memories to move from an entity to a new one."""

    memory_ids: Annotated[list[UUID], Field(min_length=1, max_length=1000)] = Field(
        description="Ids of the memories to move to the new entity, 1 to 1,000."
    )
    name: EntityName = Field(description="Name of the new entity.")
    kind: Name | None = Field(None, description="Kind of the new entity. Default: the kind of the old one.")


class CreateEdge(StrictModel):
    """Typed link to create, from one memory or entity to another."""

    agent: ActingAgent = None
    relation: RelationField
    source: EdgeEnd = Field(description="Start of the edge.")
    target: EdgeEnd = Field(description="End of the edge.")


router = api_router(prefix="/v1", tags=["graph"])

EntityPath = Annotated[PathName, Path(description="Id, name or alias of the entity.")]
EntityId = Annotated[UUID, Path(description="Id of the entity.")]
AMBIGUOUS: dict[int | str, dict[str, Any]] = {
    300: {"model": Problem, "description": "Ambiguous name; `candidates` lists the entities"}
}


@router.get("/entities", summary="List entities")
async def list_entities(
    call: Call,
    paging: Paging,
    agent: AgentQuery = None,
    kind: Annotated[Name | None, Query(description="Kind to filter by.")] = None,
    q: PartOfName = None,
    sort: Annotated[
        EntitySort,
        Query(description="Order: `newest`, `mentions` (most mentioned first) or `name`. Default `newest`."),
    ] = "newest",
) -> JsonResponse[Page[Entity]]:
    """Entities visible to the caller. A cursor belongs to its order."""
    return page_response(*await graph.list_entities(*call, agent, kind, q or None, sort=sort, **paging))


@router.get("/entities/{entity}", responses=AMBIGUOUS)
async def get_entity(call: Call, entity: EntityPath, agent: AgentQuery = None) -> JsonResponse[Entity]:
    """Get an entity."""
    return json_response(await graph.get_entity(*call, agent, entity))


@router.get(
    "/entities/{entity}/graph",
    responses=AMBIGUOUS,
    summary="Get the graph around an entity",
)
async def get_entity_graph(
    call: Call,
    entity: EntityPath,
    agent: AgentQuery = None,
    depth: Annotated[int, Query(ge=1, le=4, description="Maximum distance from the entity in steps. Default 2.")] = 2,
    memories: Annotated[
        bool,
        Query(description="Memories as steps of their own. False: steps from entity to entity alone. Default true."),
    ] = True,
    ring: Annotated[
        int,
        Query(ge=1, le=500, description="Maximum number of new entities in each step by co-occurrence. Default 100."),
    ] = graph.RING,
) -> JsonResponse[Graph]:
    """Entities, edges and memories within `depth` steps of the entity; an entity of the same memories is one step
    away."""
    return json_response(await graph.graph(*call, agent, entity, depth, with_memories=memories, ring=ring))


@router.get("/graph", summary="Get the graph of entities")
async def get_graph(
    call: Call,
    agent: AgentQuery = None,
    kind: Annotated[Name | None, Query(description="Kind to filter by.")] = None,
    q: PartOfName = None,
    since: Annotated[Timestamp | None, Query(description="Earliest creation time of the memories, inclusive.")] = None,
    until: Annotated[Timestamp | None, Query(description="Latest creation time of the memories, exclusive.")] = None,
    limit: Annotated[int, Query(ge=1, le=5_000, description="Maximum number of entities. Default 1000.")] = 1_000,
) -> JsonResponse[Overview]:
    """Most mentioned entities, and pairs of them with memories in common."""
    return json_response(
        await graph.overview(*call, agent, kind=kind, text=q or None, since=since, until=until, limit=limit)
    )


@router.get("/memories/{memory_id}/links", summary="List the edges of a memory")
async def list_memory_links(
    call: Call, memory_id: Annotated[UUID, Path(description="Id of the memory.")]
) -> JsonResponse[MemoryLinks]:
    """Edges from and to the memory, and what they lead to."""
    return json_response(await graph.memory_links(*call, memory_id))


@router.patch("/entities/{entity_id}", summary="Update an entity")
async def update_entity(call: Call, entity_id: EntityId, body: PatchEntity) -> JsonResponse[Entity]:
    """Omitted fields keep their value."""
    return json_response(
        await graph.change_entity(
            *call, entity_id, name=body.name, kind=body.kind, aliases=body.aliases, metadata=body.metadata
        )
    )


@router.post("/entities/{entity_id}/merge", summary="Merge an entity into another")
async def merge_entity(call: Call, entity_id: EntityId, body: MergeEntity) -> JsonResponse[Entity]:
    """Returns the remaining entity."""
    return json_response(await graph.merge_entities(*call, entity_id, body.into))


@router.post("/entities/{entity_id}/unmerge")
async def unmerge_entity(call: Call, entity_id: EntityId) -> JsonResponse[Entity]:
    """Undo the merge of an entity."""
    return json_response(await graph.unmerge_entity(*call, entity_id))


@router.post("/entities/{entity_id}/split", status_code=201, summary="Split an entity")
async def split_entity(call: Call, entity_id: EntityId, body: SplitEntity) -> JsonResponse[Entity]:
    """Moves memories to a new entity and returns it."""
    return json_response(await graph.split_entity(*call, entity_id, body.memory_ids, body.name, body.kind), 201)


@router.post(
    "/edges",
    status_code=201,
    responses={200: {"model": Edge}},
    summary="Create an edge",
)
async def create_edge(call: Call, body: CreateEdge) -> JsonResponse[Edge]:
    """Answers 201 for a new edge, and 200 for an existing one."""
    edge, made = await graph.add_edge(*call, body.agent, body.relation, body.source, body.target)
    return json_response(edge, 201 if made else 200)


@router.delete("/edges/{edge_id}", status_code=204)
async def delete_edge(call: Call, edge_id: Annotated[UUID, Path(description="Id of the edge.")]) -> None:
    """Delete an edge."""
    await graph.remove_edge(*call, edge_id)
