"""Worker processes that kill themselves: each dreams on until it reaches a step for the nth time, and dies there as
``kill -9`` would have it. They are forked from one process that has imported everything, so that hundreds are cheap.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal

from service.errors import ReverieError
from service.llm.transport import import_litellm
from service.memory.engine import Engine
from service.runtime import configure_logging, open_runtime
from service.settings import Settings
from tests.worker.dreaming import model_at
from worker.app import make_all_due, worker_name
from worker.dreaming.run import Dreamer

import_litellm()
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload([__name__])


async def dream_and_die(settings: Settings, llm_at: str | None, step: str | None, nth: int = 1) -> int:
    """Dream in a process of its own until nothing is due, or until it dies at the step; its exit status."""
    process = _processes.Process(target=_run, args=(settings, llm_at, step, nth))
    process.start()
    await asyncio.to_thread(process.join, 120)
    if process.exitcode is None:
        process.kill()
        raise TimeoutError("the worker did not end")
    return process.exitcode


async def the_lease_runs_out(engine: Engine) -> None:
    """The time passes after which a dead worker's lease is free to take."""
    async with engine.db.unscoped() as connection:
        await connection.raw.execute("UPDATE dream_schedule SET lease_until = now() WHERE lease_until IS NOT NULL")


def _run(settings: Settings, llm_at: str | None, step: str | None, nth: int) -> None:
    configure_logging("error")
    asyncio.run(_main(settings, llm_at, step, nth))


async def _main(settings: Settings, llm_at: str | None, step: str | None, nth: int) -> None:
    left = nth

    async def reached(at: str) -> None:
        nonlocal left
        left -= at == step
        if at == step and left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    async with open_runtime(settings, "doomed") as engine:
        engine.llm = model_at(llm_at) if llm_at else None
        await make_all_due(engine)
        await _until_nothing_is_due(engine, Dreamer(engine, worker_name(), settings.dream_lease_s, 0.1, reached))


async def _until_nothing_is_due(engine: Engine, dreamer: Dreamer) -> None:
    while True:
        try:
            if await dreamer.dream_next():
                continue
            async with engine.db.unscoped() as connection:
                waiting = await connection.raw.fetchval(
                    "SELECT count(*) FROM dream_schedule"
                    " WHERE due_at < now() + interval '1 minute' OR asked > answered OR lease_until IS NOT NULL"
                )
        except ReverieError:
            waiting = 1
        if not waiting:
            return
        await asyncio.sleep(0.05)
