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

    With DATABASE_URL set it is that, whatever happens: never a silent fallback. Unset, it is the embedded Postgres, as
    in ``open_embedded``.
    """
    if settings.database_url is not None:
        yield settings.database_url
        return
    with open_embedded(settings) as server:
        yield server.url


@contextmanager
def open_embedded(settings: Settings) -> Iterator[embedded.Use]:
    """The embedded Postgres for the length of the block: started if need be, stopped at the end if nobody else uses it.

    Raises Unavailable where there is none, as in the container image, or where it cannot run.
    """
    if not embedded.is_installed():
        raise Unavailable("DATABASE_URL is not set, and there is no embedded Postgres here.")
    with embedded.use(settings.data_dir / "postgres") as server:
        yield server
