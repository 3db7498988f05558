"""``python -m worker``: run on a schedule, once, or dream for one agent by hand."""

from __future__ import annotations

from service.cli.output import new_cli, run
from worker import cli as commands

cli = new_cli(__doc__, add_completion=False)
for command in (commands.run, commands.once, commands.dream):
    cli.command()(command)


def main() -> None:
    """Run the command line."""
    run(cli)


if __name__ == "__main__":
    main()
