"""Sessions, agents and teams that have been deleted, and can be brought back. In the caller's transaction.

Their rows wait in a workspace of their own, which is suspended and on no list: nothing that looks into the workspace
they came from finds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NotRequired, TypedDict
from uuid import UUID

from service.db import moved_rows
from service.db.pool import Connection
from service.db.workspace_rows import WRITTEN_BEHIND, delete_rows
from service.domain.deletions import DeletedKind
from service.domain.ids import new_id
from service.store import insights

NOT_COUNTED = WRITTEN_BEHIND | {"memory_usage", "search_index", "search_terms", "audience_languages"}
"""Tables that an index or a count is kept in, and that change without anybody's doing."""


@dataclass(frozen=True, slots=True)
class Deletable:
    """A session, an agent or a team, the ``agents`` that dream about what it holds, and whom it belongs to: the members
    of a session."""

    id: UUID
    agents: list[UUID]
    owners: list[str]


@dataclass(frozen=True, slots=True)
class NewDeletion:
    """What is kept of a deletion beside what it took."""

    id: UUID
    kind: DeletedKind
    name: str
    agent: str | None
    owners: list[str]
    counts: dict[str, int]
    deleted_by: str


class Kept(TypedDict):
    """What a deletion took and how it is brought back, as JSON: ids as text, those of ``copied`` by table."""

    copied: dict[str, list[str]]
    links: list[list[str]]
    sessions: list[list[str]]
    agents: list[str]
    schedule: NotRequired[list[tuple[str, int, str | None]]]
    memories: list[str]


@dataclass(frozen=True, slots=True)
class LockedDeletion:
    """A deletion under its lock."""

    kind: DeletedKind
    name: str
    agent: str | None
    owners: list[str]
    counts: dict[str, int]
    kept: Kept
    deleted_at: datetime
    restored_at: datetime | None


async def find(
    connection: Connection, workspace: UUID, kind: DeletedKind, name: str, agent: str | None
) -> Deletable | None:
    """Return what has that name; None where there is none."""
    values = {"agent": agent} if kind == "session" else {}
    return await connection.first(Deletable, "find_deleted", {"kind": kind}, workspace=workspace, name=name, **values)


async def mark(connection: Connection, workspace: UUID, kind: DeletedKind, id_: UUID) -> dict[str, list[UUID]]:
    """Mark everything that goes with it; return the ids by table."""
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
    """Return how many rows of each table are marked."""
    counts = await moved_rows.count_marked(connection, workspace)
    return {table: rows for table, rows in counts.items() if table not in NOT_COUNTED}


async def take(
    connection: Connection, workspace: UUID, marked: moved_rows.Marked, deletion: NewDeletion, *, now: datetime
) -> None:
    """Move what is marked out of the workspace, and keep the ``deletion``."""
    memories, messages = marked.get("memories", []), marked.get("messages", [])
    links = await connection.fetch("links_across", workspace=workspace, memories=memories, messages=messages)
    sessions = await connection.fetch(
        "detach_sessions", workspace=workspace, memories=memories, sessions=marked.get("sessions", [])
    )
    await connection.run("note_moved_memories", workspace=workspace, kind="memory.deleted", ids=memories, now=now)
    unscheduled = await connection.fetch("unschedule_deleted", workspace=workspace, agents=marked.get("agents", []))
    await connection.run("add_deletion_workspace", id=deletion.id, workspace=workspace, at=now)
    copied = await moved_rows.move_marked(connection, workspace, deletion.id)
    await _count_waiting(connection, workspace, deletion.id, sign=1)
    kept = {
        "copied": copied,
        "links": [[row["memory_id"], row["message_id"]] for row in links],
        "sessions": [[row["id"], row["session_id"]] for row in sessions],
        "agents": marked.get("agents", []),
        "schedule": [[row["agent_id"], row["lease_token"], row["dream_id"]] for row in unscheduled],
        "memories": memories,
    }
    await connection.run(
        "add_deletion",
        workspace=workspace,
        id=deletion.id,
        kind=deletion.kind,
        name=deletion.name,
        agent=deletion.agent,
        owners=deletion.owners,
        counts=deletion.counts,
        kept=kept,
        deleted_by=deletion.deleted_by,
        at=now,
    )


