"""The grammar of ``where`` in plain Python, over memories as the API returns them, and random filters and metadata."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from random import Random
from typing import Any

MISSING = object()
TIMES = ("created_at", "updated_at", "happened_at", "occurred_at", "valid_from", "valid_until", "expires_at")
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "gt": lambda a, b: a > b,
    "gte": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "lte": lambda a, b: a <= b,
}
KEYS = (
    "a", "b", "a.b", "", "it's", '"', "$", "$ne", "名", "é\u0301", "and", "\\", "%",
    "x'); DROP TABLE memories; --", "0",
)  # fmt: skip
SCALARS: tuple[Any, ...] = (
    "x", "X", "", "1", "true", "名前", "zebra", "é", "it's", '"', "2026-03-01", "2026-03-02T10:00:00Z", 0, 1, -1, 1.5,
    1.0, 2**63 - 1, -(2**63), 2**53 + 1, 1e22, 1e308, 5e-324, 0.1, True, False, None,
)  # fmt: skip


def passes(where: Mapping[str, Any], memory: Mapping[str, Any]) -> bool:
    """Whether a memory passes a filter."""
    return all(_entry(name, value, memory) for name, value in where.items())


def _entry(name: str, value: Any, memory: Mapping[str, Any]) -> bool:
    if name == "and":
        return all(passes(part, memory) for part in value)
    if name == "or":
        return any(passes(part, memory) for part in value)
    if name == "not":
        return not passes(value, memory)
    found = _found(name, memory)
    conditions = value if isinstance(value, dict) else {"eq": value}
    return all(_holds(operator, found, operand, name in TIMES) for operator, operand in conditions.items())


def _found(path: str, memory: Mapping[str, Any]) -> Any:
    field, _, rest = path.partition(".")
    if field in ("metadata", "source"):
        value = memory[field]
        for key in _split(rest):
            value = value.get(key, MISSING) if isinstance(value, dict) else MISSING
        return value
    value = (memory["occurred_at"] or memory["valid_from"]) if field == "happened_at" else memory[field]
    return MISSING if value is None or value == [] else value


def _split(path: str) -> list[str]:
    decoder, keys = json.JSONDecoder(), []
    while path:
        if path[0] == '"':
            key, end = decoder.raw_decode(path)
        else:
            key, end = path.split(".")[0], len(path.split(".")[0])
        keys.append(key)
        path = path[end + 1 :]
    return keys


def _holds(operator: str, found: Any, operand: Any, is_time: bool) -> bool:
    if operator == "exists":
        return (found is not MISSING) == operand
    if operator == "ne":
        return not _holds("eq", found, operand, is_time)
    if operator == "in":
        return any(_holds("eq", found, one, is_time) for one in operand)
    if found is MISSING:
        return False
    elements = found if isinstance(found, list) else [found]
    wanted = _comparable(operand, is_time)
    for element in elements:
        stored = _comparable(element, is_time)
        if stored[0] != wanted[0]:
            continue
        if operator == "eq" and stored[1] == wanted[1]:
            return True
        if operator != "eq" and stored[0] in ("number", "text", "time") and COMPARISONS[operator](stored[1], wanted[1]):
            return True
    return False


def _comparable(value: Any, is_time: bool) -> tuple[str, Any]:
    """What a value is compared as: values of two kinds are never equal."""
    if is_time:
        moment = datetime.fromisoformat(value)
        return ("time", moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, int | float):
        return ("number", Decimal(repr(value)))
    if isinstance(value, str):
        return ("text", value)
    return ("null", None) if value is None else ("other", None)


def random_metadata(random: Random, depth: int = 0) -> dict[str, Any]:
    """An object with hostile keys, every kind of value, arrays and objects in objects."""
    return {random.choice(KEYS): _random_value(random, depth) for _ in range(random.randint(0, 5))}


def _random_value(random: Random, depth: int) -> Any:
    kind = random.random()
    if kind < 0.2 and depth < 4:
        return random_metadata(random, depth + 1)
    if kind < 0.4:
        return [random.choice(SCALARS) for _ in range(random.randint(0, 4))]
    if kind < 0.45:
        return [[random.choice(SCALARS)], {"a": random.choice(SCALARS)}]
    return random.choice(SCALARS)


def random_where(random: Random, depth: int = 0) -> dict[str, Any]:
    """A filter, up to four levels deep."""
    kind = random.random()
    if depth < 4 and kind < 0.35:
        word = random.choice(("and", "or"))
        return {word: [random_where(random, depth + 1) for _ in range(random.randint(1, 3))]}
    if depth < 4 and kind < 0.5:
        return {"not": random_where(random, depth + 1)}
    return dict(_random_comparison(random) for _ in range(random.choice((1, 1, 1, 2))))


FIELDS: dict[str, tuple[Any, ...]] = {
    "metadata": SCALARS, "source": SCALARS, "type": ("fact", "event", 1), "tags": ("x", "draft", "名", 1),
    "importance": (0.1, 0.5, 1, "0.5"), "user": ("ada", "O'Hara", 0), "key": ("k1", "none"), "agent": ("a", "b"),
    "session": ("s", "t"),
    **dict.fromkeys(TIMES, ("2026-03-01", "2026-03-01T12:00:00+02:00", "2020-01-01T00:00:00Z")),
}  # fmt: skip


def _random_comparison(random: Random) -> tuple[str, Any]:
    field = random.choice(("metadata",) * 20 + tuple(FIELDS))
    values = FIELDS[field]
    if field in ("metadata", "source"):
        field += "".join("." + _written(random, random.choice(KEYS)) for _ in range(random.choice((1, 1, 1, 2, 3))))
        if random.random() < 0.3:
            return field, random.choice(values)
    return field, dict(_random_operator(random, values) for _ in range(random.choice((1, 1, 2))))


def _written(random: Random, key: str) -> str:
    needs_quotes = not key or set(key) & {".", '"'}
    return json.dumps(key, ensure_ascii=random.random() < 0.5) if needs_quotes or random.random() < 0.2 else key


def _random_operator(random: Random, values: Any) -> tuple[str, Any]:
    operator = random.choice(("eq", "ne", "in", "gt", "gte", "lt", "lte", "exists"))
    if operator == "exists":
        return operator, random.random() < 0.5
    if operator == "in":
        return operator, [random.choice(values) for _ in range(random.randint(1, 4))]
    ordered = [value for value in values if value is not None and not isinstance(value, bool)]
    return operator, random.choice(ordered if operator not in ("eq", "ne") else values)
