"""What a caller may say about a memory or a message, with their bounds."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from service.domain.field_types import (
    MESSAGE_MAX,
    Content,
    Json,
    JsonObject,
    Metadata,
    Name,
    Tag,
    Text,
    Timestamp,
    UnitInterval,
)
from service.domain.placeholders import identifies_a_person
from service.domain.types import MemoryType, Scope

Role = Literal["system", "user", "assistant", "tool"]
Status = Literal["open", "done"]
Tags = Annotated[list[Tag], Field(max_length=50)]
Summary = Annotated[Text, Field(min_length=1, max_length=500)]
EntityName = Annotated[Name, AfterValidator(identifies_a_person)]
Relation = Literal["supports", "updates", "contradicts", "about", "mentions", "part_of", "caused_by"]


class EntityRef(BaseModel):
    """An entity by name, made when there is none of that name and kind."""

    model_config = ConfigDict(extra="forbid")

    name: EntityName
    kind: Name | None = None


class Link(BaseModel):
    """An edge from the memory being saved to another memory or to an entity: exactly one of them."""

    model_config = ConfigDict(extra="forbid")

    relation: Relation
    memory_id: UUID | None = None
    entity: EntityRef | None = None

    @model_validator(mode="after")
    def _one_target(self) -> Link:
        if (self.memory_id is None) == (self.entity is None):
            raise ValueError("give exactly one of memory_id and entity")
        return self


class MemoryDraft(BaseModel):
    """A memory as its author gives it."""

    model_config = ConfigDict(extra="forbid")

    agent: Name | None = Field(None, description="the acting agent; with an agent key it comes from the key")
    type: MemoryType
    content: Content
    summary: Summary | None = Field(None, description="one line; made from the content when absent")
    scope: Scope = Scope.AGENT
    team: Name | None = None
    task: Name | None = None
    session: Name | None = None
    user: Name | None = Field(None, description="whom the memory is about")
    hearsay_by: Name | None = Field(
        None,
        description="who said so, where that is not the user whom the memory is about: it replaces nothing of theirs",
    )
    key: Name | None = Field(None, description="upsert by agent, scope and key")
    importance: UnitInterval = 0.5
    confidence: UnitInterval = 1.0
    tags: Tags = []
    status: Status | None = Field(None, description="of a todo: open or done")
    decay_exempt: bool = False
    metadata: Metadata = {}
    source: JsonObject = {}
    occurred_at: Timestamp | None = None
    expires_at: Timestamp | None = None
    created_at: Timestamp | None = Field(None, description="admin keys only, for backfill")
    links: Annotated[list[Link], Field(max_length=100)] = []

    @model_validator(mode="after")
    def _scope_has_its_group(self) -> MemoryDraft:
        for scope, name in ((Scope.TEAM, self.team), (Scope.TASK, self.task), (Scope.SESSION, self.session)):
            if self.scope is scope and name is None:
                raise ValueError(f"scope {scope.value} needs the field {scope.value}")
        if self.status is not None and self.type is not MemoryType.TODO:
            raise ValueError("status belongs to a todo only")
        return self


class MemoryPatch(BaseModel):
    """Changes to a memory; only the fields given are changed. ``version`` is the one the caller last saw."""

    model_config = ConfigDict(extra="forbid")

    version: int = Field(ge=1, le=2**31 - 1)
    type: MemoryType | None = None
    content: Content | None = None
    summary: Summary | None = None
    scope: Scope | None = None
    team: Name | None = None
    task: Name | None = None
    session: Name | None = None
    user: Name | None = None
    hearsay_by: Name | None = None
    key: Name | None = None
    importance: UnitInterval | None = None
    confidence: UnitInterval | None = None
    tags: Tags | None = None
    status: Status | None = None
    decay_exempt: bool | None = None
    metadata: Metadata | None = None
    source: JsonObject | None = None
    occurred_at: Timestamp | None = None
    expires_at: Timestamp | None = None
    reason: Annotated[Text, Field(max_length=500)] | None = Field(None, description="kept in the history")


class MessageDraft(BaseModel):
    """One turn of a conversation; ``content`` is text, or JSON for multimodal and tool turns."""

    model_config = ConfigDict(extra="forbid")

    role: Role
    content: Annotated[Text, Field(max_length=MESSAGE_MAX)] | Json
    name: Name | None = None
    tool_call_id: Name | None = None
    created_at: Timestamp | None = None