async def missing(connection: Connection, workspace: UUID, id_: UUID, kept: Kept) -> list[str]:
    """Return the tables of which rows are gone that a deletion refers to, but for what a purge has taken from both."""
    copied = _copied(kept)
    values = {table: copied.get(table, []) for table in ("agents", "teams", "tasks", "sessions", "dreams")}
    there = {(row["table"], row["id"]) for row in await connection.fetch("still_there", workspace=workspace, **values)}
    await connection.switch_workspace(id_)
    referred = await connection.fetch("still_there", workspace=id_, **values)
    await connection.switch_workspace(workspace)
    return sorted({row["table"] for row in referred if (row["table"], row["id"]) not in there})


async def restore(connection: Connection, workspace: UUID, id_: UUID, kept: Kept, *, now: datetime) -> None:
    """Move everything back. What a purge has removed meanwhile stays gone."""
    copied = _copied(kept)
    await _count_waiting(connection, workspace, id_, sign=-1)
    await moved_rows.restore(connection, id_, workspace, copied)
    links, sessions = _pairs(kept["links"]), _pairs(kept["sessions"])
    await connection.run("restore_links", workspace=workspace, memories=links[0], messages=links[1])
    await connection.run("attach_sessions", workspace=workspace, memories=sessions[0], sessions=sessions[1])
    agents = [*_ids(kept["agents"]), *copied.get("agents", [])]
    unscheduled = kept.get("schedule", [])  # not kept by deletions of former releases
    await connection.run(
        "schedule_restored", workspace=workspace, agents=agents, now=now,
        unscheduled=_ids([agent for agent, _, _ in unscheduled]), tokens=[token for _, token, _ in unscheduled],
        dreams=[UUID(dream) if dream else None for _, _, dream in unscheduled],
    )  # fmt: skip
    memories = _ids(kept["memories"])
    await connection.run("note_moved_memories", workspace=workspace, kind="memory.restored", ids=memories, now=now)
    await insights.retract_unsupported(connection, workspace, memories)
    await connection.run("mark_restored", workspace=workspace, id=id_, at=now)


async def places(connection: Connection, workspace: UUID) -> list[UUID]:
    """Return the workspace, and those in which what has been deleted from it waits."""
    rows = await connection.fetch("deletion_workspaces", workspace=workspace)
    return [workspace, *(row["workspace_id"] for row in rows)]


async def collect(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> int:
    """Remove deletions from before then for good; return how many."""
    await connection.run("purge_one_at_a_time", workspace=workspace)
    rows = await connection.fetch("expired_deletions", workspace=workspace, before=before, limit=limit)
    for row in rows:
        if row["waiting"]:
            await _count_waiting(connection, workspace, row["id"], sign=-1)
            await connection.switch_workspace(row["id"])
            await delete_rows(connection, row["id"])
            await connection.switch_workspace(workspace)
        await connection.run("remove_deletion", workspace=workspace, id=row["id"])
    return len(rows)


async def _count_waiting(connection: Connection, workspace: UUID, id_: UUID, *, sign: Literal[1, -1]) -> None:
    """Let what waits in a deletion count for its workspace, or count no more."""
    await connection.switch_workspace(id_)
    rows = await connection.fetch("stored_by_writer", workspace=id_)
    await connection.switch_workspace(workspace)
    waiting = [{**row, "id": new_id()} for row in rows]
    await connection.run("note_waiting", workspace=workspace, items=waiting, sign=sign)


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


def _copied(kept: Kept) -> dict[str, list[UUID]]:
    return {table: _ids(texts) for table, texts in kept["copied"].items()}


def _pairs(pairs: Sequence[Sequence[str]]) -> tuple[list[UUID], list[UUID]]:
    """Return the first ids of the pairs, and the second ones."""
    return [UUID(first) for first, _ in pairs], [UUID(second) for _, second in pairs]


def _ids(texts: Sequence[str]) -> list[UUID]:
    return [UUID(text) for text in texts]
