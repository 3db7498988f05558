"""Rounds of ``kill -9`` against ``python -m service run`` under writers, and the count of what was acknowledged.

A model server outside notes each message as one fact, so that memories tell how often a message was dreamed about.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import httpx

from service.db import embedded
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import HttpClient
from tests.supervised_process import Supervised
from tests.worker.dreaming import note_everything

TARGETS = ("API", "worker", "postmaster", "backend", "supervisor", "all")
"""In turn. After the last two nothing is left that could start anything, and it is started as a user would."""
BY_HAND = ("supervisor", "all")
AGENTS = ("ada", "bob")
SAVERS, TALKERS = 4, 4
DREAM_EVERY_S = 2.0
REQUEST_S = 20.0
TIMEOUT_S = 300.0
SAVED = "SELECT content FROM memories WHERE content LIKE 'saved %'"
MESSAGES = "SELECT content FROM messages"
DREAMED = "SELECT content, version FROM memories WHERE content LIKE 'u1 said: %' AND superseded_by IS NULL"
UNREAD = "SELECT count(*) FROM sessions WHERE dreamed_seq < last_seq"
SET_ASIDE = "SELECT count(*) FROM dead_letters"


@dataclass(slots=True)
class Round:
    """One round: what was killed, the seconds until every writer was served again, and writes acknowledged in it."""

    target: str
    recovered_s: float
    acknowledged: int


@dataclass(slots=True)
class Counted:
    """Texts acknowledged and found, by kind: ``lost`` are not there, ``doubled`` more than once."""

    acknowledged: int
    lost: list[str]
    doubled: list[str]


@dataclass(slots=True)
class Outcome:
    """What a run of rounds found."""

    rounds: list[Round] = field(default_factory=list)
    saved: Counted | None = None
    said: Counted | None = None
    dreamed: Counted | None = None
    set_aside: int = 0
    wrong: list[str] = field(default_factory=list)


class Writers:
    """Clients that each send a write under an Idempotency-Key until it is acknowledged, then the next."""

    def __init__(self, base_url: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        limits = httpx.Limits(max_connections=64)
        self._http = HttpClient(base_url=base_url, headers=headers, timeout=REQUEST_S, limits=limits)
        self._stopping = False
        self._tasks: list[asyncio.Task[None]] = []
        self.saved: list[str] = []
        self.said: list[str] = []
        self.wrong: list[str] = []
        self.served_at: dict[str, float] = {}

    async def start(self) -> None:
        """All begin, once their agents are there."""
        for agent in AGENTS:
            (await self._http.put(f"/v1/agents/{agent}", json={})).raise_for_status()
        clients = [self._saving(number) for number in range(SAVERS)] + [self._talking(n) for n in range(TALKERS)]
        self._tasks = [asyncio.create_task(one) for one in (*clients, self._dreaming())]

    async def wait_until_served(self) -> float:
        """Wait until each has had a write acknowledged that it began from now on; seconds it took."""
        began = time.monotonic()
        while sum(at >= began for at in self.served_at.values()) < SAVERS + TALKERS:
            assert time.monotonic() < began + TIMEOUT_S, f"not served: {self.wrong[-3:]}"
            for task in self._tasks:
                if task.done():
                    task.result()
            await asyncio.sleep(0.01)
        return time.monotonic() - began

    async def stop(self) -> None:
        """What is under way is sent until it is acknowledged; nothing new begins."""
        self._stopping = True
        await asyncio.gather(*self._tasks)
        await self._http.aclose()

    async def _saving(self, number: int) -> None:
        count = 0
        while not self._stopping:
            text, count = f"saved {number} {count}", count + 1
            body = {"agent": AGENTS[number % len(AGENTS)], "type": "event", "content": text}
            await self._insist(f"saver {number}", "/v1/memories", body, text)
            self.saved.append(text)

    async def _talking(self, number: int) -> None:
        count = 0
        while not self._stopping:
            text, count = f"turn {number} {count}", count + 1
            message = {"role": "user", "content": text}
            body = {"agent": AGENTS[number % len(AGENTS)], "user": "u1", "messages": [message]}
            await self._insist(f"talker {number}", f"/v1/sessions/s{number}/messages", body, text)
            self.said.append(text)

    async def _dreaming(self) -> None:
        while not self._stopping:
            for agent in AGENTS:
                await self._insist("dreamer", f"/v1/agents/{agent}/dream", {}, None)
            await asyncio.sleep(DREAM_EVERY_S)

    async def _insist(self, who: str, path: str, body: dict[str, object], key: str | None) -> None:
        headers = {"Idempotency-Key": key} if key else {}
        while True:
            began = time.monotonic()
            try:
                answer = await self._http.post(path, json=body, headers=headers)
            except httpx.TransportError:
                await asyncio.sleep(0.05)
                continue
            if answer.is_success:
                self.served_at |= {who: began} if key else {}
                await asyncio.sleep(0.02)
                return
            if answer.status_code not in (503, 409):
                self.wrong.append(f"{path}: {answer.status_code} {answer.text[:200]}")
            await asyncio.sleep(0.05)


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Supervised]:
    """``run`` in that folder, with a model server that outlives whatever is killed."""
    with FakeOpenAI() as model:
        model.default_reply = note_everything
        made = Supervised(
            folder, LLM_MODEL="openai/gpt-4o-mini", LLM_API_BASE=model.base_url, LLM_API_KEY="key",
            REVERIE_TUNING='{"dream_lease_s": 5, "dream_retry_s": 1, "health_probe_interval_s": 0}',
        )  # fmt: skip
        try:
            await asyncio.to_thread(made.start)
            yield made
        finally:
            await asyncio.to_thread(made.close)


async def kill_in_rounds(
    run: Supervised, targets: list[str], seed: int, tell: Callable[[Round], object] = lambda _: None
) -> Outcome:
    """Kill each target in turn while writers write; then count. Moments are drawn from ``seed``."""
    chance, outcome = random.Random(seed), Outcome()
    writers = Writers(run.base_url, run.admin_key())
    await writers.start()
    await writers.wait_until_served()
    for target in targets:
        before = len(writers.saved) + len(writers.said)
        await asyncio.sleep(chance.random())
        assert not run.ended(), f"the supervisor ended by itself: {run.said()[-1000:]}"
        killed = await asyncio.to_thread(run.kill, *(() if target == "all" else (target,)))
        assert killed, f"there was no {target} to kill"
        if target in BY_HAND:
            await asyncio.to_thread(run.start)
        recovered_s = await writers.wait_until_served()
        outcome.rounds.append(Round(target, recovered_s, len(writers.saved) + len(writers.said) - before))
        tell(outcome.rounds[-1])
    await writers.stop()
    outcome.wrong = writers.wrong
    await _count(run, writers, outcome)
    return outcome


async def _count(run: Supervised, writers: Writers, outcome: Outcome) -> None:
    """Wait until everything said has been dreamed about, and compare what is there with what was acknowledged."""
    async with _asking(run) as ask:
        ends_at = time.monotonic() + TIMEOUT_S
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {run.admin_key()}"}, timeout=600) as http:
            while (await ask(UNREAD))[0][0] and time.monotonic() < ends_at:
                for agent in AGENTS:
                    await http.post(f"{run.base_url}/v1/agents/{agent}/dream", json={"wait": True})
        outcome.saved = _compared(writers.saved, [row[0] for row in await ask(SAVED)])
        outcome.said = _compared(writers.said, [row[0] for row in await ask(MESSAGES)])
        outcome.set_aside = (await ask(SET_ASIDE))[0][0]
        dreams = [text for text, version in await ask(DREAMED) for _ in range(version)]
        outcome.dreamed = _compared([f"u1 said: {text}" for text in writers.said], dreams)


def _compared(wanted: list[str], found: list[str]) -> Counted:
    counts = Counter(found)
    lost = [text for text in wanted if not counts[text]]
    return Counted(len(wanted), lost, [text for text, count in counts.items() if count > 1])


@asynccontextmanager
async def _asking(run: Supervised) -> AsyncIterator[Callable[[str], Awaitable[list[asyncpg.Record]]]]:
    with embedded.use(run.postgres) as server:
        connection = await asyncpg.connect(server.url)
        try:
            yield connection.fetch
        finally:
            await connection.close()
