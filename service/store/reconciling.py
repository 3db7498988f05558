"""What a dream compares its candidates with: memories in their slots and nearby, and the persons they name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row
from service.store.dreams import Lease
from service.store.vectors import EmbeddingBatch, Stored, VectorSpace


async def memories_alike(
    connection: Connection,
    lease: Lease,
    *,
    audiences: Sequence[UUID],
    slots: Sequence[str],
    forms: Sequence[str],
    identities: Sequence[bytes],
    ids: Sequence[UUID],
    now: datetime,
) -> list[Row]:
    """The agent's live memories in these audiences that fill one of these slots, have one of these canonical forms or
    identity hashes, or are among ``ids``."""
    return await connection.fetch(
        "memories_alike", **lease.of_owners, audiences=audiences,
        slots=slots, forms=forms, hashes=identities, ids=ids, now=now,
    )  # fmt: skip


async def facts_of_attributes(
    connection: Connection, lease: Lease, attributes: Sequence[str], *, audiences: Sequence[UUID], now: datetime
) -> list[Row]:
    """What the agent's live memories in these audiences say of such attributes ("budget") of anything: ``slot``,
    ``value``, ``content``, ``audience``, ``user_name``, and the ``sessions`` in which it was said."""
    if not attributes:
        return []
    return await connection.fetch(
        "facts_of_attributes", **lease.of_owners, attributes=attributes, audiences=audiences, now=now
    )


async def open_todos(
    connection: Connection, lease: Lease, *, audiences: Sequence[UUID], limit: int, now: datetime
) -> list[Row]:
    """The agent's open todos in these audiences, newest first."""
    return await connection.fetch("open_todos", **lease.of_owners, audiences=audiences, limit=limit, now=now)


async def nearest_to_memories(
    connection: Connection,
    lease: Lease,
    space: VectorSpace,
    ids: Sequence[UUID],
    *,
    similarity_min: float,
    limit: int,
    now: datetime,
) -> list[Row]:
    """The agent's live memories nearest to each of these (``memory_id``), of one audience with it."""
    return await connection.fetch(
        "nearest_to_memories", space.flags, **lease.of_owners, model=space.number,
        ids=ids, similarity_min=similarity_min, limit=limit, now=now,
    )  # fmt: skip


async def nearest_memories(
    connection: Connection,
    lease: Lease,
    embedded: EmbeddingBatch,
    vectors: Sequence[tuple[int, Stored]],
    *,
    similarity_min: float,
    limit: int,
    now: datetime,
) -> list[Row]:
    """The agent's live memories nearest to each of these numbered vectors, with their ``n`` and ``similarity``."""
    return await connection.fetch(
        "nearest_memories",
        embedded.flags,
        **lease.of_owners,
        model=embedded.model,
        numbers=[n for n, _ in vectors],
        embeddings=[vector for _, vector in vectors],
        similarity_min=similarity_min,
        limit=limit,
        now=now,
    )


async def aliases_of_persons(connection: Connection, lease: Lease, names: Sequence[str]) -> list[Row]:
    """The ``alias`` and ``name`` of the persons that the agent knows by one of these normalized names."""
    return await connection.fetch("aliases_of_persons", **lease.of_owners, names=names)


async def people_called(connection: Connection, lease: Lease, names: Sequence[str]) -> list[Row]:
    """The users whom the agent knows by one of these normalized names, and the ``way`` it does."""
    return await connection.fetch("people_called", **lease.of_agent, names=names)
