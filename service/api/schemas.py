"""The shapes of requests and answers that are the HTTP API's own. Drafts and searches are ``service.domain``'s."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field

from service.api.document_schemas import DocumentPart
from service.domain.context import SectionName
from service.domain.drafts import MemoryDraft, MessageDraft
from service.domain.field_types import ActingAgent, AgentName, CreatedAt, Name
from service.domain.origin import Origin
from service.domain.own_types import TYPES_NAMED
from service.domain.strict import StrictModel
from service.domain.types import Scope

Item = TypeVar("Item")


class Page(BaseModel, Generic[Item]):
    """One page of a list; ``next_cursor`` is null on the last."""

    items: list[Item] = Field(description="Items of this page.")
    next_cursor: str | None = Field(description="Cursor of the next page; null on the last page.")


class Items(BaseModel, Generic[Item]):
    """A whole list."""

    items: list[Item] = Field(description="All items.")


class Memory(BaseModel):
    """Stored memory."""

    id: UUID = Field(description="Id of the memory.")
    agent: AgentName
    type: str = Field(description=f"Type of the memory: {TYPES_NAMED}.")
    scope: Scope = Field(description="Scope of the memory.")
    team: str | None = Field(description="Team of a team-scoped memory.")
    task: str | None = Field(description="Task of a task-scoped memory.")
    session: str | None = Field(description="Session of origin.")
    user: str | None = Field(description="User described by the memory.")
    hearsay_by: str | None = Field(
        description="Speaker of a statement about somebody else; null for a statement that is not hearsay."
    )
    origin: Origin = Field(
        description="Origin: `own_user` (user of the session), `api` (direct save), `assistant`, `other_user`, "
        "`imported`, `document` or `tool`; of a conclusion the least trusted one of its sources."
    )
    key: str | None = Field(description="Upsert key, unique per agent and scope.")
    content: str = Field(description="Text of the memory.")
    summary: str = Field(description="One-line summary.")
    importance: float = Field(description="Importance from 0 to 1 before decay.")
    effective_importance: float = Field(description="Importance from 0 to 1 after decay.")
    confidence: float = Field(description="Confidence from 0 to 1.")
    tags: list[str] = Field(description="Tags of the memory.")
    metadata: dict[str, Any] = Field(description="JSON object of the caller's own.")
    source: dict[str, Any] = Field(description="JSON object with the origin.")
    status: Literal["open", "done"] | None = Field(
        description="Status of a todo: `open` or `done`; null for other types."
    )
    decay_exempt: bool = Field(description="Exemption from the decay of importance.")
    embedding: Literal["ready", "pending", "none"] = Field(
        description="State of the vector: `ready`, `pending` (still to be computed) or `none` (not indexed)."
    )
    access_count: int = Field(description="Number of returns by searches and contexts.")
    last_accessed_at: datetime | None = Field(description="Time of the last return by a search or context.")
    occurred_at: datetime | None = Field(description="Time of the described event.")
    valid_from: datetime = Field(description="Start of validity.")
    valid_until: datetime | None = Field(description="End of validity; null while valid.")
    superseded_by: UUID | None = Field(description="Id of the replacing memory.")
    expires_at: datetime | None = Field(description="Time of expiry.")
    created_at: CreatedAt
    updated_at: datetime = Field(description="Time of the last change.")
    deleted_at: datetime | None = Field(description="Time of deletion; null for a live memory.")
    version: int = Field(description="Version number, starting at 1.")
    dream_id: UUID | None = Field(description="Id of the creating dream; null for memories saved by the API.")


class MemoryPage(Page[Memory]):
    """One page of a list of memories."""

    total: int | None = Field(
        None, description="Number of all memories that pass the filters, counted up to 100,000; null unless asked for."
    )


class SavedMemory(BaseModel):
    """Result of a save."""

    memory: Memory | None = Field(description="Stored memory; null with X-Reverie-No-Memory.")
    created: bool = Field(description="Creation of a new memory.")
    reinforced: bool = Field(False, description="Reinforcement of an identical stored memory. Default false.")
    updated: bool = Field(False, description="Update of the stored memory with the same key. Default false.")


class Batch(StrictModel):
    """Up to 1,000 memories, saved all or none."""

    items: Annotated[list[MemoryDraft], Field(min_length=1, max_length=1000)] = Field(
        description="Memories to save, 1 to 1,000."
    )


class TypeStats(BaseModel):
    """Statistics of the live memories of one type."""

    memories: int = Field(description="Number of live memories.")
    tokens: int = Field(description="Total length in tokens.")
    pending: int = Field(description="Number of memories without a vector.")
    recalled: int = Field(description="Number of memories returned by a search at least once.")


class MemoryStats(TypeStats):
    """Statistics of the live memories visible to the caller."""

    types: dict[str, TypeStats] = Field(description="Statistics by memory type.")


class AlsoFound(BaseModel):
    """Memory or message that says the same as a result and takes no place of its own."""

    kind: Literal["memory", "message"] = Field(description="Kind of what was found: `memory` or `message`.")
    id: UUID = Field(description="Id of the memory or message.")


class QueryMatch(BaseModel):
    """Place of a result among those of one wording of the query."""

    query: str = Field(description="Wording of the query.")
    rank: int = Field(description="Rank in the results of this wording, starting at 1.")
    score: float = Field(description="Score in the results of this wording.")


class SearchResult(BaseModel):
    """Found memory, message or document chunk, with the parts of its score."""

    kind: Literal["memory", "message", "document"] = Field(
        description="Kind of the result: `memory`, `message` or `document`; the field of this name is set."
    )
    memory: Memory | None = Field(description="Found memory; null for other kinds.")
    message: FoundMessage | None = Field(description="Found message; null for other kinds.")
    document: DocumentPart | None = Field(description="Found document chunk; null for other kinds.")
    score: float = Field(description="Final score, comparable within one response.")
    rank: int = Field(description="Rank in the results, starting at 1.")
    keyword_rank: int | None = Field(description="Rank by BM25; null outside the keyword candidates.")
    semantic_rank: int | None = Field(description="Rank by vector similarity; null outside the vector candidates.")
    keyword_score: float | None = Field(description="BM25 score.")
    semantic_score: float | None = Field(description="Weighted cosine similarity.")
    boosts: dict[str, float] = Field(
        description="Boosts included in the score, by name: `question`, `session`, `time`, `user`, `importance`, "
        "`polarity`."
    )
    relevance: float | None = Field(
        description="Relevance from 0 to 1: the larger of vector similarity and share of the query's words or time; "
        "null for strategy `recent`."
    )
    matched_fields: list[Literal["content", "key", "tags", "summary"]] = Field(
        description="Fields with words of the query: `content`, `key`, `tags`, `summary`; empty without a common word."
    )
    tokens: int = Field(description="Length in tokens.")
    rerank_score: float | None = Field(description="Score of the reranker; null without reranking.")
    also: list[AlsoFound] = Field(
        description="Messages that the found memory came from, or memories from the found message, that were found "
        "with it. They take no place and no tokens."
    )
    queries: list[QueryMatch] = Field(description="Matches by wording of the query; empty for a single wording.")


class Degraded(BaseModel):
    """Degradation of an answer: its cause and the fallback."""

    reason: str = Field(description="Cause of the degradation.")
    fallback: str = Field(description="Method used instead.")


class QueryCache(BaseModel):
    """Use of the embedder's cache by a search."""

    hits: int = Field(description="Number of wordings of the query with a cached vector.")
    misses: int = Field(description="Number of wordings of the query that were embedded.")


