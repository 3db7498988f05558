"""Bodies and answers of the routes of the inbox."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field

from service.domain.drafts import RoleField
from service.domain.field_types import AgentName, CreatedAt
from service.domain.memory import Memory
from service.domain.own_types import TYPES_NAMED
from service.domain.proposals import Decision, ProposalStatus


class ProposalSource(BaseModel):
    """Message that a proposal was made of."""

    message_id: UUID = Field(description="Id of the message.")
    session: str = Field(description="Session of the message.")
    seq: int = Field(description="Number of the message in its session, starting at 1.")
    role: RoleField
    name: str | None = Field(description="Name of the speaker in a chat of several people.")
    content: str = Field(description="Text of the message, its first 2,000 characters.")
    created_at: CreatedAt


class Proposal(BaseModel):
    """Statement of a dream that waits for a decision, or was decided on."""

    id: UUID = Field(description="Id of the proposal.")
    agent: AgentName
    status: ProposalStatus = Field(
        description="Status: `proposed` (waits), `accepted`, `edited` (accepted with changes) or `rejected`."
    )
    type: str = Field(description=f"Type of the proposed memory: {TYPES_NAMED}.")
    content: str = Field(description="Text of the proposed memory.")
    user: str | None = Field(description="User described by the proposed memory.")
    hearsay_by: str | None = Field(
        description="Speaker of a statement about somebody else; null for a statement that is not hearsay."
    )
    importance: float = Field(description="Importance of the proposed memory from 0 to 1.")
    confidence: float = Field(description="Confidence of the dream in the statement from 0 to 1.")
    tags: list[str] = Field(description="Tags of the proposed memory.")
    source: dict[str, Any] = Field(description="JSON object with the origin of the proposed memory.")
    metadata: dict[str, Any] = Field(description="JSON object that the proposed memory will have.")
    reason: str = Field(description="Reason for the proposal.")
    said_at: datetime = Field(description="Time of the statement, from which the memory is valid.")
    occurred_at: datetime | None = Field(description="Time of the described event.")
    sources: list[ProposalSource] = Field(description="Messages that the proposal was made of.")
    dream_id: UUID | None = Field(description="Id of the proposing dream.")
    memory_id: UUID | None = Field(description="Id of the memory that came of it; null unless accepted or edited.")
    decided_by: str | None = Field(description="Key or agent that decided; null while nobody has.")
    decided_at: datetime | None = Field(description="Time of the decision; null while there is none.")
    version: int = Field(description="Version number, starting at 1.")
    created_at: CreatedAt
    updated_at: datetime = Field(description="Time of the last change, or of the last message that says it.")


class Decided(BaseModel):
    """Proposal after a decision, and the memory that came of it."""

    proposal: Proposal = Field(description="Proposal after the decision.")
    memory: Memory | None = Field(
        description="Saved memory, or the stored one that says the same; null where nothing was saved."
    )


class DecisionOnMany(Decision):
    """Decision on several proposals, all or none."""

    ids: Annotated[list[UUID], Field(min_length=1, max_length=100)] = Field(
        description="Ids of the proposals, 1 to 100."
    )
