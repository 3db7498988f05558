"""What the assistant is told to do from now on: preferences of how the speaker wants to be served."""

from __future__ import annotations

import re
from functools import lru_cache

from service.domain.word_lists import word_set
from service.extraction.lexicon import BASE_VERBS
from service.extraction.patterns.grammar import row
from service.extraction.rows import Row

_STYLE = (
    r"(?:units?|spelling|english|german|french|spanish|italian|portuguese|chinese|japanese|formats?|formatting"
    r"|tones?|bullet points?"
    r"|bullets|tabs|spaces|indentation|quotes|semicolons|emojis?|emoticons|headings?|headers?|markdown|tables?"
    r"|currency|euros?"
    r"|dollars?|pounds|celsius|fahrenheit|kilomet(?:er|re)s|miles|kilos|clock|time|dates?|type hints|type annotations"
    r"|docstrings?|comments|snake_case|camelcase|camel case|snake case|language|sentences|paragraphs|words"
    r"|abbreviations"
    r"|jargon|slang|acronyms|latex|json|yaml|code blocks?|citations?|sources|references|links|footnotes|examples"
    r"|disclaimers"
    r"|apologies|apologizing|small talk|exclamation (?:marks?|points?)|filler|preambles?|introductions?|summar(?:y"
    r"|ies)|pronouns|nicknames?"
    r"|em dashes|oxford comma|passive voice|metaphors|titles?|numbered lists?|lists?|prose|pep ?8|style|conventions?"
    r"|fonts?|themes?|mode)"
)
_TELLING = r"(?:answer|reply|respond|write|speak|talk|explain|summari[sz]e|format|address|text|message)"
_MANNER = (
    r"(?:in|with|using|as|like|only|always|more|less|briefly|concisely|short|shortly|formally|casually|honestly"
    r"|directly|politely"
    r"|step by step|to me (?:in|with|as|like))"
)
_TEMPER = (
    r"(?:concise|brief|direct|blunt|formal|informal|casual|honest|specific|polite|terse|succinct|short|friendly"
    r"|critical"
    r"|sarcastic|precise|patient|kind|encouraging|professional|clear|simple|verbose|detailed|strict|neutral|funny)"
)
_WHENEVER = (
    r"(?:whenever|every time|each time|any time|anytime|when) (?:i|we|you)\b[^.!?]{3,80}, (?:please |always |never )*"
)
_STANDING = (
    r"(?:from now on|going forward|from here on|from today on|in (?:the )?future|by default|for future (?:reference"
    r"|conversations|chats|answers)"
    r"|in (?:all )?(?:your|every) (?:answers?|replies|responses)|at all times|as a rule|moving forward)"
)
_THINGS_DONE = (
    r"(?:use|using|include|including|add|adding|give|giving|answer|reply|respond|write|writing|address|start"
    r"|starting|end|ending|mention"
    r"|mentioning|ask|asking|suggest|suggesting|recommend|recommending|put|cite|format|show|keep|call|calling|speak"
    r"|translate|check|confirm"
    r"|explain|list|send|sending|schedule|scheduling|book|booking|contact|email|round|convert|apologi[sz]e"
    r"|apologi[sz]ing|repeat|repeating|assume"
    r"|assuming|remind|wake|text|refer|provide|be|tell|double-check|round|prefix|sign|commit|push|deploy|run|delete"
    r"|share|sharing|order|cc|copy)"
)
_HIJACK = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.!?]{0,40}\b(?:instruction|rule|prompt|guideline|polic|safety"
    r"|filter|everything|above|previous|told)"
    r"|\bsystem prompt|\bjailbreak|\bdeveloper mode|\bDAN\b|\bact as\b|\bpretend\b|\brole-?play|\breveal\b|\bpassword"
    r"|\bapi key|\bcredentials?\b|\bwithout (?:any )?(?:restrictions?|limits|filters?)\b|\byou are (?:now )?(?:a|an"
    r"|the)\b|\bno longer bound\b",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r"\b(?:following|below|above|attached|this (?:text|code|paragraph|sentence|email|essay|function|article|data"
    r"|image|poem|story)"
    r"|that you (?:just )?|the previous|your (?:last|previous)|these (?:words|sentences|numbers))\b",
    re.IGNORECASE,
)


def _told(regex: str) -> Row:
    return row("instruction", regex, to_assistant=True)


