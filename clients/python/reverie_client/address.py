"""Where the service is and with what key, as the environment says it."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

DEFAULT_URL = "http://127.0.0.1:8000"


def setting(name: str) -> str | None:
    """Return a variable of the environment; None where it is unset or empty."""
    return os.environ.get(name, "").strip() or None


def is_database(url: str) -> bool:
    """Return whether an address is that of a Postgres."""
    return _scheme(url) in ("postgres", "postgresql")


def in_process(name: str) -> Any:
    """Return what the package of the server has for clients of its own process. Raises ValueError where it is not
    installed."""
    try:
        return getattr(import_module("reverie.local"), name)
    except ImportError as error:
        raise ValueError(
            "the address of a Postgres needs the package reverie-server, with which Reverie runs in this process"
        ) from error


def service_url(url: str | None, name: str = "url") -> str:
    """Return the address given as ``name``, else REVERIE_URL, else that of this machine.

    Raises ValueError, without showing it, for one that is neither of a service nor of a Postgres: it may hold a
    password.
    """
    if url is None:
        url, name = setting("REVERIE_URL") or DEFAULT_URL, "REVERIE_URL"
    if _scheme(url) not in ("http", "https") and not is_database(url):
        raise ValueError(
            f"{name} is to be the address of the Reverie service, such as {DEFAULT_URL}, or of a Postgres, on which "
            "Reverie then runs in this process."
        )
    return url


def _scheme(url: str) -> str:
    return url.partition("://")[0].lower()
