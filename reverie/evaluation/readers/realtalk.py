"""REALTALK (danny911kr): ten chats of two people over three weeks, one file each, close to LoCoMo's form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from reverie.evaluation.conversations import Conversation
from reverie.evaluation.files import Document
from reverie.evaluation.readers.locomo import chat_turn, numbered_sessions, questions
from service.errors import InvalidInput

SUFFIXES = (".json",)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "commonsense"}


def read(documents: Sequence[Document]) -> Iterator[Conversation]:
    """Yield one conversation of each file that is a chat with questions. Raises InvalidInput where none is."""
    none = True
    for document in documents:
        entry = document.json()
        if not isinstance(entry, dict) or "qa" not in entry or not numbered_sessions(entry):
            continue
        none = False
        try:
            yield _conversation(PurePosixPath(document.name).stem, entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(("data",), f"{document.name}: {error!r}") from None
    if none:
        raise InvalidInput(("data",), "no file has sessions and questions (`session_1`, `qa`), as REALTALK's chats do")


def _conversation(name: str, entry: Mapping[str, Any]) -> Conversation:
    turns = []
    for key, session in sorted(numbered_sessions(entry)):
        for turn in session:
            text = turn.get("clean_text") or turn.get("text") or ""
            caption = turn.get("blip_caption")
            if text or caption:
                at = datetime.strptime(turn["date_time"], "%d.%m.%Y, %H:%M:%S").replace(tzinfo=UTC)
                turns.append(chat_turn(turn["dia_id"], str(key), turn["speaker"], text, caption, at))
    asked = [one | {"category": CATEGORIES.get(one.get("category", 0), "")} for one in entry["qa"]]
    return Conversation(f"realtalk-{name}", turns, questions(name, asked, turns))
