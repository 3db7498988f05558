"""Calls of language models that a workspace keeps. Every function runs in the caller's transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.spending import Purpose

PREVIEW_CHARACTERS: Final = 200
LATE: Final = timedelta(minutes=10)
"""For so long after a purge has begun, a call may be made of what was read before it has ended."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call to be kept. ``agent``: its name, None where it is of no agent; ``input_chars`` and ``output_chars``: what
    the texts had before they were shortened."""

    id: UUID
    at: datetime
    agent: str | None
    dream_id: UUID | None
    key_id: UUID | None
    purpose: Purpose
    model: str
    outcome: str
    error: str | None
    attempt: int
    failover: bool
    ms: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    input: str
    output: str
    input_chars: int
    output_chars: int


async def admits(connection: Connection, workspace: UUID, at: datetime) -> bool:
    """Whether a call of this time may be kept: there has been no purge since, nor within ``LATE`` before, and none is
    under way; none can begin until the transaction ends."""
    return bool(await connection.value("admits_model_calls", workspace=workspace, since=at - LATE))


async def add(connection: Connection, workspace: UUID, call: ModelCall) -> None:
    """Keep a call; not one of an agent that is gone."""
    values = {name: getattr(call, name) for name in ModelCall.__slots__}
    await connection.run("add_model_call", workspace=workspace, **values)


async def list_(connection: Connection, workspace: UUID, **filters: Any) -> list[Row]:
    """Calls with the beginnings of their texts, the newest first; ``filters``: those of the query."""
    return await connection.fetch("list_model_calls", workspace=workspace, characters=PREVIEW_CHARACTERS, **filters)


async def get(connection: Connection, workspace: UUID, id_: UUID) -> Row | None:
    """A call with its texts."""
    return await connection.row("get_model_call", workspace=workspace, id=id_)
