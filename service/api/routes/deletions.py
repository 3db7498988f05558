"""Deletions of sessions, agents and teams, and their undoing."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path

from service.api.dependencies import (
    AgentPath,
    AgentQuery,
    Call,
    DryRun,
    JsonResponse,
    Page,
    Paging,
    PathName,
    SessionPath,
    Token,
    json_response,
    page_response,
)
from service.api.routing import api_router
from service.domain.deletions import Deleted, DeletionRecord, UndoneDeletion
from service.memory.access import deletions

TeamPath = Annotated[PathName, Path(description="Name of the team.")]

router = api_router(prefix="/v1", tags=["deletions"])


@router.delete("/sessions/{session}", summary="Delete a session")
async def delete_session(
    call: Call, session: SessionPath, agent: AgentQuery = None, dry_run: DryRun = False, token: Token = None
) -> JsonResponse[Deleted]:
    """With its messages, and the memories that come from it alone. Count first with `dry_run`, then send the token of
    the answer; 409 if the counts have changed meanwhile. Can be undone for `retention.deleted_days`."""
    return json_response(await deletions.delete_session(*call, agent, session, dry_run=dry_run, token=token))


@router.delete("/agents/{agent}", summary="Delete an agent")
async def delete_agent(
    call: Call, agent: AgentPath, dry_run: DryRun = False, token: Token = None
) -> JsonResponse[Deleted]:
    """With everything that it holds: sessions, memories of every scope, documents, entities, dreams, pages. Its keys
    stay, and make a new agent of its name when one of them writes. Counted, confirmed and undone as a session. Admin
    keys only."""
    return json_response(await deletions.delete_agent(*call, agent, dry_run=dry_run, token=token))


@router.delete("/teams/{team}", summary="Delete a team")
async def delete_team(
    call: Call, team: TeamPath, dry_run: DryRun = False, token: Token = None
) -> JsonResponse[Deleted]:
    """With the memories of its scope, of any author; its agents stay. Counted, confirmed and undone as a
    session. Admin keys only."""
    return json_response(await deletions.delete_team(*call, team, dry_run=dry_run, token=token))


@router.get("/deletions", summary="List deletions")
async def list_deletions(call: Call, paging: Paging) -> JsonResponse[Page[DeletionRecord]]:
    """Deletions of sessions, agents and teams, newest first; with an agent key, of the agent's own sessions."""
    return page_response(*await deletions.list_deletions(*call, **paging))


@router.post("/deletions/{deletion_id}/undo", summary="Undo a deletion")
async def undo_deletion(
    call: Call, deletion_id: Annotated[UUID, Path(description="Id of the deletion.")]
) -> JsonResponse[UndoneDeletion]:
    """Everything is back as it was, but for what a purge has removed since; memories that were saved again meanwhile
    stay deleted. 409 if the name is taken or the agent is gone."""
    return json_response(await deletions.undo_deletion(*call, deletion_id))
