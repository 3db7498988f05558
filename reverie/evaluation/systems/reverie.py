"""Reverie over HTTP: turns as memories, as messages, or as messages that it has dreamed about."""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal
from uuid import UUID

from reverie.evaluation.conversations import Conversation, Question, Turn
from reverie.evaluation.records import Lines
from reverie.evaluation.systems.base import Context, Found, SystemUnavailable
from reverie_client import Reverie, calls
from reverie_client.models import SearchResult

Way = Literal["memories", "messages", "dreamed"]
BATCH = 500
RESULTS_MAX = 100
DREAMS_MAX = 1_000
EMBEDDED_S = 1_800.0
POLL_S = 0.5


class ReverieSystem:
    """One way of keeping turns. ``run`` begins the names of its agents, so that runs share a service.

    ``notes`` keeps which turn each memory or message is, over kills: what is in it is not sent again.
    """

    def __init__(self, client: Reverie, way: Way, run: str, notes: Lines) -> None:
        self._client = client
        self._way = way
        self._run = run
        self._notes = notes
        self._turns: dict[str, dict[str, tuple[str, ...]]] = {
            line["agent"]: {id_: tuple(turns) for id_, turns in line["turns"].items()} for line in notes.read()
        }

    def ingest(self, conversation: Conversation) -> None:
        """Send the turns, each batch under an idempotency key of its own, and dream where that is the way.

        Raises SystemUnavailable when a dream fails.
        """
        if conversation.agent in self._turns:
            return
        agent = self._agent(conversation)
        sent = self._save(agent, conversation) if self._way == "memories" else self._append(agent, conversation)
        turns_of: dict[str, list[str]] = defaultdict(list)
        for id_, turn in sent:
            turns_of[id_].append(turn)
        self._wait_for_vectors(agent)
        if self._way == "dreamed":
            dreamt(self._client, agent)
        self._notes.append({"agent": conversation.agent, "turns": turns_of})
        self._turns[conversation.agent] = {id_: tuple(turns) for id_, turns in turns_of.items()}

    def search(self, conversation: Conversation, question: Question, limit: int) -> list[Found]:
        """Memories, messages or both, asked at the question's time. Nothing is counted as accessed."""
        kinds: dict[Way, list[Any]] = {
            "memories": ["memories"],
            "messages": ["messages"],
            "dreamed": ["memories", "messages"],
        }
        answer = self._client.preview_search(
            question.text,
            agent=self._agent(conversation),
            now=question.now,
            limit=min(limit, RESULTS_MAX),
            include=kinds[self._way],
        )
        return [Found(self._stands_for(conversation, _id(one)), one.text) for one in answer.results]

    def context(self, conversation: Conversation, question: Question, tokens_max: int) -> Context:
        """`/v1/context`, in the last session where there are sessions. A turn is shown when it, or a memory made of
        it, is among the items, or its words are in the text."""
        options: Any = {} if self._way == "memories" else {"session": conversation.turns[-1].session}
        answer = self._client.build_context(
            question.text, agent=self._agent(conversation), max_tokens=tokens_max, **options
        )
        text = "\n".join(one.text for one in answer.sections)
        ids = (item for one in answer.sections for item in one.items if _is_id(item))
        shown = {turn for id_ in ids for turn in self._stands_for(conversation, id_)}
        words = " ".join(text.split())
        shown |= {turn.id for turn in conversation.turns if " ".join(turn.said.split()) in words}
        return Context(text, frozenset(shown), answer.tokens)

    def described(self) -> dict[str, str]:
        """Version of the service."""
        return {"reverie": f"version {self._client.get_engine()['version']}"}

    def _agent(self, conversation: Conversation) -> str:
        return f"{self._run}-{self._way}-{conversation.agent}"[:200]

    def _save(self, agent: str, conversation: Conversation) -> Iterable[tuple[str, str]]:
        for number, batch in enumerate(_batches(conversation.turns)):
            items: Any = [
                {
                    "agent": agent,
                    "type": "event",
                    "content": turn.content,
                    "session": turn.session,
                    "occurred_at": turn.at.isoformat(),
                    "metadata": {"turn": turn.id},
                }
                for turn in batch
            ]
            saved = self._client.send(calls.save_memories(items), idempotency_key=f"{agent}-{number}"[-200:])
            for turn, one in zip(batch, saved.items, strict=True):
                if one.memory is not None:
                    yield str(one.memory.id), turn.id

    def _append(self, agent: str, conversation: Conversation) -> Iterable[tuple[str, str]]:
        numbers = itertools.count()  # a session of LongMemEval may come twice in one haystack
        for session, said in itertools.groupby(conversation.turns, key=lambda turn: turn.session):
            for batch in _batches(list(said)):
                call = calls.append_messages(session, [_message(turn) for turn in batch], agent=agent)
                key = f"{agent}-{next(numbers)}"[-200:]
                stored = self._client.send(call, idempotency_key=key).messages
                yield from ((str(one.id), turn.id) for one, turn in zip(stored, batch, strict=True))

    def _wait_for_vectors(self, agent: str) -> None:
        ends_at = time.monotonic() + EMBEDDED_S
        while self._client.preview_search("anything", agent=agent, limit=1).pending:
            if time.monotonic() > ends_at:
                raise SystemUnavailable(f"turns of {agent} are not embedded after {EMBEDDED_S:g} s")
            time.sleep(POLL_S)

    def _stands_for(self, conversation: Conversation, id_: str) -> tuple[str, ...]:
        """Return the turns that a message or memory is, or was made of."""
        known = self._turns[conversation.agent]
        if id_ not in known:
            made_of = (known.get(str(one.message_id)) for one in self._client.list_memory_sources(UUID(id_)).items)
            known[id_] = tuple(turn for turns in made_of if turns for turn in turns)
        return known[id_]


def dreamt(client: Reverie, agent: str) -> None:
    """Dream until nothing is left to dream about. Raises SystemUnavailable when a dream fails."""
    for _ in range(DREAMS_MAX):
        done = client.request_dream(agent, wait=True)
        if done.status != "succeeded":
            raise SystemUnavailable(f"the dream of {agent} is {done.status}: {done.error}")
        if not done.report.get("messages"):
            return
    raise SystemUnavailable(f"{agent} had more to dream about after {DREAMS_MAX:,} dreams")


def _batches(turns: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    for first in range(0, len(turns), BATCH):
        yield turns[first : first + BATCH]


def _message(turn: Turn) -> Any:
    named = {"name": turn.speaker} if turn.speaker else {}
    return {"role": turn.role, "content": turn.said, "created_at": turn.at.isoformat()} | named


def _id(found: SearchResult) -> str:
    record = found.memory or found.message
    assert record is not None
    return str(record.id)


def _is_id(item: str) -> bool:
    try:
        UUID(item)
    except ValueError:
        return False
    return True
