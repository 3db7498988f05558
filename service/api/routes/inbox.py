"""The inbox: statements that dreams were not sure enough of."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query

from service.api import inbox_schemas as schemas
from service.api.dependencies import (
    AgentQuery,
    Call,
    Items,
    JsonResponse,
    Page,
    Paging,
    items_response,
    json_response,
    page_response,
)
from service.api.routing import api_router
from service.domain.proposals import Decided, Decision, Proposal, ProposalStatus
from service.memory.dreams import inbox

router = api_router(prefix="/v1/inbox", tags=["agents"])

ProposalId = Annotated[UUID, Path(description="Id of the proposal.")]


@router.get("", summary="List proposals")
async def list_inbox(
    call: Call,
    paging: Paging,
    agent: AgentQuery = None,
    status: Annotated[
        ProposalStatus,
        Query(description="Status to filter by: proposed, accepted, edited or rejected. Default `proposed`."),
    ] = "proposed",
) -> JsonResponse[Page[Proposal]]:
    """Statements with a confidence below `dream.propose_below`, with the messages they come from, newest first. What a
    memory says by now is left out."""
    return page_response(*await inbox.list_inbox(*call, agent, status, **paging))


@router.post("", summary="Decide on several proposals")
async def decide_proposals(call: Call, body: schemas.DecisionOnMany) -> JsonResponse[Items[Decided]]:
    """Decides alike on up to 100 proposals, all or none. 409 lists those already decided on."""
    return items_response(await inbox.decide(*call, body.ids, body))


@router.get("/{proposal_id}", summary="Read a proposal")
async def get_proposal(call: Call, proposal_id: ProposalId) -> JsonResponse[Proposal]:
    """A proposal of any status, with the messages it comes from."""
    return json_response(await inbox.get_proposal(*call, proposal_id))


@router.post("/{proposal_id}", summary="Decide on a proposal")
async def decide_proposal(call: Call, proposal_id: ProposalId, body: Decision) -> JsonResponse[Decided]:
    """Accepts, edits, rejects or reopens a proposal. Of two decisions at once one holds, and the other is a 409."""
    (decided,) = await inbox.decide(*call, [proposal_id], body)
    return json_response(decided)
