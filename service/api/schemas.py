"""The shapes of requests and answers that are the HTTP API's own. Drafts and searches are ``service.domain``'s."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from service.api.document_schemas import DocumentPart
from service.api.lists import Page
from service.domain.context import SectionName
from service.domain.drafts import MemoryDraft, MessageDraft
from service.domain.field_types import ActingAgent, AgentName, CreatedAt, Name
from service.domain.memory import Memory
from service.domain.strict import StrictModel


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
