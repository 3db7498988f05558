"""Whether a sentence stands by itself: with a predicate, and with nothing in it that points outside."""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.domain.word_lists import word_set
from service.extraction.lexicon import AUXILIARIES, BASE_VERBS, BLAND, STOPWORDS, gerund_base, is_past, is_present

_PRONOUNS = word_set("it it's they they're he he's she she's him them there ones")
_POSSESSIVES = word_set("his her its their")
_BEHIND_OBJECT = word_set("""
    , ; : and or but so because when while if a an the my our some back up out off down in on at to for with from
    by during about again this next last every all too""")
"""Behind the object "her", and not behind "her" of something that is hers."""
_POINTERS = word_set("this these those")
_PREPOSITIONS = word_set("of about for with like from on in at to")
_TIME_NOUNS = word_set("""
    week month year weekend morning afternoon evening summer winter spring fall days night moment point autumn
    season time past""")
_AT_HAND = word_set("""
    project repo repository codebase app team company workspace quarter sprint release conversation chat agent
    account prototype branch cluster house flat apartment city country town""")
_BOUNDARY = word_set("""
    , ; - – — : ( and but or so because since that which who when while after before where though although then how
    what""")
_PIECE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d.,:/]*|[,;:(]|(?<=\s)[-–—](?=\s)")
_EXPLETIVE = re.compile(
    r"^it(?:'s| is| was| feels| felt| makes me| breaks my heart| means)(?: (?!a\b|an\b|the\b|my\b|like\b"
    r"|just\b)\w+){0,3}"
    r" (?:to|that|when|how|knowing|seeing|having|being)\b",
    re.IGNORECASE,
)
_DEPENDENT = re.compile(
    r"^(?:or|and|but|so)? ?(?:actually |maybe |then )?(?:(?:in|at|on|during|around|by|from|since|for|with|without"
    r"|like|to|of) [^,;–—]{1,60} )?"
    r"(?:when|whenever|where|wherever|although|though|even though|while|after|before|once|because|since|until|who"
    r"|whose|which|whom|that|than)\b"
    r"[^,;:–—]*$|^(?:or|nor|than|as well as|such as|including|like|except|rather than|instead of|plus|etc)\b",
    re.IGNORECASE,
)
_NO_SUBJECT = word_set("""
    a an the my our their his her its this that to of for with in on at by no some any and or , ; :""")


def has_dangling_pronoun(sentence: str) -> bool:
    """Whether a pronoun has nothing in an earlier clause to stand for, so that the sentence needs its context.

    Within its own clause a pronoun hardly ever has its antecedent ("I did some research for it").
    """
    pieces = [piece.lower().replace("’", "'") for piece in _PIECE.findall(sentence)]
    if "even" in pieces[:3] or pieces[:2] == ["one", "is"] or "here's" in pieces:
        return True
    earlier = here = 0
    if _EXPLETIVE.match(sentence):
        pieces = pieces[1:]
    for at, piece in enumerate(pieces):
        following = pieces[at + 1] if at + 1 < len(pieces) else ""
        if piece == "that" and not earlier and _points(pieces, at):
            return True
        if piece in _BOUNDARY:
            earlier, here = earlier + here, 0
        if piece in _POINTERS and not following:
            return True
        if piece in ("these", "those") and not earlier and following in ("to", "at", "from"):
            return True
        if piece in _PRONOUNS and not earlier and following not in ("is", "are", "was", "were"):
            return True
        if piece in _PRONOUNS and piece != "there" and not earlier + here:
            return True
        if piece in _POSSESSIVES and not earlier + here:
            return True
        if piece == "her" and not earlier and here <= 1 and _is_object(pieces, at):
            return True
        if (
            piece in _POINTERS
            and not earlier
            and following not in _TIME_NOUNS
            and following not in _AT_HAND
            and not _introduces(pieces[at + 1 :])
        ):
            return True
        if _is_noun_like(piece) or (at == 0 and gerund_base(piece) is not None):
            here += 1
    return False


def _is_object(pieces: Sequence[str], at: int) -> bool:
    """Whether "her" is the object of the first verb, and not whose something is."""
    following = pieces[at + 1] if at + 1 < len(pieces) else ""
    return (not following or following in _BEHIND_OBJECT) and "to" not in pieces[:at]


def _points(pieces: Sequence[str], at: int) -> bool:
    """Whether "that" stands for something ("like that", "with that recipe") and does not open a clause."""
    following = pieces[at + 1] if at + 1 < len(pieces) else ""
    before = pieces[at - 1] if at else ""
    return not following or following in _BOUNDARY or before in _PREPOSITIONS or before.endswith("ing")


def _introduces(rest: Sequence[str]) -> bool:
    """Whether what "this" points at is told in the words after it: "I got this deal with an outdoor gear company"."""
    return sum(map(_is_noun_like, rest)) >= 2


def _is_noun_like(word: str) -> bool:
    if word in STOPWORDS or word in BLAND or not word[0].isalpha():
        return False
    return word not in BASE_VERBS and not is_past(word) and not word.endswith("ing")


def is_fragment(sentence: str) -> bool:
    """Whether it has no predicate ("In a city like this, my friends"), or all of it depends on what is not there."""
    if _DEPENDENT.match(sentence):
        return True
    pieces = [piece.lower().replace("’", "'") for piece in _PIECE.findall(sentence)]
    return not any(
        piece in AUXILIARIES or "'" in piece or is_past(piece) or _is_predicate(piece, pieces[at - 1] if at else "")
        for at, piece in enumerate(pieces)
    )


def _is_predicate(piece: str, before: str) -> bool:
    if before in _NO_SUBJECT:
        return False
    if piece in BASE_VERBS:
        return piece != "like" or before in ("i", "we", "they", "you")
    return piece == "lasts" or (len(piece) > 3 and is_present(piece))
