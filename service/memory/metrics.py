"""The metrics as they are scraped: what this process measured, and what the database knows of all of them.

A scrape needs a key, as everything does. One that was let in lately is let in while the database is away: that it is
away is what it comes to see.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import monotonic

from prometheus_client import generate_latest

from service.errors import ReverieError, Unauthenticated, Unavailable
from service.llm import Usage
from service.memory.engine import Engine
from service.memory.health import DATABASE_S, checks
from service.memory.keys import authenticate, hash_of
from service.store import health

SCRAPERS_MAX = 100
TRUSTED_S = 600.0


async def let_in(engine: Engine, key: str) -> None:
    """Raises Unauthenticated, RateLimited, and Unavailable when the database is away and the key unknown here."""
    lately, hashed = engine.measures.let_in_until, hash_of(key)
    try:
        await authenticate(engine, key)
    except Unavailable:
        if lately.get(hashed, 0.0) < monotonic():
            raise
    except Unauthenticated:
        lately.pop(hashed, None)
        raise
    else:
        if hashed in lately or len(lately) < SCRAPERS_MAX:
            lately[hashed] = monotonic() + TRUSTED_S


async def exposed(engine: Engine) -> bytes:
    """Everything, in Prometheus' text form. Without a database what it knows is left as it was, and ``reverie_up``
    says so."""
    measures = engine.measures
    for name, one in (await checks(engine)).items():
        if one["status"] in ("ok", "failing"):
            measures.up.labels(name).set(one["status"] == "ok")
        else:
            with suppress(KeyError):
                measures.up.remove(name)
    for state, count in engine.db.pool_use().items():
        measures.pool.labels(state.removeprefix("pool_")).set(count)
    measures.streams.set(engine.feed.followers)
    if engine.llm is not None:
        used = engine.llm.meter.usage
        measures.llm_calls.labels("failed").set(used.failed_calls)
        measures.llm_calls.labels("answered").set(used.calls - used.failed_calls)
        measures.llm_tokens.labels("prompt").set(used.prompt_tokens)
        measures.llm_tokens.labels("completion").set(used.completion_tokens)
        measures.llm_cost.set(used.cost_usd)
    with suppress(ReverieError, TimeoutError):
        async with asyncio.timeout(DATABASE_S), engine.db.unscoped() as connection:
            now = engine.now()
            waiting = await health.dreams_waiting(connection, None, now)
            workers = await health.workers(connection)
            totals = await health.totals(connection)
        oldest = waiting["oldest_due_at"]
        measures.workers.set(sum(worker.alive for worker in workers))
        measures.dreams_due.set(waiting["due"])
        measures.queue_age.set(max(0.0, (now - oldest).total_seconds()) if oldest else 0.0)
        measures.pending.set(totals.get("pending", 0))
        measures.cost.set(totals.get("cost_usd", 0))
        for outcome in ("succeeded", "failed", "dry_run"):
            measures.dreams.labels(outcome).set(totals.get(f"dreams_{outcome}", 0))
        for kind in ("prompt", "completion"):
            measures.tokens.labels(kind).set(totals.get(f"{kind}_tokens", 0))
    return generate_latest(measures.registry)


async def count_dream(engine: Engine, outcome: str, used: Usage) -> None:
    """Add a dream that has ended to the totals of all workers. A crash just before loses one from the count."""
    async with engine.db.unscoped() as connection:
        await health.add_totals(
            connection,
            {
                f"dreams_{outcome}": 1,
                "prompt_tokens": used.prompt_tokens,
                "completion_tokens": used.completion_tokens,
                "cost_usd": used.cost_usd,
            },
        )
