"""``reverie redact``: mask secrets in what was stored before they were looked for."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.markup import escape

from service.cli.output import AsJson, emit
from service.cli.transfer import Workspace
from service.settings import Settings


def redact(
    workspace: Workspace = "default",
    apply: Annotated[bool, typer.Option("--apply", help="mask what is found; without it nothing changes")] = False,
    as_json: AsJson = False,
) -> None:
    """Find secrets in everything that is stored, and personal data where the workspace masks it; show them masked."""
    from service.database import settings_with_database

    with settings_with_database() as settings:
        done, found = asyncio.run(_run(settings, workspace, apply=apply))
    lines = [f"{one['table']} {one['row']} {one['field']}\n  - {one['before']}\n  + {one['after']}" for one in found]
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(done["kinds"].items())) or "nothing"
    emit(as_json, done | {"items": found}, *map(escape, lines), f"{'Masked' if apply else 'Found'}: {counts}.")


async def _run(settings: Settings, workspace: str, *, apply: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    from service.export_import import open_workspace
    from service.memory.access.rescan import Rescan

    found: list[dict[str, Any]] = []
    async with open_workspace(settings, workspace) as (runtime, principal):
        scan = Rescan(runtime, principal.workspace_id)
        await scan.prepare()
        if apply:
            await scan.apply()
        else:
            async for findings in scan.preview():
                found += map(asdict, findings)
    return {"applied": apply, "rows": dict(scan.report.rows), "kinds": dict(scan.report.kinds)}, found
