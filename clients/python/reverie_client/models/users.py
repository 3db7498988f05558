"""Users and their profiles."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from reverie_client.models.base import Answer


class User(Answer):
    """Somebody whom memories are about."""

    user: str
    memories: int
    last_seen_at: datetime


class ProfileField(Answer):
    """One value of a field of a profile, and the memories that say so."""

    name: str
    detail: str | None = None
    value: Any
    memory_ids: list[UUID]
    since: datetime
    group: str


class Profile(Answer):
    """What holds about a user. ``version`` is equal for equal profiles."""

    user: str
    fields: list[ProfileField]
    version: str
    as_of: datetime


class ProfileChange(Answer):
    """What became of one value: ``added``, ``removed``, ``changed``, or other ``sources``."""

    change: str
    before: ProfileField | None = None
    after: ProfileField | None = None


class ProfileDiff(Answer):
    """What changed in a profile between two moments."""

    user: str
    since: datetime = Field(alias="from")
    to: datetime
    from_version: str
    to_version: str
    changes: list[ProfileChange]
