# Made by scripts/clients of the OpenAPI document and of clients/names.toml: make clients.
"""What the API answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from reverie_client.models.base import Answer, Found, Hearsay, Json

__all__ = [
    "AgentRecord",
    "AlsoFound",
    "AnsweredPage",
    "Appended",
    "AskAnswer",
    "Bulletin",
    "BulletinVersion",
    "ContextAnswer",
    "ContextSection",
    "CreatedKey",
    "CreatedWorkspace",
    "Decided",
    "Degraded",
    "Deleted",
    "Deletion",
    "Document",
    "DocumentHead",
    "DocumentPart",
    "Dream",
    "Entity",
    "ExpectedMemory",
    "ExpectedOutcome",
    "Explanation",
    "ExtractedMemory",
    "Extraction",
    "FoundMessage",
    "IgnoredMemory",
    "Imported",
    "Key",
    "KeyLimits",
    "KeyRole",
    "KeyScope",
    "LastResult",
    "Limits",
    "MemoryRecord",
    "MemorySource",
    "MemoryStats",
    "MemoryVersion",
    "MessageRecord",
    "NeededChange",
    "OmittedItems",
    "OmittedResults",
    "Origin",
    "PageScope",
    "PageVersion",
    "PreviewAnswer",
    "Profile",
    "ProfileChange",
    "ProfileDiff",
    "ProfileField",
    "Proposal",
    "ProposalAction",
    "ProposalSource",
    "ProposalStatus",
    "QueryCache",
    "QueryMatch",
    "Role",
    "SavedMemory",
    "SavedSearch",
    "Scope",
    "SearchAnswer",
    "SearchResult",
    "SearchRun",
    "SearchRuns",
    "SectionSentence",
    "Sentence",
    "SessionRecord",
    "SkippedPart",
    "TaskRecord",
    "TypeStats",
    "User",
    "Whoami",
    "Window",
    "Workspace",
    "WorkspaceDeletion",
    "WorkspaceReceipt",
]
KeyRole = Literal["admin", "agent", "reader"]
KeyScope = Literal["read", "write", "dream", "export"]
Origin = Literal["own_user", "api", "assistant", "other_user", "imported", "document", "tool"]
ProposalAction = Literal["accept", "edit", "reject", "reopen"]
ProposalStatus = Literal["proposed", "accepted", "edited", "rejected"]
Role = Literal["system", "user", "assistant", "tool"]
Scope = Literal["agent", "team", "task", "session", "prime"]


class MemoryRecord(Hearsay):
    """Stored memory."""

    id: UUID
    type: str
    content: str
    summary: str
    user: str | None = None
    owners: list[str] = []
    created_at: datetime
    occurred_at: datetime | None = None
    occurred_until: datetime | None = None
    occurred_precision: str | None = None
    agent: str
    scope: Scope
    team: str | None = None
    task: str | None = None
    session: str | None = None
    key: str | None = None
    tags: list[str] = []
    status: Literal["open", "done"] | None = None
    metadata: Json = {}
    importance: float
    confidence: float
    origin: Origin = "api"
    hearsay_by: str | None = None
    source: Json = {}
    valid_from: datetime
    valid_until: datetime | None = None
    superseded_by: UUID | None = None
    expires_at: datetime | None = None
    updated_at: datetime
    deleted_at: datetime | None = None
    decay_exempt: bool
    version: int
    dream_id: UUID | None = None
    effective_importance: float
    embedding: Literal["ready", "pending", "none"]
    access_count: int
    last_accessed_at: datetime | None = None


class SavedMemory(Answer):
    """Result of a save."""

    memory: MemoryRecord | None = None
    created: bool
    reinforced: bool = False
    updated: bool = False


class MessageRecord(Answer):
    """Stored message."""

    id: UUID
    seq: int
    role: Role
    content: Any
    name: str | None = None
    tool_call_id: str | None = None
    user: str | None = None
    owners: list[str] = []
    tokens: int
    created_at: datetime


class FoundMessage(MessageRecord):
    """Message found by a search."""

    agent: str
    session: str


class DocumentPart(Answer):
    """Document chunk found by a search."""

    id: UUID
    document_id: UUID
    title: str
    position: int
    chunks: int
    content: str
    user: str | None = None
    metadata: Json = {}
    created_at: datetime


class AlsoFound(Answer):
    """Memory or message that says the same as a result and takes no place of its own."""

    kind: Literal["memory", "message"]
    id: UUID


class QueryMatch(Answer):
    """Place of a result among those of one wording of the query."""

    query: str
    rank: int
    score: float


class SearchResult(Found):
    """Found memory, message or document chunk, with the parts of its score."""

    kind: Literal["memory", "message", "document"] = "memory"
    memory: MemoryRecord | None = None
    message: FoundMessage | None = None
    document: DocumentPart | None = None
    score: float
    rank: int
    relevance: float | None = None
    also: list[AlsoFound] = []
    matched_fields: list[str] = []
    queries: list[QueryMatch] = []
    tokens: int
    boosts: dict[str, float] = {}
    keyword_rank: int | None = None
    keyword_score: float | None = None
    semantic_rank: int | None = None
    semantic_score: float | None = None
    rerank_score: float | None = None


class Degraded(Answer):
    """Degradation of an answer: its cause and the fallback."""

    reason: str
    fallback: str | None = None


class QueryCache(Answer):
    """Use of the embedder's cache by a search."""

    hits: int
    misses: int


