"""Bodies and answers of the routes about entities and edges."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from service.api.schemas import Entity
from service.domain.drafts import EntityName, EntityRef, RelationField
from service.domain.field_types import ActingAgent, CreatedAt, JsonObject, Name
from service.domain.memory import Memory
from service.domain.strict import StrictModel


class PatchEntity(StrictModel):
    """Changes to an entity; only the fields given change."""

    name: EntityName | None = Field(None, description="New name.")
    kind: Name | None = Field(None, description="New kind, such as person or place.")
    aliases: Annotated[list[EntityName], Field(max_length=100)] | None = Field(
        None, description="New aliases, replacing all former ones; at most 100."
    )
    metadata: JsonObject | None = Field(None, description="Metadata to merge into the former, one level deep.")


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


class EdgeEnd(StrictModel):
    """End of an edge: a memory, an entity by id, or an entity by name."""

    memory_id: UUID | None = Field(None, description="Id of a memory. Exactly one of the three fields is required.")
    entity_id: UUID | None = Field(None, description="Id of an entity. Exactly one of the three fields is required.")
    entity: EntityRef | None = Field(None, description="Entity by name. Exactly one of the three fields is required.")

    @model_validator(mode="after")
    def _one(self) -> EdgeEnd:
        if sum(end is not None for end in (self.memory_id, self.entity_id, self.entity)) != 1:
            raise ValueError("give exactly one of memory_id, entity_id and entity")
        return self


class CreateEdge(StrictModel):
    """Typed link to create, from one memory or entity to another."""

    agent: ActingAgent = None
    relation: RelationField
    source: EdgeEnd = Field(description="Start of the edge.")
    target: EdgeEnd = Field(description="End of the edge.")


class Edge(BaseModel):
    """Typed link between memories and entities."""

    id: UUID = Field(description="Id of the edge.")
    relation: str = Field(
        description="Relation: `supports`, `updates`, `contradicts`, `about`, `mentions`, `part_of`, `caused_by` or "
        "`works_at`."
    )
    source_kind: Literal["memory", "entity"] = Field(description="Kind of the start: `memory` or `entity`.")
    source_id: UUID = Field(description="Id of the start.")
    target_kind: Literal["memory", "entity"] = Field(description="Kind of the end: `memory` or `entity`.")
    target_id: UUID = Field(description="Id of the end.")
    memory_id: UUID | None = Field(description="Id of the memory stating the edge; null for an edge of its own.")
    dream_id: UUID | None = Field(description="Id of the creating dream; null for an edge created by the API.")
    created_by: str = Field(description="Creator as `agent:<name>`, `<role>:<key id>` or `dream`.")
    created_at: CreatedAt


class Related(BaseModel):
    """Two entities mentioned by the same memories."""

    source_id: UUID = Field(description="Id of one entity.")
    target_id: UUID = Field(description="Id of the other entity.")
    memories: int = Field(description="Number of visible memories linked to both.")


class MemoryLinks(BaseModel):
    """Edges of one memory, with the entities and memories at their other ends, as visible to the caller."""

    edges: list[Edge] = Field(description="Edges from or to the memory, oldest first; at most 500.")
    entities: list[Entity] = Field(description="Entities at the other ends.")
    memories: list[Memory] = Field(description="Memories at the other ends, superseded and deleted ones included.")


class Graph(BaseModel):
    """Neighborhood of an entity, as visible to the caller."""

    entity: Entity = Field(description="Central entity.")
    entities: list[Entity] = Field(
        description="Entities within the depth, nearest first; at most 249, without memories 999."
    )
    edges: list[Edge] = Field(description="Edges within the depth.")
    related: list[Related] = Field(
        description="Pairs of the entities with memories in common, the pairs with most first; at most 2,000."
    )
    memories: list[Memory] = Field(
        description="Memories within the depth, nearest first; entities and memories are at most 500."
    )
    truncated: bool = Field(description="Omission of nodes beyond the size limit.")


class MentionedEntity(BaseModel):
    """Entity of the overview."""

    id: UUID = Field(description="Id of the entity.")
    name: str = Field(description="Name of the entity.")
    kind: str = Field(description="Kind of the entity, such as person or place.")
    mentions: int = Field(description="Number of visible memories of the span linked to it.")
    first_at: datetime = Field(description="Creation time of the first of these memories.")
    last_at: datetime = Field(description="Creation time of the last of these memories.")


class Overview(BaseModel):
    """Most mentioned entities, as visible to the caller, and what links them."""

    entities: list[MentionedEntity] = Field(description="Entities, most mentioned first.")
    related: list[Related] = Field(
        description="Pairs of the entities with memories in common, the pairs with most first; at most 10,000. "
        "Memories linked to more than 100 of the entities do not count."
    )
    edges: list[Edge] = Field(description="Edges between the entities; at most 2,000.")
    total: int = Field(description="Number of all entities that pass the filters.")
    truncated: bool = Field(description="Omission of entities, pairs or edges beyond the size limits.")
