"""Language modules: patterns of statements, what is no statement, the third person, a calendar and its dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from service.domain.word_lists import pairs
from service.extraction.calendar import Calendar
from service.extraction.candidates import Polarity
from service.extraction.patterns import Pattern, any_case, stating

T = TypeVar("T")

VALUE = r"(?P<value>(?!\s)(?:[^,.;:!?()–—]|[.,](?=\w)|(?<=\d)\.(?=\s)){1,80})"
"""What fills a slot: up to the end of the clause."""


_SPELLINGS = pairs("""
    ä=(?:ä|ae|a) ö=(?:ö|oe|o) ü=(?:ü|ue|u) ß=(?:ß|ss|s) é=[ée] è=[èe] ê=[êe] à=[àa] â=[âa] ç=[çc] ù=[ùu] û=[ûu]
    î=[îi] ï=[ïi] ô=[ôo] œ=(?:œ|oe) á=[áa] í=[íi] ó=[óo] ú=[úu] ñ=[ñn]""")
_ACCENTED = re.compile(r"\[[^\]]{1,80}\]|[" + "".join(_SPELLINGS) + "]")


def spelled(regex: str) -> re.Pattern[str]:
    """Return the pattern without regard to case, its accented letters taken as typed without accents as well.

    A letter in a set, or written as its code point (``\\u00fc``), is taken as it is.
    """
    return any_case(_ACCENTED.sub(lambda match: _SPELLINGS.get(match[0], match[0]), regex))


def spellings(words: Mapping[str, T]) -> dict[str, T]:
    """Return the mapping with each key also as it is typed without accents."""
    bare = str.maketrans("éèêàâçùûîïôáíóúñ", "eeeaacuuiioaioun")
    german = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "œ": "oe"})
    plain = str.maketrans("äöü", "aou")
    typed = {form: value for word, value in words.items() for form in (word.translate(german), word.translate(plain))}
    return typed | {word.translate(bare): value for word, value in words.items()} | dict(words)


def meanings(block: str) -> dict[str, str]:
    """``pairs`` of a block, with their ``spellings``."""
    return spellings(pairs(block))


def any_of(words: Iterable[str]) -> str:
    """Return the alternatives of a pattern, the longest first."""
    return "|".join(word.replace(" ", r"\s") for word in sorted(words, key=len, reverse=True))


def conjugated(verb: str, known: Mapping[str, str], endings: Mapping[str, str]) -> str | None:
    """Return the form of a verb that is known, else by the first ending that it has; None where it has none."""
    if verb in known:
        return known[verb]
    return next((verb.removesuffix(old) + new for old, new in endings.items() if verb.endswith(old)), None)


def row(what: str, regex: str, **otherwise: Any) -> Pattern:
    """Return the row of this pattern; see ``stating``."""
    return stating(what, spelled(regex), **otherwise)


def likes(
    regex: str, polarity: Polarity = "positive", thing: str = VALUE, end: str = "", *, negated: bool = False
) -> Pattern:
    """Return a row of something liked or disliked; a negation turns the former into the latter."""
    whole = f"{regex}{thing}{end}"
    return row("likes", whole, polarity=polarity, deniable=polarity == "positive", negated=negated)


@dataclass(frozen=True, slots=True)
class Language:
    """A language that statements are read in.

    ``markers`` are words that no English text holds by chance. ``inner_stops``: up to a full stop that ends no
    sentence. ``openings`` and ``tag`` are what may be left out at the start and end of a sentence, ``clauses`` what
    stands between two. ``questions`` and ``task`` match at the start; what follows a task is material. ``unreliable``
    anywhere makes a sentence state nothing, ``retraction`` takes the one before back. ``canonical`` gives a clause
    the order that the patterns know, subject first; ``third_person`` tells it of somebody, None where that takes more
    than rules. ``rewrites`` are made in a sentence ("not A but B"), ``continued`` in a clause after one about the
    speaker, ``elided`` in one after a preference: they put in what it leaves out. ``says`` and ``asks`` tell it in
    the speaker's words. ``write_date`` is given the kind of a ``When``, the day, and the preposition it replaces;
    ``behind`` and ``ahead`` are prepositions that say where a date lies. The mappings give the English names of
    attributes, values and relatives, so that a slot is one whatever language it is filled in.
    """

    name: str
    markers: frozenset[str]
    rows: tuple[Pattern, ...]
    calendar: Calendar
    inner_stops: re.Pattern[str]
    openings: re.Pattern[str]
    tag: re.Pattern[str]
    clauses: re.Pattern[str]
    questions: re.Pattern[str]
    unreliable: re.Pattern[str]
    retraction: re.Pattern[str]
    task: re.Pattern[str]
    negation: re.Pattern[str]
    first_person: re.Pattern[str]
    vague: re.Pattern[str]
    value_ends: re.Pattern[str]
    determiners: re.Pattern[str]
    conjunction: re.Pattern[str]
    words: re.Pattern[str]
    stopwords: frozenset[str]
    canonical: Callable[[str], str]
    third_person: Callable[[str, str], str | None]
    nobody: str
    says: str
    asks: str
    write_date: Callable[[str, datetime, str], str]
    behind: frozenset[str] = frozenset()
    ahead: frozenset[str] = frozenset()
    stop: str = "."
    rewrites: tuple[tuple[re.Pattern[str], str], ...] = ()
    elided: tuple[tuple[re.Pattern[str], str], ...] = ()
    continued: tuple[tuple[re.Pattern[str], str], ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    relatives: Mapping[str, str] = field(default_factory=dict)
