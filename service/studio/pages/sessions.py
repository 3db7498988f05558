"""Sessions: what was said, which of it still goes to the model verbatim, and what each message became."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any
from uuid import UUID

from markupsafe import Markup
from nicegui import ui

from reverie_client import NotFound, calls
from reverie_client.models import MemoryRecord, MessageRecord, Page, SessionRecord, Window
from service.studio.components import box, button, class_if, confirm, empty, html, notify, row, tag, when
from service.studio.formatting import count, relative_time
from service.studio.layout import Layout, PageContext, heading
from service.studio.live_updates import refresh_on_events
from service.studio.pages.memory_panel import open_memory
from service.studio.paging import first_items

PAGE = 40
SESSIONS_PAGE = 50
DIGITS_MAX = 12
AROUND = 10
"""Messages shown before the one that an address names."""
SHOW_MARKED = "document.querySelector('.said.marked')?.scrollIntoView({block: 'center'})"
SAID_S = 2.0
"""No event tells of a message."""
FIRST_SESSION = """curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  {url}/v1/sessions/monday/messages -d '{{"agent": "ada",
  "messages": [{{"role": "user", "content": "I moved to Bergen."}}]}}'"""


def add(frame: Layout) -> None:
    """The page at ``/sessions``."""

    @frame.page("/sessions", "Sessions")
    async def page(desk: PageContext) -> None:
        sessions = _Sessions(desk)
        with heading(
            "Sessions", "Every word is kept. The marked part is the window: what still goes to the model verbatim."
        ):
            pass
        await sessions.build()
        refresh_on_events(desk.reverie, sessions.refresh, SAID_S)


