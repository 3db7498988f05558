"""BEAM (mohammadtavakoli78): a folder of chats of the repository, or rows of the data set (parquet, JSON, JSON lines).

In the repository a chat is ``<folder>/chat.json`` with ``<folder>/probing_questions/probing_questions.json``; a row has
both in its fields ``chat`` and ``probing_questions``.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

import orjson

from reverie.evaluation.conversations import TURN_S, Conversation, Question, Turn, sessions_of, storable
from reverie.evaluation.files import Document
from service.errors import InvalidInput

SUFFIXES = (".json", ".jsonl", ".parquet")
CHAT, QUESTIONS = "chat.json", "probing_questions.json"
FIRST_DAY = datetime(2024, 1, 1, 9, tzinfo=UTC)
"""Of a chat without a time anchor."""
PARQUET = b"PAR1"
"""Begins and ends a parquet file."""
MARK = "->->"
"""Begins the number of a place in the authors' plan, at the end of a message."""
ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
REFUSED = "abstention"


def read(documents: Sequence[Document]) -> Iterator[Conversation]:
    """Yield the chats that have questions. Raises InvalidInput where there are none, or where one has another form."""
    none = True
    for name, chat, asked in _chats(documents):
        none = False
        try:
            yield _conversation(name, chat, _parsed(asked))
        except (KeyError, TypeError, ValueError, SyntaxError, AttributeError) as error:
            raise InvalidInput(("data",), f"{name}: not the form of BEAM: {error!r}") from None
    if none:
        raise InvalidInput(("data",), f"no {CHAT} beside {QUESTIONS}, and no rows with `chat` and `probing_questions`")


def _chats(documents: Sequence[Document]) -> Iterator[tuple[str, Any, Any]]:
    by_name = {one.name: one for one in documents}
    for name, document in by_name.items():
        path = PurePosixPath(name)
        if path.name == CHAT:
            folder = path.parent
            asked = by_name.get(str(folder / "probing_questions" / QUESTIONS)) or by_name.get(str(folder / QUESTIONS))
            if asked is not None:
                yield str(folder), document.json(), asked.json()
        elif path.name != QUESTIONS:
            for number, row in enumerate(_rows(document)):
                if isinstance(row, dict) and "chat" in row and "probing_questions" in row:
                    yield f"{path.stem}/{row.get('conversation_id', number)}", row["chat"], row["probing_questions"]


def _rows(document: Document) -> Iterator[Any]:
    if document.name.lower().endswith(".parquet"):
        yield from _parquet_rows(document)
    elif document.name.lower().endswith(".jsonl"):
        with document.open() as file:
            yield from (orjson.loads(line) for line in file if line.strip())
    else:
        content = document.json()
        yield from content if isinstance(content, list) else [content]


def _parquet_rows(document: Document) -> Iterator[Any]:
    try:
        from arro3.io import read_parquet
    except ImportError:
        hint = 'parquet needs the extra eval: pip install "reverie-server[eval]"'
        raise InvalidInput(("data",), f"{document.name}: {hint}") from None
    with document.open() as file:
        content = file.read()
    if not (content.startswith(PARQUET) and content.endswith(PARQUET)):
        raise InvalidInput(("data",), f"{document.name}: not a parquet file, or not all of one")
    try:
        for batch in read_parquet(io.BytesIO(content)):
            yield from batch.to_struct_array().to_pylist()
    except Exception as error:  # the reader has no narrower class
        raise InvalidInput(("data",), f"{document.name}: unreadable parquet: {error}") from error


def _parsed(asked: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Questions by category; rows hold them as JSON, or as a Python literal."""
    if not isinstance(asked, str):
        return dict(asked)
    try:
        return dict(orjson.loads(asked))
    except orjson.JSONDecodeError:
        return dict(ast.literal_eval(asked))


@dataclass(slots=True)
class _Reading:
    """The turns of a chat so far, and the day on which they are said."""

    day: datetime = FIRST_DAY
    turns: list[Turn] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def add(self, message: Mapping[str, Any], session: str) -> None:
        if anchor := message.get("time_anchor"):
            self.day = datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC, hour=9)
        content = storable(message["content"].rpartition(MARK)[0] or message["content"]).strip()
        id_ = str(message["id"])
        if not content or id_ in self.ids:
            return
        self.ids.add(id_)
        at = self.day + timedelta(seconds=TURN_S * len(self.turns))
        self.turns.append(Turn(id_, session, content, at, role=message["role"]))

    def walk(self, part: Any, session: str) -> None:
        """Batches hold turns, which are lists of messages; long chats have plans of batches around them."""
        if isinstance(part, Mapping) and "content" in part:
            self.add(part, session)
        elif isinstance(part, Mapping):
            batch = part.get("batch_number")
            for key, inner in part.items():
                self.walk(inner, f"{session}-{batch}" if batch is not None else f"{session}-{key}")
        elif isinstance(part, list | tuple):
            for inner in part:
                self.walk(inner, session)


def _conversation(name: str, chat: Any, asked: Mapping[str, Sequence[Mapping[str, Any]]]) -> Conversation:
    reading = _Reading()
    for number, part in enumerate(chat):
        reading.walk(part, f"s{number + 1}")
    turns = reading.turns
    if not turns:
        raise ValueError("a chat without messages")
    end = max(turn.at for turn in turns)
    found = []
    for category, questions in asked.items():
        for number, one in enumerate(questions):
            evidence = frozenset(_ids(one.get("source_chat_ids"))) & reading.ids
            answer = next((str(one[key]) for key in ANSWERS if one.get(key)), "")
            found.append(
                Question(
                    one["question"], end, evidence, sessions_of(turns, evidence), f"{name}/{category}/{number}",
                    category, answer, category == REFUSED,
                )
            )  # fmt: skip
    return Conversation(f"beam-{name.replace('/', '-')}", turns, found)


def _ids(sources: Any) -> Iterator[str]:
    if isinstance(sources, Mapping):
        yield from _ids(list(sources.values()))
    elif isinstance(sources, list | tuple):
        for one in sources:
            yield from _ids(one)
    elif sources is not None:
        yield str(sources)
