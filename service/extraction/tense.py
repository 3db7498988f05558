"""Whether a date lies ahead or behind, by the tense of the verb it belongs to; no "will" is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.domain.word_lists import word_set
from service.extraction.lexicon import BASE_VERBS, IRREGULAR_PAST, MODALS, is_present

_REACH = 120  # characters before or after a date in which its verb is looked for
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE_END = re.compile(r"[.!?;](?=\s)")
_PRESENT_BE = word_set("is are am be 's 'm 're isn't aren't")
_PAST_BE = word_set("was were been wasn't weren't")
_PAST_DO = word_set("had did didn't hadn't used")
_PRESENT_HAVE = word_set("has have hasn't haven't does do doesn't don't")
_FUTURE = MODALS - word_set("could couldn't would wouldn't")
_NOT_PAST = word_set("need speed feed seed hundred indeed united red bed shed wed medied embed kindred")
_PRESENT_TOO = word_set("put cut set read hit hurt let bet quit shut")
_PLAIN_BEFORE = word_set("i we you they others to and or please not don't didn't does do did would could just")
_DONE_BEFORE_TO = word_set("""
    had went managed got used tried forgot came began started failed happened refused stopped moved returned""")
_SET_FOR_LATER = word_set("""
    moved pushed postponed rescheduled shifted delayed scheduled set planned booked changed brought reserved bumped
    slipped slid put invited ordered bought got registered signed entered agreed arranged confirmed""")
_CAUSATIVE = word_set("get getting having")
_CAUSED_WITHIN = 4
"""So many words before a participle "getting" may stand that it belongs to."""
_AHEAD_BY = word_set("by until till before due")
_DETERMINERS = word_set("a an the my our their his her its this that some any no of for with in on at")
_COMING = re.compile(
    r"\b(?:appointment|meeting|flight|deadline|exam|interview|party|wedding|concert|dinner|trip|reservation|demo"
    r"|launch|release"
    r"|call|surgery|conference|due|upcoming|presentation|standup|review)\b",
    re.IGNORECASE,
)

_HAVE_GOT = re.compile(
    r"\bgot (?:an? |my |the |another )?(?:[\w']{2,20} ){0,2}(?:appointment|interview|meeting|exam|flight|surgery"
    r"|evening|shift|viewing)s? ?$",
    re.IGNORECASE,
)
"""What is still to come when somebody has "got" it."""

_ANNIVERSARY = re.compile(r"\bbeen [\w' ]{1,40} years? ?$", re.IGNORECASE)
"""Before "in January": "I've been a widow nine years in January"."""


def lies_ahead(text: str, start: int, end: int, preposition: str) -> bool | None:
    """Whether the date at ``start`` to ``end`` lies ahead of when ``text`` was said; None where nothing tells."""
    if preposition == "since":
        return False
    if preposition == "from" and _COMING.search(text, max(0, start - _REACH), start):
        return True
    if any(coming.search(text, max(0, start - _REACH), start) for coming in (_HAVE_GOT, _ANNIVERSARY)):
        return True
    heard = [word.lower() for word in _WORD.findall(_last_sentence(text[max(0, start - _REACH) : start]))]
    ahead = _by_verb_before(heard, preposition)
    if ahead is None:
        after = _SENTENCE_END.split(text[end : end + _REACH], maxsplit=1)[0]
        ahead = _by_verb_after([word.lower() for word in _WORD.findall(after)])
    if ahead is None and (preposition in _AHEAD_BY or _COMING.search(text, max(0, start - _REACH), start)):
        return True
    return ahead


def _last_sentence(text: str) -> str:
    return _SENTENCE_END.split(text)[-1]


def _by_verb_before(heard: Sequence[str], preposition: str) -> bool | None:
    infinitive = False
    for at in range(len(heard) - 1, -1, -1):
        word = heard[at]
        before = heard[at - 1] if at else ""
        if word in _FUTURE or word.endswith("'ll"):
            return True
        if word in _PRESENT_BE or word in _PRESENT_HAVE or (word.endswith(("'s", "'m", "'re")) and len(word) < 6):
            return True
        if word in _PAST_BE:
            return word != "been" and heard[max(0, at - 3) : at].count("supposed") > 0
        if _is_past(word) or (word in _PRESENT_TOO and _is_third_person(before)):
            return _after_past(word, heard[:at], preposition, infinitive=infinitive)
        if word in BASE_VERBS and before == "to":
            infinitive = True
        elif _is_present(word) and before not in _DETERMINERS:
            return True
        elif word in BASE_VERBS and before in ("they", "we", "i", "you", "others", "and", "please"):
            return True if before != "and" else None
        elif word.endswith("ing") and before in _PRESENT_BE:
            return True
    return None


def _after_past(word: str, earlier: Sequence[str], preposition: str, *, infinitive: bool) -> bool:
    """What a past form says: "booked a table for Friday" and "decided to meet on Friday" look ahead, and "getting
    married" and "getting the roof fixed" as their "getting" does."""
    got = next((at for at in reversed(range(len(earlier))) if earlier[at] in _CAUSATIVE), -_CAUSED_WITHIN)
    ahead = _by_verb_before(earlier[: got + 1], preposition) if len(earlier) - got <= _CAUSED_WITHIN else None
    if ahead is not None:
        return ahead
    if infinitive:
        return word not in _DONE_BEFORE_TO
    if word in _SET_FOR_LATER and preposition in ("to", "for", "until", "till"):
        return True
    auxiliary = next((one for one in reversed(earlier[-2:]) if one != "not" and not one.endswith("ly")), "")
    return auxiliary in _PRESENT_BE or auxiliary in ("be", "being") or auxiliary in _FUTURE


def _by_verb_after(heard: Sequence[str]) -> bool | None:
    for word in heard[:14]:
        if word in _PAST_BE or _is_past(word):
            return False
        if word in _FUTURE or word in _PRESENT_BE or word in _PRESENT_HAVE or word.endswith("'ll") or _is_present(word):
            return True
    return None


def _is_third_person(subject: str) -> bool:
    """Whether "put" after it is the past of "puts"."""
    return bool(subject) and subject not in _PLAIN_BEFORE and subject not in _FUTURE and not subject.endswith("s")


def _is_past(word: str) -> bool:
    if word in _PAST_DO or (word in IRREGULAR_PAST and word not in _PRESENT_TOO):
        return True
    return word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST


def _is_present(word: str) -> bool:
    return len(word) > 3 and (is_present(word) or (word.endswith("ies") and word[:-3] + "y" in BASE_VERBS))
