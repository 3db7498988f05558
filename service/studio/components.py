"""The pieces that pages are made of."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from inspect import iscoroutine
from typing import Any, ParamSpec

from markupsafe import Markup, escape
from nicegui import ui

from reverie_client import NotAuthenticated, ReverieClientError
from service.studio.formatting import error_message, exact_time, relative_time

P = ParamSpec("P")
TYPES = ("fact", "preference", "decision", "identity", "event", "observation", "goal", "todo", "insight")
SCOPES = ("agent", "team", "task", "session", "prime")
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
ENDED = "/sign-in?ended=true"
"""Where one signs in again, and reads why."""
PAIRS_MAX = 20_000
"""Of equal words in two texts: what comparing them takes grows with it, up to 0.1 s here."""


def html(content: Markup, classes: str = "", tag: str = "div") -> ui.html:
    """Markup whose parts are escaped already."""
    return ui.html(str(content), sanitize=False, tag=tag).classes(classes)


def text(content: str, classes: str = "", tag: str = "div") -> ui.html:
    """Plain text."""
    return html(escape(content), classes, tag)


def box(classes: str, tag: str = "div") -> ui.element:
    """An element to put others into."""
    return ui.element(tag).classes(classes)


def class_if(held: bool, classes: str) -> dict[str, str]:
    """For ``element.classes``: these are there only if it is so."""
    return {"add" if held else "remove": classes}


def joined(parts: Iterable[Markup | str]) -> Markup:
    """Markup side by side."""
    return Markup("").join(parts)


def kind(name: str) -> Markup:
    """The type of a memory, in its hue."""
    return Markup('<span class="kind" style="--hue:var(--{}, var(--fact))">{}</span>').format(name, name)


def tag(words: object, tone: str = "") -> Markup:
    """A small label; ``tone`` is good, warn, bad or accent."""
    return Markup('<span class="tag {}">{}</span>').format(tone, words)


def when(moment: datetime | str | None) -> Markup:
    """How long ago, with the exact time behind it."""
    return Markup('<time title="{}">{}</time>').format(exact_time(moment), relative_time(moment))


def definition_list(rows: Mapping[str, Any]) -> Markup:
    """Names and what they are; what is None is left out."""
    cells = (Markup("<dt>{}</dt><dd>{}</dd>").format(name, value) for name, value in rows.items() if value is not None)
    whole = joined(cells)
    return Markup('<dl class="facts">{}</dl>').format(whole) if whole else whole


def bars(rows: Iterable[tuple[str, float, float]], hue: str = "accent") -> Markup:
    """One bar per (name, value, longest value)."""
    cell = '<span>{}</span><div class="track"><i style="width:{:.1f}%;--hue:var(--{})"></i></div><b>{:.3f}</b>'
    cells = (
        Markup(cell).format(name, 100 * min(1.0, max(0.0, value / top if top else 0.0)), hue, value)
        for name, value, top in rows
    )
    return Markup('<div class="bars">{}</div>').format(joined(cells))


def comparable(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether two lists of words can be compared in a moment."""
    counts = Counter(new)
    return sum(counts[word] for word in old if not word.isspace()) <= PAIRS_MAX


def difference(before: str, after: str) -> Markup:
    """One text turning into another, word by word; as a whole where the texts repeat their words too often."""
    old, new = WORDS.findall(before), WORDS.findall(after)
    if not comparable(old, new):
        return Markup("<del>{}</del><ins>{}</ins>").format(before, after)
    parts: list[Markup] = []
    for op, a, b, c, d in difflib.SequenceMatcher(str.isspace, old, new, autojunk=False).get_opcodes():
        if op == "equal":
            parts.append(escape("".join(old[a:b])))
            continue
        if a < b:
            parts.append(Markup("<del>{}</del>").format("".join(old[a:b])))
        if c < d:
            parts.append(Markup("<ins>{}</ins>").format("".join(new[c:d])))
    return joined(parts)


def button(words: str, act: Callable[..., Any], classes: str = "", icon: str | None = None) -> ui.button:
    """A button; ``classes`` may say primary, danger or quiet. What fails is told, and a double press acts once."""
    made = ui.button(words, on_click=one_at_a_time(notify_errors(act)), icon=icon, color=None)
    made.props["data-key"] = words
    return made.props("unelevated no-caps").classes(f"btn {classes}")


@contextmanager
def row(key: object, act: Callable[[], Any], classes: str = "item") -> Iterator[ui.element]:
    """A line of a list that is pressed as a whole; by ``key`` it keeps the focus when the list is drawn anew."""
    with ui.element("button").classes(classes).props(f'type="button" data-key="{key}"') as made:
        yield made
    made.on("click", one_at_a_time(notify_errors(act)))


def empty(icon: str, title: str, explanation: str, example: str | None = None) -> ui.element:
    """What a place is for, where there is nothing in it yet."""
    with box("empty") as place:
        ui.icon(icon)
        text(title, tag="h2")
        text(explanation, tag="p")
        if example:
            text(example, tag="pre")
    return place


def notify_error(error: ReverieClientError) -> None:
    """Say on the page what went wrong. A key that has stopped working leads back to the sign-in."""
    error_banner(error_message(error))
    if isinstance(error, NotAuthenticated):
        ui.navigate.to(ENDED)


def error_banner(words: str) -> None:
    """Say on the page what was not done."""
    ui.notify(words, position="bottom", close_button="Dismiss", timeout=8000, multi_line=True, classes="went-wrong")


def notify(words: str) -> None:
    """Say on the page what has been done."""
    ui.notify(words, position="bottom", timeout=3000)


def notify_errors(handler: Callable[P, Any]) -> Callable[P, Awaitable[None]]:
    """The handler, with expected failures told in a sentence instead of raised.

    It acts on the page as a whole: what it was called from may be gone before it is done, as rows of a list are that
    follows what changes.
    """

    @wraps(handler)
    async def telling(*args: P.args, **kwargs: P.kwargs) -> None:
        with ui.context.client.content:
            try:
                result = handler(*args, **kwargs)
                if iscoroutine(result):
                    await result
            except ReverieClientError as error:
                notify_error(error)

    return telling


def one_at_a_time(handler: Callable[P, Awaitable[None]]) -> Callable[P, Awaitable[None]]:
    """The handler, which ignores what comes while it works."""
    working = False

    @wraps(handler)
    async def alone(*args: P.args, **kwargs: P.kwargs) -> None:
        nonlocal working
        if working:
            return
        working = True
        try:
            await handler(*args, **kwargs)
        finally:
            working = False

    return alone


@contextmanager
def open_dialog(side: bool = False) -> Iterator[ui.dialog]:
    """A dialog, in the middle or at the side; it is gone for good once closed."""
    with ui.dialog() as dialog, box(f"sheet {'side' if side else ''}"):
        yield dialog
    if side:
        dialog.props("position=right full-height")
    dialog.on("hide", dialog.delete)
    dialog.open()


async def confirm(question: str, consequence: str, deed: str, *, danger: bool = True) -> bool:
    """Whether the visitor confirms a deed."""
    with ui.dialog() as dialog, box("sheet"):
        text(question, tag="h2")
        text(consequence, "soft", tag="p")
        with box("row-of").style("justify-content: flex-end"):
            button("Cancel", lambda: dialog.submit(False), "quiet").props("autofocus")
            button(deed, lambda: dialog.submit(True), "danger" if danger else "primary")
    answer = await dialog
    dialog.delete()
    return bool(answer)
