"""Agents, their bulletins and dreams; tasks; the inbox of statements that dreams were not sure enough of."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Request
from pydantic import Field

from service.api.dependencies import (
    VERSION_MAX,
    AgentPath,
    AgentQuery,
    Call,
    ComparedTo,
    Items,
    JsonResponse,
    Page,
    Paging,
    PartOfName,
    PathName,
    items_response,
    json_response,
    page_response,
    streams,
)
from service.api.routing import api_router
from service.domain.agents import Agent, Task
from service.domain.bulletin import Bulletin, BulletinVersion
from service.domain.dreams import Dream, DreamAction, DreamChange, DreamChanges, DreamStatus
from service.domain.field_types import ActingAgent, Name
from service.domain.proposals import Decided, Decision, Proposal, ProposalStatus
from service.domain.strict import StrictModel
from service.domain.workspace import AgentSettings
from service.memory import agents
from service.memory.dreams import inbox
from service.memory.dreams import runs as dreams
from service.memory.sessions import summarize


class PutAgent(StrictModel):
    """Changes to an agent; only the fields given change."""

    name: Name | None = Field(None, description="Display name of the agent.")
    prime: bool | None = Field(None, description="Access to prime-scoped memories. Admin keys only.")
    teams: Annotated[list[Name], Field(max_length=100)] | None = Field(
        None, description="Teams of the agent, replacing all former ones; at most 100. Admin keys only."
    )
    settings: AgentSettings | None = Field(
        None, description="Settings of the agent over those of the workspace, replacing all of the former."
    )


class PutTask(StrictModel):
    """Members of a task."""

    members: list[Name] | None = Field(
        max_length=1_000,
        description="Names of the member agents, at most 1,000; null opens the task to every agent naming it.",
    )


class Summarize(StrictModel):
    """Selection of facts, events and observations of low importance to summarize, by age or by a token budget."""

    agent: ActingAgent = None
    older_than_days: Annotated[float, Field(ge=0, le=36_500, allow_inf_nan=False)] | None = Field(
        None, description="Minimum age of the memories in days. Default 30; with `tokens_max` 0."
    )
    tokens_max: int | None = Field(
        None,
        ge=0,
        le=2**31 - 1,
        description="Length in tokens that all memories of the agent are to fit into: the oldest are summarized until "
        "they do. Null: by age alone. Default null.",
    )
    dry_run: bool = Field(True, description="Preview without changes. Default true.")


class RequestDream(StrictModel):
    """Options of a dream."""

    dry_run: bool = Field(False, description="Preview without changes. Default false.")
    wait: bool = Field(False, description="Response after the end of the dream instead of at once. Default false.")


class DecisionOnMany(Decision):
    """Decision on several proposals, all or none."""

    ids: Annotated[list[UUID], Field(min_length=1, max_length=100)] = Field(
        description="Ids of the proposals, 1 to 100."
    )


router = api_router(prefix="/v1", tags=["agents"])

DreamId = Annotated[UUID, Path(description="Id of the dream.")]


@router.get("/agents", summary="List agents")
async def list_agents(call: Call, paging: Paging, q: PartOfName = None) -> JsonResponse[Page[Agent]]:
    """Agents in the order of their names."""
    return page_response(*await agents.list_agents(*call, q, **paging))


@router.get("/agents/{agent}")
async def get_agent(call: Call, agent: AgentPath) -> JsonResponse[Agent]:
    """Get an agent."""
    return json_response(await agents.get_agent(*call, agent))


@router.put("/agents/{agent}", summary="Create or update an agent")
async def put_agent(call: Call, agent: AgentPath, body: PutAgent) -> JsonResponse[Agent]:
    """Omitted fields keep their value."""
    changes = body.model_dump(exclude_unset=True)
    return json_response(await agents.put_agent(*call, agent, changes))


@router.get("/agents/{agent}/bulletin")
async def get_bulletin(
    call: Call,
    agent: AgentPath,
    version: Annotated[
        int | None, Query(ge=1, le=VERSION_MAX, description="Version of the bulletin. Default: the newest.")
    ] = None,
) -> JsonResponse[Bulletin]:
    """Get the bulletin of an agent."""
    return json_response(await agents.get_bulletin(*call, agent, version))


@router.post("/agents/{agent}/bulletin", summary="Rewrite the bulletin of an agent")
async def rewrite_bulletin(call: Call, agent: AgentPath) -> JsonResponse[Bulletin]:
    """Generates a new bulletin from the current memories and returns it."""
    return json_response(await agents.rewrite_bulletin(*call, agent))


@router.get("/agents/{agent}/bulletin/versions", summary="List the bulletins of an agent")
async def list_bulletin_versions(
    call: Call, agent: AgentPath, paging: Paging, compared_to: ComparedTo = None
) -> JsonResponse[Page[BulletinVersion]]:
    """All versions of the bulletin, newest first, each with the sentences added and removed."""
    found = await agents.bulletin_versions(*call, agent, compared_to=compared_to, **paging)
    return page_response(*found)


@router.post(
    "/agents/{agent}/dream",
    status_code=202,
    responses={200: {"model": Dream}},
    summary="Request a dream",
)
async def request_dream(
    request: Request, call: Call, agent: AgentPath, body: RequestDream | None = None
) -> JsonResponse[Dream]:
    """Answers 202 once the dream is queued; with `wait`, 200 after its end."""
    wanted = body or RequestDream()
    queued = await dreams.request_dream(*call, agent, dry_run=wanted.dry_run)
    if not wanted.wait:
        return json_response(queued, 202)
    with call.runtime.part(streams).slot(call.caller):
        return json_response(await dreams.wait_for_dream(*call, queued.id, request.is_disconnected))


@router.get("/dreams", summary="List dreams")
async def list_dreams(
    call: Call,
    paging: Paging,
    agent: AgentQuery = None,
    status: Annotated[
        DreamStatus | None,
        Query(description="Status to filter by: queued, running, succeeded, failed, undone or dry_run."),
    ] = None,
) -> JsonResponse[Page[Dream]]:
    """Dreams without their changes, newest first."""
    return page_response(*await dreams.list_dreams(*call, agent, status, **paging))


@router.get("/dreams/{dream_id}")
async def get_dream(call: Call, dream_id: DreamId) -> JsonResponse[Dream]:
    """Get a dream with its changes."""
    return json_response(await dreams.get_dream(*call, dream_id))


@router.post("/dreams/{dream_id}/undo", summary="Undo a dream")
async def undo_dream(call: Call, dream_id: DreamId) -> JsonResponse[Dream]:
    """Reverts every change of the dream. 409 lists the records changed since."""
    return json_response(await dreams.undo_dream(*call, dream_id))


@router.get("/dreams/{dream_id}/changes", summary="List the changes of a dream")
async def list_dream_changes(
    call: Call,
    dream_id: DreamId,
    paging: Paging,
    action: Annotated[
        list[DreamAction] | None,
        Query(
            description="Actions to filter by: created, proposed, reinforced, superseded, completed, reopened, linked, "
            "entity, bulletin, decayed or skipped; may be repeated. Default: all."
        ),
    ] = None,
    type_: Annotated[Name | None, Query(alias="type", description="Memory type to filter by.")] = None,
) -> JsonResponse[DreamChanges]:
    """Changes in order, each with the messages and memories that it rests on; with totals by action."""
    return json_response(await dreams.list_changes(*call, dream_id, actions=action, type_=type_, **paging))


@router.post("/dreams/{dream_id}/changes/{n}/undo", summary="Undo one change of a dream")
async def undo_dream_change(
    call: Call,
    dream_id: DreamId,
    n: Annotated[int, Path(ge=1, le=VERSION_MAX, description="Number of the change within the dream.")],
) -> JsonResponse[DreamChange]:
    """Reverts the change; links of a created memory go with it. 409 gives a `reason`: `dream_not_succeeded`,
    `already_undone`, `not_undoable`, `replaces_others`, `changed_since`, `in_use` or `later_version`."""
    return json_response(await dreams.undo_change(*call, dream_id, n))


@router.post("/dreams/{dream_id}/cancel", summary="Cancel a dream")
async def cancel_dream(call: Call, dream_id: DreamId) -> JsonResponse[Dream]:
    """Ends a queued or running dream without any change: it is `failed`, and its messages stay due. 409 for one that
    is over."""
    return json_response(await dreams.cancel_dream(*call, dream_id))


@router.post("/summarize", summary="Summarize old memories")
async def summarize_memories(call: Call, body: Summarize | None = None) -> JsonResponse[summarize.SummarizeResponse]:
    """Replaces an agent's old, unimportant memories with one summary that has a line of each; a dry run returns the
    candidates. No summary is made that saves less than a third of their tokens. Without a body, as a cron job sends it,
    the memories of the key's agent older than 30 days are summarized, without a dry run."""
    wanted = body or Summarize(dry_run=False)
    done = await summarize.summarize(
        *call,
        wanted.agent,
        older_than_days=wanted.older_than_days,
        tokens_max=wanted.tokens_max,
        dry_run=wanted.dry_run,
    )
    return json_response(done)


