"""Entities, the edges between them and memories, and what answers show of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from service.domain.field_types import CreatedAt
from service.domain.json import JsonObject
from service.domain.memory import Memory

EntitySort = Literal["newest", "mentions", "name"]
NodeKind = Literal["memory", "entity"]


@dataclass(frozen=True, slots=True)
class Entity:
    """Person or thing mentioned by memories."""

    id: Annotated[UUID, Field(description="Id of the entity.")]
    name: Annotated[str, Field(description="Name of the entity.")]
    kind: Annotated[str, Field(description="Kind of the entity, such as person or place.")]
    owners: Annotated[list[str], Field(description="Users the entity belongs to. Empty: the agent's.")]
    aliases: Annotated[list[str], Field(description="Other names of the entity.")]
    metadata: Annotated[JsonObject, Field(description="JSON object that describes the entity.")]
    mentions: Annotated[int, Field(description="Number of memories mentioning the entity.")]
    created_at: CreatedAt
    updated_at: Annotated[datetime, Field(description="Time of the last change.")]


@dataclass(frozen=True, slots=True)
class Edge:
    """Typed link between memories and entities."""

    id: Annotated[UUID, Field(description="Id of the edge.")]
    relation: Annotated[
        str,
        Field(
            description="Relation: `supports`, `updates`, `contradicts`, `about`, `mentions`, `part_of`, `caused_by` "
            "or `works_at`."
        ),
    ]
    source_kind: Annotated[NodeKind, Field(description="Kind of the start: `memory` or `entity`.")]
    source_id: Annotated[UUID, Field(description="Id of the start.")]
    target_kind: Annotated[NodeKind, Field(description="Kind of the end: `memory` or `entity`.")]
    target_id: Annotated[UUID, Field(description="Id of the end.")]
    memory_id: Annotated[
        UUID | None, Field(description="Id of the memory stating the edge; null for an edge of its own.")
    ]
    dream_id: Annotated[
        UUID | None, Field(description="Id of the creating dream; null for an edge created by the API.")
    ]
    created_by: Annotated[str, Field(description="Creator as `agent:<name>`, `<role>:<key id>` or `dream`.")]
    created_at: CreatedAt


@dataclass(frozen=True, slots=True)
class Related:
    """Two entities mentioned by the same memories."""

    source_id: Annotated[UUID, Field(description="Id of one entity.")]
    target_id: Annotated[UUID, Field(description="Id of the other entity.")]
    memories: Annotated[int, Field(description="Number of visible memories linked to both.")]


@dataclass(frozen=True, slots=True)
class MemoryLinks:
    """Edges of one memory, with the entities and memories at their other ends, as visible to the caller."""

    edges: Annotated[list[Edge], Field(description="Edges from or to the memory, oldest first; at most 500.")]
    entities: Annotated[list[Entity], Field(description="Entities at the other ends.")]
    memories: Annotated[
        list[Memory], Field(description="Memories at the other ends, superseded and deleted ones included.")
    ]


@dataclass(frozen=True, slots=True)
class Graph:
    """Neighborhood of an entity, as visible to the caller."""

    entity: Annotated[Entity, Field(description="Central entity.")]
    entities: Annotated[
        list[Entity], Field(description="Entities within the depth, nearest first; at most 249, without memories 999.")
    ]
    edges: Annotated[list[Edge], Field(description="Edges within the depth.")]
    related: Annotated[
        list[Related],
        Field(description="Pairs of the entities with memories in common, the pairs with most first; at most 2,000."),
    ]
    memories: Annotated[
        list[Memory],
        Field(description="Memories within the depth, nearest first; entities and memories are at most 500."),
    ]
    truncated: Annotated[bool, Field(description="Omission of nodes beyond the size limit.")]


@dataclass(frozen=True, slots=True)
class MentionedEntity:
    """Entity of the overview."""

    id: Annotated[UUID, Field(description="Id of the entity.")]
    name: Annotated[str, Field(description="Name of the entity.")]
    kind: Annotated[str, Field(description="Kind of the entity, such as person or place.")]
    mentions: Annotated[int, Field(description="Number of visible memories of the span linked to it.")]
    first_at: Annotated[datetime, Field(description="Creation time of the first of these memories.")]
    last_at: Annotated[datetime, Field(description="Creation time of the last of these memories.")]


@dataclass(frozen=True, slots=True)
class Overview:
    """Most mentioned entities, as visible to the caller, and what links them."""

    entities: Annotated[list[MentionedEntity], Field(description="Entities, most mentioned first.")]
    related: Annotated[
        list[Related],
        Field(
            description="Pairs of the entities with memories in common, the pairs with most first; at most 10,000. "
            "Memories linked to more than 100 of the entities do not count."
        ),
    ]
    edges: Annotated[list[Edge], Field(description="Edges between the entities; at most 2,000.")]
    total: Annotated[int, Field(description="Number of all entities that pass the filters.")]
    truncated: Annotated[bool, Field(description="Omission of entities, pairs or edges beyond the size limits.")]
