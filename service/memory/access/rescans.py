"""Scans of what is stored for secrets, as an admin starts and watches them; the worker runs them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.db.records import make
from service.domain import cursors
from service.domain.principal import Principal
from service.memory.access import audit
from service.memory.engine import Engine
from service.privacy.redactor import PiiPolicy
from service.store import rescans


@dataclass(frozen=True, slots=True)
class RescanProgress:
    """Progress and counts of the last scan for stored secrets."""

    running: Annotated[bool, Field(description="Scan queued or in progress.")]
    dry_run: Annotated[bool, Field(description="Scan without changes.")]
    done: Annotated[int, Field(description="Number of rows read, in all passes.")]
    total: Annotated[int | None, Field(description="Number of rows to read, in all passes; null until counted.")]
    rows: Annotated[
        dict[str, int], Field(description="Number of rows with secrets found (dry run) or masked, by table.")
    ]
    kinds: Annotated[
        dict[str, int], Field(description="Number of fields with secrets found (dry run) or masked, by kind.")
    ]
    error: Annotated[str | None, Field(description="Error message of a failed scan.")]
    requested_at: Annotated[datetime | None, Field(description="Time of the request; null before the first scan.")]
    finished_at: Annotated[datetime | None, Field(description="End time; null while running.")]


@dataclass(frozen=True, slots=True)
class RescanStarted(RescanProgress):
    """Start of a scan for stored secrets, and its progress or that of the running one."""

    started: Annotated[bool, Field(description="Start of a new scan; false with one in progress.")]


@dataclass(frozen=True, slots=True)
class RescanFinding:
    """Field with a stored secret, without its value."""

    table: Annotated[str, Field(description="Table of the record, for example `memories`.")]
    row: Annotated[
        str, Field(description="Primary key of the record, parts separated by `/`; without parts that are texts.")
    ]
    field: Annotated[str, Field(description="Column with the secret.")]
    kinds: Annotated[list[str], Field(description="Kinds of the secrets, for example `github_token`.")]
    agent: Annotated[str | None, Field(description="Agent of a message; null for other records.")]
    session: Annotated[str | None, Field(description="Session of a message; null for other records.")]
    document_id: Annotated[UUID | None, Field(description="Document of a part of a document; null for other records.")]


async def start_rescan(engine: Engine, principal: Principal, *, dry_run: bool) -> RescanStarted:
    """Have the worker look for secrets in all that is stored, and mask them unless it is a ``dry_run``.

    ``started`` is false while a scan is under way, which goes on and is the one that is answered. Raises Forbidden for
    anyone but an admin.
    """
    principal.require_admin()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        started = await rescans.request(connection, workspace, dry_run=dry_run, now=engine.now())
        if started:
            await audit.record(connection, principal, "rescan.started", details={"dry_run": dry_run})
    progress = await rescan_progress(engine, principal)
    return RescanStarted(**{name: getattr(progress, name) for name in RescanProgress.__slots__}, started=started)


async def rescan_progress(engine: Engine, principal: Principal) -> RescanProgress:
    """Return how far the last scan has come, and what it has found: rows by table, fields by kind of secret.

    Raises Forbidden for anyone but an admin.
    """
    principal.require_admin()
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await rescans.get(connection, principal.workspace_id)
        if row is None:
            return RescanProgress(
                running=False, dry_run=True, done=0, total=None, rows={}, kinds={}, error=None, requested_at=None,
                finished_at=None,
            )  # fmt: skip
        found = await rescans.counts(connection, principal.workspace_id, row["id"])
    return make(RescanProgress, {**row, **found, "running": row["finished_at"] is None})


async def list_findings(
    engine: Engine, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[RescanFinding], str | None]:
    """Return a page of the fields in which the last scan has found secrets, without the secrets; of messages with the
    names of their agent and session, secrets in these masked.

    Raises Forbidden for anyone but an admin.
    """
    principal.require_admin()
    after, after_place = cursors.decode(cursor, UUID, int)
    async with engine.db.transaction(principal.workspace_id) as connection:
        last = await rescans.get(connection, principal.workspace_id)
        if last is None:
            return [], None
        rows = await rescans.findings(
            connection, principal.workspace_id, last["id"], after=after, after_place=after_place, limit=limit + 1
        )
    rows, more = cursors.paginate(rows, limit, "id", "place")
    agents = await _named(engine, [row["agent"] for row in rows])
    sessions = await _named(engine, [row["session"] for row in rows])
    named = zip(rows, agents, sessions, strict=True)
    return [make(RescanFinding, {**row, "agent": agent, "session": session}) for row, agent, session in named], more


async def _named(engine: Engine, names: list[str | None]) -> list[str | None]:
    masked = await engine.redactor.redact([name or "" for name in names], PiiPolicy("off", secrets="redact"))
    return [one.text or None for one in masked]
