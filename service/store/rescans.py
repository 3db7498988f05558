"""Scans of workspaces for stored secrets: who asked for one, how far it is, what it found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.ids import new_id

CLOCKS_APART_MS = 60_000
"""Lines of a scan have ids of the worker's clock, the scan one of the API's."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A scan that this worker holds; ``attempts`` counts this one."""

    workspace: UUID
    id: UUID
    dry_run: bool
    attempts: int
    worker: str


async def request(connection: Connection, workspace: UUID, *, dry_run: bool, now: datetime) -> bool:
    """Ask the worker for a scan; False while one is under way, which goes on."""
    return bool(await connection.run("request_rescan", workspace=workspace, id=new_id(), dry_run=dry_run, now=now))


async def get(connection: Connection, workspace: UUID) -> Row | None:
    """The last scan of a workspace."""
    return await connection.row("get_rescan", workspace=workspace)


async def claim(connection: Connection, worker: str, lease_s: float) -> Claim | None:
    """A scan that waits, of any workspace. Outside any workspace."""
    row = await connection.row("claim_rescan", worker=worker, lease_s=lease_s, id=new_id())
    return Claim(**row, worker=worker) if row else None


async def extend(
    connection: Connection, claim: Claim, lease_s: float, *, done: int = 0, total: int | None = None
) -> bool:
    """Note that ``done`` more rows have been read, of ``total``; False when another worker has taken over."""
    return bool(
        await connection.run(
            "extend_rescan", workspace=claim.workspace, worker=claim.worker, lease_s=lease_s, done=done, total=total
        )
    )


async def release(connection: Connection, claim: Claim) -> None:
    """Leave the scan to the next worker."""
    await connection.run("release_rescan", workspace=claim.workspace, worker=claim.worker)


async def finish(connection: Connection, claim: Claim, now: datetime, error: str | None = None) -> None:
    """Close the scan."""
    await connection.run("finish_rescan", workspace=claim.workspace, worker=claim.worker, now=now, error=error)


async def counts(connection: Connection, workspace: UUID, rescan: UUID) -> dict[str, dict[str, int]]:
    """What a scan has found so far: ``rows`` by table, fields by ``kinds``."""
    found: dict[str, dict[str, int]] = {"rows": {}, "kinds": {}}
    for row in await connection.fetch("rescan_counts", workspace=workspace, rescan=str(rescan), since=_since(rescan)):
        found[row["name"]][row["key"]] = row["count"]
    return found


async def findings(
    connection: Connection, workspace: UUID, rescan: UUID, *, after: UUID | None, after_place: int | None, limit: int
) -> list[Row]:
    """Fields with secrets after a line of the audit log and a place in it."""
    return await connection.fetch(
        "rescan_findings", workspace=workspace, rescan=str(rescan), since=_since(rescan), after=after,
        after_place=after_place, limit=limit,
    )  # fmt: skip


def _since(rescan: UUID) -> UUID:
    """The least id of the lines of a scan: 48 bits of milliseconds lead a UUIDv7 (RFC 9562, 5.7)."""
    return UUID(int=max(0, (rescan.int >> 80) - CLOCKS_APART_MS) << 80)
