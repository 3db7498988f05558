"""What the peers' programs share: the work they are given, and how they are asked."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANSWER = "answer: "
"""Begins the lines that are answers; whatever else a peer prints is not."""


@dataclass(frozen=True)
class Work:
    """Texts to keep, how many of them at first, and questions; ``calls`` searches one after the other, and rates of
    ``clients`` over ``seconds``."""

    url: str
    folder: str
    texts: list[str]
    queries: list[str]
    standing: int
    calls: int
    clients: int
    seconds: float

    @classmethod
    def given(cls) -> Work:
        """The work in the file that the first argument names."""
        return cls(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))


async def serve(
    work: Work,
    search: Callable[[int], Any],
    measures: dict[str, Callable[[], Awaitable[float | None]]],
) -> None:
    """Say that the work may begin; then measure what each line of the input names, and answer with the figure.

    ``latencies`` are the seconds of single searches, one after the other, of questions not asked before.
    """
    numbers = itertools.count()

    async def latencies() -> list[float]:
        taken = []
        for number in itertools.islice(numbers, work.calls):
            begun = time.perf_counter()
            if inspect.isawaitable(found := search(number % len(work.queries))):
                await found
            taken.append(time.perf_counter() - begun)
        return taken

    _answer("ready")
    while named := (await asyncio.to_thread(sys.stdin.readline)).strip():
        _answer(await latencies() if named == "latencies" else await measures[named]())


def _answer(figure: Any) -> None:
    sys.stdout.write(f"\n{ANSWER}{json.dumps(figure)}\n")
    sys.stdout.flush()
