"""``reverie export`` and ``import``: files out and in, straight on the database, with a progress bar."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO
from uuid import UUID

import orjson
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from service.domain.export_lines import KEYS
from service.domain.ids import new_id
from service.domain.principal import Principal
from service.domain.where import Where
from service.errors import InvalidInput, NotFound
from service.memory.access.redaction import masked_names, workspace_masking
from service.memory.transfer import importing
from service.memory.transfer.export import export
from service.memory.transfer.importing import ImportResult, import_lines
from service.memory.transfer.parse import HEAD_BYTES, Format, recognise
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from service.store import workspaces

CHUNK_BYTES = 256 * 1024
OPERATOR = UUID(int=0)
"""Whoever may start processes on the database may do all; histories show ``admin:`` and this id."""


async def export_file(
    settings: Settings,
    workspace: str,
    target: Path,
    *,
    agent: str | None,
    include: frozenset[str],
    resume: bool,
    where: Where | None,
) -> int:
    """Write an export to a file, or to standard output for ``-``, and return the number of lines.

    It goes to ``<target>.part`` and takes its name when it is whole. ``resume`` goes on with such a part. Raises
    NotFound for an unknown workspace or agent.
    """
    part = target.with_name(target.name + ".part")
    async with open_workspace(settings, workspace) as (runtime, principal):
        start = _cut_to_whole_lines(part) if resume and part.exists() else None
        if agent is not None:
            pii = await workspace_masking(runtime, principal.workspace_id)
            (agent,) = await masked_names(runtime, principal.workspace_id, pii, [(("agent",), agent)], refuse=False)
        chunks = await export(runtime, principal, agent, include=include, resume_from=start, where=where)
        if str(target) == "-":
            with os.fdopen(os.dup(1), "wb") as out:
                return await _write(chunks, out)
        with part.open("ab" if start else "wb") as out:
            lines = await _write(chunks, out)
        part.replace(target)
    return lines


async def import_file(
    settings: Settings, workspace: str, source: Path, *, format: Format, agent: str | None
) -> ImportResult:
    """Read a file in, or standard input for ``-``, all of it or nothing; a workspace that is not there is made.

    Raises InvalidImportLine naming the line.
    """
    async with open_workspace(settings, workspace, make=True) as (runtime, principal):
        with _bar() as bar, source.open("rb") if str(source) != "-" else os.fdopen(os.dup(0), "rb") as file:
            task = bar.add_task("checking", total=None)

            def show(progress: importing.Progress) -> None:
                bar.update(task, description=progress.stage, completed=progress.done, total=progress.total)

            return await import_lines(runtime, principal, _chunks(file), format=format, agent=agent, on_progress=show)


def format_of(source: Path) -> Format:
    """Return the format of a file, told from its beginning; standard input is taken for an export of Reverie."""
    if str(source) == "-":
        return "reverie"
    with source.open("rb") as file:
        return recognise(file.read(HEAD_BYTES))


@asynccontextmanager
async def open_workspace(
    settings: Settings, workspace: str, *, make: bool = False
) -> AsyncIterator[tuple[Runtime, Principal]]:
    """Yield a runtime, and the operator as an admin of a workspace. Raises NotFound where there is none of that
    name."""
    async with open_runtime(settings, "reverie-transfer") as runtime:
        async with runtime.db.unscoped() as connection:
            if make:
                await workspaces.add(connection, new_id(), workspace)
            found = await workspaces.find(connection, workspace)
        if found is None:
            raise NotFound(f"There is no workspace {workspace!r}.")
        yield runtime, Principal(found, OPERATOR, "admin", None)


def _bar() -> Progress:
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    return Progress(*columns, console=Console(stderr=True))


async def _write(chunks: AsyncIterator[bytes], out: IO[bytes]) -> int:
    lines = 0
    with _bar() as bar:
        task = bar.add_task("exporting", total=None)
        async for chunk in chunks:
            if not lines:
                counts = orjson.loads(chunk.split(b"\n", 1)[0])["counts"]
                bar.update(task, total=sum(counts.values()))
            out.write(chunk)
            lines += chunk.count(b"\n")
            bar.update(task, completed=lines)
        bar.update(task, total=lines)
    return lines


async def _chunks(file: IO[bytes]) -> AsyncIterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk


def _cut_to_whole_lines(part: Path) -> str | None:
    """Cut a broken-off last line from a part of an export; ``<record>:<key>`` of the last whole one, to go on there."""
    last, size = b"", 0
    with part.open("rb") as file:
        for text in file:
            if text.endswith(b"\n"):
                last, size = text, size + len(text)
    os.truncate(part, size)
    if not last:
        return None
    line = orjson.loads(last)
    if line["record"] == "end":
        raise InvalidInput(("resume",), f"{part} is whole already")
    return None if line["record"] == "export" else f"{line['record']}:{line.get(KEYS[line['record']], '')}"
