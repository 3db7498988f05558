"""One entity for the spellings of one name: "Acme Robotics", "ACME ROBOTICS Inc." and "acme robotics"."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from service.domain.guards import normalize
from service.extraction.english.lexicon import BASE_VERBS, STOPWORDS

UNKNOWN_KIND = "thing"
KINDS = frozenset({"person", "project", "company", "product", "place"})
NAME_WORDS_MAX = 4
SCANNED_CHARS_MAX = 2_000

T = TypeVar("T")
Named = tuple[str, str]
"""A name and the kind of what it names."""

_WORD = re.compile(r"[^\W_]+(?:['’&+#][^\W_]+)*[+#]*")
_LEGAL_FORMS = frozenset(["inc", "corp", "corporation", "ltd", "limited", "llc", "gmbh", "ag", "plc", "co", "company"])


def spelling_key(name: str) -> str:
    """What the spellings of a name have in common: case, punctuation, "the", the legal form and the place of "project"
    make no difference."""
    words = _WORD.findall(normalize(name).removesuffix("'s").removesuffix("’s"))
    while len(words) > 1 and words[-1] in _LEGAL_FORMS:
        words.pop()
    if len(words) > 1 and words[0] == "the":
        words.pop(0)
    if len(words) > 1 and words[-1] == "project":
        words = ["project", *words[:-1]]
    return " ".join(words)


def grouped(named: Iterable[Named]) -> dict[Named, Named]:
    """For each name and kind the one that stands for all of its spellings.

    A name of an unknown kind is taken for what else is called so, if that is of one kind. The commonest spelling stands
    for all, the shortest of them, and none in capitals alone where there is another.
    """
    spelled: dict[str, Counter[Named]] = defaultdict(Counter)
    for name, kind in named:
        spelled[spelling_key(name) or name][name, kind] += 1
    chosen: dict[Named, Named] = {}
    for group in spelled.values():
        known = {kind for _, kind in group if kind != UNKNOWN_KIND}
        for entity in group:
            kind = next(iter(known)) if entity[1] == UNKNOWN_KIND and len(known) == 1 else entity[1]
            alike = [one for one in group if one[1] == kind or (one[1] == UNKNOWN_KIND and len(known) == 1)]
            chosen[entity] = (
                max(alike, key=lambda one: (not one[0].isupper(), group[one], -len(one[0]), one[0]))[0],
                kind,
            )
    return chosen


def known_entity(entity: Named, known: Mapping[str, Mapping[str, T]]) -> T | None:
    """What an entity is among those known, by alias and kind; one of an unknown kind may be of any one kind."""
    name, kind = entity
    for alias in dict.fromkeys((normalize(name), spelling_key(name))):
        kinds = known.get(alias, {})
        if kind in kinds:
            return kinds[kind]
        if kind == UNKNOWN_KIND:
            of_a_kind = [kinds[one] for one in kinds if one in KINDS]
            if len(of_a_kind) == 1:
                return of_a_kind[0]
        elif UNKNOWN_KIND in kinds:
            return kinds[UNKNOWN_KIND]
    return None


def spellings(text: str) -> Iterator[str]:
    """What of a text may spell a name of several words in any case; of one word, where the text has no capitals."""
    shown = text[:SCANNED_CHARS_MAX]
    words = _WORD.findall(normalize(shown))
    fewest = 1 if shown == shown.lower() else 2
    for count in range(fewest, NAME_WORDS_MAX + 1):
        for at in range(len(words) - count + 1):
            yield " ".join(words[at : at + count])


def may_be_spelled(key: str, kind: str) -> bool:
    """Whether a name may be found by its spelling alone: one word that is a name of persons, or a common word, not."""
    return " " in key or (kind not in ("person", UNKNOWN_KIND) and key not in STOPWORDS | BASE_VERBS)
