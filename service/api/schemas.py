"""The shapes of requests and answers that are the HTTP API's own. Drafts and searches are ``service.domain``'s."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from service.domain.context import SectionName
from service.domain.drafts import MemoryDraft, MessageDraft
from service.domain.field_types import JsonObject, Name
from service.domain.types import MemoryType, Scope

Item = TypeVar("Item")


class Body(BaseModel):
    """A request body: unknown fields are refused, so that a misspelled one is not silently ignored."""

    model_config = ConfigDict(extra="forbid")


class Page(BaseModel, Generic[Item]):
    """One page of a list; ``next_cursor`` is null on the last."""

    items: list[Item]
    next_cursor: str | None


class Items(BaseModel, Generic[Item]):
    """A whole list."""

    items: list[Item]


class Memory(BaseModel):
    """A memory."""

    id: UUID
    agent: str
    type: MemoryType
    scope: Scope
    team: str | None
    task: str | None
    session: str | None
    user: str | None
    hearsay_by: str | None = Field(description="who said so, where that is not ``user``; null: not hearsay")
    key: str | None
    content: str
    summary: str
    importance: float
    effective_importance: float
    confidence: float
    tags: list[str]
    metadata: dict[str, Any]
    source: dict[str, Any]
    status: Literal["open", "done"] | None
    decay_exempt: bool
    embedding: Literal["ready", "pending", "none"]
    access_count: int
    last_accessed_at: datetime | None
    occurred_at: datetime | None
    valid_from: datetime
    valid_until: datetime | None
    superseded_by: UUID | None
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    version: int
    dream_id: UUID | None


class SavedMemory(BaseModel):
    """A memory after a save; null when the call has its memory off."""

    memory: Memory | None
    created: bool
    reinforced: bool = False
    updated: bool = False


class Batch(Body):
    """Up to 1,000 memories, saved all or none."""

    items: Annotated[list[MemoryDraft], Field(min_length=1, max_length=1000)]


class TypeStats(BaseModel):
    """The live memories of one type. ``pending``: not embedded yet; ``recalled``: found by a search at least once."""

    memories: int
    tokens: int
    pending: int
    recalled: int


class MemoryStats(TypeStats):
    """The live memories the caller may see, all together and by type."""

    types: dict[MemoryType, TypeStats]


class SearchResult(BaseModel):
    """What was found, in the field its ``kind`` names, and what explains its place."""

    kind: Literal["memory", "message", "document"]
    memory: Memory | None
    message: FoundMessage | None
    document: DocumentPart | None
    score: float
    rank: int
    keyword_rank: int | None
    semantic_rank: int | None
    keyword_score: float | None
    semantic_score: float | None
    boosts: dict[str, float]
    tokens: int
    rerank_score: float | None


class Degraded(BaseModel):
    """Why an answer is less than was asked for, and what was done instead."""

    reason: str
    fallback: str


class SearchAnswer(BaseModel):
    """The answer to a search."""

    results: list[SearchResult]
    tokens: int
    strategy: str
    degraded: Degraded | None


class DocumentHead(BaseModel):
    """A document, without its text. ``chunks``: how many parts it was cut into."""

    id: UUID
    agent: str
    title: str
    user: str | None
    metadata: dict[str, Any]
    tokens: int
    chunks: int
    created_at: datetime


class Document(DocumentHead):
    """A document."""

    text: str


class DocumentPart(BaseModel):
    """A found part of a document: the ``position``-th of ``chunks``."""

    id: UUID
    document_id: UUID
    title: str
    position: int
    chunks: int
    content: str
    user: str | None
    metadata: dict[str, Any]
    created_at: datetime


class AskAnswer(BaseModel):
    """An answer from memory: null without a language model, ``not known`` when nothing supports one."""

    answer: str | None
    citations: list[UUID]
    memories: list[Memory]
    degraded: Degraded | None


class Feedback(Body):
    """Whether a memory was of use."""

    useful: bool


class ContextSection(BaseModel):
    """A labelled part of a context. ``items``: ids of what is in it."""

    name: SectionName
    text: str
    items: list[str]
    tokens: int


class ChatMessage(BaseModel):
    """A message for a model."""

    role: str
    content: Any


class ContextAnswer(BaseModel):
    """A turn's context, in sections and as messages ready for a model; the caller's own message comes last.

    ``omitted`` counts what was found and is not shown for want of room, by section.
    """

    sections: list[ContextSection]
    messages: list[ChatMessage]
    tokens: int
    omitted: dict[str, int]
    degraded: Degraded | None


class StartSession(Body):
    """A session to start; without a name it gets a fresh UUID."""

    agent: Name | None = None
    session: Name | None = None
    user: Name | None = None


class Session(BaseModel):
    """A conversation."""

    id: UUID
    session: str
    agent: str
    user: str | None
    messages: int
    last_message_at: datetime | None
    created_at: datetime


class AppendMessages(Body):
    """Turns to append to a session."""

    agent: Name | None = None
    user: Name | None = None
    messages: Annotated[list[MessageDraft], Field(min_length=1, max_length=1000)]
    searchable: Annotated[bool, Field(description="false: not embedded, and found by no search")] = True


class Message(BaseModel):
    """A stored turn."""

    id: UUID
    seq: int
    role: str
    content: Any
    name: str | None
    tool_call_id: str | None
    user: str | None
    tokens: int
    created_at: datetime


class FoundMessage(Message):
    """A stored turn that a search found, and where it was said."""

    agent: str
    session: str


class Window(BaseModel):
    """The turns that go to the model verbatim, and the summary of those before."""

    messages: list[Message]
    summary: dict[str, Any] | None
    tokens: int
    started_at: datetime | None
    expires_at: datetime | None


class AppendMessagesResponse(BaseModel):
    """Stored turns and the window after them."""

    messages: list[Message]
    window: Window


class PutAgent(Body):
    """Changes to an agent; only the fields given change."""

    name: Annotated[Name | None, Field(description="for people to read")] = None
    prime: bool | None = None
    teams: Annotated[list[Name], Field(max_length=100)] | None = None
    settings: JsonObject | None = None


class Agent(BaseModel):
    """An agent."""

    agent: str
    name: str | None
    prime: bool
    teams: list[str]
    settings: dict[str, Any]
    created_at: datetime


class PutTask(Body):
    """Who may read and write a task."""

    members: Annotated[
        list[Name] | None,
        Field(max_length=1_000, description="agents; null: the task is open to every agent that names it"),
    ]


class Task(BaseModel):
    """A task; ``members`` is null while it is open to every agent that names it."""

    task: str
    members: list[str] | None


class Bulletin(BaseModel):
    """What an agent knows, at one time."""

    agent: str
    version: int
    content: str
    tokens: int
    inputs_hash: str
    dream_id: UUID | None
    created_at: datetime


class Summarize(Body):
    """Which memories to fold: facts, events and observations older than this, of little importance."""

    agent: Name | None = None
    older_than_days: Annotated[float, Field(ge=0, le=36_500, allow_inf_nan=False)]
    dry_run: bool = True


class SummarizeResponse(BaseModel):
    """What is folded, or would be, and what that saves; ``memory`` is the summary, null in a dry run."""

    candidates: list[Memory]
    tokens_before: int
    tokens_after: int
    tokens_saved: int
    memory: Memory | None


class RequestDream(Body):
    """How to dream: ``wait`` answers when it is done."""

    dry_run: bool = False
    wait: bool = False


class Dream(BaseModel):
    """One consolidation run of an agent."""

    id: UUID
    agent: str
    status: Literal["queued", "running", "succeeded", "failed", "undone", "dry_run"]
    trigger: str
    dry_run: bool
    report: dict[str, Any]
    error: str | None
    summary: str = Field(description="what it did, in words")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    changes: list[dict[str, Any]] | None = Field(None, description="each with ``text``, a line in words")


class Entity(BaseModel):
    """Someone or something memories speak of."""

    id: UUID
    name: str
    kind: str
    aliases: list[str]
    mentions: int
    created_at: datetime
    updated_at: datetime
