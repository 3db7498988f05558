"""The answers kept for repeated requests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection


@dataclass(frozen=True, slots=True)
class RequestSlot:
    """Where the answer of one request is kept: whose key sent it, and a hash of its Idempotency-Key."""

    workspace: UUID
    key_id: UUID
    request_key: bytes


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A kept answer. ``body`` is sealed, and None once it has been erased."""

    fingerprint: bytes
    status: int
    content_type: str
    body: bytes | None


async def claim(connection: Connection, slot: RequestSlot) -> None:
    """Wait until no other transaction works on the same request, then keep others waiting until this one ends."""
    number = int.from_bytes(slot.request_key[:8], signed=True) ^ (slot.key_id.int & (2**63 - 1))
    await connection.run("claim_request", number=number)


async def find(connection: Connection, slot: RequestSlot, since: datetime) -> StoredResponse | None:
    """Return the answer kept for the request after ``since``."""
    row = await connection.row(
        "find_response", workspace=slot.workspace, key_id=slot.key_id, request_key=slot.request_key, since=since
    )
    return StoredResponse(row["fingerprint"], row["status"], row["content_type"], row["answer"]) if row else None


async def store(connection: Connection, slot: RequestSlot, kept: StoredResponse, now: datetime) -> None:
    """Keep the answer of the request."""
    await connection.run(
        "store_response",
        workspace=slot.workspace,
        key_id=slot.key_id,
        request_key=slot.request_key,
        fingerprint=kept.fingerprint,
        status=kept.status,
        content_type=kept.content_type,
        answer=kept.body,
        now=now,
    )
