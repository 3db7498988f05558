"""What holds of every page: nothing of a record runs, and everybody can use it (axe-core, WCAG 2.2 AA)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any
from urllib.parse import quote

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.processes import ROOT, ServerProcess
from tests.studio.app_page import AppPage, at_the_studio
from tests.studio.browser import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="package")

PAGES = {
    "Overview": "/", "Memories": "/memories", "Search": "/search", "Context": "/context", "Dreams": "/dreams",
    "Inbox": "/inbox", "People": "/people", "Graph": "/graph", "Sessions": "/sessions",
    "Pages & bulletins": "/bulletins",
    "Documents": "/documents", "Deletions": "/deletions", "Engine": "/engine", "How it works": "/how-it-works",
}  # fmt: skip
AXE = ROOT / "studio" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SERIOUS = {"serious", "critical"}
HOSTILE = (
    "<img src=x onerror=\"window.ran='img'\"> {{constructor.constructor('window.ran=1')()}} ${window.ran=2} "
    "<script>window.ran='script'</script><style>body{display:none}</style><svg onload=window.ran='svg'> "
    "javascript:window.ran='link' [click](javascript:window.ran='md') </textarea>"
    "<iframe srcdoc='<script>parent.ran=1</script>'>"
)  # fmt: skip


@pytest_asyncio.fixture(loop_scope="package", scope="module")
async def hostile(service: ServerProcess) -> str:
    """An agent in whose every record somebody has written markup, scripts and styles; its name."""
    agent = "<b onclick=window.ran='agent'>bold</b>"

    async def post(path: str, body: dict[str, Any]) -> Any:
        answer = await service.call("POST", path, json=body, timeout=600)
        assert answer.is_success, answer.text
        return answer.json()

    short = HOSTILE[:100]
    first = await post(
        "/v1/memories",
        {"agent": agent, "type": "fact", "content": HOSTILE, "tags": [short[:60]], "user": short, "session": "s<i>1",
         "metadata": {short: HOSTILE}, "key": short},
    )  # fmt: skip
    await post("/v1/memories", {"agent": agent, "type": "todo", "content": f"2 {HOSTILE}", "user": short})
    turns = [("user", f"My name is Eve. I live in Oslo. {HOSTILE}"), ("assistant", HOSTILE)]
    messages = [{"role": role, "content": content} for role, content in turns]
    await post("/v1/sessions/s%3Ci%3E1/messages", {"agent": agent, "user": short, "messages": messages})
    await post("/v1/documents", {"agent": agent, "title": short, "text": HOSTILE})
    name = "%3Cb%20onclick%3Dwindow.ran%3D'agent'%3Ebold%3C%2Fb%3E"
    await post(f"/v1/agents/{name}/dream", {"wait": True})
    await service.call("PATCH", f"/v1/memories/{first['memory']['id']}", json={"version": 1, "content": f"3 {HOSTILE}"})
    gone = quote("<img src=x onerror=window.ran='deletion'>", safe="")
    await post(f"/v1/sessions/{gone}/messages", {"agent": agent, "messages": messages})
    counted = await service.call("DELETE", f"/v1/sessions/{gone}", params={"agent": agent, "dry_run": True})
    query = {"agent": agent, "token": counted.json()["token"]}
    assert (await service.call("DELETE", f"/v1/sessions/{gone}", params=query)).is_success
    return agent


@pytest_asyncio.fixture(loop_scope="package")
async def watcher(service: ServerProcess, opened: Chromium) -> AsyncIterator[AppPage]:
    """A visitor who has signed in; of the violations of the page's policy, every one is a fault."""
    async with at_the_studio(opened, f"http://127.0.0.1:{service.port}") as somebody:
        await somebody.open()
        await somebody.sign_in()
        yield somebody


async def test_nothing_of_a_record_runs_on_any_page(watcher: AppPage, hostile: str) -> None:
    page = watcher.page
    for title, path in PAGES.items():
        await watcher.open(path, agent=hostile)
        await watcher.shows(title)
        await watcher.settle()
        links = page.locator("main a[href*='agent=']")
        for at in range(min(await links.count(), 3)):
            await links.nth(at).click()
            await watcher.settle()
            assert await page.evaluate("window.ran") is None, f"{title}: {page.url}"
            await watcher.open(path, agent=hostile)
            await watcher.settle()
        assert await page.evaluate("window.ran") is None, title
        await expect(page.get_by_role("heading", level=1).first).to_be_visible()
    await watcher.keys("Control+k")
    await page.keyboard.type("img")
    await watcher.settle()
    assert await page.evaluate("window.ran") is None


async def found_by_axe(watcher: AppPage) -> list[str]:
    found: dict[str, Any] = await watcher.page.evaluate(
        "(tags) => axe.run(document, {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations']})", TAGS
    )
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
        for node in one["nodes"][:3]
    ]


async def assert_accessible(watcher: AppPage, titles: Iterable[str]) -> None:
    found: dict[str, list[str]] = {}
    for title in titles:
        await watcher.open(PAGES[title], agent="ada")
        await watcher.shows(title)
        await watcher.settle()
        await watcher.page.evaluate(AXE.read_text("utf-8"))
        if problems := await found_by_axe(watcher):
            found[title] = problems
    assert not found, "\n".join(f"{title}\n  " + "\n  ".join(problems) for title, problems in found.items())


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_serious(watcher: AppPage, scheme: str) -> None:
    await watcher.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    await assert_accessible(watcher, PAGES)


async def test_more_contrast_and_the_colours_of_the_system_are_taken_over(watcher: AppPage) -> None:
    page = watcher.page
    await page.emulate_media(contrast="more")
    await assert_accessible(watcher, ("Overview", "Memories"))
    here = page.get_by_role("navigation", name="Pages").get_by_role("link", name="Memories")
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    await page.emulate_media(contrast="no-preference", forced_colors="active")
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(247, 246, 243)"
    await assert_accessible(watcher, ("Engine", "Memories"))
    assert await here.evaluate("(link) => getComputedStyle(link).outlineStyle") == "solid"
