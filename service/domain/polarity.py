"""Whether a text says that somebody likes something or that they do not: "loves Go", "does not like Python".

English. A question about likes is answered by what is liked, and what is not liked shares its words all the same.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal

from service.domain.word_lists import word_set

Stance = Literal["likes", "dislikes"]

CHARACTERS_MAX = 2_000
"""Of a text that are read."""
ASKING_WORDS = 3
"""Among so many words of a query, one asks for things rather than for yes or no."""
NEGATED_WITHIN = 3
"""How many words before a verb negate it."""

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_LIKING = word_set("""
    adore adores enjoy enjoyed enjoys favorite favorites favourite favourites fond like liked likes love loved
    loves prefer preferred prefers""")
_DISLIKING = word_set("""
    avoid avoids despise despises detest detests dislike disliked dislikes hate hated hates loathe loathes""")
_ASKING = word_set("what what's whats which who whom list name show tell")
_NEGATIONS = word_set("cannot dont doesnt didnt never no not")
_COMPARED = word_set("""
    feel feels is look looked looks seem seems smell smells sound sounds taste tastes things something anything was
    would id i'd he'd she'd we'd they'd""")
"""Words after which "like" is no verb, or only asks for something."""


def asked_stance(query: str) -> Stance | None:
    """Return what a query asks for: what somebody likes, or does not. One that is answered by yes or no asks for
    both."""
    opening = {word.group().lower() for word in islice(_WORD.finditer(query), ASKING_WORDS)}
    return stance_of(query) if opening & _ASKING else None


def stance_of(text: str) -> Stance | None:
    """Return what a text says; None where it says neither, or both."""
    words = [word.group().lower().replace("’", "'") for word in _WORD.finditer(text[:CHARACTERS_MAX])]
    said: set[Stance] = set()
    for place, word in enumerate(words):
        likes = word in _LIKING
        if not likes and word not in _DISLIKING:
            continue
        if word == "like" and place and words[place - 1] in _COMPARED:
            continue
        before = words[max(0, place - NEGATED_WITHIN) : place]
        negated = any(one in _NEGATIONS or one.endswith("n't") for one in before)
        said.add("likes" if likes != negated else "dislikes")
    return said.pop() if len(said) == 1 else None
