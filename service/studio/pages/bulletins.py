"""Bulletins: what an agent knows, version by version, and what changed from one to the next."""

from __future__ import annotations

from functools import partial
from typing import Any

from markupsafe import Markup, escape
from nicegui import ui

from reverie_client import calls
from reverie_client.models import Bulletin, BulletinVersion
from service.studio.components import box, button, class_if, difference, empty, html, notify, row, text, when
from service.studio.formatting import count
from service.studio.layout import Layout, PageContext, choose_agent, heading
from service.studio.live_updates import refresh_on_events

PAGE = 100
NOTHING = 0
"""In place of a version to compare with."""


def add(frame: Layout) -> None:
    """The page at ``/bulletins``."""

    @frame.page("/bulletins", "Bulletins")
    async def page(desk: PageContext) -> None:
        bulletins = _Bulletins(desk)
        with heading(
            "Bulletins", "What an agent knows in a nutshell, at the head of every context. Each version is kept."
        ):
            if desk.agent is not None and desk.may_write:
                button("Write it anew", bulletins.write, "primary", "refresh")
        if choose_agent(desk, "/bulletins", "Each agent has a bulletin of its own."):
            await bulletins.build()
            refresh_on_events(desk.reverie, bulletins.refresh)


class _Bulletins:
    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._versions: list[BulletinVersion] = []
        self._open: int | None = None
        self._against: int | None = None

    async def build(self) -> None:
        with box("beside narrow-first") as self._beside:
            with box("card flush"):
                self._rows = box("rows")
            self._detail = box("column-of")
        await self.refresh(first=True)

    async def refresh(self, *, first: bool = False) -> None:
        """Read the versions again; what has not changed is left alone."""
        page = await self._desk.reverie.send(calls.agents.list_bulletins(str(self._desk.agent), limit=PAGE))
        if page.items == self._versions and not first:
            return
        newest_was_open = self._open is None or (self._versions and self._open == self._versions[0].version)
        self._versions = page.items
        if newest_was_open and page.items:
            self._open = page.items[0].version
            self._against = page.items[1].version if len(page.items) > 1 else NOTHING
        self._show()

    async def write(self) -> None:
        """Have it written now."""
        before = self._versions[0].version if self._versions else 0
        written = await self._desk.reverie.write_bulletin(str(self._desk.agent))
        await self.refresh()
        notify(
            "Nothing has changed since the last version."
            if written.version == before
            else f"Version {written.version} is written."
        )

    def _show(self) -> None:
        self._rows.clear()
        self._detail.clear()
        self._beside.classes(**class_if(not self._versions, "alone"))
        with self._rows:
            for bulletin in self._versions:
                here = bulletin.version == self._open
                with row(bulletin.version, partial(self._choose, bulletin.version), "item here" if here else "item"):
                    html(_line(bulletin))
            if not self._versions:
                empty(
                    "article",
                    "No bulletin yet",
                    "A dream writes one as soon as there is something to say; so does Write it anew.",
                )
        shown = next((one for one in self._versions if one.version == self._open), None)
        if shown is not None:
            with self._detail:
                self._one(shown)

    def _choose(self, version: int) -> None:
        self._open = version
        older = [one.version for one in self._versions if one.version < version]
        self._against = older[0] if older else NOTHING
        self._show()

    def _one(self, bulletin: Bulletin) -> None:
        others: dict[int, str] = {NOTHING: "Nothing, as it stands"}
        others |= {one.version: f"Version {one.version}" for one in self._versions if one.version != bulletin.version}

        def compare(version: Any) -> None:
            self._against = version
            self._show()

        with box("card"):
            with box("page-head"):
                html(
                    Markup('<h2>Version {}</h2><div class="faint small">{} · {}</div>').format(
                        bulletin.version, when(bulletin.created_at), count(bulletin.tokens, "token")
                    )
                )
                choice = ui.select(
                    others, label="Compared with", value=self._against, on_change=lambda event: compare(event.value)
                )
                choice.props("outlined dense options-dense").style("min-width: 190px")
            older = next((one for one in self._versions if one.version == self._against), None)
            content = difference(older.content, bulletin.content) if older else escape(bulletin.content)
            if bulletin.stale and bulletin is self._versions[0]:
                text("Out of date: what some of it rests on has changed.", "note warn")
            html(content, "words")


def _line(bulletin: Bulletin) -> Markup:
    made = "by a dream" if bulletin.dream_id else "asked for"
    return Markup(
        '<div class="top"><b>Version {}</b><span class="faint small still">{}</span></div>'
        '<div class="about"><span>{}</span><span>{}</span></div>'
    ).format(bulletin.version, when(bulletin.created_at), made, count(bulletin.tokens, "token"))
