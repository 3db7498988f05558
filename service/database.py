"""Which database: the one of DATABASE_URL, or the embedded one under the data folder, said loudly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from service.db.embedded_platforms import ALTERNATIVE, why_none
from service.errors import Unavailable
from service.settings import Settings

if TYPE_CHECKING:
    from service.db import embedded


@contextmanager
def open_database(settings: Settings) -> Iterator[str]:
    """Yield the URL of the database for the length of the block.

    With DATABASE_URL set it is that, whatever happens: never a silent fallback. Unset, it is the embedded Postgres, as
    in ``open_embedded``.
    """
    if settings.database_url is not None:
        yield settings.database_url
        return
    with open_embedded(settings) as server:
        yield server.url


@contextmanager
def settings_with_database(**changes: Any) -> Iterator[Settings]:
    """Yield the process settings with the URL of ``open_database``, and with ``changes``, for the length of the
    block."""
    settings = Settings()
    with open_database(settings) as url:
        yield settings.model_copy(update={"database_url": url, **changes})


@contextmanager
def open_embedded(settings: Settings) -> Iterator[embedded.Use]:
    """Yield the embedded Postgres for the length of the block: started if need be, stopped at the end if nobody else
    uses it.

    Raises Unavailable where there is none, or where it cannot run.
    """
    if reason := why_none():
        raise Unavailable(f"DATABASE_URL is not set, and {reason}: {ALTERNATIVE}.")
    from service.db import embedded

    with embedded.use(settings.data_dir / "postgres") as server:
        yield server
