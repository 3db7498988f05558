"""Ids of rows: UUIDv7, made here, so that they sort by the time they were made (RFC 9562)."""

from __future__ import annotations

from uuid import UUID

from uuid_utils.compat import uuid7

DEFAULT_WORKSPACE = UUID("00000000-0000-7000-8000-000000000001")
"""The workspace made at first start."""

NO_KEY = UUID(int=0)
"""In place of a key's id: of no key, or of all keys of a workspace together."""


def new_id() -> UUID:
    """Return a fresh UUIDv7."""
    return uuid7()
