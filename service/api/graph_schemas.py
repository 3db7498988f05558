"""Bodies and answers of the routes about entities and edges."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from service.api.schemas import Body, Entity, Memory
from service.domain.drafts import EntityName, EntityRef, Relation
from service.domain.field_types import Name


class PatchEntity(Body):
    """Changes to an entity; only the fields given change. ``aliases`` are all other names it goes by."""

    name: EntityName | None = None
    kind: Name | None = None
    aliases: Annotated[list[EntityName], Field(max_length=100)] | None = None


class MergeEntity(Body):
    """The entity that goes on standing for both."""

    into: UUID


class SplitEntity(Body):
    """The memories that speak of someone else, and who that is; ``kind`` is the same unless given."""

    memory_ids: Annotated[list[UUID], Field(min_length=1, max_length=1000)]
    name: EntityName
    kind: Name | None = None


class EdgeEnd(Body):
    """One end of an edge: exactly one of a memory, an entity by its id, and an entity by its name."""

    memory_id: UUID | None = None
    entity_id: UUID | None = None
    entity: EntityRef | None = None

    @model_validator(mode="after")
    def _one(self) -> EdgeEnd:
        if sum(end is not None for end in (self.memory_id, self.entity_id, self.entity)) != 1:
            raise ValueError("give exactly one of memory_id, entity_id and entity")
        return self


class CreateEdge(Body):
    """A typed link from one memory or entity to another."""

    agent: Name | None = None
    relation: Relation
    source: EdgeEnd
    target: EdgeEnd


class Edge(BaseModel):
    """A typed link; ``memory_id`` is the memory that says so."""

    id: UUID
    relation: str
    source_kind: Literal["memory", "entity"]
    source_id: UUID
    target_kind: Literal["memory", "entity"]
    target_id: UUID
    memory_id: UUID | None
    dream_id: UUID | None
    created_by: str
    created_at: datetime


class Graph(BaseModel):
    """What is known around an entity: everything within so many edges of it that the caller may see.

    ``truncated``: there is more than is shown.
    """

    entity: Entity
    entities: list[Entity]
    edges: list[Edge]
    memories: list[Memory]
    truncated: bool
