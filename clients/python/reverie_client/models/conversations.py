"""Sessions, their messages and windows, contexts and documents."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from reverie_client.models.base import Answer, Degraded, Json, Role


class SessionRecord(Answer):
    """A conversation."""

    id: UUID
    session: str
    agent: str
    user: str | None = None
    messages: int
    last_message_at: datetime | None = None
    created_at: datetime


class MessageRecord(Answer):
    """A stored turn."""

    id: UUID
    seq: int
    role: Role
    content: Any
    name: str | None = None
    tool_call_id: str | None = None
    user: str | None = None
    created_at: datetime


class FoundMessage(MessageRecord):
    """A stored turn that a search found, and where it was said."""

    agent: str
    session: str


class DocumentHead(Answer):
    """A document, without its text."""

    id: UUID
    agent: str
    title: str
    user: str | None = None
    metadata: Json
    tokens: int
    chunks: int
    created_at: datetime


class Document(DocumentHead):
    """A document."""

    text: str


class DocumentPart(Answer):
    """A found part of a document: the ``position``-th of ``chunks``."""

    id: UUID
    document_id: UUID
    title: str
    position: int
    chunks: int
    content: str
    user: str | None = None
    metadata: Json
    created_at: datetime


class Window(Answer):
    """The turns that still go to the model verbatim."""

    messages: list[MessageRecord]
    summary: Json | None = None
    tokens: int
    started_at: datetime | None = None
    expires_at: datetime | None = None


class Appended(Answer):
    """Stored turns, and the window after them."""

    messages: list[MessageRecord]
    window: Window


class ContextSection(Answer):
    """A labelled part of a context."""

    name: str
    text: str
    items: list[str]
    tokens: int


class OmittedItems(Answer):
    """Items of a section that had no room."""

    section: str
    count: int
    tokens: int


class ContextAnswer(Answer):
    """What goes to a model on a turn, as sections and as messages."""

    sections: list[ContextSection]
    messages: list[Json]
    tokens: int
    omitted: list[OmittedItems] = []
    degraded: Degraded | None = None
