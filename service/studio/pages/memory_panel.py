"""One memory, opened beside the page: what it says, how it came to be, and what became of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal

from markupsafe import Markup, escape
from nicegui import ui

from reverie_client import ReverieClientError
from reverie_client.call import Id
from reverie_client.models import MemoryRecord
from service.studio.components import (
    box,
    button,
    confirm,
    definition_list,
    difference,
    empty,
    html,
    joined,
    kind,
    notify,
    notify_error,
    notify_errors,
    open_dialog,
    tag,
    text,
    when,
)
from service.studio.endpoint import PATH
from service.studio.formatting import exact_time
from service.studio.layout import PageContext, place_of
from service.studio.pages.memory_form import edit_memory

SOURCE = Markup(
    '<div class="faint"><a href="{place}">{session}</a>, message {seq} · {role} · {when}'
    "</div>"
    '<div class="words">{content}</div>'
)
EVIDENCE = Markup('<div class="faint row-of">{kind}{stance} {when}</div><div class="words">{content}</div>')
ALL = "deleted,expired"
TOLD = (
    "type",
    "scope",
    "importance",
    "confidence",
    "tags",
    "user",
    "hearsay_by",
    "status",
    "key",
    "metadata",
    "decay_exempt",
    "expires_at",
    "deleted_at",
    "superseded_by",
)


async def open_memory(desk: PageContext, memory_id: Id, after: Callable[[], Awaitable[None]] | None = None) -> None:
    """Open a memory by its id; ``after`` is called when it is closed."""
    try:
        memory = await desk.reverie.get_memory(memory_id, include=ALL)
    except ReverieClientError as error:
        notify_error(error)
        return
    with open_dialog(side=True) as dialog:
        _Panel(desk, dialog).build(memory)
    if after is not None:
        dialog.on("hide", notify_errors(after))


class _Panel:
    def __init__(self, desk: PageContext, dialog: ui.dialog) -> None:
        self._desk = desk
        self._dialog = dialog
        self._body = box("column-of")

    def build(self, memory: MemoryRecord) -> None:
        self._body.clear()
        with self._body:
            with box("sheet-head"):
                html(Markup('<span class="row-of">{}{}</span>').format(kind(memory.type), _state(memory)))
                button("", self._dialog.close, "quiet", "close").props('aria-label="Close"')
            text(memory.content, "words").style("font-size: 16px; line-height: 1.5")
            if self._desk.may_write:
                self._actions(memory)
            with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
                about = ui.tab("About")
                history = ui.tab("History")
                sources = ui.tab("Sources")
            with ui.tab_panels(tabs, value=about, animated=False).classes("grow"):
                with ui.tab_panel(about):
                    html(_about(memory, f"{PATH}{place_of(self._desk, '/dreams', dream=memory.dream_id)}"))
                with ui.tab_panel(history):
                    past = box("column-of")
                with ui.tab_panel(sources):
                    origins = box("column-of")
            tabs.on_value_change(notify_errors(lambda _: self._load(memory, past, origins, str(tabs.value))))

    def _actions(self, memory: MemoryRecord) -> None:
        async def show(changed: MemoryRecord) -> None:
            self.build(changed)

        with box("row-of"):
            if memory.deleted_at is None:
                if memory.superseded_by is None:
                    if memory.type == "todo":
                        self._todo_button(memory)
                    if memory.source.get("kind") == "summary":
                        button("Undo the fold", partial(self._undo_fold, memory), icon="undo")
                    if memory.type != "insight":
                        button("Edit", lambda: edit_memory(self._desk, memory, show), icon="edit")
                button("Delete", partial(self._delete, memory), icon="delete")
            else:
                button("Restore", partial(self._restore, memory), "primary", "restore")

    def _todo_button(self, memory: MemoryRecord) -> None:
        async def mark(status: Literal["open", "done"]) -> None:
            self.build(await self._desk.reverie.change_memory(memory.id, memory.version, status=status))
            notify("Done." if status == "done" else "It is open again.")

        if memory.status == "done":
            button("Open again", partial(mark, "open"), icon="replay")
        else:
            button("Mark as done", partial(mark, "done"), icon="check")

    async def _undo_fold(self, memory: MemoryRecord) -> None:
        if await confirm(
            "Undo this fold?",
            "The memories that this summary replaced are current again, and the summary is deleted.",
            "Undo",
            danger=False,
        ):
            await self._desk.reverie.undo_summary(memory.id)
            notify("Undone: its memories are current again.")
            self._dialog.close()

    async def _delete(self, memory: MemoryRecord) -> None:
        settings = await self._desk.reverie.get_settings()
        days = settings["retention"]["deleted_days"]
        if await confirm(
            "Delete this memory?",
            "It is gone at once from searches, contexts and bulletins. "
            + (f"For {days} days it can be restored, with its history." if days else "It cannot be restored later."),
            "Delete",
        ):
            await self._desk.reverie.delete_memory(memory.id)
            notify("Deleted.")
            self._dialog.close()

    async def _restore(self, memory: MemoryRecord) -> None:
        if await confirm("Restore this memory?", "It can be found again at once.", "Restore", danger=False):
            restored = await self._desk.reverie.restore_memory(memory.id)
            notify("Restored.")
            self.build(restored)

    async def _load(self, memory: MemoryRecord, past: ui.element, origins: ui.element, shown: str) -> None:
        if shown == "History":
            versions = (await self._desk.reverie.memory_history(memory.id)).items
            past.clear()
            with past:
                for newer, older in zip(reversed(versions), [*reversed(versions[:-1]), None], strict=True):
                    html(_version(newer, older), "card small")
        elif shown == "Sources" and memory.type == "insight":
            cards = [await self._evidence(one) for one in memory.source["evidence"]]
            origins.clear()
            with origins:
                for card in cards:
                    html(card, "card small")
        elif shown == "Sources":
            messages = (await self._desk.reverie.memory_sources(memory.id)).items
            origins.clear()
            with origins:
                for message in messages:
                    html(self._source(memory, message), "card small")
                if not messages:
                    empty(
                        "edit_note", "Written directly", "A memory that a dream makes names the messages it came from."
                    )

    async def _evidence(self, cited: dict[str, Any]) -> Markup:
        """A memory that an insight was concluded from."""
        memory = await self._desk.reverie.get_memory(cited["id"], include=ALL)
        stance = tag("against", "warn") if cited["against"] else tag("until then") if cited["former"] else ""
        at = when(memory.occurred_at or memory.valid_from)
        return EVIDENCE.format(kind=kind(memory.type), stance=stance, when=at, content=memory.content)

    def _source(self, memory: MemoryRecord, message: dict[str, Any]) -> Markup:
        place = place_of(
            self._desk, "/sessions", agent=memory.agent, session=message["session"], message=message["seq"]
        )
        return SOURCE.format(
            place=f"{PATH}{place}", session=message["session"], seq=message["seq"], role=message["role"],
            when=when(message["created_at"]), content=message["content"],
        )  # fmt: skip


def _state(memory: MemoryRecord) -> Markup:
    states = (
        (memory.hearsay_by, memory.attribution, "warn"),
        (memory.deleted_at, "deleted", "bad"),
        (memory.superseded_by, "superseded", "warn"),
        (memory.embedding == "pending", "pending", "warn"),
        (memory.status == "done", "done", "good"),
    )
    return joined(tag(words, tone) for held, words, tone in states if held)


def _about(memory: MemoryRecord, dream: str) -> Markup:
    rows: dict[str, Any] = {
        "Agent": memory.agent,
        "Who may read it": _readers(memory),
        "About": memory.user,
        "Said by": memory.hearsay_by,
        "Tags": joined(Markup("{} ").format(tag(one)) for one in memory.tags) if memory.tags else None,
        "Importance": f"{memory.importance:.2f}"
        + (
            f", now {memory.effective_importance:.2f}"
            if memory.effective_importance < memory.importance - 0.005
            else ""
        ),
        "Confidence": f"{memory.confidence:.2f}",
        "Recalled": f"{memory.access_count} times" if memory.access_count else "not yet",
        "Happened": exact_time(memory.occurred_at) or None,
        "Known since": when(memory.created_at),
        "Valid until": exact_time(memory.valid_until) or None,
        "Expires": exact_time(memory.expires_at) or None,
        "Status": memory.status,
        "Fades": "never" if memory.decay_exempt else None,
        "Session": memory.session,
        "Key": memory.key,
        "Metadata": definition_list({name: _plain(value) for name, value in memory.metadata.items()}) or None,
        "Version": memory.version,
        "Made by": Markup('<a href="{}">a dream</a>').format(dream) if memory.dream_id else None,
        "Id": Markup('<span class="mono">{}</span>').format(memory.id),
    }
    return definition_list(rows)


def _readers(memory: MemoryRecord) -> str:
    match memory.scope:
        case "team":
            return f"the team {memory.team}"
        case "task":
            return f"whoever works on {memory.task}"
        case "session":
            return f"{memory.agent}, in the session {memory.session}"
        case "prime":
            return f"{memory.agent} and prime agents"
    return f"{memory.agent} alone"


def _actor(named: str | None) -> str:
    """Who made a version: agents and people by their key's kind, dreams without their number."""
    who, _, rest = (named or "unknown").partition(":")
    return {"dream": "a dream", "admin": "an admin", "reader": "a reader", "agent": rest}.get(who, who)


def _version(version: dict[str, Any], before: dict[str, Any] | None) -> Markup:
    changed = [
        Markup("<div>{}: {} → {}</div>").format(
            name.replace("_", " "), _plain(before.get(name)), _plain(version.get(name))
        )
        for name in TOLD
        if before is not None and before.get(name) != version.get(name)
    ]
    content = difference(before["content"], version["content"]) if before else escape(version["content"])
    return Markup(
        '<div class="row-of"><b>Version {}</b><span class="faint">{} · {}{}</span></div>'
        '<div class="words">{}</div><div class="soft">{}</div>'
    ).format(
        version["version"],
        when(version["at"]),
        _actor(version["actor"]),
        f" · {version['reason']}" if version.get("reason") else "",
        content,
        joined(changed),
    )


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
