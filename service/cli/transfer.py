"""Commands that carry data: export, import, reindex."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from service.cli.output import AsJson, emit, err
from service.domain.where import parse_where_text
from service.errors import InvalidInput
from service.settings import Settings

if TYPE_CHECKING:
    from service.memory.transfer.parse import Format
    from service.store.embeddings import MigrationState

Workspace = Annotated[str, typer.Option(help="by name")]


def export(
    file: Annotated[Path, typer.Argument(help="- for standard output")],
    agent: Annotated[str | None, typer.Option(help="this agent alone")] = None,
    include: Annotated[str, typer.Option(help="deleted, expired; comma-separated")] = "",
    workspace: Workspace = "default",
    resume: Annotated[bool, typer.Option(help="go on with FILE.part of an export that broke off")] = False,
    where: Annotated[str | None, typer.Option(help="only the memories that pass this filter, a JSON object")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a workspace, or one agent, to a file of JSON lines."""
    from service.database import settings_with_database
    from service.export_import import export_file

    filter_ = parse_where_text(where, ("where",))
    if str(file) != "-" and not file.parent.is_dir():
        raise InvalidInput(("file",), f"{file.parent}: there is no such folder")
    if as_json and str(file) == "-":
        raise InvalidInput(("json",), "--json and the file - both write to standard output")
    wanted = frozenset(part.strip() for part in include.split(",") if part.strip())
    with settings_with_database(embedding_model="none") as opened:
        lines = asyncio.run(
            export_file(opened, workspace, file, agent=agent, include=wanted, resume=resume, where=filter_)
        )
    if as_json:
        emit(True, {"file": str(file), "lines": lines})
    else:
        err.print(f"{lines} lines written.")


def import_(
    file: Annotated[Path, typer.Argument(help="- for standard input")],
    format: Annotated[str | None, typer.Option(help="reverie, mem0 or arkos; recognised when left out")] = None,
    agent: Annotated[str | None, typer.Option(help="the agent of lines that name none")] = None,
    workspace: Annotated[str, typer.Option(help="by name; made when there is none")] = "default",
    as_json: AsJson = False,
) -> None:
    """Read a file in, all of it or nothing; a second time it changes nothing."""
    from service.database import settings_with_database
    from service.export_import import format_of, import_file

    if format not in (None, "reverie", "mem0", "arkos"):
        raise InvalidInput(("format",), "format is reverie, mem0 or arkos")
    wanted = cast("Format", format) if format else format_of(file)
    with settings_with_database() as opened:
        done = asyncio.run(import_file(opened, workspace, file, format=wanted, agent=agent))
    counts = {name: getattr(done, name) for name in ("created", "updated", "unchanged", "skipped")}
    said = f"{', '.join(f'{count} {name}' for name, count in counts.items())}."
    cut = " [yellow]The export had been cut off before its end.[/]" if done.complete is False else ""
    emit(as_json, counts | {"format": wanted, "complete": done.complete}, said + cut)


def reindex(as_json: AsJson = False) -> None:
    """Embed what is stored with the model of EMBEDDING_MODEL: asked for here, done by the worker."""
    from service.database import settings_with_database

    with settings_with_database() as opened:
        state = asyncio.run(_change_model(opened))
    used, coming = (model.signature if model else None for model in (state.active, state.next_model))
    said = (
        f"The worker embeds everything with {coming}; until then searches use {used}." if coming else f"{used} is used."
    )
    emit(as_json, {"in_use": used, "next": coming}, said)


async def _change_model(settings: Settings) -> MigrationState:
    from service.startup import open_runtime
    from service.store import embeddings

    allowing = settings.tuning.model_copy(update={"embedding_change": "allow"})
    settings = settings.model_copy(update={"tuning": allowing})
    async with open_runtime(settings, "reverie-reindex") as runtime, runtime.db.unscoped() as connection:
        return await embeddings.state(connection)
