"""Proposals: what a dream was not sure enough of, and what somebody decides on it."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from service.domain.drafts import OccurredAtField, SavedType, Tags, UserField
from service.domain.field_types import Content, Metadata, UnitInterval
from service.domain.guards import canonical_form
from service.domain.own_types import TYPES_NAMED
from service.domain.strict import StrictModel
from service.domain.types import POLICIES, MemoryType

ProposalStatus = Literal["proposed", "accepted", "edited", "rejected"]
Action = Literal["accept", "edit", "reject", "reopen"]

STATUS_AFTER: dict[Action, ProposalStatus] = {
    "accept": "accepted", "edit": "edited", "reject": "rejected", "reopen": "proposed",
}  # fmt: skip

CONFIDENCE_ACCEPTED = 1.0
CONFIDENCE_OF_HEARSAY = 0.5
"""Somebody has read it: it is as sure as what is saved by hand, and hearsay half as sure, as dreams have it."""


def fingerprint(
    content: str, *, type_: MemoryType, user: str | None, hearsay_by: str | None, occurred_at: datetime | None
) -> str:
    """Hex SHA-256, equal for proposals of one agent that say the same in almost the same words, whatever their type:
    of one user, in the word of the same speaker, and for what happens at a time, of one day."""
    day = occurred_at.date().isoformat() if occurred_at and POLICIES[type_].happens else ""
    parts = (canonical_form(content), user or "", hearsay_by or "", day)
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class Decision(StrictModel):
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
    occurred_at: OccurredAtField = None

    @model_validator(mode="after")
    def _fields_belong_to_an_edit(self) -> Decision:
        given = self.changed_fields
        if self.action == "edit" and not given:
            raise ValueError("edit needs a field to change")
        if self.action != "edit" and given:
            raise ValueError(f"{given[0]} belongs to the action edit")
        for name in given:
            if getattr(self, name) is None and name not in ("user", "occurred_at"):
                raise ValueError(f"{name} must not be null")
        return self

    @property
    def changed_fields(self) -> list[str]:
        """The fields of the memory that are given."""
        return [name for name in Decision.model_fields if name in self.model_fields_set and name != "action"]
