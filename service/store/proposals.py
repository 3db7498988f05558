"""Proposals: statements that wait for somebody's decision. Every function runs in the caller's transaction.

All of them lock proposals in one order, that of their fingerprints, and before any memory (lock ordering against
deadlock)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from service.db.pool import Connection
from service.db.records import make, make_all
from service.domain.json import JsonObject
from service.domain.proposals import Proposal, ProposalSource, ProposalStatus

SOURCE_CHARACTERS_MAX = 2_000
"""Characters of each message that a proposal is shown with."""


@dataclass(frozen=True, slots=True)
class NewProposal:
    """A statement that is to wait. ``identity_hash`` in hexadecimal digits."""

    id: UUID
    fingerprint: str
    identity_hash: str
    type: str
    content: str
    user_name: str | None
    owners: list[str]
    hearsay_by: str | None
    importance: float
    confidence: float
    tags: list[str]
    source: JsonObject
    metadata: JsonObject
    message_ids: list[UUID]
    reason: str
    said_at: datetime
    occurred_at: datetime | None
    occurred_until: datetime | None


@dataclass(frozen=True, slots=True)
class LockedProposal:
    """A proposal while it is locked. ``session``: the one it was first said in."""

    id: UUID
    agent: str
    dream_id: UUID | None
    status: ProposalStatus
    type: str
    content: str
    user: str | None
    owners: list[str]
    hearsay_by: str | None
    importance: float
    tags: list[str]
    source: JsonObject
    metadata: JsonObject
    message_ids: list[UUID]
    said_at: datetime
    occurred_at: datetime | None
    occurred_until: datetime | None
    memory_id: UUID | None
    version: int
    session: str | None


async def list_(
    connection: Connection,
    workspace: UUID,
    *,
    agent: str | None,
    status: ProposalStatus | None = None,
    ids: Sequence[UUID] | None = None,
    before: UUID | None = None,
    limit: int,
) -> list[Proposal]:
    """Return proposals, newest first: those of a status that are to be shown, or these."""
    rows = await connection.fetch(
        "list_proposals", workspace=workspace, agent=agent, status=status, ids=ids,
        before=before, limit=limit, characters=SOURCE_CHARACTERS_MAX,
    )  # fmt: skip
    return [make(Proposal, {**row, "sources": make_all(ProposalSource, map(_source, row["sources"]))}) for row in rows]


def _source(stored: JsonObject) -> JsonObject:
    created_at = datetime.fromisoformat(stored["created_at"]).astimezone(UTC)
    return stored | {"message_id": UUID(stored["message_id"]), "created_at": created_at}


async def lock(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> dict[UUID, LockedProposal]:
    """Lock these proposals until the transaction ends; return them by id."""
    found = await connection.many(LockedProposal, "lock_proposals", workspace=workspace, ids=ids)
    return {one.id: one for one in found}
