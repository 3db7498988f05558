"""Openings of a sentence: interjections and names called out are removed, a dropped "I" is put back."""

from __future__ import annotations

import re
from collections.abc import Collection

from service.domain.word_lists import word_set
from service.extraction.introductions import introduction
from service.extraction.lexicon import IRREGULAR_PAST, gerund_base, is_past, is_present
from service.extraction.patterns.tables import LEFT_FOR

_STRIPS_MAX = 6

_LOOSE = re.compile(
    r"(?:and|but|so+|also|plus|well|oh|ah|btw|by the way|anyways?|actually|honestly|yeah|yep|yup|yes|okay|ok|haha"
    r"|lol|luckily"
    r"|a lot(?:'s| has) (?:happened|changed)[\w ]{0,25}|that's why|that is why|since (?:our|we) last (?:chat|talk"
    r"|chatted|talked|spoke)|thankfully|unfortunately|fortunately|sadly|basically|meanwhile|guess what"
    r"|you won't believe it|hey|ugh"
    r"|hmm+|um+|uh|nah|omf?g|ngl|tbh|smh|yo|fml|heads up|lmf?ao"
    r"|(?:br(?:o|uh|other)|dude|man|mate|girl)(?=,? (?:i|i'm|i've|we|we're|my)\b)"
    r"|like(?=,? (?:i|i'm|i've|we|we're|we've|she|she's|he|he's|they|they're|they've|it's|on|at|last|yesterday)\b)"
    r"|(?:i )?(?:can't|cannot) believe it,? but|(?:i )?hate to (?:say it|be that (?:guy|girl|person)),? but"
    r"|turns out(?: that)?|(?:i |we )?haven't (?:talked|chatted|spoken) (?:in|for) [\w ]{2,20}(?=,)"
    r"|long story short|kinda(?= (?:miss|want|need|love|like|hate)\b)"
    r"|(?:my |our )?new (?:address|job|home|place|flat|apartment)(?=[:!,-] (?:i|we|i'm|we're|i've|we've)\b)"
    r"|(?:n|right)(?=,? (?:i|i'm|i've|we|we're|my)\b)"
    r"|(?:i think )?i should (?:probably )?(?:tell you|let you know|mention|say)(?: about [\w' ]{2,30}(?=,)| that)?"
    r"|(?:too|bit|a bit|quite|pretty|super) [\w']{2,15}(?: for (?:me|us))?(?=, (?:i|i'm|i've|we|we're|my)\b)"
    r"|(?:hi|hello|hey),? (?!i\b|we\b)\w{2,15} here(?=,)"
    r"|(?:please )?(?:remember|note|keep in mind|be aware) that|for the record)\b[\s,.!:;–—-]{1,5}",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"(?:(?:wow|woah|whoa|hi|hello|thanks|thank you|thx|thanks (?:so much|a lot|a bunch|again|for asking)"
    r"|thank you so much"
    r"|no|nope|nah|sure|sure thing|absolutely|definitely|totally|exactly|right|cool|awesome|great|nice|amazing"
    r"|sweet|aw+|woo+(?:hoo+)?|whoop|phew|yikes"
    r"|correction|note|true|indeed|of course|for sure|no worries|no problem|no doubt|good (?:morning|evening|afternoon)"
    r"|on another note|(?:i )?(?:think|guess|hope|suppose) so"
    r"|to be honest|in fact|as always|you know|i mean|i think|fun fact|good news|great news|big news|update|yay"
    r"|man|dude|fyi|so far so good"
    r"|not much|not really|same here|me too|i know|i see|trust me"
    r"|i agree|totally agree|congrats|as for me|for me|on my end"
    r"|in my case|in other news|also|recently|speaking of [\w\s']{2,40}|like)"
    r"(?: (?-i:[A-Z][a-z]{1,15}))?)\s?(?:[,!.:;–—]|-(?=\s)){1,3}\s*",
    re.IGNORECASE,
)
_CALLED = re.compile(r"([A-Z][a-z]{1,15})(?:,|!)\s+")
_CALLED_LAST = re.compile(r",\s([A-Z][a-z]{1,15})(?=[.!]{0,3}$)")
_LEADING_MARKS = re.compile(r"^[^\w\"“'‘$€£(]+")
_DROPPED = re.compile(
    r"^(just|always|still|finally|also|recently|already|even|actually|probably|never)\s(?=[a-z])", re.IGNORECASE
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|'s|helps?|helped|makes?|made|gives?|gave|brings?|brought|can|will|would"
    r"|lets?|gets?|means?"
    r"|takes?|keeps?|feels?|felt|really|always|inspires?|requires?|teaches|taught|sounds?|seems?|reminds?|does"
    r"|did|must|could)\b",
    re.IGNORECASE,
)
_FEELING = re.compile(
    r"^(?:so |really |super |very )?(?:excited|thrilled|proud|lucky|grateful|nervous|stressed|determined|ready"
    r"|eager|hopeful"
    r"|worried|tired|glad|happy)\s(?:to|about|for|that|of|with|because|i|we|my|our)\b",
    re.IGNORECASE,
)
_BARE_VERB = re.compile(
    r"^(?:not (?:a (?:big |huge )?fan of|keen on|into)|can't (?:do|eat|drink|have)|miss|want|wanna|need|hope"
    r"|plan|love|hate|prefer|enjoy|gotta|have to|used to|can't stand|don't like|didn't"
    r"|haven't)\b\s"
    r"(?!you|it|that|this|me\b|us\b|is\b|and\b|was\b|in\b|of\b|can\b|are\b|to see\b)",
    re.IGNORECASE,
)
_AFTER_VERB = re.compile(
    r"^\w+\s(?:the|an?|my|our|some|to|at|in|on|up|out|down|off|with|for|about|this|these|lots|two|three|his|her"
    r"|their|over|back|around|into)\b|^\w+ \w+, (?:i|i'm|i've|we|we're|my)\b",
    re.IGNORECASE,
)
_GOING_IS_SUBJECT = re.compile(
    r"^going to (?:the |an? |my |our )?\w++[^,;.]*\b(?:is|was|are|were|has|had|have|made|makes|gave|gives|helped|helps|"
    r"felt|feels|taught|showed|brought|brings)\b",
    re.IGNORECASE,
)
_GERUND_SUBJECTS = word_set("going being seeing having knowing hearing")
_NO_DROPPED_I = word_set("bit let put cut set read quit hit shut hurt bet stuck")
_KIN = re.compile(
    r"^(?:m[uo]m(?:my)?|dad(?:dy)?|gran(?:d(?:m|p)a|ny)?|husband|wife|boss|landlord|(?:boy|girl)friend|roommate"
    r"|sister|brother|neighbou?r)(?:'s)? (?=[a-z])",
    re.IGNORECASE,
)
_TAGS = re.compile(
    r"(?:,?(?: [-–—])? (?:k|kk|xx|xxx|btw|smh|ngl|tbh|imo|imho|omg|no debate|I (?:guess|think)|wish me luck"
    r"|(?:I )?can't wait|thank god|ugh|fr|if (?:that|it) (?:matters|helps|counts)"
    r"|if you(?:'re interested| care| must know))){1,4}(?=[.!]{0,3}$)",
    re.IGNORECASE,
)
_BY_THE_WAY = re.compile(r",? btw(?=,| (?:so|and|but)\b)", re.IGNORECASE)
_DONE_TO_ME = re.compile(
    r"^they (?P<done>promoted|hired|fired|offered|gave|accepted|rejected|laid) me\b(?: (?P<off>off)\b)?", re.IGNORECASE
)
_TAIL = re.compile(
    r"(?:,? so|\s[-–—]|;|,)? let's [^.!?]{1,80}(?=[.!]|$)"
    r"|[,;] (?:why|how come|what|who) (?:am|are|do|did) (?:i|you|we)\b[^.!?]{1,60}(?=[.!]|$)",
    re.IGNORECASE,
)
_HEDGED = re.compile(r",? I (?:think|guess|reckon|suppose)(?=,)", re.IGNORECASE)
_QUIT = re.compile(r"^quit (?:in|last|on|my|the|this|smoking|drinking|back)\b", re.IGNORECASE)


