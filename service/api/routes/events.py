"""What happens, as a stream, and the webhooks it is sent to."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, cast
from uuid import UUID

from fastapi import Header, Path, Query
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from service.api.dependencies import (
    AgentQuery,
    Call,
    JsonResponse,
    Page,
    Paging,
    event_stream,
    holding,
    json_response,
    page_response,
    streams,
)
from service.api.routing import api_router
from service.domain.events import EVENT_TYPES, Kind
from service.domain.field_types import Name
from service.domain.json import dumps
from service.domain.strict import StrictModel
from service.domain.webhooks import CreatedWebhook, UpdatedWebhook, Webhook, WebhookChanges, WebhookTest
from service.errors import InvalidInput
from service.memory import events
from service.memory.events import Gap
from service.store.events import Event


class AddWebhook(StrictModel):
    """Webhook to create."""

    url: Annotated[str, Field(min_length=8, max_length=2_000)] = Field(
        description="URL of the receiver (http or https), at most 2,000 characters."
    )
    name: Name | None = Field(None, description="Display name of the webhook.")
    events: Annotated[list[Kind] | None, Field(min_length=1, max_length=50)] = Field(
        None, description=f"Event types to send: {EVENT_TYPES}. Default: all."
    )


class PatchWebhook(StrictModel):
    """Changes to a webhook; only the fields given change."""

    url: Annotated[str, Field(min_length=8, max_length=2_000)] | None = Field(
        None, description="New URL of the receiver (http or https), at most 2,000 characters."
    )
    name: Name | None = Field(None, description="New display name; null removes it.")
    events: Annotated[list[Kind] | None, Field(min_length=1, max_length=50)] = Field(
        None, description=f"New event types to send: {EVENT_TYPES}; null: all."
    )
    active: bool | None = Field(None, description="Delivery of events: false disables the webhook, true enables it.")
    rotate_secret: bool = Field(False, description="Replacement of the signing secret by a new one. Default false.")


router = api_router(prefix="/v1", tags=["events"])

WebhookId = Annotated[UUID, Path(description="Id of the webhook.")]

LAST_ID = "Last-Event-ID"
POSITION_DIGITS_MAX = 18


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events"}},
    summary="Stream events",
)
async def stream_events(
    call: Call,
    last_event_id: Annotated[
        str | None,
        Header(alias=LAST_ID, description="Position of the last received event; the stream continues after it."),
    ] = None,
    after: Annotated[
        str | None, Query(description="Alternative to the header Last-Event-ID. 0: the oldest stored event.")
    ] = None,
    types: Annotated[list[Kind] | None, Query(description=f"Event types to send: {EVENT_TYPES}. Default: all.")] = None,
    agent: AgentQuery = None,
    wait: Annotated[
        bool,
        Query(description="Continuation with new events; false ends the stream after the stored ones. Default true."),
    ] = True,
) -> Response:
    """Server-sent events from now on, or after an earlier event. `event: gap` reports events no longer stored."""
    position = _position(last_event_id, ("header", LAST_ID)) if last_event_id else _position(after, ("query", "after"))
    with holding(call.runtime.part(streams).slot(call.caller)) as held:
        stream = events.stream_events(*call, position, agent=agent, kinds=types, wait=wait)
        begun = await anext(stream, None)
        return event_stream(_lines(begun, stream), held)


async def _lines(begun: Event | Gap | None, stream: AsyncGenerator[Event | Gap | None]) -> AsyncIterator[bytes]:
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


@router.post("/webhooks", status_code=201, summary="Create a webhook")
async def create_webhook(call: Call, body: AddWebhook) -> JsonResponse[CreatedWebhook]:
    """Events from now on are sent to the URL. The signing secret is returned only here. Admin keys only."""
    return json_response(await events.add_webhook(*call, url=body.url, name=body.name, kinds=body.events), 201)


@router.get("/webhooks", summary="List webhooks")
async def list_webhooks(call: Call, paging: Paging) -> JsonResponse[Page[Webhook]]:
    """Webhooks with the state of their delivery, newest first. Admin keys only."""
    return page_response(*await events.list_webhooks(*call, **paging))


@router.patch("/webhooks/{webhook_id}", summary="Update a webhook")
async def update_webhook(call: Call, webhook_id: WebhookId, body: PatchWebhook) -> JsonResponse[UpdatedWebhook]:
    """Omitted fields keep their value. A change is in effect at once; an event in transit to the former URL is sent
    again. A new signing secret is returned only here. Admin keys only."""
    given = body.model_dump(exclude_unset=True, exclude={"rotate_secret"})
    changes = {name: value for name, value in given.items() if value is not None or name in ("name", "events")}
    return json_response(
        await events.update_webhook(*call, webhook_id, cast(WebhookChanges, changes), rotate_secret=body.rotate_secret)
    )


@router.post("/webhooks/{webhook_id}/test", summary="Test a webhook")
async def test_webhook(call: Call, webhook_id: WebhookId) -> JsonResponse[WebhookTest]:
    """Sends one signed event of type `ping` now, also to a disabled webhook, without retry. The state of the webhook
    does not change. Admin keys only."""
    with call.runtime.part(streams).slot(call.caller):
        return json_response(await events.test_webhook(*call, webhook_id))


@router.post("/webhooks/{webhook_id}/enable", summary="Enable a disabled webhook")
async def enable_webhook(call: Call, webhook_id: WebhookId) -> JsonResponse[Webhook]:
    """Delivery resumes at once with the first undelivered event. Admin keys only."""
    return json_response(await events.enable_webhook(*call, webhook_id))


@router.delete("/webhooks/{webhook_id}", status_code=204, summary="Delete a webhook")
async def delete_webhook(call: Call, webhook_id: WebhookId) -> None:
    """Undelivered events are not sent any more. Admin keys only."""
    await events.delete_webhook(*call, webhook_id)
