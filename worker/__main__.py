"""``python -m worker``: run on a schedule, once, or dream for one agent by hand."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated, Any, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from service.children import end_with_parent
from service.domain.dream_summary import describe_change, summarize_dream
from service.errors import ReverieError
from service.settings import Settings

cli = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
out = Console(highlight=False)
_SHOWN = {"created": "green", "superseded": "yellow", "reinforced": "dim", "decayed": "dim", "skipped": "red"}


@cli.command()
def run(
    parent: Annotated[int | None, typer.Option(hidden=True, help="end at once when this process ends")] = None,
) -> None:
    """Dream on schedule until SIGTERM."""
    if parent is not None:
        end_with_parent(parent)
    from service.db.connectivity import wait_for
    from service.runtime import configure_logging
    from worker.app import run_worker
    from worker.watchdog import under_watchdog

    settings = Settings()
    configure_logging(settings.log_level)
    if settings.database_url is not None:
        asyncio.run(
            wait_for(settings.database_url, Console(stderr=True, highlight=False, soft_wrap=True, markup=False).print)
        )
    asyncio.run(under_watchdog(run_worker(settings), settings.step_deadline_s))


@cli.command()
def once() -> None:
    """Dream for every agent, then end: for system cron and Kubernetes. Exit status 1 when a dream failed."""
    from service.database import open_database
    from service.runtime import configure_logging
    from worker.app import run_once
    from worker.watchdog import under_watchdog

    settings = Settings()
    configure_logging(settings.log_level)
    with open_database(settings) as url:
        settings = settings.model_copy(update={"database_url": url})
        report = asyncio.run(under_watchdog(run_once(settings), settings.step_deadline_s))
    out.print(f"Dreamed for {_agents(report.dreamed)}.")
    if report.failed:
        reasons = "\n".join(f"  {agent}: {error}" for agent, error in report.failed.items())
        _fail(f"The dreams of {_agents(len(report.failed))} failed; their messages stay due:\n{reasons}")


def _agents(count: int) -> str:
    return f"{count} agent{'' if count == 1 else 's'}"


@cli.command()
def dream(
    agent: Annotated[str, typer.Option(help="whose memories to consolidate")],
    dry_run: Annotated[bool, typer.Option(help="show what it would do, change nothing")] = False,
    workspace: Annotated[str, typer.Option(help="by name")] = "default",
) -> None:
    """Dream for one agent now, and say what it did."""
    from service.database import open_database
    from service.runtime import configure_logging
    from worker.progress import ProgressDisplay
    from worker.run_now import dream_now
    from worker.watchdog import under_watchdog

    settings = Settings()
    configure_logging("warning")
    with open_database(settings) as url, ProgressDisplay(Console(stderr=True)) as watching:
        settings = settings.model_copy(update={"database_url": url})
        dreaming = dream_now(settings, workspace, agent, dry_run=dry_run, watching=watching)
        done = asyncio.run(under_watchdog(dreaming, settings.step_deadline_s))
    _show(done)
    if done["status"] == "failed":
        sys.exit(1)


def _show(done: dict[str, Any]) -> None:
    """The dream as a person reads it: what it did, and each change to a memory."""
    color = "red" if done["status"] == "failed" else "green"
    out.print(f"[bold]Dream {done['id']}[/] of {escape(done['agent'])}: [{color}]{done['status']}[/]")
    out.print(escape(summarize_dream(done)))
    for change in done["changes"]:
        if change["op"] in _SHOWN:
            out.print(f"  [{_SHOWN[change['op']]}]{escape(describe_change(change))}[/]")


def main() -> None:
    """Run the command line; an expected failure is one line, without a traceback."""
    try:
        cli()
    except ReverieError as error:
        _fail(error.message)
    except ValidationError as error:
        wrong = error.errors(include_input=False, include_url=False)
        _fail("; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in wrong))


def _fail(message: str) -> NoReturn:
    Console(stderr=True, highlight=False).print("[red]error:[/]", escape(message), soft_wrap=True)
    sys.exit(1)


if __name__ == "__main__":
    main()
