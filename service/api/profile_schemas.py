"""The shapes of users and profiles."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field


class User(BaseModel):
    """User whom memories are about."""

    user: str = Field(description="Name of the user.")
    memories: int = Field(description="Number of live memories about the user.")
    last_seen_at: datetime = Field(description="Time at which a memory of the user was last saved or said again.")


class ProfileField(BaseModel):
    """One value of a field of a profile."""

    name: str = Field(
        description="Name of the field: `name`, `home`, `work`, `family`, `diet`, `likes`, `dislikes`, `goals`, "
        "`language`, `time zone`, `birthday`, `pets` or `recent` (events of the last 30 days). A field with several "
        "values is there once for each."
    )
    detail: str | None = Field(
        description="Aspect of the field, as `employer`, `sister` or `allergy`; null for a field without aspects."
    )
    value: str | bool | int | float = Field(
        description="Value as said; with the setting `profile_schema` of the type that it names."
    )
    memory_ids: list[UUID] = Field(description="Ids of the memories that say so, the newest first.")
    since: datetime = Field(description="Start of validity.")
    group: Literal["static", "recent", "preferences", "goals"] = Field(
        description="Part of the profile: `static`, `recent`, `preferences` or `goals`; `static` for a field that a "
        "model filled."
    )


class Profile(BaseModel):
    """Profile of a user."""

    user: str = Field(description="Name of the user.")
    fields: list[ProfileField] = Field(description="Fields in a fixed order, the newest value first within each.")
    version: str = Field(description="Digest of the fields; equal for equal profiles.")
    as_of: datetime = Field(description="Time that the profile is of.")


class ProfileChange(BaseModel):
    """Change of one value of a field of a profile."""

    change: Literal["added", "removed", "changed", "sources"] = Field(
        description="Kind of the change: `added`, `removed`, `changed` (a field with one value has another one), or "
        "`sources` (other memories say the same)."
    )
    before: ProfileField | None = Field(description="Value before; null for one that was added.")
    after: ProfileField | None = Field(description="Value after; null for one that was removed.")


class ProfileDiff(BaseModel):
    """Changes of a profile between two times."""

    user: str = Field(description="Name of the user.")
    since: datetime = Field(alias="from", description="Time of the former profile.")
    until: datetime = Field(alias="to", description="Time of the later profile.")
    from_version: str = Field(description="Digest of the fields at `from`.")
    to_version: str = Field(description="Digest of the fields at `to`.")
    changes: list[ProfileChange] = Field(description="Changes field by field; empty where the versions are equal.")
