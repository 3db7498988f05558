"""Which statements a dream keeps, by their type, the names in them and their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.domain.dream_settings import DreamChoices
from service.domain.guards import normalize
from service.domain.text_normalization import UNSPACED


@dataclass(frozen=True, slots=True)
class WordPattern:
    """Words that follow each other in a text, whatever their case; ``open_start`` and ``open_end``: the first or the
    last may be part of a longer word."""

    words: str
    open_start: bool
    open_end: bool

    @classmethod
    def of(cls, given: str) -> WordPattern:
        """Return a pattern as a setting holds it, with ``*`` for the rest of a word at its start, its end, or both."""
        return cls(normalize(given.strip("*")), given.startswith("*"), given.endswith("*"))

    def __str__(self) -> str:
        return f"{'*' * self.open_start}{self.words}{'*' * self.open_end}"

    def is_in(self, text: str) -> bool:
        """Return whether a normalised text has it. Scripts without spaces have no ends of words."""
        start = text.find(self.words)
        while start >= 0:
            end = start + len(self.words)
            if (self.open_start or _is_edge(text, start)) and (self.open_end or _is_edge(text, end)):
                return True
            start = text.find(self.words, start + 1)
        return False


def _is_edge(text: str, at: int) -> bool:
    """Return whether no word goes on over this place."""
    around = text[max(0, at - 1) : at + 1]
    return len(around) < 2 or not around.isalnum() or any(UNSPACED.match(character) for character in around)


@dataclass(frozen=True, slots=True)
class DreamFilter:
    """What is kept and what is ignored. ``types``: None for all. Where names or patterns to keep are given, a statement
    needs one of them; what is ignored is left out in any case."""

    types: frozenset[str] | None
    ignore_types: frozenset[str]
    keep_entities: frozenset[str]
    keep_patterns: Sequence[WordPattern]
    ignore_entities: frozenset[str]
    ignore_patterns: Sequence[WordPattern]

    @classmethod
    def of(cls, choices: DreamChoices) -> DreamFilter:
        """Return the filter that the settings of an agent describe."""
        return cls(
            None if choices.types is None else frozenset(choices.types),
            frozenset(choices.ignore_types),
            frozenset(map(normalize, choices.keep_entities)),
            tuple(map(WordPattern.of, choices.keep_patterns)),
            frozenset(map(normalize, choices.ignore_entities)),
            tuple(map(WordPattern.of, choices.ignore_patterns)),
        )

    def objection(self, type_: str, content: str, names: Iterable[str]) -> str | None:
        """Return why a statement of this type, with these words and about these names, is left out; None if it is
        kept."""
        if type_ in self.ignore_types or (self.types is not None and type_ not in self.types):
            return f"the type {type_} is not kept"
        text, named = normalize(content), set(map(normalize, names))
        if (ignored := self._ignored(text, named)) is not None:
            return ignored
        if (not self.keep_entities and not self.keep_patterns) or named & self.keep_entities:
            return None
        if any(one.is_in(text) for one in self.keep_patterns):
            return None
        return "no entity or pattern that is kept"

    def ignores(self, content: str, names: Iterable[str]) -> bool:
        """Return whether a statement with these words and about these names is left out whatever its type and what is
        kept."""
        return self._ignored(normalize(content), set(map(normalize, names))) is not None

    def _ignored(self, text: str, named: set[str]) -> str | None:
        if about := named & self.ignore_entities:
            return f"the entity {min(about)!r} is ignored"
        for pattern in self.ignore_patterns:
            if pattern.is_in(text):
                return f"the pattern {str(pattern)!r} is ignored"
        return None
