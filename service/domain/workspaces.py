"""Workspaces of an installation as its admin is shown them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.domain.field_types import CreatedAt
from service.domain.limits import Limits


@dataclass(frozen=True, slots=True)
class Workspace:
    """Workspace of the installation."""

    id: Annotated[UUID, Field(description="Id of the workspace.")]
    name: Annotated[str, Field(description="Name of the workspace.")]
    created_at: CreatedAt
    suspended_at: Annotated[datetime | None, Field(description="Time of suspension; null for an active workspace.")]
    limits: Annotated[Limits, Field(description="Limits of the workspace, over all its keys.")]


@dataclass(frozen=True, slots=True)
class CreatedWorkspace(Workspace):
    """New workspace with its first admin key."""

    key: Annotated[str, Field(description="Secret of the first admin key, returned only here.")]


@dataclass(frozen=True, slots=True)
class WorkspaceReceipt:
    """Receipt of the deletion of a workspace."""

    id: Annotated[UUID, Field(description="Id of the receipt.")]
    workspace: Annotated[UUID, Field(description="Id of the workspace.")]
    name: Annotated[str, Field(description="Name of the workspace.")]
    counts: Annotated[dict[str, int], Field(description="Number of deleted rows by table.")]
    at: Annotated[datetime, Field(description="Time of the deletion.")]


@dataclass(frozen=True, slots=True)
class WorkspaceDeletion:
    """Rows of a workspace, counted or deleted."""

    dry_run: Annotated[bool, Field(description="Whether the rows were only counted.")]
    counts: Annotated[dict[str, int], Field(description="Number of rows by table.")]
    token: Annotated[str | None, Field(description="Token that confirms the deletion; null once it is done.")]
    expires_at: Annotated[datetime | None, Field(description="Expiry of the token; null once the deletion is done.")]
    receipt: Annotated[WorkspaceReceipt | None, Field(description="Receipt of the deletion; null for a dry run.")]
