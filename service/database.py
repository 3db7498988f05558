"""Which database: the one of DATABASE_URL, or the embedded one under the data folder, said loudly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from service.db import embedded
from service.errors import Unavailable
from service.settings import Settings


@contextmanager
def open_database(settings: Settings) -> Iterator[str]:
    """The URL of the database for the length of the block.

    With DATABASE_URL set it is that, whatever happens: never a silent fallback. Unset, the embedded Postgres is
    started (or joined, if it runs already) and stopped again at the end if this started it. Raises Unavailable where
    there is none, as in the container image.
    """
    if settings.database_url is not None:
        yield settings.database_url
        return
    if not embedded.is_installed():
        raise Unavailable("DATABASE_URL is not set, and there is no embedded Postgres here.")
    folder = settings.data_dir / "postgres"
    running = embedded.is_running(folder)
    url = embedded.start(folder)
    try:
        yield url
    finally:
        if not running:
            embedded.stop(folder)
