"""One attempt at a call of a model, through litellm, whose errors become ours."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from service.concurrency.transaction_guard import assert_outside_transaction
from service.llm.errors import LLMInvalidOutput, LLMRefused, LLMUnavailable
from service.provider.failures import describe, located
from service.provider.response_limits import response_too_large

REQUEST_TIMEOUT = 408
TOO_MANY_REQUESTS = 429


async def call_once(
    call: Callable[[], Awaitable[Any]], model: str, timeout_s: float, api_base: str | None, api_key: str | None
) -> Any:
    """Make one call, for at most ``timeout_s`` seconds in all; no error of it says the key.

    Raises LLMUnavailable, LLMRefused, and LLMInvalidOutput for an answer past its bound. Raises RuntimeError inside a
    database transaction, before calling.
    """
    assert_outside_transaction()
    try:
        # litellm's own timeout is for each read, which a trickle of bytes never exceeds.
        async with asyncio.timeout(timeout_s):
            return await call()
    except TimeoutError as error:
        raise _late(model, timeout_s, api_base) from error
    except Exception as error:  # litellm passes on whatever a malformed answer breaks
        raise _ours(error, model, timeout_s, api_base, api_key) from error


def is_transient(error: BaseException) -> bool:
    """Whether another attempt may succeed."""
    return isinstance(error, LLMUnavailable) and not isinstance(error, LLMRefused)


def _ours(
    error: Exception, model: str, timeout_s: float, api_base: str | None, api_key: str | None
) -> LLMUnavailable | LLMInvalidOutput:
    if (oversized := response_too_large(error)) is not None:
        return LLMInvalidOutput(f"{model}: {oversized.message}")
    status = getattr(error, "status_code", None)
    if status == REQUEST_TIMEOUT:
        return _late(model, timeout_s, api_base)
    reason = describe(error, model, api_base, api_key)
    if isinstance(status, int) and status != TOO_MANY_REQUESTS and status < 500:
        return LLMRefused(reason, status=status)
    return LLMUnavailable(reason, status=status if isinstance(status, int) else None)


def _late(model: str, timeout_s: float, api_base: str | None) -> LLMUnavailable:
    message = f"{located(model, api_base)} did not answer within {timeout_s:g} s."
    return LLMUnavailable(message, status=REQUEST_TIMEOUT)