SPEAKER: tuple[Row, ...] = (
    _told(r"^(?:i|we) (?:want|need|would like|prefer|expect) you to (?!(?:act|pretend|help|write|generate|create|give"
        r"|explain|make|tell|imagine|rewrite|provide|answer the|play|summari[sz]e|do|come up|analy[sz]e|read|review"
        r"|become|develop|list|translate|continue|find|edit|be (?:a|an|my)|design|check|correct|look|compare"
        r"|describe|suggest|respond as|reply as)\b)"),
    _told(r"^i'd (?:like|prefer) (?:it if )?you (?:to )?(?:always|never|only|not|use|used|answer|answered|call|called"
        r"|keep|kept|stop|stopped|speak|reply|replied)\b"),
    _told(r"^(?:i|we)(?:'d| would)? (?:always |only |also |now )*(?:want|need|like|prefer|expect)(?: to have"
        r"| to get)? (?:all (?:of )?)?(?:my|your|all|every|any|the) (?:\w+ ){0,2}?(?:answers?|replies|responses"
        r"|summaries|explanations|invoices|reports|emails|messages|notifications|reminders|updates|documents|code"
        r"|tests|meetings|calls|quotes|prices|numbers|dates|receipts|orders|deliveries|packages|files|bills"
        r"|statements|lists|recipes|examples|tables)\b"),
)  # fmt: skip
OTHER: tuple[Row, ...] = (
    _told(rf"^(?:(?:also|and|so),? )?{_STANDING},? (?=[^.!?]{{4,200}})"),
    _told(rf"^(?:please )?(?:always|never) (?:please )?{_THINGS_DONE}\b"),
    _told(rf"^(?:please )?remember to (?:always |never )?{_THINGS_DONE}\b"),
    _told(rf"^(?:please )?{_WHENEVER}(?:{_THINGS_DONE}|{_TELLING}|i (?:want|need|expect|prefer|mean))\b"),
    _told(rf"^(?:please )?(?:{_THINGS_DONE}|{_TELLING})\b[^.!?]{{2,120}}\b(?:whenever|every time|each time|any time"
        rf"|anytime|when) (?:i|we) (?:ask|say|talk|write|send|mention|request|give|post|paste)\b"),
    _told(rf"^(?:please )?(?:{_THINGS_DONE}|{_TELLING})\b[^.!?]{{2,100}}[ ,]{_STANDING}[.!]*$"),
    _told(rf"^(?:please,? )?(?:no|avoid|skip|omit|drop|leave out|go easy on|stop (?:using|adding|with)|less|fewer"
        rf"|more) (?:more |the |any |using |all |so many |your )?(?:[\w-]{{2,20}} ){{0,2}}?{_STYLE}\b[^.!?]{{0,60}}"
        rf"(?:[.!]|$)"),
    _told(
        rf"^(?:please )?(?:don't|do not|stop|never|quit) {_THINGS_DONE} (?!(?:it|that|this|them)[.! ])[^.!?]{{2,140}}"
    ),
    _told(rf"^(?:please )?(?:use|prefer|stick to|stick with|default to|go for|switch to) (?:only |the |a |an |more "
        rf"|shorter |my )?(?:[\w/-]{{1,20}} ){{0,3}}?{_STYLE}\b(?! (?:below|above|to (?:write|solve"
        rf"|answer)))[^.!?]{{0,80}}(?:[.!]|$)"),
    _told(rf"^(?:please )?{_TELLING} (?:to me |me )?(?:only |always |everything |things |it )?{_MANNER}\b"
        rf"(?![^.!?]{{0,60}}\b(?:why|how|what|who|about)\b)[^.!?]{{0,60}}(?:[.!]|$)"),
    _told(rf"^(?:please )?(?:keep (?:it|things)|(?:keep|make) (?:your |the |all |all your |every )?(?:answers?|repl"
        rf"(?:y|ies)|responses?|explanations?|messages?|summaries|code|emails?)) (?:as )?(?:\w+ )?{_TEMPER}"),
    _told(r"^(?:please )?keep (?:your |the |all |all your )?(?:answers?|repl(?:y|ies)|responses?|explanations?"
        r"|messages?|summaries|emails?) (?:to|under|below|within|in|at) "),
    _told(rf"^(?:please )?(?:try to )?be (?:a bit |a little |much |as )?(?:more |less "
        rf"|very )?{_TEMPER}\b[^.!?]{{0,60}}(?:[.!]|$)"),
    _told(r"^(?:please )?(?:address|refer to) me (?:as|by|with|using) "),
    _told(r"^(?:please )?limit (?:your |the |all )?(?:answers?|repl(?:y|ies)|responses?|messages?|summaries) "),
    _told(r"^(?:please )?(?:don't|do not) (?:ever )?(?:call|text|email|contact|message|phone|disturb|wake|book"
        r"|schedule|invite) (?:me|us|meetings|calls|anything)\b"),
    row(
        "instruction",
        r"^(?:please )?(?:call|text|email|contact|message|reach) me (?:on|at|by|via|only|in|before|after) ",
        importance=0.65,
        to_assistant=True,
    ),
)  # fmt: skip


_COMMANDING = word_set("""
    please always never no avoid less fewer more stop don't dont do default going from by in at as whenever every
    each any anytime when moving and also so for remember just you everyone people friends let's lets let remind
    can could limit try be address text email mail cc reply respond follow check reach get back pick""")
_FIRST_WORD = re.compile(r"[\w'-]+")


def commands(first_word: str) -> bool:
    """Whether a sentence that opens with this word, in lower case, may be a command."""
    return first_word in _COMMANDING or first_word in BASE_VERBS


@lru_cache(maxsize=64)
def is_instruction(sentence: str) -> bool:
    """Whether the sentence tells the assistant how to behave from now on, and is no attempt to take it over."""
    first = _FIRST_WORD.match(sentence)
    word = first[0].lower() if first else ""
    rows = SPEAKER if word.partition("'")[0] in ("i", "we") else OTHER if commands(word) else ()
    return any(pattern.regex.match(sentence) for pattern in rows) and not is_takeover(sentence)


def is_takeover(sentence: str) -> bool:
    """Whether it tries to change what the assistant is, or is about a text at hand and not about what is to come."""
    return bool(_HIJACK.search(sentence) or _ONE_OFF.search(sentence))
