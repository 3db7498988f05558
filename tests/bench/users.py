"""Searches of one agent with 1,000 users of 200 memories each: for a user, about a user, and for everybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import uvloop

from service.domain.context import ContextRequest
from service.domain.drafts import MemoryDraft
from service.domain.search import SearchRequest
from service.memory.saving.remember import remember
from service.memory.search.context import build_context
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.startup import open_runtime
from tests.bench import corpus
from tests.bench.environment import ADMIN, Place
from tests.bench.measure import Way, in_turn
from tests.bench.report import Cell, show

USERS = 1_000
MEMORIES = 200
AGENT = "shop"
CALLS = 200
WARM_UP = 30


def prepare(place: Place) -> str:
    """Return the database of the agent with its users, made once."""
    return place.kept("bench_users", partial(_fill, place))


def run(place: Place) -> None:
    """Print how long each kind of search takes, side by side on the same queries."""
    taken = uvloop.run(_measure(place, prepare(place)))
    about = taken["search about a user"].p50
    rows: list[list[Cell]] = [[name, one.p50, one.p95, one.p50 / about] for name, one in taken.items()]
    show(
        f"One agent with {USERS:,} users of {MEMORIES} memories each, static embedder",
        ["for", "p50 ms", "p95 ms", "× search about a user"],
        rows,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, the user who asks it, and another whom it is about."""

    text: str
    user: str
    other: str


def _asked() -> list[_Asked]:
    texts = corpus.queries(AGENT, USERS * MEMORIES, CALLS + WARM_UP)
    return [
        _Asked(text, f"user-{number * 37 % USERS}", f"user-{(number * 41 + 7) % USERS}")
        for number, text in enumerate(texts)
    ]


async def _measure(place: Place, url: str) -> dict[str, Any]:
    asked = _asked()
    async with open_runtime(place.settings(url, "static"), "bench-users") as runtime:
        ways: dict[str, Way] = {
            "search for a user": lambda n: _search(runtime, asked[n].text, user=asked[n].user),
            "search about a user": lambda n: _search(runtime, asked[n].text, about=asked[n].other),
            "search for everybody": lambda n: _search(runtime, asked[n].text),
            "context for a user": lambda n: build_context(
                runtime, ADMIN, ContextRequest(agent=AGENT, user=asked[n].user, message=asked[n].text)
            ),
        }
        return await in_turn(ways, CALLS, warm_up=WARM_UP)


def _search(runtime: Runtime, text: str, **fields: str) -> Any:
    return recall(runtime, ADMIN, SearchRequest(agent=AGENT, query=text, **fields), count_access=False)


def _fill(place: Place, url: str) -> None:
    uvloop.run(_remember(place, url))
    uvloop.run(corpus.settle(place.settings(url, "static")))


async def _remember(place: Place, url: str) -> None:
    async with open_runtime(place.settings(url, "static"), "bench-users") as runtime:
        for drafts in _drafts():
            await remember(runtime, ADMIN, drafts)


def _drafts() -> Iterator[list[MemoryDraft]]:
    batch: list[MemoryDraft] = []
    for number, draft in enumerate(corpus.drafts(AGENT, USERS * MEMORIES)):
        batch.append(draft.model_copy(update={"user": f"user-{number % USERS}", "session": None}))
        if len(batch) == corpus.BATCH:
            yield batch
            batch = []