class SearchAnswer(Answer):
    """Response to a search."""

    results: list[SearchResult] = []
    tokens: int
    omitted: OmittedResults | None = None
    strategy: str
    viewer: list[str] | str = []
    degraded: Degraded | None = None
    pending: int = 0
    tier: str | None = None
    embedder: str | None = None
    store: str | None = None
    cache: QueryCache | None = None


class OmittedResults(Answer):
    """Results of a search omitted for lack of budget."""

    count: int
    tokens: int


class NeededChange(Answer):
    """Change to the request that would bring a memory back."""

    field: str
    value: Any


class Explanation(Answer):
    """Stage of the search at which a memory was lost, with all that was worked out until then."""

    found: bool
    stage: str
    filters: list[str] = []
    ranks: Json | None = None
    scores: Json | None = None
    min_relevance: float | None = None
    shown_as: UUID | None = None
    would_need: list[NeededChange] = []


class PreviewAnswer(SearchAnswer):
    """Response to a search preview."""

    timings_ms: dict[str, float] = {}
    explanation: Explanation | None = None


class TypeStats(Answer):
    """Statistics of the live memories of one type."""

    memories: int
    tokens: int
    pending: int
    recalled: int


class MemoryStats(TypeStats):
    """Statistics of the live memories visible to the caller."""

    types: dict[str, TypeStats] = {}


class MemoryVersion(Answer):
    """Memory as a version of its history has it."""

    id: UUID
    type: str
    content: str
    summary: str
    user: str | None = None
    owners: list[str] = []
    created_at: datetime
    occurred_at: datetime | None = None
    occurred_until: datetime | None = None
    occurred_precision: str | None = None
    agent: str
    scope: Scope
    team: str | None = None
    task: str | None = None
    session: str | None = None
    key: str | None = None
    tags: list[str] = []
    status: str | None = None
    metadata: Json = {}
    importance: float
    confidence: float
    origin: Origin
    hearsay_by: str | None = None
    source: Json = {}
    valid_from: datetime
    valid_until: datetime | None = None
    superseded_by: UUID | None = None
    expires_at: datetime | None = None
    updated_at: datetime
    deleted_at: datetime | None = None
    decay_exempt: bool
    version: int
    dream_id: UUID | None = None
    language: str | None = None
    tokens: int
    actor: str
    reason: str
    at: datetime


