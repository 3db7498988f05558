"""What requests say of workspaces."""

from __future__ import annotations

from pydantic import Field

from service.domain.field_types import Name
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
