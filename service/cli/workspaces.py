"""``reverie workspaces``: the workspaces of an installation, by calls of the API of a running Reverie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from service.cli.api import Key, Url, connected
from service.cli.output import AsJson, emit, new_cli

if TYPE_CHECKING:
    from reverie_client.models import Workspace

cli = new_cli("The workspaces of the installation, with an admin key of the default workspace.")

Name = Annotated[str, typer.Argument(help="id or name of the workspace")]


@cli.command("list")
def list_(url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """List the workspaces, newest first."""
    with connected(url, key, None) as client:
        found = list(client.list_workspaces())
    emit(as_json, {"items": [one.model_dump(mode="json") for one in found]}, *map(_line, found))


@cli.command()
def create(name: Name, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Make a workspace; its first admin key is shown this once."""
    with connected(url, key, None) as client:
        made = client.create_workspace(name)
    emit(as_json, made.model_dump(mode="json"), made.key)


@cli.command()
def rename(workspace: Name, name: str, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Give a workspace another name."""
    with connected(url, key, None) as client:
        _emit(as_json, client.update_workspace(workspace, name=name))


@cli.command()
def suspend(workspace: Name, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Refuse all requests of a workspace's keys, and let workers leave it alone."""
    with connected(url, key, None) as client:
        _emit(as_json, client.update_workspace(workspace, suspended=True))


@cli.command()
def resume(workspace: Name, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Let a suspended workspace go on."""
    with connected(url, key, None) as client:
        _emit(as_json, client.update_workspace(workspace, suspended=False))


@cli.command()
def delete(
    workspace: Name,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Delete every row of a suspended workspace for good."""
    with connected(url, key, None) as client:
        counted = client.count_workspace(workspace)
        rows = sum(counted.counts.values())
        if not yes:
            typer.confirm(f"Delete {workspace} with {rows} rows for good?", abort=True, err=True)
        assert counted.token is not None
        gone = client.delete_workspace(workspace, counted.token)
    assert gone.receipt is not None
    emit(as_json, gone.model_dump(mode="json"), f"Deleted {rows} rows. Receipt {gone.receipt.id}.")


def _line(workspace: Workspace) -> str:
    state = f", suspended {workspace.suspended_at:%Y-%m-%d}" if workspace.suspended_at else ""
    return f"{escape(workspace.name)}  [dim]{workspace.id}{state}[/]"


def _emit(as_json: bool, workspace: Workspace) -> None:
    emit(as_json, workspace.model_dump(mode="json"), _line(workspace))
