"""What a context offers besides what is found for the message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.origin import Origin
from service.domain.own_types import BUILT_IN, OwnType, policy
from service.store.agents import Reader

BASELINE_MAX = 100


@dataclass(frozen=True, slots=True)
class BaselineMemory:
    """A memory that a context offers whatever the message says."""

    id: UUID
    type: str
    content: str
    user: str | None
    hearsay_by: str | None
    origin: Origin
    occurred_at: datetime | None
    session_user: str | None


async def baseline(
    connection: Connection, workspace: UUID, reader: Reader, *, user: str | None, planning: bool, now: datetime
) -> list[BaselineMemory]:
    """Memories that the type policies put into every context of this speaker, best first within each type."""
    own = reader.settings.memory_types
    return await connection.many(
        BaselineMemory,
        "baseline_memories",
        workspace=workspace,
        audiences=reader.audiences,
        user=user,
        always_types=_types(own, "always"),
        user_types=_types(own, "user") + (_types(own, "planning") if planning else []),
        open_types=_types(own, "open"),
        now=now,
        limit=BASELINE_MAX,
    )


def _types(own: Mapping[str, OwnType], in_context: str) -> list[str]:
    return [name for name in (*BUILT_IN, *own) if policy(own, name).in_context == in_context]
