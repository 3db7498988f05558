"""Export and import: streams of NDJSON."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from service.api import schemas
from service.api.dependencies import AgentQuery, Caller, EngineDep, json_response
from service.api.routes.memories import included
from service.domain.values import Text
from service.errors import InvalidInput
from service.memory.transfer.export import export
from service.memory.transfer.importing import Format, import_lines

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
    """Read an export in, all of it or nothing; a second time it changes nothing."""
    try:
        return json_response(await import_lines(engine, caller, request.stream(), format=format, agent=agent))
    except ClientDisconnect:
        raise InvalidInput(("body",), "the upload broke off") from None
