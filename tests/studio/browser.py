"""A browser at the Studio, as the tests use it: every console error is a failure, every page is photographed."""

from __future__ import annotations

import ast
import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Collection, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
from playwright.async_api import (
    Browser,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Playwright,
    Request,
    async_playwright,
    expect,
)
from playwright.async_api import TimeoutError as TookTooLong

from tests.live_api import ADMIN_KEY

SCREENS = Path(__file__).resolve().parents[2] / "build" / "studio"
PAGES = Path(__file__).resolve().parents[2] / "service" / "studio" / "pages"
LABEL_AT = {"button": 0, "ui.tab": 0, "sure": 2}
"""Which argument is the label."""
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDE = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
TIMEOUT_MS = 120_000
OPEN_S = 60.0
"""For a browser to open with a page, and for a page to close; then it hangs."""
VISIT_S = 600.0
"""For all that a visitor does; then the browser is killed, so that whatever waits for it fails: not each of its actions
has a time limit."""
PRESSED_MS, PRESSES = 10_000, 3
FITS = "document.documentElement.scrollWidth <= window.innerWidth"
NOTE_BUTTONS = """
(() => {
  const name = (button) => (button.ariaLabel || button.querySelector('.block')?.innerText || button.innerText).trim();
  const kind = (button) => [...button.classList].find((one) => ['item', 'became-one', 'step', 'choice'].includes(one));
  const noted = new Set();
  const note = (what, button) => {
    if (button.closest(".rail, .q-notification")) return;
    const named = kind(button) || name(button);
    if (noted.has(what + named)) return;
    noted.add(what + named);
    window.noteButton(what, location.pathname, named);
  };
  const BUTTONS = 'button, [role=tab]';
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.(BUTTONS);
    if (button) note('pressed', button);
  }, true);
  setInterval(() => {
    for (const button of document.querySelectorAll(BUTTONS))
      if (button.checkVisibility() && !button.disabled) note('seen', button);
  }, 100);
})();
"""
"""Tells of every button that can be seen, and every one that is pressed; what is listed goes by its kind."""


def _buttons_of(module: str) -> set[str]:
    """The buttons, tabs and deeds to confirm that the source of a page names, seen or not."""
    calls = (node for node in ast.walk(ast.parse((PAGES / f"{module}.py").read_text(encoding="utf-8"))) if
             isinstance(node, ast.Call))  # fmt: skip
    names = ((ast.unparse(call.func), call.args) for call in calls)
    labels = [args[LABEL_AT[called]] for called, args in names if called in LABEL_AT]
    return {str(label.value) for label in labels if isinstance(label, ast.Constant) and label.value}


