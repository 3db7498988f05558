"""What very large audiences have beside their rows: counts, their commonest words, and an HNSW index."""

from __future__ import annotations

from uuid import UUID

from service.db.pool import Connection

COUNTED_FROM = 10_000
"""Audiences of so many rows are counted ahead of searches."""

COMMON_FROM = 1_000
"""Words of so many postings are counted ahead of searches, in workspaces that have a large audience."""


async def count(connection: Connection, workspace: UUID) -> dict[UUID, int]:
    """Count the workspace's large audiences and their common words afresh; the rows of each large audience."""
    rows = await connection.fetch("count_audiences", workspace=workspace, large=COUNTED_FROM)
    if rows:
        await connection.run("count_terms", workspace=workspace, common=COMMON_FROM)
    return {row["audience"]: row["rows"] for row in rows}


async def index_some(connection: Connection, workspace: UUID, audience: UUID, *, model: int, limit: int) -> int:
    """Hand up to ``limit`` more rows of an audience to the HNSW index; how many there were."""
    return await connection.run("index_rows", workspace=workspace, audience=audience, model=model, limit=limit)


async def ensure_index(connection: Connection, *, model: int, dim: int) -> None:
    """Build the HNSW index of a model's vectors, without blocking writes, unless it is there.

    Needs a connection outside a transaction whose role owns the table. The vectors are L2-normalised, so the inner
    product ranks as the cosine does.
    """
    name = f"ix_search_index_ann_{int(model)}"
    invalid = await connection.value("invalid_index", name=name)
    if invalid:
        await connection.raw.execute(f"DROP INDEX CONCURRENTLY {name}")
    await connection.raw.execute(
        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON search_index "
        f"USING hnsw ((embedding::halfvec({int(dim)})) halfvec_ip_ops) "
        f"WHERE ann AND embedding_model = {int(model)}"
    )
