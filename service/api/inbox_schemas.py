"""Bodies of the routes of the inbox."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from service.domain.proposals import Decision


class DecisionOnMany(Decision):
    """Decision on several proposals, all or none."""

    ids: Annotated[list[UUID], Field(min_length=1, max_length=100)] = Field(
        description="Ids of the proposals, 1 to 100."
    )
