"""Reading a workspace out section by section, and writing what comes in, in the caller's transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from service.db.pool import Columns, Connection, Row
from service.db.queries import Flags
from service.domain.json import JsonObject
from service.store import insights, memories
from service.store.where import WhereQuery, where_flag

PAGE = 500
PAGES = {"message": 100, "document": 8}
"""Fewer at a time of what may be large."""
FIRST_ID = UUID(int=0)
QUERIES = {
    "settings": "export_settings", "agent": "export_agents", "task": "export_tasks", "session": "export_sessions",
    "message": "export_messages", "memory": "export_memories", "history": "export_history",
    "window": "export_windows", "document": "export_documents", "entity": "export_entities", "edge": "export_edges",
    "merge": "export_merges", "bulletin": "export_bulletins", "page": "export_pages", "search": "export_searches",
    "proposal": "export_proposals",
}  # fmt: skip
"""Of each section, in the words of ``service.domain.export_lines``."""
OF_MEMORIES = ("memory", "history", "window", "edge")
"""Sections that leave out what is about deleted and expired memories, unless they are wanted."""
_NOT_EXPORTED = frozenset({
    "workspace_id", "agent_id", "audience", "session_id", "task_id", "tokens", "language", "effective_importance",
    "embedding",
})  # fmt: skip
"""Of the columns of a memory: ids that are this database's alone, and what is derived."""
Existing = Literal["existing_memories", "existing_documents", "existing_messages", "existing_merges"]
"""Queries of which ids there are."""


@dataclass(frozen=True, slots=True)
class ExportFilter:
    """What to export: one agent or (None) the workspace, and whether deleted and expired memories come along; with
    ``where``, of memories those that pass it."""

    agent_id: UUID | None
    with_deleted: bool
    with_expired: bool
    now: datetime
    where: WhereQuery | None = None

    def of_memories(self) -> Columns:
        """Return the parameters of the fragment ``exported_memory``."""
        return {
            "with_deleted": self.with_deleted,
            "with_expired": self.with_expired,
            "now": self.now,
            "where_values": self.where and self.where.values,
        }


async def counts(connection: Connection, workspace: UUID, wanted: ExportFilter) -> dict[str, int]:
    """Return how many lines the large sections will have."""
    row = await connection.row(
        "export_counts", {"where": where_flag(wanted.where)}, workspace=workspace, agent_id=wanted.agent_id,
        **wanted.of_memories(),
    )  # fmt: skip
    return dict(row or {})


async def section(
    connection: Connection, workspace: UUID, name: str, wanted: ExportFilter, start: str | UUID | None
) -> AsyncIterator[list[JsonObject]]:
    """Yield the fields of the lines of one section, in pages, beginning at the key ``start``."""
    values: Columns = {"workspace": workspace, "agent_id": wanted.agent_id}
    flags: Flags = {}
    if name in ("agent", "task", "bulletin"):
        values["start"] = start or ""
    elif name != "settings":
        values["start"] = start or FIRST_ID
    if name in OF_MEMORIES:
        values |= wanted.of_memories()
        flags = {"where": where_flag(wanted.where)}
    elif name in ("entity", "merge"):
        values |= {"with_deleted": wanted.with_deleted, "with_expired": wanted.with_expired, "now": wanted.now}
    elif name == "bulletin":
        values["now"] = wanted.now
    shape = {"memory": _memory, "message": _message}.get(name, dict)
    names: dict[UUID, JsonObject] = {}
    async for rows in connection.batches(QUERIES[name], PAGES.get(name, PAGE), flags, **values):
        fields = [shape(row) for row in rows]
        if name in ("entity", "edge"):
            await _name_audiences(connection, workspace, fields, names)
        if name == "merge":
            edges = [edge for line in fields for edge in line["twice"]]
            for edge in edges:
                edge["audience"] = UUID(edge["audience"])
                del edge["workspace_id"]
            await _name_audiences(connection, workspace, edges, names)
        yield fields


def _memory(row: Row) -> JsonObject:
    return {name: value for name, value in row.items() if name not in _NOT_EXPORTED}


def _message(row: Row) -> JsonObject:
    fields = dict(row)
    structured = fields.pop("content_json")
    return fields if structured is None else fields | {"content": structured}


async def _name_audiences(
    connection: Connection, workspace: UUID, fields: list[JsonObject], names: dict[UUID, JsonObject]
) -> None:
    unknown = {line["audience"] for line in fields} - names.keys()
    if unknown:
        for row in await connection.fetch("audience_names", workspace=workspace, ids=list(unknown)):
            found = {key: value for key, value in row.items() if value is not None}
            names[found.pop("id")] = found
    for line in fields:
        line["audience"] = names.get(line["audience"])


async def add_messages(
    connection: Connection, workspace: UUID, items: Sequence[Columns], key_id: UUID, now: datetime
) -> int:
    """Write the messages that are not there, under their own number where it is free; how many were written.

    Their sessions stay locked, and ``update_session_counters`` must follow.
    """
    ids = [item["id"] for item in items]
    await connection.fetch("lock_sessions", workspace=workspace, ids=list({item["session_id"] for item in items}))
    known = await existing(connection, workspace, "existing_messages", ids)
    new = list({item["id"]: item for item in items if item["id"] not in known}.values())
    if not new:
        return 0
    rows = await connection.fetch("import_messages", workspace=workspace, items=new, key_id=key_id, now=now)
    placed = {row["id"] for row in rows}
    rest = [item | {"ordinal": n} for n, item in enumerate(new) if item["id"] not in placed]
    if rest:
        await connection.run("import_messages_at_the_end", workspace=workspace, items=rest, key_id=key_id, now=now)
    return len(new)


async def existing(connection: Connection, workspace: UUID, query: Existing, ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these memories (deleted ones included), documents, messages or merges there are."""
    return {row["id"] for row in await connection.fetch(query, workspace=workspace, ids=ids)}


async def add_windows(connection: Connection, workspace: UUID, items: Sequence[Columns]) -> tuple[int, int]:
    """Write summaries of windows, of ``fresh`` sessions or known as they are; how many fit, how many are new."""
    row = await connection.one("import_windows", workspace=workspace, items=items)
    for item in items:
        await memories.post_again(connection, workspace, item["memory_id"])
    return row["found"], row["made"]


async def add_pages(connection: Connection, workspace: UUID, items: Sequence[Columns], now: datetime) -> int:
    """Write the pages that are not here, with their ``versions``; how many were."""
    made = {row["id"] for row in await connection.fetch("import_pages", workspace=workspace, items=items, now=now)}
    versions = [
        version | {"page_id": item["id"]} for item in items if item["id"] in made for version in item["versions"]
    ]
    await connection.fetch("import_page_versions", workspace=workspace, items=versions)
    return len(made)


async def add_searches(connection: Connection, workspace: UUID, items: Sequence[Columns], now: datetime) -> int:
    """Write the saved searches that are not here, with their ``results``; how many were."""
    rows = await connection.fetch("import_searches", workspace=workspace, items=items, now=now)
    made = {row["id"] for row in rows}
    results = [result | {"search_id": item["id"]} for item in items if item["id"] in made for result in item["results"]]
    await connection.fetch("import_search_results", workspace=workspace, items=results)
    return len(made)


async def set_times(connection: Connection, workspace: UUID, memory_id: UUID, **columns: object) -> None:
    """Give a memory the version, times and successor that it was exported with."""
    await connection.run("place_in_time", workspace=workspace, id=memory_id, **columns)
    await insights.retract_unsupported(connection, workspace, [memory_id])
