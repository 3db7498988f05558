"""The shapes of what administers a workspace: keys, the audit log, purges and subject exports."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel

from service.api.schemas import Body
from service.domain.field_types import Name


class CreateKey(Body):
    """A key to make."""

    role: Literal["admin", "agent", "reader"]
    agent: Name | None = None
    name: Name


class CreatedKey(BaseModel):
    """A new key: ``key`` is shown this once."""

    id: UUID
    key: str
    role: str
    agent: str | None
    name: str


class Key(BaseModel):
    """A key, without its text."""

    id: UUID
    name: str
    role: str
    agent: str | None
    created_at: datetime
    revoked_at: datetime | None


class Whoami(BaseModel):
    """The key of the call: the workspace it opens, and as whom. ``agent`` is null for one that is bound to none."""

    workspace: str
    key_id: UUID
    name: str
    role: str
    agent: str | None


class AuditLine(BaseModel):
    """One line of the audit log. Reads are counted: ``details.count`` of one kind, of one agent (``target``)."""

    id: UUID
    at: datetime
    actor: str
    key_id: UUID | None
    action: str
    target: str | None
    subject: str | None
    details: dict[str, Any]


class Receipt(BaseModel):
    """What a purge removed: rows by table, and ``shared_memories`` that stay without the user's part; ``why`` counts
    the memories by what tied them to the user."""

    id: UUID
    counts: dict[str, int]
    why: dict[str, int]
    at: datetime


class PurgeReceipt(BaseModel):
    """The answer to a purge."""

    receipt: Receipt


class SubjectExport(BaseModel):
    """All that is held about a user. ``shared`` memories are other people's as well."""

    user: str
    at: datetime
    memories: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    sessions: list[dict[str, Any]]
    documents: list[dict[str, Any]]
    edges: list[dict[str, Any]]


class UsageItem(BaseModel):
    """What was used for one purpose by one day, key or agent; what it is not grouped by is null. So is the key where no
    request caused the call, and the agent where none is known."""

    day: date | None
    key_id: UUID | None
    agent: str | None
    purpose: str
    calls: int
    failed_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class BudgetToday(BaseModel):
    """What of today's budget (UTC) is taken, by calls that ended and, at most, by those under way; its limits."""

    tokens: int
    cost_usd: float
    dream_tokens: int
    dream_cost_usd: float
    tokens_max: int | None
    cost_max_usd: float | None
    dream_tokens_max: int | None
    dream_cost_max_usd: float | None


class UsageReport(BaseModel):
    """What models were used for."""

    since: date
    until: date
    by: Literal["day", "key", "agent"]
    items: list[UsageItem]
    today: BudgetToday
