"""The Studio in headless Chromium: first paint, route changes, long lists, a large graph, health, and sign-out."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import accumulate
from pathlib import Path

import httpx
import numpy as np
import orjson
from playwright.async_api import Page, expect

from service.db.embedded import postmaster
from service.db.migrate import migrate
from service.domain.ids import new_id
from service.first_start import first_start
from service.studio import PATH
from tests.bench import corpus
from tests.bench.environment import ADMIN_KEY, ROOT, Place, Skipped
from tests.bench.report import Cell, show
from tests.clients.npm import SKIPPED
from tests.clients.npm import run as run_program
from tests.killable import KillablePostgres
from tests.studio.app_page import AppPage, at_the_studio
from tests.studio.browser import TIMEOUT_MS, Chromium, browser, chromium

MEMORIES = 100_000
ENTITIES = 5_000
LINES = 10_000
KINDS = ("person", "organization", "place", "project", "product")
TIMERS = Path(__file__).with_name("studio_timers.js")
VISITS = 10
ROUNDS = 5
LONG_MS = 50
FRAMES_MS = 5_000
LAID_OUT_S = 10
PAGES = (
    "Memories", "Search", "Context", "Dreams", "Inbox", "People", "Sessions", "Pages & bulletins", "Documents",
    "Engine", "How it works", "Overview",
)  # fmt: skip
CARRIED = """[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .reduce((sum, one) => sum + one.transferSize, 0)"""


def prepare(place: Place) -> str:
    """The URL of a database with an agent of 100,000 memories, and one whose memories name 5,000 entities."""
    return place.kept("bench_studio", lambda url: _fill(place, url))


def run(place: Place) -> None:
    """Print the tables. Raises Skipped where there is no Chromium or the pages cannot be built."""
    if chromium() is None:
        raise Skipped("there is no Chromium here (install it, or set CHROMIUM)")
    built = run_program(ROOT, str(ROOT / "scripts" / "studio.sh"))
    if built.returncode == SKIPPED:
        raise Skipped(built.stderr.strip())
    built.check_returncode()
    url = prepare(place)
    with place.serving(url) as port, tempfile.TemporaryDirectory(prefix="studio-", dir=place.folder) as folder:
        asyncio.run(_measure(place, f"http://127.0.0.1:{port}", Path(folder)))


def _fill(place: Place, url: str) -> None:
    corpus.fill(place.settings(url, "static"), (corpus.Share("archive", MEMORIES),))
    with place.serving(url) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600) as http:
        headers = {"Authorization": f"Bearer {ADMIN_KEY}"}
        http.post("/v1/import", content=b"\n".join(_graph()), headers=headers).raise_for_status()


def _graph() -> Iterator[bytes]:
    """Entities in neighbourhoods of 50, named by Zipf's law; memories that name two or three, mostly neighbours."""
    draw = random.Random("graph")
    audience = {"agent": "atlas", "scope": "agent"}
    ids = [str(new_id()) for _ in range(ENTITIES)]
    weights = list(accumulate(1 / (rank % 50 + 1) for rank in range(ENTITIES)))
    yield orjson.dumps({"record": "agent", "agent": "atlas"})
    for number, id_ in enumerate(ids):
        name = f"Entity {number}"
        kind = KINDS[number // 50 % len(KINDS)]
        yield orjson.dumps(
            {"record": "entity", "id": id_, "agent": "atlas", "name": name, "kind": kind, "audience": audience}
        )
    for number in range(LINES):
        # Each is named once at least.
        first = number if number < ENTITIES else draw.choices(range(ENTITIES), cum_weights=weights)[0]
        near = first // 50 * 50
        other = near + min(int(draw.paretovariate(1)) - 1, 49) if draw.random() < 0.9 else draw.randrange(ENTITIES)
        memory = str(new_id())
        content = f"Entity {first} met entity {other} on occasion {number}"
        yield orjson.dumps({"record": "memory", "id": memory, "agent": "atlas", "type": "event", "content": content})
        for entity in {first, other}:
            yield orjson.dumps(
                {
                    "record": "edge", "id": str(new_id()), "audience": audience, "relation": "mentions",
                    "source_kind": "memory", "source_id": memory, "target_kind": "entity", "target_id": ids[entity],
                    "created_by": "dream",
                }
            )  # fmt: skip


async def _measure(place: Place, base: str, folder: Path) -> None:
    expect.set_options(timeout=TIMEOUT_MS)
    async with browser() as opened:
        show("First visit, signed out, nothing in the cache; and again", *await _first_visits(opened, base))
        async with _signed_in(opened, base) as visitor:
            show("From a press in the rail, warm, milliseconds", *await _routes(visitor))
            show("Frames, milliseconds", *await _frames(visitor, opened))
            show("Other moments, milliseconds", *await _moments(place, visitor, opened, folder))


@asynccontextmanager
async def _signed_in(opened: Chromium, base: str) -> AsyncIterator[AppPage]:
    async with at_the_studio(opened, base) as visitor:
        await visitor.page.context.add_init_script(path=TIMERS)
        await visitor.open()
        await visitor.sign_in(ADMIN_KEY)
        yield visitor


Table = tuple[Sequence[str], Sequence[Sequence[Cell]], str]


async def _first_visits(opened: Chromium, base: str) -> Table:
    paints: dict[str, list[float]] = {"sign-in page, empty cache": [], "Memories, cached": []}
    carried: dict[str, int] = {}
    for _ in range(VISITS):
        async with at_the_studio(opened, base) as visitor:
            await visitor.page.context.add_init_script(path=TIMERS)
            for name, path in zip(paints, ("/", "/memories"), strict=True):
                await visitor.open(path)
                if name.startswith("sign-in"):
                    await expect(visitor.page.get_by_label("API key")).to_be_visible()
                else:
                    await visitor.shows("Memories")
                await visitor.page.wait_for_load_state("networkidle" if name.startswith("sign-in") else "load")
                paints[name].append(await visitor.page.evaluate("timers.paint()"))
                carried[name] = await visitor.page.evaluate(CARRIED)
                if name.startswith("sign-in"):
                    await visitor.sign_in(ADMIN_KEY)
    rows: list[list[Cell]] = [[name, *_percentiles(taken), carried[name] / 1000] for name, taken in paints.items()]
    return (
        ["page", "first paint p50 ms", "p95 ms", "carried, kB"],
        rows,
        f"{VISITS} visits with a new profile each; carried: all answers with their headers, gzip where text",
    )


async def _routes(visitor: AppPage) -> Table:
    shown: dict[str, list[float]] = {title: [] for title in PAGES}
    loaded: dict[str, list[float]] = {title: [] for title in PAGES}
    for number in range(1 + ROUNDS):
        for title in PAGES:
            await visitor.page.evaluate(f"void (window.arrived = timers.arrival({title!r}))")
            await visitor.go(title)
            arrived = await visitor.page.evaluate("arrived")
            if number > 0:
                shown[title].append(arrived["shown"])
                loaded[title].append(arrived["loaded"])
    rows: list[list[Cell]] = [[title, *_percentiles(shown[title]), *_percentiles(loaded[title])] for title in PAGES]
    every = [[one for taken in times.values() for one in taken] for times in (shown, loaded)]
    rows.append(["all", *_percentiles(every[0]), *_percentiles(every[1])])
    return (
        ["page", "shown p50", "p95", "loaded p50", "p95"],
        rows,
        f"of {ROUNDS} rounds after one; shown: its heading; loaded: nothing on it is loading any more",
    )


async def _frames(visitor: AppPage, opened: Chromium) -> Table:
    page = visitor.page
    rows: list[list[Cell]] = []

    async def row(name: str, frames: Awaitable[list[float]]) -> None:
        before = _processor_s(opened)
        taken = await frames
        long = sum(1 for one in taken if one > LONG_MS) / len(taken)
        cost = 1000 * (_processor_s(opened) - before) / len(taken)
        rows.append([name, 1000 * len(taken) / sum(taken), *_percentiles(taken), 100 * long, cost])

    await row("nothing moves", _still(page))
    await visitor.open("/memories", agent="archive")
    await expect(page.get_by_role("list", name="Memories").get_by_role("link").first).to_be_visible()
    for pixels in (60, 600):
        script = f"timers.scrolling('Memories', {pixels}, {FRAMES_MS})"
        await row(f"{MEMORIES:,} memories, {pixels} px a frame", page.evaluate(script))
    await visitor.open("/graph", agent="atlas")
    drawing = page.get_by_role("img", name=f"{ENTITIES:,} entities")
    await expect(drawing).to_be_visible()
    await row(f"graph of {ENTITIES:,}, being laid out", _still(page))
    await asyncio.sleep(LAID_OUT_S)
    box = await drawing.bounding_box()
    assert box is not None
    place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for name, moves in (("panned", _pan), ("zoomed", _zoom)):
        await page.mouse.move(*place)
        await row(f"graph of {ENTITIES:,}, {name}", _while(page, moves, *place))
    return (
        ["what", "frames/s", "p50", "p95", f"longer than {LONG_MS} ms, %", "processor, ms a frame"],
        rows,
        f"over {FRAMES_MS // 1000} s each; processor: of all processes of the browser, WebGL by software among them",
    )


def _processor_s(opened: Chromium) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in opened.processes())


async def _still(page: Page) -> list[float]:
    taken: list[float] = await page.evaluate(f"timers.frames({FRAMES_MS})")
    return taken


async def _while(page: Page, moves: Callable[[Page, float, float], Awaitable[None]], x: float, y: float) -> list[float]:
    frames = asyncio.create_task(_still(page))
    while not frames.done():
        await moves(page, x, y)
    return await frames


async def _pan(page: Page, x: float, y: float) -> None:
    await page.mouse.down()
    for step in (*range(0, 120, 6), *range(120, -120, -6), *range(-120, 6, 6)):
        await page.mouse.move(x + step, y + step / 2)
    await page.mouse.up()


async def _zoom(page: Page, _x: float, _y: float) -> None:
    await page.keyboard.down("Control")
    for notch in (-120, -120, -120, 120, 120, 120):
        await page.mouse.wheel(0, notch)
        await asyncio.sleep(0.05)
    await page.keyboard.up("Control")


async def _moments(place: Place, visitor: AppPage, opened: Chromium, folder: Path) -> Table:
    shown, usable = await _graphs(visitor)
    rows = [_row(f"graph of {ENTITIES:,} shown, warm", shown), _row("… and answering", usable)]
    rows.append(_row("signed out in three other tabs, the last", await _sign_outs(visitor)))
    failed = await _health(place, opened, folder)
    rows += [_row(f"Engine says that the database fails, Postgres {how}", taken) for how, taken in failed.items()]
    return ["what", "p50", "p95"], rows, f"{ROUNDS} times each"


async def _graphs(visitor: AppPage) -> tuple[list[float], list[float]]:
    shown, usable = [], []
    for _ in range(1 + ROUNDS):
        await visitor.open("/how-it-works", agent="atlas")
        await visitor.shows("How it works")
        await visitor.page.evaluate("void (window.arrived = timers.calm('[role=img][aria-label*=entities]'))")
        await visitor.go("Graph")
        arrived = await visitor.page.evaluate("arrived")
        shown.append(arrived["shown"])
        usable.append(arrived["usable"])
    return shown[1:], usable[1:]


async def _sign_outs(visitor: AppPage) -> list[float]:
    taken = []
    for _ in range(ROUNDS):
        others = [await visitor.page.context.new_page() for _ in range(3)]
        for page in others:
            await page.goto(f"{visitor.base}{PATH}/memories?agent=atlas")
            await expect(page.get_by_role("list", name="Memories").get_by_role("link").first).to_be_visible()
        await visitor.press("Workspace and key")
        for page in others:
            await page.evaluate("void (window.ended = timers.signedOut())")
        await visitor.page.evaluate("void (window.begun = timers.pressed())")
        await visitor.page.get_by_role("menuitem", name="Sign out").click()
        begun = await visitor.page.evaluate("begun")
        taken.append(max([await page.evaluate("ended") for page in others]) - begun)
        for page in others:
            await page.close()
        await visitor.sign_in(ADMIN_KEY, title="Graph")
    return taken


async def _health(place: Place, opened: Chromium, folder: Path) -> dict[str, list[float]]:
    """From the opening of the page Engine until it says that the database fails."""
    postgres = await asyncio.to_thread(KillablePostgres, folder / "postgres")
    taken: dict[str, list[float]] = {"killed": [], "suspended": []}
    try:
        await asyncio.to_thread(migrate, postgres.url)
        await first_start(place.settings(postgres.url, "none"))
        with place.serving(postgres.url, "none") as port:
            async with _signed_in(opened, f"http://127.0.0.1:{port}") as visitor:
                for name, fail in (("killed", _killed), ("suspended", _suspended)):
                    with fail(postgres, folder / "postgres"):
                        for _ in range(ROUNDS):
                            await visitor.page.goto(f"{visitor.base}{PATH}/engine", wait_until="commit")
                            taken[name].append(
                                await visitor.page.evaluate("timers.seen('[aria-label=Database]', 'fails')")
                            )
    finally:
        await asyncio.to_thread(postgres.close)
    return taken


@contextmanager
def _killed(postgres: KillablePostgres, _data: Path) -> Iterator[None]:
    postgres.kill()
    yield
    postgres.start()


@contextmanager
def _suspended(_postgres: KillablePostgres, data: Path) -> Iterator[None]:
    server = postmaster.running(data)
    assert server is not None
    processes = [server, *server.children(recursive=True)]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            process.resume()


def _row(name: str, taken: Sequence[float]) -> list[Cell]:
    return [name, *_percentiles(taken)]


def _percentiles(taken: Sequence[float]) -> list[float]:
    return [float(np.percentile(taken, one)) for one in (50, 95)]
