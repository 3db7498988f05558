"""What changed between two profiles of a user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from service.domain.guards import normalize
from service.domain.json import dumps
from service.domain.profile import ProfileField

Change = Literal["added", "removed", "changed", "sources"]
_Values = dict[str, ProfileField]


@dataclass(frozen=True, slots=True)
class FieldChange:
    """What became of one value of a field: ``sources`` where other memories say the same."""

    change: Change
    before: ProfileField | None
    after: ProfileField | None


def diff_of(before: Sequence[ProfileField], after: Sequence[ProfileField]) -> list[FieldChange]:
    """The changes, field by field. A field that had one value and has another one has changed; of one with several,
    each value comes or goes by itself."""
    then, now = _by_field(before), _by_field(after)
    changes: list[FieldChange] = []
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


def _field_changes(then: _Values, now: _Values) -> list[FieldChange]:
    gone = [one for value, one in then.items() if value not in now]
    come = [one for value, one in now.items() if value not in then]
    if len(then) == len(now) == len(gone) == 1:
        return [FieldChange("changed", gone[0], come[0])]
    restated = [
        FieldChange("sources", then[value], one)
        for value, one in now.items()
        if value in then and (then[value].memory_ids != one.memory_ids or then[value].value != one.value)
    ]
    removed = [FieldChange("removed", one, None) for one in gone]
    return [*removed, *(FieldChange("added", None, one) for one in come), *restated]
