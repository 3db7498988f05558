"""What stays of a text that two people are behind when one of them is forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterable

from service.domain.guards import normalize
from service.domain.json import JsonValue

_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s*(?=\S)|\n+")
_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    normalize(
        """
        about after all also and any are because been before being but can could did does for from get got had has
        have her here him his how into its just let like made make may more most much must not now off one our out over
        own said same say says she should since some still such than that the their them then there these they this
        those through too two under until upon use used very was way were what when where which while who whose why
        will with would yes you your user assistant
        """
    ).split()
)
WORD_MIN = 3


def content_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of texts that tell something: of three letters or more or with a digit, without the
    commonest."""
    return frozenset(
        word
        for text in texts
        for word in _WORD.findall(normalize(text))
        if (len(word) >= WORD_MIN and word not in _COMMON) or any(char.isdigit() for char in word)
    )


def drop_sentences(text: str, gone: frozenset[str]) -> str:
    """Return the sentences of a text that hold none of these words; empty when none is left."""
    sentences = [sentence.strip() for sentence in _SENTENCE_END.split(text)]
    return " ".join(sentence for sentence in sentences if sentence and not content_words([sentence]) & gone)


def json_drop_sentences(value: JsonValue, gone: frozenset[str]) -> JsonValue:
    """Return a JSON value without the strings and keys that hold one of these words; None for such a string."""
    if isinstance(value, str):
        return None if content_words([value]) & gone else value
    if isinstance(value, dict):
        kept = (
            (key, json_drop_sentences(item, gone)) for key, item in value.items() if not content_words([key]) & gone
        )
        return {key: item for key, item in kept if item is not None}
    if isinstance(value, list):
        return [item for item in (json_drop_sentences(item, gone) for item in value) if item is not None]
    return None if isinstance(value, int | float) and str(value) in gone else value
