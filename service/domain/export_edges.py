"""The lines of an export that are about edges: edges, and merges of entities with their way back."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from service.domain.field_types import Actor, Name, Timestamp
from service.domain.types import Scope


class Audience(BaseModel):
    """Who may see an entity or edge: an agent, or its team, task, session or prime agents."""

    agent: Name | None = None
    scope: Scope = Scope.AGENT
    team: Name | None = None
    task: Name | None = None
    session: Name | None = None

    @model_validator(mode="after")
    def _names_its_group(self) -> Audience:
        for scope, name in ((Scope.TEAM, self.team), (Scope.TASK, self.task), (Scope.SESSION, self.session)):
            if self.scope is scope and name is None:
                raise ValueError(f"scope {scope.value} needs the field {scope.value}")
        return self


class EdgeLine(BaseModel):
    """A typed link between memories and entities. One whose ends are not both there is passed over."""

    id: UUID
    audience: Audience
    relation: Name
    source_kind: Literal["memory", "entity"]
    source_id: UUID
    target_kind: Literal["memory", "entity"]
    target_id: UUID
    memory_id: UUID | None = None
    dream_id: UUID | None = None
    created_by: Actor
    created_at: Timestamp | None = None


class MovedAlias(BaseModel):
    """A name that a merge moved."""

    alias: Name
    kind: Name


class MovedEdge(BaseModel):
    """An edge that a merge moved, by its source or by its target."""

    id: UUID
    at_source: bool


class MergeLine(BaseModel):
    """How one entity became part of another, for the way back."""

    id: UUID
    entity_id: UUID
    into_id: UUID
    aliases: Annotated[list[MovedAlias], Field(max_length=10_000)] = []
    edges: Annotated[list[MovedEdge], Field(max_length=100_000)] = []
    twice: Annotated[list[EdgeLine], Field(max_length=100_000)] = []
    actor: Actor
    created_at: Timestamp
