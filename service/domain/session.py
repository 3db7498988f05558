"""Sessions, their messages and their windows as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, WithJsonSchema

from service.domain.field_types import AgentName, CreatedAt
from service.domain.json import JsonValue

_ANY_OBJECT = WithJsonSchema(
    {"anyOf": [{"additionalProperties": True, "type": "object"}, {"type": "null"}], "title": "Summary"}
)
"""The summary of a window in the OpenAPI document, whose clients have its fields by their names alone."""


@dataclass(frozen=True, slots=True)
class Session:
    """Conversation of an agent."""

    id: Annotated[UUID, Field(description="Id of the session.")]
    session: Annotated[str, Field(description="Name of the session.")]
    agent: AgentName
    user: Annotated[str | None, Field(description="User speaking in the session.")]
    messages: Annotated[int, Field(description="Number of messages.")]
    last_message_at: Annotated[datetime | None, Field(description="Time of arrival of the last message.")]
    created_at: CreatedAt


@dataclass(frozen=True, slots=True)
class Message:
    """Stored message."""

    id: Annotated[UUID, Field(description="Id of the message.")]
    seq: Annotated[int, Field(description="Position in the session, starting at 1 without gaps.")]
    role: Annotated[str, Field(description="Role of the speaker: `system`, `user`, `assistant` or `tool`.")]
    content: Annotated[JsonValue, Field(description="Text or JSON content.")]
    name: Annotated[str | None, Field(description="Name of the speaker in a chat of several people.")]
    tool_call_id: Annotated[str | None, Field(description="Id of the answered tool call.")]
    user: Annotated[str | None, Field(description="User of the message.")]
    owners: Annotated[list[str], Field(description="Users the message belongs to: the members of its session then.")]
    tokens: Annotated[int, Field(description="Length in tokens.")]
    created_at: CreatedAt


@dataclass(frozen=True, slots=True)
class MessagePage:
    """One page of the messages of a session."""

    items: Annotated[list[Message], Field(description="Items of this page.")]
    next_cursor: Annotated[str | None, Field(description="Cursor of the next page; null on the last page.")]
    previous_cursor: Annotated[
        str | None,
        Field(
            description="Cursor of the messages before this page, for the order `desc`; null without `around`, and "
            "where there are none."
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class FoundMessage(Message):
    """Message found by a search."""

    agent: AgentName
    session: Annotated[str, Field(description="Name of the session.")]


@dataclass(frozen=True, slots=True)
class WindowSummary:
    """What stands for the messages that have left a window: the newest summaries, as many as are fit to be read.

    ``id`` is of the newest one; ``memory_ids``, ``from_seq`` and ``to_seq`` are of all of them.
    """

    id: UUID
    content: str
    memory_ids: list[UUID]
    from_seq: int
    to_seq: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Window:
    """Session window: the messages passed to the model verbatim, and the summary of the earlier ones."""

    messages: Annotated[list[Message], Field(description="Messages passed to the model verbatim.")]
    summary: Annotated[
        WindowSummary | None,
        _ANY_OBJECT,
        Field(description="Summary of the compacted messages; null before the first compaction."),
    ]
    tokens: Annotated[int, Field(description="Total length of the messages in tokens.")]
    started_at: Annotated[datetime | None, Field(description="Time of the first message of the window.")]
    expires_at: Annotated[datetime | None, Field(description="Time of closure without further messages.")]


@dataclass(frozen=True, slots=True)
class SkippedPart:
    """Part or field of a message in no known form."""

    message: Annotated[int, Field(description="Position of the message in the request, starting at 0.")]
    name: Annotated[str, Field(description="Type of the part, which is stored and not read, or name of a field.")]


@dataclass(frozen=True, slots=True)
class AppendMessagesResponse:
    """Stored messages, and the session window after them."""

    messages: Annotated[list[Message], Field(description="Stored messages.")]
    window: Annotated[Window, Field(description="Session window after the messages.")]
    skipped: Annotated[list[SkippedPart], Field(description="Parts and fields of the messages in no known form.")]
    kept: Annotated[
        bool,
        Field(
            description="Storage of the messages. False with X-Reverie-No-Memory or the setting `memory.enabled` off: "
            "nothing was stored. Default true."
        ),
    ] = True
