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

from service.memory.engine import Engine
from service.memory.workspace import all_workspaces
from service.store import embeddings, large
from service.store.large import Audience, Part
from service.store.vectors import Space

log = structlog.get_logger(__name__)

BATCH = 500


async def tend_large_audiences(engine: Engine) -> int:
    """Count every workspace, index what is large; how many rows were handed to the index."""
    space = await engine.space()
    counted: list[tuple[UUID, Audience]] = []
    for workspace in await all_workspaces(engine):
        async with engine.db.transaction(workspace) as connection:
            counted += [(workspace, one) for one in await large.count(connection, workspace)]
    if space is None or engine.embedder is None:
        return 0
    filled = Counter[int]()
    for _, one in counted:
        if one.part is not None:
            filled[one.part] += one.rows
    handed, needed = 0, set()
    for workspace, one in sorted(counted, key=lambda each: -each[1].rows):
        part = one.part if one.part is not None else await _take_in(engine, workspace, one, filled)
        if part is not None:
            handed += await _hand_over(engine, workspace, one, space.number)
            needed.add(Part(space.number, part))
    await _keep_indexes(engine, space, needed, engine.embedder.dim)
    if handed:
        log.info("indexed_large_audiences", rows=handed)
    return handed


async def _take_in(engine: Engine, workspace: UUID, one: Audience, filled: Counter[int]) -> int | None:
    """Give an audience the part where any of its rows are, else the emptiest; ``filled`` is how many rows are in each.
    None where its rows are better looked at one by one."""
    if not one.worth_indexing(rows_of_others=0):
        return None
    async with engine.db.transaction(workspace) as connection:
        part = await large.part_of(connection, workspace, one.audience)
        if part is None:
            part = min(range(large.PARTS), key=lambda number: filled[number])
        if not one.worth_indexing(filled[part]):
            return None
        await large.take_in(connection, workspace, one, part)
    filled[part] += one.rows
    return part


async def _hand_over(engine: Engine, workspace: UUID, one: Audience, model: int) -> int:
    """Hand all rows of an audience that its part of the index does not have yet to it; how many."""
    handed = 0
    while True:
        async with engine.db.transaction(workspace) as connection:
            some = await large.index_some(connection, workspace, one, model=model, limit=BATCH)
        handed += some
        if some < BATCH:
            return handed


async def _keep_indexes(engine: Engine, space: Space, needed: set[Part], dim: int) -> None:
    """Build what is needed and not there; drop what was left half built, or is of a model that is no longer in use."""
    async with engine.db.unscoped() as connection:
        state = await embeddings.state(connection)
        there = await large.indexes(connection)
    in_use = tuple(large.index_names(model.number) for model in (state.active, state.coming) if model is not None)
    useless = [name for name, index in there.items() if index.broken or not name.startswith(in_use)]
    missing = [part for part in needed if part.name not in there or part.name in useless]
    if missing and large.too_long(space, dim):
        log.warning("vectors_too_long_to_index", dim=dim, hint="EMBEDDING_STORAGE=binary indexes longer ones")
        missing = []
    try:
        for name in useless:
            async with engine.db.unscoped() as connection:
                await large.drop_index(connection, name)
        for part in missing:
            async with engine.db.unscoped() as connection:
                await large.build_index(connection, part, space.storage, dim=dim)
    except asyncpg.InsufficientPrivilegeError:
        log.warning("no_right_to_build_index", hint="let the owner of search_index run `python -m worker once`")
