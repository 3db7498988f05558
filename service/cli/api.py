"""Commands that call the API of a running Reverie: add, search, ask, context, extract, profile, inbox, undo, purge."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.markup import escape

from service.cli.output import AsJson, emit
from service.errors import InvalidInput
from service.settings import Settings

if TYPE_CHECKING:
    from reverie_client import Reverie
    from reverie_client.models import Explanation, ProfileChange, ProfileField, Proposal

Url = Annotated[str | None, typer.Option(envvar="REVERIE_URL", help="of the API; this machine's when left out")]
Key = Annotated[str | None, typer.Option(envvar="REVERIE_API_KEY", help="else the first admin key, if it is here")]
Agent = Annotated[str | None, typer.Option(envvar="REVERIE_AGENT", help="who acts; an agent key says so itself")]
Where = Annotated[str | None, typer.Option(help="that pass this filter, a JSON object (docs/filters.md)")]
Text = Annotated[str, typer.Argument(help="- for standard input")]


def given_key(settings: Settings, key: str | None) -> str:
    """The key given, else the first admin key in the data folder. Raises InvalidInput where there is neither."""
    kept = settings.data_dir / "admin-key"
    if key:
        return key
    if kept.exists():
        return kept.read_text(encoding="utf-8").strip()
    raise InvalidInput(("key",), f"there is no {kept} here: give an API key with --key or REVERIE_API_KEY")


def given_where(text: str) -> dict[str, Any]:
    """A filter from the command line. Raises InvalidInput for what is no JSON object."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise InvalidInput(("where",), f"--where is no JSON: {error}") from None
    if not isinstance(given, dict):
        raise InvalidInput(("where",), "--where must be a JSON object")
    return given


@contextmanager
def connected(url: str | None, key: str | None, agent: str | None) -> Iterator[Reverie]:
    """A client of the Reverie that is meant; it does not wait for one that is not there."""
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
            found = client.search(text, limit=limit, **chosen)
        else:
            found = previewed = client.preview(text, explain_id=why, limit=limit, **chosen)
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
    """What became of a memory in a search."""
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
        answer = client.ask(given_text(question), **chosen)
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
        answer = client.context(given_text(message), **options)
    lines = [f"[bold]{one['role']}[/]\n{escape(str(one['content']))}" for one in answer.messages]
    emit(as_json, answer.model_dump(), *lines, f"[dim]{answer.tokens} tokens[/]")


def extract(
    file: Annotated[str, typer.Argument(help="with a text, or messages as a JSON list; - for standard input")],
    user: Annotated[str | None, typer.Option(help="who says it")] = None,
    instructions: Annotated[str | None, typer.Option(help="in place of the setting dream.instructions")] = None,
    prompts: Annotated[bool, typer.Option("--prompts", help="the prompts for a model, without a call")] = False,
    agent: Agent = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Show what a dream would make of a text, and store nothing."""
    said = _said(file)
    with connected(url, key, agent) as client:
        found = client.extract(said, user=user, instructions=instructions, prompts=prompts)
    lines = [f"{one.type:<11} {escape(one.content)}" for one in found.candidates]
    lines += [f"[dim]{one.type:<11} {escape(one.content)}  ({escape(one.reason)})[/]" for one in found.ignored]
    lines += [f"[bold]{one['role']}[/]\n{escape(one['content'])}" for prompt in found.prompts or () for one in prompt]
    if found.degraded is not None:
        lines.append(f"[yellow]Less than asked for: {escape(found.degraded.reason)}[/]")
    emit(as_json, found.model_dump(), *(lines or ["Nothing to keep."]))


def profile(
    user: Annotated[str, typer.Argument(help="whose")],
    as_of: Annotated[str | None, typer.Option(help="a moment in the past, as 2026-11-24T12:00:00Z")] = None,
    changed_since: Annotated[
        str | None, typer.Option(help="show what changed since this moment, until --as-of or now")
    ] = None,
    agent: Agent = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Show what holds about a user, and since when."""
    with connected(url, key, agent) as client:
        if changed_since is not None:
            diff = client.profile_diff(user, changed_since, as_of)
            changes = [line for one in diff.changes for line in _changed(one)]
            emit(as_json, diff.model_dump(by_alias=True), *(changes or ["Nothing has changed."]))
            return
        found = client.profile(user, as_of=as_of)
    lines = [f"{_field(one)}  [dim]since {one.since:%Y-%m-%d}[/]" for one in found.fields]
    emit(as_json, found.model_dump(), *(lines or ["Nothing is known of that user."]))


def _field(field: ProfileField) -> str:
    detail = escape(f" ({field.detail})") if field.detail else ""
    return f"[bold]{escape(field.name)}[/]{detail}: {escape(str(field.value))}"


def _changed(change: ProfileChange) -> list[str]:
    """The lines of a change: what is gone, and what is there in its place."""
    if change.change == "sources":
        return [f"= {_field(change.after)}  [dim]by other memories[/]"] if change.after else []
    gone = [f"- {_field(change.before)}"] if change.before else []
    return gone + ([f"+ {_field(change.after)}"] if change.after else [])


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


def delete(
    type: Annotated[list[str] | None, typer.Option(help="of the memories; repeatable")] = None,
    session: Annotated[str | None, typer.Option(help="that they are of")] = None,
    about: Annotated[str | None, typer.Option(help="whom they are about")] = None,
    tag: Annotated[str | None, typer.Option(help="that they have")] = None,
    containing: Annotated[str | None, typer.Option(help="a part of their content")] = None,
    where: Where = None,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    agent: Agent = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Delete the memories that a filter matches; they can be restored for a while."""
    given: dict[str, Any] = {
        "types": type,
        "session": session,
        "about": about,
        "tag": tag,
        "q": containing,
        "agent": agent,
    }
    given |= {"where": given_where(where)} if where else {}
    wanted = {name: value for name, value in given.items() if value}
    if not wanted:
        raise InvalidInput(
            ("filter",), "name at least one of --type, --session, --about, --tag, --containing, --where, --agent"
        )
    with connected(url, key, agent) as client:
        counted = client.delete_memories(wanted)
        count = counted["counts"]["memories"]
        if not yes and not typer.confirm(f"Delete {count} memories?", err=True):
            raise typer.Exit(1)
        gone = client.delete_memories(wanted, counted["token"])
    emit(as_json, gone, f"{count} memories are deleted.")


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
        receipt = client.purge_user(user)
    counts = [f"  {name}: {value}" for name, value in receipt.items()]
    emit(as_json, receipt, f"{escape(user)} is forgotten.", *map(escape, counts))


def _said(file: str) -> Any:
    """A text, or a list of messages where the file holds one. Raises InvalidInput where there is no such file."""
    try:
        given = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(("file",), str(error)) from error
    try:
        messages = json.loads(given)
    except ValueError:
        return given
    return messages if isinstance(messages, list) else given


def _line(proposal: Proposal) -> str:
    return f"{proposal.type:<11} {escape(proposal.content)}  [dim]{proposal.id}[/]"


def given_text(given: str) -> str:
    """An argument, or standard input in place of ``-``."""
    return sys.stdin.read() if given == "-" else given
