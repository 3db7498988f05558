"""Drills on a cluster of their own, whose nodes are killed and added to: nothing is lost, nothing crosses over."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from service.db import embedded
from service.domain.principal import KeyGrant
from service.first_start import key_in_workspace
from service.settings import Settings
from tests.citus_cluster import CAN_START, DURABLE, NODE_OF, Cluster, StartedCluster, add_apart, execute, open_cluster
from tests.conftest import settings_on
from tests.databases import migrate_and_seed
from tests.live_api import Api, serving
from tests.waiting import until

PLACES = ("north", "south")
IS_REBALANCED = "SELECT state = 'finished' FROM citus_rebalance_status()"
MOVE = """SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('agents', $1::uuid),
    '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')"""
COUNTED = "SELECT rows FROM stored_counts WHERE workspace_id = $1 AND key_id = '00000000-0000-0000-0000-000000000000'"

pytestmark = pytest.mark.skipif(not (CAN_START and "CITUS_URL" in os.environ), reason="make test-citus")


@pytest.fixture(scope="module")
def cluster() -> Iterator[StartedCluster]:
    folder = Path(tempfile.mkdtemp(prefix="reverie-citus-"))
    folder.chmod(0o755)  # as root, the nodes run as another user
    started = StartedCluster(folder, 2)
    yield started
    started.close()
    shutil.rmtree(folder)


@pytest.fixture
async def nodes(cluster: StartedCluster) -> Cluster:
    opened = await open_cluster(cluster.url)
    await opened.everywhere(*DURABLE)
    return opened


@pytest.fixture
async def drilled(nodes: Cluster, tmp_path: Path) -> Settings:
    """Settings on a migrated database across the nodes."""
    name = f"drill_{uuid4().hex}"
    await nodes.create(name)
    url = embedded.database_url(nodes.coordinator, name)
    await asyncio.to_thread(migrate_and_seed, url)
    return settings_on(url, tmp_path)


@dataclass
class Writer:
    """Saves memories in a workspace until it is told to stop, and searches for each."""

    api: Api
    place: str
    saved: set[str] = field(default_factory=set)
    refused: list[int] = field(default_factory=list)
    searches: int = 0
    task: asyncio.Task[None] | None = None
    stopped: bool = False

    async def run(self) -> None:
        while not self.stopped:
            text = f"In the {self.place} lamp {uuid4().hex} burns"
            answer = await self.api.call("POST", "/v1/memories", json={"agent": "a", "type": "fact", "content": text})
            if answer.status_code == 201:
                self.saved.add(text)
            else:
                self.refused.append(answer.status_code)
            found = await self.api.call("POST", "/v1/memories/search", json={"agent": "a", "query": text})
            if found.status_code == 200:
                self.searches += 1
                contents = [one["memory"]["content"] for one in found.json()["results"]]
                assert text in contents or text not in self.saved
                assert all(one.startswith(f"In the {self.place} ") for one in contents)
            else:
                self.refused.append(found.status_code)


@pytest.fixture
async def writers(drilled: Settings) -> AsyncIterator[list[Writer]]:
    """Those of two workspaces on two nodes, whose rows are counted."""
    made = await add_apart(str(drilled.database_url), PLACES)
    async with serving(drilled) as api:
        found = []
        for name, workspace in made.items():
            await api.patch(f"/v1/workspaces/{workspace}", {"limits": {"rows_max": 1_000_000}})
            key = await key_in_workspace(drilled, KeyGrant("admin", name), name)
            found.append(Writer(replace(api, key=key, workspace=workspace), name))
        yield found


@asynccontextmanager
async def writing(writers: list[Writer]) -> AsyncIterator[None]:
    """Have them write for the length of the block, and some more after it."""
    for writer in writers:
        writer.task = asyncio.create_task(writer.run())
    try:
        await more(writers)
        yield
        await more(writers)
    finally:
        for writer in writers:
            writer.stopped = True
        await asyncio.gather(*(writer.task for writer in writers if writer.task))


async def more(writers: list[Writer], rows: int = 5) -> None:
    """Wait until each has saved so many more."""
    wanted = {writer.place: len(writer.saved) + rows for writer in writers}
    await until(
        lambda: any(_failed(writer) for writer in writers) or all(len(w.saved) >= wanted[w.place] for w in writers)
    )
    assert not any(_failed(writer) for writer in writers), [writer.refused[-3:] for writer in writers]


def _failed(writer: Writer) -> bool:
    return writer.task is not None and writer.task.done()


async def assert_nothing_lost(url: str, writers: list[Writer], *, certain: bool = True) -> None:
    """What was answered is there, and nothing else; the counts that limits hold are what is there.

    A save that failed as its node went may be there all the same (not ``certain``).
    """
    connection = await asyncpg.connect(url)
    try:
        for writer in writers:
            rows = await connection.fetch("SELECT content FROM memories WHERE workspace_id = $1", writer.api.workspace)
            there = [row["content"] for row in rows]
            assert writer.saved <= set(there)
            assert len(there) == len(set(there)) <= len(writer.saved) + (0 if certain else len(writer.refused))
            counted = await connection.fetchval(COUNTED, writer.api.workspace)
            assert counted == len(there)
    finally:
        await connection.close()


async def port_of(url: str, writer: Writer) -> int:
    """The port of the node where the rows of a workspace are."""
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval(NODE_OF, writer.api.workspace))
    finally:
        await connection.close()


async def test_a_node_is_killed_and_comes_back(
    cluster: StartedCluster, drilled: Settings, writers: list[Writer]
) -> None:
    """Who lies on another node goes on searching meanwhile; a save may need every node."""
    url = str(drilled.database_url)
    north, south = writers
    port = await port_of(url, south)
    async with writing(writers):
        cluster.kill(port)
        try:
            searches = north.searches
            await until(lambda: len(south.refused) > 3 and north.searches > searches + 3)
        finally:
            cluster.restart(port)
    assert set(south.refused) | set(north.refused) == {503}
    await assert_nothing_lost(url, writers, certain=False)


async def test_a_node_is_added_and_takes_its_share_while_others_write(
    cluster: StartedCluster, nodes: Cluster, drilled: Settings, writers: list[Writer]
) -> None:
    """The shards that move are those of workspaces that are being written."""
    url = str(drilled.database_url)
    before = [await port_of(url, writer) for writer in writers]
    port = await asyncio.to_thread(cluster.add)
    name = url.rpartition("/")[2]
    added = embedded.database_url(f"postgresql://postgres@127.0.0.1:{port}/citus", name)
    await execute(embedded.database_url(added, "postgres"), f"CREATE DATABASE {name}", *DURABLE)
    await execute(added, "CREATE EXTENSION citus")
    coordinator = await asyncpg.connect(url)
    try:
        await coordinator.fetchval("SELECT citus_add_node('127.0.0.1', $1)", port)
        async with writing(writers):
            await coordinator.execute("SELECT citus_rebalance_start()")
            await until(lambda: coordinator.fetchval(IS_REBALANCED))
            for writer, source in zip(writers, before, strict=True):
                if await port_of(url, writer) == source:
                    await coordinator.execute(MOVE, writer.api.workspace, source, port)
    finally:
        await coordinator.close()
    assert [writer.refused for writer in writers] == [[], []]
    assert {await port_of(url, writer) for writer in writers} == {port}
    await assert_nothing_lost(url, writers)
