"""What a statement says is over: "no longer uses Jira", "moved from Oslo to Rome", "sold the Volvo", "not German".

Such a statement ends earlier ones of the same person or thing that say what it names, in whatever words: ``ends``. A
statement that gives the same thing another value and says that this is new ("wakes up at 7 these days") replaces the
earlier one: ``supplants``. English, in the third person, as dreams write.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from service.domain.changed_values import assignment
from service.domain.guards import content_stems, normalize
from service.domain.word_lists import word_set

_TEXT_MAX: Final = 300
_WHAT = r"(?P<x>[^,;:!?]{1,60}?)"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_END = (
    r"(?=[,;:.!?]|$| (?:because|since|and|but|so|as|for|to|with|by|until|after|before|last|this|now|completely"
    r"|altogether|recently|yesterday|today|over|due|when|around|on (?:the|\d|[a-z]+day)|in (?:the (?:end|meantime"
    rf"|week|night|morning)|{_MONTHS}|\d{{4}}))\b)"
)
_ANY_MORE = r"(?:any ?more|any longer|after all|at all)"
_NOT = r"(?:is|are|was|were|do|does|did|has|have|can|could|will|wo|ca)(?: not|n't)"
_OBJECT: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:quit|quits|given up|gave up|gives up|dropped|ditched|cancel+ed|sold|got rid of|gotten rid of"
        rf"|threw out|thrown out|said goodbye to|let go of|traded in|broke up with|split up with|uninstalled"
        rf"|unsubscribed from|returned|deleted|closed|lost interest in"
        rf"|(?:is|are|was|were) (?:done|finished|through) with|(?:has|have) gone off|went off|abandoned"
        rf"|retired from|resigned from|moved (?:away from|out of)|stopped (?:with|seeing|dating)"
        rf"|(?:can't|cannot) (?:stand|bear)|traded|packed in) {_WHAT}(?: in)?{_END}",
        rf"\b(?:left|leaving) (?-i:(?=(?:the )?[A-Z])){_WHAT}{_END}",
        rf"\b(?:give|gave|given) {_WHAT} (?:away|up)\b",
        rf"\b(?:moved|switched|changed|migrated|went|gone|transferred|relocated|upgraded|downgraded|pushed|postponed"
        rf"|brought forward|rescheduled|shifted|converted|raised|lowered|increased|reduced|cut)\b(?: [\w']+){{0,4}}?"
        rf" from {_WHAT} (?:back )?(?:to|over to|onto|into)\b",
        rf"\b(?:replaced|swapped|traded|exchanged) {_WHAT} (?:with|for|by)\b",
        rf"\b(?:instead of|rather than|in place of)(?: [a-z]+ing)? {_WHAT}{_END}",
        rf"(?:,| and| but) not {_WHAT}(?:\.|!|,|$| any)",
        rf"\bno more {_WHAT}{_END}",
    )
)
"""What is over, whatever was done with it."""
_DEED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bno longer (?P<v>[a-z]+)(?: {_WHAT})?{_END}",
        rf"\bwants the assistant not to (?P<v>[a-z]+)(?: {_WHAT})?(?: {_ANY_MORE}\b|{_END})",
        rf"\b{_NOT} (?P<v>[a-z]+)(?: {_WHAT})? {_ANY_MORE}\b",
        rf"\b(?:stopped|(?:has|have|had) to stop|quit|quits|given up|gave up) (?P<v>[a-z]+ing)\b(?: {_WHAT})?{_END}",
        rf"\bused to (?P<v>[a-z]+)(?: {_WHAT})?{_END}",
    )
)
"""A deed that is over, and of what."""
_IS_OVER: Final = re.compile(
    rf"\b(?:is|are) no longer {_WHAT}{_END}|\b(?:is|are)(?: not|n't) (?P<y>[^,;:!?]{{1,60}}?) {_ANY_MORE}\b"
)
_MOVED: Final = re.compile(r"\b(?:moved|relocated|emigrated) (?:back )?to [A-Z]")
_GONE: Final = re.compile(
    rf"(?:^|, |\band )(?:the |our |their ){_WHAT} (?:is|are|was|were|has been|have been) "
    r"(?:now |finally )?(?:sold|gone|closed|cancel+ed|over|history|discontinued)\b",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:wants?|plans?|hopes?|going|would|might|could|should|will|may|if|never|almost|nearly|thinking|considering"
    r"|tempted|unless|when|wishes|wonders|used|need|needs|tries|trying|refuses) (?:\w+ ){0,3}$",
    re.IGNORECASE,
)
_FRONTED = re.compile(r"^(?:on|in|at|since|as of|from) [^,]{1,40}, ", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_VERBS = word_set("""
    is are was were has have had do does did will would can could may might should lives works uses likes loves wants
    prefers moved""")
_RELATIVES = word_set("""
    mother father mom mum dad parents sister sisters brother brothers son daughter children kids kid wife husband
    partner girlfriend boyfriend friend friends colleague colleagues boss manager neighbour neighbor uncle aunt cousin
    grandmother grandfather grandma grandpa roommate flatmate fiance fiancee nephew niece team company client customer
    competitor""")
_VAGUE = word_set("thing things stuff place one ones address account plan subscription membership job it that this")
_MARKED = re.compile(
    r"\b(?:now|these days|nowadays|currently|from now on|instead|lately|henceforth|going forward|this year)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\b(?:also|too|as well|another|second|other|even more|sometimes|occasionally|tonight|today)\b")
_WISH = re.compile(r"\bwants the assistant (?:not )?to\b")


@dataclass(frozen=True, slots=True)
class Ending:
    """What a statement says is over.

    ``leads``: of whom or what, as the words that open such statements. ``things``: of each thing that is over the stem
    of the deed, None where it does not matter which, and the stems that name it. ``changed``: stems of what has
    another value now, empty where the statement does not say that anything has.
    """

    leads: tuple[tuple[str, ...], ...]
    things: tuple[tuple[str | None, frozenset[str]], ...]
    changed: frozenset[str]

    @property
    def words(self) -> set[str]:
        """Return the beginnings of words by which the statements that it may end are found."""
        longest = {max(stems, key=len) if stems else verb or "" for verb, stems in self.things} | self.changed
        return {word[: max(3, len(word) - 1)] for word in longest if word}


def ending(content: str, subject: str | None) -> Ending | None:
    """Return what a statement about ``subject`` says is over; None where it ends nothing. Linear in its length, of 300
    characters at most."""
    text = content.strip().replace("’", "'")
    if len(text) > _TEXT_MAX or text.endswith("?"):
        return None
    body = _plain(text)
    things: list[tuple[str | None, frozenset[str]]] = []
    for pattern in _DEED:
        for found in pattern.finditer(body):
            if not _UNREAL.search(body[: found.start()]) and found["v"] not in ("only", "just", "the", "a", "an"):
                verb = _stem(found["v"])
                things.append((None if verb in _ANY_DEED and found["x"] else verb, _stems(found["x"])))
    for pattern in _OBJECT:
        for found in pattern.finditer(body):
            if not _UNREAL.search(body[: found.start()]):
                things.append((None, _stems(found["x"])))
    over = _IS_OVER.search(body)
    if over is not None:
        things.append(("is", _stems(over["x"] or over["y"])))
    moved = _MOVED.search(body)
    if moved is not None and not _UNREAL.search(body[: moved.start()]):
        things += [(_stem("lives"), frozenset()), (_stem("based"), frozenset())]
    things = [(verb, stems) for verb, stems in things if (stems or verb not in (None, "is", "")) and not stems & _DATES]
    gone = _GONE.search(body)
    if gone is not None:
        things.append((None, _stems(gone["x"])))
    lead = _lead(body)
    changed = _changed(body, lead)
    person = normalize(subject or "")
    acts = person and (gone is not None or f" {person} " in f" {' '.join(_WORD.findall(normalize(body)))} ")
    leads = (lead, (person,)) if acts else (lead,)
    return Ending(leads, tuple(things), changed) if things or changed else None


def _changed(body: str, lead: tuple[str, ...]) -> frozenset[str]:
    """Return the stems of what a statement says has changed."""
    given = assignment(body)
    if given is not None and given.marked:
        return _folded(" ".join(lead[-1:]))
    if not _MARKED.search(body) or _BESIDE.search(body):
        return frozenset()
    wish = _WISH.search(body)
    if wish is not None:
        return _folded(body[wish.end() :]) - _COMMON
    return _folded(" ".join(_WORD.findall(body)[len(lead) : len(lead) + 1]))


def ends(over: Ending, held: str) -> bool:
    """Return whether an earlier statement says what is over."""
    body = _plain(held.strip().replace("’", "'"))
    if len(body) > _TEXT_MAX:
        return False
    lead, stems = _lead(body), _folded(body)
    for verb, words in over.things:
        of_same = _same if verb else _belongs
        if not words <= stems or not any(of_same(one, lead) or _named(one, body) for one in over.leads):
            continue
        if verb is None or verb == "is" or verb in stems:
            return not _says_it_ended(held)
    return False


def _says_it_ended(text: str) -> bool:
    over = ending(text, None)
    return over is not None and bool(over.things)


def _named(over: tuple[str, ...], held: str) -> bool:
    """Return whether somebody is named where a statement begins: "ann's sister hannah"."""
    return len(over) == 1 and over[0] in _WORD.findall(normalize(held))[1:3]


def supplants(newer: str, older: str) -> bool:
    """Return whether a statement says, in the words of an earlier one, that another value holds now."""
    if not _MARKED.search(newer) or _BESIDE.search(newer) or max(len(newer), len(older)) > _TEXT_MAX:
        return False
    new, old = (_WORD.findall(normalize(_FRONTED.sub("", _MARKED.sub("", text)))) for text in (newer, older))
    if _WISH.search(newer) and _WISH.search(older):
        return bool((_folded(" ".join(new)) & _folded(" ".join(old))) - _COMMON - _folded(new[0]))
    same = next((at for at, (a, b) in enumerate(zip(new, old, strict=False)) if a != b), min(len(new), len(old)))
    rest_new, rest_old = new[same:], old[same:]
    if same < 2 or not 0 < len(rest_old) <= 4 or not 0 < len(rest_new) <= 4:
        return False
    return not any(_stem(word) in _SHARED or word in _SHARED for word in new[1:same])


def _plain(text: str) -> str:
    """Return a statement without a time in front, and without those whom "we" meant besides the speaker."""
    return _FRONTED.sub("", text).replace(" and others'", "'s").replace(" and others", "")


def _lead(text: str) -> tuple[str, ...]:
    """Return the words that say of whom or what a statement is: "ann", "ann's sister", "the wifi password"."""
    words = [word for word in _WORD.findall(normalize(text)) if word not in ("the", "our", "a", "new", "old")]
    if words[:1] == ["call"] or not words:
        return tuple(words[1:2])
    at = 0
    while at < len(words) - 1 and at < 3 and words[at].endswith("'s"):
        at += 1
    if text[:4].lower() in ("the ", "our "):
        at = next((n for n, word in enumerate(words[:5]) if word in _VERBS), 1) - 1
    return tuple(word.removesuffix("'s") for word in words[: at + 1])


def _same(over: tuple[str, ...], held: tuple[str, ...]) -> bool:
    shorter, longer = sorted((over, held), key=len)
    return bool(shorter) and (over == held or longer[-len(shorter) :] == shorter)


def _belongs(over: tuple[str, ...], held: tuple[str, ...]) -> bool:
    """Return whether a statement is about the same, or about what belongs to it: "ann's car", but not "ann's wife"."""
    if _same(over, held):
        return True
    return bool(over) and held[: len(over)] == over and not _RELATIVES & set(held[len(over) :])


def _stems(text: str | None) -> frozenset[str]:
    return _folded(text or "") - _DROPPED


def _folded(text: str) -> frozenset[str]:
    """Return the stems of a text; those of short words lose their ``e`` as those of long ones do."""
    return frozenset(stem.removesuffix("'s").removesuffix("e") for stem in content_stems(text))


def _stem(verb: str) -> str:
    return next(iter(_folded(verb)), "")


_DROPPED: Final[frozenset[str]] = frozenset(
    stem for word in (*_VAGUE, *word_set("their his her its my your old them him")) for stem in _folded(word)
)
_ANY_DEED: Final = _folded("use have own need") | {"being", "be"}
_SHARED: Final = {"have", "has"} | _folded(
    "like love enjoy own speak know play read hate dislike want need learn see visit met"
)
"""Verbs that may hold of many things at once."""
_COMMON: Final = _folded("wants the assistant to give make keep use them me")
_DATES: Final = _folded("""
    monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december""")
