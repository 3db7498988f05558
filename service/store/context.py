"""What a context offers besides what is found for the message."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.types import POLICIES
from service.store.agents import Reader

BASELINE_MAX = 100


async def baseline(
    connection: Connection, workspace: UUID, reader: Reader, *, user: str | None, planning: bool, now: datetime
) -> list[Row]:
    """Memories that the type policies put into every context of this speaker, best first within each type."""
    return await connection.fetch(
        "baseline_memories",
        workspace=workspace,
        audiences=reader.audiences,
        user=user,
        always_types=_types("always"),
        user_types=_types("user") + (_types("planning") if planning else []),
        open_types=_types("open"),
        now=now,
        limit=BASELINE_MAX,
    )


def _types(in_context: str) -> list[str]:
    return [type_.value for type_, policy in POLICIES.items() if policy.in_context == in_context]
