"""What LangGraph's operations mean: which values a filter accepts, which namespaces match, what a value says."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from langgraph.store.base import MatchCondition
from langgraph.store.base.embed import get_text_at_path

MASKED = re.compile(r"<[A-Z_]{2,30}:[0-9a-f]{24}>")
"""What stands for personal data in a name."""

CONTENT_MAX = 8_000
"""Characters of a memory's content: what of an item is searched."""

COMPARED = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}


def accepts(wanted: Mapping[str, Any] | None, value: Mapping[str, Any]) -> bool:
    """Return whether an item of that value passes a filter. Raises ValueError for an operator that is none.

    Numbers are compared with numbers and texts with texts; anything else is neither more nor less. What is missing is
    None.
    """
    return all(_equals(value.get(name), one) for name, one in (wanted or {}).items())


def needed_of(wanted: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the part of a filter that is plain equality of texts, numbers and booleans: a search can do that
    itself."""
    return {name: one for name, one in (wanted or {}).items() if isinstance(one, str | int | float | bool)}


def _equals(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(value, name, one) for name, one in wanted.items())
        return isinstance(value, Mapping) and all(_equals(value.get(name), one) for name, one in wanted.items())
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(_equals(one, other) for one, other in zip(value, wanted, strict=True))
        )
    return bool(value == wanted)


def _compares(value: Any, name: str, wanted: Any) -> bool:
    if name == "$eq":
        return bool(value == wanted)
    if name == "$ne":
        return bool(value != wanted)
    if name not in COMPARED:
        raise ValueError(f"Unsupported operator: {name}")
    alike = (_is_number(value) and _is_number(wanted)) or (isinstance(value, str) and isinstance(wanted, str))
    return alike and bool(COMPARED[name](value, wanted))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def matches_namespace(namespace: Sequence[str], condition: MatchCondition) -> bool:
    """Return whether a namespace begins or ends with a path, label by label; ``*`` is any one label."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


def unmasked(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels before the first that is given as it is stored where personal data is masked."""
    return tuple(takewhile(lambda label: not MASKED.search(label), labels))


def is_within(namespace: Sequence[str], prefix: Sequence[str]) -> bool:
    """Return whether a stored namespace, known to begin with the unmasked labels of a path, has the others of it
    too."""
    known = len(unmasked(prefix))
    return list(namespace[known : len(prefix)]) == list(prefix[known:])


def text_of(value: Mapping[str, Any], fields: Sequence[str] | None) -> str:
    """Return what an item is searched by: its texts at these paths, or all that it says; "" for nothing.

    One text stands for itself, several are lines that say what each is.
    """
    if fields is None:
        said = list(_leaves(value, ""))
        lines = [said[0][1]] if len(said) == 1 else [f"{name}: {text}" for name, text in said]
    else:
        lines = [text for path in fields for text in get_text_at_path(value, path)]
    return "\n".join(lines)[:CONTENT_MAX].strip()


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, child in value.items():
            yield from _leaves(child, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple):
        for child in value:
            yield from _leaves(child, path)
    elif value is not None and str(value).strip():
        yield path, str(value)