class SearchAnswer(BaseModel):
    """Response to a search."""

    results: list[SearchResult] = Field(description="Results by descending score.")
    tokens: int = Field(description="Total length of the results in tokens.")
    strategy: str = Field(description="Strategy used: `hybrid`, `semantic`, `keyword` or `recent`.")
    degraded: Degraded | None = Field(description="Degradation of the search; null for a complete search.")
    pending: int = Field(description="Number of candidates without a vector yet, compared by words alone.")
    tier: Literal["exact", "scan", "hnsw", "filter_list", "recent"] | None = Field(
        description="Method of finding candidates: `exact` (all rows), `scan` (all vectors, the rarer words), `hnsw` "
        "(approximate index), `filter_list` (rows of a selective filter) or `recent`; null where nothing was searched."
    )
    embedder: str | None = Field(description="Signature of the embedder of the query; null without a query vector.")
    store: Literal["postgres", "pgvector:halfvec", "pgvector:float32", "pgvector:binary"] | None = Field(
        description="Store of what was searched: `postgres` (words alone), or the vectors' as `pgvector:halfvec`, "
        "`pgvector:float32` or `pgvector:binary`; null where nothing was searched."
    )
    cache: QueryCache | None = Field(description="Use of the embedder's cache; null without a query vector or a cache.")


class Evidence(BaseModel):
    """Cited memory with the quoted words."""

    memory_id: UUID = Field(description="Id of the memory.")
    quote: str = Field(description="Words quoted from the memory.")
    text: str = Field(description="Content of the memory.")


class AskAnswer(BaseModel):
    """Answer to a question, from memory."""

    answer: str | None = Field(description="Answer in natural language, or `not known`; null without a language model.")
    citations: list[UUID] = Field(description="Ids of the memories cited by the answer.")
    memories: list[Memory] = Field(description="Memories found for the question.")
    degraded: Degraded | None = Field(description="Degradation of the answer; null for a complete answer.")
    data: Any = Field(
        None, description="Answer as JSON, valid against `response_schema`; null without one or an answer."
    )
    evidence: list[Evidence] | None = Field(
        None, description="Cited memories with the quoted words; null unless asked for with `evidence`."
    )


