"""What a turn's context is made of: its sections, their shares of the budget, and the request for it."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.domain.field_types import Json, Name, Query, UnitInterval

SectionName = Literal["bulletin", "identity", "preferences", "memories", "documents", "window", "tools"]
Placement = Literal["system", "user"]

PREFIX: tuple[SectionName, ...] = ("bulletin", "identity", "preferences")
"""Sections that do not depend on the message. They come first, so that providers can cache them."""

TURN: tuple[SectionName, ...] = ("memories", "documents", "window", "tools")
"""Sections that change from turn to turn. What others leave of the budget goes to them, in this order."""

TOKENS_MAX = 16_000
TOOL_RESULTS_MAX = 100

_PLANNING = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|road ?map|strateg\w+|goals?|objectives?|milestones?|priorit\w+|next steps?|backlog"
    r"|schedul\w+|agenda|quarter(?:ly)?|sprint|what (?:should|shall|can) (?:we|i) (?:do|work on|focus on)(?: next)?"
    r"|to-?do list|deadline|where (?:do|should) (?:we|i) (?:go|start)|how (?:do|should) (?:we|i) proceed)\b",
    re.IGNORECASE,
)


class Shares(BaseModel):
    """Each section's share of the token budget; together more than 1 is scaled down. 0 leaves a section out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bulletin: UnitInterval = 0.30
    identity: UnitInterval = 0.10
    preferences: UnitInterval = 0.10
    memories: UnitInterval = 0.20
    documents: UnitInterval = 0.10
    window: UnitInterval = 0.15
    tools: UnitInterval = 0.05

    def caps(self, tokens_max: int) -> dict[SectionName, int]:
        """Tokens each section may take before leftovers are shared out."""
        shares = {name: getattr(self, name) for name in PREFIX + TURN}
        scale = max(1.0, sum(shares.values()))
        return {name: int(tokens_max * share / scale) for name, share in shares.items()}


class ShareChanges(BaseModel):
    """Shares given with a request; those left out keep the workspace's."""

    model_config = ConfigDict(extra="forbid")

    bulletin: UnitInterval | None = None
    identity: UnitInterval | None = None
    preferences: UnitInterval | None = None
    memories: UnitInterval | None = None
    documents: UnitInterval | None = None
    window: UnitInterval | None = None
    tools: UnitInterval | None = None

    def over(self, shares: Shares) -> Shares:
        """``shares`` with these in their places."""
        return shares.model_copy(update=self.model_dump(exclude_none=True))


class ContextRequest(BaseModel):
    """One turn that is about to go to a model."""

    model_config = ConfigDict(extra="forbid")

    agent: Name | None = None
    session: Name | None = None
    user: Name | None = Field(None, description="who speaks; the session's user when left out")
    task: Name | None = None
    message: Query = Field(description="what the user says on this turn")
    max_tokens: int = Field(2_000, ge=0, le=TOKENS_MAX)
    sections: ShareChanges = ShareChanges()
    tool_results: Annotated[list[Json], Field(max_length=TOOL_RESULTS_MAX)] = []
    placement: Placement = "system"


def is_planning(message: str) -> bool:
    """Whether a message is about what to do next, which brings the goals in."""
    return _PLANNING.search(message) is not None
