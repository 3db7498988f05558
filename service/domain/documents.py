"""Documents as they are given, and how they are cut."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from service.domain.field_types import JsonObject, Name, not_blank, reject_unstorable

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


class DocumentSettings(BaseModel):
    """How documents are cut into the parts that are searched."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    chunk_tokens: int = Field(400, ge=50, le=4_000)
    overlap_tokens: int = Field(50, ge=0, le=1_000, description="that a part shares with the one before")

    @model_validator(mode="after")
    def _moves_on(self) -> DocumentSettings:
        if self.overlap_tokens * 2 > self.chunk_tokens:
            raise ValueError("overlap_tokens must be at most half of chunk_tokens")
        return self


class DocumentDraft(BaseModel):
    """A text or Markdown document as its owner gives it."""

    model_config = ConfigDict(extra="forbid")

    agent: Name | None = None
    title: Title
    text: DocumentText
    user: Name | None = Field(None, description="whom the document belongs to")
    metadata: JsonObject = {}
