"""Workers that die on certain words: in processes of their own, killed, hung, or with a blocked event loop.

``POISON kill`` in a text ends the process as ``kill -9`` does, ``POISON hang`` never returns, and ``POISON block``
holds the interpreter lock for good, as a regular expression that backtracks does, but leaves the processor to others.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import re
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import wraps
from typing import Any

import asyncpg

import service.memory.access.redaction as redaction
import service.memory.dreams.extraction as extraction
import service.memory.sessions.compaction as compaction
import worker.dreaming.dream as dream
import worker.dreaming.readings as readings
from service.embedding.sources import StaticEmbedder
from service.memory.in_flight import EXIT_STATUS, InFlight
from service.settings import Settings
from service.startup import configure_logging, open_runtime
from tests.killable import TIMEOUT_S
from tests.processes import forked
from tests.tuning import tuned
from tests.worker.dreaming import model_at
from worker.app import dreamer, in_flight, run_worker, schedule_all_now
from worker.blocked_loop import ending_when_blocked
from worker.maintenance.upkeep import compact_next
from worker.maintenance.vectors import Reindexer, embed_pending

DEADLINE_S = 4.0
BLOCKED_S = 8.0
ON_THE_LOOP = {"redact", "compaction"}
"""Steps that run on the event loop, so that what hangs there blocks it."""
EXIT_CODES = {"kill": -signal.SIGKILL, "hang": EXIT_STATUS, "block": 1}

STEPS: dict[str, tuple[Any, str]] = {
    "redact": (redaction, "redact"),
    "rules": (extraction, "apply_rules"),
    "saved": (readings, "read"),
    "llm": (extraction, "_costs"),
    "note": (extraction, "candidates_of"),
    "compare": (dream, "reconcile"),
    "compaction": (compaction, "identifiers"),
    "embed": (StaticEmbedder, "embed"),
}
"""Where a text can be poisonous: a module or class, and the name of its function."""


async def run_until_exit(settings: Settings, job: str, *steps: str, llm_at: str | None = None) -> int:
    """Do a job in a process for which poisoned texts are deadly in these steps; its exit code."""
    process = forked.Process(target=_work, args=(settings, job, steps, llm_at))
    process.start()
    await asyncio.to_thread(process.join, TIMEOUT_S)
    assert process.exitcode is not None, "the worker neither died nor ended"
    return process.exitcode


@asynccontextmanager
async def running(settings: Settings, *steps: str) -> AsyncIterator[Callable[[], int | None]]:
    """A whole worker in a process for which poisoned texts are deadly in these steps; tells its exit code."""
    process = forked.Process(target=_work, args=(settings, "run", steps, None))
    process.start()
    try:
        yield lambda: process.exitcode
    finally:
        process.kill()
        await asyncio.to_thread(process.join, TIMEOUT_S)


async def expire_leases(url: str) -> None:
    """Leases and deadlines of dead workers run out."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("UPDATE dream_schedule SET lease_until = now() WHERE lease_until IS NOT NULL")
        await connection.execute("UPDATE dream_schedule SET compact_at = now() WHERE compact_at IS NOT NULL")
        await connection.execute("UPDATE embedding_state SET owner_until = now()")
        await connection.execute("UPDATE in_flight SET deadline_at = now()")
    finally:
        await connection.close()


def poisonous(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, for which poisoned texts among its arguments are deadly."""

    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        found = re.search(r"POISON (\w+)", str([_texts(arg) for arg in args]))
        if found:
            _die(found.group(1))
        return function(*args, **kwargs)

    return wrapped


def _texts(argument: Any) -> str:
    return str(argument) if isinstance(argument, str | Sequence) or hasattr(argument, "candidates") else ""


def _die(how: str) -> None:
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "hang":
        time.sleep(TIMEOUT_S)
    elif how == "block":
        ctypes.PyDLL(None).sleep(TIMEOUT_S)


def _work(settings: Settings, job: str, steps: Sequence[str], llm_at: str | None) -> None:
    configure_logging("critical")
    for step in steps:
        owner, name = STEPS[step]
        setattr(owner, name, poisonous(getattr(owner, name)))
    settings = tuned(settings, step_deadline_s=DEADLINE_S)
    if job == "run":
        asyncio.run(ending_when_blocked(run_worker(settings), BLOCKED_S))
        return
    asyncio.run(ending_when_blocked(_do(settings, job, llm_at), BLOCKED_S))


async def _do(settings: Settings, job: str, llm_at: str | None) -> None:
    async with open_runtime(settings, "poisoned") as runtime:
        runtime.llm = model_at(llm_at) if llm_at else None
        await runtime.redactor.warm()
        flight: InFlight = in_flight(runtime, settings)
        if job == "dream":
            await schedule_all_now(runtime)
            while await dreamer(settings, flight).dream_next():
                pass
        elif job == "fold":
            while await compact_next(runtime, flight):
                pass
        elif job == "embed":
            await embed_pending(runtime, flight)
        else:
            await Reindexer(runtime, flight.worker, flight).until_done()
