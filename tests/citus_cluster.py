"""A Citus cluster to test on: a test's database is cloned on every node, under one name."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import urlsplit

import asyncpg

from service.db import embedded
from tests.urls import at

SHARDS = 4
NODES = "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 AND isactive AND noderole = 'primary'"

DAEMON_IS_UP = """SELECT NOT EXISTS (
    SELECT FROM pg_stat_activity a
    JOIN pg_database d ON a.backend_type LIKE 'Citus Maintenance Daemon: ' || d.oid || '/%'
    WHERE d.datname = $1 AND a.application_name NOT LIKE 'Citus Maintenance%'
)"""
DAEMON_TRIES, DROP_TRIES = 100, 20


@dataclass(frozen=True, slots=True)
class Cluster:
    """The URLs of a maintenance database on the coordinator and on every worker."""

    coordinator: str
    workers: tuple[str, ...]

    @property
    def nodes(self) -> tuple[str, ...]:
        """All of them."""
        return (self.coordinator, *self.workers)

    async def everywhere(self, *statements: str, database: str = "postgres") -> None:
        """Run these on every node at once."""
        await asyncio.gather(*(execute(embedded.database_url(node, database), *statements) for node in self.nodes))

    async def create(self, name: str) -> None:
        """A new database across the cluster, with the extension on every node and every node known."""
        await self.everywhere(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"CREATE DATABASE {name}")
        await self.everywhere("CREATE EXTENSION citus", database=name)
        hosts = [f"'{urlsplit(node).hostname}', {urlsplit(node).port}" for node in self.nodes]
        await execute(
            embedded.database_url(self.coordinator, name),
            f"ALTER DATABASE {name} SET citus.shard_count = {SHARDS}",
            f"SELECT citus_set_coordinator_host({hosts[0]})",
            *(f"SELECT citus_add_node({host})" for host in hosts[1:]),
        )

    async def close_template(self, name: str) -> None:
        """Let nobody in any more, the maintenance daemon of Citus included: only then a database can be cloned."""
        await self.everywhere(
            f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
            f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'",  # noqa: S608
        )

    async def clone(self, template: str, name: str) -> None:
        """A copy of the template across the cluster; what the template is set to does not come along of itself."""
        await self.everywhere(
            f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy",
            f"ALTER DATABASE {name} SET citus.propagate_set_commands = local",
            f"ALTER DATABASE {name} SET citus.shard_count = {SHARDS}",
        )

    async def drop(self, name: str) -> None:
        """Drop it on every node, whoever is connected.

        The maintenance daemon, which Citus starts with the first connection, has to be up: killed before that it
        would be started again and again for a database that is gone.
        """
        await asyncio.gather(*(self._daemon(node, name) for node in self.nodes))
        await self.everywhere(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        for tries_left in range(DROP_TRIES, 0, -1):
            try:
                await self.everywhere(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
                return
            except asyncpg.ObjectInUseError:  # another node's daemon was just there
                if tries_left == 1:
                    raise
                await asyncio.sleep(0.1)

    async def _daemon(self, node: str, name: str) -> None:
        connection = await asyncpg.connect(node)
        try:
            for _ in range(DAEMON_TRIES):
                if await connection.fetchval(DAEMON_IS_UP, name):
                    return
                await asyncio.sleep(0.05)
        finally:
            await connection.close()


async def open_cluster(url: str) -> Cluster:
    """The cluster of a database on its coordinator that has the extension and knows the workers."""
    connection = await asyncpg.connect(url)
    try:
        places = await connection.fetch(NODES)
    finally:
        await connection.close()
    assert places, "CITUS_URL: no worker has been added to this database (citus_add_node)"
    return Cluster(
        embedded.database_url(url, "postgres"),
        tuple(embedded.database_url(at(url, place["nodename"], place["nodeport"]), "postgres") for place in places),
    )


async def execute(url: str, *statements: str) -> None:
    """Run these one by one, each in its own transaction."""
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()
