"""Dreams, what they propose, and what decides in them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from reverie_client.models.base import Answer, Degraded, Json, MemoryType, Role
from reverie_client.models.memories import MemoryRecord


class CalibrationRow(Answer):
    """How often the verdicts of a setting are right from a threshold on."""

    setting: str
    threshold: float
    said: int
    precision: float | None
    recall: float | None
    contradictions: int


class Calibration(Answer):
    """Thresholds of a decision model, found on what people decided; ``too_few``: settings without enough pairs."""

    by: str
    pairs: int
    kinds: dict[str, int]
    by_guards: int
    unusable: int
    rows: list[CalibrationRow]
    recommended: dict[str, float]
    too_few: list[str]
    written: bool


class Dream(Answer):
    """One consolidation run."""

    id: UUID
    agent: str
    status: Literal["queued", "running", "succeeded", "failed", "undone", "dry_run"]
    trigger: str
    report: Json
    error: str | None = None
    changes: list[Json] | None = None


ProposalStatus = Literal["proposed", "accepted", "edited", "rejected"]


ProposalAction = Literal["accept", "edit", "reject", "reopen"]


class ProposalSource(Answer):
    """A message that a proposal was made of; of its text the beginning."""

    message_id: UUID
    session: str
    seq: int
    role: Role
    content: str
    created_at: datetime
    name: str | None = None


class Proposal(Answer):
    """A statement that a dream was not sure enough of."""

    id: UUID
    agent: str
    status: ProposalStatus
    type: MemoryType
    content: str
    importance: float
    confidence: float
    reason: str
    said_at: datetime
    version: int
    user: str | None = None
    hearsay_by: str | None = None
    tags: list[str] = []
    metadata: Json = {}
    sources: list[ProposalSource] = []
    occurred_at: datetime | None = None
    dream_id: UUID | None = None
    memory_id: UUID | None = None


class Decided(Answer):
    """A proposal after a decision, and the memory that came of it."""

    proposal: Proposal
    memory: MemoryRecord | None = None


class ExtractedMemory(Answer):
    """A memory that a dream would propose. ``messages``: the positions of the messages it cites, from 0."""

    type: str
    content: str
    user: str | None
    hearsay_by: str | None
    importance: float
    confidence: float
    tags: list[str]
    metadata: Json
    entities: list[Json]
    messages: list[int]
    occurred_at: datetime | None
    valid_from: datetime


class IgnoredMemory(ExtractedMemory):
    """One that the settings of the agent leave out, and why."""

    reason: str


class Extraction(Answer):
    """What a dream would make of messages, or the prompts that a model would be sent."""

    extractor: str
    candidates: list[ExtractedMemory]
    ignored: list[IgnoredMemory]
    rejected: int
    skipped: list[Json]
    prompts: list[list[Json]] | None
    degraded: Degraded | None
