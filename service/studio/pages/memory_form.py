"""Writing a memory: a new one, or changes to one that is there."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from nicegui import ui

from reverie_client import Conflict, ReverieClientError
from reverie_client.models import MemoryRecord
from service.studio.components import SCOPES, box, button, difference, html, notify, open_dialog, text
from service.studio.formatting import error_message
from service.studio.layout import PageContext

GROUPS = ("team", "task", "session")
STATUSES = ("open", "done")
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
    """The fields of a memory, in a dialog that a stray Escape or click does not close once something is written."""

    def __init__(self, memory: MemoryRecord | None, dialog: ui.dialog, own_types: dict[str, str]) -> None:
        given = memory.model_dump() if memory else {}
        hints = TYPE_HINTS | own_types
        self.content = ui.textarea("What is to be remembered", value=given.get("content", ""))
        self.content.props("outlined autogrow autofocus maxlength=8000")
        with box("fields"):
            self.type = ui.select(list(hints), label="Type", value=given.get("type", "fact"))
            self.scope = ui.select(list(SCOPES), label="Who may read it", value=given.get("scope", "agent"))
            self.groups = {name: ui.input(name.capitalize(), value=given.get(name) or "") for name in GROUPS}
            self.user = ui.input("About whom", value=given.get("user") or "")
            self.tags = ui.input("Tags", value=", ".join(given.get("tags", [])))
            self.status = ui.select(list(STATUSES), label="Status", value=given.get("status") or "open")
        hint = ui.label(hints[self.type.value]).classes("small faint")
        self.type.on_value_change(lambda event: hint.set_text(hints[event.value]))
        self.tags.props["hint"] = "separated by commas"
        with box("row-of"):
            text("Importance", "small soft")
            self.importance = ui.slider(min=0, max=1, step=0.05, value=round(given.get("importance", 0.5), 2))
            self.importance.props("label aria-label=Importance").classes("grow").style("max-width: 260px")
        self._build_more(given)
        for field in (self.type, self.scope, self.user, self.tags, self.status, *self.groups.values()):
            field.props("outlined dense options-dense hide-bottom-space")
        self._show_fitting()
        self.scope.on_value_change(self._show_fitting)
        self.type.on_value_change(self._show_fitting)
        self._before = self.values()
        dialog.props("persistent").on("shake", lambda: self.changes() or dialog.close())

    def _build_more(self, given: dict[str, Any]) -> None:
        names = ("key", "expires_at", "metadata", "decay_exempt")
        with ui.expansion("More", value=any(given.get(name) for name in names)).props("dense"):
            with box("fields"):
                self.key = ui.input("Key", value=given.get("key") or "")
                self.key.props["hint"] = "saving under it again updates"
                self.expires = ui.input("Expires, UTC", value=_to_minute(given.get("expires_at")))
                self.expires.props("type=datetime-local stack-label clearable")
                for field in (self.key, self.expires):
                    field.props("outlined dense hide-bottom-space")
            self.metadata = ui.textarea("Metadata", value=_to_json(given.get("metadata")))
            self.metadata.props("outlined dense autogrow input-class=mono")
            self.metadata.props["hint"] = "a JSON object; names left out stay as they are"
            self.decay_exempt = ui.switch("Never fades", value=given.get("decay_exempt", False))

    def _show_fitting(self, _: object = None) -> None:
        for name, field in self.groups.items():
            field.set_visibility(name == self.scope.value)
        self.status.set_visibility(self.type.value == "todo")

    def problem(self) -> str | None:
        """What keeps it from being saved, if anything does."""
        if not (self.content.value or "").strip():
            return "Write down what is to be remembered."
        try:
            valid = isinstance(json.loads(self.metadata.value.strip() or "{}"), dict)
        except ValueError:
            valid = False
        return None if valid else 'Metadata has to be a JSON object, such as {"project": "Apollo"}.'

    def values(self) -> dict[str, Any]:
        """The fields as the API takes them; groups only where the scope has one, a status only where it is a todo."""
        scope = self.scope.value
        return {
            "content": (self.content.value or "").strip(),
            "type": self.type.value,
            "scope": scope,
            **({scope: self.groups[scope].value.strip() or None} if scope in GROUPS else {}),
            **({"status": self.status.value} if self.type.value == "todo" else {}),
            "user": self.user.value.strip() or None,
            "tags": [tag for part in self.tags.value.split(",") if (tag := part.strip())],
            "importance": self.importance.value,
            "key": self.key.value.strip() or None,
            "expires_at": f"{self.expires.value}Z" if self.expires.value else None,
            "metadata": json.loads(self.metadata.value.strip() or "{}"),
            "decay_exempt": self.decay_exempt.value,
        }

    def changes(self) -> dict[str, Any]:
        """The fields that are no longer as they were."""
        return {name: value for name, value in self.values().items() if self._before.get(name) != value}


def _to_minute(moment: datetime | None) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M") if moment else ""


def _to_json(metadata: dict[str, Any] | None) -> str:
    return json.dumps(metadata, indent=2, ensure_ascii=False) if metadata else ""


def add_memory(desk: PageContext, after: Callable[[], Awaitable[None]]) -> None:
    """A dialog that saves a new memory; then ``after`` is called."""
    with open_dialog() as dialog:
        text("Add a memory", tag="h2")
        named = ui.input("Agent", value=desk.agent or "", autocomplete=desk.agents).props("outlined dense")
        named.set_visibility(desk.agent is None)
        form = MemoryForm(None, dialog, desk.own_types)
        problem = ui.label().classes("bad small").props('role="alert"')

        async def save() -> None:
            if wrong := form.problem():
                problem.set_text(wrong)
                return
            given = {name: value for name, value in form.changes().items() if value is not None}
            if agent := named.value.strip():
                given["agent"] = agent
            type_, content = given.pop("type", "fact"), given.pop("content")
            try:
                saved = await desk.reverie.save_memory(type_, content, **given)
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
        form = MemoryForm(memory, dialog, desk.own_types)
        reason = ui.input("Why (kept in the history)").props("outlined dense maxlength=500")
        problem = box("column-of").props('role="alert"')

        async def save() -> None:
            nonlocal seen
            problem.clear()
            if wrong := form.problem():
                with problem:
                    text(wrong, "note bad")
                return
            changes = form.changes()
            if not changes:
                dialog.close()
                return
            if reason.value.strip():
                changes["reason"] = reason.value.strip()
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
