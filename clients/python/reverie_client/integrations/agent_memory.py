"""``AgentMemory``: whose memory it is, and what integrations with frameworks do with it. Its methods never raise.

A failure is logged as a warning, and the agent goes on without memory: nothing is recalled, a tool answers with the
failure as text, and turns that could not be sent wait for the next ones, under the same Idempotency-Key.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar
from uuid import uuid4

from reverie_client import calls
from reverie_client.call import drop_none
from reverie_client.digests import digest
from reverie_client.errors import NotFound, ReverieClientError
from reverie_client.integrations.outbox import Outbox
from reverie_client.models import Json, MessageRecord, Role, SearchResult
from reverie_client.options import ContextOptions, MessageDraft, SearchOptions
from reverie_client.reverie import Reverie

T = TypeVar("T")
log = logging.getLogger(__name__)

QUESTION_MAX = 8_000
FOUND_MAX = 10
PAGE = 200
FAILURES = (ReverieClientError, ValueError)
"""What may be wrong with a call: ValueError is for what cannot be sent or read."""
OWN = "integration"
"""The field of a message that keeps what a framework has of it beside its text, or a note about the history."""
CLEARED, POPPED = "cleared", "popped"


class AgentMemory:
    """The memory of an agent in one conversation with one user. Thread-safe, and blocking: whatever event loop a
    framework has, it is used from a thread."""

    def __init__(
        self,
        agent: str | None = None,
        *,
        user: str | None = None,
        session: str | None = None,
        max_tokens: int = 1_000,
        url: str | None = None,
        api_key: str | None = None,
        client: Reverie | None = None,
        timeout_s: float = 10.0,
        retries: int = 2,
    ) -> None:
        """``agent`` remembers (not needed with an agent key), ``user`` speaks (not needed with the key of a user),
        ``session`` is the conversation: a new one where it is left out. What is recalled and found belongs to nobody or
        to the user; without one, to all who are in the session. ``max_tokens`` bounds what is recalled for a prompt.

        ``url`` and ``api_key`` are REVERIE_URL and REVERIE_API_KEY of the environment where they are left out. They and
        what follows is that of ``client`` where one is given, which stays the caller's to close.
        """
        self.agent = agent or (client.options.agent if client else None)
        self.user = user
        self.session = session or str(uuid4())
        self.max_tokens = max_tokens
        self.client = (
            client.for_prompts(agent, user)
            if client
            else Reverie(url, api_key, agent=agent, user=user, timeout_s=timeout_s, retries=retries, for_prompt=True)
        )
        self._outbox = Outbox(self.client)

    def in_session(self, session: str, user: str | None = None, agent: str | None = None) -> AgentMemory:
        """Return the same memory in another conversation, over the same connections."""
        other = object.__new__(AgentMemory)
        other.__dict__.update(self.__dict__)
        other.session, other.user, other.agent = session, user or self.user, self.agent or agent
        other.client = self.client.for_user(other.user)
        return other

    @property
    def whose(self) -> dict[str, Any]:
        """Agent and user, as calls name them."""
        return drop_none({"agent": self.agent, "user": self.user})

    def recall(self, message: str) -> str:
        """Return what is known that bears on a message, as a block for the prompt; empty where there is nothing."""
        return (self.attempt("recalled", self._block, message[:QUESTION_MAX]) or "") if message.strip() else ""

    def find(self, question: str, limit: int = FOUND_MAX) -> list[SearchResult]:
        """Return the memories and turns that a question finds, best first."""
        return self.attempt("found", self._search, question, limit) or []

    def save(self, statement: str) -> bool:
        """Remember a statement. True once the server has it for good."""
        return self.attempt("saved", self._save, statement) is not None

    def remember(self, turns: Sequence[MessageDraft], occasion: str | None = None) -> bool:
        """Append turns to the conversation. True once the server has them for good.

        An ``occasion`` names when they were said, such as the id of a response: the same turns given for it again
        within a day are appended once.
        """
        said = [turn for turn in turns if turn["content"]]
        return not said or self.attempt("remembered for now", self._append, said, occasion or str(uuid4())) is not None

    def remember_all(self, turns: Sequence[MessageDraft]) -> bool:
        """Append what is not there yet of a conversation given as a whole, from its beginning."""
        return self.attempt("remembered for now", self._catch_up, turns) is not None

    def history(self, limit: int | None = None) -> list[MessageRecord]:
        """Return the last turns of the conversation, oldest first: those behind ``clear``, without what was taken
        back."""
        return self.attempt("read", self._history, limit) or []

    def clear(self) -> bool:
        """Note that the history begins here. Its turns stay: they are permanent."""
        return self.remember([MessageDraft(role="system", content={OWN: CLEARED})])

    def take_back(self) -> bool:
        """Note that the last turn of the history is not part of it."""
        return self.remember([MessageDraft(role="system", content={OWN: POPPED})])

    def save_memory(self, statement: str) -> str:
        """Remember a statement for later conversations. It must be understandable on its own."""
        return self._say(self._save, statement)

    def search_memory(self, question: str) -> str:
        """Look up what is known from earlier conversations."""
        return self._say(self._look_up, question)

    def attempt(self, done: str, work: Callable[..., T], *arguments: Any) -> T | None:
        """Return what ``work`` gives; None, and a warning that nothing is ``done``, where Reverie fails."""
        try:
            return work(*arguments)
        except FAILURES as error:
            log.warning("Nothing is %s and the agent goes on: %s", done, error)
            return None

    def close(self) -> None:
        """Close the connections."""
        self.client.close()

    def _block(self, message: str) -> str:
        options = ContextOptions(session=self.session, max_tokens=self.max_tokens, sections={"window": 0})
        answer = self.client.build_context(message, **options, **self.whose)
        return "\n\n".join(one["content"] for one in answer.messages if one["role"] == "system")

    def _search(self, question: str, limit: int) -> list[SearchResult]:
        options = SearchOptions(limit=limit, include=["memories", "messages"])
        return self.client.search_memories(question[:QUESTION_MAX], **options, **self.whose).results

    def _look_up(self, question: str) -> str:
        return "\n".join(result.line for result in self._search(question, FOUND_MAX)) or "Nothing is known."

    def _save(self, statement: str) -> str:
        self.client.save_memory("fact", statement, **self.whose)
        return "Remembered."

    def _say(self, work: Callable[[str], str], said: str) -> str:
        """Return what a tool answers: a failure as text, for the model to go on with."""
        try:
            return work(said)
        except FAILURES as error:
            log.warning("A tool of the memory failed and the agent goes on: %s", error)
            return f"Memory failed: {error}"

    def _append(self, turns: Sequence[MessageDraft], occasion: str) -> bool:
        names = [self.agent or "", self.user or "", self.session, occasion, json.dumps(turns, default=str)]
        self._outbox.send(calls.append_messages(self.session, turns, **self.whose), digest(names))
        return True

    def _catch_up(self, turns: Sequence[MessageDraft]) -> bool:
        newest = next(self._newest_first(1), None)
        there = newest.seq if newest else 0
        return self._append(turns[there:], f"after {there}") if len(turns) > there else True

    def _history(self, limit: int | None) -> list[MessageRecord]:
        found: list[MessageRecord] = []
        popped = 0
        for record in self._newest_first(min(PAGE, limit or PAGE)):
            note = record.content.get(OWN) if isinstance(record.content, dict) else None
            if note == CLEARED or len(found) == limit:
                break
            if note == POPPED:
                popped += 1
            elif popped:
                popped -= 1
            else:
                found.append(record)
        return found[::-1]

    def _newest_first(self, page: int) -> Iterator[MessageRecord]:
        with suppress(NotFound):
            yield from self.client.list_messages(self.session, order="desc", limit=page, agent=self.agent)


def turn(role: Role, text: str, whole: Json | None = None) -> MessageDraft:
    """Return a turn; ``whole`` is all that a framework has of it, where that is more than its text."""
    return MessageDraft(role=role, content=text if whole is None else [{"type": "text", "text": text, OWN: whole}])


def whole_of(record: MessageRecord) -> Json | None:
    """Return all that a framework had of a turn, where that was more than its text."""
    kept = isinstance(record.content, list) and record.content and record.content[0].get(OWN)
    return kept or None
