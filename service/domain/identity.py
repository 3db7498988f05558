"""When two saves are one memory, and the line that stands for a memory in lists."""

from __future__ import annotations

import hashlib
from datetime import datetime
from uuid import UUID

from service.domain.guards import normalize
from service.domain.memory import StoredMemory
from service.domain.owners import Owners
from service.domain.types import POLICIES, MemoryType

SUMMARY_MAX = 120


def identity_hash(
    type_: MemoryType,
    content: str,
    *,
    user: str | None,
    key: str | None,
    occurred_at: datetime | None,
    hearsay_by: str | None,
    owners: Owners,
) -> str:
    """Hex SHA-256 of what makes a memory itself: its folded content, whom it is about, its key, and, for what
    happens at a time, when it happened, for hearsay who said it, and its owners. Equal hashes of one type in one
    audience are one memory.

    A key belongs to one agent, so ``key`` comes with it: see ``scoped_key``."""
    moment = occurred_at.isoformat() if occurred_at and POLICIES[type_].happens else ""
    said_by = [hearsay_by or ""] if hearsay_by or owners else []
    parts = (normalize(content), user or "", key or "", moment, *said_by, *owners)
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def identity_of(memory: StoredMemory) -> bytes:
    """Return the ``identity_hash`` that a memory has by its columns."""
    found = identity_hash(
        MemoryType(memory.like_type or memory.type), memory.content, user=memory.user_name,
        key=scoped_key(memory.agent_id, memory.key), occurred_at=memory.occurred_at, hearsay_by=memory.hearsay_by,
        owners=memory.owners,
    )  # fmt: skip
    return bytes.fromhex(found)


def scoped_key(agent_id: UUID, key: str | None) -> str | None:
    """Return a key as part of an identity: two agents of one team may use the same key and stay apart."""
    return None if key is None else f"{agent_id}:{key}"


def summary_of(content: str) -> str:
    """Return one line of at most 120 characters: the first sentence, or the beginning, of a text."""
    line = " ".join(content.split())
    if len(line) <= SUMMARY_MAX:
        return line
    end = max(line.rfind(mark, 0, SUMMARY_MAX) for mark in (". ", "! ", "? ", "。"))
    if end > 20:
        return line[: end + 1]
    return line[: SUMMARY_MAX - 1].rsplit(" ", 1)[0] + "…"


def digest_of(*parts: str) -> str:
    """Return 32 hexadecimal digits that differ with the parts and their order."""
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