def chromium() -> str | None:
    """Where Chromium is: the variable CHROMIUM, or on the path."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A browser without a window. One that hangs or has ended is killed, and another one started."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright
        self._browser: Browser | None = None
        self._mark = f"--opened-by={uuid4().hex}"  # an argument that says nothing to a browser

    @asynccontextmanager
    async def page(self, visit_s: float = VISIT_S, **options: Any) -> AsyncIterator[Page]:
        """A page with a profile of its own (``options`` of a context); the browser is killed after ``visit_s``."""
        try:
            page = await self._open(**options)
        except (TimeoutError, Error):
            self.kill()
            page = await self._open(**options)
        limit = asyncio.get_running_loop().call_later(visit_s, self.kill)
        try:
            yield page
        finally:
            limit.cancel()
            await self._end(page.context.close())

    async def close(self) -> None:
        """End it."""
        if self._browser is not None:
            await self._end(self._browser.close())

    def kill(self) -> None:
        """End all of its processes at once."""
        self._browser = None
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def processes(self) -> list[psutil.Process]:
        """Those of its browser, and of former ones that still run."""
        found = []
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if self._mark in child.cmdline():
                    found += [child, *child.children(recursive=True)]
        return found

    async def _open(self, **options: Any) -> Page:
        async with asyncio.timeout(OPEN_S):
            if self._browser is None or not self._browser.is_connected():
                flags = [*FLAGS, self._mark]
                self._browser = await self._playwright.chromium.launch(executable_path=chromium(), args=flags)
            context = await self._browser.new_context(**options)
            context.set_default_timeout(TIMEOUT_MS)
            return await context.new_page()

    async def _end(self, closing: Coroutine[Any, Any, None]) -> None:
        try:
            await asyncio.wait_for(closing, OPEN_S)
        except (TimeoutError, Error):
            self.kill()


@asynccontextmanager
async def browser() -> AsyncIterator[Chromium]:
    """Chromium without a window."""
    playwright = await asyncio.wait_for(async_playwright().start(), OPEN_S)
    opened = Chromium(playwright)
    try:
        yield opened
    finally:
        await opened.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(playwright.stop(), OPEN_S)


@dataclass
class StudioPage:
    """Somebody at the Studio. ``faults``: what the console called an error, and every request to elsewhere."""

    page: Page
    base: str
    faults: list[str] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)
    pressed: set[tuple[str, str]] = field(default_factory=set)

    async def watch(self) -> None:
        """Note console errors, page errors, requests that leave this machine, and buttons seen and pressed."""

        def note(what: str, path: str, name: str) -> None:
            (self.seen if what == "seen" else self.pressed).add((path, name))

        await self.page.expose_function("noteButton", note)
        await self.page.add_init_script(NOTE_BUTTONS)

        def console(message: ConsoleMessage) -> None:
            if message.type == "error":
                self.faults.append(f"console: {message.text} ({message.location})")

        def asked(request: Request) -> None:
            if not request.url.startswith((self.base, "data:", "blob:", self.base.replace("http", "ws"))):
                self.faults.append(f"request to {request.url}")

        self.page.on("console", console)
        self.page.on("pageerror", lambda error: self.faults.append(f"page: {error}"))
        self.page.on("request", asked)

    async def sign_in(self, key: str = ADMIN_KEY) -> None:
        """Sign in as a visitor does, at the page that is open or else at the front door."""
        if "/sign-in" not in self.page.url:
            await self.page.goto(f"{self.base}/studio")
        await self.page.get_by_label("API key").fill(key)
        await self.page.get_by_role("button", name="Sign in").click()
        await expect(self.page.get_by_role("heading", name="Memories", exact=True)).to_be_visible()

    async def go(self, place: str) -> None:
        """Go to a page by its link."""
        await self.page.get_by_role("navigation").get_by_role("link", name=place).click()
        await expect(self.page.get_by_role("heading", name=place, exact=True, level=1)).to_be_visible()

    async def choose(self, label: str, option: str, within: Locator | None = None) -> None:
        """Choose an option of a select, which is opened again where a redraw has closed it."""
        field = (within or self.page).get_by_label(label, exact=True)
        offered = self.page.get_by_role("option", name=option, exact=True)
        for _ in range(PRESSES - 1):
            await field.click()
            with suppress(TookTooLong):
                await offered.click(timeout=PRESSED_MS)
                return
        await field.click()
        await offered.click()

    async def look_at(self, agent: str) -> None:
        """Choose an agent, and wait for the page that is built for it."""
        async with self.page.expect_navigation():
            await self.choose("Agent", agent)

    async def press(self, name: str, within: Locator | None = None) -> None:
        """Press a button by its name."""
        await (within or self.page).get_by_role("button", name=name, exact=True).click()

    async def open(self, item: Locator | str) -> None:
        """Press an item of a list, or a button by its name, until its dialog is open."""
        button = self.page.get_by_role("button", name=item, exact=True) if isinstance(item, str) else item
        await self.press_until(button, self.page.get_by_role("dialog"))

    async def press_until(self, item: Locator, shown: Locator, count: int = 1) -> None:
        """Press an item until so many of others are shown: one that is drawn again under the pointer takes no press."""
        for _ in range(PRESSES - 1):
            await item.click()
            with suppress(AssertionError):
                await expect(shown).to_have_count(count, timeout=PRESSED_MS)
                return
        await item.click()
        await expect(shown).to_have_count(count)

    async def press_until_said(self, name: str, words: str | re.Pattern[str]) -> None:
        """Press a button until the page says so: it may still have moved with what is being unfolded above it."""
        button = self.page.get_by_role("button", name=name, exact=True)
        await self.press_until(button, self.page.get_by_text(words).first)

    async def close(self, name: str) -> None:
        """Press a button that closes the only dialog, and wait until it has gone."""
        await self.press(name, self.dialog())
        await expect(self.page.get_by_role("dialog")).to_have_count(0)

    def dialog(self, title: str = "") -> Locator:
        """The dialog on top, or the one with this title."""
        return self.page.get_by_role("dialog").filter(has_text=title).last

    async def expect_notification(self, words: str | re.Pattern[str]) -> None:
        """Wait until the page says so."""
        await expect(self.page.get_by_text(words).first).to_be_visible()

    def has_pressed(self, path: str, *modules: str, but: Collection[str] = ()) -> None:
        """Raise AssertionError for a button that was to be seen on a page, or that its modules name, and not pressed.

        ``but`` names those that another test presses, of a panel shared with another page for instance.
        """
        pressed = {name for where, name in self.pressed if where == path}
        there = {name for where, name in self.seen if where == path}.union(*map(_buttons_of, modules))
        missed = sorted(there - pressed - set(but))
        assert not missed, f"never pressed on {path}: {missed}"

    async def photograph(self, name: str) -> None:
        """Screenshots of what is there: light and dark, at a desk and on a phone."""
        SCREENS.mkdir(parents=True, exist_ok=True)
        for size, viewport in (("wide", WIDE), ("phone", PHONE)):
            await self.page.set_viewport_size(viewport)  # type: ignore[arg-type]
            for scheme in ("light", "dark"):
                await self.page.emulate_media(color_scheme=scheme)
                await self.page.screenshot(path=SCREENS / f"{name}-{size}-{scheme}.png", animations="disabled")
            try:
                await self.page.wait_for_function(FITS, timeout=PRESSED_MS)
            except TookTooLong:
                self.faults.append(f"{name} is wider than a {size} screen")
        await self.page.set_viewport_size(WIDE)  # type: ignore[arg-type]
        await self.page.emulate_media(color_scheme="light")


@asynccontextmanager
async def visiting(opened: Chromium, base: str) -> AsyncIterator[StudioPage]:
    """A visitor with a profile of their own. Raises AssertionError for anything that went wrong unseen."""
    async with opened.page(viewport=WIDE, accept_downloads=True) as page:
        visitor = StudioPage(page, base)
        await visitor.watch()
        yield visitor
        assert not visitor.faults, "\n".join(visitor.faults)
