"""Which todo a statement reports as done: "I pinged Ramesh about the Q3 numbers", "ping Ramesh about the Q3 numbers".

What is read is a plain statement in the past with the verb and every other word of the todo; only when it happened,
and by which means, may be said or left out. Whatever else stands in it (a negation, a plan, "almost", another object,
"and then cancelled it") makes it no report.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.domain.guards import content_stems, normalize
from service.domain.word_lists import word_set
from service.extraction.english.lexicon import BASE_VERBS, MONTH, PARTICIPLES, STOPWORDS, WEEKDAY, gerund_base, is_past

_CHARS_MAX = 300

_WORD = re.compile(r"[^\W_]+(?:['’._/:@+#&%-][^\W_]+)*")
_MONTH = rf"(?:{MONTH}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
_DAY = rf"(?:{WEEKDAY})"
_DATE = (
    rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|(?:{_DAY},? )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? \d{{4}})?"
    rf"|(?:{_DAY},? )?{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|{_MONTH} \d{{4}}"
    rf"|(?:this |next |last )?{_DAY}(?: (?:morning|afternoon|evening|night))?)"
)
_WHEN = re.compile(
    rf"\b(?:no later than|by|before|until|on)(?: the (?:morning|afternoon|evening|night) of)? {_DATE}\b(?!['’])"
    rf"|\b(?:in the week of|last|next|this) {_DATE}\b(?!['’])"
    r"|\b(?:by |before |until )?(?:the )?end of (?:the )?(?:day|week|month|year)\b"
    r"|\b(?:by )?(?:earlier )?(?:today|yesterday|tomorrow|tonight)(?: (?:morning|afternoon|evening|night))?\b(?!['’])"
    r"|\b(?:earlier )?(?:this|last|next) (?:morning|afternoon|evening|night|week|weekend|month)\b(?!['’])"
    r"|\b(?:an?|a few|a couple of|two|three|\d{1,3}) (?:minutes?|hours?|days?|weeks?) ago\b"
    r"|\b(?:at|around|by) (?:\d{1,2}:\d{2}(?: ?[ap]m)?|\d{1,2}(?: ?[ap]m| o'clock|(?=[.!]?$)))(?![\w%/-])"
    r"|\b(?:just now|a moment ago|asap|as soon as possible|right away|immediately|already|at last|in the end"
    r"|successfully|as (?:agreed|promised|planned|discussed)|as well|too)\b"
    r"|\b(?:by (?:e-?mail|phone|text|mail|post)|(?:via|over|on|in) (?:e-?mail|slack|teams|whatsapp|telegram|signal)"
    r"|over the phone)\b"
)
"""When and by which means: what a todo and its report need not agree in."""
_WHEN_WRITTEN = re.compile(_WHEN.pattern, re.IGNORECASE)
_LABEL = re.compile(r"^(?:to-?\s?do|task|reminder|action item|remember|don['’]?t forget)\s?[:–-]?\s(?:to )?")
_OWES = re.compile(
    r"^(?P<who>[^,;:]{1,60}?)(?: has a (?:todo|task):| (?:still |also |really )?(?:needs?|has|have|must|ought|wants?)"
    r" to| must| should| will| (?:is|are|am) supposed to| asked (?:to be reminded|not to forget) to"
    r"| (?:must|should|can)(?:n['’]t| not) forget to) "
)
_PART = re.compile(r"^(?:remember to |be reminded to |not forget to )")
_OWN = re.compile(r"^(?:i|we)(?: |['’]ve )")
_NAME = re.compile(r"[A-Z][\w'’.-]{0,40}(?: [A-Z][\w'’.-]{0,40}){0,2} (?=[a-z])")
_BEFORE_VERB = re.compile(r"(?:(?P<did>did|managed to)|(?P<has>has|have)|finally|just|also|now|then|actually) ")
_FINISHES = word_set("finished completed done")
_SAME_IN_PAST = word_set("put cut set hit let read quit shut")
_NOT_COMPARED = word_set("a an the this that these those")
_OWNERS = word_set("my our their")


@dataclass(frozen=True, slots=True)
class Deed:
    """What is to be done, or has been. ``actor``: by whom, folded; empty where nobody is named."""

    actor: str
    verb: frozenset[str]
    words: tuple[str, ...]


def deed_due(content: str, owner: str | None) -> Deed | None:
    """Return what a todo asks for; None where it is not one thing to do. ``owner``: whose todo it is, if anybody's."""
    if len(content) > _CHARS_MAX:
        return None
    actor, text = normalize(owner or ""), _LABEL.sub("", normalize(content))
    owes = _OWES.match(text)
    if owes is not None:
        who = owes["who"].removesuffix(" and others").removeprefix("please ")
        actor, text = actor if who in ("i", "we") else who, text[owes.end() :]
    elif actor and text.startswith(f"{actor} "):
        return None
    words = _WORD.findall(_WHEN.sub(" ", _PART.sub("", _LABEL.sub("", text))))
    return _deed(actor, *words) if words and words[0] in BASE_VERBS else None


def deed_done(content: str, subject: str | None) -> Deed | None:
    """Return what a statement says has been done, and by whom; None for any other. ``subject``: whom it is about."""
    if len(content) > _CHARS_MAX or "?" in content:
        return None
    actor, text = _actor(content, subject)
    text, perfect = _WHEN.sub(" ", text).strip(), False
    while (before := _BEFORE_VERB.match(text)) is not None:
        text, perfect = text[before.end() :].lstrip(), perfect or before["has"] is not None
        if before["did"] is not None:
            return _deed(actor, *_WORD.findall(text)) if text.split(" ", 1)[0] in BASE_VERBS else None
    verb, *rest = _WORD.findall(text) or [""]
    if verb in _FINISHES and rest and gerund_base(rest[0]) is not None:
        return _deed(actor, gerund_base(rest[0]) or "", *rest[1:])
    past = (verb in PARTICIPLES and perfect) or (
        is_past(verb) and (verb not in _SAME_IN_PAST or perfect or actor != "")
    )
    return _deed(actor, verb, *rest) if past else None


def without_time(text: str) -> str:
    """Return a text without when and by which means something was done."""
    return " ".join(_WHEN_WRITTEN.sub(" ", text).split())


def does(done: Deed, due: Deed) -> bool:
    """Return whether what has been done is what was due: by whom it was, or by anybody where it is nobody's in
    particular."""
    return (done.verb, done.words) == (due.verb, due.words) and due.actor in ("", done.actor)


def _actor(content: str, subject: str | None) -> tuple[str, str]:
    """Return who a statement says has done something, and what it says of them; both folded."""
    whose, text = normalize(subject or ""), normalize(content)
    if whose and text.startswith(f"{whose} "):
        return whose, text[len(whose) + 1 :].removeprefix("and others ")
    own = _OWN.match(text)
    if own is not None:
        return whose, text[own.end() :]
    named = _NAME.match(content)
    if named is None or is_past(text.split(" ", 1)[0]) or normalize(named[0]) in STOPWORDS:
        return whose, text
    return normalize(named[0]), normalize(content[named.end() :])


def _deed(actor: str, verb: str, *words: str) -> Deed | None:
    stems = content_stems(verb)
    said = tuple("their" if word in _OWNERS else word for word in words if word not in _NOT_COMPARED)
    return Deed(actor, stems, said) if stems and said else None
