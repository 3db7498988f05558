"""The filter ``where`` of a request, masked as what it filters was stored, for the queries."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from service.domain.field_types import LANGGRAPH_NAMES, BoundedObject
from service.domain.json import JsonValue
from service.domain.principal import Principal
from service.domain.where import (
    JSON_FIELDS,
    NAME_FIELDS,
    Condition,
    Loc,
    Where,
    conditions_of,
    parse_where,
    restated,
    with_conditions,
)
from service.domain.workspace import Masking
from service.memory.access.naming import masked_names
from service.memory.access.redaction import masking_of, redact
from service.memory.engine import Engine
from service.store.where import WhereQuery, compiled


async def where_query(engine: Engine, principal: Principal, where: Where | None) -> WhereQuery | None:
    """A parsed filter as the queries take it; None for none."""
    masking = await masking_of(engine, principal)
    if where is None or masking.off:
        return compiled(where)
    return compiled(await _masked(engine, principal.workspace_id, masking, where, refuse=False))


async def kept_where(
    engine: Engine, workspace: UUID, masking: Masking, given: BoundedObject | None, loc: Loc
) -> BoundedObject | None:
    """A filter as it may be stored, in the words that it was given in unless something in it is masked. Raises
    InvalidInput, which names the path of what does not fit, or of what the workspace refuses."""
    where = parse_where(given, loc)
    if given is None or where is None or masking.off:
        return given
    masked = await _masked(engine, workspace, masking, where, refuse=True)
    return given if masked == where else restated(given, masked)


async def _masked(engine: Engine, workspace: UUID, masking: Masking, where: Where, *, refuse: bool) -> Where:
    written = [one for one in conditions_of(where) if one.field in JSON_FIELDS and not _holds_names(one)]
    objects = await redact(engine, masking, [(one.loc, _nested(one)) for one in written], lenient=not refuse)
    named = [(one, text) for one in conditions_of(where) if _holds_names(one) for text in _texts(one)]
    located = [(one.loc[:-1], text) for one, text in named]  # which ends with the field
    names = await masked_names(engine, workspace, masking, located, refuse=refuse)
    masked = {text: name for (_, text), name in zip(named, names, strict=True)}
    stored = {id(one): _flat(one, object_) for one, object_ in zip(written, objects, strict=True)}
    return with_conditions(where, lambda one: stored.get(id(one)) or _renamed(one, masked))


def _holds_names(condition: Condition) -> bool:
    return condition.field in NAME_FIELDS or (condition.field == "metadata" and condition.keys in LANGGRAPH_NAMES)


def _texts(condition: Condition) -> list[str]:
    values = condition.value if condition.operator == "in" else [condition.value]
    return [value for value in values if isinstance(value, str)]


def _renamed(condition: Condition, masked: dict[str, str]) -> Condition:
    if not _holds_names(condition):
        return condition

    def renamed(value: JsonValue) -> JsonValue:
        return masked.get(value, value) if isinstance(value, str) else value

    value = condition.value
    return replace(condition, value=[renamed(one) for one in value] if condition.operator == "in" else renamed(value))


def _nested(condition: Condition) -> JsonValue:
    """The value under its keys, as it stands in a memory: a key speaks for what is under it."""
    value = condition.value
    for key in reversed(condition.keys):
        value = {key: value}
    return value


def _flat(condition: Condition, object_: JsonValue) -> Condition:
    keys: list[str] = []
    for _ in condition.keys:
        ((key, object_),) = object_.items()
        keys.append(key)
    return replace(condition, keys=tuple(keys), value=object_)
