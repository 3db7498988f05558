"""The shapes of what administers a workspace: keys, the audit log, purges and subject exports."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from service.domain.field_types import Name, Timestamp
from service.domain.installation import EmbeddingSettings, InstallationSettings, RerankSettings
from service.domain.limits import NO_LIMITS, LimitHolder, Limits
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
    name: Name = Field(description="Display name of the key.")
    scopes: list[KeyScope] | None = Field(
        None,
        min_length=1,
        max_length=len(KEY_SCOPES),
        description="Scopes that narrow the role: `read`, `write`, `dream`, `export`. A key with scopes may not "
        "administer. Default: all that the role allows.",
    )
    expires_at: Timestamp | None = Field(
        None, description="Time from which on the key is refused, in the future. Default: it does not expire."
    )

    limits: Limits = Field(NO_LIMITS, description="Limits of the key. Default: none.")

    def grant(self) -> KeyGrant:
        """What the key is for."""
        scopes = None if self.scopes is None else frozenset(self.scopes)
        return KeyGrant(self.role, self.name, self.agent, scopes, self.expires_at, self.limits)


class UpdateKey(StrictModel):
    """Changes of an API key."""

    limits: Limits = Field(description="Limits to change; null lifts one, and those left out stay.")


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


class RequestsItem(BaseModel):
    """Requests of one day or key."""

    day: date | None = Field(description="Day (UTC); null unless grouped by day.")
    key_id: UUID | None = Field(description="Id of the key; null unless grouped by key.")
    requests: int = Field(description="Number of authenticated requests.")


class StoredItem(BaseModel):
    """Memories and messages stored on one day, or by one key."""

    day: date | None = Field(description="Day (UTC) of the count; null unless grouped by day.")
    key_id: UUID | None = Field(description="Id of the key that stored them; null unless grouped by key.")
    rows: int = Field(description="Number of memories and messages at the last count.")
    bytes: int = Field(description="Bytes (UTF-8) of their content and metadata.")


class DreamsItem(BaseModel):
    """Dreams of one day, key or agent."""

    day: date | None = Field(description="Day (UTC); null unless grouped by day.")
    key_id: UUID | None = Field(description="Id of the key that asked for them; null unless grouped by key.")
    agent: str | None = Field(description="Name of the agent; null unless grouped by agent.")
    dreams: int = Field(description="Number of dreams.")


class LimitsUsed(BaseModel):
    """Present use of limits."""

    requests_this_minute: int | None = Field(description="Requests of this minute; null without such a limit.")
    requests_today: int | None = Field(description="Requests of this day (UTC); null without such a limit.")
    rows: int | None = Field(description="Stored memories and messages; null before the first count.")
    bytes: int | None = Field(description="Bytes (UTF-8) of their content and metadata; null before the first count.")
    day_cost_usd: float = Field(
        description="Cost of models of this day (UTC) in US dollars, running calls counted at their maximum; of a key "
        "with such a limit only."
    )
    month_cost_usd: float = Field(description="Cost of models of this month (UTC) in US dollars, likewise.")
    dreams: int = Field(description="Dreams that wait or run.")


class LimitUse(BaseModel):
    """Limits of the workspace or of a key, and their present use."""

    of: LimitHolder = Field(description="Holder of the limits: `workspace` or `key`.")
    key_id: UUID | None = Field(description="Id of the key; null for the workspace.")
    name: str | None = Field(description="Display name of the key; null for the workspace.")
    limits: Limits = Field(description="Limits in force.")
    used: LimitsUsed = Field(description="Present use.")


class UsageReport(BaseModel):
    """Usage of models, and requests."""

    since: date = Field(description="First day (UTC).")
    until: date = Field(description="Last day (UTC), inclusive.")
    by: Literal["day", "key", "agent"] = Field(description="Grouping: `day`, `key` or `agent`.")
    items: list[UsageItem] = Field(description="Usage by group and purpose.")
    requests: list[RequestsItem] = Field(description="Requests by group; empty when grouped by agent.")
    stored: list[StoredItem] = Field(
        description="Stored memories and messages by group, as the worker counted them; empty when grouped by agent."
    )
    dreams: list[DreamsItem] = Field(description="Dreams by group.")
    limits: list[LimitUse] = Field(
        description="Limits and their use: of the workspace, then of each key that has any, at most 1,000."
    )
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


class SettingSource(BaseModel):
    """Setting of a workspace with its default."""

    name: str = Field(description="Dotted name, such as `retrieval.rrf_k`.")
    value: Any = Field(description="Value in effect, without keys of models.")
    default: Any = Field(description="Default value.")
    source: Literal["default", "workspace"] = Field(
        description="Source of the value: `default` or `workspace` (chosen by an admin)."
    )


class ResetSettings(StrictModel):
    """Settings to reset to their defaults."""

    names: Annotated[list[Name], Field(min_length=1, max_length=200)] = Field(
        description="Dotted names of settings (`retrieval.rrf_k`) or sections (`retrieval`), 1 to 200."
    )


class Settings(PutSettings):
    """Settings of a workspace; those of the installation are null except for admin keys of the default workspace."""
