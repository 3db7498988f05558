"""Dreams: when they were dreamed, what each of them changed, and taking one back."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any
from uuid import UUID

from markupsafe import Markup
from nicegui import ui

from reverie_client import Conflict, InvalidRequest, NotFound, calls
from reverie_client.models import Dream
from service.studio.components import (
    box,
    button,
    class_if,
    confirm,
    definition_list,
    empty,
    html,
    kind,
    notify,
    notify_errors,
    open_dialog,
    row,
    text,
    when,
)
from service.studio.formatting import count, error_message
from service.studio.layout import Layout, PageContext, agent_choices, heading
from service.studio.live_updates import refresh_on_events
from service.studio.pages import dream_format
from service.studio.pages.memory_panel import open_memory
from service.studio.paging import first_items

PAGE = 20
TICK_S = 0.5
NO_WORKER_S = 10
"""A dream that waits longer than this has probably nobody to dream it."""
NO_WORKER = " Is a worker running? `make run` starts one."
CHANGES_SHOWN = 200
CHANGED_SHOWN = 10
LINE = Markup('<div class="top"><span>{}</span>{}</div><div class="about">{}</div>')
CHANGED = Markup('<div class="text">{}</div><div class="about">{}</div>')
OPENED = frozenset({"created", "reinforced", "superseded", "completed", "reopened", "decayed"})
OVER = frozenset({"succeeded", "failed", "undone", "dry_run"})


def add(frame: Layout) -> None:
    """The page at ``/dreams``."""

    @frame.page("/dreams", "Dreams")
    async def page(desk: PageContext) -> None:
        dreams = _Dreams(desk)
        with heading(
            "Dreams", "A dream reads what was said since the last one, and commits what it makes of it at once."
        ):
            if desk.may_write:
                button("Dry run", partial(dreams.dream, True), icon="science")
                button("Dream now", partial(dreams.dream, False), "primary", "bedtime")
        await dreams.build()
        refresh_on_events(desk.reverie, dreams.refresh)


class _Dreams:
    """The timeline, and the dream that is open."""

    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._limit = PAGE
        self._open: str | None = desk.query.get("dream")
        self._shown: Any = None
        self._shown_dream: Dream | None = None
        self._watched: UUID | None = None
        self._looking = asyncio.Lock()

    async def build(self) -> None:
        self._progress = box("hidden")
        with box("beside narrow-first") as self._beside:
            with box("card flush"):
                self._timeline = box("rows")
            self._detail = box("column-of")
        await self.refresh()

    async def refresh(self) -> None:
        """Read the timeline and the open dream again; what has not changed is left alone."""
        async with self._looking:
            await self._refresh()

    async def _refresh(self) -> None:
        page = await first_items(self._desk.reverie, calls.agents.list_dreams(agent=self._desk.agent), self._limit)
        if self._open is None and page.items:
            self._open = str(page.items[0].id)
        if (page, self._open) != self._shown:
            self._shown = (page, self._open)
            self._show_timeline(page.items, more=page.next_cursor is not None)
        under_way = next((dream for dream in page.items if dream.status not in OVER), None)
        if under_way is not None and self._watched is None:
            self._watch(under_way)
        if self._open is not None:
            try:
                dream = await self._desk.reverie.get_dream(self._open)
            except (NotFound, InvalidRequest):
                self._show_missing()
                return
            if dream != self._shown_dream:
                self._shown_dream = dream
                self._show_dream(dream)

    def _show_timeline(self, dreams: list[Dream], *, more: bool) -> None:
        self._timeline.clear()
        self._beside.classes(**class_if(not dreams, "alone"))
        with self._timeline:
            for dream in dreams:
                classes = "item here" if str(dream.id) == self._open else "item"
                with row(dream.id, partial(self._choose, str(dream.id)), classes):
                    html(_line(dream, with_agent=self._desk.agent is None))
            if more:
                button("Earlier dreams", self._earlier, "quiet")
        if not dreams:
            self._detail.clear()
            with self._timeline:
                empty(
                    "bedtime",
                    "No dreams yet",
                    "Agents dream on a schedule, every six hours unless told otherwise. Append messages to a session, "
                    "then choose Dream now.",
                )

    async def _choose(self, dream_id: str) -> None:
        self._open = dream_id
        await self.refresh()

    async def _earlier(self) -> None:
        self._limit += PAGE
        await self.refresh()

    def _show_missing(self) -> None:
        self._detail.clear()
        with self._detail, box("card"):
            empty("search_off", "No such dream", "The dream that this address names is not here. Choose one beside.")

    def _show_dream(self, dream: Dream) -> None:
        self._detail.clear()
        with self._detail:
            with box("card"):
                html(_head(dream), "column-of")
                if dream.error:
                    text(
                        f"It failed: {dream.error} The messages stay due, and are read by the next dream.",
                        "note bad words",
                    )
                if dream.status == "succeeded" and self._desk.may_write:
                    with box("row-of"):
                        button("Undo this dream", partial(self._undo, dream), icon="undo")
            self._changes(dream)

    def _changes(self, dream: Dream) -> None:
        changes = dream.changes or []
        contents = dream_format.memory_contents(changes)
        shown = 0

        def show_more() -> None:
            nonlocal shown
            with rows:
                for one in changes[shown : shown + CHANGES_SHOWN]:
                    self._change(one, contents)
            shown += CHANGES_SHOWN
            left = len(changes) - shown
            more.set_visibility(left > 0)
            more.set_text(f"Show {min(left, CHANGES_SHOWN):,} of {left:,} more")

        with box("card flush"):
            rows = box("")
            more = button("Show more", show_more, "quiet")
            show_more()
            if not changes and dream.status in OVER:
                empty("nights_stay", "It changed nothing", "There was nothing new in what was said.")

    def _change(self, one: dict[str, Any], contents: dict[str, str]) -> None:
        with box("change"):
            html(dream_format.change_tag(one["op"]))
            html(dream_format.change(one, contents), "words")
            if one.get("memory_id") and one["op"] in OPENED:
                look = partial(open_memory, self._desk, one["memory_id"], self.refresh)
                button("Open", look, "quiet", "open_in_new").classes("tiny")

    async def _undo(self, dream: Dream) -> None:
        sure_of_it = await confirm(
            "Undo this dream?",
            "Everything is put back as it was before it, all at once, and its messages are due again. If somebody has "
            "changed or built upon what it made, it is left alone and you are told what stands in the way.",
            "Undo",
        )
        if not sure_of_it:
            return
        try:
            await self._desk.reverie.undo_dream(dream.id)
        except Conflict as error:
            await self._explain(error)
        else:
            await self.refresh()
            notify("Undone. The messages are due again.")

    async def _explain(self, error: Conflict) -> None:
        changed = [str(one) for one in error.problem.get("changed", [])]
        with open_dialog() as dialog:
            text("This dream cannot be undone", tag="h2")
            text(error_message(error), "note warn")
            if changed:
                text(f"Undo the later dreams first. {count(len(changed), 'thing')} changed since:", "soft")
                with box("card flush"):
                    for memory_id in changed[:CHANGED_SHOWN]:
                        await self._changed(memory_id)
            with box("row-of").style("justify-content: flex-end"):
                button("Understood", dialog.close, "primary")

    async def _changed(self, memory_id: str) -> None:
        try:
            memory = await self._desk.reverie.get_memory(memory_id, include="deleted,expired")
        except NotFound:
            html(Markup("something else of it: <code>{}</code>").format(memory_id), "said")
            return
        with row(memory_id, partial(open_memory, self._desk, memory_id), "item choice"):
            html(CHANGED.format(memory.content, kind(memory.type)))

    async def dream(self, dry_run: bool) -> None:
        """Ask for a dream and show how it goes."""
        agent = self._desk.agent
        if agent is None:
            self._ask_who(dry_run)
            return
        await self._begin(agent, dry_run)

    async def _begin(self, agent: str, dry_run: bool) -> None:
        dream = await self._desk.reverie.dream(agent, dry_run=dry_run)
        self._open = str(dream.id)
        self._watch(dream)
        await self.refresh()

    def _ask_who(self, dry_run: bool) -> None:
        async def go(agent: str) -> None:
            dialog.close()
            await self._begin(agent, dry_run)

        with open_dialog() as dialog:
            text("Who shall dream?", tag="h2")
            agent_choices(self._desk.agents, go)
            if not self._desk.agents:
                text("There are no agents yet.", "soft")
            with box("row-of").style("justify-content: flex-end"):
                button("Cancel", dialog.close, "quiet")

    def _watch(self, watched: Dream) -> None:
        """Show how far a dream has come until it is over."""
        self._watched = watched.id
        self._progress.clear()
        self._progress.classes(replace="card")
        waited = 0.0
        with self._progress:
            words = ui.label(f"{watched.agent}: asked to dream").props('role="status"')
            bar = ui.linear_progress(0, show_value=False).props("indeterminate rounded aria-label='Read so far'")

            async def tick() -> None:
                nonlocal waited
                waited += TICK_S
                dream = await self._desk.reverie.get_dream(watched.id)
                if dream.status in OVER:
                    timer.cancel()
                    self._watched = None
                    self._progress.classes(replace="hidden")
                    await self.refresh()
                    notify(
                        f"Dreamed: {dream_format.summary(dream)}." if dream.status != "failed" else "The dream failed."
                    )
                    return
                share, doing = dream_format.progress(dream)
                bar.props(**class_if(share is None, "indeterminate"))
                bar.set_value(share or 0.0)
                lonely = dream.status == "queued" and waited > NO_WORKER_S
                words.set_text(f"{watched.agent}: {doing}, {waited:.0f} s.{NO_WORKER if lonely else ''}")

            timer = ui.timer(TICK_S, notify_errors(tick))


def _line(dream: Dream, *, with_agent: bool) -> Markup:
    created = (dream.model_extra or {}).get("created_at")
    return LINE.format(
        Markup("<b>{}</b> · {}").format(dream.agent, when(created)) if with_agent else when(created),
        dream_format.state(dream),
        dream_format.summary(dream),
    )


def _head(dream: Dream) -> Markup:
    times = dream.model_extra or {}
    rows = {
        "Agent": dream.agent,
        "Dreamed": when(times.get("created_at")),
        "Because": dream_format.TRIGGERS.get(dream.trigger, dream.trigger),
        "Took": dream_format.length(dream),
        "Read": count(dream.report.get("messages", 0), "message") if dream.status in OVER else None,
        "Model": dream_format.costs(dream.report),
    }
    title = "What it would change" if dream.status == "dry_run" else "What it changed"
    title = title if dream.status in OVER else "Under way"
    return Markup('<div class="row-of"><h2>{}</h2>{}</div><div class="row-of">{}</div>{}').format(
        title, dream_format.state(dream), dream_format.change_tags(dream.report or {}), definition_list(rows)
    )
