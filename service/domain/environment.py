"""What is wrong with an environment variable, in words."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from pydantic import ValidationError

from service.domain.validation import reason_of
from service.settings import OBJECTS


def explain(error: ValidationError, within: str = "") -> str:
    """Return what is wrong with what was given: variable, field, and what must be there.

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
