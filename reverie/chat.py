"""``reverie chat``: a conversation in the terminal with a model that remembers; without one, what it would recall."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from service.cli.api import Key, Url, connected
from service.cli.output import out
from service.settings import Settings

if TYPE_CHECKING:
    from reverie_client import Reverie
    from reverie_client.models import SearchResult

SHOWN_MAX = 10
HELP = """/context  what the last message recalls, as the model is given it
/why      which memories it finds, and by what
/forget N delete one of these
/dream    make memories of what was said
/quit     end"""


def chat(
    model: Annotated[str | None, typer.Option(help="by its litellm name; else LLM_MODEL, else none answers")] = None,
    agent: Annotated[str, typer.Option(envvar="REVERIE_AGENT", help="who remembers")] = "chat",
    user: Annotated[str | None, typer.Option(help="who speaks; else the name of your account")] = None,
    session: Annotated[str | None, typer.Option(help="the conversation; else a new one")] = None,
    folder: Annotated[Path | None, typer.Option(help="where Reverie is in this process, without a server")] = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Talk with a model that remembers; /help lists what else can be said."""
    from reverie_client import ReverieClientError

    settings = Settings()
    with _opened(folder, url, key, agent) as reverie:
        talk = _Conversation(reverie, settings, model or settings.llm_model, agent, user or getuser(), session)
        out.print(f"[dim]{escape(talk.title)} /help lists what else can be said.[/]")
        for line in _lines():
            try:
                talk.answer(line)
            except (ReverieClientError, ValueError) as error:
                out.print(f"[red]{escape(str(error))}[/]")


def _opened(folder: Path | None, url: str | None, key: str | None, agent: str) -> AbstractContextManager[Reverie]:
    if folder is None:
        return connected(url, key, agent)
    import reverie

    return reverie.Reverie.local(folder, agent=agent)


def _lines() -> Iterator[str]:
    """Yield what is typed, until its end or /quit."""
    while True:
        if sys.stdin.isatty():
            try:
                line = input("> ")
            except (EOFError, KeyboardInterrupt):
                return
        elif not (line := sys.stdin.readline()):
            return
        if line.strip() == "/quit":
            return
        if line.strip():
            yield line.strip()


class _Conversation:
    """One conversation: what was said, and what the last message found."""

    def __init__(
        self, reverie: Reverie, settings: Settings, model: str | None, agent: str, user: str, session: str | None
    ) -> None:
        from reverie_client.integrations import AgentMemory

        self._reverie = reverie.for_user(user)
        self._memory = AgentMemory(agent, user=user, session=session, client=reverie)
        self._agent = agent
        self._model = model
        self._settings = settings
        self._client: Any = None
        self._said: list[dict[str, Any]] = []
        self._found: list[SearchResult] = []
        self._last = ""
        self._commands: dict[str, Callable[[str], None]] = {
            "/help": lambda _: out.print(escape(HELP)),
            "/context": lambda _: self._show_context(),
            "/why": lambda _: self._show_found(),
            "/forget": self._forget,
            "/dream": lambda _: self._dream(),
        }
        self.title = f"{agent} and {user}, with {model or 'no model: what it would be given is shown'}."

    def answer(self, line: str) -> None:
        """Carry out a command, or answer what is said. Raises ValueError for a command that there is not."""
        if line.startswith("/"):
            name, _, rest = line.partition(" ")
            if name not in self._commands:
                raise ValueError(f"there is no {name}; /help lists what there is")
            self._commands[name](rest.strip())
            return
        self._last = line
        if self._model is None:
            self._show_context()
            self._memory.remember([{"role": "user", "content": line}])
            return
        self._said.append({"role": "user", "content": line})
        parts: list[str] = []
        try:
            for part in self._stream():
                parts.append(part)
                out.print(escape(part), end="")
        except Exception as error:  # litellm raises those of every provider
            self._said.pop()
            raise ValueError(f"the model failed: {error}") from error
        out.print()
        self._said.append({"role": "assistant", "content": "".join(parts)})

    def _stream(self) -> Iterator[str]:
        from reverie_client import remember
        from service.provider import import_litellm

        if self._client is None:
            self._client = remember(
                import_litellm(),
                self._agent,
                user=self._memory.user,
                session=self._memory.session,
                reverie=self._reverie,
            )
        at = {"api_base": self._settings.llm_api_base, "api_key": self._settings.llm_api_key}
        for chunk in self._client.completion(model=self._model, messages=self._said, stream=True, **at):
            yield chunk.choices[0].delta.content or ""

    def _show_context(self) -> None:
        out.print(escape(self._memory.recall(self._last)) or "[dim]Nothing is recalled.[/]")

    def _show_found(self) -> None:
        self._found = self._reverie.preview_search(self._last, limit=SHOWN_MAX).results if self._last else []
        for number, one in enumerate(self._found, 1):
            ranks = (("words", one.keyword_rank), ("meaning", one.semantic_rank))
            by = ", ".join(f"{name} {rank}" for name, rank in ranks if rank is not None)
            out.print(f"{number}. {escape(one.text or '')} [dim](score {one.score:.2f}; rank by {by})[/]")
        if not self._found:
            out.print("[dim]Nothing is found.[/]")

    def _forget(self, number: str) -> None:
        memory = (
            self._found[int(number) - 1].memory if number.isdigit() and 0 < int(number) <= len(self._found) else None
        )
        if memory is None:
            raise ValueError("/forget takes the number of a memory in the last /why")
        self._reverie.delete_memory(memory.id)
        out.print(f"Forgotten: {escape(memory.content)}")

    def _dream(self) -> None:
        import reverie

        if isinstance(self._reverie, reverie.Reverie):
            dreams = self._reverie.dream(self._agent)
        else:
            dreams = [self._reverie.request_dream(self._agent, wait=True)]
        for dream in dreams:
            out.print(escape(dream.summary or dream.error or dream.status))
            for change in dream.changes or ():
                if change["op"] in ("created", "superseded", "reinforced"):
                    out.print(f"[dim]{escape(change['text'])}[/]")
