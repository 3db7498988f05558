"""JSON lines that survive a kill: each is on disk before the next thing happens, and a torn last one is dropped."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson


class Lines:
    """An append-only file of JSON objects, one a line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(0)
            whole = file.read().rfind(b"\n") + 1
            if whole < end:
                file.truncate(whole)

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield the lines so far, oldest first."""
        with self.path.open("rb") as file:
            for line in file:
                yield orjson.loads(line)

    def append(self, line: Mapping[str, Any]) -> None:
        """Write a line, to the disk."""
        with self.path.open("ab") as file:
            file.write(orjson.dumps(line, option=orjson.OPT_SORT_KEYS) + b"\n")
            file.flush()
            os.fsync(file.fileno())
