"""Whether a statement is too ill written to be rendered in the third person, so that it is better left out.

Each rule is a class of fault found in informal dialogues. They only reject: what is doubtful yields nothing.
"""

from __future__ import annotations

import re

from service.domain.word_lists import listed, word_set
from service.extraction.lexicon import ADVERBS, AUXILIARIES, BASE_VERBS, PARTICIPLES, is_past

_ADJECTIVE = r"(?:due(?! date)|ok|okay|fine|gross|good|bad|great|nice|awesome|awful|fun|hard|easy|old|expensive|cheap)"
_FAULTS = (
    # a question behind the statement: "my cpu runs at 90 is that bad", "send a parcel how much will it be"
    re.compile(
        r"\w (?:how(?: much| many| long)?|why|what|where|when) (?:is|are|was|were|will|does|do|did|can|should|would)"
        r" (?:it|i|you|he|she|they|we|that|this)\b"
        r"|\w why (?:is|are|was|were|do|does|did) \w"
        r"|\w (?<!and )(?<!but )(?:is|are) (?:that|it|this) (?:bad|ok|okay|normal|good|weird|right|true)\b",
        re.IGNORECASE,
    ),
    # a second statement without a join
    re.compile(rf"\d that's|\w its {_ADJECTIVE}\b|\b(?:and|but|think|so|because) its \w{{3,20}}(?:ed|ing)\b", re.I),
    re.compile(
        r"(?<!,) (?:always|never) (?:have|has|will)[.!]?$|(?<!the )\b(?:most|best|worst) (?:\w{1,20} ){1,2}ever[.!]?$",
        re.I,
    ),
    # chat: "my dog is barking brb"
    re.compile(r"\w (?:brb|gtg|g2g|ttyl|afk|btw|ngl|idk|smh|lmao)\b|(?<!\ban)(?<!\bthe) rn\b"),
    re.compile(r"^(?:h+i{2,}|he+y{2,}|dear \w{2,20},)|\bgod help\b|\bpeoples\b(?!')", re.IGNORECASE),
    # cut off: "my grandma was a nurse so"
    re.compile(
        r"(?<!\bdo )(?<!\bor )\b(?:so|and|but|because|or)[.!]?$|\band everything[.!]?$",
        re.IGNORECASE,
    ),
    re.compile(r"\w (?:i|we|s?he)[.!]?$", re.IGNORECASE),
    # "me" for "my", as in "I lost me pliers"
    re.compile(
        r"\b(?:drink|drank|lost|broke|hate|love|use|used|drive|drove|do|did) me"
        r" (?!(?:a|an|the|some|so|to|when|and|at|in|for|if|any|no|well|over|wrong|too)\b)\w"
        r"|\b(?:in|of|for|on|with|off) me (?:life|sins|own|head|back|knees?|house|van|job|tea|mates?)\b",
        re.IGNORECASE,
    ),
    # of a couple of whom one is not named: "we broke up"
    re.compile(
        r"^we(?:'re|'ve been| are| were| have been)? (?:still |both |just |only )?(?:together(?= for\b| since\b|[.!]?$)"
        r"|dating|broke up|split up|breaking up|splitting up)\b(?! with\b)",
        re.IGNORECASE,
    ),
    # forms of verbs that learners of English confuse
    re.compile(
        r"\b(?:i'm|i am|s?he is|s?he's|we're|we are) (?:work|miss|agree|go|live|think|want|need|know|have|understand"
        r"|come|get|make|take|call|see|study)\b"
        r"|\bis not work\b|\bwant that (?:my|he|she|we|they|you|i)\b|^(?:i|we|they) been\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bfor (?:find|see|make|get|go|be|send|learn|improve|have|meet|speak|study (?:[Ee]nglish|my|the|in))\b"
    ),
    re.compile(r"\b(?:is|are) (?:difficult|hard|easy|important|necessary) the\b|^i have \d{1,3} years[.!]?$", re.I),
    re.compile(
        r"^(?:my|our) [a-z]{2,15} s?he\b(?!')"
        r"|^(?:my|our) (?!people\b|children\b|family\b|team\b|folks\b|crew\b|staff\b)[a-z]{1,15}[a-rt-z]"
        r" (?:finish|live|say|want|come|go|have|do)\b",
        re.IGNORECASE,
    ),
)
_JOINED = listed("""
    and but or so because cause who that which when where if what how why since as than while though although until
    think thinks thought hope know knew wish feel felt sure believe say said says guess afraid glad happy means
    mean see saw found heard like love hate to i we they he she it you there people""")
_DENIED_AGAIN = re.compile(
    rf"^I(?:'m|'ve)? (?:(?!(?:{'|'.join(_JOINED)})\b)[\w'-]{{1,20}} ){{2,8}}(?:can't|don't|won't|didn't|wouldn't) ",
    re.I,
)
"""A denial without its own subject: "I use these boards can't stand the others"."""
_THERE_IS = re.compile(r"\b([\w'-]{1,20}) (?:it's|there's) ", re.IGNORECASE)
_ONE = re.compile(
    r"^[^,;:–—]{0,80}\b(?:the|my|our|his|her|this) (?:last|other|same|next|second) one\b(?! of\b| i\b"
    r"| who\b| that\b| to\b| in\b)",
    re.IGNORECASE,
)
_JOIN = re.compile(r"\b(?:and|but|so|because|that|which|who|or|than|both)\b", re.IGNORECASE)
_FIRST_VERB = re.compile(r"^I ([a-z]{3,20}) (?=[a-z])")
_OTHER_VERBS = word_set("recall overslept misread slid shone wept")
_VERBS = BASE_VERBS | AUXILIARIES | ADVERBS | PARTICIPLES | _OTHER_VERBS


def is_garbled(statement: str) -> bool:
    """Whether a claim, in the first person and with its spelling put right, runs into another or is no sentence."""
    statement = statement.replace("’", "'")
    if any(fault.search(statement) for fault in _FAULTS) or _DENIED_AGAIN.match(statement):
        return True
    if any(match[1].lower() not in _JOINED for match in _THERE_IS.finditer(statement) if _plain(statement)):
        return True
    one = _ONE.match(statement)
    return bool(one and not _JOIN.search(one[0])) or _has_no_verb(statement)


def _plain(statement: str) -> bool:
    """Whether nothing in it divides clauses, as in text that nobody punctuated."""
    return not re.search(r"[,;:–—(]| - ", statement)


def _has_no_verb(statement: str) -> bool:
    """Whether what stands behind "I" is no verb of the lexicon, and so would not agree with a name."""
    first = _FIRST_VERB.match(statement)
    if first is None:
        return False
    word = first[1]
    return word not in _VERBS and not is_past(word) and not word.endswith(("ed", "ly"))
