"""LoCoMo (snap-research): ``locomo10.json``, ten chats of two people over months, with questions and their turns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from reverie.evaluation.conversations import TURN_S, Conversation, Question, Turn, sessions_of, storable
from reverie.evaluation.files import Document
from service.errors import InvalidInput

SUFFIXES = (".json",)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""The numbers of the questions' categories, as the authors' evaluation uses them."""
_TURN = re.compile(r"D:?(\d+):(\d+)")
"""Evidence is written `D1:3`, now and then `D:1:3`, `D01:03`, or several in one string."""
_SESSION = re.compile(r"session_(\d+)")


def read(documents: Sequence[Document]) -> Iterator[Conversation]:
    """Yield the conversations of the files. Raises InvalidInput where a file has another form."""
    for document in documents:
        entries = document.json()
        if not isinstance(entries, list):
            raise InvalidInput(("data",), f"{document.name}: not a list of conversations, as locomo10.json is")
        for number, entry in enumerate(entries):
            try:
                yield _conversation(entry)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise InvalidInput(("data",), f"{document.name}: entry {number}: {error!r}") from None


def _conversation(entry: Mapping[str, Any]) -> Conversation:
    said = entry["conversation"]
    turns = []
    for key, session in sorted(numbered_sessions(said)):
        begin = session_date(said[f"session_{key}_date_time"])
        for position, turn in enumerate(session):
            at = begin + timedelta(seconds=TURN_S * position)
            turns.append(
                chat_turn(turn["dia_id"], str(key), turn["speaker"], turn["text"], turn.get("blip_caption"), at)
            )
    return Conversation(f"locomo-{entry['sample_id']}", turns, questions(entry["sample_id"], entry["qa"], turns))


def questions(chat: str, asked: Sequence[Mapping[str, Any]], turns: list[Turn]) -> list[Question]:
    """Return the questions of a chat, asked when it has ended; ids are ``<chat>/<number>``, counted from 0."""
    ids = {turn.id for turn in turns}
    end = max(turn.at for turn in turns)
    found = []
    for number, one in enumerate(asked):
        evidence = frozenset(evidence_ids(one.get("evidence") or ())) & ids
        category = CATEGORIES.get(one.get("category", 0), str(one.get("category", "")))
        refusal = category == "adversarial"
        answer = "" if refusal else str(one.get("answer", ""))
        found.append(
            Question(
                one["question"], end, evidence, sessions_of(turns, evidence), f"{chat}/{number}", category, answer,
                refusal,
            )
        )  # fmt: skip
    return found


def numbered_sessions(said: Mapping[str, Any]) -> list[tuple[int, list[Any]]]:
    """Return the sessions of a chat, by their numbers."""
    return [(int(name[1]), turns) for key, turns in said.items() if (name := _SESSION.fullmatch(key)) and turns]


def chat_turn(id_: str, session: str, speaker: str, text: str, caption: str | None, at: datetime) -> Turn:
    """Return a turn of a chat of two people: ``Speaker: text [shares caption]``."""
    shared = f" [shares {caption}]" if caption else ""
    return Turn(normal_id(id_), session, storable(f"{speaker}: {text}{shared}"), at, speaker)


def normal_id(id_: str) -> str:
    """Return an id of a turn without leading zeros."""
    return next(iter(evidence_ids([id_])), id_)


def evidence_ids(evidence: Sequence[str] | str) -> list[str]:
    """Return the ids of turns in evidence as it is written."""
    written = [evidence] if isinstance(evidence, str) else evidence
    return [f"D{int(session)}:{int(turn)}" for one in written for session, turn in _TURN.findall(str(one))]


def session_date(text: str) -> datetime:
    """`1:56 pm on 8 May, 2023`, UTC."""
    return datetime.strptime(text.upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)
