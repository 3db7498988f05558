"""Commands and labels told as statements: "remind me to call" becomes "I asked to be reminded to call"."""

from __future__ import annotations

import re

from service.domain.types import MemoryType
from service.extraction.patterns.intentions import DECISION_LABEL, GOAL_LABEL, TODO_LABEL

_SAID = (
    (re.compile(r"^(?:please |can you |could you )?remind me ", re.I), "I asked to be reminded "),
    (re.compile(rf"^{TODO_LABEL}", re.I), "I have a todo: "),
    (re.compile(rf"^{GOAL_LABEL}", re.I), "My goal: "),
    (re.compile(rf"^{DECISION_LABEL}", re.I), "I decided: "),
    (
        re.compile(r"^(?:please )?(?:don't|do not) (?:let me )?forget (?:that )?(?=to\b|that\b|i\b|we\b)", re.I),
        "I asked not to forget ",
    ),
    (re.compile(r"^(?:let's|lets|let us) (?:not )", re.I), "I decided not to "),
    (re.compile(r"^(?:let's|lets|let us) ", re.I), "I decided to "),
    (re.compile(r"^(?:please |you can |just )*call me (?=[A-Z])"), "I go by "),
    (re.compile(r"^(?:everyone|people|friends|my friends) calls? me ", re.I), "I go by "),
    (re.compile(r"^(?:the |final |our )*decision(?= is| was)", re.I), "My decision"),
)  # fmt: skip
_OPENS_WITH_SUBJECT = re.compile(r"^(?:i|we|i'd|i'm|my|our)\b", re.IGNORECASE)
_STANDING = re.compile(
    r"^(?:(?:also|and|so),? )?(?P<lead>(?:from now on|going forward|from here on|from today on|in (?:the )?future"
    r"|by default|at all times"
    r"|as a rule|moving forward|for future (?:reference|conversations|chats|answers)|in (?:all )?(?:your|every) "
    r"(?:answers?|replies|responses)"
    r"|(?:please )?(?:whenever|every time|each time|any time|anytime|when) (?:i|we|you)\b[^,]{3,80})),? ",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"^(?:please |and |also )*(?:(?:don't|do not) (?:ever )?|stop (?=\w+ing\b))", re.IGNORECASE)
_BARE = re.compile(r"^(?:please,? |and |also )*", re.IGNORECASE)
_NOUN = re.compile(r"^(?:no|less|fewer|more|all|only)\b", re.IGNORECASE)
_PLEASE_LAST = re.compile(r",? (?:please|pls|thanks|thank you|ok|okay)(?=[.!]*$)", re.IGNORECASE)
_YOURS = (
    (re.compile(r"\byour\b", re.I), "its"),
    (re.compile(r"\byou(?:'re| are)\b", re.I), "it is"),
    (re.compile(r"\byou\b", re.I), "it"),
)
_YOU_TO = re.compile(
    r"^(?P<who>i|we)(?P<wants>'d like| would like| want| need| prefer| expect|'d prefer) (?:it if )?you ", re.IGNORECASE
)
_VOWEL = re.compile(r"^[aeiou]|^ultra", re.IGNORECASE)


def as_statement(text: str) -> str:
    """A command or label, of a kind that anybody may be told, as a statement of the speaker."""
    for pattern, replacement in _SAID:
        changed, count = pattern.subn(replacement, text, count=1)
        if count:
            return changed
    return text


def to_assistant_as_statement(text: str, type_: MemoryType) -> str:
    """What the assistant is told as what the speaker wants, has to do or is going to."""
    if type_ is MemoryType.TODO:
        return f"I have a todo: {_lowered(_BARE.sub('', text))}"
    if type_ is MemoryType.GOAL:
        return f"My goal is to {_lowered(text)}"
    if type_ is MemoryType.EVENT:
        noun = re.sub(r"^an? ", "", text, flags=re.IGNORECASE)
        return f"I have {'an' if _VOWEL.match(noun) else 'a'} {_lowered(noun)}"
    return _wanted(_PLEASE_LAST.sub("", text))


def _wanted(text: str) -> str:
    standing = _STANDING.match(text)
    lead, rest = (f"{standing['lead']}, ", text[standing.end() :]) if standing else ("", text)
    asked = _YOU_TO.match(rest)
    if asked is not None:
        told = rest[asked.end() :]
        rest = (
            f"{asked['who']}{asked['wants']} the assistant {told if told.lower().startswith('to ') else f'to {told}'}"
        )
    elif _OPENS_WITH_SUBJECT.match(rest):
        pass
    elif _NEGATED.match(rest):
        bare = _NEGATED.sub("", rest)
        stops = bare.split(" ", 1)[0].lower().endswith("ing")
        rest = f"I want the assistant {'to stop' if stops else 'not to'} {_lowered(bare)}"
    elif _NOUN.match(_BARE.sub("", rest)):
        rest = f"I want {_lowered(_BARE.sub('', rest))}"
    else:
        rest = f"I want the assistant to {_lowered(_BARE.sub('', rest))}"
    for pattern, third in _YOURS:
        rest = pattern.sub(third, rest)
        lead = pattern.sub("the assistant" if third == "it" else third, lead)
    return lead + rest


def _lowered(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text if len(first) > 1 and first[1:2].isupper() else text[:1].lower() + text[1:]
