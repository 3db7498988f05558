"""The command ``doctor``."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict

from rich.markup import escape

from service.cli.output import FAILED, AsJson, emit
from service.settings import Settings

COLORS = {"ok": "green", "warning": "yellow", "problem": "red"}


def doctor(as_json: AsJson = False) -> None:
    """Look at ports, disk, Postgres, schema, keys, models and clock, and say what to do about what is wrong."""
    from service.doctor import Finding, findings

    async def look() -> list[Finding]:
        return [finding async for finding in findings(Settings())]

    found = asyncio.run(look())
    lines = [
        f"[{COLORS[one.status]}]{one.status:<8}[/] {one.what:<15} {escape(one.found)}"
        + (f"\n{'':25}{escape(one.advice)}" if one.advice else "")
        for one in found
    ]
    emit(as_json, {"findings": [asdict(one) for one in found]}, *lines)
    if any(one.status == "problem" for one in found):
        sys.exit(FAILED)
