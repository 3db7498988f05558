"""Routes whose function says what OpenAPI calls them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from fastapi.routing import APIRoute


class OperationRoute(APIRoute):
    """A route with the name of its function as operation id, and where it is given no summary, its docstring as one."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        options["operation_id"] = endpoint.__name__
        options["summary"] = options["summary"] or (inspect.getdoc(endpoint) or "").removesuffix(".")
        super().__init__(path, endpoint, **options)
