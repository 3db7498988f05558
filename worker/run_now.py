"""``make dream AGENT=x``: one agent, now, while the schedule goes on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from service.domain.dreams import Dream
from service.errors import Conflict, NotFound
from service.memory.dreams.runs import MEMORY_OFF
from service.settings import Settings
from service.startup import open_runtime
from service.store import workspaces
from service.store.agents import get_agent
from service.store.settings import agent_settings
from worker.app import dreamer, in_flight

WAIT_S = 60

_SHOWN = {
    "begun": "gathering messages",
    "gathered": "reading messages",
    "extracted": "comparing with what is known",
    "settle:asking": "asking about similar statements",
    "bulletin:asking": "writing the bulletin",
    "applying": "writing memories",
    "committed": "folding windows",
}


async def dream_now(
    settings: Settings, workspace: str, agent: str, *, dry_run: bool, watching: ProgressDisplay
) -> list[Dream]:
    """Dream for the agent and return the dreams with their changes, waiting a minute for a worker that holds it.

    Raises NotFound for an unknown workspace or agent, Conflict when another worker does not let go, or the agent's
    memory is switched off.
    """
    async with open_runtime(settings, "reverie-dream") as runtime:
        async with runtime.db.unscoped() as connection:
            found = await workspaces.find(connection, workspace)
        if found is None:
            raise NotFound(f"There is no workspace {workspace!r}.")
        async with runtime.db.transaction(found) as connection:
            row = await get_agent(connection, found, agent)
        if row is None:
            raise NotFound(f"There is no agent {agent!r} in the workspace {workspace!r}.")
        async with runtime.db.transaction(found) as connection:
            if not (await agent_settings(connection, found, row.id)).memory.enabled:
                raise Conflict(MEMORY_OFF)
        own = replace(
            dreamer(settings, in_flight(runtime, settings)), on_step=watching.on_step, on_progress=watching.on_progress
        )
        for _ in range(WAIT_S):
            done = await own.dream_for(found, row.id, dry_run=dry_run)
            if done:
                return done
            await asyncio.sleep(1)
    raise Conflict(f"Another worker is dreaming for {agent!r} and has not let go for {WAIT_S} s.")


class ProgressDisplay:
    """Shows progress for the length of the block, and nothing where there is no terminal."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=console, transient=True, disable=not console.is_terminal,
        )  # fmt: skip
        self._task = self._progress.add_task("waiting for the agent", total=None)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    async def on_step(self, step: str) -> None:
        """Show that the dream has reached a step."""
        if step in _SHOWN:
            self._progress.update(self._task, description=_SHOWN[step])

    def on_progress(self, done: int, messages: int) -> None:
        """Show that it has read so many of its messages."""
        self._progress.update(self._task, completed=done, total=messages)
