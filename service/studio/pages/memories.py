"""Memories: what is known, page by page, as it changes."""

from __future__ import annotations

from functools import partial
from typing import Any

from markupsafe import Markup
from nicegui import ui

from reverie_client import ReverieClientError, calls
from reverie_client.models import MemoryRecord, MemoryStats, Page
from service.studio.components import (
    SCOPES,
    box,
    button,
    empty,
    html,
    joined,
    kind,
    notify_errors,
    row,
    tag,
    when,
)
from service.studio.endpoint import PATH
from service.studio.formatting import count
from service.studio.layout import Layout, PageContext, heading, place_of
from service.studio.live_updates import refresh_on_events
from service.studio.pages.compact_old import compact_old
from service.studio.pages.memory_form import add_memory
from service.studio.pages.memory_panel import open_memory
from service.studio.pages.transfer import open_export, open_import

PAGE = 50
TYPING_MS = 300
SHOWN = {
    "": "What holds now",
    "superseded": "With superseded ones",
    "expired": "With expired ones",
    "deleted": "With deleted ones",
    "deleted,superseded,expired": "Everything ever known",
}
LINE = Markup(
    '<div class="top"><div class="text">{}</div><div class="faint small still">{}</div></div>'
    '<div class="about">{}</div>'
)
HEALTH = Markup('<a href="{}{}" class="dot {}">{}</a>')
HEALTH_S = 15.0
CARD = Markup('<div title="{}"><b>{}</b><span>{}</span></div>')
FIRST_MEMORY = """curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  {url}/v1/memories -d '{{"agent": "ada", "type": "decision",
  "content": "We agreed to use tiered pricing"}}'"""


def add(frame: Layout) -> None:
    """The page at ``/``."""

    @frame.page("/", "Memories")
    async def page(desk: PageContext) -> None:
        memories = _Memories(desk)
        with heading("Memories", "What your agents know. Every change is kept, and the list follows as it happens."):
            _health(desk)
            if desk.may_administer or desk.held.who.role == "agent":
                button("Export", lambda: open_export(desk), icon="download")
            if desk.may_administer:
                button("Import", lambda: open_import(desk, memories.refresh), icon="upload")
            if desk.may_write:
                button("Compact old", lambda: compact_old(desk, memories.refresh), icon="compress")
                button("Add a memory", lambda: add_memory(desk, memories.refresh), "primary", "add")
        await memories.build()
        refresh_on_events(desk.reverie, memories.refresh)


def _health(desk: PageContext) -> None:
    """Whether everything works, as a dot that leads to what does not."""
    place = box("row-of")

    async def look() -> None:
        try:
            state = await desk.reverie.ready()
            failing = state["degraded"]
        except ReverieClientError:
            failing = ["the database"]
        place.clear()
        words = f"Does not work: {', '.join(failing)}" if failing else "Everything works"
        with place:
            html(HEALTH.format(PATH, place_of(desk, "/engine"), "bad" if failing else "good", words))

    ui.timer(0, look, once=True)
    ui.timer(HEALTH_S, look, immediate=False)


