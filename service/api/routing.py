"""The classes of routes: what the OpenAPI document says of them, large bodies, masked names.

- A route's function gives its name, summary and answer in the OpenAPI document.
- Large JSON bodies are parsed and validated off the event loop.
- Names in requests are masked where the workspace masks personal data: in one place, so that no route can forget it.
  Every parameter and body of a route is gone through by its type, after the caller is known and before the route runs.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, get_args, get_origin

from fastapi import APIRouter, Request
from fastapi.datastructures import DefaultPlaceholder
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.params import Header, Path, Query
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.responses import Response
from starlette.types import Message, Receive

from service.api.dependencies import JsonResponse, bearer, principal_of
from service.api.errors import ERRORS_MAX, PROBLEMS, is_json
from service.concurrency.executor import INLINE_CHARACTERS_MAX
from service.domain.naming import plan_of
from service.errors import InvalidInput, Loc
from service.memory.access.redaction import masking_of, with_masked_names
from service.runtime import Runtime


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


class LargeBodyRoute(OperationRoute):
    """A route whose body, unless it is small, is validated by the executor, once the caller is known."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle
        body_type: Any = self.body_field.field_info.annotation
        adapter: TypeAdapter[Any] = TypeAdapter(body_type)

        async def handle_large(request: Request) -> Response:
            body = await request.body()
            if len(body) <= INLINE_CHARACTERS_MAX or not is_json(request):
                return await handle(request)
            runtime: Runtime = request.app.state.runtime
            await principal_of(request, runtime, await bearer(request))
            value = await runtime.executor.run(_validated, adapter, body, characters=len(body))
            return await handle(_Validated(request, value))

        return handle_large


class _Validated(Request):
    """A request whose body FastAPI need not parse and validate; or whose parsing fails as it did before."""

    def __init__(self, request: Request, value: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._value = value

    async def body(self) -> bytes:
        return b"{}"

    async def json(self) -> Any:
        if isinstance(self._value, Exception):
            raise self._value
        return self._value


def _validated(adapter: TypeAdapter[Any], body: bytes) -> Any:
    """Return the body, or the exception for one that is no JSON. Raises RequestValidationError."""
    try:
        value = json.loads(body)
    except Exception as error:  # noqa: BLE001  FastAPI is to tell them apart
        return error
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[:ERRORS_MAX]
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in found]) from None


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Receives the body that has been read, then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again


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
        """Answers a request. A query parameter that the route does not have is refused, and one of its own in a body
        that it does not read."""
        handle = super().get_route_handler()
        reads_no_body = self.body_field is None and self.dependant.request_param_name is None
        known = frozenset(one.alias for one in get_flat_params(self.dependant) if isinstance(one.field_info, Query))

        async def checked(request: Request) -> Response:
            for name in request.query_params:
                if name not in known:
                    raise InvalidInput(("query", name), _unknown(name, known))
            if reads_no_body and known and is_json(request):
                for name in sorted(known & _names_in(await request.body())):
                    raise InvalidInput(("body", name), f"belongs into the address here, as in ?{name}=…")
            return await handle(request)

        return checked


def _names_in(body: bytes) -> frozenset[str]:
    """Return the names of the fields of a JSON object; none for anything else."""
    try:
        given = json.loads(body)
    except ValueError:
        return frozenset()
    return frozenset(given) if isinstance(given, dict) else frozenset()


def _unknown(name: str, known: frozenset[str]) -> str:
    if "cursor" in known and name.lower() in OFFSETS:
        return "is no parameter of this path; use cursor (`next_cursor` of the page before) and limit"
    those = f"the parameters are {', '.join(sorted(known))}" if known else "there is none"
    return f"is no parameter of this path; {those}"


def api_router(**options: Any) -> APIRouter:
    """Return a router of the API, with the options of FastAPI's; names in what its routes are given are masked."""
    return APIRouter(route_class=NamingRoute, responses=PROBLEMS, **options)


def _naming(endpoint: Callable[..., Any], signature: inspect.Signature, *, refuse: bool) -> Callable[..., Any]:
    annotations = {name: one.annotation for name, one in signature.parameters.items()}
    named = {
        name: (annotation, _loc(name, annotation)) for name, annotation in annotations.items() if plan_of(annotation)
    }

    @wraps(endpoint)
    async def with_names(**given: Any) -> Any:
        runtime, caller = given["call"]
        settings = await masking_of(runtime, caller)
        if not settings.off:
            values = [(annotation, given[name], loc) for name, (annotation, loc) in named.items()]
            masked = await with_masked_names(runtime, caller.workspace_id, settings, values, refuse=refuse)
            given |= dict(zip(named, masked, strict=True))
        return await endpoint(**given)

    with_names.__signature__ = signature  # type: ignore[attr-defined]
    return with_names if named else endpoint


def _loc(name: str, annotation: Any) -> Loc:
    """Return where FastAPI says that a parameter is."""
    marks = get_args(annotation)
    if any(isinstance(one, Path) for one in marks):
        return "path", name
    if any(isinstance(one, Header) for one in marks):
        return ("header",)
    return ("body",) if _is_body(annotation) else ("query", name)


def _is_body(annotation: Any) -> bool:
    parts = (annotation, *get_args(annotation))
    return any(isinstance(part, type) and issubclass(part, BaseModel) for part in parts)
