"""Sessions, agents and teams that have been deleted, and can be brought back. In the caller's transaction.

Their rows wait in a workspace of their own, which is suspended and on no list: nothing that looks into the workspace
they came from finds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from service.db import moved_rows
from service.db.pool import Connection, Row
from service.db.workspace_rows import WRITTEN_BEHIND, delete_rows
from service.store import insights

Kind = Literal["session", "agent", "team"]
NOT_COUNTED = WRITTEN_BEHIND | {"memory_usage", "search_index", "search_terms", "audience_languages"}
"""Tables that an index or a count is kept in, and that change without anybody's doing."""
RESTORING = {"links": "restore_links", "sessions": "hook_memories"}
"""What ties memories that stay to what is deleted, and how it is restored."""


async def find(connection: Connection, workspace: UUID, kind: Kind, name: str, agent: str | None) -> Row | None:
    """The ``id`` of what has that name, and the ``agents`` that dream about what it holds; None where there is none."""
    values = {"agent": agent} if kind == "session" else {}
    return await connection.row("find_deleted", {"kind": kind}, workspace=workspace, name=name, **values)


async def lock(connection: Connection, workspace: UUID, kind: Kind, id_: UUID) -> bool:
    """Let nothing be written to it until the transaction ends; False where it is gone."""
    return await connection.row("lock_deleted", {"kind": kind}, workspace=workspace, id=id_) is not None


async def mark(connection: Connection, workspace: UUID, kind: Kind, id_: UUID) -> dict[str, list[UUID]]:
    """Mark everything that goes with it; the ids by table."""
    marked: dict[str, list[UUID]] = {}
    for row in await connection.fetch("rows_of_deletion", {"kind": kind}, workspace=workspace, id=id_):
        marked.setdefault(row["table"], []).append(row["id"])
    memories = marked.setdefault("memories", [])
    memories += set(await insights.resting_on(connection, workspace, memories)) - set(memories)
    lonely = await connection.fetch("entities_of_deletion", workspace=workspace, memories=memories)
    marked["entities"] = list({*marked.get("entities", []), *(row["id"] for row in lonely)})
    await moved_rows.mark(connection, marked)
    return marked


async def count(connection: Connection, workspace: UUID) -> dict[str, int]:
    """How many rows of each table are marked."""
    counts = await moved_rows.count_marked(connection, workspace)
    return {table: rows for table, rows in counts.items() if table not in NOT_COUNTED}


async def take(
    connection: Connection, workspace: UUID, marked: moved_rows.Marked, record: dict[str, Any], *, now: datetime
) -> None:
    """Move what is marked out of the workspace; ``record`` (id, kind, name, agent, counts, deleted_by) is kept."""
    memories, messages = marked.get("memories", []), marked.get("messages", [])
    links = await connection.fetch("links_across", workspace=workspace, memories=memories, messages=messages)
    sessions = await connection.fetch(
        "unhook_memories", workspace=workspace, memories=memories, sessions=marked.get("sessions", [])
    )
    await note_memories(connection, workspace, "memory.deleted", memories, now)
    unscheduled = await connection.fetch("unschedule_deleted", workspace=workspace, agents=marked.get("agents", []))
    await connection.run("add_deletion_workspace", id=record["id"], workspace=workspace, at=now)
    copied = await moved_rows.move_marked(connection, workspace, record["id"])
    kept = {
        "copied": copied,
        "links": [[row["memory_id"], row["message_id"]] for row in links],
        "sessions": [[row["id"], row["session_id"]] for row in sessions],
        "agents": marked.get("agents", []),
        "schedule": [[row["agent_id"], row["lease_token"], row["dream_id"]] for row in unscheduled],
        "memories": memories,
    }
    await connection.run("add_deletion", workspace=workspace, kept=kept, at=now, **record)


async def get(connection: Connection, workspace: UUID, id_: UUID) -> Row | None:
    """A deletion, locked."""
    return await connection.row("lock_deletion", workspace=workspace, id=id_)


