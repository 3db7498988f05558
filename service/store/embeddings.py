"""Which embedding model is in use and which is coming, the vectors that are missing, and their progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.embedding.storage import storage_of
from service.store.vectors import Space

FIRST = UUID(int=0)
"""Sorts before every id."""


@dataclass(frozen=True, slots=True)
class Model:
    """An embedder by the number its vectors are stored under, and the value of EMBEDDING_MODEL that opens it.

    The signature also says how they are kept.
    """

    number: int
    signature: str
    dim: int
    setting: str

    @property
    def space(self) -> Space:
        """Of its vectors."""
        return Space(self.number, storage_of(self.signature))


@dataclass(frozen=True, slots=True)
class State:
    """The model that searches use, and the one that is being changed to.

    ``total`` rows are to be embedded with the coming model (None: not counted yet), ``done`` are. ``moving``: after a
    change, vectors are still being put in the place of the former ones.
    """

    active: Model | None
    coming: Model | None
    total: int | None
    done: int
    error: str | None
    started_at: datetime | None
    switched_at: datetime | None
    moving: bool


async def model_number(connection: Connection, signature: str, dim: int, setting: str) -> int:
    """The small number under which vectors of an embedder are stored, given out on first use."""
    found: int | None = None
    while found is None:
        found = await connection.value("ensure_embedding_model", signature=signature, dim=dim, setting=setting)
    return found


async def declare(connection: Connection, model: int, now: datetime) -> None:
    """Say that ``model`` is to be used: at once when there was none, else when everything has its vectors."""
    await connection.run("declare_model", model=model, now=now)


async def state(connection: Connection) -> State:
    """What is in use now."""
    row = await connection.row("embedding_state")
    assert row is not None
    active = Model(row["active"], row["signature"], row["dim"], row["setting"]) if row["active"] else None
    coming = Model(row["next"], row["next_signature"], row["next_dim"], row["next_setting"]) if row["next"] else None
    names = ("total", "done", "error", "started_at", "switched_at", "moving")
    return State(active, coming, *(row[name] for name in names))


async def ask_for_reindex(connection: Connection, workspace: UUID, *, force: bool, total: int, now: datetime) -> bool:
    """Ask the worker to embed ``total`` rows of a workspace anew; False when as much is under way already."""
    return bool(await connection.run("request_reindex", workspace=workspace, force=force, total=total, now=now))


async def request(connection: Connection, workspace: UUID) -> Row | None:
    """What was asked for last, and how far it has come."""
    return await connection.row("reindex_request", workspace=workspace)


async def without_vector(connection: Connection, workspace: UUID, model: int, after: UUID, limit: int) -> list[Row]:
    """The next rows (id, version, content) that have no vector of ``model``."""
    return await connection.fetch("rows_without_vector", workspace=workspace, model=model, after=after, limit=limit)


async def pending(connection: Connection, workspace: UUID, after: UUID, limit: int) -> list[Row]:
    """The next rows (id, version, content) that have no vector at all."""
    return await connection.fetch("pending_texts", workspace=workspace, after=after, limit=limit)


async def every_row(connection: Connection, workspace: UUID, after: UUID, limit: int) -> list[Row]:
    """The next rows (id, version, content)."""
    return await connection.fetch("rows_to_embed_again", workspace=workspace, after=after, limit=limit)


async def fill(
    connection: Connection, workspace: UUID, rows: Sequence[Row], vectors: Sequence[Any], space: Space
) -> int:
    """Store the vectors of ``space``, which is in use, for rows that have not changed meanwhile; how many."""
    return await connection.run(
        space.statement("set_embeddings"), workspace=workspace, model=space.number, **_columns(rows, vectors, space)
    )


async def fill_coming(
    connection: Connection,
    workspace: UUID,
    rows: Sequence[Row],
    vectors: Sequence[Any],
    space: Space,
    *,
    worker: str,
    lease_s: float,
    now: datetime,
) -> bool:
    """Store the vectors of the coming ``space`` beside those in use; False when this worker has no business to."""
    filled = await connection.run(
        space.statement("set_next_embeddings"),
        workspace=workspace,
        model=space.number,
        **_columns(rows, vectors, space),
    )
    return await _counted(connection, space, filled, worker=worker, lease_s=lease_s, now=now)


async def take_over(
    connection: Connection,
    workspace: UUID,
    active: Space,
    coming: Space,
    after: UUID,
    limit: int,
    *,
    worker: str,
    lease_s: float,
    now: datetime,
) -> list[UUID] | None:
    """Make vectors in use those of the coming space as well, which are the same but for how they are kept.

    The ids of the rows, the next ones after ``after``; None when this worker has no business to.
    """
    rows = await connection.fetch(
        "take_over_embeddings",
        workspace=workspace,
        model=active.number,
        coming=coming.number,
        after=after,
        limit=limit,
    )
    counted = await _counted(connection, coming, len(rows), worker=worker, lease_s=lease_s, now=now)
    return [row["id"] for row in rows] if counted else None


async def _counted(
    connection: Connection, space: Space, count: int, *, worker: str, lease_s: float, now: datetime
) -> bool:
    return bool(
        await connection.run(
            "count_next_embeddings", model=space.number, count=count, worker=worker, lease_s=lease_s, now=now
        )
    )


def _columns(rows: Sequence[Row], vectors: Sequence[Any], space: Space) -> dict[str, Any]:
    return {
        "ids": [row["id"] for row in rows],
        "versions": [row["version"] for row in rows],
        "embeddings": [space.stored(vector) for vector in vectors],
    }
