"""Names in paths. Callers choose them freely, so one may hold a slash: in a path that is written ``%2F``.

A server hands on a path decoded, where that slash and one between two segments are the same. So an encoded one is kept
apart until the route is found.
"""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import quote, unquote

from pydantic import BeforeValidator
from starlette.types import Scope

from service.domain.field_types import Name

SLASH_PLACEHOLDER = "\uffff"
"""Stands for an encoded slash. No name holds it: it is not printable."""

_ENCODED = re.compile(rb"%2f", re.IGNORECASE)


def preserve_encoded_slashes(scope: Scope) -> None:
    """Tell the encoded slashes of the path apart from those between its segments."""
    raw: bytes = scope.get("raw_path") or b""
    if _ENCODED.search(raw):
        scope["path"] = unquote(_ENCODED.sub(quote(SLASH_PLACEHOLDER).encode(), raw).decode("ascii", "replace"))


def _restore_slashes(given: object) -> object:
    return given.replace(SLASH_PLACEHOLDER, "/") if isinstance(given, str) else given


PathName = Annotated[Name, BeforeValidator(_restore_slashes)]
