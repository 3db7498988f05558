"""Limits of a workspace, set by the admin of the installation, and of a key, set by an admin of its workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

from pydantic import Field

from service.domain.json import JsonValue
from service.domain.strict import FrozenModel

LimitName = Literal[
    "requests_per_minute", "requests_per_day", "rows_max", "bytes_max", "day_cost_max_usd", "month_cost_max_usd",
    "dreams_max",
]  # fmt: skip
LimitHolder = Literal["workspace", "key"]

COUNT_MAX = 2**53
LIMIT_NAMES: Final[tuple[LimitName, ...]] = get_args(LimitName)


class Limits(FrozenModel):
    """Upper bounds of what a workspace or a key uses. Null is no limit."""

    requests_per_minute: int | None = Field(
        None, ge=1, le=COUNT_MAX, description="Maximum requests per minute, over all processes. Null: no limit."
    )
    requests_per_day: int | None = Field(
        None, ge=1, le=COUNT_MAX, description="Maximum requests per day (UTC), over all processes. Null: no limit."
    )
    rows_max: int | None = Field(
        None, ge=0, le=COUNT_MAX, description="Maximum number of stored memories and messages. Null: no limit."
    )
    bytes_max: int | None = Field(
        None,
        ge=0,
        le=COUNT_MAX,
        description="Maximum bytes (UTF-8) of content and metadata of stored memories and messages. Null: no limit.",
    )
    day_cost_max_usd: float | None = Field(
        None, ge=0, le=1e9, description="Maximum cost of models per day (UTC) in US dollars. Null: no limit."
    )
    month_cost_max_usd: float | None = Field(
        None, ge=0, le=1e9, description="Maximum cost of models per month (UTC) in US dollars. Null: no limit."
    )
    dreams_max: int | None = Field(
        None, ge=1, le=1_000_000, description="Maximum number of dreams that wait or run at once. Null: no limit."
    )

    @property
    def stored(self) -> dict[str, int | None]:
        """Return the limits of what is stored, as they are named."""
        return {"rows_max": self.rows_max, "bytes_max": self.bytes_max}

    @property
    def set_only(self) -> dict[str, float] | None:
        """Return the limits that are set, as they are stored; None where there are none."""
        return self.model_dump(exclude_none=True) or None

    def passes(self, most: Limits) -> LimitName | None:
        """Return the first limit that is higher here than in ``most``; null is higher than any number."""
        for name in LIMIT_NAMES:
            bound, own = getattr(most, name), getattr(self, name)
            if bound is not None and (own is None or own > bound):
                return name
        return None

    def lowest(self, *others: Limits) -> Limits:
        """Return the lowest of each limit, here and in ``others``."""
        given = {name: [getattr(one, name) for one in (self, *others)] for name in LIMIT_NAMES}
        held = {name: [one for one in each if one is not None] for name, each in given.items()}
        return Limits(**{name: min(each) for name, each in held.items() if each})

    def changed_by(self, changes: Limits) -> Limits:
        """Return these limits with those that ``changes`` names laid over them, null included."""
        return self.model_copy(update=changes.model_dump(exclude_unset=True))


NO_LIMITS: Final = Limits()


def limits_from(stored: Mapping[str, JsonValue] | None) -> Limits:
    """Limits as they are stored."""
    return Limits(**stored) if stored else NO_LIMITS
