"""Bodies of the routes about entities and edges."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.domain.drafts import EdgeEnd, EntityName, RelationField
from service.domain.field_types import ActingAgent, BoundedObject, Name
from service.domain.strict import StrictModel


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
