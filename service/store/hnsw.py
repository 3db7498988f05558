"""What large audiences have beside their rows: a count, their commonest words, and an HNSW index.

The HNSW index of a model's vectors is partitioned by audience, so that the walk to an audience's nearest vectors passes
over few of others: a search of 20,000 among 500,000 takes 12.5 ms of Postgres' processor time, not 23.5. A partition is
an index by itself, created when needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from service.db.pool import Connection
from service.embedding.embedder import Storage
from service.store.vectors import VectorSpace

INDEXED_DIM_MAX: dict[Storage, int] = {"halfvec": 4_000, "float32": 4_000, "binary": 64_000}
"""pgvector's limits for HNSW."""

_INDEXED: dict[Storage, str] = {
    "halfvec": "(embedding::halfvec({dim})) halfvec_ip_ops",
    "float32": "(embedding_float32::halfvec({dim})) halfvec_ip_ops",
    "binary": "(binary_quantize(embedding::halfvec({dim}))::bit({dim})) bit_hamming_ops",
}
"""What is indexed; the search statements order by the same expressions."""


@dataclass(frozen=True, slots=True)
class HnswLimits:
    """From how many rows on an audience is counted and indexed; docs/benchmarks.md has the measurements."""

    counted_from: int = 500
    """Audiences of so many rows of a kind are counted ahead of searches, whose plans need the counts of larger ones."""
    large_from: int = 10_000
    """Audiences of so many rows of a kind are large: they may go to the HNSW index."""
    common_from: int = 1_000
    """Words of so many postings are counted ahead of searches, in workspaces that have a large audience."""
    cost_rows: int = 4_000
    """To find candidates in a part of the index takes as long as to look at so many rows exactly, if all of the part is
    of one audience, and longer by as much as others have in it."""
    partitions: int = 32
    """Of the index of a model, at most: each is weighed as a statement is planned, and as a row is written."""

    def hnsw_is_cheaper(self, rows: int, *, rows_of_others: int) -> bool:
        """Return whether a walk through a part of the index, past the rows of others, beats looking at each of its
        rows."""
        return rows >= self.large_from and rows**2 >= self.cost_rows * (rows + rows_of_others)


@dataclass(frozen=True, slots=True)
class AudienceStats:
    """``rows`` of one kind; ``part`` of the index has them, or None."""

    audience: UUID
    kind: int
    rows: int
    part: int | None


def index_names(model: int) -> str:
    """Return what the names of the parts of a model's index begin with."""
    return f"ix_search_index_ann_{int(model)}_"


@dataclass(frozen=True, slots=True)
class Partition:
    """One part of a model's HNSW index; ``name`` is that of the Postgres index."""

    model: int
    number: int

    @property
    def name(self) -> str:
        return f"{index_names(self.model)}{int(self.number)}"


@dataclass(frozen=True, slots=True)
class HnswIndex:
    """An index there is: its ``bytes``, ``broken`` when it was left half built."""

    name: str
    bytes: int
    broken: bool


async def count(connection: Connection, workspace: UUID, limits: HnswLimits) -> list[AudienceStats]:
    """Count the workspace's audiences afresh, and where one is large their common words."""
    rows = await connection.fetch("count_audiences", workspace=workspace, least=limits.counted_from)
    if any(row["rows"] >= limits.large_from for row in rows):
        await connection.run("count_terms", workspace=workspace, common=limits.common_from)
    return [AudienceStats(**row) for row in rows]


async def partition_of(connection: Connection, workspace: UUID, audience: UUID) -> int | None:
    """Return the part of the index that has rows of this audience, of whatever kind, if only from when it was large
    once.

    All go to one, as a search looks for them in no other; until the transaction ends nobody else gives it any. None
    where no part has any of them.
    """
    locked = await connection.fetch("lock_audience", workspace=workspace, audience=audience)
    given = [row["part"] for row in locked if row["part"] is not None]
    number: int | None = (
        given[0] if given else await connection.value("partition_of_rows", workspace=workspace, audience=audience)
    )
    return number


async def indexes(connection: Connection) -> dict[str, HnswIndex]:
    """Return all there are, by name."""
    return {row["name"]: HnswIndex(**row) for row in await connection.fetch("hnsw_indexes")}


async def drop_index(connection: Connection, name: str) -> None:
    """Drop an index without blocking anybody. Needs a connection outside a transaction whose role owns the table."""
    await connection.raw.execute(f'DROP INDEX CONCURRENTLY IF EXISTS "{name}"')


async def index_bytes(connection: Connection, model: int) -> int | None:
    """Return what the index of a model takes, all its parts together; None when there is none."""
    sizes = [one.bytes for name, one in (await indexes(connection)).items() if name.startswith(index_names(model))]
    return sum(sizes) if sizes else None


def exceeds_index_dim(space: VectorSpace, dim: int) -> bool:
    """Return whether pgvector indexes no vectors of that many dimensions, as they are kept in this space."""
    return dim > INDEXED_DIM_MAX[space.storage]


async def build_index(connection: Connection, part: Partition, storage: Storage, *, dim: int) -> None:
    """Build a part of a model's index, of vectors kept in this way, without blocking writes.

    Needs a connection outside a transaction whose role owns the table. The vectors are L2-normalised, so the inner
    product ranks as the cosine does.
    """
    await connection.raw.execute(
        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {part.name} ON search_index "
        f"USING hnsw ({_INDEXED[storage].format(dim=int(dim))}) "
        f"WHERE ann AND embedding_model = {int(part.model)} AND part = {int(part.number)}"
    )
