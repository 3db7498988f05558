"""Writing a memory: a new one, or changes to one that is there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from service.clients import Conflict, ReverieClientError
from service.clients.models import MemoryRecord
from service.studio.components import SCOPES, TYPES, box, button, difference, html, notify, open_dialog, text
from service.studio.formatting import error_message
from service.studio.layout import PageContext

GROUPS = ("team", "task", "session")
TYPE_HINTS = {
    "fact": "Something that is so.",
    "preference": "What somebody likes, or wants done in a certain way.",
    "decision": "What was settled, and why.",
    "identity": "Who the agent or the user is; goes into every context.",
    "event": "Something that happened; fades when nobody asks for it.",
    "observation": "Something noticed; fades when nobody asks for it.",
    "goal": "What is to be reached.",
    "todo": "Something to be done; lives until it is.",
}


class MemoryForm:
    """The fields of a memory."""

    def __init__(self, memory: MemoryRecord | None) -> None:
        given = memory.model_dump() if memory else {}
        self.content = ui.textarea("What is to be remembered", value=given.get("content", ""))
        self.content.props("outlined autogrow autofocus maxlength=8000")
        with box("fields"):
            self.type = ui.select(list(TYPES), label="Type", value=given.get("type", "fact"))
            self.scope = ui.select(list(SCOPES), label="Who may read it", value=given.get("scope", "agent"))
            self.groups = {name: ui.input(name.capitalize(), value=given.get(name) or "") for name in GROUPS}
            self.user = ui.input("About whom", value=given.get("user") or "")
            self.tags = ui.input("Tags", value=", ".join(given.get("tags", [])))
        hint = ui.label(TYPE_HINTS[self.type.value]).classes("small faint")
        self.type.on_value_change(lambda event: hint.set_text(TYPE_HINTS[event.value]))
        self.tags.props["hint"] = "separated by commas"
        for field in (self.type, self.scope, self.user, self.tags, *self.groups.values()):
            field.props("outlined dense options-dense hide-bottom-space")
        with box("row-of"):
            text("Importance", "small soft")
            self.importance = ui.slider(min=0, max=1, step=0.05, value=round(given.get("importance", 0.5), 2))
            self.importance.props("label aria-label=Importance").classes("grow").style("max-width: 260px")
        self._show_group(self.scope.value)
        self.scope.on_value_change(lambda event: self._show_group(event.value))
        self._before = self.values() if memory else {}

    def _show_group(self, scope: str) -> None:
        for name, field in self.groups.items():
            field.set_visibility(name == scope)

    def values(self) -> dict[str, Any]:
        """The fields as the API takes them; groups only where the scope has one."""
        scope = self.scope.value
        return {
            "content": (self.content.value or "").strip(),
            "type": self.type.value,
            "scope": scope,
            **({scope: self.groups[scope].value.strip() or None} if scope in GROUPS else {}),
            "user": self.user.value.strip() or None,
            "tags": [tag for part in self.tags.value.split(",") if (tag := part.strip())],
            "importance": self.importance.value,
        }

    def changes(self) -> dict[str, Any]:
        """The fields that are no longer as they were."""
        return {name: value for name, value in self.values().items() if self._before.get(name) != value}


def add_memory(desk: PageContext, after: Callable[[], Awaitable[None]]) -> None:
    """A dialog that saves a new memory; then ``after`` is called."""
    with open_dialog() as dialog:
        text("Add a memory", tag="h2")
        named = ui.input("Agent", value=desk.agent or "", autocomplete=desk.agents).props("outlined dense")
        named.set_visibility(desk.agent is None)
        form = MemoryForm(None)
        problem = ui.label().classes("bad small").props('role="alert"')

        async def save() -> None:
            given = {name: value for name, value in form.values().items() if value is not None}
            if agent := named.value.strip():
                given["agent"] = agent
            if not given["content"]:
                problem.set_text("Write down what is to be remembered.")
                return
            try:
                saved = await desk.reverie.save_memory(given.pop("type"), given.pop("content"), **given)
            except ReverieClientError as error:
                problem.set_text(error_message(error))
                return
            dialog.close()
            notify("Saved." if saved.created else "That was known already: it counts for more now.")
            await after()

        with box("row-of").style("justify-content: flex-end"):
            button("Cancel", dialog.close, "quiet")
            button("Save", save, "primary")


def edit_memory(desk: PageContext, memory: MemoryRecord, show: Callable[[MemoryRecord], Awaitable[None]]) -> None:
    """A dialog that changes a memory as it was last seen; ``show`` is called with the changed one."""
    seen = memory
    with open_dialog() as dialog:
        text("Edit this memory", tag="h2")
        form = MemoryForm(memory)
        reason = ui.input("Why (kept in the history)").props("outlined dense maxlength=500")
        problem = box("column-of").props('role="alert"')

        async def save() -> None:
            nonlocal seen
            changes = form.changes()
            if not changes:
                dialog.close()
                return
            if reason.value.strip():
                changes["reason"] = reason.value.strip()
            problem.clear()
            try:
                changed = await desk.reverie.change_memory(memory.id, seen.version, **changes)
            except Conflict as error:
                present = await desk.reverie.get_memory(memory.id)
                with problem:
                    if present.version == seen.version:
                        text(error_message(error), "note bad")
                    else:
                        _explain_stale(seen, present)
                seen = present
            except ReverieClientError as error:
                with problem:
                    text(error_message(error), "note bad")
            else:
                dialog.close()
                notify("Changed. The former version is in the history.")
                await show(changed)

        with box("row-of").style("justify-content: flex-end"):
            button("Cancel", dialog.close, "quiet")
            button("Save", save, "primary")


def _explain_stale(seen: MemoryRecord, present: MemoryRecord) -> None:
    with box("note warn column-of"):
        text(
            "Somebody has changed this memory since you opened it. Nothing of yours is saved yet. This is what they "
            "did; Save again puts your changes on top of theirs."
        )
        html(difference(seen.content, present.content), "words")
