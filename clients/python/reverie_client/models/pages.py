"""Standing questions and bulletins, whose sentences cite memories."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from reverie_client.models.base import Answer, Json, MemoryType


class Sentence(Answer):
    """A sentence of a page or of a bulletin, and the memories it rests on."""

    text: str
    memory_ids: list[UUID]
    current: bool
    superseded_by: list[UUID]


class SectionSentence(Sentence):
    """A sentence of a bulletin, in its section."""

    section: str


class Bulletin(Answer):
    """What an agent knew at one time."""

    agent: str
    version: int
    content: str
    tokens: int
    inputs_hash: str
    dream_id: UUID | None = None
    created_at: datetime
    sentences: list[SectionSentence] = []
    stale: bool = False


class BulletinVersion(Bulletin):
    """One bulletin, and how it differs from another."""

    added: list[SectionSentence] = []
    removed: list[SectionSentence] = []


class PageScope(Answer):
    """What memories a page is written from."""

    types: list[MemoryType] | None = None
    tags: list[str] | None = None
    user: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    entities: list[str] | None = None
    metadata: Json | None = None
    where: Json | None = None


class AnsweredPage(Answer):
    """A standing question and its newest answer, as far as that still holds."""

    id: UUID
    agent: str
    question: str
    scope: PageScope
    trigger: str
    max_tokens: int
    sentences: list[Sentence]
    left_out: int
    stale: bool
    version: int | None
    writer: str | None = None
    dropped: int | None = None
    dream_id: UUID | None = None
    written_at: datetime | None = None
    due_at: datetime | None = None
    created_at: datetime
    updated_at: datetime


class PageVersion(Answer):
    """One version of an answer, and how it differs from another."""

    version: int
    writer: str
    dropped: int
    dream_id: UUID | None = None
    written_at: datetime
    sentences: list[Sentence]
    added: list[Sentence]
    removed: list[Sentence]
