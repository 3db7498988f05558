"""``reverie deletions``: sessions, agents and teams deleted and brought back, by the API of a running Reverie."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from service.cli.api import Agent, Key, Url, connected
from service.cli.output import AsJson, emit, new_cli

if TYPE_CHECKING:
    from reverie_client.models import Deleted, Deletion

cli = new_cli("Delete sessions, agents and teams, and bring them back until the retention time has passed.")

Name = Annotated[str, typer.Argument(help="name of what to delete")]
Yes = Annotated[bool, typer.Option("--yes", help="do not ask")]


@cli.command("list")
def list_(url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """List deletions, newest first."""
    with connected(url, key, None) as client:
        found = list(client.list_deletions())
    emit(as_json, {"items": [one.model_dump(mode="json") for one in found]}, *map(_line, found))


@cli.command()
def session(
    name: Name, agent: Agent = None, yes: Yes = False, url: Url = None, key: Key = None, as_json: AsJson = False
) -> None:
    """Delete a session with its messages and what was made of them alone."""
    with connected(url, key, agent) as client:
        _delete(name, client.count_session(name), partial(client.delete_session, name), yes, as_json)


@cli.command()
def agent(name: Name, yes: Yes = False, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Delete an agent with everything it holds."""
    with connected(url, key, None) as client:
        _delete(name, client.count_agent(name), partial(client.delete_agent, name), yes, as_json)


@cli.command()
def team(name: Name, yes: Yes = False, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Delete a team with the memories of its scope."""
    with connected(url, key, None) as client:
        _delete(name, client.count_team(name), partial(client.delete_team, name), yes, as_json)


@cli.command()
def undo(
    deletion: Annotated[str, typer.Argument(help="id of the deletion")],
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Bring back what a deletion took."""
    with connected(url, key, None) as client:
        back = client.undo_deletion(deletion)
    emit(as_json, back.model_dump(mode="json"), f"{back.kind} {escape(back.name)} is back.")


def _delete(name: str, counted: Deleted, confirmed: Callable[[str], Deleted], yes: bool, as_json: bool) -> None:
    rows = sum(counted.counts.values())
    if not yes:
        typer.confirm(f"Delete {name} with {rows} rows?", abort=True, err=True)
    assert counted.token is not None
    gone = confirmed(counted.token)
    assert gone.restorable_until is not None
    until = f"until {gone.restorable_until:%Y-%m-%d}: reverie deletions undo {gone.deletion_id}"
    emit(as_json, gone.model_dump(mode="json"), f"Deleted {rows} rows. They can be brought back {until}")


def _line(one: Deletion) -> str:
    state = "brought back" if one.restored_at else f"restorable until {one.restorable_until:%Y-%m-%d}"
    return f"{one.kind} {escape(one.name)}  [dim]{one.id}, {sum(one.counts.values())} rows, {state}[/]"
