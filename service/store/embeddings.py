"""Which embedding model is in use and which is coming, the vectors that are missing, and their progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.embedding.embedder import storage_of
from service.store.vectors import Embedding, VectorSpace

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
    def space(self) -> VectorSpace:
        """Return the space of its vectors."""
        return VectorSpace(self.number, storage_of(self.signature))


@dataclass(frozen=True, slots=True)
class MigrationState:
    """The model that searches use, and the one that is being changed to.

    ``total`` rows are to be embedded with the coming model (None: not counted yet), ``done`` are. ``backfilling``:
    after a change, vectors are still being put in the place of the former ones.
    """

    active: Model | None
    next_model: Model | None
    total: int | None
    done: int
    error: str | None
    started_at: datetime | None
    switched_at: datetime | None
    backfilling: bool


@dataclass(frozen=True, slots=True)
class TextToEmbed:
    """A row of the index to embed: its text, as of this version."""

    id: UUID
    version: int | None
    content: str


@dataclass(frozen=True, slots=True)
class ReindexRequest:
    """What a workspace has asked to be embedded: pending rows or, by ``force``, all of them; done up to ``after``."""

    workspace_id: UUID
    force: bool
    after: UUID | None


async def model_number(
    connection: Connection, signature: str, dim: int, setting: str, noise: float | None = None
) -> int:
    """Return the small number under which vectors of an embedder are stored, given out on first use with its noise
    level, if that is known."""
    found: int | None = None
    while found is None:
        found = await connection.value(
            "ensure_embedding_model", signature=signature, dim=dim, setting=setting, noise=noise
        )
    return found


async def state(connection: Connection) -> MigrationState:
    """Return what is in use now."""
    row = await connection.one("embedding_state")
    active = Model(row["active"], row["signature"], row["dim"], row["setting"]) if row["active"] else None
    coming = Model(row["next"], row["next_signature"], row["next_dim"], row["next_setting"]) if row["next"] else None
    names = ("total", "done", "error", "started_at", "switched_at", "moving")
    return MigrationState(active, coming, *(row[name] for name in names))


async def fill(
    connection: Connection,
    workspace: UUID,
    texts: Sequence[TextToEmbed],
    vectors: Sequence[Embedding],
    space: VectorSpace,
) -> int:
    """Store the vectors of ``space``, which is in use, for texts that have not changed meanwhile; how many."""
    return await connection.run(
        "set_embeddings", space.flags, workspace=workspace, model=space.number, **_columns(texts, vectors, space)
    )


async def fill_next(
    connection: Connection,
    workspace: UUID,
    texts: Sequence[TextToEmbed],
    vectors: Sequence[Embedding],
    space: VectorSpace,
    *,
    worker: str,
    lease_s: float,
) -> bool:
    """Store the vectors of the coming ``space`` beside those in use; False when this worker has no business to."""
    filled = await connection.run(
        "set_next_embeddings",
        space.flags,
        workspace=workspace,
        model=space.number,
        **_columns(texts, vectors, space),
    )
    return await _counted(connection, space, filled, worker=worker, lease_s=lease_s)


async def copy_vectors(
    connection: Connection,
    workspace: UUID,
    active: VectorSpace,
    coming: VectorSpace,
    after: UUID,
    limit: int,
    *,
    worker: str,
    lease_s: float,
) -> list[UUID] | None:
    """Make vectors in use those of the coming space as well, which are the same but for how they are kept.

    The ids of the rows, the next ones after ``after``; None when this worker has no business to.
    """
    rows = await connection.fetch(
        "copy_vectors",
        workspace=workspace,
        model=active.number,
        coming=coming.number,
        after=after,
        limit=limit,
    )
    counted = await _counted(connection, coming, len(rows), worker=worker, lease_s=lease_s)
    return [row["id"] for row in rows] if counted else None


async def _counted(connection: Connection, space: VectorSpace, count: int, *, worker: str, lease_s: float) -> bool:
    return bool(
        await connection.run("count_next_embeddings", model=space.number, count=count, worker=worker, lease_s=lease_s)
    )


def _columns(
    texts: Sequence[TextToEmbed], vectors: Sequence[Embedding], space: VectorSpace
) -> dict[str, Sequence[object]]:
    return {
        "ids": [one.id for one in texts],
        "versions": [one.version for one in texts],
        "embeddings": [space.stored(vector) for vector in vectors],
    }
