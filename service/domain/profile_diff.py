"""What changed between two profiles of a user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from service.domain.guards import normalize
from service.domain.json import dumps
from service.domain.profile import ProfileField

Change = Literal["added", "removed", "changed", "sources"]
_Values = dict[str, ProfileField]


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """Change of one value of a field of a profile."""

    change: Annotated[
        Change,
        Field(
            description="Kind of the change: `added`, `removed`, `changed` (a field with one value has another one), "
            "or `sources` (other memories say the same)."
        ),
    ]
    before: Annotated[ProfileField | None, Field(description="Value before; null for one that was added.")]
    after: Annotated[ProfileField | None, Field(description="Value after; null for one that was removed.")]


ProfileDiff = TypedDict(
    "ProfileDiff",
    {
        "user": Annotated[str, Field(description="Name of the user.")],
        "from": Annotated[datetime, Field(description="Time of the former profile.")],
        "to": Annotated[datetime, Field(description="Time of the later profile.")],
        "from_version": Annotated[str, Field(description="Digest of the fields at `from`.")],
        "to_version": Annotated[str, Field(description="Digest of the fields at `to`.")],
        "changes": Annotated[
            list[ProfileChange], Field(description="Changes field by field; empty where the versions are equal.")
        ],
    },
)
ProfileDiff.__doc__ = "Changes of a profile between two times."


def diff_of(before: Sequence[ProfileField], after: Sequence[ProfileField]) -> list[ProfileChange]:
    """Return the changes, field by field. A field that had one value and has another one has changed; of one with
    several, each value comes or goes by itself."""
    then, now = _by_field(before), _by_field(after)
    changes: list[ProfileChange] = []
    for key in dict.fromkeys([*then, *now]):
        changes += _field_changes(then.get(key, {}), now.get(key, {}))
    return changes


def _by_field(fields: Sequence[ProfileField]) -> dict[tuple[str, str | None], _Values]:
    found: dict[tuple[str, str | None], _Values] = {}
    for one in fields:
        found.setdefault((one.name, one.detail), {})[_compared(one)] = one
    return found


def _compared(field: ProfileField) -> str:
    return normalize(field.value) if isinstance(field.value, str) else dumps(field.value).decode()


def _field_changes(then: _Values, now: _Values) -> list[ProfileChange]:
    gone = [one for value, one in then.items() if value not in now]
    come = [one for value, one in now.items() if value not in then]
    if len(then) == len(now) == len(gone) == 1:
        return [ProfileChange("changed", gone[0], come[0])]
    restated = [
        ProfileChange("sources", then[value], one)
        for value, one in now.items()
        if value in then and (then[value].memory_ids != one.memory_ids or then[value].value != one.value)
    ]
    removed = [ProfileChange("removed", one, None) for one in gone]
    return [*removed, *(ProfileChange("added", None, one) for one in come), *restated]
