"""One tenant's worst requests, and another tenant's searches beside them."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.synchronize import Event

import httpx

from service.domain.principal import KeyGrant
from service.first_start import key_in_workspace
from tests.bench import corpus
from tests.bench.environment import ADMIN_KEY, Place
from tests.bench.measure import Latencies
from tests.bench.report import Cell, console, show
from tests.eventloop.worst import AGENT, SCHEMA_TYPES, Worst, worst_requests

MEMORIES = 2_000
SECONDS = 4.0
TOGETHER_S = 30.0
PAUSE_S = 0.02
CLIENTS = 2
CHOSEN = (
    "save: long metadata", "save: metadata of 9,000 values", "batch: 1,000 Chinese texts", "batch: 1,000 texts of dots",
    "append: 1,000 messages with telephone numbers", "append: five messages of 200,000 characters", "document: prose",
    "document: one word", "settings of an agent", "search with a long filter", "context with tool results",
    "compaction of a window", "batch with 55,000 unknown fields", "a body of half a million lists", "import",
    "batch: 30 items against a schema", "save that fits no schema",
)  # fmt: skip


def run(place: Place) -> None:
    """Print the latency of B's searches alone, beside each of A's worst requests, and beside all of them at once."""
    url = place.fresh("bench_worst")
    settings = place.settings(url, "static")
    key = asyncio.run(key_in_workspace(settings, KeyGrant("admin", "b"), "b"))
    with place.serving(url, "static") as port, httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as http:
        with console.status(f"{MEMORIES:,} memories of B"):
            _fill(http, key)
        settings_of_a = {"pii": {"mode": "redact"}, "memory_types": SCHEMA_TYPES}
        http.put("/v1/settings", json=settings_of_a, headers=_headers(ADMIN_KEY)).raise_for_status()
        alone = _searches(http, key, SECONDS)
        rows: list[list[Cell]] = [["alone", None, alone.p50, alone.ms(100), None]]
        console.print(f"[dim]alone: {alone.p50:.0f} ms, {alone.ms(100):.0f} ms at most")
        with _sending(port, CHOSEN):
            together = _row("all of them at once", len(CHOSEN), _searches(http, key, TOGETHER_S), alone)
        for name in CHOSEN:
            with _sending(port, [name]):
                rows.append(_row(name, CLIENTS, _searches(http, key, SECONDS), alone))
        rows.append(together)
    show(
        f"B's hybrid searches among {MEMORIES:,} memories over HTTP, while A's clients send their worst all the time",
        ["beside", "clients of A", "p50 ms", "max ms", "added to p50, ms"],
        rows,
    )
    place.drop("bench_worst")


def _row(name: str, clients: int, taken: Latencies, alone: Latencies) -> list[Cell]:
    console.print(f"[dim]{name}: {taken.p50:.0f} ms, {taken.ms(100):.0f} ms at most, {len(taken.seconds)} searches")
    return [name, clients, taken.p50, taken.ms(100), taken.p50 - alone.p50]


def _fill(http: httpx.Client, key: str) -> None:
    drafts = [draft.model_dump(mode="json", exclude_unset=True) for draft in corpus.drafts("a", MEMORIES)][:MEMORIES]
    for start in range(0, MEMORIES, 500):
        items = {"items": drafts[start : start + 500]}
        http.post("/v1/memories/batch", json=items, headers=_headers(key)).raise_for_status()


def _searches(http: httpx.Client, key: str, seconds: float) -> Latencies:
    """B searches one after the other, with a pause as a person's agent has."""
    queries = corpus.queries("a", MEMORIES, 200)
    taken = Latencies()
    ends_at = time.perf_counter() + seconds
    while time.perf_counter() < ends_at:
        body = {"agent": "a", "query": queries[len(taken.seconds) % len(queries)]}
        started = time.perf_counter()
        http.post("/v1/memories/search", json=body, headers=_headers(key)).raise_for_status()
        taken.seconds.append(time.perf_counter() - started)
        time.sleep(PAUSE_S)
    return taken


@contextmanager
def _sending(port: int, names: Sequence[str]) -> Iterator[None]:
    """A's clients, in a process of their own, each sending one of these requests again and again."""
    context = multiprocessing.get_context("spawn")
    going, over = context.Event(), context.Event()
    sender = context.Process(target=_send, args=(port, list(names), going, over), daemon=True)
    sender.start()
    going.wait()
    try:
        yield
    finally:
        over.set()
        sender.join()


def _send(port: int, names: Sequence[str], going: Event, over: Event) -> None:
    chosen = [request for request in worst_requests() if request.name in names]
    if len(chosen) == 1:
        chosen *= CLIENTS
    threads = [threading.Thread(target=_client, args=(port, request, over)) for request in chosen]
    for thread in threads:
        thread.start()
    going.set()
    for thread in threads:
        thread.join()


def _client(port: int, request: Worst, over: Event) -> None:
    headers = _headers(ADMIN_KEY) | request.headers
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=300) as http:
        while not over.is_set():
            with suppress(httpx.HTTPError):
                http.request(request.method, request.path, content=request.body, headers=headers)


def _headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "X-Reverie-Agent": AGENT}
