"""Scans of what is stored for secrets, as an admin starts and watches them; the worker runs them."""

from __future__ import annotations

from uuid import UUID

from service.domain import cursors
from service.domain.json import JsonObject
from service.domain.principal import Principal
from service.memory.access import audit
from service.memory.engine import Engine
from service.privacy.redactor import PiiPolicy
from service.store import rescans


async def start_rescan(engine: Engine, principal: Principal, *, dry_run: bool) -> JsonObject:
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
    return {"started": started} | await rescan_progress(engine, principal)


async def rescan_progress(engine: Engine, principal: Principal) -> JsonObject:
    """How far the last scan has come, and what it has found: rows by table, fields by kind of secret.

    Raises Forbidden for anyone but an admin.
    """
    principal.require_admin()
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await rescans.get(connection, principal.workspace_id)
        if row is None:
            return {
                "running": False, "dry_run": True, "done": 0, "total": None, "rows": {}, "kinds": {}, "error": None,
                "requested_at": None, "finished_at": None,
            }  # fmt: skip
        found = await rescans.counts(connection, principal.workspace_id, row["id"])
    shown = {name: value for name, value in row.items() if name != "id"}
    return shown | found | {"running": row["finished_at"] is None}


async def list_findings(
    engine: Engine, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[JsonObject], str | None]:
    """A page of the fields in which the last scan has found secrets, without the secrets; of messages with the names
    of their agent and session, secrets in these masked.

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
    found = [{name: row[name] for name in ("table", "row", "field", "kinds", "document_id")} for row in rows]
    return [
        one | {"agent": agent, "session": session} for one, agent, session in zip(found, agents, sessions, strict=True)
    ], more


async def _named(engine: Engine, names: list[str | None]) -> list[str | None]:
    masked = await engine.redactor.redact([name or "" for name in names], PiiPolicy("off", secrets="redact"))
    return [one.text or None for one in masked]
