"""``reverie searches``: saved searches as tests, by calls of the API of a running Reverie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from service.cli.api import Agent, Key, Url, connected
from service.cli.output import FAILED, AsJson, emit, new_cli

if TYPE_CHECKING:
    from reverie_client.models import SavedSearch, SearchRun

cli = new_cli("Saved searches: queries with the memories that they must find.")


@cli.command("list")
def list_(agent: Agent = None, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """List the saved searches with their newest recall, newest search first."""
    with connected(url, key, agent) as client:
        found = list(client.list_searches())
    lines = [
        f"{_share(one.last_result.recall if one.last_result else None)}  {escape(one.name)}  [dim]{one.id}[/]"
        for one in found
    ]
    emit(as_json, {"items": [one.model_dump() for one in found]}, *(lines or ["There is no saved search."]))


@cli.command()
def run(
    search: Annotated[str | None, typer.Argument(help="id of a saved search; all of the agent, when left out")] = None,
    min_recall: Annotated[
        float, typer.Option(min=0, max=1, help="status 1 if any search has less; one without a recall passes")
    ] = 0.0,
    agent: Agent = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Run saved searches and store their results."""
    with connected(url, key, agent) as client:
        runs = (client.run_search(search) if search else client.run_searches()).items
        names = {one.id: one for one in ([client.get_search(search)] if search else client.list_searches())}
    lines = [_line(one, names.get(one.search_id)) for one in runs]
    emit(as_json, {"items": [one.model_dump() for one in runs]}, *(lines or ["There is no saved search."]))
    if any(one.recall is not None and one.recall < min_recall for one in runs):
        raise typer.Exit(FAILED)


def _line(result: SearchRun, search: SavedSearch | None) -> str:
    lost = [f"{one.memory_id} ({one.lost_at})" for one in result.outcomes if one.lost_at is not None]
    name = escape(search.name) if search else str(result.search_id)
    return f"{_share(result.recall)}  {name}" + (f"  [red]lost: {', '.join(lost)}[/]" if lost else "")


def _share(recall: float | None) -> str:
    return "   –" if recall is None else f"{recall:4.0%}"
