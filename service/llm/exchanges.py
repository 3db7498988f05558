"""What an attempt at a model said and was answered, in the form in which a workspace keeps it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.domain.json import dumps
from service.domain.model_calls import Exchange, Outcome
from service.errors import ReverieError
from service.llm.errors import LLMInvalidOutput, LLMRefused, LLMUnavailable
from service.llm.transport import REQUEST_TIMEOUT

NOT_SAID: Final = "The answer does not have the form that was asked for."


def exchange_of(
    messages: Sequence[Mapping[str, Any]], output: str, error: BaseException | None, *,
    valid: bool = True, attempt: int = 1, failover: bool = False,
) -> Exchange:  # fmt: skip
    """An attempt that was answered, ``valid`` or not, or that ended with an ``error``."""
    outcome = outcome_of(error) if error is not None else "answered" if valid else "invalid"
    return Exchange(_as_text(messages), output, outcome, _reason(error, outcome), attempt, failover)


def outcome_of(error: BaseException) -> Outcome:
    """How an attempt ended that failed."""
    if isinstance(error, LLMUnavailable) and error.status == REQUEST_TIMEOUT:
        return "timeout"
    if isinstance(error, LLMRefused):
        return "refused"
    if isinstance(error, LLMInvalidOutput):
        return "invalid"
    return "cancelled" if isinstance(error, asyncio.CancelledError) else "unavailable"


def _reason(error: BaseException | None, outcome: Outcome) -> str | None:
    if isinstance(error, ReverieError):
        return error.message
    return NOT_SAID if outcome == "invalid" else None


def _as_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """Each message after a line with its role."""
    return "\n\n".join(f"{one.get('role')}:\n{_content(one.get('content'))}" for one in messages)


def _content(content: Any) -> str:
    return content if isinstance(content, str) else dumps(content).decode()
