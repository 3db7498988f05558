"""Pages: standing questions with their answers, what each sentence rests on, and what changed between versions."""

from __future__ import annotations

from functools import partial

from markupsafe import Markup
from nicegui import ui

from reverie_client import ReverieClientError, calls
from reverie_client.models import AnsweredPage, PageVersion, Sentence
from service.studio.components import (
    box,
    button,
    class_if,
    confirm,
    empty,
    html,
    joined,
    notify,
    open_dialog,
    row,
    tag,
    text,
    when,
)
from service.studio.formatting import count, error_message
from service.studio.layout import Layout, PageContext, choose_agent, heading
from service.studio.live_updates import refresh_on_events
from service.studio.pages.memory_panel import open_memory

SHOWN_MAX = 100
TRIGGERS = {"dream": "after dreams", "manual": "on request"}


def add(frame: Layout) -> None:
    """The page at ``/pages``."""

    @frame.page("/pages", "Pages")
    async def page(desk: PageContext) -> None:
        pages = _Pages(desk)
        with heading("Pages", "Standing questions. Every sentence of an answer cites the memories it rests on."):
            if desk.agent is not None and desk.may_write:
                button("Ask a question", pages.ask, "primary", "add")
        if choose_agent(desk, "/pages", "Each agent has pages of its own."):
            await pages.build()
            refresh_on_events(desk.reverie, pages.refresh)


class _Pages:
    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._pages: list[AnsweredPage] = []
        self._versions: list[PageVersion] = []
        self._open: str | None = None

    async def build(self) -> None:
        with box("beside narrow-first") as self._beside:
            with box("card flush"):
                self._rows = box("rows")
            self._detail = box("column-of")
        await self.refresh(first=True)

    async def refresh(self, *, first: bool = False) -> None:
        """Read the pages again; what has not changed is left alone."""
        found = await self._desk.reverie.send(calls.pages.list_pages(self._desk.agent, limit=SHOWN_MAX))
        if found.items == self._pages and not first:
            return
        self._pages = found.items
        if self._shown() is None:
            self._open = str(self._pages[0].id) if self._pages else None
        await self._show()

    async def ask(self) -> None:
        """A form for a new page."""
        with open_dialog() as dialog:
            text("Ask a question", tag="h2")
            text("It is answered now, and again after each dream that may concern it.", "soft", tag="p")
            question = ui.input("Question").props("outlined autofocus maxlength=1000").style("width: 100%")
            refused = box("column-of").props('role="status"')

            async def create() -> None:
                try:
                    made = await self._desk.reverie.create_page(question.value or "", self._desk.agent)
                except ReverieClientError as error:
                    refused.clear()
                    with refused:
                        text(error_message(error), "note bad")
                    return
                dialog.close()
                self._open = str(made.id)
                await self.refresh(first=True)

            with box("row-of").style("justify-content: flex-end"):
                button("Cancel", dialog.close, "quiet")
                button("Ask", create, "primary")

    def _shown(self) -> AnsweredPage | None:
        return next((page for page in self._pages if str(page.id) == self._open), None)

    async def _choose(self, page_id: str) -> None:
        self._open = page_id
        await self._show()

    async def _show(self) -> None:
        shown = self._shown()
        self._versions = []
        if shown is not None:
            self._versions = (await self._desk.reverie.send(calls.pages.list_page_versions(shown.id))).items
        self._rows.clear()
        self._detail.clear()
        self._beside.classes(**class_if(not self._pages, "alone"))
        with self._rows:
            for page in self._pages:
                with row(page.id, partial(self._choose, str(page.id)), "item here" if page is shown else "item"):
                    html(_line(page))
            if not self._pages:
                empty("quiz", "No page yet", "Ask what should always have an up-to-date answer.")
        if shown is not None:
            with self._detail:
                self._one(shown)

    def _one(self, page: AnsweredPage) -> None:
        with box("card"):
            with box("page-head"):
                made = Markup('<h2>{}</h2><div class="faint small">{} · {} · version {}</div>')
                how = TRIGGERS.get(page.trigger, f"by the crontab {page.trigger}")
                html(made.format(page.question, how, page.writer or "no answer yet", page.version or 0))
                if self._desk.may_write:
                    with box("row-of"):
                        button("Answer now", partial(self._rewrite, page), "", "refresh")
                        button("Delete", partial(self._delete, page), "quiet", "delete")
            if page.stale:
                text(f"{count(page.left_out, 'sentence')} left out: what it rests on has changed.", "note warn")
            with box("rows"):
                for number, sentence in enumerate(page.sentences):
                    with row(f"sentence {number}", partial(open_memory, self._desk, sentence.memory_ids[0]), "item"):
                        html(_sentence(sentence))
            if not page.sentences and not page.stale:
                text("Nothing known answers it.", "soft")
        for version in self._versions:
            with box("card"):
                html(_version(version))

    async def _rewrite(self, page: AnsweredPage) -> None:
        written = await self._desk.reverie.rewrite_page(page.id)
        await self.refresh(first=True)
        same = written.version == page.version
        notify("Nothing has changed since." if same else f"Version {written.version} is written.")

    async def _delete(self, page: AnsweredPage) -> None:
        if await confirm("Delete this page?", "Its versions go with it; the memories stay.", "Delete page"):
            await self._desk.reverie.delete_page(page.id)
            await self.refresh(first=True)


def _line(page: AnsweredPage) -> Markup:
    state = tag("stale", "warn") if page.stale else ""
    return Markup('<div class="top"><b>{}</b></div><div class="about">{}<span>{}</span><span>{}</span></div>').format(
        page.question, state, count(len(page.sentences), "sentence"), when(page.written_at)
    )


def _sentence(sentence: Sentence) -> Markup:
    cited = count(len(sentence.memory_ids), "memory", "memories")
    return Markup('<div class="text">{}</div><div class="about">{}</div>').format(sentence.text, cited)


def _version(version: PageVersion) -> Markup:
    changed = [Markup("<li><del>{}</del></li>").format(one.text) for one in version.removed]
    changed += [Markup("<li><ins>{}</ins></li>").format(one.text) for one in version.added]
    lines = joined(changed) if changed else Markup("<li>No sentence has changed.</li>")
    return Markup('<h3>Version {}</h3><div class="faint small">{} · {}</div><ul class="words">{}</ul>').format(
        version.version, when(version.written_at), version.writer, lines
    )
