"""The audit log as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.domain.json import JsonObject


@dataclass(frozen=True, slots=True)
class AuditLine:
    """Entry of the audit log. Reads are combined: one entry per kind and agent, with `details.count`."""

    id: Annotated[UUID, Field(description="Id of the entry.")]
    at: Annotated[datetime, Field(description="Time of the action.")]
    actor: Annotated[str, Field(description="Actor as `agent:<name>` or `<role>:<key id>`.")]
    key_id: Annotated[UUID | None, Field(description="Id of the key; null for actions without a key.")]
    action: Annotated[str, Field(description="Name of the action, such as `key.created`.")]
    target: Annotated[str | None, Field(description="Object of the action.")]
    subject: Annotated[str | None, Field(description="User concerned by the action.")]
    details: Annotated[
        JsonObject, Field(description="Details of the action; `count` is the number of reads combined in the entry.")
    ]
