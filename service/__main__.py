"""``python -m service``: run everything, serve the API, migrate, manage keys; ``reverie`` has more."""

from __future__ import annotations

from service.cli import processes, transfer
from service.cli.output import new_cli, run

cli = new_cli(__doc__, add_completion=False)
cli.command("run")(processes.up)
cli.command()(processes.migrate)
for command in (processes.serve, processes.keys, processes.mcp, transfer.export):
    cli.command()(command)
cli.command("import")(transfer.import_)


def main() -> None:
    """Run the command line."""
    run(cli)


if __name__ == "__main__":
    main()