def without_opening(sentence: str, people: Collection[str]) -> str:
    """The sentence without leading interjections ("Wow,", "Thanks, Mel!") and without the listener's name."""
    sentence = _LEADING_MARKS.sub("", sentence)
    for _ in range(_STRIPS_MAX):
        match = introduction(sentence) or _STRICT.match(sentence) or _LOOSE.match(sentence)
        if match is None:
            match = _CALLED.match(sentence)
            if match is None or not _is_called(match[1], people):
                break
        sentence = _LEADING_MARKS.sub("", sentence[match.end() :])
    last = _CALLED_LAST.search(sentence)
    if last is not None and _is_called(last[1], people):
        sentence = sentence[: last.start()] + sentence[last.end() :]
    sentence = _HEDGED.sub("", _BY_THE_WAY.sub("", _TAGS.sub("", sentence)))
    return sentence if sentence[:4].lower() in ("let'", "lets") else _TAIL.sub("", sentence)


def _is_called(word: str, people: Collection[str]) -> bool:
    return any(
        name == word or (name.startswith(word[:3]) and len(word) > 2) or (len(word) == 2 and name.startswith(word))
        for name in people
    )


def with_subject(sentence: str) -> str:
    """ "Went hiking" becomes "I went hiking", "Researching schools" "I'm researching schools"; else unchanged."""
    adverb = _DROPPED.match(sentence)
    head = adverb[0].lower() if adverb else ""
    rest = sentence[len(head) :]
    first = rest.split(" ", 1)[0].lower().strip(",.!")
    done = _DONE_TO_ME.match(sentence)
    if done is not None:
        participle = "given" if done["done"].lower() == "gave" else done["done"].lower()
        return f"I was {participle}{' off' if done['off'] else ''}{sentence[done.end() :]}"
    if (LEFT_FOR.match(sentence) and first in ("quit", "left")) or _QUIT.match(sentence):
        return f"I {_lowered(sentence)}"
    if _KIN.match(sentence):
        return f"My {_lowered(sentence)}"
    if first == "been":
        return f"I've {head}{_lowered(rest)}"
    if (
        first in ("gonna", "going")
        and re.match(r"(?:gonna|going to)\s(?!be\b)", rest, re.IGNORECASE)
        and not _GOING_IS_SUBJECT.match(rest)
    ):
        return f"I'm {head}{_lowered(rest)}"
    if (
        is_past(first)
        and first not in _NO_DROPPED_I
        and (first in IRREGULAR_PAST or _AFTER_VERB.match(rest))
        and not re.match(r"^\w+ (?:by|is|was|are|has)\b", rest)
    ):
        return f"I {head}{_lowered(rest)}"
    if first not in _GERUND_SUBJECTS and gerund_base(first) is not None and not _has_finite_verb(rest):
        return f"I'm {head}{_lowered(rest)}"
    if _FEELING.match(rest):
        return f"I'm {head}{_lowered(rest)}"
    if _BARE_VERB.match(rest):
        return f"{'I am' if first == 'not' else 'I'} {head}{_lowered(rest)}"
    return sentence


def _has_finite_verb(text: str) -> bool:
    """Whether a verb makes an opening gerund the subject: "Trying new flavors has been fun"."""
    clause = re.split(r";|\s[-–—]\s", text, maxsplit=1)[0]
    return bool(_FINITE.search(clause)) or any(_is_third_person(word) for word in clause.lower().split()[2:])


def _is_third_person(word: str) -> bool:
    return len(word) > 4 and is_present(word)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
