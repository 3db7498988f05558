"""The one place where litellm is imported and its errors become ours."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Awaitable, Callable
from typing import Any

from service.db.guard import assert_outside_transaction
from service.llm.errors import LLMRefused, LLMUnavailable

REQUEST_TIMEOUT = 408
TOO_MANY_REQUESTS = 429


async def load_litellm() -> Any:
    """litellm, imported off the event loop when first needed (3 s), with the price map of its wheel."""
    return await asyncio.to_thread(import_litellm)


async def attempt(call: Callable[[], Awaitable[Any]], model: str, timeout_s: float) -> Any:
    """Make one call, for at most ``timeout_s`` seconds in all. Raises LLMUnavailable, LLMRefused.

    Raises RuntimeError inside a database transaction, before calling.
    """
    assert_outside_transaction()
    try:
        # litellm's own timeout is for each read, which a trickle of bytes never exceeds.
        async with asyncio.timeout(timeout_s):
            return await call()
    except TimeoutError as error:
        raise LLMUnavailable(f"{model} did not answer within {timeout_s:g} s.", status=REQUEST_TIMEOUT) from error
    except Exception as error:  # litellm passes on whatever a malformed answer breaks
        raise _ours(error, model, timeout_s) from error


def is_transient(error: BaseException) -> bool:
    """Whether another attempt may succeed."""
    return isinstance(error, LLMUnavailable) and not isinstance(error, LLMRefused)


def _ours(error: Exception, model: str, timeout_s: float) -> LLMUnavailable:
    status = getattr(error, "status_code", None)
    if status == REQUEST_TIMEOUT:
        return LLMUnavailable(f"{model} did not answer within {timeout_s:g} s.", status=status)
    reason = f"{model} failed: {type(error).__name__}: {error}"
    if isinstance(status, int) and status != TOO_MANY_REQUESTS and status < 500:
        return LLMRefused(reason, status=status)
    return LLMUnavailable(reason, status=status if isinstance(status, int) else None)


def import_litellm() -> Any:
    """The litellm module, which takes 3 s, told to ask nothing of the network by itself."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm: Any = importlib.import_module("litellm")
    litellm.suppress_debug_info = True
    # Counting tokens for a Llama would otherwise fetch its tokenizer.
    litellm.disable_hf_tokenizer_download = True
    return litellm
