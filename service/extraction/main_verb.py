"""The type of a statement that no row knows, by its main verb."""

from __future__ import annotations

from service.domain.types import MemoryType
from service.domain.word_lists import word_set
from service.extraction.filters import words
from service.extraction.lexicon import ADVERBS, BASE_VERBS, MODALS, PARTICIPLES, is_past
from service.extraction.statements import without_lead
from service.extraction.third_person import has_first_person

_STATIVE = word_set("""
    was were felt thought realized wanted knew loved liked needed hoped believed enjoyed had understood seemed""")
_HELD = word_set("have own use speak drive live work wear watch play celebrate believe cook eat drink")


def kind_of(sentence: str) -> tuple[MemoryType, float]:
    """The type by the main verb after "I" or "we"; what has neither is an observation."""
    heard = words(without_lead(sentence))
    auxiliary = ""
    for at, word in enumerate(heard[:14]):
        if word not in ("i", "we", "i'm", "i've", "we're", "we've", "i'll", "we'll", "i'd"):
            continue
        auxiliary = word.partition("'")[2]
        verb = next(
            (w for w in heard[at + 1 : at + 5] if w not in ADVERBS and (w in BASE_VERBS or not w.endswith("ly"))), ""
        )
        if verb == "used" or (verb == "got" and auxiliary == "ve"):
            return MemoryType.FACT, 0.5
        if auxiliary == "ve" or (verb == "have" and not auxiliary and set(heard[at + 2 : at + 4]) & PARTICIPLES):
            return (MemoryType.OBSERVATION, 0.45) if verb == "been" else (MemoryType.EVENT, 0.5)
        if verb in ("don't", "do") and set(heard[at + 2 : at + 4]) & _HELD:
            return MemoryType.FACT, 0.5
        if auxiliary or verb in _STATIVE or verb in MODALS or verb in ("am", "are", "don't", "didn't", "feel", "think"):
            return MemoryType.OBSERVATION, 0.4
        if is_past(verb):
            return MemoryType.EVENT, 0.5
        if verb in BASE_VERBS:
            return MemoryType.FACT, 0.5
        return MemoryType.OBSERVATION, 0.4
    if not has_first_person(sentence):
        return MemoryType.FACT, 0.5
    if set(heard) & {"is", "are", "has", "have", "'s", "lives", "works", "uses"} and heard[:1] in (["my"], ["our"]):
        return MemoryType.FACT, 0.5
    if heard[:1] in (["my"], ["our"]) and any(
        (word[:-1] if word.endswith("s") else word) in BASE_VERBS for word in heard[2:5]
    ):
        return MemoryType.FACT, 0.5
    return MemoryType.OBSERVATION, 0.4
