"""kill -9 at every step of a dream, then a rerun: nothing lost, doubled, or paid for twice (rows S8, D9)."""

from __future__ import annotations

import json
import random
import signal
from collections import Counter
from collections.abc import Iterator

import pytest

from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.serving import Api, Json
from tests.worker.doomed import dream_and_die, the_lease_runs_out
from tests.worker.dreaming import note_everything, say, turns_of

STEPS = (
    "claimed", "begun", "gathered", "extract:asking", "extract:kept", "extracted", "reconciled", "bulletin:asking",
    "bulletin:kept", "applying", "written", "committed", "released",
)  # fmt: skip
SEEDS = 50


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as opened:
        opened.default_reply = note_everything
        yield opened


def asked(server: FakeOpenAI) -> Counter[str]:
    """How often each request was made."""
    return Counter(json.dumps(body["messages"], sort_keys=True) for body in server.requests("chat"))


async def talk(api: Api, seed: int) -> list[Json]:
    """A few sessions of a few turns, of two agents, each turn unlike any other."""
    chance = random.Random(seed)
    said: list[Json] = []
    for agent in ("a", "b"):
        for session in range(chance.randint(1, 3)):
            turns = [f"note {seed} {agent} {session} {n}" for n in range(chance.randint(1, 60))]
            said += await say(api, *turns, session=f"s{session}", agent=agent)
    return said


async def every_message_is_one_memory(api: Api, said: list[Json]) -> None:
    expected = Counter(f"u1 said: {message['content']}" for message in said)
    items: list[Json] = []
    cursor = None
    while True:
        page = await api.get("/v1/memories", limit=200, **({"cursor": cursor} if cursor else {}))
        items += [memory for memory in page["items"] if memory["source"].get("kind") != "window"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert Counter(memory["content"] for memory in items) == expected
    assert all(memory["version"] == 1 for memory in items)


@pytest.mark.parametrize("step", STEPS)
async def test_killed_at_each_step(api: Api, settings: Settings, server: FakeOpenAI, step: str) -> None:
    said = await talk(api, STEPS.index(step))
    assert await dream_and_die(settings, server.base_url, step) == -signal.SIGKILL
    await the_lease_runs_out(api.engine)
    assert await dream_and_die(settings, server.base_url, None) == 0
    await every_message_is_one_memory(api, said)
    if not step.startswith(("extract", "bulletin")):
        assert set(asked(server).values()) == {1}
    dreams = (await api.get("/v1/dreams", limit=200))["items"]
    assert {dream["status"] for dream in dreams} == {"succeeded"}


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_killed_again_and_again(api: Api, settings: Settings, server: FakeOpenAI, seed: int) -> None:
    chance = random.Random(seed)
    said = await talk(api, seed)
    for attempt in range(chance.randint(1, 3)):
        await dream_and_die(settings, server.base_url, chance.choice(STEPS), chance.randint(1, 2))
        await the_lease_runs_out(api.engine)
        said += await say(api, f"note {seed} late {attempt}", session="late")
    assert await dream_and_die(settings, server.base_url, None) == 0
    await every_message_is_one_memory(api, said)
    finished = [turn["said"] for body in server.requests("chat") for turn in turns_of(body) if "said" in turn]
    assert set(finished) == {message["content"] for message in said}
