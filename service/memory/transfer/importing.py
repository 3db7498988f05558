"""Reading an export in: check every line, then write all of them in one transaction (row W14).

Nothing is written before the last line is known to be good, and nothing stays written if writing any of them fails.
Reading the same lines in twice changes nothing the second time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Literal

from service.domain.lines import RECORDS
from service.domain.principal import Principal
from service.errors import BrokenLine
from service.memory import audit
from service.memory.engine import Engine
from service.memory.redaction import policy_of
from service.memory.transfer import arkos, mem0
from service.memory.transfer.clearing import Numbered, cleared_lines
from service.memory.transfer.reading import FRAME, CheckedLines, Raw, checked, raw_lines
from service.memory.transfer.writing import BATCH, Tally, Writer, Writing
from service.memory.transfer.writing_graph import GRAPH_WRITERS
from service.memory.transfer.writing_memories import MEMORY_WRITERS
from service.memory.transfer.writing_sessions import SESSION_WRITERS
from service.memory.transfer.writing_texts import TEXT_WRITERS
from service.store.vectors import Embedded

Format = Literal["reverie", "mem0", "arkos"]
EMBEDDED_MAX = 1_000
"""Memories of an import that are embedded before it is written; of a larger one all stay pending, for the worker."""

LARGE = ("document",)
"""Lines that are checked one by one, as a batch of them could be too much to hold."""

WRITERS: dict[str, Writer] = SESSION_WRITERS | MEMORY_WRITERS | GRAPH_WRITERS | TEXT_WRITERS


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is: lines checked, or of ``total`` lines those written."""

    stage: Literal["checking", "writing"]
    done: int
    total: int | None = None


@dataclass(slots=True)
class Imported:
    """What an import did, over all lines and by record. ``skipped`` lines refer to what is not here.

    ``complete`` is False when an export was cut off before its last line, None where nothing says how much there was.
    """

    created: int = 0
    unchanged: int = 0
    updated: int = 0
    skipped: int = 0
    complete: bool | None = None
    records: dict[str, Tally] = field(default_factory=dict)


def _nothing(_: Progress) -> None:
    """Progress nobody asked for."""


async def import_lines(
    engine: Engine,
    principal: Principal,
    chunks: AsyncIterator[bytes],
    *,
    format: Format = "reverie",
    agent: str | None = None,
    on_progress: Callable[[Progress], None] = _nothing,
) -> Imported:
    """Read a stream in, all of it or nothing. ``agent`` is the agent of lines that name none.

    With the caller's memory off the lines are checked and none is written. Needs an admin key: lines name agents,
    teams and times as they like. Raises Forbidden, and BrokenLine naming the first line (of Mem0 and ARKOS, the first
    item or row) that cannot be read in.
    """
    principal.must_administer()
    with closing(CheckedLines()) as lines:
        answer = Imported()
        answer.complete = await _check(engine, principal, _source(format, chunks), lines, agent, on_progress)
        if principal.memory_off:
            return answer
        embedded = await _embed(engine, lines)
        async with engine.db.transaction(principal.workspace_id) as connection:
            writing = Writing(connection, principal, engine.now(), embedded)
            await _write(writing, lines, on_progress)
            await audit.record(connection, principal, "import", target=agent, details=dict(lines.counts))
    answer.records = {record: tally for record, tally in writing.tallies.items() if record in lines.counts}
    for tally in answer.records.values():
        answer.created += tally.created
        answer.unchanged += tally.unchanged
        answer.updated += tally.updated
        answer.skipped += tally.skipped
    return answer


def _source(format: Format, chunks: AsyncIterator[bytes]) -> AsyncIterator[Raw]:
    return {"reverie": raw_lines, "mem0": mem0.memories, "arkos": arkos.messages}[format](chunks)


async def _check(
    engine: Engine,
    principal: Principal,
    source: AsyncIterator[Raw],
    lines: CheckedLines,
    agent: str | None,
    on_progress: Callable[[Progress], None],
) -> bool | None:
    framed: bool | None = None
    done = 0
    settings = await policy_of(engine, principal)
    batch: list[Numbered] = []

    async def keep() -> None:
        for number, record, line in await cleared_lines(engine, settings, batch):
            lines.add(record, number, line)
        batch.clear()
        on_progress(Progress("checking", done))
        await asyncio.sleep(0)

    try:
        async for number, raw in source:
            if raw.get("record") in FRAME:
                framed = raw["record"] == "end"
            found = checked(number, raw, agent)
            if found is not None:
                batch.append((number, *found))
            done += 1
            if len(batch) == BATCH or raw.get("record") in LARGE:
                await keep()
    except BrokenLine:
        await keep()  # an earlier line may be refused for its personal data, and the first one is named
        raise
    await keep()
    return framed


async def _embed(engine: Engine, lines: CheckedLines) -> Embedded:
    if lines.counts["memory"] > EMBEDDED_MAX:
        return Embedded(None, [])
    return await engine.embed([line.content for batch in lines.batches("memory", BATCH) for _, line in batch])


async def _write(writing: Writing, lines: CheckedLines, on_progress: Callable[[Progress], None]) -> None:
    total = sum(lines.counts.values())
    done = 0
    for record in RECORDS:
        write: Callable[[Writing, list[tuple[int, Any]]], Any] = WRITERS[record]
        for batch in lines.batches(record, BATCH):
            await write(writing, batch)
            done += len(batch)
            on_progress(Progress("writing", done, total))
    await writing.finish()
