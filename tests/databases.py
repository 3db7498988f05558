"""Databases for tests: copies of a template on the one server, or on every node of the cluster."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from service.db import embedded
from service.db.migrate import IS_CITUS, migrate
from service.first_start import first_start
from service.settings import Settings
from tests.citus_cluster import Cluster, execute
from tests.live_api import ADMIN_KEY
from tests.waiting import until

TEMPLATE = "reverie_template"
"""Migrated, with the default workspace and one admin key."""


def migrate_and_seed(url: str) -> None:
    """Migrate an empty database, and give it the default workspace and one admin key."""
    migrate(url)
    asyncio.run(first_start(Settings(DATABASE_URL=url, REVERIE_ADMIN_KEY=ADMIN_KEY, _env_file=None)))


async def wait_for_lock_waiter(connection: Any, waiters: int = 1) -> None:
    """Wait until so many statements of this database wait for others, as ``until`` does."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    if await connection.fetchval(IS_CITUS):
        waiting = "SELECT count(*) FROM citus_lock_waits"

    async def enough() -> bool:
        # A transaction goes on seeing the activity of its first look.
        await connection.execute("SELECT pg_stat_clear_snapshot()")
        return bool(await connection.fetchval(waiting) >= waiters)

    await until(enough, "nobody waits")


@dataclass(frozen=True, slots=True)
class Databases:
    """Makes and drops them. ``cluster`` is None on a single server."""

    server_url: str
    cluster: Cluster | None

    async def copy(self, template: str, name: str) -> str:
        """A new database that holds what the template does; its URL."""
        if self.cluster:
            await self.cluster.clone(template, name)
        else:
            await execute(self.server_url, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return embedded.database_url(self.server_url, name)

    async def close(self, name: str) -> None:
        """From now on it is a template: nobody may connect to it, and what still is connected goes."""
        if self.cluster:
            await self.cluster.close_template(name)

    async def drop(self, name: str) -> None:
        """Drop it, whoever is connected."""
        if self.cluster:
            await self.cluster.drop(name)
        else:
            await execute(self.server_url, f"DROP DATABASE {name} WITH (FORCE)")
