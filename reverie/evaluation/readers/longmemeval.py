"""LongMemEval (xiaowu0162): `longmemeval_s_cleaned.json` and its siblings, a haystack of sessions to each question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import ijson

from reverie.evaluation.conversations import TURN_S, Conversation, Question, Turn, storable
from reverie.evaluation.files import Document
from service.errors import InvalidInput

SUFFIXES = (".json",)
REFUSED = "_abs"
"""Ends the ids of questions whose right answer is that it was never said."""


def read(documents: Sequence[Document], *, assistant: bool = False) -> Iterator[Conversation]:
    """Yield one conversation to a question, streamed: the files have up to 2.7 GB. Raises InvalidInput."""
    for document in documents:
        try:
            with document.open() as file:
                yield from conversations(ijson.items(file, "item"), assistant=assistant)
        except ijson.JSONError as error:
            raise InvalidInput(("data",), f"{document.name}: malformed JSON: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(("data",), f"{document.name}: not the form of LongMemEval: {error!r}") from None


def conversations(entries: Iterable[Mapping[str, Any]], *, assistant: bool = False) -> Iterator[Conversation]:
    """Yield the users' turns, with ``assistant`` the assistant's too, of each question's haystack."""
    for entry in entries:
        yield _conversation(entry, ("user", "assistant") if assistant else ("user",))


def _conversation(entry: Mapping[str, Any], roles: Sequence[str]) -> Conversation:
    turns: list[Turn] = []
    evidence: set[str] = set()
    haystack = zip(entry["haystack_sessions"], entry["haystack_dates"], entry["haystack_session_ids"], strict=True)
    for number, (session, date, session_id) in enumerate(haystack):
        begin = _date(date)
        for position, turn in enumerate(session):
            content = storable(turn["content"])
            if turn["role"] not in roles or not content.strip():
                continue
            turn_id = f"{number}:{session_id}:{position}"
            if turn.get("has_answer"):
                evidence.add(turn_id)
            at = begin + timedelta(seconds=TURN_S * position)
            turns.append(Turn(turn_id, session_id, content, at, role=turn["role"]))
    question = Question(
        entry["question"],
        _date(entry["question_date"]),
        frozenset(evidence),
        frozenset(entry["answer_session_ids"]),
        entry["question_id"],
        entry.get("question_type", ""),
        str(entry.get("answer", "")),
        entry["question_id"].endswith(REFUSED),
    )
    return Conversation(f"longmemeval-{entry['question_id']}", turns, [question])


def _date(text: str) -> datetime:
    return datetime.strptime(re.sub(r"\(\w+\) ", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
