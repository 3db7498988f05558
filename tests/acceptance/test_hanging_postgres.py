"""A Postgres that hangs, with its connections open: readiness is answered within a time limit."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from pathlib import Path

import asyncpg
import httpx
import psutil

from service.db import embedded
from service.db.embedded import postmaster
from service.settings import Settings
from tests.databases import migrate_and_seed
from tests.killable import KillableApi, KillablePostgres
from tests.live_api import ANSWER_S


async def test_readiness_is_answered_while_postgres_hangs(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "postgres"
    postgres = KillablePostgres(folder)
    with ExitStack() as ending:
        ending.callback(postgres.close)
        connection = await asyncpg.connect(postgres.url)
        await connection.execute("CREATE DATABASE hanging")
        await connection.close()
        url = embedded.database_url(postgres.url, "hanging")
        await asyncio.to_thread(migrate_and_seed, url)
        app = KillableApi(settings.model_copy(update={"database_url": url}))
        await app.start()
        try:
            async with httpx.AsyncClient(base_url=app.base_url, timeout=ANSWER_S) as http:
                assert (await http.get("/readyz")).status_code == 200
                server = postmaster.running(folder)
                assert server is not None
                for process in (server, *server.children(recursive=True)):
                    process.suspend()
                    ending.callback(_resume, process)
                answers = [(await http.get("/readyz")).json()["degraded"] for _ in range(3)]
                assert answers == [["database"]] * 3
        finally:
            await app.kill()


def _resume(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        process.resume()
