"""Routes whose function gives their name, summary and answer in the OpenAPI document."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_args, get_origin

from fastapi.datastructures import DefaultPlaceholder
from fastapi.routing import APIRoute

from service.api.dependencies import JsonResponse


class OperationRoute(APIRoute):
    """Route with the name of its function as operation id, the type of its answer as response model, and where it is
    given no summary, its docstring as one."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        options["operation_id"] = endpoint.__name__
        options["summary"] = options["summary"] or (inspect.getdoc(endpoint) or "").removesuffix(".")
        if isinstance(options.get("response_model"), DefaultPlaceholder):
            options["response_model"] = _answer_of(endpoint)
        super().__init__(path, endpoint, **options)


def _answer_of(endpoint: Callable[..., Any]) -> Any:
    """Return the type of the JSON that a route is declared to return, alone or beside a stream; None without one."""
    declared = inspect.signature(endpoint, eval_str=True).return_annotation
    answers = [declared, *get_args(declared)]
    return next((get_args(one)[0] for one in answers if get_origin(one) is JsonResponse), None)
