"""API keys: made, given a new secret, revoked."""

from __future__ import annotations

from functools import partial

from markupsafe import Markup
from nicegui import ui

from reverie_client import ReverieClientError
from reverie_client.models import CreatedKey, Key
from service.studio.components import box, button, confirm, html, notify, open_dialog, tag, text, when
from service.studio.formatting import error_message
from service.studio.layout import PageContext

ROLES = {
    "admin": "Admin: everything in the workspace",
    "agent": "Agent: acts as one agent, and only as it",
    "reader": "Reader: sees everything, changes nothing",
}


class Keys:
    """The keys of the workspace, for its admins."""

    def __init__(self, desk: PageContext) -> None:
        self._desk = desk

    async def build(self) -> None:
        """Put them on the page."""
        if not self._desk.may_administer:
            text("Keys are shown to admins. You are signed in with another kind of key.", "note")
            return
        with box("row-of").style("justify-content: flex-end"):
            button("Make a key", self._ask, "primary", "add")
        with box("card flush"):
            self._rows = box("rows")
        await self._list()

    async def _list(self) -> None:
        keys = [key async for key in self._desk.reverie.list_keys(limit=200)]
        self._rows.clear()
        with self._rows:
            for key in keys:
                self._row(key)

    def _row(self, key: Key) -> None:
        times = key.model_extra or {}
        revoked = times.get("revoked_at")
        mine = key.id == self._desk.held.who.key_id
        labels = tag(key.role, "accent") + (tag(key.agent) if key.agent else "")
        labels += tag("revoked", "bad") if revoked else tag("yours", "good") if mine else ""
        with box("said split"):
            html(
                Markup('<div class="row-of"><b>{}</b>{}</div><div class="faint small">made {}{}</div>').format(
                    key.name, labels, when(times.get("created_at")),
                    Markup(", revoked {}").format(when(revoked)) if revoked else "",
                ), "grow",
            )  # fmt: skip
            if not revoked:
                with box("row-of"):
                    button("New secret", partial(self._rotate, key, mine), "quiet", "autorenew")
                    button("Revoke", partial(self._revoke, key, mine), "quiet", "block")

    def _ask(self) -> None:
        with open_dialog() as dialog:
            text("Make a key", tag="h2")
            name = ui.input("What it is for").props("outlined dense autofocus maxlength=200")
            role = ui.select(ROLES, label="Role", value="agent").props("outlined dense options-dense")
            agent = ui.input("Agent", value=self._desk.agent or "", autocomplete=self._desk.agents).props(
                "outlined dense"
            )
            agent.bind_visibility_from(role, "value", value="agent")
            problem = ui.label().classes("bad small").props('role="alert"')

            async def make() -> None:
                if not name.value.strip():
                    problem.set_text("Say what it is for, so that you know which one to revoke.")
                    return
                bound = agent.value.strip() or None if role.value == "agent" else None
                try:
                    made = await self._desk.reverie.create_key(role.value, name.value.strip(), agent=bound)
                except ReverieClientError as error:
                    problem.set_text(error_message(error))
                    return
                dialog.close()
                await self._show_once(made)

            with box("row-of").style("justify-content: flex-end"):
                button("Cancel", dialog.close, "quiet")
                button("Make it", make, "primary")

    async def _show_once(self, made: CreatedKey) -> None:
        with open_dialog() as dialog:
            text("This is the only time it is shown", tag="h2")
            text(f"Keep it where {made.name} can read it. Reverie stores only a hash of it.", "soft")
            text(made.key, "once", tag="pre")

            def copy() -> None:
                ui.clipboard.write(made.key)
                notify("Copied.")

            with box("row-of").style("justify-content: flex-end"):
                button("Copy", copy, icon="content_copy")
                button("I have it", dialog.close, "primary")
        await self._list()

    async def _rotate(self, key: Key, mine: bool) -> None:
        consequence = "The present secret stops working at once. Whoever uses it needs the new one."
        if mine:
            consequence += " This is the key you are signed in with: you will sign in again."
        if await confirm(f"A new secret for {key.name}?", consequence, "Give it a new secret"):
            await self._show_once(await self._desk.reverie.rotate_key(key.id))

    async def _revoke(self, key: Key, mine: bool) -> None:
        consequence = "It stops working at once, for good."
        if mine:
            consequence += " This is the key you are signed in with."
        if await confirm(f"Revoke {key.name}?", consequence, "Revoke"):
            await self._desk.reverie.revoke_key(key.id)
            await self._list()
            notify("Revoked.")
