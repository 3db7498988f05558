"""Conditions of a search."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from service.db.pool import Columns
from service.domain.json import JsonObject
from service.store.where import Shape, WhereQuery, where_flag

LISTS = {"user": "user", "viewer": "viewer", "tags": "tags_any", "types": "types", "where": "where"}
"""The lists of filters, as ``filter_list_sizes`` calls them, that hold just what meets one condition of a search."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions a row must meet to be a candidate; None does not restrict. ``viewer`` are users to all of whom a row
    with owners must belong, or ``nobody``; ``said_by`` and ``undreamed`` restrict messages alone, ``documents``
    documents."""

    as_of: datetime
    types: list[str] | None = None
    scopes: list[str] | None = None
    tags_any: list[str] | None = None
    tags_all: list[str] | None = None
    viewer: tuple[str, ...] | Literal["nobody"] | None = None
    user: str | None = None
    said_by: str | None = None
    undreamed: bool | None = None
    documents: list[UUID] | None = None
    session_id: UUID | None = None
    task_id: UUID | None = None
    metadata: JsonObject | None = None
    where: WhereQuery | None = None
    entities: list[str] | None = None
    """As they are folded in their aliases; memories that speak of one of them."""
    min_importance: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    created_since: datetime | None = None
    include_faded: bool = False
    now: datetime | None = None
    """When the importance is meant that decays; at ``as_of``, if left out."""
    decay_days: int = 30
    faded_below: float = 0.1

    @property
    def conditions(self) -> dict[str, bool | Shape]:
        """Return which of those that may be left out are set; of ``where`` its shape."""
        return {name: getattr(self, name) is not None for name in CONDITIONS} | {"where": where_flag(self.where)}

    @property
    def narrow(self) -> bool:
        """Return whether any condition is set that leaves memories out."""
        return any(is_set for name, is_set in self.conditions.items() if name not in OF_OTHER_KINDS)

    @property
    def any(self) -> bool:
        """Return whether any condition is set that leaves anything out."""
        return any(self.conditions.values())

    @property
    def excludes_messages(self) -> bool:
        """Return whether a condition is set that messages do not meet, or not all that were said."""
        return any(
            self.conditions[name] for name in ("types", "tags_any", "tags_all", "metadata", "where", "undreamed")
        )

    @property
    def listed(self) -> bool:
        """Return whether there are lists of what may pass any of the conditions."""
        with_list = (
            self.types, self.tags_any, self.tags_all, self.viewer, self.user, self.session_id, self.since, self.until,
            self.where,
        )  # fmt: skip
        return any(condition is not None for condition in with_list)

    def met_by_all_on(self, list_: str) -> bool:
        """Return whether all that is on this list of a filter passes every condition."""
        if list_ == "viewer" and isinstance(self.viewer, tuple) and len(self.viewer) > 1:
            return False  # the list has what belongs to any of them
        return {name for name, is_set in self.conditions.items() if is_set} == {LISTS.get(list_)}

    def parameters(self) -> Columns:
        """As the search queries name them."""
        now = self.now or self.as_of
        decay = {
            "now": now,
            "undecayed_since": now - timedelta(days=self.decay_days),
            "decay_days": self.decay_days,
            "faded_below": self.faded_below,
        }
        set_ = {name: getattr(self, name) for name in CONDITIONS if name not in ("undreamed", "where")}
        set_["viewer"] = None if self.viewer == "nobody" else self.viewer
        return {"as_of": self.as_of, "where_values": self.where.values if self.where else None} | decay | set_


OF_OTHER_KINDS = ("said_by", "undreamed", "documents")
"""Conditions that leave no memory out."""

_NO_CONDITIONS = ("as_of", "include_faded", "now", "decay_days", "faded_below")
CONDITIONS = tuple(field.name for field in fields(Filters) if field.name not in _NO_CONDITIONS)
