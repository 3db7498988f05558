"""What can go wrong with a language model.

::

    ReverieError
      x LLMUnavailable      no answer: timeouts, 429 and 5xx after all attempts
        + LLMRefused        … and trying again will not help: wrong key, unknown model, too long, not allowed
      x LLMInvalidOutput    an answer, but not the one asked for

BudgetReached, where the call was not made, is in ``service.errors``.
"""

from __future__ import annotations

from service.errors import ReverieError


class LLMUnavailable(ReverieError):
    """The language model gave no answer."""

    def __init__(self, message: str | None = None, *, status: int | None = None) -> None:
        """``status``: the HTTP status it comes from, 408 for a timeout, None when there is none."""
        super().__init__(message)
        self.status = status


class LLMRefused(LLMUnavailable):
    """The provider refuses this request for good."""


class LLMInvalidOutput(ReverieError):
    """The language model's answer does not have the form asked for."""
