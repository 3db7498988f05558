"""Search quality: LoCoMo and LongMemEval through the use cases that the API calls, per embedder and per fusion."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from reverie.evaluation import metrics
from reverie.evaluation.conversations import Conversation, Question
from service.domain.drafts import MemoryDraft
from service.domain.search import SearchRequest
from service.embedding.embedder import Embedder, Vectors, base_signature
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.startup import open_runtime
from tests.bench.data import locomo, longmemeval, minilm_folder
from tests.bench.environment import ADMIN, Place
from tests.bench.report import Cell, console, show

DEPTH = 50
BATCH = 500
METHODS: dict[str, dict[str, str]] = {
    "BM25 alone": {"strategy": "keyword", "fusion": "rrf"},
    "vectors alone": {"strategy": "semantic", "fusion": "rrf"},
    "equal RRF": {"strategy": "hybrid", "fusion": "rrf"},
    "keyword": {"strategy": "keyword"},
    "semantic": {"strategy": "semantic"},
    "hybrid": {"strategy": "hybrid"},
}
"""Three baselines, where reciprocal ranks leave each list's own order as it is, and the strategies as shipped."""


def run(place: Place) -> None:
    """Print one table per data set. Raises Skipped without the data."""
    chats, haystacks = locomo(), longmemeval()
    models = {"static": "static", "MiniLM": f"local:{minilm_folder()}"}
    chat_rows: list[list[Cell]] = []
    haystack_rows: list[list[Cell]] = []
    for name, model in models.items():
        url = place.fresh("bench_quality")
        asyncio.run(_one_embedder(place, url, name, model, chats, haystacks, chat_rows, haystack_rows))
    place.drop("bench_quality")
    turns = sum(len(chat.turns) for chat in chats)
    asked = sum(1 for chat in chats for question in chat.questions if question.evidence)
    show(
        f"LoCoMo: {len(chats)} chats, {turns:,} turns, {asked} questions of all categories",
        ["embedder", "method", "recall@5", "recall@10", "hit@10", "nDCG@10", "MRR"],
        chat_rows,
    )
    annotated = sum(1 for haystack in haystacks if haystack.questions[0].evidence)
    show(
        f"LongMemEval: {annotated} questions with annotated user turns, {len(haystacks)} with answer sessions",
        [
            "embedder",
            "method",
            "recall@10",
            "all@10",
            "nDCG@10",
            "session any@5",
            f"session any@5, all {len(haystacks)}",
        ],
        haystack_rows,
    )


async def _one_embedder(
    place: Place,
    url: str,
    name: str,
    model: str,
    chats: list[Conversation],
    haystacks: list[Conversation],
    chat_rows: list[list[Cell]],
    haystack_rows: list[list[Cell]],
) -> None:
    async with open_runtime(place.settings(url, model), "bench-quality") as opened:
        assert opened.embedder is not None
        runtime = replace_embedder(opened, KeptVectors(opened.embedder, place.folder / "vectors.sqlite"))
        for conversation in [*chats, *haystacks]:
            await load(runtime, conversation)
        for method, options in METHODS.items():
            if options["strategy"] == "keyword" and name != "static":
                continue
            label = "–" if options["strategy"] == "keyword" else name
            with console.status(f"{name}: {method}"):
                scores = metrics.mean([s for chat in chats for s in await turn_scores(runtime, chat, options)])
                chat_rows.append(
                    [label, method, *(scores[key] for key in ("recall@5", "recall@10", "hit@10", "nDCG@10", "MRR"))]
                )
                turn_rows, sessions, sessions_annotated = [], [], []
                for haystack in haystacks:
                    question = haystack.questions[0]
                    found = await ranking(runtime, haystack.agent, question, options)
                    any_5 = metrics.any_session([one.session for one in found], question.sessions)
                    sessions.append(any_5)
                    if question.evidence:
                        sessions_annotated.append(any_5)
                        turn_rows.append(metrics.of_turns([one.turn for one in found], question.evidence))
                scores = metrics.mean(turn_rows)
                haystack_rows.append(
                    [
                        label,
                        method,
                        *(scores[key] for key in ("recall@10", "all@10", "nDCG@10")),
                        sum(sessions_annotated) / len(sessions_annotated),
                        sum(sessions) / len(sessions),
                    ]
                )


async def load(runtime: Runtime, conversation: Conversation) -> None:
    """Remember every turn: type ``event``, its session, its time, its id in the metadata."""
    drafts = [
        MemoryDraft(
            agent=conversation.agent,
            type="event",
            content=turn.content,
            session=turn.session,
            occurred_at=turn.at,
            metadata={"turn": turn.id},
        )
        for turn in conversation.turns
    ]
    for start in range(0, len(drafts), BATCH):
        await remember(runtime, ADMIN, drafts[start : start + BATCH])


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A result, by the names of its turn and session."""

    turn: str
    session: str


async def ranking(runtime: Runtime, agent: str, question: Question, options: dict[str, Any]) -> list[FoundTurn]:
    """The turns a search finds for a question, best first, asked at the question's time."""
    request = SearchRequest(agent=agent, query=question.text, now=question.now, limit=DEPTH, **options)
    answer = await recall(runtime, ADMIN, request, count_access=False)
    return [FoundTurn(one.memory.metadata["turn"], one.memory.session) for one in answer.results]


async def turn_scores(runtime: Runtime, chat: Conversation, options: dict[str, Any]) -> list[dict[str, float]]:
    """The figures of each question of a conversation that has annotated evidence."""
    return [
        metrics.of_turns([one.turn for one in await ranking(runtime, chat.agent, question, options)], question.evidence)
        for question in chat.questions
        if question.evidence
    ]


def replace_embedder(runtime: Runtime, embedder: Embedder) -> Runtime:
    """The same runtime with another embedder in front of the same model."""
    return replace(runtime, embedder=embedder)


class KeptVectors:
    """An embedder whose vectors are kept on disk between runs, by model and text: what is measured is the search."""

    def __init__(self, inner: Embedder, file: Path) -> None:
        self._inner = inner
        self._kept = sqlite3.connect(file)
        self._kept.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        self.source, self.model, self.dim, self.signature = inner.source, inner.model, inner.dim, inner.signature

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        """See Embedder.embed; texts not seen before go to the model, without a deadline."""
        keys = [hashlib.sha256(f"{base_signature(self.signature)}\0{text}".encode()).digest() for text in texts]
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        missing = []
        for row, key in enumerate(keys):
            kept = self._kept.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
            if kept is None:
                missing.append(row)
            else:
                vectors[row] = np.frombuffer(kept[0], dtype=np.float32)
        if missing:
            vectors[missing] = await self._inner.embed([texts[row] for row in missing])
            self._kept.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)", [(keys[row], vectors[row].tobytes()) for row in missing]
            )
            self._kept.commit()
        return vectors

    async def aclose(self) -> None:
        """Close the file and the model."""
        self._kept.close()
        await self._inner.aclose()
