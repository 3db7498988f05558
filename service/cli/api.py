"""Commands that call the API of a running Reverie: ``api`` any operation, the others what a person types daily."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from urllib.parse import parse_qs
from uuid import UUID, uuid4

import orjson
import typer
from rich.markup import escape

from service.cli.output import AsJson, emit
from service.errors import InvalidInput
from service.settings import Settings

if TYPE_CHECKING:
    from reverie_client import Reverie
    from reverie_client.models import Explanation, Proposal

Url = Annotated[str | None, typer.Option(envvar="REVERIE_URL", help="of the API; this machine's when left out")]
Key = Annotated[str | None, typer.Option(envvar="REVERIE_API_KEY", help="else the first admin key, if it is here")]
Agent = Annotated[str | None, typer.Option(envvar="REVERIE_AGENT", help="who acts; an agent key says so itself")]
Where = Annotated[str | None, typer.Option(help="that pass this filter, a JSON object (docs/filters.md)")]
Text = Annotated[str, typer.Argument(help="- for standard input")]
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
COMPLETION_S: Final = 5.0
"""How long a shell waits for the paths that complete what is typed."""


def given_key(settings: Settings, key: str | None) -> str:
    """Return the key given, else the first admin key in the data folder. Raises InvalidInput where there is neither."""
    kept = settings.data_dir / "admin-key"
    if key:
        return key
    if kept.exists():
        return kept.read_text(encoding="utf-8").strip()
    raise InvalidInput(("key",), f"there is no {kept} here: give an API key with --key or REVERIE_API_KEY")


def given_where(text: str) -> dict[str, Any]:
    """Parse a filter from the command line. Raises InvalidInput for what is no JSON object."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise InvalidInput(("where",), f"--where is no JSON: {error}") from None
    if not isinstance(given, dict):
        raise InvalidInput(("where",), "--where must be a JSON object")
    return given


