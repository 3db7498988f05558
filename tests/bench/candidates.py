"""The candidates of the questions of all benchmark sets, kept on disk, so that another ranking of them costs seconds.

Sets: the turns of LoCoMo and LongMemEval as memories, as messages and, after a dream by rules, as messages and
memories; and questions that a set has no answer to: made-up words, and questions of another conversation.
Delete the folder ``candidates`` under REVERIE_BENCH_DIR after a change of what a search finds.
"""

from __future__ import annotations

import asyncio
import pickle
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from reverie.evaluation.conversations import Conversation, Question
from service.domain.ranking import Candidate, Ranking
from service.extraction.question_times import times_of
from service.runtime import Runtime
from service.startup import open_runtime
from service.store import agents
from service.store.search.candidates import candidates
from service.store.search.filters import Filters
from service.store.search.plan import KINDS, plan
from service.store.search.plan import Question as Searched
from tests.bench.data import locomo, longmemeval, minilm_folder
from tests.bench.dream_recall import dreamed, sources, told
from tests.bench.environment import ADMIN, Place
from tests.bench.quality import KeptVectors, load, replace_embedder

DATABASE = "bench_candidates"
BOTH = ("memories", "messages")
ELSEWHERE = 40
"""Questions of each other conversation that one is asked."""
SYLLABLES = ("zx", "qv", "wk", "blor", "mip", "tron", "vash", "kel", "drub", "fen")


@dataclass(frozen=True, slots=True)
class Sample:
    """A question with the candidates that a search finds for it, and the turns and words of each."""

    text: str
    now: datetime
    include: tuple[str, ...]
    evidence: frozenset[str]
    candidates: Sequence[Candidate]
    turns: Mapping[UUID, list[str]]
    contents: Mapping[UUID, str]


@dataclass(frozen=True, slots=True)
class SampleSet:
    """Samples of one set of texts under one embedder; ``unanswered`` have no answer in it, by kind."""

    name: str
    embedder: str
    answered: list[Sample]
    unanswered: dict[str, list[Sample]]


def sample_sets(place: Place) -> Iterator[SampleSet]:
    """All sets, collected at the first call. Raises Skipped without the data."""
    models = {"static": "static", "MiniLM": f"local:{minilm_folder()}"}
    for embedder, model in models.items():
        file = place.folder / "candidates" / f"{embedder}.pickle"
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            _keep(file, asyncio.run(_collected(place, embedder, model)))
        with file.open("rb") as kept:
            yield from pickle.load(kept)


def _keep(file: Path, sets: list[SampleSet]) -> None:
    making = file.with_suffix(".making")
    with making.open("wb") as opened:
        pickle.dump(sets, opened)
    making.rename(file)


async def _collected(place: Place, embedder: str, model: str) -> list[SampleSet]:
    settings = place.settings(await asyncio.to_thread(place.fresh, DATABASE), model)
    async with open_runtime(settings, "bench-candidates") as opened:
        assert opened.embedder is not None
        runtime = replace_embedder(opened, KeptVectors(opened.embedder, place.folder / "vectors.sqlite"))
        chats, haystacks = locomo(), longmemeval()
        for conversation in [*chats, *haystacks]:
            await load(runtime, conversation)
        saved = await _turns_of_memories(runtime)
        sets = [
            await _sample_set(runtime, "LoCoMo, memories", embedder, chats, saved, ("memories",)),
            await _sample_set(runtime, "LongMemEval, memories", embedder, haystacks, saved, ("memories",)),
        ]
        for name, conversations in (("LoCoMo", chats), ("LongMemEval", haystacks)):
            sets += await _sets_said(runtime, name, embedder, conversations)
    await asyncio.to_thread(place.drop, DATABASE)
    return sets


async def _sets_said(
    runtime: Runtime, name: str, embedder: str, conversations: Sequence[Conversation]
) -> list[SampleSet]:
    """The turns as messages, and with what a dream made of them."""
    said = [replace(one, agent=f"{one.agent}-said") for one in conversations]
    spoken = await told(runtime, "messages", said)
    turns = {id_: [turn.replace("-said/", "/") for turn in of_each] for id_, of_each in spoken.items()}
    messages = await _sample_set(runtime, f"{name}, messages", embedder, said, turns, ("messages",))
    for one in said:
        await dreamed(runtime, one.agent)
    turns |= await sources(runtime, turns)
    return [messages, await _sample_set(runtime, f"{name}, after a dream", embedder, said, turns, BOTH)]


