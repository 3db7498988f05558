"""The shapes of workspaces, and of deletions in two steps."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from service.domain.field_types import CreatedAt, Name
from service.domain.limits import Limits
from service.domain.strict import StrictModel


class CreateWorkspace(StrictModel):
    """Workspace to create."""

    name: Name = Field(description="Name of the workspace, unique in the installation.")


class UpdateWorkspace(StrictModel):
    """Changes of a workspace."""

    name: Name | None = Field(None, description="New name, unique in the installation. Default: unchanged.")
    suspended: bool | None = Field(None, description="Whether the workspace is suspended. Default: unchanged.")
    limits: Limits | None = Field(
        None, description="Limits to change; null within lifts one, and those left out stay. Default: unchanged."
    )


class Workspace(BaseModel):
    """Workspace of the installation."""

    id: UUID = Field(description="Id of the workspace.")
    name: str = Field(description="Name of the workspace.")
    created_at: CreatedAt
    suspended_at: datetime | None = Field(description="Time of suspension; null for an active workspace.")
    limits: Limits = Field(description="Limits of the workspace, over all its keys.")


class CreatedWorkspace(Workspace):
    """New workspace with its first admin key."""

    key: str = Field(description="Secret of the first admin key, returned only here.")


class WorkspaceReceipt(BaseModel):
    """Receipt of the deletion of a workspace."""

    id: UUID = Field(description="Id of the receipt.")
    workspace: UUID = Field(description="Id of the workspace.")
    name: str = Field(description="Name of the workspace.")
    counts: dict[str, int] = Field(description="Number of deleted rows by table.")
    at: datetime = Field(description="Time of the deletion.")


class WorkspaceDeletion(BaseModel):
    """Rows of a workspace, counted or deleted."""

    dry_run: bool = Field(description="Whether the rows were only counted.")
    counts: dict[str, int] = Field(description="Number of rows by table.")
    token: str | None = Field(description="Token that confirms the deletion; null once it is done.")
    expires_at: datetime | None = Field(description="Expiry of the token; null once the deletion is done.")
    receipt: WorkspaceReceipt | None = Field(description="Receipt of the deletion; null for a dry run.")
