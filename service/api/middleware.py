"""What every request passes: its id, the bound on its body, and the log line of its end."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Collection, Mapping

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.errors import problem
from service.errors import TooLarge

log = structlog.get_logger(__name__)

_REQUEST_ID = re.compile(rb"[\x21-\x7e]{1,100}")


class RequestMiddleware:
    """Gives each request an id (the caller's, if it has one), bounds its body, and logs how it ended.

    Bodies to the ``streamed`` paths are bounded by whoever reads them; ``larger`` are paths with a bound of their own.

    An unexpected error is logged with its traceback and answered 500 with the id; nothing of it is shown.
    """

    def __init__(
        self, app: ASGIApp, body_bytes_max: int, *, streamed: Collection[str], larger: Mapping[str, int]
    ) -> None:
        self.app = app
        self.body_bytes_max = body_bytes_max
        self.streamed = streamed
        self.larger = larger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"")
        request_id = given.decode() if _REQUEST_ID.fullmatch(given) else str(uuid.uuid4())
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        status = 0
        bytes_max = self.larger.get(scope["path"], self.body_bytes_max)

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            length = headers.get(b"content-length", b"0")
            if scope["path"] in self.streamed:
                await self.app(scope, receive, answer)
            elif length.isdigit() and int(length) > bytes_max:
                await _refuse(scope, receive, answer, bytes_max)
            else:
                await self.app(scope, _bounded(receive, bytes_max), answer)
        except TooLarge:
            if status:
                raise
            await _refuse(scope, receive, answer, bytes_max)
        except Exception:
            log.exception("unexpected_error", method=scope["method"], path=scope["path"])
            if status:
                raise
            response = problem(500, "Internal error", f"Something unexpected went wrong; it is logged as {request_id}.")
            await response(scope, receive, answer)
        finally:
            elapsed_ms = round((time.perf_counter() - started) * 1000, 2)
            log.info("request", method=scope["method"], path=scope["path"], status=status, elapsed_ms=elapsed_ms)


async def _refuse(scope: Scope, receive: Receive, send: Send, bytes_max: int) -> None:
    response = problem(413, "Too large", f"A request body may have at most {bytes_max} bytes.")
    await response(scope, receive, send)


def _bounded(receive: Receive, bytes_max: int) -> Receive:
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > bytes_max:
                raise TooLarge
        return message

    return bounded
