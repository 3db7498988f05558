"""The names in a value, found by its type: what is marked ``Identifies`` or lies at the paths of ``NamesInside``.

Whoever adds a field of type ``Name`` or ``Tag`` to a request has it masked like all others, without doing anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Union, get_args, get_origin

from pydantic import BaseModel

from service.domain.field_types import AsGiven, Identifies, NamesInside
from service.domain.json import JsonValue
from service.errors import Loc

Change = Callable[[Loc, str], str]
Plan = Callable[[object, Loc, Change], object]


def with_names(annotation: object, value: object, loc: Loc, change: Change) -> JsonValue:
    """Return the value with each name in it changed, told its place; what holds none is given back as it is.

    A model keeps what was set of its fields; its validators do not run again.
    """
    plan = plan_of(annotation)
    return value if plan is None or value is None else plan(value, loc, change)


def plan_of(annotation: object) -> Plan | None:
    """Return how to get at the names in values of this type; None where there are none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _model(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _marked(arguments[1:]) if _is_marked(arguments[1:]) else plan_of(arguments[0])
    if origin in (Union, UnionType):
        return _first_of([plan for plan in map(plan_of, arguments) if plan is not None])
    if origin in (list, tuple) and arguments:
        return _each(plan_of(arguments[0]))
    return None


def _is_marked(metadata: Sequence[object]) -> bool:
    return any(isinstance(one, Identifies | NamesInside | AsGiven) for one in metadata)


def _marked(metadata: Sequence[object]) -> Plan | None:
    if any(isinstance(one, AsGiven) for one in metadata):
        return None
    inside = next((one for one in metadata if isinstance(one, NamesInside)), None)
    return _name if inside is None else _inside(inside.paths)


def _name(value: object, loc: Loc, change: Change) -> object:
    return change(loc, value) if isinstance(value, str) else value


def _first_of(plans: list[Plan]) -> Plan | None:
    """Return one plan that applies all of these; each leaves alone what is not of its type."""
    if not plans:
        return None

    def all_of(value: object, loc: Loc, change: Change) -> object:
        for plan in plans:
            changed = plan(value, loc, change)
            if changed is not value:
                return changed
        return value

    return plans[0] if len(plans) == 1 else all_of


def _each(plan: Plan | None) -> Plan | None:
    if plan is None:
        return None

    def each(value: object, loc: Loc, change: Change) -> object:
        if not isinstance(value, list | tuple):
            return value
        # A list of names is named as a whole where one of them is refused.
        changed = [plan(item, loc if plan is _name else (*loc, place), change) for place, item in enumerate(value)]
        same = all(new is item for new, item in zip(changed, value, strict=True))
        return value if same else type(value)(changed)

    return each


@cache
def _model(model: type[BaseModel]) -> Plan | None:
    fields: dict[str, Plan] = {}
    for name, field in model.model_fields.items():
        plan = _marked(field.metadata) if _is_marked(field.metadata) else plan_of(field.annotation)
        if plan is not None:
            fields[name] = plan

    def in_model(value: object, loc: Loc, change: Change) -> object:
        if not isinstance(value, model):
            return value
        changes: dict[str, object] = {}
        for name, plan in fields.items():
            present = getattr(value, name)
            if present is not None and (changed := plan(present, (*loc, name), change)) is not present:
                changes[name] = changed
        return value.model_copy(update=changes) if changes else value

    return in_model if fields else None


def _inside(paths: tuple[tuple[str, ...], ...]) -> Plan:
    texts = _each(_name)
    assert texts is not None

    def at(value: object, path: tuple[str, ...], loc: Loc, change: Change) -> object:
        if not path:
            return texts(_name(value, loc, change), loc, change)
        if not isinstance(value, dict) or path[0] not in value:
            return value
        changed = at(value[path[0]], path[1:], (*loc, path[0]), change)
        return value if changed is value[path[0]] else value | {path[0]: changed}

    def inside(value: object, loc: Loc, change: Change) -> object:
        for path in paths:
            value = at(value, path, loc, change)
        return value

    return inside