class MemorySource(Answer):
    """Message that a memory was made of."""

    message_id: UUID
    session: str
    seq: int
    role: str
    content: str
    created_at: datetime


class SessionRecord(Answer):
    """Conversation of an agent."""

    id: UUID
    session: str
    agent: str
    user: str | None = None
    messages: int
    last_message_at: datetime | None = None
    created_at: datetime


class Window(Answer):
    """Session window: the messages passed to the model verbatim, and the summary of the earlier ones."""

    messages: list[MessageRecord] = []
    summary: Json | None = None
    tokens: int
    started_at: datetime | None = None
    expires_at: datetime | None = None


class SkippedPart(Answer):
    """Part or field of a message in no known form."""

    message: int
    name: str


class Appended(Answer):
    """Stored messages, and the session window after them."""

    messages: list[MessageRecord] = []
    window: Window
    skipped: list[SkippedPart] = []
    kept: bool = True


class Deleted(Answer):
    """A session, an agent or a team with what goes with it, counted or deleted."""

    dry_run: bool
    counts: dict[str, int] = {}
    token: str | None = None
    expires_at: datetime | None = None
    deletion_id: UUID | None = None
    restorable_until: datetime | None = None


class Deletion(Answer):
    """Deletion of a session, an agent or a team."""

    id: UUID
    kind: Literal["session", "agent", "team"]
    name: str
    agent: str | None = None
    counts: dict[str, int] = {}
    deleted_by: str | None = None
    deleted_at: datetime | None = None
    restored_at: datetime | None = None
    restorable_until: datetime | None = None


class ContextSection(Answer):
    """Labelled section of a context."""

    name: str
    text: str
    items: list[str] = []
    tokens: int


class OmittedItems(Answer):
    """Items of a context section omitted for lack of budget."""

    section: str
    count: int
    tokens: int


class ContextAnswer(Answer):
    """Context of a model call, as sections and as messages."""

    sections: list[ContextSection] = []
    messages: list[Json] = []
    tokens: int
    omitted: list[OmittedItems] = []
    degraded: Degraded | None = None
    viewer: list[str] | str = []


class AskAnswer(Answer):
    """Answer to a question, from memory."""

    answer: str | None = None
    citations: list[UUID] = []
    memories: list[Json] = []
    viewer: list[str] | str = []
    degraded: Degraded | None = None
    data: Any = None
    evidence: list[Json] | None = None


class ExtractedMemory(Answer):
    """Memory that a dream would propose."""

    type: str
    content: str
    user: str | None = None
    hearsay_by: str | None = None
    importance: float
    confidence: float
    tags: list[str] = []
    metadata: Json = {}
    entities: list[Json] = []
    messages: list[int] = []
    occurred_at: datetime | None = None
    occurred_until: datetime | None = None
    valid_from: datetime


class IgnoredMemory(ExtractedMemory):
    """Candidate that the settings of the agent leave out."""

    reason: str


class Extraction(Answer):
    """Result of an extraction that stores nothing."""

    extractor: str
    candidates: list[ExtractedMemory] = []
    ignored: list[IgnoredMemory] = []
    rejected: int
    left_out: dict[str, int] = {}
    skipped: list[Json] = []
    prompts: list[list[Json]] | None = None
    degraded: Degraded | None = None


class AgentRecord(Answer):
    """Agent with its teams and settings."""

    agent: str
    name: str | None = None
    prime: bool
    teams: list[str] = []
    settings: Json = {}
    created_at: datetime


class Sentence(Answer):
    """Sentence of an answer with the memories it rests on."""

    text: str
    memory_ids: list[UUID] = []
    current: bool
    superseded_by: list[UUID] = []


class SectionSentence(Sentence):
    """Sentence of a bulletin with its section."""

    section: str


class Bulletin(Answer):
    """Version of an agent's summary of its memories."""

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
    """Version of a bulletin, compared with another one."""

    added: list[SectionSentence] = []
    removed: list[SectionSentence] = []


