"""Documents: as they are given, how they are cut, and as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints

from service.domain.field_types import (
    ActingAgent,
    AgentName,
    BoundedObject,
    CreatedAt,
    Name,
    not_blank,
    reject_unstorable,
)
from service.domain.json import JsonObject
from service.domain.owners import OwnersField
from service.domain.strict import StrictModel

DOCUMENT_MAX = 5_000_000

Title = Annotated[
    str, StringConstraints(min_length=1, max_length=500), AfterValidator(reject_unstorable), AfterValidator(not_blank)
]
DocumentText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=DOCUMENT_MAX),
    AfterValidator(reject_unstorable),
    AfterValidator(not_blank),
]


class DocumentDraft(StrictModel):
    """Document to create, as text or Markdown."""

    agent: ActingAgent = None
    title: Title = Field(description="Title, at most 500 characters.")
    text: DocumentText = Field(description="Text or Markdown, at most 5,000,000 characters.")
    user: Name | None = Field(None, description="User the document is about.")
    owners: OwnersField = None
    metadata: BoundedObject = Field({}, description="JSON object of the caller's own. Default empty.")


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """Document without its text."""

    id: Annotated[UUID, Field(description="Id of the document.")]
    agent: AgentName
    title: Annotated[str, Field(description="Title of the document.")]
    user: Annotated[str | None, Field(description="User the document is about.")]
    owners: Annotated[
        list[str], Field(description="Users the document belongs to; no other user sees it. Empty: the agent's.")
    ]
    metadata: Annotated[JsonObject, Field(description="JSON object of the caller's own.")]
    tokens: Annotated[int, Field(description="Length in tokens.")]
    chunks: Annotated[int, Field(description="Number of chunks.")]
    created_at: CreatedAt


@dataclass(frozen=True, slots=True)
class Document(DocumentHead):
    """Document with its text."""

    text: Annotated[str, Field(description="Full text of the document.")]


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """Document chunk found by a search."""

    id: Annotated[UUID, Field(description="Id of the chunk.")]
    document_id: Annotated[UUID, Field(description="Id of the document.")]
    title: Annotated[str, Field(description="Title of the document.")]
    position: Annotated[int, Field(description="Position of the chunk in the document.")]
    chunks: Annotated[int, Field(description="Number of chunks of the document.")]
    content: Annotated[str, Field(description="Text of the chunk.")]
    user: Annotated[str | None, Field(description="User the document is about.")]
    metadata: Annotated[JsonObject, Field(description="JSON object of the document.")]
    created_at: CreatedAt
