"""Webhooks as they are shown, and what may be changed of one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field
from typing_extensions import TypedDict

from service.domain.events import EVENT_TYPES, Kind
from service.domain.field_types import CreatedAt


class WebhookChanges(TypedDict, total=False):
    """Changes to a webhook; what is not there stays."""

    url: str
    name: str | None
    events: list[Kind] | None
    active: bool


@dataclass(frozen=True, slots=True)
class Webhook:
    """Webhook with the state of its delivery."""

    id: Annotated[UUID, Field(description="Id of the webhook.")]
    url: Annotated[str, Field(description="URL of the receiver.")]
    name: Annotated[str | None, Field(description="Display name of the webhook.")]
    events: Annotated[list[Kind] | None, Field(description=f"Event types to send: {EVENT_TYPES}; null for all.")]
    position: Annotated[int, Field(description="Position of the last delivered event.")]
    failures: Annotated[int, Field(description="Number of failed deliveries in a row.")]
    error: Annotated[str | None, Field(description="Error message of the last delivery; null after a success.")]
    last_sent_at: Annotated[datetime | None, Field(description="Time of the last delivery.")]
    retry_at: Annotated[datetime | None, Field(description="Time of the next attempt; null without a pause.")]
    disabled_at: Annotated[datetime | None, Field(description="Time of deactivation; null for an active webhook.")]
    created_at: CreatedAt


@dataclass(frozen=True, slots=True)
class CreatedWebhook(Webhook):
    """New webhook with its secret."""

    secret: Annotated[str, Field(description="Signing secret, returned only here.")]


@dataclass(frozen=True, slots=True)
class UpdatedWebhook(Webhook):
    """Webhook after a change."""

    secret: Annotated[str | None, Field(description="New signing secret, returned only here; null unless rotated.")]


@dataclass(frozen=True, slots=True)
class WebhookTest:
    """Result of a test event."""

    delivered: Annotated[bool, Field(description="Arrival of the event: true for a 2xx response in time.")]
    status_code: Annotated[int | None, Field(description="HTTP status code of the receiver; null without a response.")]
    duration_ms: Annotated[float, Field(description="Duration of the request in milliseconds.")]
    error: Annotated[str | None, Field(description="Reason of the failure in words; null after a delivery.")]
