"""Answers of the routes about pages; their bodies are in ``service.domain.pages``."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from service.domain.field_types import AgentName, CreatedAt
from service.domain.pages import PageScope


class Sentence(BaseModel):
    """Sentence of an answer with the memories it rests on."""

    text: str = Field(description="Text of the sentence.")
    memory_ids: list[UUID] = Field(description="Ids of the cited memories; one or more.")
    current: bool = Field(
        description="Validity of the sentence now: false once a cited memory was superseded or edited. Always true in "
        "a page and in the newest bulletin, where other sentences are left out."
    )
    superseded_by: list[UUID] = Field(description="Ids of the memories that replaced the cited ones.")


class WrittenAnswer(BaseModel):
    """Origin of an answer."""

    writer: str | None = Field(description="Author: the name of the language model, or `rules`.")
    dropped: int | None = Field(
        description="Number of sentences of the language model dropped for citing no memory, or an unknown one."
    )
    dream_id: UUID | None = Field(description="Id of the dream that caused the writing; null without one.")
    written_at: datetime | None = Field(description="Time of writing.")


class AnsweredPage(WrittenAnswer):
    """Standing question of an agent with its newest answer."""

    id: UUID = Field(description="Id of the page.")
    agent: AgentName
    question: str = Field(description="Question in natural language.")
    scope: PageScope = Field(description="Filter of the memories.")
    trigger: str = Field(description="Time of writing: `dream`, `manual` or a crontab expression, in UTC.")
    max_tokens: int = Field(description="Maximum length of the answer in tokens.")
    sentences: list[Sentence] = Field(
        description="Sentences of the answer that still hold and whose memories the agent may read; empty with nothing "
        "known."
    )
    left_out: int = Field(description="Number of sentences of the answer that do not hold any more.")
    stale: bool = Field(
        description="Outdated answer: since it was written, a cited memory was superseded, edited or deleted, or has "
        "expired."
    )
    version: int | None = Field(description="Version number of the answer, starting at 1; null without an answer.")
    due_at: datetime | None = Field(description="Time of the next writing; null without a planned one.")
    created_at: CreatedAt
    updated_at: datetime = Field(description="Time of the last change of the question, scope or trigger.")


class PageVersion(WrittenAnswer):
    """Version of an answer, compared with another one."""

    version: int = Field(description="Version number, starting at 1.")
    sentences: list[Sentence] = Field(description="Sentences whose memories the agent may read.")
    added: list[Sentence] = Field(description="Sentences missing in the compared version.")
    removed: list[Sentence] = Field(description="Sentences of the compared version missing in this one.")
