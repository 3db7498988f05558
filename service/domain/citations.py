"""Sentences that cite memories: what may be shown of them, what still holds, and how two sets of them differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar
from uuid import UUID

from pydantic import Field


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited memory: whether it may be shown, still says what it said, and what has replaced it."""

    id: UUID
    visible: bool
    holds: bool
    superseded_by: UUID | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """Sentence of an answer with the memories it rests on."""

    text: Annotated[str, Field(description="Text of the sentence.")]
    memory_ids: Annotated[list[UUID], Field(description="Ids of the cited memories; one or more.")]
    current: Annotated[
        bool,
        Field(
            description="Validity of the sentence now: false once a cited memory was superseded or edited. Always true "
            "in a page and in the newest bulletin, where other sentences are left out."
        ),
    ]
    superseded_by: Annotated[list[UUID], Field(description="Ids of the memories that replaced the cited ones.")]


Said = TypeVar("Said", bound=Sentence)
Cited = Callable[[list[UUID], bool, list[UUID]], Said]
"""Makes a sentence of the memories it cites, whether it is current, and what replaced those memories."""


@dataclass(frozen=True, slots=True)
class ShownSentences(Generic[Said]):
    """The sentences that may be shown, and how many of them all are not current."""

    all: list[Said]
    outdated: int

    @property
    def current(self) -> list[Said]:
        """Return those that still hold."""
        return [one for one in self.all if one.current]


@dataclass(frozen=True, slots=True)
class Difference(Generic[Said]):
    """The sentences that one version has and the other has not."""

    added: list[Said]
    removed: list[Said]


def shown_sentences(sentences: Iterable[tuple[Cited[Said], Sequence[Citation]]]) -> ShownSentences[Said]:
    """Make sentences, each of what became of its memories; one is shown if it cites any, and all of them may be."""
    shown: list[Said] = []
    outdated = 0
    for cited, citations in sentences:
        visible = bool(citations) and all(one.visible for one in citations)
        current = visible and all(one.holds for one in citations)
        outdated += not current
        if visible:
            replaced_by = dict.fromkeys(one.superseded_by for one in citations if one.superseded_by is not None)
            shown.append(cited([one.id for one in citations], current, list(replaced_by)))
    return ShownSentences(shown, outdated)


def differences(versions: Sequence[Sequence[Said]], base: Sequence[Said] | None) -> list[Difference[Said]]:
    """Compare each of some versions, newest first, with ``base``, or with the one before it; a sentence is as it is
    shown, and the same if text and memories are."""
    older = [base] * len(versions) if base is not None else [*versions, []][1:]
    return [
        Difference(added=_missing(before, after), removed=_missing(after, before))
        for after, before in zip(versions, older, strict=True)
    ]


def _missing(from_: Sequence[Said], of: Sequence[Said]) -> list[Said]:
    there = {_identity(one) for one in from_}
    return [one for one in of if _identity(one) not in there]


def _identity(sentence: Sentence) -> tuple[str, frozenset[UUID]]:
    return sentence.text, frozenset(sentence.memory_ids)
