"""ConvoMem (Salesforce): files of `evidence_items`, or mixed with others' conversations (`evidenceItems`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

from reverie.evaluation.conversations import TURN_S, Conversation, Question, Turn, sessions_of, storable
from reverie.evaluation.files import Document
from service.errors import InvalidInput

SUFFIXES = (".json",)
FIRST_DAY = datetime(2025, 1, 1, 9, tzinfo=UTC)
"""The set has no dates: its conversations are a day apart from here on."""
REFUSED = "abstention"


def read(documents: Sequence[Document]) -> Iterator[Conversation]:
    """Yield one conversation to a question: the chats of its item, or those that it is mixed with. Raises
    InvalidInput."""
    none = True
    for document in documents:
        for number, (item, chats) in enumerate(_items(document.json())):
            none = False
            try:
                yield _conversation(document.name, number, item, chats)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise InvalidInput(("data",), f"{document.name}: item {number}: {error!r}") from None
    if none:
        raise InvalidInput(("data",), "no file has `evidence_items` or `evidenceItems`, as those of ConvoMem do")


def _items(content: object) -> Iterator[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]:
    for one in content if isinstance(content, list) else [content]:
        if isinstance(one, dict) and "evidence_items" in one:
            yield from ((item, item["conversations"]) for item in one["evidence_items"])
        elif isinstance(one, dict) and "evidenceItems" in one:
            yield from ((item, one["conversations"]) for item in one["evidenceItems"])


def _conversation(name: str, number: int, item: Mapping[str, Any], chats: Sequence[Mapping[str, Any]]) -> Conversation:
    turns = [
        Turn(
            f"{chat}:{position}",
            str(chat),
            storable(message["text"]),
            FIRST_DAY + timedelta(days=chat, seconds=TURN_S * position),
            role="assistant" if message["speaker"].lower() == "assistant" else "user",
        )
        for chat, one in enumerate(chats)
        for position, message in enumerate(one["messages"])
        if message["text"].strip()
    ]
    evidence = frozenset(_evidence(turns, item.get("message_evidences") or ()))
    id_ = f"{PurePosixPath(name).with_suffix('')}/{number}"
    category = next(
        (part for part in PurePosixPath(name).parts if part.endswith("_evidence") and part[0].isalpha()), ""
    )
    question = Question(
        item["question"], FIRST_DAY + timedelta(days=len(chats)), evidence, sessions_of(turns, evidence), id_,
        category, str(item.get("answer", "")), REFUSED in category,
    )  # fmt: skip
    return Conversation(f"convomem-{id_.replace('/', '-')}"[-200:], turns, [question])


def _evidence(turns: Sequence[Turn], wanted: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the turns that are, or else contain, the evidence: it is given by its text alone."""
    for one in wanted:
        text = " ".join(one["text"].split()).lower()
        spoken = [(turn, " ".join(turn.content.split()).lower()) for turn in turns]
        exact = [turn.id for turn, said in spoken if said == text]
        yield from exact or [turn.id for turn, said in spoken if text in said]