async def _turns_of_memories(runtime: Runtime) -> dict[UUID, list[str]]:
    async with runtime.db.transaction(ADMIN.workspace_id) as connection:
        rows = await connection.raw.fetch(
            "SELECT m.id, a.agent || '/' || (m.metadata ->> 'turn') AS turn FROM memories m "
            "JOIN agents a ON a.workspace_id = m.workspace_id AND a.id = m.agent_id"
        )
    return {row["id"]: [row["turn"]] for row in rows}


async def _sample_set(
    runtime: Runtime,
    name: str,
    embedder: str,
    conversations: list[Conversation],
    turns: Mapping[UUID, list[str]],
    include: tuple[str, ...],
) -> SampleSet:
    contents = await _contents(runtime)

    async def ask(agent: str, questions: Iterable[Question]) -> list[Sample]:
        return [await _sample(runtime, agent, question, turns, contents, include) for question in questions]

    answered = [
        sample
        for one in conversations
        for sample in await ask(one.agent, (question for question in one.questions if question.evidence))
    ]
    elsewhere, made_up = [], []
    draw = random.Random(7)
    for number, one in enumerate(conversations):
        foreign = conversations[(number + 1) % len(conversations)].questions[:ELSEWHERE]
        asked_at = one.questions[0].now
        elsewhere += await ask(one.agent, (replace(question, now=asked_at) for question in foreign))
        words = ["".join(draw.choices(SYLLABLES, k=3)) for _ in range(3)]
        texts = [words[0], " ".join(words), f"what is {words[1]}?"]
        made_up += await ask(one.agent, (Question(text, asked_at, frozenset(), frozenset()) for text in texts))
    return SampleSet(name, embedder, answered, {"made-up words": made_up, "another conversation": elsewhere})


async def _contents(runtime: Runtime) -> dict[UUID, str]:
    async with runtime.db.transaction(ADMIN.workspace_id) as connection:
        rows = await connection.raw.fetch("SELECT id, content FROM memories UNION ALL SELECT id, content FROM messages")
    return {row["id"]: row["content"] for row in rows}


async def _sample(
    runtime: Runtime,
    agent: str,
    question: Question,
    turns: Mapping[UUID, list[str]],
    contents: Mapping[UUID, str],
    include: tuple[str, ...],
) -> Sample:
    timed = times_of(question.text, question.now)
    vector, space = await runtime.embed_query(question.text)
    searched = Searched(timed.text, timed.windows, space, vector)

    async def read(connection: Any) -> Sequence[Candidate]:
        reader = await agents.reader(connection, ADMIN.workspace_id, agents.ReaderKey(agent))
        assert reader is not None
        wanted = await plan(
            connection, ADMIN.workspace_id, reader, Filters(as_of=runtime.now()), Ranking().over(include), searched,
            runtime.search_limits, kinds=[KINDS[kind] for kind in include], limit=50,
        )  # fmt: skip
        return await candidates(connection, wanted)

    found = await runtime.search(ADMIN.workspace_id, read)
    agent = agent.removesuffix("-said")
    return Sample(
        question.text,
        question.now,
        include,
        frozenset(f"{agent}/{turn}" for turn in question.evidence),
        found,
        {one.id: turns.get(one.id, []) for one in found},
        {one.id: contents[one.id] for one in found},
    )


def recall_at_10(samples: Iterable[Sample], order: Callable[[Sample], Sequence[UUID]]) -> float:
    """The mean share of each question's turns among the first ten of an order, each turn counted once."""
    shares = []
    for sample in samples:
        found = list(dict.fromkeys(turn for id_ in order(sample) for turn in sample.turns[id_]))[:10]
        shares.append(len(sample.evidence.intersection(found)) / len(sample.evidence))
    return sum(shares) / len(shares)
