"""The optional fields that calls take."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypedDict

from reverie_client.models import Json, MemoryType, Origin, Role, Scope

Strategy = Literal["hybrid", "semantic", "keyword", "recent"]
Moment = datetime | str


class MemoryFields(TypedDict, total=False):
    """What a memory may be given besides its type and content."""

    agent: str
    summary: str
    scope: Scope
    team: str
    task: str
    session: str
    user: str
    hearsay_by: str
    origin: Origin
    key: str
    importance: float
    confidence: float
    tags: list[str]
    status: Literal["open", "done"]
    decay_exempt: bool
    metadata: Json
    source: Json
    occurred_at: Moment
    expires_at: Moment
    created_at: Moment
    links: list[Json]


class MemoryDraft(MemoryFields):
    """A memory of a batch."""

    type: MemoryType
    content: str


class AskFields(TypedDict, total=False):
    """How a question is answered, and from what."""

    types: list[MemoryType]
    tags: list[str]
    user: str
    session: str
    task: str
    metadata: Json
    where: Json
    since: Moment
    until: Moment
    as_of: Moment
    queries: list[str]
    expand: bool
    effort: Literal["low", "medium", "high"]
    response_schema: Json
    evidence: bool


class SavedSearchFields(TypedDict, total=False):
    """Optional fields of a saved search."""

    query: str
    k: int
    options: Json


class PageFields(TypedDict, total=False):
    """What a page may be given besides its question."""

    scope: Json
    trigger: str
    max_tokens: int


class MemoryChanges(TypedDict, total=False):
    """What may change of a memory; None clears what may be empty."""

    type: MemoryType
    content: str
    summary: str | None
    scope: Scope
    team: str | None
    task: str | None
    session: str | None
    user: str | None
    hearsay_by: str | None
    origin: Origin
    key: str | None
    importance: float
    confidence: float
    tags: list[str]
    status: Literal["open", "done"] | None
    decay_exempt: bool
    metadata: Json
    source: Json
    occurred_at: Moment | None
    expires_at: Moment | None
    reason: str


BulkAction = Literal["delete", "restore", "pin", "unpin", "add_tags", "remove_tags"]


class MemoryFilters(TypedDict, total=False):
    """Which memories to list."""

    agent: str
    type: list[MemoryType]
    scope: list[Scope]
    session: str
    user: str
    tag: str
    key: str
    source: str
    q: str
    since: Moment
    until: Moment
    created_since: Moment
    created_until: Moment
    include: str
    min_importance: float
    sort: Literal["newest", "oldest", "happened", "recalled", "importance"]
    total: bool
    where: Json
    as_of: Moment


class SearchOptions(TypedDict, total=False):
    """How to search."""

    agent: str
    strategy: Strategy
    fusion: Literal["relative", "rrf"]
    limit: int
    types: list[MemoryType]
    scopes: list[Scope]
    tags: list[str]
    tags_mode: Literal["any", "all"]
    user: str
    session: str
    task: str
    metadata: Json
    where: Json
    min_importance: float
    since: Moment
    until: Moment
    as_of: Moment
    now: Moment
    max_tokens: int
    include: list[Literal["memories", "messages", "documents"]]
    include_faded: bool
    explain: bool
    rerank: bool
    queries: list[str]
    expand: bool
    min_relevance: float


class ContextOptions(TypedDict, total=False):
    """How to assemble a context."""

    agent: str
    session: str
    user: str
    task: str
    max_tokens: int
    sections: dict[str, float]
    types: list[MemoryType]
    tags: list[str]
    user_filter: str
    metadata: Json
    where: Json
    documents: list[str]
    since: Moment
    until: Moment
    include_messages: Literal["always", "undreamed", "never"]
    tool_results: list[Any]
    placement: Literal["system", "user"]


class AgentChanges(TypedDict, total=False):
    """What may change of an agent."""

    name: str | None
    prime: bool
    teams: list[str]
    settings: Json


class ProposalEdit(TypedDict, total=False):
    """What an edit changes of a proposal before it is saved."""

    type: MemoryType
    content: str
    user: str | None
    importance: float
    confidence: float
    tags: list[str]
    metadata: Json
    occurred_at: Moment | None


class MessageFields(TypedDict, total=False):
    """What a message may be given besides its role and content."""

    name: str
    tool_call_id: str
    created_at: Moment


class MessageDraft(MessageFields):
    """A turn to append."""

    role: Role
    content: Any


class WebhookChanges(TypedDict, total=False):
    """What a webhook's change may hold."""

    url: str
    name: str | None
    events: list[str] | None
    active: bool
    rotate_secret: bool
