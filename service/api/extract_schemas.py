"""What an extraction that stores nothing answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from service.domain.own_types import TYPES_NAMED
from service.memory.search.search_results import Degraded


class NamedEntity(BaseModel):
    """Entity named by a candidate."""

    name: str = Field(description="Name of the entity.")
    kind: str = Field(description="Kind of the entity, such as person or place.")
    metadata: dict[str, Any] = Field(description="Metadata of an entity of a kind with a schema; else empty.")


class Candidate(BaseModel):
    """Memory that a dream would propose."""

    type: str = Field(description=f"Type of the memory: {TYPES_NAMED}.")
    content: str = Field(description="Text of the memory.")
    user: str | None = Field(description="Person described by the memory; null for none.")
    hearsay_by: str | None = Field(description="Speaker of a statement about somebody else; null for none.")
    importance: float = Field(description="Importance from 0 to 1.")
    confidence: float = Field(description="Confidence from 0 to 1.")
    tags: list[str] = Field(description="Tags of the memory.")
    metadata: dict[str, Any] = Field(description="Metadata of a memory of a type with a schema; else empty.")
    entities: list[NamedEntity] = Field(description="Entities named by the memory.")
    messages: list[int] = Field(description="Positions of the cited messages in the request, from 0.")
    occurred_at: datetime | None = Field(description="Time of the described event; null without one.")
    valid_from: datetime = Field(description="Time from which the statement holds: that of the last cited message.")


class IgnoredCandidate(Candidate):
    """Candidate that the settings of the agent leave out."""

    reason: str = Field(description="Reason: the type, entity or pattern of the settings.")


class SkippedMessage(BaseModel):
    """Message that the language model could not read."""

    message: int = Field(description="Position of the message in the request, from 0.")
    reason: str = Field(description="Reason of the failure.")


class PromptMessage(BaseModel):
    """Message of a prompt."""

    role: Literal["system", "user"] = Field(description="Role of the message: `system` or `user`.")
    content: str = Field(description="Text of the message.")


class Extraction(BaseModel):
    """Result of an extraction that stores nothing."""

    extractor: str = Field(description="Extractor: the language model, or `rules`.")
    candidates: list[Candidate] = Field(description="Memories that a dream would propose; empty with `prompts`.")
    ignored: list[IgnoredCandidate] = Field(description="Candidates left out by the settings of the agent.")
    rejected: int = Field(description="Number of statements of the model that did not hold to the rules.")
    skipped: list[SkippedMessage] = Field(description="Messages that the model could not read.")
    prompts: list[list[PromptMessage]] | None = Field(
        description="Prompts of the calls of the model, in order; null unless `prompts` is set."
    )
    degraded: Degraded | None = Field(
        description="Failure of the model or its budget, with the candidates found before it; null otherwise."
    )
