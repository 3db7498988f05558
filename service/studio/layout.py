"""What every page stands in: the rail with its pickers and places, and a page's right to be seen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup
from nicegui import ui
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from reverie_client import AsyncReverie, NotAuthenticated, ReverieClientError
from service.studio.browser_sessions import BrowserSession, BrowserSessions, SignedInKey, Theme
from service.studio.components import TYPES, box, button, empty, html, notify_errors, text
from service.studio.endpoint import PATH
from service.studio.formatting import error_message

MOON = '<path d="M21 14.6A9 9 0 0 1 9.4 3a9 9 0 1 0 11.6 11.6Z"/>'
FAVICON = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#6a5fd0">{MOON}</svg>'
PLACES = (
    ("/", "Memories", "notes"),
    ("/playground", "Playground", "manage_search"),
    ("/dreams", "Dreams", "bedtime"),
    ("/inbox", "Inbox", "inbox"),
    ("/graph", "Graph", "hub"),
    ("/bulletins", "Bulletins", "article"),
    ("/pages", "Pages", "quiz"),
    ("/sessions", "Sessions", "forum"),
    ("/engine", "Engine", "tune"),
    ("/how-it-works", "How it works", "help_outline"),
)
THEMES: dict[Theme, bool | None] = {"auto": None, "light": False, "dark": True}
AFTER: dict[Theme, Theme] = {"auto": "light", "light": "dark", "dark": "auto"}
THEME_ICONS = {"auto": "brightness_auto", "light": "light_mode", "dark": "dark_mode"}
SHOW_PLACE = "document.querySelector('.place.here')?.scrollIntoView({inline: 'center', block: 'nearest'})"
SKIP = Markup('<a class="skip" href="#content">To the content</a>')
EVERYONE = "All agents"
RESPONSE_S = 60
CHOICES_MAX = 24


@dataclass(frozen=True, slots=True)
class PageContext:
    """What a page works with: the client of whoever looks, the ``url`` of the API, and whose memories they look at
    (None: everyone's), which stays what it is for as long as the page is open."""

    reverie: AsyncReverie
    held: SignedInKey
    agents: list[str]
    query: dict[str, str]
    url: str
    agent: str | None
    own_types: dict[str, str]
    """The memory types of the workspace's own, and what they mean."""

    @property
    def types(self) -> list[str]:
        return [*TYPES, *self.own_types]

    @property
    def may_write(self) -> bool:
        return self.held.who.role != "reader"

    @property
    def may_administer(self) -> bool:
        return self.held.who.role == "admin"


Build = Callable[[PageContext], Awaitable[None]]


class Layout:
    """Makes pages of what is built inside them."""

    def __init__(self, visits: BrowserSessions) -> None:
        self._visits = visits

    def page(self, path: str, title: str) -> Callable[[Build], Build]:
        """Put a page at ``path``, for visitors who have signed in."""

        def decorate(build: Build) -> Build:
            @ui.page(path, title=f"{title} · Reverie", response_timeout=RESPONSE_S)
            async def page(request: Request) -> Response | None:
                return await self._answer(request, path, build)

            return build

        return decorate

    async def _answer(self, request: Request, path: str, build: Build) -> Response | None:
        visit = self._visits.current()
        away = RedirectResponse(f"{PATH}/sign-in?next={quote(_with_query(path, request.url.query), safe='')}")
        if visit.key is None:
            return away
        visit.pages.add(ui.context.client)
        ui.dark_mode(THEMES[visit.theme])
        try:
            agents, query = await _agents(visit.key), dict(request.query_params)
            visit.key.agent = _chosen(visit.key, agents, query.get("agent"))
            own = (await visit.key.reverie.get_settings())["memory_types"]
            types = {name: one["description"] for name, one in own.items()}
            desk = PageContext(visit.key.reverie, visit.key, agents, query, _url(request), visit.key.agent, types)
            html(SKIP)
            with box("shell"):
                self._rail(visit, desk, path)
                with box("page", "main").props("id=content tabindex=-1"):
                    await build(desk)
            ui.run_javascript(SHOW_PLACE)
        except NotAuthenticated:
            self._visits.forget(visit)
            return away
        except ReverieClientError as error:
            text(error_message(error), "note bad").style("margin: 24px")
        return None

    def _rail(self, visit: BrowserSession, desk: PageContext, path: str) -> None:
        with box("rail", "header"):
            with ui.link(target=place_of(desk, "/")).classes("brand").props('aria-label="Reverie: memories"'):
                html(Markup(f'<svg viewBox="0 0 24 24" aria-hidden="true">{MOON}</svg>'))
                text("Reverie", tag="span")
            self._pickers(visit, desk, path)
            with box("places", "nav").props('aria-label="Pages"'):
                for target, title, icon in PLACES:
                    here = target == path
                    with ui.link(target=place_of(desk, target)).classes("place here" if here else "place") as link:
                        ui.icon(icon).props('aria-hidden="true"')
                        text(title, tag="span")
                    if here:
                        link.props('aria-current="page"')
            with box("rail-end"):
                who = desk.held.who
                html(Markup('<div class="who small faint">Signed in with<br>{} ({})</div>').format(who.name, who.role))
                with box("row-of"):
                    self._theme_button(visit)
                    button("Sign out", partial(self._visits.sign_out, visit), "quiet", "logout").props(
                        "aria-label='Sign out'"
                    )

    def _pickers(self, visit: BrowserSession, desk: PageContext, path: str) -> None:
        def open_workspace(position: int) -> None:
            if position < 0:
                ui.navigate.to("/sign-in")
                return
            visit.current = position
            ui.navigate.to(path)

        def look_at(agent: str) -> None:
            ui.navigate.to(f"{path}?agent={quote(agent, safe='')}")

        with box("pickers"):
            workspaces = {place: _workspace(held) for place, held in enumerate(visit.held)} | {-1: "Open another…"}
            ui.select(
                workspaces, label="Workspace", value=visit.current, on_change=lambda event: open_workspace(event.value)
            ).props("outlined dense options-dense")
            if desk.held.who.agent:
                ui.input("Agent", value=desk.held.who.agent).props("outlined dense readonly")
                return
            agents = {"": EVERYONE} | {name: name for name in desk.agents}
            ui.select(
                agents,
                label="Agent",
                value=desk.agent or "",
                with_input=True,
                on_change=lambda event: look_at(event.value),
            ).props("outlined dense options-dense")

    def _theme_button(self, visit: BrowserSession) -> None:
        def change() -> None:
            visit.theme = AFTER[visit.theme]
            ui.navigate.reload()

        label = f"Colours: {visit.theme}. Change to {AFTER[visit.theme]}"
        button("", change, "quiet", THEME_ICONS[visit.theme]).props(f'aria-label="{label}" title="{label}"')


def _chosen(held: SignedInKey, agents: list[str], asked: str | None) -> str | None:
    """Whose memories a page is about: its key's own agent, or the one its address names, or the one chosen last."""
    if held.who.agent is not None:
        return held.who.agent
    if asked is not None:
        return asked if asked in agents else None
    return held.agent if held.agent in agents else None


def place_of(desk: PageContext, path: str, **query: object) -> str:
    """The address of a page for the agent that is looked at, or the one that ``query`` names."""
    named = {"agent": "" if desk.agent is None else desk.agent} if desk.held.who.agent is None else {}
    return _with_query(path, urlencode(named | query))


def _with_query(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path


def _url(request: Request) -> str:
    """The address under which the visitor reaches the API."""
    return f"{request.url.scheme}://{request.url.netloc}"


async def _agents(held: SignedInKey) -> list[str]:
    """The agents one can choose from, by name."""
    if held.who.agent is not None:
        return [held.who.agent]
    return [agent.agent async for agent in held.reverie.list_agents(limit=200)]


def _workspace(held: SignedInKey) -> str:
    return f"{held.who.workspace} · {held.who.agent or held.who.role}"


@contextmanager
def heading(title: str, explanation: str) -> Iterator[None]:
    """The head of a page; what is built in the block are its actions."""
    with box("page-head"):
        html(Markup("<h1>{}</h1><p>{}</p>").format(title, explanation))
        with box("row-of"):
            yield


def choose_agent(desk: PageContext, path: str, why: str) -> bool:
    """Whether an agent is chosen; where none is, the page at ``path`` asks for one."""
    if desk.agent is not None:
        return True
    with box("card"):
        if not desk.agents:
            empty("smart_toy", "No agents yet", "An agent is made when it first saves a memory or a message.")
            return False
        with empty("smart_toy", "Whose?", why):
            agent_choices(desk.agents, lambda agent: ui.navigate.to(place_of(desk, path, agent=agent)))
    return False


def agent_choices(agents: list[str], choose: Callable[[str], Any]) -> None:
    """All agents to choose from: a button each for the first, a list with all where there are more."""
    with box("row-of").style("justify-content: center; max-width: 640px"):
        for name in agents[:CHOICES_MAX]:
            button(name, partial(choose, name), "choice")
    if len(agents) > CHOICES_MAX:
        ui.select(
            agents, label=f"All {len(agents):,} agents", with_input=True,
            on_change=notify_errors(lambda event: choose(event.value)),
        ).props("outlined dense options-dense").style("min-width: 260px")  # fmt: skip
