"""kill -9 of worker, API and Postgres at every step of a dream: nothing lost, doubled, or paid for twice."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import asyncpg
import httpx
import pytest

from service.db import embedded
from service.settings import Settings
from tests.citus_cluster import execute
from tests.databases import migrate_and_seed
from tests.fakes.openai_server import FakeOpenAI
from tests.killable import TIMEOUT_S, KillableApi, KillablePostgres, KillableWorker, dreaming, expire_leases
from tests.live_api import ADMIN_KEY, UNENCRYPTED, HttpClient, Json, serving
from tests.tuning import tuning
from tests.worker.dreaming import asked_for, note_everything, turns_of

STEPS = (
    "claimed", "begun", "gathered", "extract:asking", "extract:kept", "extracted", "settle:asking", "settle:kept",
    "reconciled", "reflected", "bulletin:asking", "bulletin:kept", "applying", "written", "committed", "released",
)  # fmt: skip
TARGETS = ("worker", "api", "postgres")
SEEDS = 50
AGENTS = ("a", "b")


@dataclass
class World:
    """A database, an API on it, a model, and what can be killed of it. ``said``: what the API has acknowledged;
    ``saved``: the memories it has, each twice in almost the same words."""

    settings: Settings
    http: httpx.AsyncClient
    model: FakeOpenAI
    target: str
    api: KillableApi | None = None
    postgres: KillablePostgres | None = None
    said: list[str] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)
    _late: list[asyncio.Task[None]] = field(default_factory=list)

    def dreaming(self, stop_at: Mapping[str, int] | None = None) -> AbstractAsyncContextManager[KillableWorker]:
        return dreaming(self.settings, self.model.base_url, stop_at)

    async def say(self, *contents: str, session: str = "s", agent: str = "a") -> None:
        """Append turns, again and again until the API acknowledges them."""
        body = {"agent": agent, "user": "u1", "messages": [{"role": "user", "content": text} for text in contents]}
        await self._post(f"/v1/sessions/{session}/messages", body)
        self.said += contents

    async def save(self, *contents: str, agent: str = "a") -> None:
        """Save memories, each a second time in almost the same words, until the API acknowledges them."""
        items = [{"agent": agent, "type": "fact", "content": text} for one in contents for text in (f"{one}.", one)]
        await self._post("/v1/memories/batch", {"items": items})
        self.saved += contents

    async def _post(self, path: str, body: Json) -> None:
        headers = {"Idempotency-Key": uuid4().hex}
        while True:
            try:
                answer = await self.http.post(path, json=body, headers=headers)
            except httpx.TransportError:
                await asyncio.sleep(0.05)
                continue
            if answer.is_success:
                return
            assert answer.status_code == 503, answer.text
            await asyncio.sleep(0.05)

    async def strike(self, worker: KillableWorker) -> None:
        """Kill the target while the worker waits at a step, and bring it back, while turns keep coming."""
        late = len(self._late)
        self._late.append(asyncio.create_task(self.say(f"late {late}", session="late")))
        self._late.append(asyncio.create_task(self.save(f"Box {late} holds the late file {late}")))
        if self.target == "worker":
            await worker.kill()
            await expire_leases(self.settings.database_url)
        elif self.target == "api":
            await self.api.kill()
            worker.resume()
            await self.api.start()
        else:
            self.postgres.kill()
            worker.resume()
            await asyncio.to_thread(self.postgres.start)
            await expire_leases(self.settings.database_url)

    async def dream_of_the_rest(self) -> None:
        """Let a worker nobody strikes do what is left, once everything has been said."""
        await asyncio.gather(*self._late)
        async with self.dreaming() as worker:
            assert await worker.wait_for_step() is None

    async def all_of(self, path: str, **params: str) -> list[Json]:
        items: list[Json] = []
        cursor: dict[str, str] = {}
        while True:
            page = (await self.http.get(path, params={"limit": 200, **params, **cursor})).json()
            items += page["items"]
            if page["next_cursor"] is None:
                return items
            cursor = {"cursor": page["next_cursor"]}

    async def all_is_well(self) -> None:
        """Every acknowledged turn is one memory, as it was first written, and every dream was seen to its end."""
        assert [one["error"] for one in await self.all_of("/v1/dreams") if one["status"] != "succeeded"] == []
        dreamed = [one for one in await self.all_of("/v1/memories") if one["source"].get("kind") == "dream"]
        assert Counter(one["content"] for one in dreamed) == Counter(f"u1 said: {text}" for text in self.said)
        assert {one["version"] for one in dreamed} == {1}
        read = await self.all_of("/v1/memories", include="superseded")
        mine = [one for one in read if one["source"] == {}]
        left = Counter(one["content"].rstrip(".") for one in mine if one["superseded_by"] is None)
        assert left == Counter(self.saved)
        assert len(mine) == 2 * len(self.saved)
        assert {one["version"] for one in mine} <= {2}
        assert await self.all_of("/v1/dead-letters") == []

    def asked(self) -> Counter[str]:
        """How often the model was asked each thing."""
        return Counter(json.dumps(body["messages"], sort_keys=True) for body in self.model.requests("chat"))

    def times_read(self) -> Counter[str]:
        """How often the model was shown each turn."""
        asked = [body for body in self.model.requests("chat") if asked_for(body) == "Notes"]
        return Counter(turn["said"] for body in asked for turn in turns_of(body))

    async def read_so_far(self) -> set[str]:
        """The turns whose reading is finished and kept, while the dream is not committed yet."""
        connection = await asyncpg.connect(self.settings.database_url, statement_cache_size=0)
        kept = await connection.fetch("SELECT result::text FROM dream_steps WHERE step = 'extract'")
        await connection.close()
        memories = [memory for row in kept for memory in json.loads(row["result"])["value"]["memories"]]
        return {memory["content"].removeprefix("u1 said: ") for memory in memories}


@pytest.fixture(scope="module")
def own_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KillablePostgres]:
    """A Postgres that may be killed, with a migrated template."""
    postgres = KillablePostgres(tmp_path_factory.mktemp("doomed") / "postgres")
    asyncio.run(execute(postgres.url, "CREATE DATABASE template"))
    migrate_and_seed(embedded.database_url(postgres.url, "template"))
    yield postgres
    postgres.close()


@pytest.fixture
def target(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def postgres(target: str, request: pytest.FixtureRequest) -> KillablePostgres | None:
    return request.getfixturevalue("own_postgres") if target == "postgres" else None


@pytest.fixture
def url(postgres: KillablePostgres | None, request: pytest.FixtureRequest) -> str:
    if postgres is None:
        return request.getfixturevalue("service_url")
    name = f"t{uuid4().hex}"
    asyncio.run(execute(postgres.url, f"CREATE DATABASE {name} TEMPLATE template"))
    return embedded.database_url(postgres.url, name)


@pytest.fixture
async def world(target: str, postgres: KillablePostgres | None, url: str, tmp_path: Path) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        settings = Settings(
            DATABASE_URL=url, REVERIE_DATA_DIR=tmp_path, EMBEDDING_MODEL="static",
            REVERIE_TUNING=tuning(pool_wait_s=60, statement_timeout_s=120), _env_file=None,
        )  # fmt: skip
        model = stack.enter_context(FakeOpenAI())
        model.default_reply = note_everything
        api = None
        if target == "api":
            api = KillableApi(settings)
            await api.start()
            stack.push_async_callback(api.kill)
            base_url = api.base_url
        else:
            base_url = str((await stack.enter_async_context(serving(settings))).http.base_url)
        headers = {"Authorization": f"Bearer {ADMIN_KEY}"}
        http = await stack.enter_async_context(
            HttpClient(base_url=base_url, headers=headers, timeout=TIMEOUT_S, verify=UNENCRYPTED)
        )
        yield World(settings, http, model, target, api, postgres)


@pytest.mark.parametrize(
    "target",
    ["worker", *(pytest.param(one, marks=pytest.mark.exhaustive) for one in ("api", "postgres"))],
    indirect=True,
)
async def test_killed_at_every_step_in_turn(world: World) -> None:
    """One dream that is struck at every step it has, and not one call to the model made twice."""
    await world.say(*(f"note {n} of the garden" for n in range(12)))
    await world.save(*(f"Shelf {n} holds the blue file {n + 70}" for n in range(5)))
    left = list(STEPS)
    while left:
        wanted = left[:1] if world.target == "worker" else left
        before = len(left)
        async with world.dreaming(dict.fromkeys(wanted, 1)) as worker:
            while (step := await worker.wait_for_step()) is not None:
                left.remove(step)
                await world.strike(worker)
                if world.target == "worker":
                    break
        assert len(left) < before, f"no dream reaches {left}"
    await world.dream_of_the_rest()
    await world.all_is_well()
    assert {asked_for(body) for body in world.model.requests("chat")} >= {"Notes", "Verdicts", "WrittenBulletin"}
    assert set(world.asked().values()) == {1}


@pytest.mark.exhaustive
@pytest.mark.parametrize("target", TARGETS, indirect=True)
async def test_what_waits_in_the_inbox_is_there_once(world: World) -> None:
    """A dream that is sure of nothing is struck before, while and after it commits."""
    await world.say("note 0 of the garden")
    settings = {"settings": {"dream": {"propose_below": 0.99}}}
    assert (await world.http.put("/v1/agents/a", json=settings)).is_success
    for step in ("reconciled", "applying", "written", "committed"):
        await world.say(*(f"note {n} on what is {step}" for n in range(1, 6)))
        async with world.dreaming({step: 1}) as worker:
            assert await worker.wait_for_step() == step
            await world.strike(worker)
            if world.target != "worker":
                assert await worker.wait_for_step() is None
    await world.dream_of_the_rest()
    waiting = await world.all_of("/v1/inbox")
    assert Counter(one["content"] for one in waiting) == Counter(f"u1 said: {text}" for text in world.said)
    assert {one["version"] for one in waiting} == {1}
    assert {len(one["sources"]) for one in waiting} == {1}
    assert [one["source"] for one in await world.all_of("/v1/memories") if one["source"].get("kind") == "dream"] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("seed", "target"), [(seed, TARGETS[seed % len(TARGETS)]) for seed in range(SEEDS)], indirect=["target"]
)
async def test_killed_again_and_again(world: World, seed: int, target: str) -> None:
    """Many sessions, read by several calls at once, struck at random."""
    chance = random.Random(seed)
    for agent in AGENTS:
        for session in range(chance.randint(1, 3)):
            turns = [f"note {seed} {agent} {session} {n}" for n in range(chance.randint(1, 60))]
            await world.say(*turns, session=f"s{session}", agent=agent)
        if chance.random() < 0.5:
            await world.save(
                *(f"Shelf {agent} {n} holds the file {seed + n}" for n in range(chance.randint(1, 9))), agent=agent
            )
    paid: set[str] = set()
    deaths: Counter[str] = Counter()
    for _ in range(chance.randint(1, 3)):
        step = chance.choice(STEPS)
        async with world.dreaming({step: chance.randint(1, 2)}) as worker:
            if await worker.wait_for_step() is not None:
                paid |= await world.read_so_far()
                deaths[target] += 1
                await world.strike(worker)
                if target != "worker":
                    assert await worker.wait_for_step() is None
    await world.dream_of_the_rest()
    await world.all_is_well()
    read = world.times_read()
    # Of a batch that workers died over twice a smaller one is read, which asks the model anew.
    most = 2 if deaths["worker"] > 1 else 1
    assert all(1 <= read[text] <= most for text in paid)
