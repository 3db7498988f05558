"""Export and import: streams of NDJSON."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import ExitStack
from dataclasses import asdict
from typing import Annotated, Any

import orjson
from fastapi import Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse

from service.api.dependencies import AgentQuery, Call, HoldingStream, JsonResponse, WhereText, holding, json_response
from service.api.errors import problem_response
from service.api.routes.memories import included
from service.api.routing import api_router
from service.domain.field_types import Text
from service.domain.json import dumps
from service.domain.where import parse_where_text
from service.errors import InvalidInput, ReverieError
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
    with holding(call.engine.transfers.slot(call.caller)) as held:
        wanted = included(include, "deleted", "expired")
        filter_ = parse_where_text(where, ("query", "where"))
        lines = await export(*call, agent, include=wanted, resume_from=resume_from, where=filter_)
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
    with holding(call.engine.transfers.slot(call.caller)) as held:
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
