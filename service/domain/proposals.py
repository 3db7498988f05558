"""Proposals: what a dream was not sure enough of, and what somebody decides on it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, model_validator

from service.domain.drafts import OccurredFields, RoleField, SavedType, Tags, UserField
from service.domain.field_types import AgentName, Content, CreatedAt, Metadata, UnitInterval
from service.domain.guards import canonical_form
from service.domain.json import JsonObject
from service.domain.memory import Memory
from service.domain.own_types import TYPES_NAMED
from service.domain.types import POLICIES, MemoryType

ProposalStatus = Literal["proposed", "accepted", "edited", "rejected"]
Action = Literal["accept", "edit", "reject", "reopen"]

STATUS_AFTER: dict[Action, ProposalStatus] = {
    "accept": "accepted", "edit": "edited", "reject": "rejected", "reopen": "proposed",
}  # fmt: skip

CONFIDENCE_ACCEPTED = 1.0
CONFIDENCE_OF_HEARSAY = 0.5
"""Somebody has read it: it is as sure as what is saved by hand, and hearsay half as sure, as dreams have it."""


@dataclass(frozen=True, slots=True)
class ProposalSource:
    """Message that a proposal was made of."""

    message_id: Annotated[UUID, Field(description="Id of the message.")]
    session: Annotated[str, Field(description="Session of the message.")]
    seq: Annotated[int, Field(description="Number of the message in its session, starting at 1.")]
    role: RoleField
    name: Annotated[str | None, Field(description="Name of the speaker in a chat of several people.")]
    content: Annotated[str, Field(description="Text of the message, its first 2,000 characters.")]
    created_at: CreatedAt


@dataclass(frozen=True, slots=True)
class Proposal:
    """Statement of a dream that waits for a decision, or was decided on."""

    id: Annotated[UUID, Field(description="Id of the proposal.")]
    agent: AgentName
    status: Annotated[
        ProposalStatus,
        Field(description="Status: `proposed` (waits), `accepted`, `edited` (accepted with changes) or `rejected`."),
    ]
    type: Annotated[str, Field(description=f"Type of the proposed memory: {TYPES_NAMED}.")]
    content: Annotated[str, Field(description="Text of the proposed memory.")]
    user: Annotated[str | None, Field(description="User described by the proposed memory.")]
    owners: Annotated[list[str], Field(description="Users the proposed memory belongs to. Empty: the agent's.")]
    hearsay_by: Annotated[
        str | None,
        Field(description="Speaker of a statement about somebody else; null for a statement that is not hearsay."),
    ]
    importance: Annotated[float, Field(description="Importance of the proposed memory from 0 to 1.")]
    confidence: Annotated[float, Field(description="Confidence of the dream in the statement from 0 to 1.")]
    tags: Annotated[list[str], Field(description="Tags of the proposed memory.")]
    source: Annotated[JsonObject, Field(description="JSON object with the origin of the proposed memory.")]
    metadata: Annotated[JsonObject, Field(description="JSON object that the proposed memory will have.")]
    reason: Annotated[str, Field(description="Reason for the proposal.")]
    said_at: Annotated[datetime, Field(description="Time of the statement, from which the memory is valid.")]
    occurred_at: Annotated[
        datetime | None, Field(description="Beginning of the described event; null where no time is known.")
    ]
    occurred_until: Annotated[
        datetime | None,
        Field(description="End of the described event, exclusive; null for an instant and where no time is known."),
    ]
    sources: Annotated[list[ProposalSource], Field(description="Messages that the proposal was made of.")]
    dream_id: Annotated[UUID | None, Field(description="Id of the proposing dream.")]
    memory_id: Annotated[
        UUID | None, Field(description="Id of the memory that came of it; null unless accepted or edited.")
    ]
    decided_by: Annotated[str | None, Field(description="Key or agent that decided; null while nobody has.")]
    decided_at: Annotated[datetime | None, Field(description="Time of the decision; null while there is none.")]
    version: Annotated[int, Field(description="Version number, starting at 1.")]
    created_at: CreatedAt
    updated_at: Annotated[datetime, Field(description="Time of the last change, or of the last message that says it.")]


@dataclass(frozen=True, slots=True)
class Decided:
    """Proposal after a decision, and the memory that came of it."""

    proposal: Annotated[Proposal, Field(description="Proposal after the decision.")]
    memory: Annotated[
        Memory | None,
        Field(description="Saved memory, or the stored one that says the same; null where nothing was saved."),
    ]


def fingerprint(
    content: str, *, type_: MemoryType, user: str | None, hearsay_by: str | None, occurred_at: datetime | None
) -> str:
    """Hex SHA-256, equal for proposals of one agent that say the same in almost the same words, whatever their type:
    of one user, in the word of the same speaker, and for what happens at a time, of one day."""
    day = occurred_at.date().isoformat() if occurred_at and POLICIES[type_].happens else ""
    parts = (canonical_form(content), user or "", hearsay_by or "", day)
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class Decision(OccurredFields):
    """Decision on a proposal. The fields of the memory belong to `edit`, which needs one of them at least."""

    action: Annotated[
        Action,
        Field(
            description="Decision: `accept` (a memory is saved), `edit` (a memory is saved with the fields given), "
            "`reject` (nothing is saved, and the statement is not proposed again) or `reopen` (a rejected proposal "
            "waits again)."
        ),
    ]
    type: SavedType | None = Field(
        None, description=f"Type of the memory: {TYPES_NAMED}; no insight. Default: the proposal's."
    )
    content: Content | None = Field(
        None, description="Text of the memory, at most 8,000 characters. Default: the proposal's."
    )
    user: UserField = None
    importance: UnitInterval | None = Field(
        None, description="Importance of the memory from 0 to 1. Default: the proposal's."
    )
    confidence: UnitInterval | None = Field(
        None, description="Confidence of the memory from 0 to 1. Default 1, of hearsay 0.5."
    )
    tags: Tags | None = Field(None, description="Tags of the memory, at most 50. Default: the proposal's.")
    metadata: Metadata | None = Field(None, description="JSON object of the caller's own. Default: the proposal's.")
    origin: Literal["api", "assistant"] | None = Field(
        None,
        description="Origin of the memory: `api`, or `assistant` for a decision that a model passes on. Default `api`.",
    )

    @model_validator(mode="after")
    def _fields_belong_to_an_edit(self) -> Decision:
        given = self.changed_fields
        if self.action == "edit" and not given:
            raise ValueError("edit needs a field to change")
        if self.action != "edit" and given:
            raise ValueError(f"{given[0]} belongs to the action edit")
        for name in given:
            if getattr(self, name) is None and name not in ("user", "occurred_at", "occurred_until"):
                raise ValueError(f"{name} must not be null")
        return self

    @property
    def changed_fields(self) -> list[str]:
        """Return the fields of the memory that are given."""
        return [
            name for name in Decision.model_fields if name in self.model_fields_set and name not in ("action", "origin")
        ]
