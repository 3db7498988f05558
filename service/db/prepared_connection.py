"""What a new connection is given before its first statement: codecs, and Citus' shards."""

from __future__ import annotations

from typing import Any

import orjson
from pgvector.asyncpg import register_vector

from service.domain.json import dumps
from service.errors import Unavailable

_CITUS_SHOW_SHARDS_SESSION = """SELECT set_config('citus.override_table_visibility', 'off', false)
    FROM pg_extension WHERE extname = 'citus'"""
"""For a connection that nobody else will use."""


async def prepare_own_connection(raw: Any) -> None:
    """Prepare a connection that nobody else will use. Raises Unavailable before the first migration."""
    await raw.execute(_CITUS_SHOW_SHARDS_SESSION)
    await prepare_connection(raw)


async def prepare_connection(raw: Any) -> None:
    """Prepare a connection that a pooler may share. Raises Unavailable before the first migration."""
    await raw.set_type_codec(
        "jsonb", encoder=lambda value: dumps(value).decode(), decoder=orjson.loads, schema="pg_catalog"
    )
    try:
        await register_vector(raw)
    except ValueError:
        raise Unavailable(
            "DATABASE_URL: the database is not migrated yet; run the migrations (reverie migrate)."
        ) from None
