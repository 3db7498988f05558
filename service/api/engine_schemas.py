"""Requests that concern the engine: reindexing, scans, webhooks."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from service.domain.events import EVENT_TYPES, Kind
from service.domain.field_types import Name
from service.domain.strict import StrictModel


class Reindex(StrictModel):
    """Extent of a reindexing."""

    force: bool = Field(False, description="Reindexing of all texts instead of those without a vector. Default false.")


class Rescan(StrictModel):
    """Kind of a scan for stored secrets."""

    dry_run: bool = Field(
        True,
        description="Listing of the fields with secrets only; `false` masks the secrets irreversibly. Default true.",
    )


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
