"""``python -m service``: run everything, serve the API, migrate, manage keys."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from service.children import end_with_parent
from service.errors import ReverieError, Unavailable
from service.settings import Settings

if TYPE_CHECKING:
    from service.first_start import FirstStart
    from service.memory.transfer.importing import Format

cli = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
out = Console(highlight=False)


@cli.command()
def run() -> None:
    """Database, migrations, API and worker in one terminal; Ctrl-C stops them all."""
    from service.supervisor import supervise

    raise SystemExit(supervise(Settings()))


@cli.command()
def serve(
    listen_fd: Annotated[list[int] | None, typer.Option(hidden=True, help="inherited listening sockets")] = None,
    parent: Annotated[int | None, typer.Option(hidden=True, help="end at once when this process ends")] = None,
) -> None:
    """The API alone, on DATABASE_URL."""
    if parent is not None:
        end_with_parent(parent)
    from service import server
    from service.runtime import configure_logging

    settings = Settings()
    configure_logging(settings.log_level)
    asyncio.run(_check_database(settings))
    server.serve(settings, listen_fd or ())


@cli.command()
def migrate(revision: Annotated[str, typer.Argument(help="a revision; -1 goes back one")] = "head") -> None:
    """Bring the database to the newest schema and make sure there is a workspace with an admin key."""
    from service.database import open_database
    from service.db.migrate import migrate as run_migrations

    settings = Settings()
    with open_database(settings) as url:
        run_migrations(url, revision)
        if revision == "head":
            started = asyncio.run(_first_start(settings, url))
            if started.made:
                out.print(f"First admin key: {started.made}")
            if started.made or settings.admin_key:
                out.print(started.where)
    out.print(f"The database is at {revision}.")


@cli.command()
def keys(
    role: Annotated[str, typer.Argument(help="admin, agent or reader")],
    name: str = "made by hand",
    agent: Annotated[str | None, typer.Option(help="the one agent of an agent key")] = None,
    workspace: Annotated[str | None, typer.Option(help="made when there is none of that name")] = None,
) -> None:
    """Make an API key; it is shown this once."""
    from service.database import open_database

    if role not in ("admin", "agent", "reader") or (role == "agent") != (agent is not None and role != "reader"):
        raise typer.BadParameter("role is admin, agent (with --agent) or reader")
    settings = Settings()
    with open_database(settings) as url:
        out.print(asyncio.run(_make_key(settings, url, role, name, agent, workspace)))


@cli.command()
def mcp(
    url: Annotated[
        str | None, typer.Option(envvar="REVERIE_URL", help="of the API; this machine's when left out")
    ] = None,
    key: Annotated[
        str | None, typer.Option(envvar="REVERIE_API_KEY", help="else the first admin key, if it is here")
    ] = None,
    agent: Annotated[str | None, typer.Option(envvar="REVERIE_AGENT", help="who acts with an admin key")] = None,
) -> None:
    """MCP over standard input and output, for a Reverie that runs."""
    from service.mcp.stdio import serve_stdio
    from service.runtime import configure_logging

    settings = Settings()
    configure_logging(settings.log_level)
    kept = settings.data_dir / "admin-key"
    if key is None and kept.exists():
        key = kept.read_text(encoding="utf-8").strip()
    if key is None:
        raise typer.BadParameter("give an API key: --key or REVERIE_API_KEY")
    asyncio.run(serve_stdio(url or f"http://{settings.host}:{settings.port}", key, agent))


@cli.command(name="export")
def export_(
    file: Annotated[Path, typer.Argument(help="- for standard output")],
    agent: Annotated[str | None, typer.Option(help="this agent alone")] = None,
    include: Annotated[str, typer.Option(help="deleted, expired; comma-separated")] = "",
    workspace: str = "default",
    resume: Annotated[bool, typer.Option(help="go on with FILE.part of an export that broke off")] = False,
) -> None:
    """Write a workspace, or one agent, to a file of JSON lines."""
    from service.database import open_database
    from service.export_import import export_file

    settings = Settings()
    with open_database(settings) as url:
        wanted = frozenset(part.strip() for part in include.split(",") if part.strip())
        opened = settings.model_copy(update={"database_url": url, "embedding_model": "none"})
        lines = asyncio.run(export_file(opened, workspace, file, agent=agent, include=wanted, resume=resume))
    Console(stderr=True, highlight=False).print(f"{lines} lines written.")


@cli.command(name="import")
def import_(
    file: Annotated[Path, typer.Argument(help="- for standard input")],
    format: Annotated[str, typer.Option(help="reverie, mem0 or arkos")] = "reverie",
    agent: Annotated[str | None, typer.Option(help="the agent of lines that name none")] = None,
    workspace: str = "default",
) -> None:
    """Read a file in, all of it or nothing; a second time it changes nothing."""
    from service.database import open_database
    from service.export_import import import_file

    if format not in ("reverie", "mem0", "arkos"):
        raise typer.BadParameter("format is reverie, mem0 or arkos")
    settings = Settings()
    with open_database(settings) as url:
        opened = settings.model_copy(update={"database_url": url})
        done = asyncio.run(import_file(opened, workspace, file, format=cast("Format", format), agent=agent))
    said = f"{done.created} created, {done.updated} updated, {done.unchanged} unchanged, {done.skipped} skipped."
    out.print(said + (" [yellow]The export had been cut off before its end.[/]" if done.complete is False else ""))


async def _check_database(settings: Settings) -> None:
    """Wait while Postgres starts up. Raises Unavailable for a database that cannot be used, before there is a server to
    fail."""
    from service.db.connectivity import wait_for
    from service.db.pool import Database

    if settings.database_url is None:
        raise Unavailable("DATABASE_URL is not set; `python -m service run` starts an embedded Postgres.")
    await wait_for(settings.database_url, Console(stderr=True, highlight=False, soft_wrap=True, markup=False).print)
    await (await Database.open(settings.database_url, size=1, application="reverie-check")).close()


async def _first_start(settings: Settings, url: str) -> FirstStart:
    from service.first_start import first_start

    return await first_start(settings.model_copy(update={"database_url": url}))


async def _make_key(
    settings: Settings, url: str, role: Any, name: str, agent: str | None, workspace: str | None
) -> str:
    from service.first_start import key_in_workspace

    return await key_in_workspace(settings.model_copy(update={"database_url": url}), role, agent, name, workspace)


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