class _Sessions:
    """The conversations, and the one that is open."""

    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._wanted = desk.query.get("session")
        self._marked = _seq(desk.query.get("message"))
        self._open: SessionRecord | None = None
        self._limit = SESSIONS_PAGE
        self._messages = PAGE
        self._shown: Any = None
        self._shown_inside: Any = None
        self._laid_out: UUID | None = None
        self._scrolled_to: UUID | None = None
        self._looking = asyncio.Lock()

    async def build(self) -> None:
        with box("beside narrow-first") as self._beside:
            with box("card flush"):
                self._rows = box("rows")
            self._detail = box("column-of")
        await self.refresh()

    async def refresh(self) -> None:
        """Read the sessions and the open one again; what has not changed is left alone."""
        async with self._looking:
            await self._refresh()

    async def _refresh(self) -> None:
        page = await first_items(self._desk.reverie, calls.sessions.list_sessions(agent=self._desk.agent), self._limit)
        if self._open is None and self._wanted is not None:
            await self._open_wanted(self._wanted, page.items)
        elif self._open is None and page.items:
            self._open = page.items[0]
        if (page, self._open and self._open.id) != self._shown:
            self._shown = (page, self._open and self._open.id)
            self._show_sessions(page)
        if self._open is not None:
            await self._look_inside(self._open)

    async def _open_wanted(self, name: str, listed: list[SessionRecord]) -> None:
        """Open the session that the address names, and no other."""
        try:
            found = (
                await self._desk.reverie.get_session(name, agent=self._desk.agent)
                if self._desk.agent is not None
                else next((one for one in listed if one.session == name), None)
            )
        except NotFound:
            found = None
        if found is None:
            self._detail.clear()
            with self._detail, box("card"):
                empty("search_off", "No such session", f"There is no session {name} here. It may be another agent's.")
            return
        self._open = found
        if self._marked is not None:
            self._messages = max(PAGE, found.messages - self._marked + AROUND)

    def _show_sessions(self, page: Page[SessionRecord]) -> None:
        self._rows.clear()
        self._beside.classes(**class_if(not page.items, "alone"))
        with self._rows:
            for session in page.items:
                here = self._open is not None and session.id == self._open.id
                with row(session.id, partial(self._choose, session), "item here" if here else "item"):
                    html(_line(session, with_agent=self._desk.agent is None))
            if page.next_cursor is not None:
                button("Older sessions", self._older, "quiet")
            if not page.items:
                empty(
                    "forum",
                    "No conversations yet",
                    "A session is made when its first message is appended. The next dream reads it.",
                    FIRST_SESSION.format(url=self._desk.url),
                )

    async def _choose(self, session: SessionRecord) -> None:
        self._open, self._messages, self._wanted, self._marked = session, PAGE, None, None
        await self.refresh()

    async def _older(self) -> None:
        self._limit += SESSIONS_PAGE
        await self.refresh()

    async def _look_inside(self, session: SessionRecord) -> None:
        reverie, agent = self._desk.reverie, session.agent
        history = await first_items(
            reverie, calls.sessions.list_messages(session.session, order="desc", agent=agent), self._messages
        )
        window = await reverie.window(session.session, agent=agent)
        dreams = await reverie.send(calls.agents.list_dreams(agent=agent, limit=1))
        inside = (session.id, history, [one.id for one in window.messages], window.summary, dreams)
        if inside == self._shown_inside:
            return
        became = dict(await asyncio.gather(*(self._became(message.id) for message in history.items)))
        self._shown_inside = inside
        self._show_inside(session, history, window, became)

    async def _became(self, message_id: UUID) -> tuple[UUID, list[MemoryRecord]]:
        try:
            return message_id, (await self._desk.reverie.message_memories(message_id)).items
        except NotFound:
            return message_id, []

    def _show_inside(
        self,
        session: SessionRecord,
        history: Page[MessageRecord],
        window: Window,
        became: dict[UUID, list[MemoryRecord]],
    ) -> None:
        if self._laid_out != session.id:
            self._lay_out(session)
        self._deeds.set_visibility(self._desk.may_write and bool(window.messages))
        self._more.set_visibility(history.next_cursor is not None)
        for place in (self._head, self._before, self._said):
            place.clear()
        with self._head:
            html(_head(session, window))
        if window.summary:
            with self._before:
                html(
                    Markup('<div class="note"><b>Before the window</b><div class="words">{}</div></div>').format(
                        window.summary.get("content", "")
                    )
                )
        verbatim = {message.id for message in window.messages}
        with self._said:
            for message in reversed(history.items):
                self._message(message, became.get(message.id, []), in_window=message.id in verbatim)
            if not history.items:
                empty("chat_bubble_outline", "Nothing said yet", "Messages appear here as they are appended.")
        if self._marked is not None and self._scrolled_to != session.id:
            self._scrolled_to = session.id
            ui.run_javascript(SHOW_MARKED)

    def _lay_out(self, session: SessionRecord) -> None:
        """The places of a session, with the buttons, which stay when what is around them is drawn anew: a press on
        one that has just gone would be lost."""
        self._laid_out = session.id
        self._detail.clear()
        with self._detail:
            with box("card"):
                self._head = box("")
                with box("row-of") as self._deeds:
                    button("Fold the older half", partial(self._fold, session), icon="compress")
                    button("Clear the window", partial(self._clear, session), icon="layers_clear")
                self._before = box("")
            with box("card flush"):
                self._more = button("Earlier messages", self._earlier, "quiet")
                self._said = box("")

    def _message(self, message: MessageRecord, became: list[MemoryRecord], *, in_window: bool) -> None:
        marked = message.seq == self._marked
        with box(f"said {'in-window' if in_window else ''} {'marked' if marked else ''}"):
            html(
                Markup(
                    '<div class="row-of faint small"><b style="font-weight:500">{}</b><span>#{}</span>{}</div>'
                    '<div class="words">{}</div>'
                ).format(_speaker(message), message.seq, when(message.created_at), _words(message.content))
            )
            if became:
                with box("became"):
                    for memory in became:
                        with row(memory.id, partial(open_memory, self._desk, memory.id), "became-one"):
                            html(Markup("→ {}").format(memory.content))

    async def _earlier(self) -> None:
        self._messages += PAGE
        await self.refresh()

    async def _fold(self, session: SessionRecord) -> None:
        if await confirm(
            "Fold the older half of the window?",
            "A summary memory is made of it, and goes to the model in its place. The history keeps every message.",
            "Fold",
            danger=False,
        ):
            await self._desk.reverie.compact(session.session, agent=session.agent)
            await self.refresh()
            notify("Folded.")

    async def _clear(self, session: SessionRecord) -> None:
        if await confirm(
            "Clear the window?",
            "The next message starts with an empty window. History and memories stay as they are.",
            "Clear",
        ):
            await self._desk.reverie.clear_window(session.session, agent=session.agent)
            await self.refresh()
            notify("Cleared.")


def _seq(given: str | None) -> int | None:
    return int(given) if given is not None and given.isascii() and given.isdigit() and len(given) < DIGITS_MAX else None


def _words(content: Any) -> str:
    """What was said; what is not text is named in its place."""
    parts = content if isinstance(content, list) else [content]
    return "\n".join(str(part.get("text") or f"[{part.get('type', 'data')}]") if isinstance(part, dict) else str(part)
                     for part in parts if part is not None)  # fmt: skip


def _speaker(message: MessageRecord) -> str:
    return message.name or (message.user if message.role == "user" and message.user else message.role)


def _line(session: SessionRecord, *, with_agent: bool) -> Markup:
    about = [count(session.messages, "message")]
    if with_agent:
        about.append(session.agent)
    if session.user:
        about.append(f"with {session.user}")
    return Markup(
        '<div class="top"><b class="text">{}</b><span class="faint small still">{}</span></div>'
        '<div class="about">{}</div>'
    ).format(session.session, when(session.last_message_at or session.created_at), " · ".join(about))


def _head(session: SessionRecord, window: Window) -> Markup:
    if window.messages:
        ends = f", and ends {relative_time(window.expires_at)} if nothing is said" if window.expires_at else ""
        words = f"{count(len(window.messages), 'message')} in the window, {count(window.tokens, 'token')}{ends}."
    else:
        words = "The window is empty: the next message starts a fresh one."
    return Markup('<div class="row-of"><h2>{}</h2>{}</div><div class="soft">{}</div>').format(
        session.session, tag(session.agent), words
    )
