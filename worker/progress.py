"""A dream made by hand, shown in the terminal: which step it is at, and how many messages it has read."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

_SHOWN = {
    "begun": "gathering messages",
    "gathered": "reading messages",
    "extracted": "comparing with what is known",
    "settle:asking": "asking about similar statements",
    "bulletin:asking": "writing the bulletin",
    "applying": "writing memories",
    "committed": "folding windows",
}


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
        """The dream has reached a step."""
        if step in _SHOWN:
            self._progress.update(self._task, description=_SHOWN[step])

    def on_progress(self, done: int, messages: int) -> None:
        """It has read so many of its messages."""
        self._progress.update(self._task, completed=done, total=messages)
