"""The browser of the tests, and the sizes of its screens."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

import psutil
from playwright.async_api import Browser, Error, Page, Playwright, async_playwright

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDE = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
TIMEOUT_MS = int(os.environ.get("STUDIO_TIMEOUT_MS", "120000"))
OPEN_S = 300.0
"""For a browser to open with a page, and for a page to close; then it hangs."""
VISIT_S = 600.0
"""For all that a visitor does; then the browser is killed, so that whatever waits for it fails: not each of its actions
has a time limit."""
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


def chromium() -> str | None:
    """Where Chromium is: the variable CHROMIUM, or on the path, the cheapest to run first."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A browser without a window. One that hangs or has ended is killed, and another one started."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright
        self._browser: Browser | None = None
        self._mark = f"--opened-by={uuid4().hex}"  # an argument that says nothing to a browser

    @asynccontextmanager
    async def page(self, **options: Any) -> AsyncIterator[Page]:
        """A page with a profile of its own (``options`` of a context); the browser is killed after ``VISIT_S``."""
        try:
            page = await self._open(**options)
        except (TimeoutError, Error):
            self.kill()
            page = await self._open(**options)
        limit = asyncio.get_running_loop().call_later(VISIT_S, self.kill)
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
