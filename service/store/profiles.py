"""Users and what their profiles are made of."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row
from service.db.records import make_all
from service.domain.origin import Origin
from service.domain.profile import Known
from service.domain.profile_schema import Filled
from service.store.agents import Reader

MEMORIES_MAX = 200
"""Of each type that are read for a profile, the newest."""
TYPES = ("identity", "fact", "preference", "goal", "event")


async def list_users(
    connection: Connection, workspace: UUID, reader: Reader | None, *, text: str | None, after: str | None, limit: int,
    now: datetime,
) -> list[Row]:  # fmt: skip
    """Return users by name with their live memories; the reader None sees those of the whole workspace."""
    return await connection.fetch(
        "list_users", workspace=workspace, text=text, after=after, limit=limit, now=now, **_of(reader)
    )


async def known_of(
    connection: Connection, workspace: UUID, reader: Reader | None, user: str, as_of: datetime, *, past: bool = False,
    in_scope: bool = False,
) -> tuple[list[Known], set[str]]:  # fmt: skip
    """Return what is remembered of a user and may be in a profile, and the agents that it is of; with ``past`` as it
    was then, and ``in_scope`` only what may be used in the reader's session and task, of origins that need no label."""
    rows = await connection.fetch(
        "profile_memories", {"past": past}, workspace=workspace, user=user, types=list(TYPES), as_of=as_of,
        openings=[_opening(f"{user}'s"), _opening(f"{user}’s")], limit=MEMORIES_MAX,
        origins=_origins(reader, in_scope=in_scope), **_of(reader, in_scope=in_scope),
    )  # fmt: skip
    return make_all(Known, rows), {row["agent"] for row in rows}


async def filled_by_model(
    connection: Connection, workspace: UUID, reader: Reader | None, user: str, as_of: datetime, *, past: bool = False,
    in_scope: bool = False,
) -> tuple[list[Filled], set[str]]:  # fmt: skip
    """Return the values that models have given fields of a user's profile and that their memories bear out, and the
    agents that they are of; as ``known_of``."""
    rows = await connection.fetch(
        "profile_fields", {"past": past}, workspace=workspace, user=user, as_of=as_of, limit=MEMORIES_MAX,
        origins=_origins(reader, in_scope=in_scope), **_of(reader, in_scope=in_scope),
    )  # fmt: skip
    filled = [
        Filled(row["field"], row["value"], tuple(UUID(one["id"]) for one in row["evidence"]), row["since"])
        for row in rows
    ]
    return filled, {row["agent"] for row in rows}


def _opening(words: str) -> str:
    """Return a pattern for texts that open so."""
    escaped = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"{escaped} %"


def _of(reader: Reader | None, *, in_scope: bool = False) -> dict[str, object]:
    return {
        "workspace_wide": reader is None,
        "agent_id": reader.agent_id if reader and not in_scope else None,
        "audiences": reader.audiences if reader else [],
    }


def _origins(reader: Reader | None, *, in_scope: bool) -> list[Origin] | None:
    return list(reader.settings.origins.allowed) if reader and in_scope else None
