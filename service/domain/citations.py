"""Sentences that cite memories: what may be shown of them, what still holds, and how two sets of them differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited memory: whether it may be shown, still says what it said, and what has replaced it."""

    id: UUID
    visible: bool
    holds: bool
    superseded_by: UUID | None = None


@dataclass(frozen=True, slots=True)
class ShownSentences:
    """The sentences that may be shown, and how many of them all are not current."""

    all: list[Record]
    outdated: int

    @property
    def current(self) -> list[Record]:
        """Those that still hold."""
        return [one for one in self.all if one["current"]]


def shown_sentences(sentences: Iterable[tuple[Record, Sequence[Citation]]]) -> ShownSentences:
    """Sentences, each with what became of its memories; one is shown if it cites any, and all of them may be."""
    shown: list[Record] = []
    outdated = 0
    for sentence, citations in sentences:
        visible = bool(citations) and all(one.visible for one in citations)
        current = visible and all(one.holds for one in citations)
        outdated += not current
        if visible:
            replaced_by = dict.fromkeys(one.superseded_by for one in citations if one.superseded_by is not None)
            cited = {"memory_ids": [one.id for one in citations], "superseded_by": list(replaced_by)}
            shown.append(sentence | cited | {"current": current})
    return ShownSentences(shown, outdated)


def differences(versions: Sequence[Sequence[Record]], base: Sequence[Record] | None) -> list[dict[str, list[Record]]]:
    """For each of some versions, newest first, the sentences ``added`` and ``removed`` since ``base``, or since the one
    before it; each as it is shown, and the same if text and memories are."""
    older = [base] * len(versions) if base is not None else [*versions, []][1:]
    return [
        {"added": _missing(before, after), "removed": _missing(after, before)}
        for after, before in zip(versions, older, strict=True)
    ]


def _missing(from_: Sequence[Record], of: Sequence[Record]) -> list[Record]:
    there = {_identity(one) for one in from_}
    return [one for one in of if _identity(one) not in there]


def _identity(sentence: Record) -> tuple[str, frozenset[Any]]:
    return sentence["text"], frozenset(sentence["memory_ids"])
