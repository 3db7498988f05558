"""The shapes of requests and answers that are the HTTP API's own. Drafts and searches are ``service.domain``'s."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from service.domain.drafts import MemoryDraft, MessageDraft
from service.domain.field_types import ActingAgent, Name
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


class AppendMessages(StrictModel):
    """Messages to append to a session."""

    agent: ActingAgent = None
    user: Name | None = Field(None, description="User speaking. Default: the session's user.")
    messages: Annotated[list[MessageDraft], Field(min_length=1, max_length=1000)] = Field(
        description="Messages to append in order, 1 to 1,000."
    )
    searchable: bool = Field(True, description="Indexing of the messages for search. Default true.")