async def list_(
    connection: Connection, workspace: UUID, agent: str | None, *, before: tuple[datetime, UUID] | None, limit: int
) -> list[Row]:
    """Deletions, newest first; of one agent's sessions where one is given."""
    before_at, before_id = before or (None, None)
    return await connection.fetch(
        "list_deletions", workspace=workspace, agent=agent, before_at=before_at, before=before_id, limit=limit
    )


async def missing(connection: Connection, workspace: UUID, id_: UUID, kept: dict[str, Any]) -> list[str]:
    """The tables of which rows are gone that a deletion refers to, but for what a purge has taken out of both."""
    copied = _copied(kept)
    values = {table: copied.get(table, []) for table in ("agents", "teams", "tasks", "sessions", "dreams")}
    there = {(row["table"], row["id"]) for row in await connection.fetch("still_there", workspace=workspace, **values)}
    await connection.switch_workspace(id_)
    referred = await connection.fetch("still_there", workspace=id_, **values)
    await connection.switch_workspace(workspace)
    return sorted({row["table"] for row in referred if (row["table"], row["id"]) not in there})


async def restore(connection: Connection, workspace: UUID, id_: UUID, kept: dict[str, Any], *, now: datetime) -> None:
    """Move everything back. What a purge has removed meanwhile stays gone."""
    copied = _copied(kept)
    await moved_rows.take_back(connection, id_, workspace, copied)
    for tie, second in (("links", "messages"), ("sessions", "sessions")):
        pairs = [_ids(pair) for pair in kept[tie]]
        values = {"memories": [pair[0] for pair in pairs], second: [pair[1] for pair in pairs]}
        await connection.run(RESTORING[tie], workspace=workspace, **values)
    agents = [*_ids(kept["agents"]), *copied.get("agents", [])]
    unscheduled = kept.get("schedule", [])  # not kept by deletions of former releases
    await connection.run(
        "schedule_restored", workspace=workspace, agents=agents, now=now,
        unscheduled=_ids([agent for agent, _, _ in unscheduled]), tokens=[token for _, token, _ in unscheduled],
        dreams=[UUID(dream) if dream else None for _, _, dream in unscheduled],
    )  # fmt: skip
    await note_memories(connection, workspace, "memory.restored", _ids(kept["memories"]), now)
    await insights.let_fall(connection, workspace, _ids(kept["memories"]))
    await connection.run("mark_restored", workspace=workspace, id=id_, at=now)


async def places(connection: Connection, workspace: UUID) -> list[UUID]:
    """The workspace, and those in which what has been deleted from it waits."""
    rows = await connection.fetch("deletion_workspaces", workspace=workspace)
    return [workspace, *(row["workspace_id"] for row in rows)]


async def collect(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> int:
    """Remove deletions from before then for good; how many."""
    rows = await connection.fetch("expired_deletions", workspace=workspace, before=before, limit=limit)
    for row in rows:
        if row["waiting"]:
            await connection.switch_workspace(row["id"])
            await delete_rows(connection, row["id"])
            await connection.switch_workspace(workspace)
        await connection.run("remove_deletion", workspace=workspace, id=row["id"])
    return len(rows)


async def forget_names(connection: Connection, workspace: UUID) -> None:
    """Drop the names of sessions of which a purge has left nothing."""
    gone = []
    for row in await connection.fetch("named_deletions", workspace=workspace):
        place = row["id"] if row["waiting"] else workspace
        await connection.switch_workspace(place)
        if await connection.row("session_named", workspace=place, name=row["name"], agent=row["agent"]) is None:
            gone.append(row["id"])
    await connection.switch_workspace(workspace)
    await connection.run("forget_deletion_names", workspace=workspace, ids=gone)


async def note_memories(connection: Connection, workspace: UUID, kind: str, ids: Sequence[UUID], now: datetime) -> None:
    """Note the event for those of the memories that hold."""
    await connection.run("note_moved_memories", workspace=workspace, kind=kind, ids=ids, now=now)


def _copied(kept: dict[str, Any]) -> dict[str, list[UUID]]:
    return {table: _ids(texts) for table, texts in kept["copied"].items()}


def _ids(texts: Sequence[str]) -> list[UUID]:
    return [UUID(text) for text in texts]