def _complete_path(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the paths of the API that begin so and have the method given, with what each does: of the OpenAPI document
    of the Reverie that is meant, and none where no Reverie answers."""
    import httpx

    url = ctx.params.get("url") or Settings().local_url
    try:
        paths = httpx.get(f"{url}/openapi.json", timeout=COMPLETION_S).raise_for_status().json()["paths"]
    except (httpx.HTTPError, ValueError):
        return []
    method = str(ctx.params.get("method") or "get").lower()
    return [
        (path, one[method]["summary"]) for path, one in paths.items() if method in one and path.startswith(incomplete)
    ]


def call(
    method: Annotated[Method, typer.Argument(case_sensitive=False, metavar="METHOD")],
    path: Annotated[str, typer.Argument(help="such as /v1/dreams", autocompletion=_complete_path)],
    data: Annotated[str | None, typer.Option(help="the body; - for standard input, @FILE for a file")] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            "--field", "-f", help="name=value of the query, or of the body of a POST, PUT or PATCH; repeatable"
        ),
    ] = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Call any operation of the API, and print its answer."""
    from reverie_client.call import Call

    fields = dict(map(_given_field, field or ()))
    in_body = method in ("POST", "PUT", "PATCH")
    if in_body and fields and data is not None:
        raise InvalidInput(("field",), "give the body as --data or as fields, not both")
    sent = _given_data(data) if data is not None else orjson.dumps(fields) if in_body and fields else None
    headers = {"Content-Type": "application/json"} if sent is not None else {}
    headers |= {"Idempotency-Key": str(uuid4())} if method == "POST" else {}
    path, _, query = path.partition("?")
    asked: dict[str, Any] = parse_qs(query, keep_blank_values=True) | ({} if in_body else fields)
    with connected(url, key, None) as client:
        for line in client.lines(Call(method, path, None, asked), headers=headers, content=[sent] if sent else None):
            _print_answer(line)


def _given_field(given: str) -> tuple[str, Any]:
    """Return name and value of a field: JSON where it is any, else text. Raises InvalidInput for another form."""
    name, equals, value = given.partition("=")
    if not (name and equals):
        raise InvalidInput(("field",), f"{given!r} must be name=value")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _given_data(given: str) -> bytes:
    """Return the body of a call. Raises InvalidInput for a file that cannot be read."""
    if not given.startswith("@"):
        return given_text(given).encode()
    try:
        return Path(given[1:]).read_bytes()
    except OSError as error:
        raise InvalidInput(("data",), str(error)) from error


def _print_answer(line: str) -> None:
    """Print a line of an answer: for a person JSON over several lines, for a program as it came."""
    if sys.stdout.isatty() and line.startswith(("{", "[")):
        line = orjson.dumps(orjson.loads(line), option=orjson.OPT_INDENT_2).decode()
    sys.stdout.write(line + "\n")


@contextmanager
def connected(url: str | None, key: str | None, agent: str | None) -> Iterator[Reverie]:
    """Return a client of the Reverie that is meant; it does not wait for one that is not there."""
    from reverie_client import Reverie

    settings = Settings()
    with Reverie(url or settings.local_url, given_key(settings, key), agent=agent, retries=0) as client:
        yield client


def add(
    text: Text,
    type: Annotated[str, typer.Option(help="fact, preference, decision, identity, event, observation, goal or todo")]
    = "fact",
    user: Annotated[str | None, typer.Option(help="whom it is about, and belongs to")] = None,
    agent: Agent = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Save a memory."""
    about: Any = {"user": user} if user else {}
    with connected(url, key, agent) as client:
        kind: Any = type
        saved = client.save_memory(kind, given_text(text), **about)
    memory = saved.memory
    if memory is None:
        emit(as_json, saved.model_dump(), "Memory is switched off for this agent.")
        return
    verb = "Saved" if saved.created else "Updated" if saved.updated else "Known already"
    emit(as_json, saved.model_dump(), f"{verb}: [bold]{memory.id}[/] {escape(memory.content)}")


def search(
    query: Text,
    limit: Annotated[int, typer.Option(help="how many at most")] = 10,
    user: Annotated[str | None, typer.Option(help="whom it is for")] = None,
    about: Annotated[str | None, typer.Option(help="about this user only")] = None,
    where: Where = None,
    why: Annotated[UUID | None, typer.Option(help="id of a memory: says why it is not among them")] = None,
    agent: Agent = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Find memories by words and by meaning, best first."""
    chosen: Any = {name: value for name, value in (("user", user), ("about", about)) if value}
    chosen |= {"where": given_where(where)} if where else {}
    with connected(url, key, agent) as client:
        text = given_text(query)
        explanation = None
        if why is None:
            found = client.search_memories(text, limit=limit, **chosen)
        else:
            found = previewed = client.preview_search(text, explain_id=why, limit=limit, **chosen)
            explanation = previewed.explanation
    lines = [
        f"{result.score:6.3f}  {one.type:<11} {escape(one.content)}  [dim]{one.id}[/]"
        for result in found.results
        if (one := result.memory) is not None
    ]
    if found.degraded is not None:
        lines.append(f"[yellow]Less than asked for: {escape(found.degraded.reason)}[/]")
    lines = lines or ["Nothing found."]
    if explanation is not None:
        lines += _explained(explanation)
    emit(as_json, found.model_dump(), *lines)


def _explained(one: Explanation) -> list[str]:
    """Return what became of a memory in a search."""
    named = {"filters": ", ".join(one.filters), "duplicate": str(one.shown_as), "min_relevance": str(one.min_relevance)}
    because = f" ({escape(named[one.stage])})" if one.stage in named else ""
    ranks = ", ".join(f"{name} {place}" for name, place in (one.ranks or {}).items() if place is not None)
    need = ", ".join(
        f"{each.field}={each.value}" if each.value is not None else f"no {each.field}" for each in one.would_need
    )
    return [
        "",
        f"[bold]{'Found' if one.found else 'Not found'}[/]: {one.stage}{because}",
        *([f"Ranks: {ranks}"] if ranks else []),
        *([f"It would need: {escape(need)}"] if need else []),
    ]


def ask(
    question: Text,
    user: Annotated[str | None, typer.Option(help="who asks")] = None,
    agent: Agent = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question from memory, with the memories it rests on."""
    chosen: Any = {"user": user} if user else {}
    with connected(url, key, agent) as client:
        answer = client.ask_memory(given_text(question), **chosen)
    lines = [escape(answer.answer)] if answer.answer else []
    lines += [f"  [dim]{one.get('id')}[/] {escape(str(one.get('content')))}" for one in answer.memories]
    emit(as_json, answer.model_dump(), *(lines or ["Nothing is known of that."]))


def context(
    message: Text,
    session: Annotated[str | None, typer.Option(help="whose window belongs to it")] = None,
    user: Annotated[str | None, typer.Option(help="who says it")] = None,
    agent: Agent = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Show what would go to a model on this turn."""
    options: Any = {name: value for name, value in (("session", session), ("user", user)) if value}
    with connected(url, key, agent) as client:
        answer = client.build_context(given_text(message), **options)
    lines = [f"[bold]{one['role']}[/]\n{escape(str(one['content']))}" for one in answer.messages]
    emit(as_json, answer.model_dump(), *lines, f"[dim]{answer.tokens} tokens[/]")


def inbox(
    accept: Annotated[list[str] | None, typer.Option(help="id of a proposal to save as a memory; repeatable")] = None,
    reject: Annotated[list[str] | None, typer.Option(help="id of one that shall not come again; repeatable")] = None,
    agent: Agent = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """List what dreams were not sure enough of, or decide on it."""
    with connected(url, key, agent) as client:
        decided = client.decide_proposals(accept, "accept").items if accept else []
        decided += client.decide_proposals(reject, "reject").items if reject else []
        waiting = [] if accept or reject else list(client.list_inbox())
    found = {"decided": [one.model_dump() for one in decided], "items": [one.model_dump() for one in waiting]}
    lines = [f"{one.proposal.status} {_line(one.proposal)}" for one in decided]
    lines += [f"{one.confidence:.2f} {_line(one)}" for one in waiting]
    emit(as_json, found, *(lines or ["Nothing waits."]))


def undo(
    dream: Annotated[str, typer.Argument(help="its id")], url: Url = None, key: Key = None, as_json: AsJson = False
) -> None:
    """Restore the state before a dream."""
    with connected(url, key, None) as client:
        undone = client.undo_dream(dream)
    emit(as_json, undone.model_dump(), f"Dream {undone.id} of {escape(undone.agent)} is undone.")


def purge(
    user: Annotated[str, typer.Option(help="whom to forget for good")],
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Forget a person for good; prints the receipt."""
    if not yes and not typer.confirm(f"Forget {user} for good? Nothing brings it back.", err=True):
        raise typer.Exit(1)
    with connected(url, key, None) as client:
        purged = client.purge_user(user)
    receipt = purged["receipt"]
    counts = [f"  {name.replace('_', ' ')}: {count}" for name, count in receipt["counts"].items() if count]
    emit(as_json, purged, f"{escape(user)} is forgotten. Receipt {receipt['id']}", *counts)


def _line(proposal: Proposal) -> str:
    return f"{proposal.type:<11} {escape(proposal.content)}  [dim]{proposal.id}[/]"


def given_text(given: str) -> str:
    """Return an argument, or standard input in place of ``-``."""
    return sys.stdin.read() if given == "-" else given
