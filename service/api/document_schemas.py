"""Answers about documents."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from service.domain.field_types import AgentName, CreatedAt


class DocumentHead(BaseModel):
    """Document without its text."""

    id: UUID = Field(description="Id of the document.")
    agent: AgentName
    title: str = Field(description="Title of the document.")
    user: str | None = Field(description="User the document belongs to.")
    metadata: dict[str, Any] = Field(description="JSON object of the caller's own.")
    tokens: int = Field(description="Length in tokens.")
    chunks: int = Field(description="Number of chunks.")
    created_at: CreatedAt


class Document(DocumentHead):
    """Document with its text."""

    text: str = Field(description="Full text of the document.")
