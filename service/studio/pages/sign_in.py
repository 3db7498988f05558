"""Signing in with a key."""

from __future__ import annotations

from markupsafe import Markup
from nicegui import ui

from service.clients import ReverieClientError
from service.studio.access import Visits
from service.studio.frame import MOON, PLACES, THEMES
from service.studio.parts import box, button, html
from service.studio.saying import sentence

BRAND = Markup(f'<span class="brand"><svg viewBox="0 0 24 24" aria-hidden="true">{MOON}</svg>Reverie Studio</span>')
WHERE_KEYS_ARE = Markup(
    '<p class="small faint">The first key is printed by <code>make run</code> and kept in '
    "<code>.reverie/admin-key</code>. You see what the key may see. It stays in the memory of the server until you "
    "sign out, and is never in a page.</p>"
)


def add(visits: Visits) -> None:
    """The page at ``/sign-in``."""

    @ui.page("/sign-in", title="Sign in · Reverie")
    def page(next: str = "/") -> None:
        ui.dark_mode(THEMES[visits.current().theme])
        _build(visits, next if next in {path for path, _, _ in PLACES} else "/")


def _build(visits: Visits, target: str) -> None:
    async def enter() -> None:
        given = (key.value or "").strip()
        if not given:
            problem.set_text("Paste a key first.")
            return
        go.props("loading")
        try:
            await visits.sign_in(given)
        except ReverieClientError as error:
            problem.set_text(sentence(error))
            go.props(remove="loading")
        else:
            key.set_value("")
            ui.navigate.to(target)

    with box("sign-in", "main"), box("card"):
        html(BRAND)
        html(Markup('<p class="soft">See what your agents remember, and what they dreamed.</p>'))
        key = ui.input("API key", password=True, password_toggle_button=True)
        key.props("outlined autofocus autocomplete=off").on("keydown.enter", enter)
        problem = ui.label().classes("bad small").props('role="alert"')
        go = button("Sign in", enter, "primary")
        html(WHERE_KEYS_ARE)
        if visits.current().key is not None:
            ui.link("Back to the Studio", target)