@router.post("/summaries/{memory_id}/undo", summary="Undo a summary")
async def undo_summary(
    call: Call, memory_id: Annotated[UUID, Path(description="Id of the summary memory.")]
) -> JsonResponse[summarize.UndoneSummary]:
    """Makes the memories that a summary of `POST /v1/summarize` replaced current again, and deletes the summary. 409
    lists the memories changed since."""
    return json_response(await summarize.undo_summary(*call, memory_id))


tasks_router = api_router(prefix="/v1/tasks", tags=["agents"])

TaskPath = Annotated[PathName, Path(description="Name of the task.")]


@tasks_router.get("", summary="List tasks")
async def list_tasks(call: Call, paging: Paging) -> JsonResponse[Page[Task]]:
    """Tasks in the order of their names. An agent key sees the tasks with its agent as a declared member."""
    return page_response(*await agents.list_tasks(*call, **paging))


@tasks_router.get("/{task}")
async def get_task(call: Call, task: TaskPath) -> JsonResponse[Task]:
    """Get a task."""
    return json_response(await agents.get_task(*call, task))


@tasks_router.put("/{task}", summary="Declare the members of a task")
async def put_task(call: Call, task: TaskPath, body: PutTask) -> JsonResponse[Task]:
    """The members are in effect on the next call. Admin keys only."""
    return json_response(await agents.put_task(*call, task, body.members))


inbox_router = api_router(prefix="/v1/inbox", tags=["agents"])

ProposalId = Annotated[UUID, Path(description="Id of the proposal.")]


@inbox_router.get("", summary="List proposals")
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


@inbox_router.post("", summary="Decide on several proposals")
async def decide_proposals(call: Call, body: DecisionOnMany) -> JsonResponse[Items[Decided]]:
    """Decides alike on up to 100 proposals, all or none. 409 lists those already decided on."""
    return items_response(await inbox.decide(*call, body.ids, body))


@inbox_router.get("/{proposal_id}", summary="Read a proposal")
async def get_proposal(call: Call, proposal_id: ProposalId) -> JsonResponse[Proposal]:
    """A proposal of any status, with the messages it comes from."""
    return json_response(await inbox.get_proposal(*call, proposal_id))


@inbox_router.post("/{proposal_id}", summary="Decide on a proposal")
async def decide_proposal(call: Call, proposal_id: ProposalId, body: Decision) -> JsonResponse[Decided]:
    """Accepts, edits, rejects or reopens a proposal. Of two decisions at once one holds, and the other is a 409."""
    (decided,) = await inbox.decide(*call, [proposal_id], body)
    return json_response(decided)
