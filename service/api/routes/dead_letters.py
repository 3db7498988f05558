"""Dead letters: texts that workers died over, which nothing reads until they are retried."""

from __future__ import annotations

from uuid import UUID

from starlette.responses import Response

from service.api import engine_schemas as schemas
from service.api.dependencies import Caller, Cursor, EngineDep, Limit, json_response, page
from service.api.naming import api_router
from service.api.schemas import Page
from service.memory.dreams import dead_letters

router = api_router(prefix="/v1/dead-letters", tags=["engine"])


@router.get("", response_model=Page[schemas.DeadLetter])
async def list_(engine: EngineDep, caller: Caller, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """Texts set aside because workers died over them, newest first. Admin keys only."""
    return page(*await dead_letters.list_dead_letters(engine, caller, limit=limit, cursor=cursor))


@router.post("/{dead_letter_id}/retry", status_code=202, response_model=schemas.DeadLetter)
async def retry(engine: EngineDep, caller: Caller, dead_letter_id: UUID) -> Response:
    """Process the text once more: a message is dreamed about exactly once. Admin keys only."""
    return json_response(await dead_letters.retry_dead_letter(engine, caller, dead_letter_id), 202)


@router.delete("/{dead_letter_id}", status_code=204)
async def discard(engine: EngineDep, caller: Caller, dead_letter_id: UUID) -> None:
    """Give the text up: no worker reads it again. A message stays in its session's history. Admin keys only."""
    await dead_letters.discard_dead_letter(engine, caller, dead_letter_id)