class _Memories:
    """The list, its filters, and the cards above it."""

    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._cursors: list[str | None] = [None]
        self._asked = 0
        self._shown: Any = None

    async def build(self) -> None:
        self._cards = box("stats")
        with box("filters"):
            self._words = ui.input("Search in what is remembered").props(
                f"outlined dense clearable debounce={TYPING_MS}"
            )
            self._types = ui.select(self._desk.types, label="Types", multiple=True)
            self._scopes = ui.select(list(SCOPES), label="Scopes", multiple=True)
            self._tag = ui.input("Tag").props(f"debounce={TYPING_MS}")
            self._include = ui.select(SHOWN, label="Show", value="")
        with self._words.add_slot("prepend"):
            ui.icon("search")
        for field in (self._words, self._types, self._scopes, self._tag, self._include):
            field.props("outlined dense options-dense").on_value_change(notify_errors(self._filter))
        with box("card flush"):
            self._rows = box("rows")
            with box("pager") as self._pager:
                self._place = ui.label()
                with box("row-of"):
                    self._newer = button("Newer", self._back, "quiet", "chevron_left")
                    self._older = button("Older", self._on, "quiet", "chevron_right")
        await self.refresh()

    def _filters(self) -> dict[str, Any]:
        given = {
            "agent": self._desk.agent,
            "q": (self._words.value or "").strip(),
            "type": self._types.value,
            "scope": self._scopes.value,
            "tag": (self._tag.value or "").strip(),
            "include": self._include.value,
        }
        return {name: value for name, value in given.items() if value}

    async def _filter(self, _: object) -> None:
        self._cursors = [None]
        await self.refresh()

    async def _on(self) -> None:
        if self._next is not None:
            self._cursors.append(self._next)
            await self.refresh()

    async def _back(self) -> None:
        if len(self._cursors) > 1:
            self._cursors.pop()
            await self.refresh()

    async def refresh(self) -> None:
        """Read the page and the counts again; what has not changed is left alone."""
        self._asked += 1
        asked = self._asked
        call = calls.memories.list_memories(limit=PAGE, **self._filters())
        if self._cursors[-1] is not None:
            call = call.after(self._cursors[-1])
        page = await self._desk.reverie.send(call)
        stats = await self._desk.reverie.memory_stats(self._desk.agent)
        if asked != self._asked or (page, stats) == self._shown:
            return
        self._shown = (page, stats)
        self._next = page.next_cursor
        self._show(page, stats)

    def _show(self, page: Page[MemoryRecord], stats: MemoryStats) -> None:
        self._rows.clear()
        with self._rows:
            for memory in page.items:
                _row(self._desk, memory, self.refresh)
            if not page.items:
                self._nothing(stats)
        first = (len(self._cursors) - 1) * PAGE + 1
        last = first + len(page.items) - 1
        whole = "" if set(self._filters()) - {"agent"} else f" of {stats.memories:,}"
        self._place.set_text(f"{first:,}-{last:,}{whole}".replace("-", "–") if page.items else "")
        self._pager.set_visibility(bool(page.items) or len(self._cursors) > 1)
        self._newer.set_enabled(len(self._cursors) > 1)
        self._older.set_enabled(page.next_cursor is not None)
        self._cards.clear()
        with self._cards:
            _cards(stats)

    def _nothing(self, stats: MemoryStats) -> None:
        if set(self._filters()) - {"agent"}:
            empty(
                "search_off",
                "Nothing like that",
                "No memory has these words and filters. The Playground also finds by meaning.",
            )
            return
        empty(
            "bedtime",
            "Nothing is remembered yet",
            "Memories are saved by your agents, or made of their conversations by a dream. Add one here, or save the "
            "first one from a terminal:",
            FIRST_MEMORY.format(url=self._desk.url),
        )


def _row(desk: PageContext, memory: MemoryRecord, after: Any) -> None:
    about = (
        [kind(memory.type), Markup("<span>{}</span>").format(memory.agent)]
        if desk.agent is None
        else [kind(memory.type)]
    )
    if memory.scope != "agent":
        about.append(tag(memory.scope))
    if memory.user:
        about.append(Markup("<span>about {}</span>").format(memory.user))
    if memory.hearsay_by:
        about.append(tag(memory.attribution, "warn"))
    about += [tag(one) for one in memory.tags[:4]]
    if memory.deleted_at:
        about.append(tag("deleted", "bad"))
    elif memory.superseded_by:
        about.append(tag("superseded", "warn"))
    if memory.status == "done":
        about.append(tag("done", "good"))
    if memory.embedding == "pending":
        about.append(tag("pending", "warn"))
    gone = memory.deleted_at or memory.superseded_by
    with row(memory.id, partial(open_memory, desk, memory.id, after), "item gone" if gone else "item"):
        html(LINE.format(memory.content, when(memory.created_at), joined(about)))


def _cards(stats: MemoryStats) -> None:
    rate = f"{stats.recalled / stats.memories:.0%}" if stats.memories else "–"
    cards = (
        (f"{stats.memories:,}", "memories" if stats.memories != 1 else "memory", ""),
        (f"{stats.tokens:,}", "tokens", "In all of them"),
        (f"{stats.pending:,}", "pending", "Waiting for an embedding; found by their words until they have one"),
        (rate, "ever recalled", f"{stats.recalled:,} of {stats.memories:,} were recalled at least once"),
    )
    for value, label, title in cards:
        html(CARD.format(title, value, label), "stat")
    mix = joined(
        Markup('<i style="flex:{} 0 0;background:var(--{})" title="{}"></i>').format(
            one.memories, name, count(one.memories, name)
        )
        for name, one in stats.types.items()
    )
    legend = joined(
        Markup('<span class="kind" style="--hue:var(--{})">{} {:,}</span>').format(name, name, one.memories)
        for name, one in stats.types.items()
    )
    if stats.types:
        html(Markup('<div class="mix">{}</div><div class="legend">{}</div>').format(mix, legend), "stat wide")
