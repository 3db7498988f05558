"""Keys, settings, the audit log, usage, figures by day, kept calls of models; workspaces of the installation."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Path, Query
from pydantic import ConfigDict, Field
from starlette.responses import StreamingResponse

from service.api.dependencies import (
    AgentQuery,
    Call,
    DryRun,
    Items,
    JsonResponse,
    Page,
    Paging,
    PathName,
    Token,
    holding,
    items_response,
    json_response,
    page_response,
    transfers,
)
from service.api.routes.transfer import NDJSON, download
from service.api.routing import api_router
from service.domain.audit import AuditLine
from service.domain.field_types import Name, Timestamp
from service.domain.installation import EmbeddingSettings, InstallationSettings, RerankSettings
from service.domain.kept_calls import ModelCall
from service.domain.keys import CreatedKey, Key, KeyLimitsChanged, Whoami
from service.domain.limits import NO_LIMITS, Limits
from service.domain.model_calls import Outcome
from service.domain.principal import KEY_SCOPES, KeyGrant, KeyScope, Principal
from service.domain.setting import SECTIONS, TITLES
from service.domain.spending import Purpose
from service.domain.stats import Stats
from service.domain.strict import StrictModel
from service.domain.usage import UsageReport
from service.domain.workspace import WorkspaceSettings
from service.domain.workspaces import CreatedWorkspace, Workspace, WorkspaceDeletion
from service.memory.access import audit, keys, workspace
from service.memory.access.model_settings import model_settings
from service.memory.access.workspace import SettingSource
from service.memory.ops import usage, workspaces
from service.memory.ops.usage import stats_report, usage_report
from service.runtime import Runtime


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

    model_config = ConfigDict(
        json_schema_extra={TITLES: [{"name": name, "title": title} for name, title in SECTIONS.items()]}
    )

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


KeyId = Annotated[UUID, Path(description="Id of the key.")]

router = api_router(prefix="/v1", tags=["admin"])


@router.post("/keys", status_code=201, summary="Create an API key")
async def create_key(call: Call, body: CreateKey) -> JsonResponse[CreatedKey]:
    """The secret is returned only here. The key may do, cost and hold no more than that of the request, against whose
    limits it counts too, and lives no longer; 403 names the field that exceeds it."""
    return json_response(await keys.create_key(*call, body.grant()), 201)


@router.get("/keys", summary="List API keys")
async def list_keys(call: Call, paging: Paging) -> JsonResponse[Page[Key]]:
    """Keys without their secrets, newest first. Last use is written each second, to the minute."""
    return page_response(*await keys.list_keys(*call, **paging))


@router.get("/whoami", summary="Get the key of this request")
async def get_caller(call: Call) -> JsonResponse[Whoami]:
    """Workspace, role and agent of the key."""
    return json_response(await keys.describe_caller(*call))


@router.post("/keys/{key_id}/rotate", summary="Rotate the secret of an API key")
async def rotate_key(call: Call, key_id: KeyId) -> JsonResponse[CreatedKey]:
    """The former secret is invalid at once. Scopes and expiry stay as they are. 403 for a key that exceeds
    that of the request, 409 for that of an OAuth client."""
    return json_response(await keys.rotate_key(*call, key_id))


@router.patch("/keys/{key_id}", summary="Change the limits of an API key")
async def update_key(call: Call, key_id: KeyId, body: UpdateKey) -> JsonResponse[KeyLimitsChanged]:
    """In effect at once. 403 for a key that exceeds that of the request, before or after the change."""
    return json_response(await keys.limit_key(*call, key_id, body.limits))


@router.delete("/keys/{key_id}", status_code=204, summary="Revoke an API key")
async def revoke_key(call: Call, key_id: KeyId) -> None:
    """The key is invalid at once, and the keys that it made or consented to; with that of a sign-in, all keys of
    whoever signed in. 409 where no admin key would be left."""
    await keys.revoke_key(*call, key_id)


@router.get("/settings", summary="Get the workspace settings")
async def get_settings(call: Call) -> JsonResponse[Settings]:
    """With an admin key of the default workspace also `embedding` and `rerank` as in effect, and which environment
    variables win (`locked_by`)."""
    return await _shown(*call, await workspace.get_settings(*call))


@router.put("/settings", summary="Update the workspace settings")
async def update_settings(call: Call, body: PutSettings) -> JsonResponse[Settings]:
    """Omitted sections and fields keep their value. In effect on the next call; `embedding` and `rerank` in all
    processes within five seconds, after a trial of the model."""
    changed = await workspace.put_settings(*call, body.of_workspace(), body.of_models())
    return await _shown(*call, changed)


async def _shown(runtime: Runtime, caller: Principal, settings: WorkspaceSettings) -> JsonResponse[Settings]:
    models = (await model_settings(runtime)).model_dump() if caller.is_installation_admin else {}
    return json_response(Settings.model_validate(settings.shown().model_dump() | models))


@router.get("/settings/sources", summary="List the workspace settings with their defaults")
async def list_setting_sources(call: Call) -> JsonResponse[Items[SettingSource]]:
    """Every setting of the workspace by its dotted name, with its default and whether the workspace chose its value."""
    return items_response(await workspace.setting_sources(*call))


@router.post("/settings/reset", summary="Reset workspace settings to their defaults")
async def reset_settings(call: Call, body: ResetSettings) -> JsonResponse[Settings]:
    """The settings after the reset. Admin keys only."""
    return await _shown(*call, await workspace.reset_settings(*call, body.names))


@router.get("/audit", summary="List the audit log")
async def list_audit_entries(
    call: Call,
    paging: Paging,
    action: Annotated[Name | None, Query(description="Action to filter by, such as `key.created`.")] = None,
    actor: Annotated[Name | None, Query(description="Actor to filter by: `agent:<name>` or `<role>:<key id>`.")] = None,
    since: Annotated[Timestamp | None, Query(description="Earliest time, inclusive.")] = None,
    until: Annotated[Timestamp | None, Query(description="Latest time, exclusive.")] = None,
) -> JsonResponse[Page[AuditLine]]:
    """Administrative actions, and reads of other agents' data. Newest first. Admin keys only."""
    return page_response(*await audit.list_audit(*call, action=action, actor=actor, since=since, until=until, **paging))