class Dream(Answer):
    """Consolidation run of an agent."""

    id: UUID
    agent: str
    owners: list[str] = []
    status: Literal["queued", "running", "succeeded", "failed", "undone", "dry_run"]
    trigger: str
    dry_run: bool
    report: Json = {}
    error: str | None = None
    summary: str
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    changes: list[Json] | None = None


class ProposalSource(Answer):
    """Message that a proposal was made of."""

    message_id: UUID
    session: str
    seq: int
    role: Role
    name: str | None = None
    content: str
    created_at: datetime


class Proposal(Answer):
    """Statement of a dream that waits for a decision, or was decided on."""

    id: UUID
    agent: str
    status: ProposalStatus
    type: str
    content: str
    user: str | None = None
    owners: list[str] = []
    hearsay_by: str | None = None
    importance: float
    confidence: float
    tags: list[str] = []
    source: Json = {}
    metadata: Json = {}
    reason: str
    said_at: datetime
    occurred_at: datetime | None = None
    occurred_until: datetime | None = None
    sources: list[ProposalSource] = []
    dream_id: UUID | None = None
    memory_id: UUID | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    version: int
    created_at: datetime
    updated_at: datetime


class Decided(Answer):
    """Proposal after a decision, and the memory that came of it."""

    proposal: Proposal
    memory: MemoryRecord | None = None


class TaskRecord(Answer):
    """Task with its declared members."""

    task: str
    members: list[str] | None = None


class PageScope(Answer):
    """Filter of the memories that a page is written from."""

    types: list[str] | None = None
    tags: list[str] | None = None
    user: str | None = None
    about: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    entities: list[str] | None = None
    metadata: Json | None = None
    where: Json | None = None


class AnsweredPage(Answer):
    """Standing question of an agent with its newest answer."""

    writer: str | None = None
    dropped: int | None = None
    dream_id: UUID | None = None
    written_at: datetime | None = None
    id: UUID
    agent: str
    question: str
    scope: PageScope = PageScope()
    trigger: str
    max_tokens: int
    sentences: list[Sentence] = []
    left_out: int
    stale: bool
    version: int | None = None
    due_at: datetime | None = None
    created_at: datetime
    updated_at: datetime


class PageVersion(Answer):
    """Version of an answer, compared with another one."""

    writer: str | None = None
    dropped: int | None = None
    dream_id: UUID | None = None
    written_at: datetime | None = None
    version: int
    sentences: list[Sentence] = []
    added: list[Sentence] = []
    removed: list[Sentence] = []


class ExpectedMemory(Answer):
    """Memory that a search must find."""

    memory_id: UUID
    state: Literal["current", "superseded", "gone"]
    counted_as: UUID | None = None


class LastResult(Answer):
    """Newest result of a saved search."""

    id: UUID
    recall: float | None = None
    created_at: datetime


class SavedSearch(Answer):
    """Query with the memories that it must find."""

    id: UUID
    agent: str
    name: str
    query: str
    options: Json = {}
    expected: list[ExpectedMemory] = []
    k: int
    revision: int
    last_result: LastResult | None = None
    created_at: datetime
    updated_at: datetime


class ExpectedOutcome(ExpectedMemory):
    """Outcome of a run for one expected memory."""

    rank: int | None = None
    lost_at: str | None = None


class SearchRun(Answer):
    """Result of a run of a saved search."""

    id: UUID
    search_id: UUID
    revision: int
    cause: Literal["request", "schedule"]
    k: int
    recall: float | None = None
    outcomes: list[ExpectedOutcome] = []
    overrides: Json = {}
    settings: Json = {}
    strategy: str
    embedder: str | None = None
    degraded: bool
    created_at: datetime


class SearchRuns(Answer):
    """A list, all of it."""

    items: list[SearchRun] = []


