"""Somebody at the Studio's pages: what tests press is found by role, label and key alone."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.async_api import ConsoleMessage, Locator, Page, Request, expect

from service.studio import PATH
from tests.live_api import ADMIN_KEY
from tests.studio.browser import FITS, PHONE, WIDE, Chromium
from tests.waiting import until

SCREENS = Path(__file__).resolve().parents[2] / "build" / "studio-pages"
BAD_ANSWER = "Failed to load resource: the server responded with a status of"
PAINTED = "new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))"
VIOLATIONS = """
addEventListener('securitypolicyviolation', (event) =>
  window.noteViolation(`${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile ?? ''}`));
"""


@dataclass
class AppPage:
    """A tab at the Studio. ``faults``: console errors, violations of the page's policy, and requests to elsewhere."""

    page: Page
    base: str
    faults: list[str] = field(default_factory=list)
    _unanswered: set[Request] = field(default_factory=set)

    async def watch(self) -> None:
        """Note what goes wrong unseen. An answer that refuses something is for the page to tell, and none of it."""

        def console(message: ConsoleMessage) -> None:
            if message.type == "error" and not message.text.startswith(BAD_ANSWER):
                self.faults.append(f"console: {message.text} ({message.location})")

        def asked(request: Request) -> None:
            if not request.url.startswith((self.base, "data:", "blob:")):
                self.faults.append(f"request to {request.url}")
            if "/v1/events" not in request.url:  # which never ends
                self._unanswered.add(request)

        def answered(request: Request) -> None:
            self._unanswered.discard(request)

        self.page.on("console", console)
        self.page.on("pageerror", lambda error: self.faults.append(f"page: {error}"))
        self.page.on("request", asked)
        self.page.on("requestfinished", answered)
        self.page.on("requestfailed", answered)
        await self.page.expose_function("noteViolation", lambda what: self.faults.append(f"policy: {what}"))
        await self.page.add_init_script(VIOLATIONS)

    async def open(self, path: str = "/", **query: str | list[str]) -> None:
        """Go to an address below the Studio's, as somebody does who was sent it."""
        text = urlencode(query, doseq=True)
        await self.page.goto(f"{self.base}{PATH}{path}{'?' + text if text else ''}")

    async def sign_in(self, key: str = ADMIN_KEY, title: str = "Overview") -> None:
        """Sign in at the address that is open; the page there, of that title, is shown."""
        await self.page.get_by_label("API key").fill(key)
        await self.page.get_by_role("button", name="Sign in").click()
        await self.shows(title)

    async def shows(self, title: str) -> None:
        """Wait until the page of this heading is shown."""
        await expect(self.page.get_by_role("heading", name=title, exact=True, level=1)).to_be_visible()

    async def settle(self) -> None:
        """Wait until every request is answered and painted, and none has led to another."""
        await self.page.evaluate(PAINTED)
        while self._unanswered:
            await until(lambda: not self._unanswered, "a request is not answered")
            await self.page.evaluate(PAINTED)
        await expect(self.page.get_by_role("status", name="Loading…")).to_have_count(0)

    async def go(self, title: str) -> None:
        """Go to a page by the rail."""
        await self.page.get_by_role("navigation", name="Pages").get_by_role("link", name=title, exact=True).click()
        await self.shows(title)

    async def press(self, name: str | re.Pattern[str], within: Locator | None = None) -> None:
        """Press a button by its name."""
        await (within or self.page).get_by_role("button", name=name, exact=isinstance(name, str)).click()

    async def keys(self, *keys: str) -> None:
        """Press keys one after another."""
        for key in keys:
            await self.page.keyboard.press(key)

    async def choose_agent(self, agent: str) -> None:
        """Choose an agent in the rail."""
        await self.page.get_by_role("button", name=re.compile("^Agent: ")).click()
        await self.page.get_by_role("combobox", name="Find an agent").fill(agent)
        await self.page.get_by_role("option", name=agent, exact=True).click()

    async def check_screens(self, name: str) -> None:
        """Show what is there light and dark, at a desk and on a phone. Notes a fault where it is wider than the screen.

        With SCREENSHOTS=1 it is kept as pictures: build/studio-pages.
        """
        for size, viewport in (("wide", WIDE), ("phone", PHONE)):
            await self.page.set_viewport_size(viewport)  # type: ignore[arg-type]
            for scheme in ("light", "dark"):
                await self.page.emulate_media(color_scheme=scheme)
                await self.page.evaluate(PAINTED)
                if not await self.page.evaluate(FITS):
                    self.faults.append(f"{name} is wider than a {size} screen, {scheme}")
                if os.environ.get("SCREENSHOTS"):
                    SCREENS.mkdir(parents=True, exist_ok=True)
                    await self.page.screenshot(path=SCREENS / f"{name}-{size}-{scheme}.png", animations="disabled")
        await self.page.set_viewport_size(WIDE)  # type: ignore[arg-type]
        await self.page.emulate_media(color_scheme="light")


@asynccontextmanager
async def at_the_studio(opened: Chromium, base: str, **options: Any) -> AsyncIterator[AppPage]:
    """A visitor with a browser profile of their own (``options`` of its context). Raises AssertionError for what went
    wrong unseen."""
    async with opened.page(**{"viewport": WIDE, "accept_downloads": True, **options}) as page:
        visitor = AppPage(page, base)
        await visitor.watch()
        yield visitor
        assert not visitor.faults, "\n".join(visitor.faults)
