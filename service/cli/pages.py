"""``reverie pages``: standing questions, by calls of the API of a running Reverie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from rich.markup import escape

from service.cli.api import Agent, Key, Text, Url, Where, connected, given_text, given_where
from service.cli.output import AsJson, emit, new_cli
from service.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from reverie_client.models import AnsweredPage, Sentence

cli = new_cli("Standing questions whose answers cite their memories.")

PageId = Annotated[str, typer.Argument(help="id of the page")]
NO_ANSWER = "Nothing is known of that."


@cli.command("list")
def list_(agent: Agent = None, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """List the questions, newest first."""
    with connected(url, key, agent) as client:
        found = list(client.list_pages())
    lines = [
        f"{escape(page.question)}  [dim]{page.id}, version {page.version or 0}[/]{_outdated(page)}" for page in found
    ]
    emit(as_json, {"items": [page.model_dump() for page in found]}, *(lines or ["There is no page."]))


@cli.command()
def show(page: PageId, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Show a page: its question, and the answer with the memories that each sentence cites."""
    with connected(url, key, None) as client:
        _emit(as_json, client.get_page(page))


@cli.command()
def ask(
    question: Text,
    type: Annotated[list[str] | None, typer.Option(help="of the memories; repeatable")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="that they have, at least one; repeatable")] = None,
    user: Annotated[str | None, typer.Option(help="whom the page is for")] = None,
    about: Annotated[str | None, typer.Option(help="whom they are about")] = None,
    entity: Annotated[list[str] | None, typer.Option(help="that they mention, at least one; repeatable")] = None,
    metadata: Annotated[str | None, typer.Option(help="that they contain, a JSON object")] = None,
    where: Where = None,
    trigger: Annotated[str | None, typer.Option(help="dream (the default), manual, or a crontab in UTC")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="of the answer")] = None,
    agent: Agent = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question for good: it is answered now, and again at each trigger."""
    scope = {
        "types": type, "tags": tag, "user": user, "about": about, "entities": entity, "metadata": _object(metadata),
        "where": given_where(where) if where else None,
    }  # fmt: skip
    given = {"scope": {name: value for name, value in scope.items() if value}, "trigger": trigger}
    fields: Any = {name: value for name, value in (given | {"max_tokens": max_tokens}).items() if value}
    with connected(url, key, agent) as client:
        _emit(as_json, client.create_page(given_text(question), **fields))


@cli.command()
def refresh(page: PageId, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Answer a page now; its newest version stays if nothing that it is made of has changed."""
    with connected(url, key, None) as client:
        _emit(as_json, client.rewrite_page(page))


@cli.command()
def delete(page: PageId, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Remove a page with its versions."""
    with connected(url, key, None) as client:
        client.delete_page(page)
    emit(as_json, {"id": page}, "The page is deleted.")


@cli.command()
def diff(
    page: PageId,
    version: Annotated[int | None, typer.Option(help="the newest, when left out")] = None,
    since: Annotated[int | None, typer.Option(help="version to compare it with; the one before, when left out")] = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Show which sentences came and went between two versions."""
    with connected(url, key, None) as client:
        versions = list(client.list_page_versions(page, compared_to=since))
    chosen = next((one for one in versions if version in (None, one.version)), None)
    if chosen is None:
        raise NotFound(f"The page has no version {version}.")
    lines = [f"[green]+ {escape(one.text)}[/]" for one in chosen.added]
    lines += [f"[red]- {escape(one.text)}[/]" for one in chosen.removed]
    emit(as_json, chosen.model_dump(), *(lines or ["The same."]))


def _emit(as_json: bool, page: AnsweredPage) -> None:
    lines = [f"[bold]{escape(page.question)}[/]{_outdated(page)}", *map(_line, page.sentences)]
    emit(as_json, page.model_dump(), *lines, *([] if page.sentences else [NO_ANSWER]), f"[dim]{page.id}[/]")


def _line(sentence: Sentence) -> str:
    return f"{escape(sentence.text)}  [dim]{' '.join(map(str, sentence.memory_ids))}[/]"


def _outdated(page: AnsweredPage) -> str:
    return "  [yellow]out of date[/]" if page.stale else ""


def _object(given: str | None) -> Any:
    try:
        found = orjson.loads(given) if given else None
    except ValueError as error:
        raise InvalidInput(("metadata",), f"metadata is no JSON: {error}") from None
    if found is not None and not isinstance(found, dict):
        raise InvalidInput(("metadata",), "metadata must be a JSON object")
    return found
