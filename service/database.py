"""Which database: the one of DATABASE_URL, or the embedded one under the data folder, said loudly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from service.db import embedded
from service.settings import Settings


@contextmanager
def open_database(settings: Settings) -> Iterator[str]:
    """The URL of the database for the length of the block.

    With DATABASE_URL set it is that, whatever happens: never a silent fallback. Unset, the embedded Postgres is
    started (or joined, if it runs already) and stopped again at the end if this started it.
    """
    if settings.database_url is not None:
        yield settings.database_url
        return
    folder = settings.data_dir / "postgres"
    running = embedded.is_running(folder)
    url = embedded.start(folder)
    try:
        yield url
    finally:
        if not running:
            embedded.stop(folder)
