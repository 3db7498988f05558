"""Keeps searches of very large audiences fast: counts them, and hands their rows to an HNSW index.

Rows are written without it, since an entry costs a write about a millisecond; until this job has come by, a search
looks at the new ones exactly. Building the index needs a role that owns the table: where the service has none, large
audiences are scanned exactly, and a warning says so.
"""

from __future__ import annotations

import asyncpg
import structlog

from service.memory.engine import Engine
from service.memory.workspace import all_workspaces
from service.store import large, search

log = structlog.get_logger(__name__)

BATCH = 500


async def tend_large_audiences(engine: Engine) -> int:
    """Count every workspace, index what is large; how many rows were handed to the index."""
    handed = 0
    for workspace in await all_workspaces(engine):
        async with engine.db.transaction(workspace) as connection:
            counted = await large.count(connection, workspace)
        model = await engine.model()
        if model is None or engine.embedder is None:
            continue
        for audience, rows in counted.items():
            if rows <= search.EXACT_ROWS_MAX:
                continue
            while True:
                async with engine.db.transaction(workspace) as connection:
                    some = await large.index_some(connection, workspace, audience, model=model, limit=BATCH)
                handed += some
                if some < BATCH:
                    break
    if handed:
        await _build_index(engine)
        log.info("indexed_large_audiences", rows=handed)
    return handed


async def _build_index(engine: Engine) -> None:
    model = await engine.model()
    assert model is not None
    assert engine.embedder is not None
    try:
        async with engine.db.unscoped() as connection:
            await large.ensure_index(connection, model=model, dim=engine.embedder.dim)
    except asyncpg.InsufficientPrivilegeError:
        log.warning("no_right_to_build_index", hint="let the owner of search_index run `python -m worker once`")
