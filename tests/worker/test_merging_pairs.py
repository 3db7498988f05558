"""The merge guards through whole dreams, on some annotated pairs, with an embedder that finds them alike; all of them
are judged in tests/domain/test_guards.py.

Each pair is told in two dreams by a scripted model, about one person of its own: what the second dream reinforces has
been merged. None that is marked a contradiction may be.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from service.provider import load_litellm
from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
from tests.worker.dreaming import asked_for, dream, fact, model, notes, say, turns_of

Json = dict[str, Any]
OF_EACH_KIND = 16
AGENTS = 3
"""Each has some eighteen pairs, whose two sessions a model reads in a call each."""
MUST_DIFFER = (
    ("The budget is 50,000 euro", "The budget is 60,000 euro"),
    ("The meeting is in Room 101", "The meeting is in Room 102"),
    ("Ann prefers tea in the morning", "Ann never prefers tea in the morning"),
    ("The parcel comes from Tigran", "The parcel comes from Iran"),
)
MUST_MERGE = (
    ("The budget is 50,000 euro", "The budget is 50000 euro."),
    ("Ann doesn't eat meat", "Ann does not eat meat."),
)


@pytest.fixture
async def api(settings: Settings, shared: Path) -> AsyncIterator[Api]:
    await load_litellm()
    local = f"local:{shared / 'models' / 'all-MiniLM-L6-v2'}"
    async with serving(settings.model_copy(update={"embedding_model": local})) as opened:
        yield opened


@pytest.fixture
def reader() -> Iterator[FakeOpenAI]:
    """The server of a model."""
    with FakeOpenAI() as server:
        yield server


def model_that_finds(outcome: str) -> Callable[[Json], str]:
    """A model that notes every turn as it stands, and gives every two statements the same verdict."""

    def reply(body: Json) -> str:
        if asked_for(body) == "Notes":
            return notes([fact(turn["said"], turn["turn"], subject=turn["who"]) for turn in turns_of(body)])
        if asked_for(body) == "Verdicts":
            asked = [json.loads(line) for line in body["messages"][-1]["content"].splitlines()[1:-1]]
            return json.dumps({"verdicts": [{"pair": pair["pair"], "outcome": outcome} for pair in asked]})
        return json.dumps({"sections": []})

    return reply


def chosen_pairs(shared: Path) -> list[tuple[str, str, str]]:
    """(kind, a, b): so many annotated contradictions, entailments and others."""
    with gzip.open(shared / "bench" / "pairs_dev.jsonl.gz", "rt", encoding="utf-8") as file:
        pairs = [json.loads(line) for line in file]
    told = [(str(pair.get("rel")), pair["a"], pair["b"]) for pair in pairs]
    random.Random(0).shuffle(told)
    kinds = ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")
    return (
        [each for kind in kinds for each in [one for one in told if one[0] == kind][:OF_EACH_KIND]]
        + [("must differ", *pair) for pair in MUST_DIFFER]
        + [("must merge", *pair) for pair in MUST_MERGE]
    )


async def merged(api: Api, pairs: Sequence[tuple[str, str, str]], agents: str) -> Counter[str]:
    """How many pairs of each kind two dreams make one memory of; ``agents``: how the names of those who dream begin."""
    count: Counter[str] = Counter()
    for number in range(AGENTS):
        agent = f"{agents}-{number}"
        some = {f"p{n}": pair for n, pair in enumerate(pairs) if n % AGENTS == number}
        for side in (1, 2):
            for user, pair in some.items():
                await say(api, pair[side], session=f"side {side}", agent=agent, user=user)
            await dream(api.runtime, agent)
        left: Counter[str] = Counter()
        cursor: dict[str, str] = {}
        while cursor is not None:
            page = await api.get("/v1/memories", agent=agent, limit=200, include="superseded", **cursor)
            left.update(memory["user"] for memory in page["items"])
            cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
        assert set(left) == set(some)
        count.update(pair[0] for user, pair in some.items() if left[user] == 1)
    return count


async def test_no_contradiction_is_merged(api: Api, reader: FakeOpenAI, shared: Path) -> None:
    pairs = chosen_pairs(shared)
    total = Counter(kind for kind, _, _ in pairs)
    api.runtime.llm = model(reader)
    for outcome in ("duplicate", "different"):
        reader.default_reply = model_that_finds(outcome)
        count = await merged(api, pairs, outcome)
        print(outcome, {kind: f"{count[kind]} of {total[kind]} merged" for kind in total})
        assert count["CONTRADICTION"] == 0
        assert count["must differ"] == 0
        assert count["must merge"] > 0
        assert count["ENTAILMENT"] > 0
