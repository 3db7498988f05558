"""Which embedding model is in use and which is coming, the vectors that are missing, and their progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Columns, Connection, Row
from service.embedding.storage import storage_of
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
        """Of its vectors."""
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


async def model_number(
    connection: Connection, signature: str, dim: int, setting: str, noise: float | None = None
) -> int:
    """The small number under which vectors of an embedder are stored, given out on first use with its noise level, if
    that is known."""
    found: int | None = None
    while found is None:
        found = await connection.value(
            "ensure_embedding_model", signature=signature, dim=dim, setting=setting, noise=noise
        )
    return found


async def lacks_noise(connection: Connection, signature: str) -> bool:
    """Whether something has been embedded with an embedder whose noise level is not known."""
    return await connection.value("noise_is_known", signature=signature) is False


async def state(connection: Connection) -> MigrationState:
    """What is in use now."""
    row = await connection.one("embedding_state")
    active = Model(row["active"], row["signature"], row["dim"], row["setting"]) if row["active"] else None
    coming = Model(row["next"], row["next_signature"], row["next_dim"], row["next_setting"]) if row["next"] else None
    names = ("total", "done", "error", "started_at", "switched_at", "moving")
    return MigrationState(active, coming, *(row[name] for name in names))


async def request_reindex(connection: Connection, workspace: UUID, *, force: bool, total: int, now: datetime) -> bool:
    """Ask the worker to embed ``total`` rows of a workspace anew; False when as much is under way already."""
    return bool(await connection.run("request_reindex", workspace=workspace, force=force, total=total, now=now))


async def without_vector(connection: Connection, workspace: UUID, model: int, after: UUID, limit: int) -> list[Row]:
    """The next rows (id, version, content) that have no vector of ``model``."""
    return await connection.fetch("rows_without_vector", workspace=workspace, model=model, after=after, limit=limit)


async def pending(connection: Connection, workspace: UUID, after: UUID, limit: int) -> list[Row]:
    """The next rows (id, version, content) that have no vector at all."""
    return await connection.fetch("pending_texts", workspace=workspace, after=after, limit=limit)


def text_of_row(row: Row) -> tuple[UUID, str]:
    """The id of a row to embed, and its text."""
    return row["id"], row["content"]


async def rows_after(connection: Connection, workspace: UUID, after: UUID, limit: int) -> list[Row]:
    """The next rows (id, version, content)."""
    return await connection.fetch("rows_to_embed_again", workspace=workspace, after=after, limit=limit)


async def fill(
    connection: Connection, workspace: UUID, rows: Sequence[Row], vectors: Sequence[Embedding], space: VectorSpace
) -> int:
    """Store the vectors of ``space``, which is in use, for rows that have not changed meanwhile; how many."""
    return await connection.run(
        "set_embeddings", space.flags, workspace=workspace, model=space.number, **_columns(rows, vectors, space)
    )


async def fill_next(
    connection: Connection,
    workspace: UUID,
    rows: Sequence[Row],
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
        **_columns(rows, vectors, space),
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


def _columns(rows: Sequence[Row], vectors: Sequence[Embedding], space: VectorSpace) -> Columns:
    return {
        "ids": [row["id"] for row in rows],
        "versions": [row["version"] for row in rows],
        "embeddings": [space.stored(vector) for vector in vectors],
    }


async def count_pending(connection: Connection, workspace: UUID) -> int:
    """How many rows of a workspace have no vector yet."""
    return await connection.value("count_pending", workspace=workspace)


async def count_rows(connection: Connection, workspace: UUID) -> int:
    """How many rows of a workspace are searched."""
    return await connection.value("count_index_rows", workspace=workspace)


async def requests(connection: Connection) -> list[Row]:
    """The workspaces whose rows are to be embedded again, and how far each has come. Outside any workspace."""
    return await connection.fetch("reindex_requests")


async def advance_request(connection: Connection, workspace: UUID, *, after: UUID, done: int) -> None:
    """Note that ``done`` more rows of a workspace have been embedded again, up to ``after``."""
    await connection.run("advance_reindex", workspace=workspace, after=after, done=done)


async def claim_lease(connection: Connection, worker: str, lease_s: float) -> bool:
    """Take or keep the lease on changing the embedding model; False while another worker holds it."""
    return bool(await connection.run("claim_embedding", worker=worker, lease_s=lease_s))


async def swap_columns(connection: Connection, workspace: UUID, active: Model, after: UUID, limit: int) -> list[Row]:
    """Put the vectors of the model in use in the first place, for the next rows that have them in the second."""
    return await connection.fetch(
        "backfill_embeddings", active.space.flags, workspace=workspace, model=active.number, after=after, limit=limit
    )


async def set_migration_total(connection: Connection, model: int, total: int) -> None:
    """Note how many rows are to be embedded with the coming model. Outside any workspace, like all below."""
    await connection.run("set_migration_total", model=model, total=total)


async def note_migration_error(connection: Connection, model: int, error: str) -> None:
    """Note why the coming model's vectors cannot be made at present."""
    await connection.run("note_migration_error", model=model, error=error)


async def switch_model(connection: Connection, model: int, now: datetime) -> None:
    """Let searches use the coming model."""
    await connection.run("switch_model", model=model, now=now)


async def stop_backfilling(connection: Connection, model: int) -> None:
    """Note that every row has the vector of the model in use in the first place."""
    await connection.run("stop_backfilling", model=model)


async def finish_request(connection: Connection, workspace: UUID, now: datetime) -> None:
    """Close a workspace's request to embed its rows again."""
    await connection.run("finish_reindex", workspace=workspace, now=now)


async def note_request_error(connection: Connection, workspace: UUID, error: str) -> None:
    """Note why a workspace's rows cannot be embedded again at present."""
    await connection.run("note_reindex_error", workspace=workspace, error=error)
