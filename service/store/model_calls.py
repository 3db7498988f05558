"""Calls of language models that a workspace keeps. Every function runs in the caller's transaction."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from service.db.pool import Connection
from service.domain.kept_calls import ModelCall

LATE: Final = timedelta(minutes=10)
"""For so long after a purge has begun, a call may be made of what was read before it has ended."""


async def admits(connection: Connection, workspace: UUID, at: datetime) -> bool:
    """Return whether a call of this time may be kept: there has been no purge since, nor within ``LATE`` before, and
    none is under way; none can begin until the transaction ends."""
    return bool(await connection.value("admits_model_calls", workspace=workspace, since=at - LATE))


async def add(connection: Connection, workspace: UUID, call: ModelCall) -> None:
    """Keep a call; not one of an agent that is gone."""
    values = {name: getattr(call, name) for name in ModelCall.__slots__}
    await connection.run("add_model_call", workspace=workspace, **values)
