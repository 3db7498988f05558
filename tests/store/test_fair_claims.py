"""Who is served next: workspaces take turns in dreams, compaction and webhooks; leases go by the database's clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from service.db.pool import Connection
from service.runtime import Runtime
from service.store.dreams import Lease, fence
from service.store.webhooks import Claim
from tests.live_api import Api

NOW = datetime(2030, 1, 1, tzinfo=UTC)
LARGE, SMALL = UUID(int=1), UUID(int=2)


@pytest.fixture
def runtime(api: Api) -> Runtime:
    return api.runtime


async def due_agents(runtime: Runtime, workspace: UUID, count: int, due_at: datetime = NOW) -> None:
    async with runtime.db.unscoped() as connection:
        await connection.raw.execute(
            "INSERT INTO dream_schedule (workspace_id, agent_id, due_at, compact_at)"
            " SELECT $1, gen_random_uuid(), $3, $3 FROM generate_series(1, $2)", workspace, count, due_at,
        )  # fmt: skip


async def claim_due(connection: Connection, worker: str, **options: Any) -> Lease | None:
    values = {"now": NOW, "reserved": False} | options
    return await connection.first(Lease, "claim_due_agent", worker=worker, lease_s=60, **values)


async def claimed(runtime: Runtime, **options: Any) -> Lease | None:
    async with runtime.db.unscoped() as connection:
        return await claim_due(connection, "w", **options)


async def turn(runtime: Runtime, **options: Any) -> UUID | None:
    """Whose agent is claimed next; it is done at once, and due again later."""
    lease = await claimed(runtime, **options)
    if lease is None:
        return None
    async with runtime.db.unscoped() as connection:
        await connection.run(
            "release_lease", **lease.held, due_at=NOW + timedelta(hours=6), asked=lease.asked, failures=0
        )
    return lease.workspace_id


async def test_one_worker_turns_to_each_workspace_in_turn(runtime: Runtime) -> None:
    await due_agents(runtime, LARGE, 200, NOW - timedelta(days=1))
    assert [await turn(runtime) for _ in range(3)] == [LARGE] * 3
    await due_agents(runtime, SMALL, 3)
    assert [await turn(runtime) for _ in range(8)] == [SMALL, LARGE, SMALL, LARGE, SMALL, LARGE, LARGE, LARGE]


async def test_what_was_asked_for_does_not_jump_another_workspaces_turn(runtime: Runtime) -> None:
    await due_agents(runtime, LARGE, 200)
    async with runtime.db.unscoped() as connection:
        await connection.raw.execute("UPDATE dream_schedule SET asked = 1")
    assert await turn(runtime) == LARGE
    await due_agents(runtime, SMALL, 1)
    assert [await turn(runtime) for _ in range(3)] == [SMALL, LARGE, LARGE]


async def test_slow_dreams_of_one_workspace_leave_room_for_others(runtime: Runtime) -> None:
    await due_agents(runtime, LARGE, 200, NOW - timedelta(days=1))
    await due_agents(runtime, SMALL, 2)
    leases = [await claimed(runtime) for _ in range(5)]
    assert [lease and lease.workspace_id for lease in leases] == [LARGE, SMALL, LARGE, SMALL, LARGE]


async def test_reserved_turns_are_for_workspaces_that_nobody_serves(runtime: Runtime) -> None:
    await due_agents(runtime, LARGE, 200, NOW - timedelta(days=1))
    assert await turn(runtime, reserved=True) == LARGE
    assert await claimed(runtime)
    assert await claimed(runtime, reserved=True) is None
    await due_agents(runtime, SMALL, 2)
    lease = await claimed(runtime, reserved=True)
    assert lease is not None
    assert lease.workspace_id == SMALL
    assert await claimed(runtime, reserved=True) is None


async def test_two_that_claim_at_once_neither_wait_nor_meet(runtime: Runtime, service_url: str) -> None:
    await due_agents(runtime, LARGE, 1)
    await due_agents(runtime, SMALL, 1)
    first = await asyncpg.connect(service_url)
    second = await asyncpg.connect(service_url)
    try:
        async with first.transaction():
            one = await claim_due(Connection(first), "one")
            two = await claim_due(Connection(second), "two")
            assert await claim_due(Connection(second), "two") is None
        assert one is not None
        assert two is not None
        assert {one.workspace_id, two.workspace_id} == {LARGE, SMALL}
    finally:
        await first.close()
        await second.close()


async def test_leases_go_by_the_databases_clock(runtime: Runtime) -> None:
    await due_agents(runtime, LARGE, 1)
    lease = await claimed(runtime, now=NOW + timedelta(days=1))
    assert lease is not None
    for fast_or_slow in (timedelta(days=400), -timedelta(days=400)):
        assert await claimed(runtime, now=NOW + fast_or_slow) is None
    async with runtime.db.unscoped() as connection:
        assert await fence(connection, lease)
        assert await connection.run("extend_lease", **lease.held, lease_s=60)
        await connection.raw.execute("UPDATE dream_schedule SET lease_until = now()")
        assert not await fence(connection, lease)
        assert not await connection.run("extend_lease", **lease.held, lease_s=60)
    assert await claimed(runtime) is not None


async def test_compaction_turns_to_each_workspace_in_turn(runtime: Runtime) -> None:
    async def fold() -> UUID:
        async with runtime.db.unscoped() as connection:
            row = await connection.row("claim_compaction", now=NOW, until=NOW + timedelta(minutes=5))
        assert row is not None
        found: UUID = row["workspace_id"]
        return found

    await due_agents(runtime, LARGE, 200, NOW - timedelta(days=1))
    assert await fold() == LARGE
    await due_agents(runtime, SMALL, 2)
    assert [await fold() for _ in range(5)] == [SMALL, LARGE, SMALL, LARGE, LARGE]


async def test_webhooks_of_each_workspace_have_their_turn(runtime: Runtime) -> None:
    async def add(workspace: UUID, count: int, due_at: datetime) -> None:
        async with runtime.db.unscoped() as connection:
            for _ in range(count):
                await connection.run("schedule_webhook", workspace=workspace, id=uuid4(), now=due_at)

    async def claim(**options: Any) -> UUID | None:
        async with runtime.db.unscoped() as connection:
            values = {"reserved": False} | options
            found = await connection.first(
                Claim, "claim_webhook", worker="w", now=NOW, lease_s=60, again_at=NOW, **values
            )  # fmt: skip
        return found.workspace if found else None

    await add(LARGE, 20, NOW - timedelta(days=1))
    assert await claim() == LARGE
    await add(SMALL, 2, NOW)
    assert [await claim() for _ in range(4)] == [SMALL, LARGE, SMALL, LARGE]
    assert await claim(reserved=True) is None
    async with runtime.db.unscoped() as connection:
        await connection.raw.execute("UPDATE webhook_schedule SET lease_until = NULL")
    assert [await claim(reserved=True) for _ in range(3)] == [SMALL, LARGE, None]
