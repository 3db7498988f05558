"""Commands that dream: on a schedule, once for all, or for one agent by hand."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from service.cli.output import FAILED, AsJson, emit, err, fail
from service.concurrency.garbage_collection import paused_for_imports
from service.domain.dreams import Dream
from service.errors import InvalidInput
from service.settings import Settings
from service.subprocesses import end_with_parent

_SHOWN = {
    "created": "green", "superseded": "yellow", "completed": "green", "reopened": "yellow", "reinforced": "dim",
    "decayed": "dim", "skipped": "red",
}  # fmt: skip


def run(
    parent: Annotated[int | None, typer.Option(hidden=True, help="end at once when this process ends")] = None,
    as_json: AsJson = False,
) -> None:
    """Dream on schedule until SIGTERM."""
    if parent is not None:
        end_with_parent(parent)
    settings = Settings()
    with paused_for_imports():
        from service.db.connectivity import wait_for
        from service.startup import configure_logging
        from worker.app import run_worker
        from worker.blocked_loop import ending_when_blocked

    configure_logging(settings.log_level, "json" if as_json else settings.log_format)
    if settings.database_url is not None:
        asyncio.run(wait_for(settings.database_url, lambda text: err.print(escape(text))))
    asyncio.run(ending_when_blocked(run_worker(settings), settings.tuning.step_deadline_s))


def once(as_json: AsJson = False) -> None:
    """Dream for every agent, then end: for system cron and Kubernetes. Exit status 1 when a dream failed."""
    settings = Settings()
    with paused_for_imports():
        from service.database import open_database
        from service.startup import configure_logging
        from worker.app import run_once
        from worker.blocked_loop import ending_when_blocked

    configure_logging(settings.log_level, settings.log_format)
    with open_database(settings) as url:
        settings = settings.model_copy(update={"database_url": url})
        report = asyncio.run(ending_when_blocked(run_once(settings), settings.tuning.step_deadline_s))
    emit(as_json, {"dreamed": report.dreamed, "failed": report.failed}, f"Dreamed for {_agents(report.dreamed)}.")
    if report.failed:
        reasons = "\n".join(f"  {agent}: {error}" for agent, error in report.failed.items())
        fail(f"The dreams of {_agents(len(report.failed))} failed; their messages stay due:\n{reasons}")


def _agents(count: int) -> str:
    return f"{count} agent{'' if count == 1 else 's'}"


def dream(
    named: Annotated[str | None, typer.Argument(metavar="AGENT", help="whose memories to consolidate")] = None,
    agent: Annotated[str | None, typer.Option(help="the same")] = None,
    dry_run: Annotated[bool, typer.Option(help="show what it would do, change nothing")] = False,
    workspace: Annotated[str, typer.Option(help="by name")] = "default",
    as_json: AsJson = False,
) -> None:
    """Dream for one agent now, and say what it did. There is one dream for each set of users of whom something is new.
    Raises InvalidInput unless one agent is named."""
    whose = {one for one in (named, agent) if one}
    if len(whose) != 1:
        raise InvalidInput(("agent",), "name one agent, as in: reverie dream ada")
    settings = Settings()
    with paused_for_imports():
        from service.database import open_database
        from service.startup import configure_logging
        from worker.blocked_loop import ending_when_blocked
        from worker.run_now import ProgressDisplay, dream_now

    configure_logging("warning", settings.log_format)
    with open_database(settings) as url, ProgressDisplay(Console(stderr=True)) as watching:
        settings = settings.model_copy(update={"database_url": url})
        dreaming = dream_now(settings, workspace, whose.pop(), dry_run=dry_run, watching=watching)
        done = asyncio.run(ending_when_blocked(dreaming, settings.tuning.step_deadline_s))
    emit(as_json, {"items": done}, *(line for one in done for line in _described(one)))
    if done[-1].status == "failed":
        sys.exit(FAILED)


def _described(done: Dream) -> list[str]:
    """Put a dream into lines as a person reads it: what it did, and each change to a memory."""
    color = "red" if done.status == "failed" else "green"
    whose = f" for {escape(', '.join(done.owners))}" if done.owners else ""
    return [
        f"[bold]Dream {done.id}[/] of {escape(done.agent)}{whose}: [{color}]{done.status}[/]",
        escape(done.summary),
        *(f"  [{_SHOWN[change.op]}]{escape(change.text)}[/]" for change in done.changes or () if change.op in _SHOWN),
    ]
