"""Signing in with a key, and out."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup
from nicegui import app, ui
from starlette.responses import RedirectResponse, Response

from reverie_client import ReverieClientError
from service.studio.browser_sessions import BrowserSessions
from service.studio.components import box, button, html
from service.studio.endpoint import PATH
from service.studio.formatting import error_message
from service.studio.layout import MOON, PLACES, THEMES

BRAND = Markup(f'<span class="brand"><svg viewBox="0 0 24 24" aria-hidden="true">{MOON}</svg>Reverie Studio</span>')
WHERE_KEYS_ARE = Markup(
    '<p class="small faint">The first key is printed by <code>make run</code> and kept in '
    "<code>.reverie/admin-key</code>. You see what the key may see. It stays in the memory of the server until you "
    "sign out, and is never in a page.</p>"
)
REFUSED = "That sign-in was not finished in time, or was begun before another tab signed in. Give the key once more."
SIGNED_OUT = "You have been signed out: in another tab, or because the key was revoked or replaced."


def add(visits: BrowserSessions) -> None:
    """The page at ``/sign-in``, and the addresses where a session begins and ends."""

    @ui.page("/sign-in", title="Sign in · Reverie")
    def page(next: str = "/", refused: bool = False, ended: bool = False) -> None:
        ui.dark_mode(THEMES[visits.current().theme])
        _build(visits, _place(next), REFUSED if refused else SIGNED_OUT if ended else "")

    @app.get("/enter")
    async def enter(code: str, next: str = "/") -> Response:
        if visits.sign_in(code):
            return RedirectResponse(f"{PATH}{_place(next)}", 303)
        return RedirectResponse(f"{PATH}/sign-in?refused=true&next={quote(_place(next), safe='')}", 303)

    @app.get("/sign-out")
    async def leave() -> Response:
        visits.forget(visits.current())
        return RedirectResponse(f"{PATH}/sign-in", 303)


def _place(address: str) -> str:
    """The address if it is a page of the Studio, with what it asks for; else the first page."""
    path, _, _ = address.partition("?")
    return address if path in {place for place, _, _ in PLACES} else "/"


def _build(visits: BrowserSessions, target: str, said: str) -> None:
    async def enter() -> None:
        given = (key.value or "").strip()
        if not given:
            problem.set_text("Paste a key first.")
            return
        go.props("loading")
        try:
            code = await visits.admit(given)
        except ReverieClientError as error:
            problem.set_text(error_message(error))
            go.props(remove="loading")
        else:
            key.set_value("")
            ui.navigate.to(f"/enter?code={code}&next={quote(target, safe='')}")

    with box("sign-in", "main"), box("card"):
        html(BRAND)
        html(Markup('<p class="soft">See what your agents remember, and what they dreamed.</p>'))
        key = ui.input("API key", password=True, password_toggle_button=True)
        key.props("outlined autofocus autocomplete=off").on("keydown.enter", enter)
        problem = ui.label(said).classes("bad small").props('role="alert"')
        go = button("Sign in", enter, "primary")
        html(WHERE_KEYS_ARE)
        if visits.current().key is not None:
            ui.link("Back to the Studio", target)
