"""The bytes of an import, cut into lines."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from service.concurrency.executor import FairExecutor
from service.errors import InvalidImportLine
from service.memory.transfer.parse import LINE_BYTES_MAX, raw_lines

PART = 8 * 1024 * 1024


def line_of(size: int) -> bytes:
    return b'{"x":"' + b"x" * (size - 8) + b'"}'


async def chunks(data: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(data), PART):
        yield data[start : start + PART]


async def numbers(data: bytes) -> list[int]:
    return [number async for number, _ in raw_lines(chunks(data), FairExecutor())]


async def test_a_line_of_the_largest_size_is_read() -> None:
    assert await numbers(b"{}\n" + line_of(LINE_BYTES_MAX) + b"\n") == [1, 2]
    assert await numbers(b"{}\n" + line_of(LINE_BYTES_MAX)) == [1, 2]


@pytest.mark.parametrize("end", [b"\n", b"\n{}", b""])
async def test_a_longer_line_is_named(end: bytes) -> None:
    with pytest.raises(InvalidImportLine, match=f"line 2: is longer than {LINE_BYTES_MAX} bytes"):
        await numbers(b"{}\n" + line_of(LINE_BYTES_MAX + 1) + end)
