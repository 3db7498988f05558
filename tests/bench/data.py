"""The halves of LoCoMo and LongMemEval that are at hand, read as ``reverie eval`` reads what is published.

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
from datetime import timedelta
from pathlib import Path
from typing import Any

from reverie.evaluation.conversations import TURN_S, Conversation, Turn
from reverie.evaluation.readers.locomo import chat_turn, questions, session_date
from reverie.evaluation.readers.longmemeval import conversations
from tests.bench.environment import ROOT, Skipped


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
    return list(conversations(_read("longmemeval_dev.json.gz")))


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
        begin = session_date(session["date_time"])
        for position, turn in enumerate(session["turns"]):
            at = begin + timedelta(seconds=TURN_S * position)
            turns.append(
                chat_turn(turn["id"], str(session["session"]), turn["speaker"], turn["text"], turn.get("caption"), at)
            )
    return Conversation(f"locomo-{entry['id']}", turns, questions(entry["id"], entry["questions"], turns))
