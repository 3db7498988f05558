"""Writing a workspace or an agent out as NDJSON: a header, one line per record, an end line.

The lines go into a temporary file that one task fills while another reads it, so that the reader's pace never holds up
the writer.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from uuid import UUID

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection
from service.db.records import make
from service.domain.bulletin import StoredBulletin
from service.domain.export_lines import FILTERED, FORMAT, KEYS, RECORDS
from service.domain.json import JsonObject, dumps
from service.domain.principal import Principal
from service.domain.where import Where
from service.errors import InvalidInput, NotFound
from service.memory import bulletin
from service.memory.access.redaction import where_query
from service.memory.counters import ReadCounter
from service.runtime import Runtime
from service.store import transfer
from service.store.transfer import ExportFilter

Start = tuple[str, str | UUID]

CHUNK_BYTES = 64 * 1024


async def export(
    runtime: Runtime,
    principal: Principal,
    agent: str | None,
    *,
    include: frozenset[str] = frozenset(),
    resume_from: str | None = None,
    where: Where | None = None,
) -> AsyncIterator[bytes]:
    """Return an export of one moment, as chunks of NDJSON. An agent key exports its own agent. With ``where``, it has
    the records FILTERED alone, and of memories those that pass it.

    All is read in one read-only snapshot into a temporary file while that is read out at the caller's pace, so a slow
    reader pins no connection. ``resume_from`` is ``<record>:<key>`` of the last line received: it goes on there,
    giving that line again. Raises NotFound for an unknown agent, InvalidInput for a ``resume_from`` that is none.
    """
    named = principal.reader_agent(agent)
    wanted = await _wanted(runtime, principal, named, include, where)
    start = _start(resume_from, _records(wanted))
    stream = _stream(runtime, principal.workspace_id, named, wanted, start)
    first = await anext(stream)
    runtime.part(ReadCounter).note(principal, "export", [agent])
    return _from(first, stream)


async def _from(first: bytes, stream: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    """Yield a stream whose first chunk has been read: what fails before it is an error, not an answer cut off."""
    async with aclosing(stream):
        yield first
        async for chunk in stream:
            yield chunk


async def _stream(
    runtime: Runtime, workspace: UUID, agent: str | None, wanted: ExportFilter, start: Start | None
) -> AsyncGenerator[bytes]:
    spool = TempfilePipe()
    filling = asyncio.create_task(_fill(runtime, workspace, spool, agent, wanted, start))
    filling.add_done_callback(lambda _: spool.finish())
    try:
        async for chunk in spool.read():
            yield chunk
        await filling
    finally:
        filling.cancel()
        await asyncio.gather(filling, return_exceptions=True)
        spool.close()


async def _wanted(
    runtime: Runtime, principal: Principal, agent: str | None, include: frozenset[str], where: Where | None
) -> ExportFilter:
    agent_id: UUID | None = None
    if agent is not None:
        async with runtime.db.transaction(principal.workspace_id) as connection:
            agent_id = await connection.value("export_agent", workspace=principal.workspace_id, agent=agent)
        if agent_id is None:
            raise NotFound(f"There is no agent {agent!r} here.")
    query = await where_query(runtime, principal, where)
    return ExportFilter(agent_id, "deleted" in include, "expired" in include, runtime.now(), query)


def _records(wanted: ExportFilter) -> tuple[str, ...]:
    return FILTERED if wanted.where else RECORDS


def _start(resume_from: str | None, records: Sequence[str]) -> Start | None:
    if resume_from is None:
        return None
    section, _, key = resume_from.partition(":")
    if section not in records:
        raise InvalidInput(("query", "resume_from"), f"must be <record>:<key>, the record one of {', '.join(records)}")
    if KEYS[section] in ("", "agent", "task"):
        return section, key
    try:
        return section, UUID(key)
    except ValueError:
        raise InvalidInput(("query", "resume_from"), "its key must be the id on the line") from None


async def _fill(
    runtime: Runtime, workspace: UUID, spool: TempfilePipe, agent: str | None, wanted: ExportFilter, start: Start | None
) -> None:
    written: Counter[str] = Counter()
    async with runtime.db.snapshot(workspace) as connection:
        records = _records(wanted)
        counted = await transfer.counts(connection, workspace, wanted)
        expected = {name: count for name, count in counted.items() if name in records}
        header = {"record": "export", "format": FORMAT, "agent": agent, "at": wanted.now, "counts": expected}
        spool.write(dumps(header) + b"\n")
        for name in records[records.index(start[0]) if start else 0 :]:
            key = start[1] if start and start[0] == name else None
            await _fill_section(runtime.executor, connection, workspace, spool, name, wanted, key, written)
    spool.write(dumps({"record": "end", "counts": dict(written)}) + b"\n")


async def _fill_section(
    executor: FairExecutor,
    connection: Connection,
    workspace: UUID,
    spool: TempfilePipe,
    name: str,
    wanted: ExportFilter,
    key: str | UUID | None,
    written: Counter[str],
) -> None:
    async for page in transfer.section(connection, workspace, name, wanted, key):
        if name == "bulletin":
            page = [_bulletin(fields) for fields in page]
        lines = await executor.each(lambda fields: dumps({"record": name} | fields) + b"\n", page, _characters)
        spool.write(b"".join(lines))
        written[name] += len(page)


def _bulletin(fields: JsonObject) -> JsonObject:
    """Return a version of a bulletin without the lines whose memories are gone, as those that read it are shown it."""
    left = bulletin.without_gone(make(StoredBulletin, fields))
    kept = {"parts": left.parts, "content": left.content, "tokens": left.tokens}
    return {name: value for name, value in fields.items() if name not in ("newest", "states")} | kept


def _characters(fields: JsonObject) -> int:
    return sum(len(value) for value in fields.values() if isinstance(value, str))


class TempfilePipe:
    """Bytes in order, kept on disk until read. The file is gone when the spool is closed."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="reverie-")  # noqa: SIM115 (closed by close())
        self._written = 0
        self._finished = False
        self._more = asyncio.Event()

    def write(self, data: bytes) -> None:
        """Append."""
        self._file.seek(self._written)
        self._file.write(data)
        self._written += len(data)
        self._more.set()

    def finish(self) -> None:
        """Note that nothing more will come."""
        self._finished = True
        self._more.set()

    async def read(self) -> AsyncIterator[bytes]:
        """Yield everything written, as it comes, until ``finish``."""
        position = 0
        while True:
            self._more.clear()
            while position < self._written:
                self._file.seek(position)
                chunk = self._file.read(min(CHUNK_BYTES, self._written - position))
                position += len(chunk)
                yield chunk
            if self._finished and position >= self._written:
                return
            await self._more.wait()

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
