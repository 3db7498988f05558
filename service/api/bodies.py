"""Large JSON bodies, parsed and validated off the event loop."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter, ValidationError
from starlette.responses import Response
from starlette.types import Message, Receive

from service.api.dependencies import bearer, principal_of
from service.api.errors import ERRORS_MAX, is_json
from service.api.operations import OperationRoute
from service.concurrency.executor import INLINE_CHARACTERS_MAX
from service.memory.engine import Engine


class LargeBodyRoute(OperationRoute):
    """A route whose body, unless it is small, is validated by the engine's executor, once the caller is known."""

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
            engine: Engine = request.app.state.engine
            await principal_of(request, engine, await bearer(request))
            value = await engine.executor.run(_validated, adapter, body, characters=len(body))
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
    """The body, or the exception for one that is no JSON. Raises RequestValidationError."""
    try:
        value = json.loads(body)
    except Exception as error:  # noqa: BLE001  FastAPI is to tell them apart
        return error
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)[:ERRORS_MAX]
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in found]) from None


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Receives the body that has been read, then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again
