"""The shapes of requests and answers that are the HTTP API's own. Drafts and searches are ``service.domain``'s."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field

from service.api.lists import Page
from service.domain.drafts import MemoryDraft, MessageDraft
from service.domain.field_types import ActingAgent, AgentName, CreatedAt, Name
from service.domain.strict import StrictModel


class Batch(StrictModel):
    """Up to 1,000 memories, saved all or none."""

    items: Annotated[list[MemoryDraft], Field(min_length=1, max_length=1000)] = Field(
        description="Memories to save, 1 to 1,000."
    )


class Feedback(StrictModel):
    """Rating of a memory."""

    useful: bool = Field(description="Usefulness of the memory: true raises its importance by 0.1, false lowers it.")


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
