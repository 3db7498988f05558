"""Records made of rows: one place where a column becomes a field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from operator import itemgetter
from typing import Any, TypeVar, cast, get_type_hints

from pydantic import BaseModel

T = TypeVar("T")
Make = Callable[[Mapping[str, Any]], Any]


def make(record: Callable[..., T], row: Mapping[str, Any], prefix: str = "") -> T:
    """Make ``record``, a dataclass of two fields or more, of a row with a column for each of its fields.

    Names of columns are those of the fields after ``prefix``. Other columns are ignored; text becomes an Enum, and a
    JSON object a model, where the field is one. Raises KeyError for a column that the row does not have.
    """
    return cast(T, _maker(record, prefix)(row))


def make_all(record: Callable[..., T], rows: Iterable[Mapping[str, Any]]) -> list[T]:
    """Make a record of each row."""
    return list(map(_maker(record), rows))


@cache
def _maker(record: Any, prefix: str = "") -> Make:
    names = [field.name for field in fields(record)]
    values = itemgetter(*(prefix + name for name in names))
    hints = get_type_hints(record)
    conversions = [(place, convert) for place, name in enumerate(names) if (convert := _conversion(hints[name]))]
    if not conversions:
        return lambda row: record(*values(row))

    def made(row: Mapping[str, Any]) -> Any:
        given = list(values(row))
        for place, convert in conversions:
            given[place] = convert(given[place])
        return record(*given)

    return made


def _conversion(hint: Any) -> Callable[[Any], Any] | None:
    if not isinstance(hint, type):
        return None
    if issubclass(hint, BaseModel):
        return hint.model_validate
    return hint if issubclass(hint, Enum) else None