@router.get("/usage", summary="Get the model usage")
async def get_usage(
    call: Call,
    since: Annotated[date | None, Query(description="First day (UTC). Default: 29 days before `until`.")] = None,
    until: Annotated[date | None, Query(description="Last day (UTC), inclusive. Default: today.")] = None,
    by: Annotated[
        Literal["day", "key", "agent"], Query(description="Grouping: `day` (UTC), `key` or `agent`. Default `day`.")
    ] = "day",
) -> JsonResponse[UsageReport]:
    """Calls, tokens and cost by purpose, and requests, at most 10,000 rows each. Admin keys only."""
    return json_response(await usage_report(*call, since=since, until=until, by=by))


@router.get("/stats", summary="Get figures by day")
async def get_stats(
    call: Call,
    agent: AgentQuery = None,
    since: Annotated[date | None, Query(description="First day (UTC). Default: 29 days before `until`.")] = None,
    until: Annotated[date | None, Query(description="Last day (UTC), inclusive. Default: today.")] = None,
    step: Annotated[Literal["day"], Query(description="Length of a step: `day`. Default `day`.")] = "day",
) -> JsonResponse[Stats]:
    """Memories, dreams and searches of at most 400 days, of an agent or, without one, of the workspace."""
    return json_response(await stats_report(*call, agent=agent, since=since, until=until))


model_calls_router = api_router(prefix="/v1/model-calls", tags=["admin"])

CallId = Annotated[UUID, Path(description="Id of the call.")]


