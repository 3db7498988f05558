"""Dead letters on the engine's page: texts that workers died over, to be retried or given up."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from markupsafe import Markup

from service.studio.components import box, button, confirm, html, notify, tag, text, when
from service.studio.formatting import count
from service.studio.layout import PageContext

Json = dict[str, Any]

SHOWN_MAX = 200
NAMES = {"message": "Message", "memory": "Memory", "chunk": "Part of a document"}


class DeadLetters:
    """A card that is there while there are any."""

    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._known: Json | None = None
        self._letters: list[Json] = []
        self._lock = asyncio.Lock()

    def build(self) -> None:
        """Make room for the card."""
        self._card = box("card flush")
        self._card.set_visibility(False)

    async def show(self, counted: Json) -> None:
        """Show them, if their number or the oldest has changed since, or one is being retried."""
        if counted == self._known and not any(letter["status"] == "retrying" for letter in self._letters):
            return
        await self._list()
        self._known = counted

    async def _list(self) -> None:
        """List them. The rows stay while nothing changes: a click on a row that is made anew would be lost."""
        async with self._lock:
            letters = [one async for one in self._desk.reverie.list_dead_letters(limit=SHOWN_MAX)]
            if letters != self._letters:
                self._letters = letters
                self._render()

    def _render(self) -> None:
        self._card.set_visibility(bool(self._letters))
        self._card.clear()
        with self._card:
            html(Markup("<h2>Dead letters</h2>"), "said")
            text(f"Workers died over {count(len(self._letters), 'text')}, which nothing reads until you retry.",
                 "said soft")  # fmt: skip
            for letter in self._letters:
                self._row(letter)

    def _row(self, letter: Json) -> None:
        place = (
            f"{letter['agent']}, {letter['session']}, turn {letter['seq']}" if letter["session"] else letter["agent"]
        )
        labels = tag(letter["job"]) + (tag("to be retried", "warn") if letter["status"] == "retrying" else "")
        with box("said split"):
            html(
                Markup(
                    '<div class="row-of"><b>{} of {}</b>{}</div><div class="mono small">{}</div>'
                    '<div class="small">{}</div><div class="faint small">set aside {}</div>'
                ).format(
                    NAMES[letter["kind"]], place, labels, letter["subject_id"], letter["reason"],
                    when(letter["created_at"]),
                ), "grow",
            )  # fmt: skip
            with box("row-of"):
                if letter["status"] == "dead":
                    button("Retry", partial(self._retry, letter), "quiet", "replay")
                button("Give up", partial(self._discard, letter), "quiet", "block")

    async def _retry(self, letter: Json) -> None:
        await self._desk.reverie.retry_dead_letter(letter["id"])
        await self._list()
        notify("It is read once more.")

    async def _discard(self, letter: Json) -> None:
        consequence = "No worker reads it again, and it leaves this list. A message stays in its conversation."
        if await confirm("Give this text up?", consequence, "Give up"):
            await self._desk.reverie.discard_dead_letter(letter["id"])
            await self._list()
            notify("Given up.")
