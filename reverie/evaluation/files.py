"""The files of a published set: a file, a folder or an archive, read as it was downloaded, and their SHA-256."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import orjson

from service.errors import InvalidInput

Opened = Callable[[], BinaryIO]
DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
}
TAR = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
CHUNK_BYTES = 1 << 20
DEPTH_MAX = 3
"""Archives within archives."""


@dataclass(frozen=True, slots=True)
class Document:
    """One file of a set, decompressed: its path within the folder or archive, and its bytes."""

    name: str
    open: Opened

    def json(self) -> object:
        """Return the file as JSON. Raises InvalidInput."""
        with self.open() as file:
            try:
                return orjson.loads(file.read())
            except orjson.JSONDecodeError as error:
                raise InvalidInput(("data",), f"{self.name}: malformed JSON: {error}") from None

    def sha256(self) -> str:
        """SHA-256 of the decompressed bytes, in hexadecimal."""
        digest = hashlib.sha256()
        with self.open() as file:
            while chunk := file.read(CHUNK_BYTES):
                digest.update(chunk)
        return digest.hexdigest()


def documents(path: Path, suffixes: tuple[str, ...], only: str | None = None) -> list[Document]:
    """Return the files of a set, by name, whose names end in one of ``suffixes`` and match the pattern ``only``.

    ``path`` is a file, a folder, or an archive (zip, tar, each file compressed or not). Nothing is unpacked to disk.
    Raises InvalidInput where there are none, or where an archive cannot be read.
    """
    if not path.exists():
        raise InvalidInput(("data",), f"{path} does not exist")
    sources = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    found: list[Document] = []
    for source in sources:
        name = source.relative_to(path).as_posix() if path.is_dir() else source.name
        with _readable(name):
            found += _within(name, _opener(source), 0)
    wanted = [
        one
        for one in sorted(found, key=lambda one: one.name)
        if one.name.lower().endswith(suffixes) and (only is None or fnmatch(one.name, only))
    ]
    if not wanted:
        matching = f" that match {only}" if only else ""
        raise InvalidInput(("data",), f"{path} has no {' or '.join(suffixes)} files{matching}")
    return wanted


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise InvalidInput(("data",), f"{name}: unreadable archive: {error}") from None


def _opener(path: Path) -> Opened:
    return lambda: path.open("rb")


def _within(name: str, opened: Opened, depth: int) -> Iterator[Document]:
    lower = name.lower()
    if depth > DEPTH_MAX:
        raise InvalidInput(("data",), f"{name}: more than {DEPTH_MAX} archives within one another")
    if lower.endswith(".zip"):
        with opened() as file, zipfile.ZipFile(file) as archive:
            members = [one.filename for one in archive.infolist() if not one.is_dir()]
        for member in members:
            yield from _within(member, _zipped(opened, member), depth + 1)
    elif lower.endswith(TAR):
        with opened() as file, tarfile.open(fileobj=file) as archive:
            members = [one.name for one in archive if one.isfile()]
        for member in members:
            yield from _within(member, _tarred(opened, member), depth + 1)
    elif (suffix := PurePosixPath(lower).suffix) in DECOMPRESS:
        yield from _within(name[: -len(suffix)], _decompressed(opened, name, DECOMPRESS[suffix]), depth + 1)
    else:
        yield Document(name, opened)


def _zipped(opened: Opened, member: str) -> Opened:
    def read() -> BinaryIO:
        with opened() as file, zipfile.ZipFile(file) as archive:
            return io.BytesIO(archive.read(member))

    return read


def _tarred(opened: Opened, member: str) -> Opened:
    def read() -> BinaryIO:
        with opened() as file, tarfile.open(fileobj=file) as archive:
            extracted = archive.extractfile(member)
            assert extracted is not None
            return io.BytesIO(extracted.read())

    return read


def _decompressed(opened: Opened, name: str, decompress: Callable[[bytes], bytes]) -> Opened:
    def read() -> BinaryIO:
        with opened() as file, _readable(name):
            return io.BytesIO(decompress(file.read()))

    return read
