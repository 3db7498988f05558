# Made by scripts/clients of the OpenAPI document and of clients/names.toml: make clients.
"""The optional fields that calls take."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from reverie_client.models import (
    Id,
    Json,
    Moment,
    Origin,
    Scope,
)

__all__ = [
    "AgentChanges",
    "AskFields",
    "BulkAction",
    "ContextOptions",
    "MemoryChanges",
    "MemoryDraft",
    "MemoryFields",
    "MemoryFilters",
    "MessageDraft",
    "MessageFields",
    "MessageRole",
    "Moment",
    "PageFields",
    "ProposalEdit",
    "SavedSearchFields",
    "SearchOptions",
    "Strategy",
    "WebhookChanges",
]
BulkAction = Literal["delete", "restore", "pin", "unpin", "add_tags", "remove_tags"]
MessageRole = Literal["system", "user", "assistant", "tool", "developer", "function", "model"]
Strategy = Literal["hybrid", "semantic", "keyword", "recent"]


class MemoryFields(TypedDict, total=False):
    """Optional fields of ``save_memory``."""

    occurred_at: Moment | str | None
    occurred_until: Moment | str | None
    agent: str | None
    summary: str | None
    scope: Scope
    team: str | None
    task: str | None
    session: str | None
    user: str | None
    owners: list[str] | None
    hearsay_by: str | None
    origin: Origin | None
    key: str | None
    importance: float | None
    confidence: float
    tags: list[str]
    status: Literal["open", "done"] | None
    decay_exempt: bool
    metadata: Json
    source: Json
    expires_at: Moment | None
    created_at: Moment | None
    links: list[Json]


class MemoryFilters(TypedDict, total=False):
    """Optional fields of ``list_memories``."""

    agent: str | None
    type: list[str] | None
    scope: list[Scope] | None
    session: str | None
    about: str | None
    tag: str | None
    key: str | None
    source: str | None
    q: str | None
    since: Moment | None
    until: Moment | None
    created_since: Moment | None
    created_until: Moment | None
    include: str
    min_importance: float | None
    sort: Literal["newest", "oldest", "happened", "recalled", "importance"]
    total: bool
    where: Json | None
    as_of: Moment | None
    user: str | None


class SearchOptions(TypedDict, total=False):
    """Optional fields of ``search_memories`` and ``preview_search``."""

    strategy: Strategy | None
    fusion: Literal["relative", "rrf"] | None
    min_relevance: float | None
    max_tokens: int | None
    include_faded: bool
    rerank: bool | None
    types: list[str] | None
    scopes: list[Scope] | None
    tags: list[str] | None
    tags_mode: Literal["any", "all"]
    user: str | None
    about: str | None
    session: str | None
    task: str | None
    metadata: Json | None
    where: Json | None
    min_importance: float | None
    since: Moment | None
    until: Moment | None
    as_of: Moment | None
    now: Moment | None
    time_zone: str | None
    agent: str | None
    queries: list[str]
    expand: bool
    limit: int
    include: list[Literal["memories", "messages", "documents"]]
    explain: bool


class MemoryChanges(TypedDict, total=False):
    """Optional fields of ``update_memory``."""

    occurred_at: Moment | str | None
    occurred_until: Moment | str | None
    type: str | None
    content: str | None
    summary: str | None
    scope: Scope | None
    team: str | None
    task: str | None
    session: str | None
    user: str | None
    owners: list[str] | None
    hearsay_by: str | None
    origin: Origin | None
    key: str | None
    importance: float | None
    confidence: float | None
    tags: list[str] | None
    status: Literal["open", "done"] | None
    decay_exempt: bool | None
    metadata: Json | None
    source: Json | None
    expires_at: Moment | None
    reason: str | None


class ContextOptions(TypedDict, total=False):
    """Optional fields of ``build_context``."""

    agent: str | None
    session: str | None
    user: str | None
    task: str | None
    queries: list[str]
    expand: bool
    max_tokens: int | None
    sections: Json
    types: list[str] | None
    tags: list[str] | None
    about: str | None
    user_filter: str | None
    metadata: Json | None
    where: Json | None
    documents: list[Id] | None
    since: Moment | None
    until: Moment | None
    time_zone: str | None
    include_messages: Literal["always", "undreamed", "never"] | None
    tool_results: list[Any]
    placement: Literal["system", "user"]


class AskFields(TypedDict, total=False):
    """Optional fields of ``ask_memory``."""

    queries: list[str]
    expand: bool
    types: list[str] | None
    tags: list[str] | None
    user: str | None
    about: str | None
    metadata: Json | None
    where: Json | None
    since: Moment | None
    until: Moment | None
    time_zone: str | None
    session: str | None
    task: str | None
    as_of: Moment | None
    effort: Literal["low", "medium", "high"]
    response_schema: Json | None
    evidence: bool


class AgentChanges(TypedDict, total=False):
    """Optional fields of ``put_agent``."""

    name: str | None
    prime: bool | None
    teams: list[str] | None
    settings: Json | None


class ProposalEdit(TypedDict, total=False):
    """Optional fields of ``decide_proposals`` and ``decide_proposal``."""

    occurred_at: Moment | str | None
    occurred_until: Moment | str | None
    type: str | None
    content: str | None
    user: str | None
    importance: float | None
    confidence: float | None
    tags: list[str] | None
    metadata: Json | None
    origin: Literal["api", "assistant"] | None


class PageFields(TypedDict, total=False):
    """Optional fields of ``create_page`` and ``put_page``."""

    scope: Json
    trigger: str
    max_tokens: int


class SavedSearchFields(TypedDict, total=False):
    """Optional fields of ``create_search`` and ``put_search``."""

    query: str
    options: Json
    k: int


class WebhookChanges(TypedDict, total=False):
    """Optional fields of ``update_webhook``."""

    url: str | None
    name: str | None
    events: list[str] | None
    active: bool | None
    rotate_secret: bool


class MemoryDraft(MemoryFields):
    """Memory to save."""

    type: str
    content: str


class MessageFields(TypedDict, total=False):
    """The optional fields of ``MessageDraft``."""

    name: str | None
    tool_call_id: str | None
    created_at: Moment | None
    time_zone: str | None


class MessageDraft(MessageFields):
    """Message of a conversation, as chat completions write it or in the form of another format."""

    role: MessageRole
    content: Any
