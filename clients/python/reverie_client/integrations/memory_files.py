"""The files of Anthropic's memory tool as memories with keys: each change is a version, and what is deleted can be
restored. Commands answer and fail in the words of the tool's own store of files.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any
from urllib.parse import unquote

from reverie_client.digests import digest
from reverie_client.errors import Conflict
from reverie_client.integrations.agent_memory import AgentMemory
from reverie_client.models import MemoryRecord

ROOT = "/memories"
OWN = "memory_tool"
CONTENT_MAX = 8_000
"""Characters of a file that are searched; the whole of it is in the memory's metadata."""
LINES_MAX = 999_999
NUMBER_WIDTH = 6
DEPTH_MAX = 2
PAGE = 200
KIB = 1024


class FileProblem(Exception):
    """A command that cannot be carried out, in words for the model."""


class MemoryFiles:
    """The files of an agent's memory, of its user where it has one. Raises FileProblem, and ReverieClientError."""

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory

    def view(self, given: str, view_range: Sequence[int] | None = None) -> str:
        """Return the lines of a file, numbered, or what is in a directory."""
        path, files = _checked(given), self._files()
        file = self._find(path, files)
        if file is None:
            return _listing(given, path, files)
        lines = _text(file).split("\n")
        if len(lines) > LINES_MAX:
            raise FileProblem(f"File {given} exceeds maximum line limit of 999,999 lines.")
        first, last = view_range if view_range and len(view_range) == 2 else (1, -1)
        start = max(1, first) - 1
        shown = _numbered(lines[start : len(lines) if last == -1 else last], start + 1)
        return f"Here's the content of {given} with line numbers:\n{shown}"

    def create(self, given: str, text: str) -> str:
        """Make a file."""
        path, files = _checked(given), self._files()
        if path == ROOT or self._find(path, files) or _inside(path, files):
            raise FileProblem(f"File {given} already exists")
        self._check_parents(path, files)
        options: dict[str, Any] = {"key": self._key(path), "source": {"kind": OWN}, "decay_exempt": True}
        self._memory.client.save_memory("fact", **_written(path, text), **options, **self._memory.whose)
        return f"File created successfully at: {given}"

    def str_replace(self, given: str, old: str, new: str) -> str:
        """Replace a text that is in a file once."""
        path, file = self._file(given)
        text = _text(file)
        times = text.count(old) if old else 0
        if not times:
            raise FileProblem(f"No replacement was performed, old_str `{old}` did not appear verbatim in {given}.")
        if times > 1:
            numbers = ", ".join(str(text[:at].count("\n") + 1) for at in _places(old, text))
            raise FileProblem(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {numbers}. "
                "Please ensure it is unique"
            )
        changed = text.replace(old, new)
        self._change(file, path, changed)
        line = text[: text.index(old)].count("\n")
        first = max(0, line - 2)
        snippet = _numbered(changed.split("\n")[first : line + 3], first + 1)
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    def insert(self, given: str, line: int, text: str) -> str:
        """Insert a text behind a line; 0 is the beginning."""
        path, file = self._file(given)
        lines = _text(file).split("\n")
        if not lines[-1]:
            lines.pop()
        if not 0 <= line <= len(lines):
            raise FileProblem(
                f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(line, text.rstrip("\n"))
        changed = "\n".join(lines)
        self._change(file, path, changed if changed.endswith("\n") else f"{changed}\n")
        return f"The file {given} has been edited."

    def delete(self, given: str) -> str:
        """Delete a file, or a directory with all that is in it."""
        path, files = _checked(given), self._files()
        if path == ROOT:
            raise FileProblem("Cannot delete the /memories directory itself")
        for file in self._at(path, files) or _missing(f"The path {given} does not exist"):
            self._memory.client.delete_memory(file.id)
        return f"Successfully deleted {given}"

    def rename(self, given: str, to: str) -> str:
        """Rename or move a file, or a directory with all that is in it."""
        path, target, files = _checked(given), _checked(to), self._files()
        if path == ROOT:
            raise FileProblem("Cannot rename the /memories directory itself")
        moved = self._at(path, files) or _missing(f"The path {given} does not exist")
        if target == ROOT or self._at(target, files):
            raise FileProblem(f"The destination {to} already exists")
        if target.startswith(f"{path}/"):
            raise FileProblem(f"Cannot move {given} into itself")
        self._check_parents(target, files)
        for file in moved:
            inside = _path(file).removeprefix(path) if _path(file) != path else ""
            self._change(file, target + inside, _text(file))
        return f"Successfully renamed {given} to {to}"

    def clear(self) -> str:
        """Delete all files."""
        for file in self._files().values():
            self._memory.client.delete_memory(file.id)
        return "All memory cleared"

    def _files(self) -> dict[str, MemoryRecord]:
        """Return all files by path; what a dream holds for outdated is still a file."""
        about = self._memory.user
        found = self._memory.client.list_memories(
            PAGE, source=OWN, include="superseded", about=about, **self._memory.whose
        )
        return {_path(file): file for file in found if about is not None or file.user is None}

    def _file(self, given: str) -> tuple[str, MemoryRecord]:
        path, files = _checked(given), self._files()
        file = self._find(path, files)
        if file is None and (path == ROOT or _inside(path, files)):
            raise FileProblem(f"The path {given} is not a file.")
        if file is None:
            raise FileProblem(f"The path {given} does not exist. Please provide a valid path.")
        return path, file

    def _find(self, path: str, files: dict[str, MemoryRecord]) -> MemoryRecord | None:
        """Return the file of a path; by its key where personal data is masked in the path that is stored."""
        return files.get(path) or next((one for one in files.values() if one.key == self._key(path)), None)

    def _at(self, path: str, files: dict[str, MemoryRecord]) -> list[MemoryRecord]:
        """Return the file of a path, or all that are in the directory."""
        file = self._find(path, files)
        return [file] if file else _inside(path, files)

    def _check_parents(self, path: str, files: dict[str, MemoryRecord]) -> None:
        for parent in accumulate(path.split("/")[:-1], lambda above, name: f"{above}/{name}"):
            if parent in files:
                raise FileProblem(f"The path {parent} is not a directory.")

    def _change(self, file: MemoryRecord, path: str, text: str) -> None:
        try:
            self._memory.client.update_memory(file.id, file.version, key=self._key(path), **_written(path, text))
        except Conflict:
            raise FileProblem("The file was changed by somebody else meanwhile. View it again.") from None

    def _key(self, path: str) -> str:
        return f"{OWN} {digest([self._memory.user or '', path])}"


def _checked(given: str) -> str:
    """Return a path without detours. Raises FileProblem for one outside of the root, encoded or with backslashes
    too."""
    if given != ROOT and not given.startswith(f"{ROOT}/"):
        raise FileProblem(f"Path must start with {ROOT}, got: {given}")
    plain = [posixpath.normpath(one) for one in (given, unquote(given).replace("\\", "/"))]
    if not all(one == ROOT or one.startswith(f"{ROOT}/") for one in plain) or not given.isprintable():
        raise FileProblem(f"Path {given} would escape {ROOT} directory")
    return plain[0]


def _written(path: str, text: str) -> dict[str, Any]:
    """Return what a memory says and keeps of a file."""
    return {"content": text[:CONTENT_MAX] if text.strip() else path, "metadata": {OWN: {"path": path, "text": text}}}


def _path(file: MemoryRecord) -> str:
    return str(file.metadata[OWN]["path"])


def _text(file: MemoryRecord) -> str:
    return str(file.metadata[OWN]["text"])


def _places(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _inside(path: str, files: dict[str, MemoryRecord]) -> list[MemoryRecord]:
    return [file for name, file in files.items() if name.startswith(f"{path}/")]


def _missing(problem: str) -> list[MemoryRecord]:
    raise FileProblem(problem)


def _numbered(lines: Iterable[str], first: int) -> str:
    return "\n".join(f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def _listing(given: str, path: str, files: dict[str, MemoryRecord]) -> str:
    """Sizes and paths two levels deep, without what is hidden; a directory is as large as its files."""
    inside = {_path(file).removeprefix(f"{path}/"): len(_text(file).encode()) for file in _inside(path, files)}
    if not inside and path != ROOT:
        raise FileProblem(f"The path {given} does not exist. Please provide a valid path.")
    sizes: dict[tuple[str, ...], int] = {}
    for name, size in inside.items():
        parts = name.split("/")
        if any(part.startswith(".") for part in parts[:DEPTH_MAX]):
            continue
        for depth in range(1, min(len(parts), DEPTH_MAX) + 1):
            place = (*parts[: depth - 1], parts[depth - 1] + ("/" if depth < len(parts) else ""))
            sizes[place] = sizes.get(place, 0) + size
    shown = {"/".join(place).replace("//", "/"): sizes[place] for place in sorted(sizes, key=_by_name)}
    lines = [f"{_size(sum(inside.values()))}\t{given}", *(f"{_size(size)}\t{given}/{at}" for at, size in shown.items())]
    header = f"Here're the files and directories up to 2 levels deep in {given}, excluding hidden items:"
    return "\n".join([header, *lines])


def _by_name(place: tuple[str, ...]) -> list[str]:
    return [part.rstrip("/") for part in place]


def _size(size: int) -> str:
    amount, units = float(size), "BKMG"
    while amount >= KIB and len(units) > 1:
        amount, units = amount / KIB, units[1:]
    return f"{amount:.0f}{units[0]}" if amount == int(amount) else f"{amount:.1f}{units[0]}"
