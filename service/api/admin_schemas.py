"""The shapes of what administers a workspace: keys, the audit log, purges and subject exports."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from service.domain.field_types import Name, Timestamp
from service.domain.installation import EmbeddingSettings, InstallationSettings, RerankSettings
from service.domain.limits import NO_LIMITS, Limits
from service.domain.principal import KEY_SCOPES, KeyGrant, KeyScope
from service.domain.strict import StrictModel
from service.domain.workspace import WorkspaceSettings


class CreateKey(StrictModel):
    """API key to create."""

    role: Literal["admin", "agent", "reader"] = Field(
        description="Role of the key: `admin` (whole workspace), `reader` (whole workspace, read only) or `agent` "
        "(one agent)."
    )
    agent: Name | None = Field(None, description="Agent of the key. Required for the role `agent`.")
    user: Name | None = Field(
        None, description="User to bind the key to: all its requests are for this user. Default: none."
    )
    name: Name = Field(description="Display name of the key.")
    scopes: list[KeyScope] | None = Field(
        None,
        min_length=1,
        max_length=len(KEY_SCOPES),
        description="Scopes that narrow the role: `read`, `write`, `dream`, `export`. A key with scopes may not "
        "administer. Default: all that the role allows.",
    )
    expires_at: Timestamp | None = Field(
        None,
        description="Time from which on the key is refused, in the future. Default: that of the key of the request, or "
        "for a sign-in `keys.days_max` days from now.",
    )

    limits: Limits = Field(
        NO_LIMITS, description="Limits of the key; those left out are those of the key of the request. Default: all."
    )

    def grant(self) -> KeyGrant:
        """What the key is for."""
        scopes = None if self.scopes is None else frozenset(self.scopes)
        return KeyGrant(self.role, self.name, self.agent, scopes, self.expires_at, self.limits, user=self.user)


class UpdateKey(StrictModel):
    """Changes of an API key."""

    limits: Limits = Field(description="Limits to change; null lifts one, and those left out stay.")


class PutSettings(WorkspaceSettings):
    """Changes to the settings of a workspace and, with an admin key of the default workspace, of the installation."""

    embedding: EmbeddingSettings | None = Field(
        None,
        description="Embedding model of the installation. Admin keys of the default workspace only. Null: unchanged. "
        "Default null.",
    )
    rerank: RerankSettings | None = Field(
        None,
        description="Reranking model of the installation. Admin keys of the default workspace only. Null: unchanged. "
        "Default null.",
    )

    def of_workspace(self) -> WorkspaceSettings:
        """The changes to the workspace's own."""
        given = self.model_dump(exclude_unset=True, exclude=set(InstallationSettings.model_fields))
        return WorkspaceSettings.model_validate(given)

    def of_models(self) -> dict[str, dict[str, Any]]:
        """The changes to the installation's, by section."""
        return {
            name: section.model_dump(exclude_unset=True, exclude={"locked_by"})
            for name in InstallationSettings.model_fields
            if (section := getattr(self, name)) is not None
        }


class ResetSettings(StrictModel):
    """Settings to reset to their defaults."""

    names: Annotated[list[Name], Field(min_length=1, max_length=200)] = Field(
        description="Dotted names of settings (`retrieval.rrf_k`) or sections (`retrieval`), 1 to 200."
    )


class Settings(PutSettings):
    """Settings of a workspace; those of the installation are null except for admin keys of the default workspace."""
