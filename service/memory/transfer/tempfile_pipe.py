"""A temporary file that one task fills while another reads it: the reader's pace never holds up the writer."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator

CHUNK_BYTES = 64 * 1024


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
        """Nothing more will come."""
        self._finished = True
        self._more.set()

    async def read(self) -> AsyncIterator[bytes]:
        """Everything written, as it comes, until ``finish``."""
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