class Entity(Answer):
    """Person or thing mentioned by memories."""

    id: UUID
    name: str
    kind: str
    owners: list[str] = []
    aliases: list[str] = []
    metadata: Json = {}
    mentions: int
    created_at: datetime
    updated_at: datetime


class Limits(Answer):
    """Upper bounds of what a workspace or a key uses. Null is no limit."""

    requests_per_minute: int | None = None
    requests_per_day: int | None = None
    rows_max: int | None = None
    bytes_max: int | None = None
    day_cost_max_usd: float | None = None
    month_cost_max_usd: float | None = None
    dreams_max: int | None = None


class CreatedKey(Answer):
    """New API key with its secret."""

    id: UUID
    key: str
    role: KeyRole
    agent: str | None = None
    user: str | None = None
    name: str
    prefix: str | None = None
    scopes: list[KeyScope] | None = None
    expires_at: datetime | None = None
    limits: Limits = Limits()


class Key(Answer):
    """API key without its secret."""

    id: UUID
    name: str
    role: KeyRole
    agent: str | None = None
    user: str | None = None
    prefix: str | None = None
    scopes: list[KeyScope] | None = None
    limits: Limits = Limits()
    created_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    client_id: UUID | None = None
    granted_by: UUID | None = None


class Whoami(Answer):
    """Key of the request, with its workspace and role."""

    workspace: str
    key_id: UUID
    name: str
    role: KeyRole
    agent: str | None = None
    user: str | None = None
    prefix: str | None = None
    scopes: list[KeyScope] | None = None
    expires_at: datetime | None = None
    limits: Limits = Limits()
    client_id: UUID | None = None


class KeyLimits(Answer):
    """Limits of an API key after a change."""

    id: UUID
    limits: Limits = Limits()


class CreatedWorkspace(Answer):
    """New workspace with its first admin key."""

    id: UUID
    name: str
    created_at: datetime
    suspended_at: datetime | None = None
    limits: Limits = Limits()
    key: str


class Workspace(Answer):
    """Workspace of the installation."""

    id: UUID
    name: str
    created_at: datetime
    suspended_at: datetime | None = None
    limits: Limits = Limits()


class WorkspaceReceipt(Answer):
    """Receipt of the deletion of a workspace."""

    id: UUID
    workspace: UUID
    name: str
    counts: dict[str, int] = {}
    at: datetime


class WorkspaceDeletion(Answer):
    """Rows of a workspace, counted or deleted."""

    dry_run: bool
    counts: dict[str, int] = {}
    token: str | None = None
    expires_at: datetime | None = None
    receipt: WorkspaceReceipt | None = None


class User(Answer):
    """User whom memories are about."""

    user: str
    memories: int
    last_seen_at: datetime


class ProfileField(Answer):
    """One value of a field of a profile."""

    name: str
    detail: str | None = None
    value: Any
    memory_ids: list[UUID] = []
    since: datetime
    group: str


class Profile(Answer):
    """Profile of a user."""

    user: str
    fields: list[ProfileField] = []
    version: str
    as_of: datetime


class ProfileChange(Answer):
    """Change of one value of a field of a profile."""

    change: str
    before: ProfileField | None = None
    after: ProfileField | None = None


class ProfileDiff(Answer):
    """Changes of a profile between two times."""

    user: str
    since: datetime = Field(alias="from")
    to: datetime
    from_version: str
    to_version: str
    changes: list[ProfileChange] = []


class DocumentHead(Answer):
    """Document without its text."""

    id: UUID
    agent: str
    title: str
    user: str | None = None
    owners: list[str] = []
    metadata: Json = {}
    tokens: int
    chunks: int
    created_at: datetime


class Document(DocumentHead):
    """Document with its text."""

    text: str


class Imported(Answer):
    """Result of an import."""

    created: int
    unchanged: int
    updated: int
    skipped: int = 0
    complete: bool | None = None
    records: dict[str, Json] = {}
    notices: list[str] = []
