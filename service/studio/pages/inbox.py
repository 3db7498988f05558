"""The inbox: what dreams were not sure enough of, with what was said, to be accepted, edited or rejected."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal
from uuid import UUID

from markupsafe import Markup
from nicegui import ui
from nicegui.events import KeyEventArguments

from reverie_client import calls
from reverie_client.models import Proposal, ProposalSource, attribution
from service.studio.components import (
    box,
    button,
    class_if,
    empty,
    html,
    joined,
    kind,
    notify,
    notify_errors,
    one_at_a_time,
    open_dialog,
    row,
    tag,
    when,
)
from service.studio.formatting import count
from service.studio.layout import Layout, PageContext, heading
from service.studio.live_updates import refresh_on_events
from service.studio.pages.memory_form import TYPE_HINTS

PAGE = 100
Shown = Literal["proposed", "rejected"]
SHOWN: dict[Shown, str] = {"proposed": "What waits", "rejected": "What was rejected"}
DONE = {
    "accept": "It is a memory now.", "edit": "It is a memory now.", "reject": "It does not come again.",
    "reopen": "It waits again.",
}  # fmt: skip
KEYS = Markup(
    "<kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>a</kbd> accept · <kbd>e</kbd> edit · <kbd>r</kbd> reject"
)


def add(frame: Layout) -> None:
    """The page at ``/inbox``."""

    @frame.page("/inbox", "Inbox")
    async def page(desk: PageContext) -> None:
        inbox = _Inbox(desk)
        with heading("Inbox", "What dreams were not sure enough of. It becomes a memory once somebody accepts it."):
            choice = ui.select(SHOWN, value="proposed", on_change=lambda event: inbox.show(event.value))
            choice.props("outlined dense options-dense aria-label='What to show'").style("min-width: 190px")
        await inbox.build()
        refresh_on_events(desk.reverie, inbox.refresh)


class _Inbox:
    def __init__(self, desk: PageContext) -> None:
        self._desk = desk
        self._status: Shown = "proposed"
        self._proposals: list[Proposal] = []
        self._open: UUID | None = None
        self._editing = False

    async def build(self) -> None:
        with box("beside narrow-first") as self._beside:
            with box("card flush"):
                self._rows = box("rows")
            self._detail = box("column-of")
        if self._desk.may_write:
            html(KEYS, "faint small")
            ui.keyboard(on_key=one_at_a_time(notify_errors(self._press)), repeating=False,
                        ignore=["input", "select", "textarea"])  # fmt: skip
        await self.refresh(first=True)

    async def show(self, status: Shown) -> None:
        """Show what waits, or what was rejected."""
        self._status, self._open = status, None
        await self.refresh(first=True)

    async def refresh(self, *, first: bool = False) -> None:
        """Read the list again; what has not changed is left alone."""
        call = calls.agents.list_inbox(self._desk.agent, self._status, PAGE)
        found = (await self._desk.reverie.send(call)).items
        if found == self._proposals and not first:
            return
        place = self._place()
        self._proposals = found
        if found and all(one.id != self._open for one in found):
            self._open = found[min(place, len(found) - 1)].id
        self._render()

    def _place(self) -> int:
        """Where the open one stands in the list; the first place where none is."""
        return next((n for n, one in enumerate(self._proposals) if one.id == self._open), 0)

    def _choose(self, proposal_id: UUID) -> None:
        self._open = proposal_id
        self._render()

    def _render(self) -> None:
        self._rows.clear()
        self._detail.clear()
        self._beside.classes(**class_if(not self._proposals, "alone"))
        with self._rows:
            for one in self._proposals:
                here = one.id == self._open
                with row(one.id, partial(self._choose, one.id), "item here" if here else "item"):
                    html(_line(one))
            if not self._proposals:
                empty("inbox", "Nothing here",
                      "With dream.propose_below in the settings, what a dream is less sure of waits here.")  # fmt: skip
        if self._proposals:
            with self._detail, box("card"):
                self._one(self._proposals[self._place()])

    def _one(self, proposal: Proposal) -> None:
        html(Markup('<div class="row-of">{}</div><p class="words">{}</p>').format(_labels(proposal), proposal.content))
        html(Markup('<div class="faint small">{}, said {}; {}</div>').format(
            proposal.agent, when(proposal.said_at), proposal.reason))  # fmt: skip
        html(Markup("<h2>{}</h2>{}").format("What was said", joined(map(_source, proposal.sources))))
        if not self._desk.may_write:
            return
        with box("row-of"):
            if proposal.status == "rejected":
                button("Reopen", partial(self._decide, proposal, "reopen"), "primary", "undo")
                return
            button("Accept", partial(self._decide, proposal, "accept"), "primary", "check")
            button("Edit", partial(self._edit, proposal), "quiet", "edit")
            button("Reject", partial(self._decide, proposal, "reject"), "danger", "close")

    async def _decide(
        self, proposal: Proposal, action: Literal["accept", "edit", "reject", "reopen"], **changes: Any
    ) -> None:
        try:
            await self._desk.reverie.decide_proposal(proposal.id, action, **changes)
            notify(DONE[action])
        finally:
            await self.refresh()

    def _edit(self, proposal: Proposal) -> None:
        self._editing = True
        with open_dialog() as dialog:
            dialog.props("persistent").on("hide", self._stop_editing)
            html(Markup("<h2>Accept it otherwise</h2>"))
            content = ui.textarea("What is to be remembered", value=proposal.content)
            content.props("outlined autogrow autofocus maxlength=8000")
            type_ = ui.select(list(TYPE_HINTS), label="Type", value=proposal.type).props("outlined dense")

            async def save() -> None:
                changes = {"content": content.value, "type": type_.value}
                await self._decide(proposal, "edit", **changes)
                dialog.close()

            with box("row-of").style("justify-content: flex-end"):
                button("Cancel", dialog.close, "quiet")
                button("Save", save, "primary")

    def _stop_editing(self) -> None:
        self._editing = False

    async def _press(self, event: KeyEventArguments) -> None:
        """A letter acts on the open proposal, unless it is being edited."""
        modified = event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta
        if not event.action.keydown or modified or self._editing or not self._proposals:
            return
        place = self._place()
        shown = self._proposals[place]
        match event.key.name:
            case "j":
                self._choose(self._proposals[min(place + 1, len(self._proposals) - 1)].id)
            case "k":
                self._choose(self._proposals[max(place - 1, 0)].id)
            case "a" if self._status == "proposed":
                await self._decide(shown, "accept")
            case "e" if self._status == "proposed":
                self._edit(shown)
            case "r" if self._status == "proposed":
                await self._decide(shown, "reject")


def _line(proposal: Proposal) -> Markup:
    return Markup(
        '<div class="top"><b>{}</b><span class="faint small still">{}</span></div>'
        '<div class="about"><span>{}</span><span>{}</span></div>'
    ).format(
        proposal.content, when(proposal.said_at), proposal.type,
        f"confidence {proposal.confidence:.2f}, {count(len(proposal.sources), 'message')}",
    )  # fmt: skip


def _labels(proposal: Proposal) -> Markup:
    whose = attribution(proposal.hearsay_by, proposal.user)
    labels = [kind(proposal.type), tag(f"confidence {proposal.confidence:.2f}", "warn")]
    labels += [tag(f"about {proposal.user}")] if proposal.user else []
    labels += [tag(whose, "warn")] if whose else []
    return joined(labels)


def _source(source: ProposalSource) -> Markup:
    return Markup(
        '<blockquote class="words">{}</blockquote><div class="faint small">{} in {}, turn {} · {}</div>'
    ).format(source.content, source.name or source.role, source.session, source.seq, when(source.created_at))
