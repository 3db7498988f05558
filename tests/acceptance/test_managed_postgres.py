"""A Postgres where nobody is superuser: the owner migrates and serves, with or without the role of the service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from service.db import embedded
from service.db.migrate import migrate
from service.db.pool import Database
from service.errors import Unavailable
from service.first_start import first_start
from service.settings import Settings
from tests.live_api import ADMIN_KEY, serving
from tests.urls import as_login

TABLES = ("memories", "messages", "search_index", "search_terms", "api_keys", "agents", "settings", "idempotency")


@pytest.fixture(params=["granted the role", "without the role"])
async def owned(request: pytest.FixtureRequest, server_url: str) -> AsyncIterator[tuple[str, str]]:
    """A database of a plain owner, as its URL, and the role of its transactions."""
    name = f"plain_{uuid4().hex[:12]}"
    root = await asyncpg.connect(server_url)
    await root.execute(f"CREATE ROLE {name} LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOBYPASSRLS")
    if request.param == "granted the role":
        await root.execute(f"GRANT reverie_app TO {name}")
    await root.execute(f"CREATE DATABASE {name} OWNER {name}")
    there = await asyncpg.connect(embedded.database_url(server_url, name))
    await there.execute("CREATE EXTENSION vector")
    await there.close()
    try:
        yield (
            as_login(embedded.database_url(server_url, name), f"{name}:"),
            "reverie_app" if request.param == "granted the role" else name,
        )
    finally:
        await root.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await root.execute(f"DROP ROLE {name}")
        await root.close()


async def test_the_owner_of_a_managed_postgres_is_enough(owned: tuple[str, str], tmp_path: Path) -> None:
    url, role = owned
    await asyncio.to_thread(migrate, url)
    settings = Settings(
        DATABASE_URL=url,
        REVERIE_DATA_DIR=tmp_path,
        REVERIE_ADMIN_KEY=ADMIN_KEY,
        EMBEDDING_MODEL="static",
        _env_file=None,
    )
    await first_start(settings)
    async with serving(settings) as api:
        await api.save("The lighthouse keeps its lamp")
        assert len(await api.search("lighthouse lamp")) == 1
        await api.put("/v1/settings", {"rate_limit": {"requests_per_minute": 1000}})
        await api.post("/v1/sessions/s/messages", {"agent": "a", "messages": [{"role": "user", "content": "hello"}]})
        async with api.runtime.db.transaction(next(iter(await _workspaces(url)))) as connection:
            assert await connection.raw.fetchval("SELECT current_user::text") == role
            assert await connection.raw.fetchval("SELECT count(*) FROM memories") == 1
    raw = await asyncpg.connect(url)
    try:
        for table in TABLES:
            assert await raw.fetchval(f"SELECT count(*) FROM {table}") == 0, table  # noqa: S608
    finally:
        await raw.close()


async def _workspaces(url: str) -> list[object]:
    raw = await asyncpg.connect(url)
    rows = await raw.fetch("SELECT workspace_id FROM workspaces")
    await raw.close()
    return [row["workspace_id"] for row in rows]


@pytest.fixture
async def unbound_url(database_url: str) -> AsyncIterator[str]:
    """A login that row-level security does not stop, and that may not take on the role of the service."""
    name = f"unbound_{uuid4().hex[:12]}"
    root = await asyncpg.connect(database_url)
    await root.execute(f"CREATE ROLE {name} LOGIN NOSUPERUSER BYPASSRLS")
    await root.execute(f"GRANT SELECT ON alembic_version TO {name}")
    try:
        yield as_login(database_url, f"{name}:")
    finally:
        await root.execute(f"DROP OWNED BY {name}")
        await root.execute(f"DROP ROLE {name}")
        await root.close()


async def test_a_login_that_walls_do_not_stop_needs_the_role(unbound_url: str) -> None:
    with pytest.raises(Unavailable, match="row-level security"):
        await Database.open(unbound_url)


async def test_the_service_may_log_in_as_its_own_role(api_url_as_role: str, settings: Settings) -> None:
    """Migrations ran as another role; the service's owns nothing and cannot make anything."""
    async with serving(settings.model_copy(update={"database_url": api_url_as_role})) as api:
        await api.save("The lighthouse keeps its lamp")
        assert len(await api.search("lighthouse lamp")) == 1
        for statement in (
            "CREATE TABLE mine (id int)",
            "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
            "DROP TABLE memories",
        ):
            async with api.runtime.db.unscoped() as connection:
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await connection.raw.execute(statement)


@pytest.fixture
def api_url_as_role(database_url: str) -> str:
    return as_login(database_url, "reverie_app:")


async def test_a_database_without_the_schema_is_said_to_be_so(server_url: str) -> None:
    with pytest.raises(Unavailable, match="not migrated"):
        await Database.open(server_url)
