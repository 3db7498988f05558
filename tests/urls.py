"""Database URLs with another place or another login in them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit


def at(url: str, host: str, port: int) -> str:
    """The URL with another host and port."""
    parts = urlsplit(url)
    user, at_sign, _ = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user}{at_sign}{host}:{port}"))


def as_login(url: str, login: str) -> str:
    """The URL with another ``user:password``."""
    return re.sub("//[^@/]*@", f"//{login}@", url, count=1)
