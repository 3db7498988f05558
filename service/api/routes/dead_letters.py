"""Dead letters: texts that workers died over, which nothing reads until they are retried."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Path

from service.api.dependencies import Call, JsonResponse, Page, Paging, json_response, page_response
from service.api.routing import api_router
from service.domain.dead_letters import DeadLetter
from service.memory.ops import dead_letters

DeadLetterId = Annotated[UUID, Path(description="Id of the dead letter.")]

router = api_router(prefix="/v1/dead-letters", tags=["engine"])


@router.get("", summary="List dead letters")
async def list_dead_letters(call: Call, paging: Paging) -> JsonResponse[Page[DeadLetter]]:
    """Texts excluded from processing after repeated worker crashes, newest first. Admin keys only."""
    return page_response(*await dead_letters.list_dead_letters(*call, **paging))


@router.post("/{dead_letter_id}/retry", status_code=202, summary="Retry a dead letter")
async def retry_dead_letter(call: Call, dead_letter_id: DeadLetterId) -> JsonResponse[DeadLetter]:
    """One more attempt; a message is dreamed about exactly once. Admin keys only."""
    return json_response(await dead_letters.retry_dead_letter(*call, dead_letter_id), 202)


@router.delete("/{dead_letter_id}", status_code=204, summary="Discard a dead letter")
async def discard_dead_letter(call: Call, dead_letter_id: DeadLetterId) -> None:
    """Excludes the text from processing permanently. A message stays in the history of its session. Admin keys only."""
    await dead_letters.discard_dead_letter(*call, dead_letter_id)
