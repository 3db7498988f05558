"""Where the service is and with what key, as the environment says it."""

from __future__ import annotations

import os

DEFAULT_URL = "http://127.0.0.1:8000"


def setting(name: str) -> str | None:
    """Return a variable of the environment; None where it is unset or empty."""
    return os.environ.get(name, "").strip() or None


def service_url(url: str | None, name: str = "url") -> str:
    """Return the address given as ``name``, else REVERIE_URL, else that of this machine.

    Raises ValueError, without showing it, for one that is not of a service: that of a database may hold a password.
    """
    if url is None:
        url, name = setting("REVERIE_URL") or DEFAULT_URL, "REVERIE_URL"
    if url.partition("://")[0].lower() not in ("http", "https"):
        raise ValueError(
            f"{name} is to be the address of the Reverie service, such as {DEFAULT_URL}: it alone speaks to the "
            "database. The service is given the address of a Postgres by DATABASE_URL."
        )
    return url
