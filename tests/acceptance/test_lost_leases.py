"""Four workers, forty agents, and leases lost on purpose: one dream of an agent at a time, no commit without its lease.

Postgres itself keeps watch: triggers note every dream that begins while another of its agent runs, and every commit
that is not made by the holder of the lease. (What a call of a worker cost that lost its lease is counted later, which
is no commit.) Citus lets no trigger watch a table that is spread: there, only what comes of it is looked at, that every
message was noted once.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter
from contextlib import AsyncExitStack
from functools import partial

import asyncpg

from service.settings import Settings
from tests.citus_cluster import Cluster
from tests.fakes.openai_server import FakeOpenAI
from tests.killable import KillableWorker, dreaming, expire_leases
from tests.live_api import Api, Json
from tests.tuning import tuned
from tests.waiting import until
from tests.worker.dreaming import note_everything, say

WORKERS = 4
AGENTS = 40
TURNS = 6
LEASE_S = 1.0
ROUNDS = 12

WATCH = """
CREATE TABLE watched (what text NOT NULL, dream_id uuid, by text, holder text);
GRANT ALL ON watched TO PUBLIC;
CREATE FUNCTION watch_dreams() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    me text := current_setting('application_name');
    lease record;
BEGIN
    SELECT * INTO lease FROM dream_schedule s WHERE s.workspace_id = NEW.workspace_id AND s.agent_id = NEW.agent_id;
    IF NEW.status = 'running' AND OLD.status <> 'running' THEN
        INSERT INTO watched SELECT 'two at once', NEW.id, me, lease.lease_owner
        FROM dreams d WHERE d.workspace_id = NEW.workspace_id AND d.agent_id = NEW.agent_id AND d.id <> NEW.id
            AND d.status = 'running';
    END IF;
    IF NEW.status = 'succeeded' AND OLD.status <> 'succeeded' THEN
        INSERT INTO watched
        SELECT CASE WHEN lease.lease_owner = me AND lease.dream_id = NEW.id THEN 'commit' ELSE 'without lease' END,
            NEW.id, me, lease.lease_owner;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER watch_dreams AFTER UPDATE ON dreams FOR EACH ROW EXECUTE FUNCTION watch_dreams();
"""
STEAL = """
UPDATE dream_schedule s SET lease_until = now()
FROM (SELECT workspace_id, agent_id FROM dream_schedule WHERE lease_until > now()
    ORDER BY md5(agent_id::text || $1) LIMIT 1 FOR UPDATE SKIP LOCKED) held
WHERE s.workspace_id = held.workspace_id AND s.agent_id = held.agent_id
"""


async def test_leases_lost_on_purpose(api: Api, settings: Settings, database_url: str, citus: Cluster | None) -> None:
    chance = random.Random(7)
    hasty = tuned(settings, dream_lease_s=LEASE_S, pool_size=2)
    patient = tuned(settings, pool_size=2)
    said = [f"note {agent} {turn}" for agent in range(AGENTS) for turn in range(TURNS)]
    for agent in range(AGENTS):
        await say(api, *said[agent * TURNS : (agent + 1) * TURNS], agent=f"agent-{agent}")
    watch = await asyncpg.connect(database_url)
    if not citus:
        await watch.execute(WATCH)
    with FakeOpenAI() as model:
        model.default_reply = note_everything
        model.fail(hang_s=0.3, times=None)
        async with AsyncExitStack() as stack:
            workers = [
                await stack.enter_async_context(dreaming(hasty, model.base_url, for_ever=True)) for _ in range(WORKERS)
            ]
            await until(partial(steal, watch, chance), "nobody dreams")
            for number in range(ROUNDS):
                await lose_some(workers, watch, chance)
                said.append(f"late {number}")
                await say(api, said[-1], agent=f"agent-{chance.randrange(AGENTS)}", session="late")
            model.heal()
            for worker in workers:
                await worker.kill()
            await expire_leases(database_url)
            for _ in range(WORKERS):
                await stack.enter_async_context(dreaming(patient, model.base_url, for_ever=True))
            await until(partial(nothing_is_left, watch), "they are not all dreamed about")
    if not citus:
        noted = Counter(row["what"] for row in await watch.fetch("SELECT what FROM watched"))
        assert set(noted) == {"commit"}
    await watch.close()
    assert Counter([memory["content"] for memory in await memories(api)]) == Counter(
        f"u1 said: {text}" for text in said
    )


async def lose_some(workers: list[KillableWorker], watch: asyncpg.Connection, chance: random.Random) -> None:
    """One worker is stopped for about as long as its leases last, and a lease is taken away in mid-dream, if one is
    held."""
    frozen = chance.choice(workers)
    os.kill(frozen.pid, signal.SIGSTOP)
    try:
        await steal(watch, chance)
        await asyncio.sleep(LEASE_S * chance.uniform(0.5, 1.5))
    finally:
        os.kill(frozen.pid, signal.SIGCONT)


async def steal(watch: asyncpg.Connection, chance: random.Random) -> bool:
    """Take a lease away from its holder; whether one was held. (Not one that is locked: its holder may be a stopped
    worker, in the middle of its commit.)"""
    return await watch.execute(STEAL, str(chance.random())) == "UPDATE 1"


async def nothing_is_left(watch: asyncpg.Connection) -> bool:
    """Whether all turns are dreamed about. What failed, and would be tried again minutes later, is due now."""
    await watch.execute("UPDATE dream_schedule SET due_at = now() WHERE due_at > now()")
    return not await watch.fetchval("SELECT count(*) FROM sessions WHERE dreamed_seq < last_seq")


async def memories(api: Api) -> list[Json]:
    items: list[Json] = []
    cursor: dict[str, str] = {}
    while True:
        page = await api.get("/v1/memories", limit=200, **cursor)
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        cursor = {"cursor": page["next_cursor"]}
