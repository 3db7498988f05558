"""What the API answers. Answers may carry more fields than are named here."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Generic, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

MemoryType = str
"""fact, preference, decision, identity, event, observation, goal, todo or insight, or one of the workspace's own."""
Scope = Literal["agent", "team", "task", "session", "prime"]
Role = Literal["system", "user", "assistant", "tool"]
Json = dict[str, Any]
Item = TypeVar("Item")


class Answer(BaseModel):
    """Part of an answer."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Page(Answer, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None = None


def attribution(hearsay_by: str | None, user: str | None) -> str:
    """Whose word a memory of ``user`` rests on where it is hearsay, in words; else empty."""
    if not hearsay_by:
        return ""
    return f"according to {'somebody under that name' if hearsay_by == user else hearsay_by}"


class MemoryRecord(Answer):
    """A memory."""

    id: UUID
    agent: str
    type: MemoryType
    scope: Scope
    team: str | None = None
    task: str | None = None
    session: str | None = None
    user: str | None = None
    hearsay_by: str | None = None
    key: str | None = None
    content: str
    summary: str
    importance: float
    effective_importance: float
    confidence: float
    tags: list[str]
    metadata: Json
    source: Json
    status: Literal["open", "done"] | None = None
    decay_exempt: bool
    embedding: Literal["ready", "pending", "none"]
    access_count: int
    last_accessed_at: datetime | None = None
    occurred_at: datetime | None = None
    valid_from: datetime
    valid_until: datetime | None = None
    superseded_by: UUID | None = None
    expires_at: datetime | None = None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None
    version: int
    dream_id: UUID | None = None

    @property
    def attribution(self) -> str:
        """Whose word it rests on where it is hearsay, in words; else empty."""
        return attribution(self.hearsay_by, self.user)


class TypeStats(Answer):
    """The live memories of one type; ``recalled`` were found by a search at least once."""

    memories: int
    tokens: int
    pending: int
    recalled: int


class MemoryStats(TypeStats):
    """All live memories, and those of each type."""

    types: dict[MemoryType, TypeStats]


class SavedMemory(Answer):
    """A memory after a save; none where memory was switched off for the call."""

    memory: MemoryRecord | None
    created: bool
    reinforced: bool = False
    updated: bool = False


class Degraded(Answer):
    """Why an answer is less than was asked for, and what was done instead."""

    reason: str
    fallback: str | None = None


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


class AlsoFound(Answer):
    """A memory or message that says the same as a result."""

    kind: Literal["memory", "message"]
    id: UUID


class QueryMatch(Answer):
    """The place of a result among those of one wording of the query."""

    query: str
    rank: int
    score: float


class SearchResult(Answer):
    """What was found, in the field that its ``kind`` names, and what explains its place."""

    kind: Literal["memory", "message", "document"] = "memory"
    memory: MemoryRecord | None = None
    message: FoundMessage | None = None
    document: DocumentPart | None = None
    score: float
    rank: int
    keyword_rank: int | None = None
    semantic_rank: int | None = None
    keyword_score: float | None = None
    semantic_score: float | None = None
    boosts: dict[str, float] = {}
    relevance: float | None = None
    matched_fields: list[str] = []
    tokens: int
    also: list[AlsoFound] = []
    queries: list[QueryMatch] = []

    @property
    def text(self) -> str:
        """What a found memory or turn says; empty for what is no text."""
        found = self.memory or self.message
        return found.content if found is not None and isinstance(found.content, str) else ""

    @property
    def line(self) -> str:
        """A line for a prompt: who said it, where it is a turn, or whose word it rests on, where it is hearsay."""
        if self.message is not None:
            return f"- {self.message.role}: {self.text}"
        whose = self.memory.attribution if self.memory is not None else ""
        return f"- {self.text}" + (f" ({whose})" if whose else "")


class QueryCache(Answer):
    """Of how many wordings of a query the vector was cached, and how many were embedded."""

    hits: int
    misses: int


class SearchAnswer(Answer):
    """What a search found, best first."""

    results: list[SearchResult]
    tokens: int
    strategy: str
    degraded: Degraded | None = None
    pending: int = 0
    tier: str | None = None
    embedder: str | None = None
    store: str | None = None
    cache: QueryCache | None = None


class NeededChange(Answer):
    """A field of the request whose other value would bring a memory back; None leaves it out."""

    field: str
    value: Any


class Explanation(Answer):
    """The stage at which a search lost a memory, and what was worked out about it until then."""

    found: bool
    stage: str
    filters: list[str] = []
    ranks: Json | None = None
    scores: Json | None = None
    min_relevance: float | None = None
    shown_as: UUID | None = None
    would_need: list[NeededChange] = []


class PreviewAnswer(SearchAnswer):
    """What a search would find, and what becomes of one memory."""

    timings_ms: dict[str, float]
    explanation: Explanation | None = None


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


class AgentRecord(Answer):
    """An agent."""

    agent: str
    name: str | None = None
    prime: bool
    teams: list[str]
    settings: Json
    created_at: datetime


class TaskRecord(Answer):
    """A task; ``members`` is None while it is open to every agent that names it."""

    task: str
    members: list[str] | None


class User(Answer):
    """Somebody whom memories are about."""

    user: str
    memories: int
    last_seen_at: datetime


class ProfileField(Answer):
    """One value of a field of a profile, and the memories that say so."""

    name: str
    detail: str | None = None
    value: Any
    memory_ids: list[UUID]
    since: datetime
    group: str


class Profile(Answer):
    """What holds about a user. ``version`` is equal for equal profiles."""

    user: str
    fields: list[ProfileField]
    version: str
    as_of: datetime


class ProfileChange(Answer):
    """What became of one value: ``added``, ``removed``, ``changed``, or other ``sources``."""

    change: str
    before: ProfileField | None = None
    after: ProfileField | None = None


class ProfileDiff(Answer):
    """What changed in a profile between two moments."""

    user: str
    since: datetime = Field(alias="from")
    to: datetime
    from_version: str
    to_version: str
    changes: list[ProfileChange]


class CalibrationRow(Answer):
    """How often the verdicts of a setting are right from a threshold on."""

    setting: str
    threshold: float
    said: int
    precision: float | None
    recall: float | None
    contradictions: int


class Calibration(Answer):
    """Thresholds of a decision model, found on what people decided; ``too_few``: settings without enough pairs."""

    by: str
    pairs: int
    kinds: dict[str, int]
    by_guards: int
    unusable: int
    rows: list[CalibrationRow]
    recommended: dict[str, float]
    too_few: list[str]
    written: bool


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


class Dream(Answer):
    """One consolidation run."""

    id: UUID
    agent: str
    status: Literal["queued", "running", "succeeded", "failed", "undone", "dry_run"]
    trigger: str
    report: Json
    error: str | None = None
    changes: list[Json] | None = None


ProposalStatus = Literal["proposed", "accepted", "edited", "rejected"]
ProposalAction = Literal["accept", "edit", "reject", "reopen"]


class ProposalSource(Answer):
    """A message that a proposal was made of; of its text the beginning."""

    message_id: UUID
    session: str
    seq: int
    role: Role
    content: str
    created_at: datetime
    name: str | None = None


class Proposal(Answer):
    """A statement that a dream was not sure enough of."""

    id: UUID
    agent: str
    status: ProposalStatus
    type: MemoryType
    content: str
    importance: float
    confidence: float
    reason: str
    said_at: datetime
    version: int
    user: str | None = None
    hearsay_by: str | None = None
    tags: list[str] = []
    metadata: Json = {}
    sources: list[ProposalSource] = []
    occurred_at: datetime | None = None
    dream_id: UUID | None = None
    memory_id: UUID | None = None


class Decided(Answer):
    """A proposal after a decision, and the memory that came of it."""

    proposal: Proposal
    memory: MemoryRecord | None = None


class Entity(Answer):
    """Someone or something memories speak of."""

    id: UUID
    name: str
    kind: str
    aliases: list[Any] = []


class Whoami(Answer):
    """The key in use: the workspace it opens, and as whom."""

    workspace: str
    key_id: UUID
    name: str
    role: Literal["admin", "agent", "reader"]
    agent: str | None = None


class Key(Answer):
    """An API key, without its text."""

    id: UUID
    name: str
    role: Literal["admin", "agent", "reader"]
    agent: str | None = None


class CreatedKey(Key):
    """A new key; ``key`` is shown this once."""

    key: str


class Imported(Answer):
    """What an import did."""

    created: int
    unchanged: int
    updated: int
    skipped: int = 0
    complete: bool | None = None
    records: dict[str, Json] = {}


class ExtractedMemory(Answer):
    """A memory that a dream would propose. ``messages``: the positions of the messages it cites, from 0."""

    type: str
    content: str
    user: str | None
    hearsay_by: str | None
    importance: float
    confidence: float
    tags: list[str]
    metadata: Json
    entities: list[Json]
    messages: list[int]
    occurred_at: datetime | None
    valid_from: datetime


class IgnoredMemory(ExtractedMemory):
    """One that the settings of the agent leave out, and why."""

    reason: str


class Extraction(Answer):
    """What a dream would make of messages, or the prompts that a model would be sent."""

    extractor: str
    candidates: list[ExtractedMemory]
    ignored: list[IgnoredMemory]
    rejected: int
    skipped: list[Json]
    prompts: list[list[Json]] | None
    degraded: Degraded | None


class AskAnswer(Answer):
    """An answer from memory."""

    answer: str | None
    citations: list[UUID]
    memories: list[Json]
    degraded: Degraded | None = None
    data: Any = None
    evidence: list[Json] | None = None


class AskEvent(Answer):
    """What comes of a question: ``memories`` that were found, and then the ``answer`` once it has been checked."""

    event: Literal["memories", "answer"]
    memories: list[Json] | None = None
    answer: AskAnswer | None = None
