"""The browser of the tests: one that hangs or has ended stops no run."""

from __future__ import annotations

from contextlib import suppress

import psutil
import pytest
from playwright.async_api import Error

from tests.studio.browser import browser

pytestmark = pytest.mark.usefixtures("_chromium")


async def test_one_that_hangs_or_has_ended_is_killed_and_another_started() -> None:
    async with browser() as opened:
        async with opened.page(visit_s=1) as page:
            for process in opened.processes():
                process.suspend()
            with pytest.raises(Error):
                await page.evaluate("1 + 1")
        async with opened.page() as page:
            assert await page.evaluate("1 + 1") == 2
        for process in opened.processes():
            with suppress(psutil.NoSuchProcess):  # children end with the process that started them
                process.kill()
        async with opened.page() as page:
            assert await page.evaluate("1 + 1") == 2
    assert opened.processes() == []
