"""Deletions of sessions, agents and teams as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

DeletedKind = Literal["session", "agent", "team"]


@dataclass(frozen=True, slots=True)
class Deleted:
    """A session, an agent or a team with what goes with it, counted or deleted."""

    dry_run: Annotated[bool, Field(description="Whether the rows were only counted.")]
    counts: Annotated[dict[str, int], Field(description="Number of rows by table.")]
    token: Annotated[str | None, Field(description="Token that confirms the deletion; null once it is done.")]
    expires_at: Annotated[datetime | None, Field(description="Expiry of the token; null once the deletion is done.")]
    deletion_id: Annotated[
        UUID | None, Field(description="Id of the deletion, by which it can be undone; null for a dry run.")
    ]
    restorable_until: Annotated[datetime | None, Field(description="End of the time to undo it; null for a dry run.")]


@dataclass(frozen=True, slots=True)
class DeletionRecord:
    """Deletion of a session, an agent or a team."""

    id: Annotated[UUID, Field(description="Id of the deletion.")]
    kind: Annotated[DeletedKind, Field(description="Kind of what was deleted: `session`, `agent` or `team`.")]
    name: Annotated[str, Field(description="Name of what was deleted.")]
    agent: Annotated[str | None, Field(description="Agent of the session, or the agent itself; null for a team.")]
    counts: Annotated[dict[str, int], Field(description="Number of deleted rows by table.")]
    deleted_by: Annotated[str, Field(description="Actor of the deletion.")]
    deleted_at: Annotated[datetime, Field(description="Time of the deletion.")]
    restored_at: Annotated[datetime | None, Field(description="Time of the undo; null unless undone.")]
    restorable_until: Annotated[datetime, Field(description="End of the time to undo it.")]


@dataclass(frozen=True, slots=True)
class UndoneDeletion:
    """Deletion that was undone."""

    id: Annotated[UUID, Field(description="Id of the deletion.")]
    kind: Annotated[DeletedKind, Field(description="Kind of what is back: `session`, `agent` or `team`.")]
    name: Annotated[str, Field(description="Name of what is back.")]
    agent: Annotated[str | None, Field(description="Agent of the session, or the agent itself; null for a team.")]
    counts: Annotated[dict[str, int], Field(description="Number of rows by table when they were deleted.")]
    restored_at: Annotated[datetime, Field(description="Time of the undo.")]
