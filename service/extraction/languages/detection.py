"""Which language of those the rules know a turn is in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from service.domain.languages import language_of
from service.domain.word_lists import word_set
from service.extraction.languages.chinese import CHINESE
from service.extraction.languages.french import FRENCH
from service.extraction.languages.german import GERMAN
from service.extraction.languages.language import Language
from service.extraction.languages.spanish import SPANISH

LANGUAGES: Final = (GERMAN, FRENCH, SPANISH)
"""Those that words tell apart; Chinese is told by its script."""

_READ_CHARACTERS = 600
_SHORT_WORDS = 5
_HAN = re.compile("[\u3400-\u9fff]")
_JAPANESE_OR_KOREAN = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_HAN_MIN = 3
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = word_set("""
    i i'm my we our you your the is are and of to it it's that this have has had was were with for be been do does
    don't not what when where how who they them he she his her about would could should just like love from give
    another write tell hey bye see sure good thanks thank please can will as by an at if or but more all some make
    up out get list explain example use used""")
_SHARED = {"german": frozenset(("will", "an")), "french": frozenset(("as", "or")), "spanish": frozenset(("he", "has"))}
"""Words of a language that are English words too: in a session in that language they tell nothing."""
_SPANISH_PERFECT = re.compile(r"\b(?:he|has)\s\w{2,20}(?:ado|ido|cho|sto|rto)\b")


def spoken(text: str, so_far: Language | None) -> Language | None:
    """Return the language of a turn, None for English and for what is not evident.

    ``so_far`` is the language of the session: a turn without a word of English, nor of another language, is in
    it. English words weigh against any other language, so that a turn in English is never taken for one that it quotes.
    """
    head = text[:_READ_CHARACTERS]
    if _is_chinese(head):
        return CHINESE
    words = _WORD.findall(head.lower())
    if not words:
        return None
    shared = _SHARED.get(so_far.name, frozenset()) if so_far else frozenset()
    apart = _WORD.findall(_SPANISH_PERFECT.sub(" ", head.lower()))
    english = sum(word in _ENGLISH and word not in shared for word in apart)
    marks = {language.name: [word for word in words if word in language.markers] for language in LANGUAGES}
    best = max(LANGUAGES, key=lambda language: (_alone(marks, language), len(marks[language.name]), language is so_far))
    most = len(marks[best.name])
    if most > 2 * english and (_is_plain(most, len(words)) or language_of(text) == best.name):
        return best
    return so_far if not english and (not most or best is so_far) else None


def _is_chinese(text: str) -> bool:
    """Return whether Chinese characters are most of it: one is about as much as a word of the Latin script."""
    found = len(_HAN.findall(text))
    return (
        found >= _HAN_MIN and not _JAPANESE_OR_KOREAN.search(text) and found > len(_WORD.findall(_HAN.sub(" ", text)))
    )


def _alone(marks: Mapping[str, Sequence[str]], language: Language) -> int:
    """Return how many words are of this language and of none of the others."""
    others = [other.markers for other in LANGUAGES if other is not language]
    return sum(not any(word in markers for markers in others) for word in marks[language.name])


def _is_plain(marks: int, words: int) -> bool:
    """Return whether the words alone tell, without the model: one in five, and more than one unless the text is
    short."""
    return marks * 5 >= words and (marks > 1 or words <= _SHORT_WORDS)
