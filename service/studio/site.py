"""The Studio's pages, put together and started. Importing this imports NiceGUI."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from nicegui import app, ui
from starlette.applications import Starlette
from starlette.types import ASGIApp

from service.studio import layout
from service.studio.browser_sessions import BrowserSessions
from service.studio.endpoint import PATH
from service.studio.pages import (
    bulletins,
    dreams,
    engine,
    graph,
    how_it_works,
    inbox,
    memories,
    pages,
    playground,
    sessions,
    sign_in,
    transfer,
)

STYLESHEET = Path(__file__).with_name("look.css")
SCRIPTS = (Path(__file__).with_name("focus.js"), Path(__file__).with_name("double_press.js"))
RECONNECT_S = 20.0
"""How long a page outlives its connection."""


@asynccontextmanager
async def open_site(http: httpx.AsyncClient) -> AsyncIterator[ASGIApp]:
    """The app of all pages, running for the length of the block; ``http`` reaches the API."""
    logging.getLogger("nicegui").setLevel(logging.WARNING)
    visits = BrowserSessions(http)
    sign_in.add(visits)
    studio = layout.Layout(visits)
    for page in (memories, playground, dreams, inbox, graph, bulletins, pages, sessions, engine, how_it_works):
        page.add(studio)
    transfer.add_routes(visits)
    ui.add_head_html(f"<style>{STYLESHEET.read_text(encoding='utf-8')}</style>", shared=True)
    ui.add_head_html("<script>document.documentElement.lang = 'en'</script>", shared=True)
    for script in SCRIPTS:
        ui.add_head_html(f"<script>{script.read_text(encoding='utf-8')}</script>", shared=True)
    ui.run_with(
        Starlette(),  # type: ignore[arg-type]
        title="Reverie Studio",
        favicon=layout.FAVICON,
        dark=None,
        tailwind=False,
        binding_refresh_interval=None,
        reconnect_timeout=RECONNECT_S,
        storage_secret=secrets.token_urlsafe(32),
        session_middleware_kwargs={
            "session_cookie": "reverie_studio",
            "path": PATH,
            "same_site": "strict",
            "max_age": None,
        },
        show_welcome_message=False,
    )
    async with app.router.lifespan_context(app):
        yield app
