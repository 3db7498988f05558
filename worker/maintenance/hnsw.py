"""Keeps searches of large audiences fast: counts them, and hands their rows to an HNSW index where that is worth it.

Rows are written without it, since an entry costs a write about a millisecond; until this job has come by, a search
looks at the new ones exactly. Building an index needs a role that owns the table: where the service has none, large
audiences are scanned exactly, and a warning says so.
"""

from __future__ import annotations

from collections import Counter
from uuid import UUID

import asyncpg
import structlog

from service.memory.access.workspace import all_workspaces
from service.memory.engine import Engine
from service.store import embeddings, hnsw
from service.store.hnsw import AudienceStats, Partition
from service.store.vectors import VectorSpace

log = structlog.get_logger(__name__)

BATCH = 500


async def maintain_hnsw(engine: Engine) -> int:
    """Count every workspace, index what is large; how many rows were handed to the index."""
    space = await engine.space()
    counted: list[tuple[UUID, AudienceStats]] = []
    for workspace in await all_workspaces(engine):
        async with engine.db.transaction(workspace) as connection:
            counted += [(workspace, one) for one in await hnsw.count(connection, workspace, engine.hnsw_limits)]
    if space is None or engine.embedder is None:
        return 0
    filled = Counter[int]()
    for _, one in counted:
        if one.part is not None:
            filled[one.part] += one.rows
    handed, needed = 0, set()
    for workspace, one in sorted(counted, key=lambda each: -each[1].rows):
        part = one.part if one.part is not None else await _assign_partition(engine, workspace, one, filled)
        if part is not None:
            handed += await _index_rows(engine, workspace, one, space.number)
            needed.add(Partition(space.number, part))
    await _sync_indexes(engine, space, needed, engine.embedder.dim)
    if handed:
        log.info("hnsw_rows_indexed", rows=handed)
    return handed


async def _assign_partition(engine: Engine, workspace: UUID, one: AudienceStats, filled: Counter[int]) -> int | None:
    """Give an audience the part where any of its rows are, else the emptiest; ``filled`` is how many rows are in each.
    None where its rows are better looked at one by one."""
    limits = engine.hnsw_limits
    if not limits.hnsw_is_cheaper(one.rows, rows_of_others=0):
        return None
    async with engine.db.transaction(workspace) as connection:
        part = await hnsw.partition_of(connection, workspace, one.audience)
        if part is None:
            part = min(range(limits.partitions), key=lambda number: filled[number])
        if not limits.hnsw_is_cheaper(one.rows, rows_of_others=filled[part]):
            return None
        await hnsw.assign_partition(connection, workspace, one, part)
    filled[part] += one.rows
    return part


async def _index_rows(engine: Engine, workspace: UUID, one: AudienceStats, model: int) -> int:
    """Hand all rows of an audience that its part of the index does not have yet to it; how many."""
    handed = 0
    while True:
        async with engine.db.transaction(workspace) as connection:
            some = await hnsw.index_batch(connection, workspace, one, model=model, limit=BATCH)
        handed += some
        if some < BATCH:
            return handed


async def _sync_indexes(engine: Engine, space: VectorSpace, needed: set[Partition], dim: int) -> None:
    """Build what is needed and not there; drop what was left half built, or is of a model that is no longer in use."""
    async with engine.db.unscoped() as connection:
        state = await embeddings.state(connection)
        there = await hnsw.indexes(connection)
    in_use = tuple(hnsw.index_names(model.number) for model in (state.active, state.next_model) if model is not None)
    useless = [name for name, index in there.items() if index.broken or not name.startswith(in_use)]
    missing = [part for part in needed if part.name not in there or part.name in useless]
    if missing and hnsw.exceeds_index_dim(space, dim):
        log.warning("vectors_too_long_to_index", dim=dim, hint="EMBEDDING_STORAGE=binary indexes longer ones")
        missing = []
    try:
        for name in useless:
            async with engine.db.unscoped() as connection:
                await hnsw.drop_index(connection, name)
        for part in missing:
            async with engine.db.unscoped() as connection:
                await hnsw.build_index(connection, part, space.storage, dim=dim)
    except asyncpg.InsufficientPrivilegeError:
        log.warning("no_right_to_build_index", hint="let the owner of search_index run `python -m worker once`")
