"""Compact old: one summary in the place of old memories of little importance, shown before it is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from markupsafe import Markup
from nicegui import ui

from reverie_client import ReverieClientError
from service.studio.components import box, button, html, kind, notify, open_dialog, text, when
from service.studio.formatting import count, error_message
from service.studio.layout import PageContext

DAYS = 30
SHOWN_MAX = 50
NOT_FOLDED = {
    "too_few": "fewer than two memories are that old and that unimportant",
    "saves_too_little": "a summary would save less than a third of their tokens",
}
LINE = Markup('<div class="text">{}</div><div class="about">{} {}</div>')


def compact_old(desk: PageContext, after: Callable[[], Awaitable[None]]) -> None:
    """A dialog that names what would be folded, then folds it; then ``after`` is called."""
    with open_dialog() as dialog:
        text("Compact old memories", tag="h2")
        text(
            "One summary, with a line of each, takes the place of facts, events and observations that are old and of "
            "little importance. They stay readable as superseded ones, and opening the summary offers an undo.",
            "soft",
            tag="p",
        )
        with box("fields"):
            agent = ui.select(desk.agents, label="Agent", value=desk.agent, with_input=True)
            agent.set_visibility(desk.agent is None)
            days = ui.number("Older than, days", value=DAYS, min=0, max=36_500, precision=0)
            for field in (agent, days):
                field.props("outlined dense options-dense hide-bottom-space")
        found = box("column-of").props('role="status"')

        async def ask(*, dry_run: bool) -> dict[str, Any] | None:
            found.clear()
            if agent.value is None or days.value is None:
                with found:
                    text("Choose an agent and an age first.", "note bad")
                return None
            try:
                return await desk.reverie.summarize(int(days.value), dry_run=dry_run, agent=agent.value)
            except ReverieClientError as error:
                with found:
                    text(error_message(error), "note bad")
                return None

        async def preview() -> None:
            answer = await ask(dry_run=True)
            fold.set_visibility(bool(answer and answer["candidates"]))
            if answer is not None:
                with found:
                    _show(answer)

        async def do() -> None:
            fold.set_visibility(False)
            answer = await ask(dry_run=False)
            if answer is not None:
                dialog.close()
                notify(f"{count(len(answer['candidates']), 'memory', 'memories')} folded into one.")
                await after()

        with box("row-of").style("justify-content: flex-end"):
            button("Cancel", dialog.close, "quiet")
            button("Show what would be folded", preview)
            fold = button("Fold them", do, "primary", "compress")
            fold.set_visibility(False)
        for field in (agent, days):
            field.on_value_change(lambda: (found.clear(), fold.set_visibility(False)))


def _show(answer: dict[str, Any]) -> None:
    candidates = answer["candidates"]
    if not candidates:
        text(f"There is nothing to fold: {NOT_FOLDED.get(answer['not_folded'], 'nothing is old enough')}.", "note")
        return
    words = (
        f"{count(len(candidates), 'memory', 'memories')} of {count(answer['tokens_before'], 'token')} would become one "
        f"of {answer['tokens_after']:,}."
    )
    text(words, "note")
    with box("card flush").style("max-height: 260px; overflow-y: auto"):
        for memory in candidates[:SHOWN_MAX]:
            html(LINE.format(memory["content"], kind(memory["type"]), when(memory["created_at"])), "said")
        if len(candidates) > SHOWN_MAX:
            text(f"and {len(candidates) - SHOWN_MAX:,} more", "said faint")
