"""Looks at everything that a start needs, and says what to do about what is wrong."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from service.database import open_database
from service.db.connectivity import database_facts
from service.db.embedded_platforms import ALTERNATIVE, why_none
from service.embedding.embedder import EmbedderMisconfigured, EmbeddingFailed
from service.embedding.sources import open_embedder
from service.errors import ReverieError
from service.server import describe_models
from service.settings import Settings

Status = Literal["ok", "warning", "problem"]
DISK_LOW_BYTES, DISK_FULL_BYTES = 2 * 1024**3, 256 * 1024**2
CLOCK_DIFFERENCE_MAX_S = 5.0
PRIVATE = 0o077
"""Bits of a mode that let others in."""
TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: how it is, and what to do where it is not well."""

    what: str
    status: Status
    found: str
    advice: str | None = None


async def findings(settings: Settings) -> AsyncIterator[Finding]:
    """Look at one thing after the other."""
    yield Finding("python", "ok", sys.version.split()[0])
    yield _folder(settings.data_dir)
    yield _disk(settings.data_dir)
    yield await asyncio.to_thread(_port, settings)
    async for finding in _database(settings):
        yield finding
    yield _admin_key(settings)
    async for finding in _models(settings):
        yield finding


def _folder(folder: Path) -> Finding:
    there = folder if folder.exists() else folder.absolute().parent
    if folder.exists() and not folder.is_dir():
        return Finding("data folder", "problem", f"{folder} is a file", "set REVERIE_DATA_DIR to a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        return Finding(
            "data folder", "problem", f"{there} cannot be written", "set REVERIE_DATA_DIR to a folder of yours"
        )
    return Finding("data folder", "ok", str(folder.absolute()) + ("" if folder.exists() else ", not made yet"))


def _disk(folder: Path) -> Finding:
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    found = f"{free / 1024**3:.1f} GiB free"
    if free < DISK_FULL_BYTES:
        return Finding("disk", "problem", found, "make room: Postgres stops saving when the disk is full")
    return Finding("disk", "warning" if free < DISK_LOW_BYTES else "ok", found)


def _port(settings: Settings) -> Finding:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{settings.local_url}/healthz", timeout=TIMEOUT_S) as answer:
            ours = b'"status"' in answer.read(1_000)
        if ours:
            return Finding("port", "ok", f"Reverie answers at {settings.local_url}")
    except (urllib.error.URLError, OSError, ValueError):
        pass
    try:
        socket.create_server((settings.host, settings.port)).close()
    except OSError as error:
        return Finding("port", "problem", f"{settings.host}:{settings.port}: {error.strerror}",
                       "set REVERIE_PORT to a free one, or REVERIE_HOST to an address of this machine")  # fmt: skip
    return Finding("port", "ok", f"{settings.host}:{settings.port} is free")


async def _database(settings: Settings) -> AsyncIterator[Finding]:
    if settings.database_url is None and (reason := why_none()):
        yield Finding("postgres", "problem", reason, ALTERNATIVE)
        return
    if settings.database_url is None and not (settings.data_dir / "postgres").exists():
        yield Finding("postgres", "ok", "embedded; `reverie up` makes it")
        return
    try:
        with open_database(settings) as url:
            facts = await database_facts(url)
    except ReverieError as error:
        advice = (
            "look at DATABASE_URL" if settings.database_url else f"look at {settings.data_dir / 'postgres' / 'log'}"
        )
        yield Finding("postgres", "problem", error.message, advice)
        return
    yield Finding("postgres", "ok", facts.version)
    yield Finding("pgvector", "ok", facts.pgvector)
    utf8 = facts.encoding == "UTF8"
    yield Finding("locale", "ok" if utf8 else "problem", f"{facts.encoding}, {facts.collation}",
                  None if utf8 else "create the database with ENCODING 'UTF8'")  # fmt: skip
    yield Finding("schema", "problem" if facts.mismatch else "ok", facts.mismatch or "as this release needs it",
                  "run `reverie migrate`, or a newer release" if facts.mismatch else None)  # fmt: skip
    late = facts.clock_difference_s > CLOCK_DIFFERENCE_MAX_S
    yield Finding("clock", "warning" if late else "ok", f"{facts.clock_difference_s:.1f} s from the database's",
                  "set both clocks by NTP" if late else None)  # fmt: skip


def _admin_key(settings: Settings) -> Finding:
    kept = settings.data_dir / "admin-key"
    if settings.admin_key:
        return Finding("admin key", "ok", "REVERIE_ADMIN_KEY")
    if not kept.exists():
        return Finding("admin key", "ok", "none kept here; the first start makes one, `reverie keys admin` another")
    if kept.stat().st_mode & PRIVATE:
        return Finding("admin key", "warning", f"{kept} can be read by others", f"chmod 600 {kept}")
    return Finding("admin key", "ok", str(kept))


async def _models(settings: Settings) -> AsyncIterator[Finding]:
    try:
        embedder = await open_embedder(
            settings.embedding_model or "auto",
            dim=settings.embedding_dim,
            api_base=settings.embedding_api_base,
            api_key=settings.embedding_api_key,
        )
    except (EmbedderMisconfigured, EmbeddingFailed) as error:
        yield Finding("embedder", "problem", error.message, "look at EMBEDDING_MODEL")
        return
    models = describe_models(settings, embedder)
    if embedder is not None:
        await embedder.aclose()
    yield Finding("embedder", "ok", models["embedder"])
    yield Finding("language model", "ok", models["language_model"])
    yield Finding("texts go to", "ok", models["texts_go_to"])
