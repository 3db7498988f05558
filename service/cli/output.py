"""How commands speak and end: for people, or as JSON with ``--json``; an error is one line on standard error.

Exit status: 0 done; 1 it could not be done; 2 the command line, a setting or a file is not valid.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import orjson
import typer
import typer.core
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from service.domain.validation import explain
from service.errors import InvalidInput, ReverieError

FAILED, NOT_VALID = 1, 2
HELP_CHARS_MAX = 120
"""Of what the list of commands says of one."""
NOT_A_FILE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EACCES, errno.EPERM, errno.EROFS)
"""A path that is wrong, rather than a disk that fails."""

AsJson = Annotated[bool, typer.Option("--json", help="one JSON object on standard output")]

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


class FoldedCommands(typer.core.TyperGroup):
    """Commands of which the help shows those in ``usual``, and with ``--all`` every one."""

    usual: tuple[str, ...] = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and set(args) <= {"--all", "--help"}:
            ctx.obj, args = "--all" in args, ["--help"]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        names = self.list_commands(ctx)
        shown = names if ctx.obj else self.usual
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands[name].get_short_help_str(HELP_CHARS_MAX)) for name in shown])
        if not ctx.obj:
            formatter.write(f"  {len(names) - len(shown)} more: reverie --help --all\n")


def new_cli(doc: str | None, **options: Any) -> typer.Typer:
    """Return a command line whose help is plain."""
    return typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None, help=doc, **options)


def emit(as_json: bool, data: Any, *lines: str) -> None:
    """Print ``data`` as JSON, or the lines, which may have markup."""
    if as_json:
        sys.stdout.write(orjson.dumps(data, default=str).decode() + "\n")
        return
    for line in lines:
        out.print(line)


def fail(message: str, status: int = FAILED) -> NoReturn:
    """End with one line of error."""
    err.print("[red]error:[/]", escape(message))
    sys.exit(status)


def run(cli: Callable[[], Any]) -> None:
    """Run a command line; what is expected to fail is one line, without a traceback."""
    try:
        cli()
    except Exception as error:
        explained = _explained(error)
        if explained is None:
            raise
        fail(*explained)


def _explained(error: Exception) -> tuple[str, int] | None:
    """Return the line and the exit status of a failure that is expected; None for any other."""
    from reverie_client.errors import ConnectionFailed, InvalidRequest, ReverieClientError
    from service.embedding.embedder import EmbedderMisconfigured

    wrong = isinstance(error, InvalidInput | InvalidRequest | EmbedderMisconfigured | ValidationError)
    status = NOT_VALID if wrong else FAILED
    match error:
        case ConnectionFailed():
            return f"No Reverie answers: {error}. `reverie up` starts one; --url or REVERIE_URL names another.", status
        case ReverieClientError():
            return str(error), status
        case ReverieError():
            return error.message, status
        case ValidationError():
            return explain(error), status
        case OSError(filename=str(name)):
            return f"{name}: {error.strerror}", NOT_VALID if error.errno in NOT_A_FILE else FAILED
        case _:
            return None
