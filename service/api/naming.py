"""Names in requests, masked where the workspace masks personal data: in one place, so that no route can forget it.

Every parameter and body of a route is gone through by its type, after the caller is known and before the route runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, get_args

from fastapi import APIRouter
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Header, Path, Query
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from service.api.bodies import LargeBodyRoute
from service.api.problems import PROBLEMS
from service.domain.naming import plan_of
from service.errors import InvalidInput, Loc
from service.memory.access.redaction import masking_of, with_masked_names

LOOKUP_PATHS = frozenset(
    {"/v1/memories/search", "/v1/memories/search/preview", "/v1/context", "/v1/ask", "/v1/extract"}
)
"""What is asked with POST and stores nothing: names are masked there, and never refused."""

OFFSETS = frozenset({"page", "offset", "skip", "start", "page_size", "per_page"})
"""What other APIs page with."""
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class NamingRoute(LargeBodyRoute):
    """A route whose endpoint, with a parameter ``call``, is given masked names. It takes no query parameter but its
    own."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        refuse = set(options["methods"]) != {"GET"} and path not in LOOKUP_PATHS
        signature = inspect.signature(endpoint, eval_str=True)
        super().__init__(path, _naming(endpoint, signature, refuse=refuse), **options)

    def get_route_handler(self) -> Handler:
        """Answers a request; one with a query parameter that the route does not have is refused."""
        handle = super().get_route_handler()
        known = frozenset(one.alias for one in get_flat_params(self.dependant) if isinstance(one.field_info, Query))

        async def checked(request: Request) -> Response:
            for name in request.query_params:
                if name not in known:
                    raise InvalidInput(("query", name), _unknown(name, known))
            return await handle(request)

        return checked


def _unknown(name: str, known: frozenset[str]) -> str:
    if "cursor" in known and name.lower() in OFFSETS:
        return "is no parameter of this path; use cursor (`next_cursor` of the page before) and limit"
    those = f"the parameters are {', '.join(sorted(known))}" if known else "there is none"
    return f"is no parameter of this path; {those}"


def api_router(**options: Any) -> APIRouter:
    """A router of the API, with the options of FastAPI's; names in what its routes are given are masked."""
    return APIRouter(route_class=NamingRoute, responses=PROBLEMS, **options)


def _naming(endpoint: Callable[..., Any], signature: inspect.Signature, *, refuse: bool) -> Callable[..., Any]:
    annotations = {name: one.annotation for name, one in signature.parameters.items()}
    named = {
        name: (annotation, _loc(name, annotation)) for name, annotation in annotations.items() if plan_of(annotation)
    }

    @wraps(endpoint)
    async def with_names(**given: Any) -> Any:
        engine, caller = given["call"]
        settings = await masking_of(engine, caller)
        if not settings.off:
            values = [(annotation, given[name], loc) for name, (annotation, loc) in named.items()]
            masked = await with_masked_names(engine, caller.workspace_id, settings, values, refuse=refuse)
            given |= dict(zip(named, masked, strict=True))
        return await endpoint(**given)

    with_names.__signature__ = signature  # type: ignore[attr-defined]
    return with_names if named else endpoint


def _loc(name: str, annotation: Any) -> Loc:
    """Where FastAPI says that a parameter is."""
    marks = get_args(annotation)
    if any(isinstance(one, Path) for one in marks):
        return "path", name
    if any(isinstance(one, Header) for one in marks):
        return ("header",)
    return ("body",) if _is_body(annotation) else ("query", name)


def _is_body(annotation: Any) -> bool:
    parts = (annotation, *get_args(annotation))
    return any(isinstance(part, type) and issubclass(part, BaseModel) for part in parts)
