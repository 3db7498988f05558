"""The filter ``where`` as the queries take it: a shape that the statement is made of, and the values it is given."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.domain.json import JsonValue
from service.domain.where import TIME_FIELDS, Condition, Negation, Where

Shape = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class WhereQuery:
    """``shape``: nested tuples of words and of places in ``values``, nothing that a caller wrote."""

    shape: Shape
    values: list[JsonValue] = field(hash=False)


def compiled(where: Where | None) -> WhereQuery | None:
    """Return a filter for the fragment ``where``; None for none."""
    if where is None:
        return None
    values: list[JsonValue] = []
    return WhereQuery(_shape(where, values), values)


def where_flag(query: WhereQuery | None) -> Shape:
    """Return the flag ``where`` of a query, empty for none."""
    return query.shape if query else ()


def _shape(where: Where, values: list[JsonValue]) -> Shape:
    if isinstance(where, Negation):
        return ("not", _shape(where.part, values))
    if not isinstance(where, Condition):
        return (where.word, tuple(_shape(part, values) for part in where.parts))
    keys = tuple(_placed(key, values) for key in where.keys)
    return (where.operator, _kind(where), where.field, keys, _placed(where.value, values))


def _placed(value: JsonValue, values: list[JsonValue]) -> int:
    values.append(value)
    return len(values) - 1


def _kind(condition: Condition) -> str:
    """Return what a range compares: times, texts or numbers."""
    if condition.field in TIME_FIELDS:
        return "time"
    return "string" if isinstance(condition.value, str) else "number"
