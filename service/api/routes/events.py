"""What happens, as a stream, and the webhooks it is sent to."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import ExitStack, aclosing
from typing import Annotated
from uuid import UUID

from fastapi import Header, Query
from starlette.responses import Response, StreamingResponse

from service.api import engine_schemas as schemas
from service.api.dependencies import AgentQuery, Caller, Cursor, EngineDep, Limit, json_response, page
from service.api.naming import api_router
from service.api.schemas import Page
from service.api.streams import HoldingStream
from service.domain.events import Kind
from service.domain.json import dumps
from service.errors import InvalidInput
from service.memory.events import event_stream as events
from service.memory.events import webhooks
from service.memory.events.event_stream import Gap
from service.store.events import Event

router = api_router(prefix="/v1", tags=["events"])

LAST_ID = "Last-Event-ID"
POSITION_DIGITS_MAX = 18


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "server-sent events"}},
)
async def stream_events(
    engine: EngineDep,
    caller: Caller,
    last_event_id: Annotated[str | None, Header(alias=LAST_ID, description="go on after this one")] = None,
    after: Annotated[str | None, Query(description="the same without a header; 0: from the first")] = None,
    types: Annotated[list[Kind] | None, Query(description="these alone")] = None,
    agent: AgentQuery = None,
    wait: Annotated[bool, Query(description="false: end with what has happened so far")] = True,
) -> Response:
    """What happens from now on, or after an earlier event. ``event: gap`` says that what came between is not kept."""
    position = _position(last_event_id, ("header", LAST_ID)) if last_event_id else _position(after, ("query", "after"))
    with ExitStack() as held:
        held.enter_context(engine.streams.slot(caller))
        stream = events.stream_events(engine, caller, position, agent=agent, kinds=types, wait=wait)
        begun = await anext(stream, None)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return HoldingStream(
            _event_stream(begun, stream), held.pop_all(), media_type="text/event-stream", headers=headers
        )


async def _event_stream(begun: Event | Gap | None, stream: AsyncGenerator[Event | Gap | None]) -> AsyncIterator[bytes]:
    async with aclosing(stream):
        yield _line(begun)
        async for event in stream:
            yield _line(event)


def _line(event: Event | Gap | None) -> bytes:
    if event is None:
        return b": nothing new\n\n"
    if isinstance(event, Gap):
        return b"event: gap\ndata: %s\n\n" % dumps({"after": event.after, "before": event.before})
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.position, event.body["type"].encode(), dumps(event.body))


def _position(given: str | None, loc: tuple[str, str]) -> int | None:
    if given is None:
        return None
    if not given.isascii() or not given.isdigit() or len(given) > POSITION_DIGITS_MAX:
        raise InvalidInput(loc, "must be the id of an event: a number")
    return int(given)


@router.post("/webhooks", status_code=201, response_model=schemas.CreatedWebhook)
async def add_webhook(engine: EngineDep, caller: Caller, body: schemas.AddWebhook) -> Response:
    """Have what happens from now on sent to an address; its secret is shown this once."""
    return json_response(
        await webhooks.add_webhook(engine, caller, url=body.url, name=body.name, kinds=body.events), 201
    )


@router.get("/webhooks", response_model=Page[schemas.Webhook])
async def list_webhooks(engine: EngineDep, caller: Caller, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """Webhooks, newest first, and how sending to them goes."""
    return page(*await webhooks.list_webhooks(engine, caller, limit=limit, cursor=cursor))


@router.post("/webhooks/{webhook_id}/enable", response_model=schemas.Webhook)
async def enable_webhook(engine: EngineDep, caller: Caller, webhook_id: UUID) -> Response:
    """Send again to a webhook that was given up, from the first event that has not arrived; at once."""
    return json_response(await webhooks.enable_webhook(engine, caller, webhook_id))


@router.delete("/webhooks/{webhook_id}", status_code=204)
async def delete_webhook(engine: EngineDep, caller: Caller, webhook_id: UUID) -> None:
    """Stop sending to an address."""
    await webhooks.delete_webhook(engine, caller, webhook_id)
