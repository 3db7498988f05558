"""``reverie eval`` as a process of its own, in an empty folder."""

from tests.cli.conftest import command

__all__ = ["command"]
