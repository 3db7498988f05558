"""``python -m worker``: run on a schedule, once, or dream for one agent by hand."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated, Any, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from service.errors import ReverieError
from service.settings import Settings

cli = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
out = Console(highlight=False)


@cli.command()
def run() -> None:
    """Dream on schedule until SIGTERM."""
    from service.runtime import configure_logging
    from worker.app import run_worker

    settings = Settings()
    configure_logging(settings.log_level)
    asyncio.run(run_worker(settings))


@cli.command()
def once() -> None:
    """Dream for every agent, then end: for system cron and Kubernetes."""
    from service.database import open_database
    from service.runtime import configure_logging
    from worker.app import run_once

    settings = Settings()
    configure_logging(settings.log_level)
    with open_database(settings) as url:
        count = asyncio.run(run_once(settings.model_copy(update={"database_url": url})))
    out.print(f"Dreamed for {count} agents.")


@cli.command()
def alive() -> None:
    """End with status 0 when a worker of this host has been heard of within seconds: for health checks."""
    from worker.by_hand import worker_here

    if not asyncio.run(worker_here(Settings())):
        _fail("no worker of this host is alive")


@cli.command()
def dream(
    agent: Annotated[str, typer.Option(help="whose memories to consolidate")],
    dry_run: Annotated[bool, typer.Option(help="show what it would do, change nothing")] = False,
    workspace: Annotated[str, typer.Option(help="by name")] = "default",
) -> None:
    """Dream for one agent now, and say what it did."""
    from service.database import open_database
    from service.runtime import configure_logging
    from worker.by_hand import dream_by_hand

    settings = Settings()
    configure_logging("warning")
    with open_database(settings) as url:
        done = asyncio.run(
            dream_by_hand(settings.model_copy(update={"database_url": url}), workspace, agent, dry_run=dry_run)
        )
    _show(done)
    if done["status"] == "failed":
        sys.exit(1)


def _show(done: dict[str, Any]) -> None:
    """The dream as a person reads it."""
    report = done["report"]
    out.print(f"[bold]Dream {done['id']}[/] of {done['agent']}: {done['status']}")
    if done["error"]:
        out.print(f"[red]{done['error']}[/]")
        return
    counts = ", ".join(
        f"{report[name]} {name}" for name in ("messages", "created", "reinforced", "superseded", "linked")
    )
    out.print(counts + (f", bulletin {report['bulletin_version']}" if report["bulletin_version"] else ""))
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column(style="dim")
    table.add_column()
    for change in done["changes"]:
        if change["op"] == "created":
            table.add_row(f"+ {change['after']['type']}", change["after"]["content"])
        elif change["op"] == "superseded":
            table.add_row("~ superseded", f"{change['before']['content']} → {change['reason']}")
    out.print(table)


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
