"""What is wrong with a field, in the words of the API: pydantic's speak of its own types."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from pydantic import ValidationError

from service.settings import OBJECTS

_REASONS: Final = {
    "missing": "is required",
    "extra_forbidden": "is not known here",
    "string_type": "must be a string",
    "string_unicode": "must be valid Unicode (it contains a lone surrogate)",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be an integer",
    "int_parsing": "must be an integer",
    "int_parsing_size": "must be an integer of fewer digits",
    "int_from_float": "must be an integer",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "uuid_type": "must be a UUID",
    "uuid_parsing": "must be a UUID",
    "enum": "must be {expected}",
    "literal_error": "must be {expected}",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} items, not {actual_length}",
    "too_long": "must have at most {max_length} items, not {actual_length}",
    "string_pattern_mismatch": "must match the pattern {pattern}",
}
"""By the type of a pydantic error; in braces what its context has."""
_OWN_WORDS: Final = "Value error, "
"""What pydantic begins a validator's own words with."""
_OF_TEXT: Final = {"too_short": "string_too_short", "too_long": "string_too_long"}
"""What pydantic calls the length of a text behind a validator, and what it calls that of any other."""
_TIMES: Final = ("datetime_", "date_", "timezone_", "time_")


def reason_of(error: Mapping[str, object]) -> str:
    """Return what is wrong with a field, to stand after its name; ``error`` is one of ``ValidationError.errors()``."""
    kind, said, context = str(error["type"]), str(error["msg"]), error.get("ctx")
    if isinstance(error.get("input"), str):
        kind = _OF_TEXT.get(kind, kind)
    if kind in ("string_too_short", "too_short") and isinstance(context, dict) and context.get("min_length") == 1:
        return "must not be empty"
    if kind in _REASONS:
        return _REASONS[kind].format_map(context if isinstance(context, dict) else {})
    if kind.startswith(_TIMES):
        return "must be an RFC 3339 timestamp or a day, as in 2026-03-01T09:00:00Z"
    return said.removeprefix(_OWN_WORDS).replace("Input should be", "must be").encode("utf-8", "replace").decode()


def explain(error: ValidationError, within: str = "") -> str:
    """Return what is wrong with a variable, an option or a file: its place, and what must be there.

    ``within``: the place of what was validated, such as ``REVERIE_OIDC.grants``.
    """
    reasons = []
    for one in error.errors(include_input=False, include_url=False):
        place = ".".join(map(str, [*filter(None, [within]), *one["loc"]]))
        reasons.append(": ".join(filter(None, [place, _reason(one)])))
    return "; ".join(reasons)


def _reason(error: Mapping[str, object]) -> str:
    """Return what is wrong; of a field that is not known, also the one that may be meant."""
    loc = error["loc"]
    reason = reason_of(error)
    if error["type"] != "extra_forbidden" or not isinstance(loc, tuple) or len(loc) != 2:
        return reason
    model = OBJECTS.get(str(loc[0]))
    close = get_close_matches(str(loc[1]), model.model_fields if model else (), 1)
    return f"{reason}; is {close[0]} meant?" if close else reason
