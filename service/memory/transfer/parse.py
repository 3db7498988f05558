"""From the bytes of an import to checked lines, each with its number, kept on disk until all of them are known good."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import IO

import orjson
from pydantic import BaseModel, ValidationError

from service.concurrency.executor import FairExecutor
from service.domain.export_lines import LINES, RECORDS
from service.domain.json import JsonObject, JsonValue, dumps
from service.errors import InvalidImportLine, TooLarge

LINE_BYTES_MAX = 32 * 1024 * 1024
"""Room for the largest document."""
BATCH_BYTES_MAX = 8 * 1024 * 1024
IMPORT_BYTES_MAX = 16 * 1024**3
FRAME = ("export", "end")
"""The first and the last line of an export: they say what is between them and are not read in themselves."""


class ParsedLines:
    """The good lines of an import by record, in files that are gone when it is closed."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._files: dict[str, IO[bytes]] = {}

    def add(self, record: str, number: int, line: BaseModel) -> None:
        """Keep a line."""
        if record not in self._files:
            self._files[record] = tempfile.TemporaryFile(prefix="reverie-")  # noqa: SIM115 (closed by close())
        kept = {"number": number, "line": line.model_dump(mode="json", exclude_unset=True)}
        self._files[record].write(dumps(kept) + b"\n")
        self.counts[record] += 1

    def batches(self, record: str, size: int) -> Iterator[list[tuple[int, BaseModel]]]:
        """The lines of one record with their numbers, in their order, ``size`` at a time, fewer where they are long."""
        if record not in self._files:
            return
        file = self._files[record]
        file.seek(0)
        batch: list[tuple[int, BaseModel]] = []
        taken = 0
        for text in file:
            kept = orjson.loads(text)
            batch.append((kept["number"], LINES[record].model_validate(kept["line"])))
            taken += len(text)
            if len(batch) == size or taken > BATCH_BYTES_MAX:
                yield batch
                batch, taken = [], 0
        if batch:
            yield batch

    def close(self) -> None:
        """Remove the files."""
        for file in self._files.values():
            file.close()


async def raw_lines(chunks: AsyncIterator[bytes], executor: FairExecutor) -> AsyncIterator[tuple[int, JsonObject]]:
    """JSON objects of an NDJSON stream with their line numbers, from 1; blank lines count and are passed over.

    Raises InvalidImportLine for one that is no JSON object or too long, TooLarge past the bound of an import.
    """
    number, taken = 0, 0
    rest = bytearray()
    async for chunk in chunks:
        taken += len(chunk)
        if taken > IMPORT_BYTES_MAX:
            raise TooLarge(f"An import may have at most {IMPORT_BYTES_MAX} bytes.")
        rest += chunk
        if b"\n" in chunk:
            *complete, end = bytes(rest).split(b"\n")
            rest = bytearray(end)
            for text in complete:
                number += 1
                if text.strip():
                    yield number, await executor.run(_object, number, text, characters=len(text))
        if len(rest) > LINE_BYTES_MAX:
            raise InvalidImportLine(number + 1, (), f"is longer than {LINE_BYTES_MAX} bytes")
    if rest.strip():
        yield number + 1, await executor.run(_object, number + 1, bytes(rest), characters=len(rest))


def _object(number: int, text: bytes) -> JsonObject:
    if len(text) > LINE_BYTES_MAX:
        raise InvalidImportLine(number, (), f"is longer than {LINE_BYTES_MAX} bytes")
    try:
        value = orjson.loads(text.removeprefix(b"\xef\xbb\xbf") if number == 1 else text)
    except orjson.JSONDecodeError as error:
        raise InvalidImportLine(number, (), f"is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidImportLine(number, (), "is not a JSON object")
    return value


def parse_line(number: int, raw: JsonObject, agent: str | None) -> tuple[str, BaseModel] | None:
    """Return the record and the line of a raw one, its agent filled in; None for the frame of an export.

    Raises InvalidImportLine.
    """
    record = raw.get("record", "memory")
    if record in FRAME:
        return None
    if record not in RECORDS:
        raise InvalidImportLine(number, ("record",), f"must be one of {', '.join(RECORDS)}")
    shape = LINES[record]
    if agent is not None and "agent" in shape.model_fields and raw.get("agent") is None:
        raw = raw | {"agent": agent}
    try:
        line = shape.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidImportLine(number, first["loc"], str(first["msg"]).removeprefix("Value error, ")) from None
    if "agent" in shape.model_fields and getattr(line, "agent", None) is None:
        raise InvalidImportLine(number, ("agent",), "name the agent, on the line or for the whole import")
    return record, line


def utc_text(moment: JsonValue) -> JsonValue:
    """A time or day of another system as RFC 3339, in UTC where it names no zone; anything else as it is, or None."""
    if not moment:
        return None
    try:
        found = datetime.fromisoformat(str(moment).strip())
    except ValueError:
        return moment
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()
