"""Export and import: streams of NDJSON."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import asdict
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from service.api import transfer_schemas as schemas
from service.api.dependencies import AgentQuery, Caller, EngineDep, json_response
from service.api.errors import answer_to
from service.api.routes.memories import included
from service.domain.json import dumps
from service.domain.values import Text
from service.errors import InvalidInput, ReverieError
from service.memory.transfer.export import export
from service.memory.transfer.importing import Format, Imported, Progress, import_lines

router = APIRouter(prefix="/v1", tags=["export and import"])

NDJSON = "application/x-ndjson"
STREAMED = "/v1/import"
"""Its body is read line by line, so the bound on other bodies does not hold for it."""


@router.get("/export", response_class=StreamingResponse, responses={200: {"content": {NDJSON: {}}}})
async def export_(
    engine: EngineDep,
    caller: Caller,
    agent: AgentQuery = None,
    include: Annotated[str, Query(description="deleted, expired; comma-separated")] = "",
    resume_from: Annotated[
        Text | None, Query(max_length=300, description="<record>:<key> of the last line received, to go on there")
    ] = None,
) -> StreamingResponse:
    """Everything of the workspace, or of one agent, as one JSON object per line."""
    lines = await export(engine, caller, agent, include=included(include), resume_from=resume_from)
    return StreamingResponse(
        lines, media_type=NDJSON, headers={"Content-Disposition": 'attachment; filename="reverie.ndjson"'}
    )


@router.post(
    "/import",
    response_model=schemas.Imported,
    responses={200: {"content": {NDJSON: {}}}},
    openapi_extra={"requestBody": {"required": True, "content": {NDJSON: {"schema": {"type": "string"}}}}},
)
async def import_(
    request: Request,
    engine: EngineDep,
    caller: Caller,
    agent: AgentQuery = None,
    format: Annotated[
        Format, Query(description="an export of Reverie, of Mem0, or ARKOS' conversation_context")
    ] = "reverie",
) -> Response:
    """Read an export in, all of it or nothing; a second time it changes nothing.

    Asked for application/x-ndjson, it tells its progress once all lines are checked: a line ``progress`` for each
    batch written, and a last line, ``imported`` (or ``problem``, and nothing has been written).
    """
    lines = request.stream()
    if NDJSON in request.headers.get("accept", ""):
        return await _with_progress(
            lambda tell: import_lines(engine, caller, lines, format=format, agent=agent, on_progress=tell)
        )
    try:
        return json_response(await import_lines(engine, caller, lines, format=format, agent=agent))
    except ClientDisconnect:
        raise InvalidInput(("body",), "the upload broke off") from None


async def _with_progress(start: Callable[[Callable[[Progress], None]], Coroutine[Any, Any, Imported]]) -> Response:
    """The progress of an import as it is written; raises what goes wrong before that, while a status can say it."""
    told: asyncio.Queue[Progress | None] = asyncio.Queue()
    task = asyncio.create_task(start(told.put_nowait))
    task.add_done_callback(lambda _: told.put_nowait(None))
    try:
        first = await told.get()
        while first is not None and first.stage == "checking":
            first = await told.get()
        if first is None:
            task.result()
    except ClientDisconnect:
        raise InvalidInput(("body",), "the upload broke off") from None
    except BaseException:
        task.cancel()
        raise
    return StreamingResponse(_progress(first, told, task), media_type=NDJSON)


async def _progress(
    first: Progress | None, told: asyncio.Queue[Progress | None], task: asyncio.Task[Imported]
) -> AsyncIterator[bytes]:
    step = first
    try:
        while step is not None:
            yield _line("progress", {"stage": step.stage, "done": step.done, "total": step.total})
            step = await told.get()
        yield _line("imported", asdict(task.result()))
    except ReverieError as error:
        yield _line("problem", orjson.loads(bytes(answer_to(error).body)))
    finally:
        task.cancel()


def _line(record: str, fields: dict[str, Any]) -> bytes:
    return dumps({"record": record} | fields) + b"\n"
