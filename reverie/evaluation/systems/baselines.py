"""Baselines in this process: BM25, vectors of one embedder, and the whole conversation."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from reverie.evaluation.conversations import Conversation, Question
from reverie.evaluation.systems.base import Context, Found, line_of, packed, packed_found
from service.embedding.embedder import Embedder
from service.embedding.tokens import count_tokens

K1, B = 1.2, 0.75
"""Robertson, Zaragoza 2009."""
CONTEXT_RESULTS = 200
_WORD = re.compile(r"\w+")


class BM25:
    """Okapi BM25 over lower-case words without stemming; the day of a turn counts as words of it."""

    def __init__(self) -> None:
        self._indexes: dict[str, _WordIndex] = {}

    def ingest(self, conversation: Conversation) -> None:
        """Index a conversation in memory."""
        self._indexes[conversation.agent] = _WordIndex.of(conversation)

    def search(self, conversation: Conversation, question: Question, limit: int) -> list[Found]:
        """By score, then by the order in which they were said; turns without a word of the question are left out."""
        scores = self._indexes[conversation.agent].scores(question.text)
        return _best(conversation, scores, limit, least=1e-12)

    def context(self, conversation: Conversation, question: Question, tokens_max: int) -> Context:
        """Return the best turns that fit."""
        return packed_found(conversation, self.search(conversation, question, CONTEXT_RESULTS), tokens_max)

    def described(self) -> dict[str, str]:
        """Return its parameters."""
        return {"bm25": f"k1 {K1}, b {B}, words without stemming, the day of a turn in its text"}


@dataclass(frozen=True, slots=True)
class _WordIndex:
    counts: list[Counter[str]]
    lengths: Any
    idf: dict[str, float]

    @classmethod
    def of(cls, conversation: Conversation) -> _WordIndex:
        counts = [Counter(_words(line_of(turn))) for turn in conversation.turns]
        documents = Counter(word for one in counts for word in one)
        total = len(counts)
        idf = {word: math.log(1 + (total - n + 0.5) / (n + 0.5)) for word, n in documents.items()}
        return cls(counts, np.array([one.total() for one in counts], dtype=np.float64), idf)

    def scores(self, text: str) -> Any:
        found = np.zeros(len(self.counts))
        norm = K1 * (1 - B + B * self.lengths / max(1.0, float(self.lengths.mean())))
        for word in set(_words(text)) & self.idf.keys():
            times = np.array([one[word] for one in self.counts], dtype=np.float64)
            found += self.idf[word] * times * (K1 + 1) / (times + norm)
        return found


class VectorSearch:
    """Cosine similarity of whole turns, by the embedder that the service uses."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._runner = asyncio.Runner()
        self._vectors: dict[str, Any] = {}

    def ingest(self, conversation: Conversation) -> None:
        """Embed a conversation, into memory."""
        self._vectors[conversation.agent] = self._embed([line_of(turn) for turn in conversation.turns])

    def search(self, conversation: Conversation, question: Question, limit: int) -> list[Found]:
        """Return the nearest turns."""
        return _best(conversation, self._vectors[conversation.agent] @ self._embed([question.text])[0], limit)

    def context(self, conversation: Conversation, question: Question, tokens_max: int) -> Context:
        """Return the nearest turns that fit."""
        return packed_found(conversation, self.search(conversation, question, CONTEXT_RESULTS), tokens_max)

    def described(self) -> dict[str, str]:
        """Return its model."""
        return {"vectors": f"{self._embedder.source}: {self._embedder.model}, the day of a turn in its text"}

    def _embed(self, texts: list[str]) -> Any:
        return self._runner.run(self._embedder.embed(texts))


class FullContext:
    """No memory: all that was said, of which a budget holds the newest."""

    def ingest(self, conversation: Conversation) -> None:
        """Nothing to do."""

    def search(self, conversation: Conversation, question: Question, limit: int) -> list[Found]:
        """It ranks nothing."""
        return []

    def context(self, conversation: Conversation, question: Question, tokens_max: int) -> Context:
        """Return the newest turns that fit, in the order in which they were said."""
        taken: list[tuple[str, str]] = []
        tokens = 0
        for turn in reversed(conversation.turns):
            line = line_of(turn)
            tokens += count_tokens(line) + 1
            if tokens > tokens_max:
                break
            taken.append((turn.id, line))
        return packed([((id_,), line) for id_, line in reversed(taken)], tokens_max)

    def described(self) -> dict[str, str]:
        """Return what it is."""
        return {"full-context": "the newest turns that fit; answers are given all of them"}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _best(conversation: Conversation, scores: Any, limit: int, least: float = -2.0) -> list[Found]:
    order = np.argsort(-scores, kind="stable")[:limit]
    turns = conversation.turns
    return [Found((turns[at].id,), turns[at].content) for at in order if scores[at] >= least]
