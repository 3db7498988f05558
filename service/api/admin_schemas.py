"""The shapes of what administers a workspace: keys, the audit log, purges and subject exports."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from service.api.schemas import Body
from service.domain.field_types import CreatedAt, Name
from service.domain.installation import EmbeddingSettings, InstallationSettings, RerankSettings
from service.domain.workspace import WorkspaceSettings


class CreateKey(Body):
    """API key to create."""

    role: Literal["admin", "agent", "reader"] = Field(
        description="Role of the key: `admin` (whole workspace), `reader` (whole workspace, read only) or `agent` "
        "(one agent)."
    )
    agent: Name | None = Field(None, description="Agent of the key. Required for the role `agent`.")
    name: Name = Field(description="Display name of the key.")


class CreatedKey(BaseModel):
    """New API key with its secret."""

    id: UUID = Field(description="Id of the key.")
    key: str = Field(description="Secret of the key, returned only here.")
    role: str = Field(description="Role of the key: `admin`, `reader` or `agent`.")
    agent: str | None = Field(description="Agent of the key; null for other roles.")
    name: str = Field(description="Display name of the key.")


class Key(BaseModel):
    """API key without its secret."""

    id: UUID = Field(description="Id of the key.")
    name: str = Field(description="Display name of the key.")
    role: str = Field(description="Role of the key: `admin`, `reader` or `agent`.")
    agent: str | None = Field(description="Agent of the key; null for other roles.")
    created_at: CreatedAt
    revoked_at: datetime | None = Field(description="Time of revocation; null for a valid key.")


class Whoami(BaseModel):
    """Key of the request, with its workspace and role."""

    workspace: str = Field(description="Name of the workspace.")
    key_id: UUID = Field(description="Id of the key.")
    name: str = Field(description="Display name of the key.")
    role: str = Field(description="Role of the key: `admin`, `reader` or `agent`.")
    agent: str | None = Field(description="Agent of the key; null for other roles.")


class AuditLine(BaseModel):
    """Entry of the audit log. Reads are combined: one entry per kind and agent, with `details.count`."""

    id: UUID = Field(description="Id of the entry.")
    at: datetime = Field(description="Time of the action.")
    actor: str = Field(description="Actor as `agent:<name>` or `<role>:<key id>`.")
    key_id: UUID | None = Field(description="Id of the key; null for actions without a key.")
    action: str = Field(description="Name of the action, such as `key.created`.")
    target: str | None = Field(description="Object of the action.")
    subject: str | None = Field(description="User concerned by the action.")
    details: dict[str, Any] = Field(
        description="Details of the action; `count` is the number of reads combined in the entry."
    )


class Receipt(BaseModel):
    """Receipt of a purge."""

    id: UUID = Field(description="Id of the receipt.")
    counts: dict[str, int] = Field(
        description="Number of deleted rows by table; `shared_memories` counts memories kept without the user's part."
    )
    why: dict[str, int] = Field(description="Number of affected memories by their tie to the user.")
    at: datetime = Field(description="Time of the purge.")


class PurgeReceipt(BaseModel):
    """Response to a purge."""

    receipt: Receipt = Field(description="Receipt of the purge.")


class SubjectExport(BaseModel):
    """All data about and from a user."""

    user: str = Field(description="Name of the user.")
    at: datetime = Field(description="Time of the export.")
    memories: list[dict[str, Any]] = Field(
        description="Memories about the user; `shared` marks those also about other people."
    )
    messages: list[dict[str, Any]] = Field(description="Messages of the user.")
    sessions: list[dict[str, Any]] = Field(description="Sessions of the user.")
    documents: list[dict[str, Any]] = Field(description="Documents of the user.")
    proposals: list[dict[str, Any]] = Field(description="Proposals of the inbox that are about or from the user.")
    edges: list[dict[str, Any]] = Field(description="Edges stated by memories about the user.")
    pages: list[dict[str, Any]] = Field(
        description="Questions of pages about the user, and sentences of their answers (by `version`) about the user."
    )


class UsageItem(BaseModel):
    """Usage of one purpose by one day, key or agent."""

    day: date | None = Field(description="Day (UTC); null unless grouped by day.")
    key_id: UUID | None = Field(
        description="Id of the key; null unless grouped by key, and for calls without a request."
    )
    agent: str | None = Field(
        description="Name of the agent; null unless grouped by agent, and for calls without an agent."
    )
    purpose: str = Field(
        description="Purpose of the calls: `extract`, `reconcile`, `decide`, `reflect`, `bulletin`, `summary`, `ask`, "
        "`rerank`, `embed`, `proxy` or `probe`."
    )
    calls: int = Field(description="Number of calls.")
    failed_calls: int = Field(description="Number of failed calls.")
    prompt_tokens: int = Field(description="Number of prompt tokens.")
    completion_tokens: int = Field(description="Number of completion tokens.")
    cost_usd: float = Field(description="Cost in US dollars.")


class BudgetToday(BaseModel):
    """Use of today's budget (UTC), and its limits."""

    tokens: int = Field(description="Tokens used today (UTC), running calls counted at their maximum.")
    cost_usd: float = Field(description="Cost of today (UTC) in US dollars, running calls counted at their maximum.")
    dream_tokens: int = Field(description="Tokens used today (UTC) by dreams and bulletins.")
    dream_cost_usd: float = Field(description="Cost of today's (UTC) dreams and bulletins in US dollars.")
    tokens_max: int | None = Field(description="Limit of tokens per day; null for no limit.")
    cost_max_usd: float | None = Field(description="Limit of cost per day in US dollars; null for no limit.")
    dream_tokens_max: int | None = Field(
        description="Limit of tokens per day for dreams and bulletins; null for no limit."
    )
    dream_cost_max_usd: float | None = Field(
        description="Limit of cost per day for dreams and bulletins in US dollars; null for no limit."
    )


class UsageReport(BaseModel):
    """Usage of models."""

    since: date = Field(description="First day (UTC).")
    until: date = Field(description="Last day (UTC), inclusive.")
    by: Literal["day", "key", "agent"] = Field(description="Grouping: `day`, `key` or `agent`.")
    items: list[UsageItem] = Field(description="Usage by group and purpose.")
    today: BudgetToday = Field(description="Use of today's budget (UTC).")


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


class Settings(PutSettings):
    """Settings of a workspace; those of the installation are null except for admin keys of the default workspace."""
