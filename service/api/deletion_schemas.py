"""The shapes of deletions: of memories by a filter, and of sessions, agents and teams."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from service.api.dependencies import TOKEN_MAX
from service.domain.field_types import AsGiven, Name, Tag, Text, Timestamp
from service.domain.own_types import TYPES_MAX, TypeName
from service.domain.strict import StrictModel
from service.domain.types import Scope
from service.domain.where import WhereObject, parse_where
from service.memory.saving.lifecycle import ListFilter


class MemoryFilter(StrictModel):
    """Which memories to change; at least one field must be given. All given fields must hold.

    A request for a user changes what belongs to that user alone.
    """

    agent: Name | None = Field(None, description="Author of the memories. Default: all, with an admin key.")
    types: list[TypeName] | None = Field(None, min_length=1, max_length=TYPES_MAX, description="Types of the memories.")
    scopes: list[Scope] | None = Field(None, min_length=1, max_length=len(Scope), description="Scopes of the memories.")
    session: Name | None = Field(None, description="Session of the memories.")
    about: Name | None = Field(None, description="User described by the memories.")
    tag: Tag | None = Field(None, description="Tag of the memories.")
    key: Name | None = Field(None, description="Upsert key of the memories.")
    source: Annotated[Name, AsGiven()] | None = Field(None, description="Value of `kind` in `source`.")
    q: Text | None = Field(None, min_length=1, max_length=1000, description="Part of the content.")
    since: Timestamp | None = Field(None, description="Earliest time of occurrence (or creation), inclusive.")
    until: Timestamp | None = Field(None, description="Latest time of occurrence (or creation), exclusive.")
    created_since: Timestamp | None = Field(None, description="Earliest creation time, inclusive.")
    created_until: Timestamp | None = Field(None, description="Latest creation time, exclusive.")
    where: WhereObject = None

    @model_validator(mode="after")
    def _not_empty(self) -> MemoryFilter:
        if all(getattr(self, name) is None for name in type(self).model_fields):
            raise ValueError("must name at least one field: an empty filter would match everything")
        return self

    def listed(self) -> ListFilter:
        """The filter of a list of the same memories, superseded and expired ones included."""
        return ListFilter(
            types=self.types, scopes=[scope.value for scope in self.scopes] if self.scopes else None,
            session=self.session, user=self.about, tag=self.tag, key=self.key, source=self.source, text=self.q,
            since=self.since, until=self.until, created_since=self.created_since, created_until=self.created_until,
            with_superseded=True, with_expired=True, where=parse_where(self.where, ("body", "filter", "where")),
        )  # fmt: skip


class DeleteMemories(StrictModel):
    """Memories to count, or to delete."""

    filter: MemoryFilter = Field(description="Which memories to delete, 1,000 at most.")
    dry_run: bool = Field(False, description="Count what would be deleted, and answer a token. Default false.")
    token: Text | None = Field(
        None, max_length=TOKEN_MAX, description="Token of a dry run of the last 10 minutes; required to delete."
    )
