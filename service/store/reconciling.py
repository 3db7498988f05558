"""What a dream compares its candidates with: memories in their slots and nearby, and the persons they name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from service.db.pool import Connection, Row
from service.store.dreams import Lease
from service.store.vectors import EmbeddingBatch


async def memories_in_slots(
    connection: Connection, lease: Lease, *, slots: Sequence[str], identities: Sequence[bytes], now: datetime
) -> list[Row]:
    """The agent's live memories that fill one of these slots, or have one of these identity hashes."""
    return await connection.fetch(
        "memories_in_slot", workspace=lease.workspace_id, agent_id=lease.agent_id, slots=list(slots),
        hashes=list(identities), now=now,
    )  # fmt: skip


async def nearest_memories(
    connection: Connection,
    lease: Lease,
    embedded: EmbeddingBatch,
    vectors: Sequence[tuple[int, Any]],
    *,
    similarity_min: float,
    limit: int,
    now: datetime,
) -> list[Row]:
    """The agent's live memories nearest to each of these numbered vectors, with their ``n`` and ``similarity``."""
    return await connection.fetch(
        "nearest_memories",
        embedded.flags,
        workspace=lease.workspace_id,
        agent_id=lease.agent_id,
        model=embedded.model,
        numbers=[n for n, _ in vectors],
        embeddings=[vector for _, vector in vectors],
        similarity_min=similarity_min,
        limit=limit,
        now=now,
    )


async def aliases_of_persons(connection: Connection, lease: Lease, names: Sequence[str]) -> list[Row]:
    """The ``alias`` and ``name`` of the persons that the agent knows by one of these normalized names."""
    return await connection.fetch(
        "aliases_of_persons", workspace=lease.workspace_id, agent_id=lease.agent_id, names=list(names)
    )


async def people_called(connection: Connection, lease: Lease, names: Sequence[str]) -> list[Row]:
    """The users whom the agent knows by one of these normalized names, and the ``way`` it does."""
    return await connection.fetch(
        "people_called", workspace=lease.workspace_id, agent_id=lease.agent_id, names=list(names)
    )
