"""``reverie``: memory for AI agents, in one Postgres, that dreams.

Exit status: 0 done; 1 it could not be done; 2 the command line, a setting or a file is not valid.
"""

from __future__ import annotations

from typing import Annotated

import typer

from reverie import chat
from reverie.evaluation import cli as evaluation
from service.cli import api, archive, doctor, models, processes, redaction, transfer
from service.cli.output import AsJson, FoldedCommands, new_cli
from service.cli.output import run as run_cli
from worker import cli as dreaming


class Commands(FoldedCommands):
    """The commands of ``reverie``."""

    usual = ("up", "add", "search", "ask", "context", "dream", "inbox", "keys", "api", "doctor")


cli = new_cli(__doc__, cls=Commands)
cli.command()(processes.up)
cli.command()(processes.serve)


@cli.command()
def worker(
    once: Annotated[bool, typer.Option("--once", help="dream for every agent, then end")] = False,
    as_json: AsJson = False,
) -> None:
    """Dream on schedule until SIGTERM, beside `serve`; with --once for every agent, then end."""
    if once:
        dreaming.once(as_json=as_json)
    else:
        dreaming.run(as_json=as_json)


cli.command()(processes.migrate)
for command in (
    dreaming.dream, api.undo, processes.keys, api.add, api.search, api.ask, api.context, api.inbox,
    transfer.export,
    archive.backup, archive.restore, api.purge, transfer.reindex, redaction.redact,
    doctor.doctor, processes.mcp, processes.version,
):  # fmt: skip
    cli.command()(command)
cli.command()(chat.chat)
cli.command("api")(api.call)
cli.command("import")(transfer.import_)
cli.command("eval")(evaluation.evaluate)
cli.add_typer(models.cli, name="models")


def main() -> None:
    """Run the command line."""
    run_cli(cli)


if __name__ == "__main__":
    main()
