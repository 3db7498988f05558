"""Which language of those the rules know a turn is in."""

from __future__ import annotations

import re
from typing import Final

from service.domain.languages import language_of
from worker.dreaming.extract.languages.german import GERMAN
from worker.dreaming.extract.languages.grammar import Language
from worker.dreaming.extract.lexicon import listed

LANGUAGES: Final = (GERMAN,)

_READ_CHARACTERS = 600
_SHORT_WORDS = 5
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    listed("""
        i i'm my we our you your the is are and of to it it's that this have has had was were with for be been do
        does don't not what when where how who they them he she his her about would could should just like love
        from""")
)


def spoken(text: str, so_far: Language | None) -> Language | None:
    """The language of a turn, None for English and for what is not evident.

    ``so_far`` is the language of the session: a turn without a word of English, nor of another language, is in
    it. English words weigh against any other language, so that a turn in English is never taken for one that it quotes.
    """
    words = _WORD.findall(text[:_READ_CHARACTERS].lower())
    if not words:
        return None
    english = sum(word in _ENGLISH for word in words)
    marks = {language.name: sum(word in language.markers for word in words) for language in LANGUAGES}
    best = max(LANGUAGES, key=lambda language: (marks[language.name], language is so_far))
    most = marks[best.name]
    if most > 2 * english and (_is_plain(most, len(words)) or language_of(text) == best.name):
        return best
    return so_far if not english and (not most or best is so_far) else None


def _is_plain(marks: int, words: int) -> bool:
    """Whether the words alone tell, without the model: one in five, and more than one unless the text is short."""
    return marks * 5 >= words and (marks > 1 or words <= _SHORT_WORDS)
