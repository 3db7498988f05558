"""What a turn's context is made of: its sections, their shares of the budget, and the request for it."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from service.domain.field_types import ActingAgent, Json, Name, Query, ReadTask, TokenBudget, UnitInterval
from service.domain.search import (
    AskersZone,
    ContainedMetadata,
    Expand,
    OccurredSince,
    OccurredUntil,
    SearchedTags,
    SearchedTypes,
    Wordings,
)
from service.domain.setting import setting
from service.domain.strict import FrozenModel, StrictModel
from service.domain.where import WhereObject

SectionName = Literal["instructions", "bulletin", "identity", "preferences", "memories", "documents", "window", "tools"]
Placement = Literal["system", "user"]
IncludeMessages = Literal["always", "undreamed", "never"]
BudgetShare = Annotated[
    UnitInterval | None,
    Field(description="Share of the section, from 0 to 1; 0 leaves it out. Default: the workspace setting."),
]

PREFIX: tuple[SectionName, ...] = ("bulletin", "identity", "preferences")
"""Sections that do not depend on the message. They come first, so that providers can cache them."""

TURN: tuple[SectionName, ...] = ("memories", "documents", "window", "tools")
"""Sections that change from turn to turn. What others leave of the budget goes to them, in this order."""

TOOL_RESULTS_MAX = 100
DOCUMENTS_MAX = 100

_PLANNING = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|road ?map|strateg\w+|goals?|objectives?|milestones?|priorit\w+|next steps?|backlog"
    r"|schedul\w+|agenda|quarter(?:ly)?|sprint|what (?:should|shall|can) (?:we|i) (?:do|work on|focus on)(?: next)?"
    r"|to-?do list|deadline|where (?:do|should) (?:we|i) (?:go|start)|how (?:do|should) (?:we|i) proceed)\b",
    re.IGNORECASE,
)


def _share(default: float, what: str) -> float:
    return setting(
        default,
        f"Share of the token budget of a context for {what}, from 0 to 1; 0 leaves the section out.",
        section="context",
        change="Where contexts lack what is in this section, or have too much of it.",
        advanced=True,
    )


class Shares(FrozenModel):
    """Shares of the token budget by section, scaled down to a sum of 1."""

    bulletin: UnitInterval = _share(0.10, "the bulletin")
    identity: UnitInterval = _share(0.05, "identity memories")
    preferences: UnitInterval = _share(0.10, "preferences")
    memories: UnitInterval = _share(0.45, "memories")
    documents: UnitInterval = _share(0.10, "documents")
    window: UnitInterval = _share(0.15, "the session window")
    tools: UnitInterval = _share(0.05, "tool results")

    def caps(self, tokens_max: int) -> dict[SectionName, int]:
        """Tokens each section may take before leftovers are shared out."""
        shares = {name: getattr(self, name) for name in PREFIX + TURN}
        scale = max(1.0, sum(shares.values()))
        return {name: int(tokens_max * share / scale) for name, share in shares.items()}


class ContextSettings(Shares):
    """What a context is made of."""

    include_messages: IncludeMessages = setting(
        "always",
        "Search of past messages for a context: `always`, `undreamed` (those that no dream has read yet) or `never`.",
        section="context",
        change="Where contexts should hold what dreams concluded, not what was said.",
    )


class ShareChanges(StrictModel):
    """Shares of the token budget by section; omitted ones keep the workspace setting."""

    bulletin: BudgetShare = None
    identity: BudgetShare = None
    preferences: BudgetShare = None
    memories: BudgetShare = None
    documents: BudgetShare = None
    window: BudgetShare = None
    tools: BudgetShare = None

    def over(self, shares: Shares) -> Shares:
        """``shares`` with these in their places."""
        return shares.model_copy(update=self.model_dump(exclude_none=True))


class ContextRequest(StrictModel):
    """Request for the context of a model call."""

    agent: ActingAgent = None
    session: Name | None = Field(None, description="Current session; its window is included.")
    user: Name | None = Field(
        None,
        description="User speaking, whom the context is for: what belongs to nobody or to this user is in it. Default: "
        "the members of the session, else nobody.",
    )
    task: ReadTask = None
    message: Query = Field(description="User message of this turn, at most 8,000 characters.")
    queries: Wordings = Field([])
    expand: Expand = False
    max_tokens: TokenBudget | None = Field(
        None, description="Token budget of the context. Default: the setting `retrieval.context_max_tokens` (2,000)."
    )
    sections: ShareChanges = Field(
        ShareChanges(), description="Shares of the token budget by section. Default: the workspace settings."
    )
    types: SearchedTypes = None
    tags: SearchedTags = None
    about: Name | None = Field(None, description="User described by the memories to search. Default: any.")
    user_filter: Name | None = Field(None, description="The same as `about`.")
    metadata: ContainedMetadata = None
    where: WhereObject = None
    documents: Annotated[list[UUID], Field(max_length=DOCUMENTS_MAX)] | None = Field(
        None, description="Ids of the documents to search, at most 100; empty: none. Default: all."
    )
    since: OccurredSince = None
    until: OccurredUntil = None
    time_zone: AskersZone = None
    include_messages: IncludeMessages | None = Field(
        None,
        description="Search of past messages: `always`, `undreamed` (those that no dream has read yet) or `never`; the "
        "window is included in any case. Default: the setting `context.include_messages`.",
    )
    tool_results: Annotated[list[Json], Field(max_length=TOOL_RESULTS_MAX)] = Field(
        [], description="Tool results to include as JSON, at most 100. Default empty."
    )
    placement: Placement = Field(
        "system", description="Role of the memory block: `system` message or `user` message. Default `system`."
    )


def is_planning(message: str) -> bool:
    """Return whether a message is about what to do next, which brings the goals in."""
    return _PLANNING.search(message) is not None
