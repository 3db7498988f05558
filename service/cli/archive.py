"""Commands for the whole database in one file: backup, restore."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from service.cli.output import AsJson, emit, err
from service.errors import InvalidInput
from service.settings import Settings


def backup(
    file: Annotated[Path, typer.Argument(help="what to write, such as reverie.backup")], as_json: AsJson = False
) -> None:
    """Write all workspaces, keys and the admin key of one moment to a file, while everything runs."""
    from service.database import open_database
    from service.db.archive import ADMIN_KEY, back_up

    settings = Settings()
    if file.exists():
        raise InvalidInput(("file",), f"{file} is there already")
    if not file.absolute().parent.is_dir():
        raise InvalidInput(("file",), f"{file.parent}: there is no such folder")
    with open_database(settings) as url:
        err.print("Writing the archive …")
        done = asyncio.run(back_up(url, file.absolute(), settings.data_dir / ADMIN_KEY))
    size = file.stat().st_size
    emit(
        as_json,
        {"file": str(file), "bytes": size, "schema": done.schema, "tables": len(done.tables), "rows": done.rows},
        f"{escape(str(file))}: {done.rows} rows of {len(done.tables)} tables, {size} bytes.",
        "It holds everything, your admin key too: keep it safe.",
    )


def restore(file: Annotated[Path, typer.Argument(help="what `reverie backup` wrote")], as_json: AsJson = False) -> None:
    """Bring such a file into an empty database or a new data folder, and compare every table with it."""
    from service.database import open_database
    from service.db.archive import ADMIN_KEY, read_manifest, restore_admin_key
    from service.db.archive import restore as restore_database

    settings = Settings()
    read_manifest(file)
    with open_database(settings) as url:
        err.print("Restoring …")
        done = asyncio.run(restore_database(url, file))
    key = restore_admin_key(file, settings.data_dir / ADMIN_KEY)
    lines = [f"{done.rows} rows of {len(done.tables)} tables are back, each table as it was."]
    if key:
        lines.append(f"The admin key is in {escape(str(settings.data_dir / ADMIN_KEY))}.")
    emit(as_json, {"schema": done.schema, "tables": len(done.tables), "rows": done.rows, "admin_key": key}, *lines)