@model_calls_router.get("", summary="List model calls")
async def list_model_calls(
    call: Call,
    paging: Paging,
    agent: AgentQuery = None,
    dream: Annotated[UUID | None, Query(description="Id of a dream to filter by.")] = None,
    purpose: Annotated[
        Purpose | None,
        Query(
            description="Purpose to filter by: extract, reconcile, decide, reflect, bulletin, summary, page, ask, "
            "rerank, embed, proxy or probe."
        ),
    ] = None,
    outcome: Annotated[
        Outcome | None,
        Query(description="Outcome to filter by: answered, invalid, timeout, unavailable, refused or cancelled."),
    ] = None,
    since: Annotated[Timestamp | None, Query(description="Earliest time, inclusive.")] = None,
    until: Annotated[Timestamp | None, Query(description="Latest time, exclusive.")] = None,
) -> JsonResponse[Page[ModelCall]]:
    """Attempts at language models with the beginnings of their texts, newest first, kept by the setting
    `retention.model_calls_days`. Not those of embedders and of the proxy. Admin keys only."""
    found = await usage.list_model_calls(
        *call, agent=agent, dream=dream, purpose=purpose, outcome=outcome, since=since, until=until, **paging
    )
    return page_response(*found)


@model_calls_router.get("/{call_id}", summary="Read a model call")
async def get_model_call(call: Call, call_id: CallId) -> JsonResponse[ModelCall]:
    """A call with its whole texts. Admin keys only."""
    return json_response(await usage.get_model_call(*call, call_id))


WorkspacePath = Annotated[PathName, Path(description="Id or name of the workspace.")]

workspaces_router = api_router(prefix="/v1/workspaces", tags=["workspaces"])


@workspaces_router.post("", status_code=201, summary="Create a workspace")
async def create_workspace(call: Call, body: CreateWorkspace) -> JsonResponse[CreatedWorkspace]:
    """With its first admin key. Admin keys of the default workspace only, as all of these."""
    return json_response(await workspaces.create_workspace(*call, body.name), 201)


@workspaces_router.get("", summary="List workspaces")
async def list_workspaces(call: Call, paging: Paging) -> JsonResponse[Page[Workspace]]:
    """Workspaces, newest first."""
    return page_response(*await workspaces.list_workspaces(*call, **paging))


@workspaces_router.patch("/{workspace}", summary="Rename, suspend, resume or limit a workspace")
async def update_workspace(call: Call, workspace: WorkspacePath, body: UpdateWorkspace) -> JsonResponse[Workspace]:
    """While it is suspended, requests with its keys answer 403 `Workspace suspended`, and workers leave it alone.
    Of the default workspace only the limits can be changed (409)."""
    changed = await workspaces.update_workspace(
        *call, workspace, name=body.name, suspended=body.suspended, changes=body.limits or NO_LIMITS
    )
    return json_response(changed)


@workspaces_router.delete("/{workspace}", summary="Delete a workspace")
async def delete_workspace(
    call: Call, workspace: WorkspacePath, dry_run: DryRun = False, token: Token = None
) -> JsonResponse[WorkspaceDeletion]:
    """Irreversibly deletes every row of a suspended workspace, in one transaction. Count first with `dry_run`, then
    send the token of the answer; 409 if the counts have changed meanwhile."""
    return json_response(await workspaces.delete_workspace(*call, workspace, dry_run=dry_run, token=token))


@workspaces_router.get(
    "/{workspace}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {NDJSON: {}}}},
    summary="Export a workspace of the installation",
)
async def export_workspace(call: Call, workspace: WorkspacePath) -> StreamingResponse:
    """A stream with one JSON object per line (NDJSON), as of `GET /v1/export`. Suspended workspaces too."""
    with holding(call.runtime.part(transfers).slot(call.caller)) as held:
        lines = await workspaces.export_workspace(*call, workspace)
        return download(lines, held)
