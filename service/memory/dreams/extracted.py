"""What an extraction that stores nothing finds, as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from service.domain.json import JsonObject
from service.domain.own_types import TYPES_NAMED
from service.memory.search.search_results import Degraded


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """Entity named by a candidate."""

    name: Annotated[str, Field(description="Name of the entity.")]
    kind: Annotated[str, Field(description="Kind of the entity, such as person or place.")]
    metadata: Annotated[JsonObject, Field(description="Metadata of an entity of a kind with a schema; else empty.")]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Memory that a dream would propose."""

    type: Annotated[str, Field(description=f"Type of the memory: {TYPES_NAMED}.")]
    content: Annotated[str, Field(description="Text of the memory.")]
    user: Annotated[str | None, Field(description="Person described by the memory; null for none.")]
    hearsay_by: Annotated[str | None, Field(description="Speaker of a statement about somebody else; null for none.")]
    importance: Annotated[float, Field(description="Importance from 0 to 1.")]
    confidence: Annotated[float, Field(description="Confidence from 0 to 1.")]
    tags: Annotated[list[str], Field(description="Tags of the memory.")]
    metadata: Annotated[JsonObject, Field(description="Metadata of a memory of a type with a schema; else empty.")]
    entities: Annotated[list[NamedEntity], Field(description="Entities named by the memory.")]
    messages: Annotated[list[int], Field(description="Positions of the cited messages in the request, from 0.")]
    occurred_at: Annotated[datetime | None, Field(description="Time of the described event; null without one.")]
    valid_from: Annotated[
        datetime, Field(description="Time from which the statement holds: that of the last cited message.")
    ]


@dataclass(frozen=True, slots=True)
class IgnoredCandidate(Candidate):
    """Candidate that the settings of the agent leave out."""

    reason: Annotated[str, Field(description="Reason: the type, entity or pattern of the settings.")]

    @classmethod
    def of(cls, candidate: Candidate, reason: str) -> IgnoredCandidate:
        """The candidate, left out for this reason."""
        return cls(**{name: getattr(candidate, name) for name in Candidate.__slots__}, reason=reason)


@dataclass(frozen=True, slots=True)
class SkippedMessage:
    """Message that the language model could not read."""

    message: Annotated[int, Field(description="Position of the message in the request, from 0.")]
    reason: Annotated[str, Field(description="Reason of the failure.")]


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """Message of a prompt."""

    role: Annotated[Literal["system", "user"], Field(description="Role of the message: `system` or `user`.")]
    content: Annotated[str, Field(description="Text of the message.")]


@dataclass(frozen=True, slots=True)
class Extraction:
    """Result of an extraction that stores nothing."""

    extractor: Annotated[str, Field(description="Extractor: the language model, or `rules`.")]
    candidates: Annotated[
        list[Candidate], Field(description="Memories that a dream would propose; empty with `prompts`.")
    ]
    ignored: Annotated[list[IgnoredCandidate], Field(description="Candidates left out by the settings of the agent.")]
    rejected: Annotated[int, Field(description="Number of statements of the model that did not hold to the rules.")]
    skipped: Annotated[list[SkippedMessage], Field(description="Messages that the model could not read.")]
    prompts: Annotated[
        list[list[PromptMessage]] | None,
        Field(description="Prompts of the calls of the model, in order; null unless `prompts` is set."),
    ]
    degraded: Annotated[
        Degraded | None,
        Field(description="Failure of the model or its budget, with the candidates found before it; null otherwise."),
    ]
