"""Body and answer of actions on several memories."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field, model_validator

from service.api.deletion_schemas import MemoryFilter
from service.domain.drafts import Tags
from service.domain.strict import StrictModel
from service.memory.saving.bulk import BULK_MAX, BulkAction


class BulkChange(StrictModel):
    """One action on several memories."""

    ids: Annotated[list[UUID], Field(min_length=1, max_length=BULK_MAX)] | None = Field(
        None, description="Ids of the memories, 1 to 500; required without `filter`."
    )
    filter: MemoryFilter | None = Field(
        None,
        description="Filter of the memories instead of `ids`, 500 at most: of deleted ones for `restore`. Not for "
        "`delete`: `POST /v1/memories/delete` counts first.",
    )
    action: BulkAction = Field(
        description="Action: `delete`, `restore`, `pin` (exempt from decay), `unpin`, `add_tags` or `remove_tags`."
    )
    tags: Tags = Field([], description="Tags to add or remove, at most 50; required for these actions. Default empty.")

    @model_validator(mode="after")
    def _one_choice(self) -> BulkChange:
        if (self.ids is None) == (self.filter is None):
            raise ValueError("must have either ids or filter")
        return self
