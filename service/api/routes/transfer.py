"""Export and import as streams of NDJSON; data of a user, shown and forgotten; deletions and their undoing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import ExitStack
from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

import orjson
from fastapi import Path, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse

from service.api.dependencies import (
    AgentPath,
    AgentQuery,
    Call,
    DryRun,
    HoldingStream,
    JsonResponse,
    Page,
    Paging,
    PartOfName,
    PathName,
    SessionPath,
    Token,
    WhereText,
    holding,
    json_response,
    page_response,
    transfers,
)
from service.api.errors import problem_response
from service.api.routes.memories import included
from service.api.routing import api_router
from service.domain.deletions import Deleted, DeletionRecord, UndoneDeletion
from service.domain.field_types import AsGiven, Text, Timestamp
from service.domain.json import dumps
from service.domain.profile import Profile, User
from service.domain.profile_diff import ProfileDiff
from service.domain.where import parse_where_text
from service.errors import InvalidInput, ReverieError
from service.memory.access import deletions, user_data
from service.memory.access.user_data import PurgeReceipt
from service.memory.search import profiles
from service.memory.transfer.export import export
from service.memory.transfer.importing import ImportResult, Progress, import_lines
from service.memory.transfer.parse import Format

router = api_router(prefix="/v1", tags=["export and import"])

NDJSON = "application/x-ndjson"
STREAMED = "/v1/import"
"""Its body is read line by line, so the bound on other bodies does not hold for it."""


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"content": {NDJSON: {}}}},
    summary="Export a workspace or an agent",
)
async def export_records(
    call: Call,
    agent: AgentQuery = None,
    include: Annotated[
        str,
        Query(description="Comma-separated list of `deleted` and `expired`, to include such memories. Default empty."),
    ] = "",
    resume_from: Annotated[
        Text | None,
        Query(
            max_length=300,
            description="Position `<record>:<key>` of the last received line; the export continues after it.",
        ),
    ] = None,
    where: WhereText = None,
) -> StreamingResponse:
    """A stream with one JSON object per line (NDJSON). With `where`, only the memories that pass it, with their
    history, and the agents and tasks."""
    with holding(call.runtime.part(transfers).slot(call.caller)) as held:
        wanted = included(include, "deleted", "expired")
        filter_ = parse_where_text(where, ("query", "where"))
        lines = await export(*call, agent, include=wanted, resume_from=resume_from, where=filter_)
        return download(lines, held)


def download(lines: AsyncIterator[bytes], held: ExitStack) -> HoldingStream:
    """Return an export, which browsers keep as a file; the stream takes over what is held."""
    headers = {"Content-Disposition": 'attachment; filename="reverie.ndjson"'}
    return HoldingStream(lines, held.pop_all(), media_type=NDJSON, headers=headers)


@router.post(
    "/import",
    responses={200: {"content": {NDJSON: {}}}},
    openapi_extra={"requestBody": {"required": True, "content": {NDJSON: {"schema": {"type": "string"}}}}},
    summary="Import an export",
)
async def import_records(
    request: Request,
    call: Call,
    agent: AgentQuery = None,
    format: Annotated[
        Format,
        Query(
            description="Format: `reverie`, `mem0` (Mem0 export) or `arkos` (conversation_context "
            "table of ARKOS). Default `reverie`."
        ),
    ] = "reverie",
) -> JsonResponse[ImportResult] | HoldingStream:
    """All or nothing, and idempotent.

    With `Accept: application/x-ndjson` the progress is streamed once all lines are checked: a line `progress` per
    batch and a last line `imported`, or `problem` with nothing written.
    """
    lines = request.stream()
    with holding(call.runtime.part(transfers).slot(call.caller)) as held:
        if NDJSON in request.headers.get("accept", ""):
            return await _with_progress(
                lambda tell: import_lines(*call, lines, format=format, agent=agent, on_progress=tell), held
            )
        try:
            return json_response(await import_lines(*call, lines, format=format, agent=agent))
        except ClientDisconnect:
            raise InvalidInput(("body",), "the upload broke off") from None


async def _with_progress(
    start: Callable[[Callable[[Progress], None]], Coroutine[Any, Any, ImportResult]], held: ExitStack
) -> HoldingStream:
    """The progress of an import as it is written; raises what goes wrong before that, while a status can say it."""
    queue: asyncio.Queue[Progress | None] = asyncio.Queue()
    task = asyncio.create_task(start(queue.put_nowait))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        first = await queue.get()
        while first is not None and first.stage == "checking":
            first = await queue.get()
        if first is None:
            task.result()
    except ClientDisconnect:
        raise InvalidInput(("body",), "the upload broke off") from None
    except BaseException:
        task.cancel()
        raise
    return HoldingStream(_progress(first, queue, task), held.pop_all(), media_type=NDJSON)


async def _progress(
    first: Progress | None, queue: asyncio.Queue[Progress | None], task: asyncio.Task[ImportResult]
) -> AsyncIterator[bytes]:
    step = first
    try:
        while step is not None:
            yield _line("progress", {"stage": step.stage, "done": step.done, "total": step.total})
            step = await queue.get()
        yield _line("imported", asdict(task.result()))
    except ReverieError as error:
        yield _line("problem", orjson.loads(bytes(problem_response(error).body)))
    finally:
        task.cancel()


def _line(record: str, fields: dict[str, Any]) -> bytes:
    return dumps({"record": record} | fields) + b"\n"


users_router = api_router(prefix="/v1/users", tags=["privacy"])

UserPath = Annotated[PathName, AsGiven(), Path(description="Name of the user.")]


@users_router.get("", summary="List users")
async def list_users(
    call: Call, paging: Paging, agent: AgentQuery = None, q: PartOfName = None
) -> JsonResponse[Page[User]]:
    """Users whom live memories visible to the caller are about, by name."""
    return page_response(*await profiles.list_users(*call, agent, q or None, **paging))


@users_router.get("/{user}/profile", summary="Get the profile of a user")
async def get_profile(
    call: Call,
    user: Annotated[PathName, Path(description="Name of the user.")],
    agent: AgentQuery = None,
    as_of: Annotated[
        Timestamp | None, Query(description="Time in the past to show the profile of. Default: now.")
    ] = None,
) -> JsonResponse[Profile]:
    """What holds about a user by memories visible to the caller. Hearsay is left out. A user of whom nothing is known
    has no fields."""
    return json_response(await profiles.get_profile(*call, agent, user, as_of))


@users_router.get("/{user}/profile/diff", summary="Compare the profile of a user at two times")
async def diff_profile(
    call: Call,
    user: Annotated[PathName, Path(description="Name of the user.")],
    since: Annotated[Timestamp, Query(alias="from", description="Time of the former profile.")],
    until: Annotated[
        Timestamp | None, Query(alias="to", description="Time of the later profile. Default: now.")
    ] = None,
    agent: AgentQuery = None,
) -> JsonResponse[ProfileDiff]:
    """What changed in the profile by memories visible to the caller: values added, removed and changed, and values that
    other memories say."""
    return json_response(await profiles.diff_profile(*call, agent, user, since, until))


@users_router.post("/{user}/purge", summary="Purge a user")
async def purge_user(call: Call, user: UserPath) -> JsonResponse[PurgeReceipt]:
    """Irreversibly deletes all data about and from a user, and returns a receipt."""
    return json_response(await user_data.purge_user(*call, user))


@users_router.get("/{user}/export", summary="Export the data of a user")
async def export_user(call: Call, user: UserPath) -> JsonResponse[user_data.SubjectExport]:
    """All data about and from the user (subject access request)."""
    return json_response(await user_data.export_user(*call, user))


TeamPath = Annotated[PathName, Path(description="Name of the team.")]

deletions_router = api_router(prefix="/v1", tags=["deletions"])


@deletions_router.delete("/sessions/{session}", summary="Delete a session")
async def delete_session(
    call: Call, session: SessionPath, agent: AgentQuery = None, dry_run: DryRun = False, token: Token = None
) -> JsonResponse[Deleted]:
    """With its messages, and the memories that come from it alone. Count first with `dry_run`, then send the token of
    the answer; 409 if the counts have changed meanwhile. Can be undone for `retention.deleted_days`."""
    return json_response(await deletions.delete_session(*call, agent, session, dry_run=dry_run, token=token))


@deletions_router.delete("/agents/{agent}", summary="Delete an agent")
async def delete_agent(
    call: Call, agent: AgentPath, dry_run: DryRun = False, token: Token = None
) -> JsonResponse[Deleted]:
    """With everything that it holds: sessions, memories of every scope, documents, entities, dreams, pages. Its keys
    stay, and make a new agent of its name when one of them writes. Counted, confirmed and undone as a session. Admin
    keys only."""
    return json_response(await deletions.delete_agent(*call, agent, dry_run=dry_run, token=token))


@deletions_router.delete("/teams/{team}", summary="Delete a team")
async def delete_team(
    call: Call, team: TeamPath, dry_run: DryRun = False, token: Token = None
) -> JsonResponse[Deleted]:
    """With the memories of its scope, of any author; its agents stay. Counted, confirmed and undone as a
    session. Admin keys only."""
    return json_response(await deletions.delete_team(*call, team, dry_run=dry_run, token=token))


@deletions_router.get("/deletions", summary="List deletions")
async def list_deletions(call: Call, paging: Paging) -> JsonResponse[Page[DeletionRecord]]:
    """Deletions of sessions, agents and teams, newest first; with an agent key, of the agent's own sessions."""
    return page_response(*await deletions.list_deletions(*call, **paging))


@deletions_router.post("/deletions/{deletion_id}/undo", summary="Undo a deletion")
async def undo_deletion(
    call: Call, deletion_id: Annotated[UUID, Path(description="Id of the deletion.")]
) -> JsonResponse[UndoneDeletion]:
    """Everything is back as it was, but for what a purge has removed since; memories that were saved again meanwhile
    stay deleted. 409 if the name is taken or the agent is gone."""
    return json_response(await deletions.undo_deletion(*call, deletion_id))