class Feedback(StrictModel):
    """Rating of a memory."""

    useful: bool = Field(description="Usefulness of the memory: true raises its importance by 0.1, false lowers it.")


class ContextSection(BaseModel):
    """Labelled section of a context."""

    name: SectionName = Field(
        description="Section: `instructions`, `bulletin` (agent summary), `identity`, `preferences`, `memories`, "
        "`documents`, `window` (recent messages) or `tools` (tool results)."
    )
    text: str = Field(description="Text of the section.")
    items: list[str] = Field(description="Ids of the included items.")
    tokens: int = Field(description="Length in tokens.")


class OmittedItems(BaseModel):
    """Items of a context section omitted for lack of budget."""

    section: SectionName = Field(
        description="Section: `instructions`, `bulletin` (agent summary), `identity`, `preferences`, `memories`, "
        "`documents`, `window` (recent messages) or `tools` (tool results)."
    )
    count: int = Field(description="Number of omitted items.")
    tokens: int = Field(description="Total length in tokens.")


class ChatMessage(BaseModel):
    """Message for a model."""

    role: str = Field(description="Role of the speaker: `system`, `user`, `assistant` or `tool`.")
    content: Any = Field(description="Text or content parts.")


class ContextAnswer(BaseModel):
    """Context of a model call, as sections and as messages."""

    sections: list[ContextSection] = Field(description="Sections of the context in prompt order.")
    messages: list[ChatMessage] = Field(description="Messages for the model, ending with the caller's own.")
    tokens: int = Field(description="Total length in tokens.")
    omitted: list[OmittedItems] = Field(description="Found items omitted for lack of budget, by section.")
    degraded: Degraded | None = Field(description="Degradation of the context; null for a complete context.")


class StartSession(StrictModel):
    """Session to start."""

    agent: ActingAgent = None
    session: Name | None = Field(None, description="Name of the session. Default: a new UUID.")
    user: Name | None = Field(None, description="User speaking in the session.")


class Session(BaseModel):
    """Conversation of an agent."""

    id: UUID = Field(description="Id of the session.")
    session: str = Field(description="Name of the session.")
    agent: AgentName
    user: str | None = Field(description="User speaking in the session.")
    messages: int = Field(description="Number of messages.")
    last_message_at: datetime | None = Field(description="Time of arrival of the last message.")
    created_at: CreatedAt


class AppendMessages(StrictModel):
    """Messages to append to a session."""

    agent: ActingAgent = None
    user: Name | None = Field(None, description="User speaking. Default: the session's user.")
    messages: Annotated[list[MessageDraft], Field(min_length=1, max_length=1000)] = Field(
        description="Messages to append in order, 1 to 1,000."
    )
    searchable: bool = Field(True, description="Indexing of the messages for search. Default true.")


class Message(BaseModel):
    """Stored message."""

    id: UUID = Field(description="Id of the message.")
    seq: int = Field(description="Position in the session, starting at 1 without gaps.")
    role: str = Field(description="Role of the speaker: `system`, `user`, `assistant` or `tool`.")
    content: Any = Field(description="Text or JSON content.")
    name: str | None = Field(description="Name of the speaker in a chat of several people.")
    tool_call_id: str | None = Field(description="Id of the answered tool call.")
    user: str | None = Field(description="User of the message.")
    tokens: int = Field(description="Length in tokens.")
    created_at: CreatedAt


class MessagePage(Page[Message]):
    """One page of the messages of a session."""

    previous_cursor: str | None = Field(
        None,
        description="Cursor of the messages before this page, for the order `desc`; null without `around`, and where "
        "there are none.",
    )


class FoundMessage(Message):
    """Message found by a search."""

    agent: AgentName
    session: str = Field(description="Name of the session.")


class Window(BaseModel):
    """Session window: the messages passed to the model verbatim, and the summary of the earlier ones."""

    messages: list[Message] = Field(description="Messages passed to the model verbatim.")
    summary: dict[str, Any] | None = Field(
        description="Summary of the compacted messages; null before the first compaction."
    )
    tokens: int = Field(description="Total length of the messages in tokens.")
    started_at: datetime | None = Field(description="Time of the first message of the window.")
    expires_at: datetime | None = Field(description="Time of closure without further messages.")


class AppendMessagesResponse(BaseModel):
    """Stored messages, and the session window after them."""

    messages: list[Message] = Field(description="Stored messages.")
    window: Window = Field(description="Session window after the messages.")


class Entity(BaseModel):
    """Person or thing mentioned by memories."""

    id: UUID = Field(description="Id of the entity.")
    name: str = Field(description="Name of the entity.")
    kind: str = Field(description="Kind of the entity, such as person or place.")
    aliases: list[str] = Field(description="Other names of the entity.")
    metadata: dict[str, Any] = Field(description="JSON object that describes the entity.")
    mentions: int = Field(description="Number of memories mentioning the entity.")
    created_at: CreatedAt
    updated_at: datetime = Field(description="Time of the last change.")
