"""Runs migrations on the URL given by ``service.db.migrate`` (or DATABASE_URL), each in its own transaction."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from alembic import context
from sqlalchemy import Connection, pool, text
from sqlalchemy.ext.asyncio import create_async_engine

from service.db.migrate import IS_CITUS, migration_url

MIGRATION_LOCK = 7_316_421


def run(connection: Connection) -> None:
    context.configure(connection=connection, transaction_per_migration=True)
    with context.begin_transaction():
        context.execute(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        context.run_migrations()


async def main() -> None:
    engine = create_async_engine(
        migration_url(context.config.attributes.get("url")),
        poolclass=pool.NullPool,
        connect_args={
            "timeout": 10,
            "statement_cache_size": 0,
            "prepared_statement_cache_size": 0,
            "prepared_statement_name_func": lambda: f"reverie_{uuid4().hex}",  # a pooler may hold others' of any name
        },
    )
    async with engine.connect() as connection:
        if await connection.scalar(text(IS_CITUS)):  # foreign keys to what every node has a copy of ask for it
            await connection.execute(text("SET citus.multi_shard_modify_mode = 'sequential'"))
        await connection.commit()
        await connection.run_sync(run)
        await connection.commit()
    await engine.dispose()


asyncio.run(main())
