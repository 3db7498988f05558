"""The evaluation data: LoCoMo and LongMemEval as conversations of turns with questions and their evidence.

Read from the shared folder (REVERIE_SHARED, by default ``../shared``), never copied; where there is none the parts
that need it are skipped, saying so.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from service.domain.field_types import CONTENT_MAX
from tests.bench.environment import ROOT, Skipped

TURN_S = 30


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, as the memory it becomes: its content begins with the speaker's name, where it has one."""

    id: str
    session: str
    content: str
    at: datetime
    speaker: str | None = None

    @property
    def said(self) -> str:
        """What was said, without who did."""
        return self.content.removeprefix(f"{self.speaker}: ") if self.speaker else self.content


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, when, and the turns (and sessions) that answer it."""

    text: str
    now: datetime
    evidence: frozenset[str]
    sessions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns one agent remembers, and what it is asked about them."""

    agent: str
    turns: list[Turn]
    questions: list[Question]


@dataclass(frozen=True, slots=True)
class Annotation:
    """A fact that an annotator drew from a conversation, and the turns it rests on."""

    text: str
    evidence: tuple[str, ...]


def shared_folder() -> Path:
    """The folder with evaluation data and models. Raises Skipped where there is none."""
    folder = Path(os.environ.get("REVERIE_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        raise Skipped(
            f"no evaluation data at {folder} (set REVERIE_SHARED to the folder that holds bench/ and models/)"
        )
    return folder


def minilm_folder() -> Path:
    """The local all-MiniLM-L6-v2. Raises Skipped where it is missing."""
    folder = shared_folder() / "models" / "all-MiniLM-L6-v2"
    if not folder.is_dir():
        raise Skipped(f"no local model at {folder}")
    return folder


def locomo() -> list[Conversation]:
    """LoCoMo: a turn is ``Speaker: text [shares caption]``; a question is asked when the conversation has ended."""
    return [_locomo(entry) for entry in _read("locomo_dev.json.gz")]


def annotations() -> dict[str, list[Annotation]]:
    """What LoCoMo's annotators drew from each conversation, by its agent."""
    return {
        f"locomo-{entry['id']}": [
            Annotation(fact["fact"], tuple(fact["evidence"])) for fact in entry["observations"] if fact["evidence"]
        ]
        for entry in _read("locomo_dev.json.gz")
    }


def longmemeval() -> list[Conversation]:
    """LongMemEval: the user's turns of each question's haystack, one conversation to a question."""
    return [_longmemeval(entry) for entry in _read("longmemeval_dev.json.gz")]


def sentences() -> Iterator[str]:
    """Sentences of 5 to 40 words from the sessions of LongMemEval, users' and assistants', each once."""
    seen: set[str] = set()
    for entry in _read("longmemeval_dev.json.gz"):
        for session in entry["haystack_sessions"]:
            for turn in session:
                for piece in re.split(r"(?<=[.!?])\s+|\n+", turn["content"].replace("\0", "")):
                    sentence = piece.strip(" *#-•\t")
                    if 5 <= len(sentence.split()) <= 40 and sentence not in seen:
                        seen.add(sentence)
                        yield sentence


def _read(name: str) -> Any:
    path = shared_folder() / "bench" / name
    if not path.is_file():
        raise Skipped(f"no evaluation data at {path}")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def _locomo(entry: dict[str, Any]) -> Conversation:
    turns: list[Turn] = []
    for session in entry["sessions"]:
        begin = datetime.strptime(session["date_time"].upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)
        for position, turn in enumerate(session["turns"]):
            caption = f" [shares {turn['caption']}]" if turn.get("caption") else ""
            content = f"{turn['speaker']}: {turn['text']}{caption}"
            at = begin + timedelta(seconds=TURN_S * position)
            turns.append(Turn(turn["id"], str(session["session"]), content, at, turn["speaker"]))
    ids = {turn.id for turn in turns}
    end = max(turn.at for turn in turns)
    questions = [
        Question(asked["question"], end, frozenset(asked["evidence"]) & ids, frozenset())
        for asked in entry["questions"]
    ]
    return Conversation(f"locomo-{entry['id']}", turns, questions)


def _longmemeval(entry: dict[str, Any]) -> Conversation:
    turns: list[Turn] = []
    evidence: set[str] = set()
    haystack = zip(entry["haystack_sessions"], entry["haystack_dates"], entry["haystack_session_ids"], strict=True)
    for number, (session, date, session_id) in enumerate(haystack):
        begin = _longmemeval_date(date)
        for position, turn in enumerate(session):
            content = turn["content"].replace("\0", "")[:CONTENT_MAX]
            if turn["role"] != "user" or not content.strip():
                continue
            turn_id = f"{number}:{session_id}:{position}"
            if turn.get("has_answer"):
                evidence.add(turn_id)
            turns.append(Turn(turn_id, session_id, content, begin + timedelta(seconds=TURN_S * position)))
    question = Question(
        entry["question"],
        _longmemeval_date(entry["question_date"]),
        frozenset(evidence),
        frozenset(entry["answer_session_ids"]),
    )
    return Conversation(f"longmemeval-{entry['question_id']}", turns, [question])


def _longmemeval_date(text: str) -> datetime:
    return datetime.strptime(re.sub(r"\(\w+\) ", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
