"""What a function logs in a process of its own: the loggers of this one keep to the level of the tests."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from structlog.testing import capture_logs


def logged_by(function: Callable[..., object], *arguments: Any) -> list[dict[str, Any]]:
    """The lines that a call of a module's function logs, whatever their level. What it is given must be picklable."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_logged, function, *arguments).result()


def _logged(function: Callable[..., object], *arguments: Any) -> list[dict[str, Any]]:
    with capture_logs() as lines:
        function(*arguments)
    return [dict(line) for line in lines]
