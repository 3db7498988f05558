"""English grammar: what patterns are made of, clauses, the third person, the main verb, and tense.

A pattern is tried at the start of one clause, without regard to case; white space is a single blank. Its group
``value`` is what fills the slot, ``who``, ``kin`` or ``thing`` whose attribute that is (the speaker's without),
``attribute`` which.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.domain.types import MemoryType
from service.domain.word_lists import pairs, word_set
from service.extraction.candidates import Polarity
from service.extraction.english.lexicon import (
    ADVERBS,
    AUXILIARIES,
    BASE_VERBS,
    IRREGULAR_PAST,
    MODALS,
    PARTICIPLES,
    is_past,
    is_present,
    third_person,
    words,
)
from service.extraction.patterns import Pattern, any_case, stating

ADVERB = (
    r"(?:(?:really|also|just|always|still|absolutely|totally|truly|definitely|actually|personally|particularly"
    r"|especially|mostly|usually|generally|now|currently|recently|finally|already|do|only|simply|honestly|so|much"
    r"|deeply|kinda|highly|originally|both|all|even|ever|quite|very|rather|pretty|severely|strictly) )"
)
I_DO = rf"^(?:i|we) {ADVERB}{{0,2}}"
I_AM = rf"^(?:i'm|i am|we're|we are) {ADVERB}{{0,2}}(?:an? )?(?:big |huge |real )?"
I_HAVE = rf"^(?:i|we|i've|i have|we've|we have) {ADVERB}{{0,2}}"
I_DO_NOT = rf"^(?:i|we) {ADVERB}{{0,1}}(?:don't|do not|never) {ADVERB}{{0,2}}"
NO_MORE = r"^(?:i|we) (?:no longer|don't|do not) "
VALUE = r"(?P<value>(?!\s)(?:(?:(?:dr|mr|mrs|ms|prof|st)\. )?(?:[^,.;:!?()–—]|[.,](?=\w)){1,80}))"
CAPITALS = r"[A-Z][\w'’.&-]{0,30}(?:,? [A-Z][\w'’.&-]{0,30}){0,3}"
NAME = rf"(?P<value>(?-i:{CAPITALS}))"
PLACE = rf"(?P<value>(?:the )?(?-i:{CAPITALS}))"
PERSON = r"(?P<who>(?:my|our) [a-z-]{2,20}(?: (?-i:[A-Z]\w{1,20}))?|(?-i:[A-Z][\w-]{1,20}(?: [A-Z][\w-]{1,20}){0,2}))"
LIKE = r"(?:love|like|enjoy|adore|prefer|favou?r|cherish|treasure)"
HATE = r"(?:hate|dislike|detest|loathe|despise|avoid|can't stand|cannot stand|can't bear)"
DIET = (
    r"(?P<value>vegan|vegetarian|pescatarian|lactose intolerant|gluten[ -]free|celiac|coeliac|diabetic|halal|kosher"
    r"|keto)\b(?! (?:food|restaurants?|recipes?|options?|dish(?:es)?|cafes?))"
)
_CALLINGS = (
    r"nurse|teacher|engineer|developer|doctor|designer|lawyer|attorney|accountant|architect|journalist|scientist"
    r"|researcher|professor|programmer|manager|director|ceo|cto|cfo|coo|consultant|analyst|chef|baker|barista|driver"
    r"|pilot"
    r"|mechanic|plumber|electrician|carpenter|farmer|dentist|therapist|psychologist|counsell?or|pharmacist|paramedic"
    r"|firefighter|soldier|officer|librarian|editor|banker|screenwriter|filmmaker|intern|biologist|chemist|physicist"
    r"|mathematician|statistician|economist|translator|interpreter|veterinarian|vet|surgeon|physician|midwife|marketer"
    r"|recruiter|educator|cashier|waiter|waitress|technician|operator|administrator|secretary|clerk|salesperson|realtor"
    r"|student|freelancer|product owner|scrum master|team lead|tech lead|receptionist|welder|bartender|optician"
)
_PASTIMES = (
    r"artist|musician|writer|author|founder|veteran|photographer|dancer|actor|actress|singer|coach|trainer|athlete"
    r"|gamer|streamer|entrepreneur|tutor|pianist|guitarist|violinist|painter|sculptor|runner|volunteer|collector"
    r"|gardener"
)
_BEFORE_PROFESSION = (
    r"(?:(?!(?:of|for|with|to|the|an?|my|our|and|or|not|by|in|at|on|as|good|bad|terrible) )[\w-]{1,20} ){0,3}?"
)
PROFESSION = rf"(?P<value>{_BEFORE_PROFESSION}(?:{_CALLINGS}))\b(?!'s)"
ANY_PROFESSION = rf"(?P<value>{_BEFORE_PROFESSION}(?:{_CALLINGS}|{_PASTIMES}))\b(?!'s)"
EMPLOYER = (
    r"(?: (?:at|for) (?P<employer>(?-i:[A-Z][\w&-]{1,30}(?: [A-Z][\w&-]{1,30}){0,2}))(?= now\b| since\b|[.,!]|$))?"
)
PASTIME = rf"(?P<value>{_BEFORE_PROFESSION}(?:{_PASTIMES}))\b(?!'s)"
EVENT_NOUN = (
    r"(?:meeting|standup|stand-up|sync|retro|demo|review|call|interview|appointment|check-?up|exam|test|party|wedding"
    r"|launch|release|go-live|flight|train|trip|vacation|holiday|concert|dinner|lunch|lesson|class|course|workshop"
    r"|conference|webinar|session|kick-?off|surgery|operation|delivery|audit|inspection|hearing|game|match|race"
    r"|marathon|rehearsal|offsite|onboarding|presentation|closing|viewing|reservation|booking|graduation|recital|picnic"
    r"|barbecue|bbq|date night|move|deploy(?:ment)?|migration|sprint planning)"
)


def row(what: str, regex: str, **otherwise: Any) -> Pattern:
    """Return the row of this pattern; see ``stating``."""
    return stating(what, any_case(regex), **otherwise)


def likes(regex: str, polarity: Polarity = "positive") -> Pattern:
    """Return a row for a liking or a dislike of what follows it."""
    return row("likes", regex + VALUE, polarity=polarity)


_STARTS = (
    r"(?:i|we|my|i'm|i've|i'll|we're|we've|we'll|not|don't|hate|prefer|dislike|can't stand|never|only|just|from now on"
    r"|going forward|please|always|let's|lets|remind me|need to|have to|must|want to|our)\b"
)
_CLAUSE = any_case(
    rf"(?:(?<!\s) ?;|,? (?:but|yet|whereas|while|and|though|although|so)| [-–—]|,) (?:(?:also|instead|now|then|so|and"
    rf"|but) ){{0,2}}(?={_STARTS})|,? but (?=(?:love|like|enjoy)\b)|,(?: and)? (?=use (?:\w+ ){{0,3}}units\b|no emojis)"
    r"|, (?=[\w-]{2,20}(?: \w{2,20})? only[.!]?$)"
)
_CLAUSE_AFTER_HATE = any_case(rf"{_CLAUSE.pattern}|(?:,| and) (?=(?:love|like|enjoy)\b)")
_STARTS_HATE = any_case(r"^(?:i|we) (?:\w+ )?(?:hate|dislike|detest|can't stand|don't (?:like|enjoy|love))\b")
_LEAD = any_case(
    r"^(?:[\w'’ ]{2,45}, |i (?:think|guess|believe|feel like) (?:that )?|(?:these days|nowadays|currently|right now|now"
    r"|recently|lately|today|personally|since then|in general|as of (?:today|now|(?:this|last) (?:week|month|year))|so"
    r"|also|because|since|as) )(?=(?:i|we|my|our|i'm|i've|we're|we've|i'd|i'll|we'll)\b)"
)


def clauses(sentence: str) -> list[tuple[str, str]]:
    """Return the clauses of a sentence, each with what separates it from the one before."""
    return parted(sentence, _CLAUSE_AFTER_HATE if _STARTS_HATE.match(sentence) else _CLAUSE)


def parted(text: str, breaks: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return the parts of a text between ``breaks``, each with what separates it from the one before."""
    parts: list[tuple[str, str]] = []
    start, separator = 0, ""
    for match in breaks.finditer(text):
        parts.append((separator, text[start : match.start()]))
        start, separator = match.end(), match[0]
    return [*parts, (separator, text[start:])]


def without_lead(clause: str) -> str:
    """Return a clause without what stands before its subject: "These days", "I think", "After the trip,"."""
    lead = _LEAD.match(clause)
    return clause[lead.end() :] if lead else clause


_PIECE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[\W\d_]+")

_CONTRACTED = pairs("""
    i'm=am i've=have i'll=will i'd='d we're=are we've=have we'll=will we'd='d""")
_SINGULAR = pairs("""
    am=is have=has do=does don't=doesn't haven't=hasn't are=is were=was aren't=isn't weren't=wasn't ain't=isn't""")
_PLURAL = {"am": "are", "was": "were", "wasn't": "weren't", "is": "are", "ain't": "aren't", "has": "have"}
_SPELLED = (
    (any_case(r"\bgonna\b"), "going to"),
    (any_case(r"\bwanna\b"), "want to"),
    (any_case(r"\bgotta\b"), "have to"),
    (any_case(r"\bI've got\b(?! to\b)"), "I have"),
    (any_case(r"\bwe've got\b(?! to\b)"), "we have"),
    (any_case(r"\bI've got to\b"), "I have to"),
    (any_case(r"(?:(?<=\s)|^)['’]cause\b"), "because"),
)
_BEFORE_LIST = frozenset({": ", " - ", " – ", " — ", " ("})
"""Before a list of people: "five of us: me, Ana and her kids"."""
_FIRST_PERSON = any_case(
    r"\b(?:i|i'm|i've|i'll|i'd|me|my|mine|myself|we|we're|we've|we'll|we'd|us|our|ours|ourselves)\b"
)


@dataclass(slots=True)
class _Scene:
    """What has been said so far in the sentence being rewritten."""

    named: bool = False
    verb_seen: bool = False
    agrees: str | None = None  # "singular" or "plural": the next verb must agree with the subject just written
    coordinated: bool = False  # a singular present verb was written, so a verb after "and" agrees too
    previous: str = ""
    mark: str = ""  # what stands between the previous word and this one


def has_first_person(sentence: str) -> bool:
    """Return whether the speaker speaks of themselves."""
    return bool(_FIRST_PERSON.search(sentence.replace("’", "'")))


def in_third_person(sentence: str, name: str) -> str:
    """``sentence``, said by ``name``, told about them: "I" becomes the name once, then "they"; "my" "their".

    Verbs agree. "We" becomes "<name> and others", then "they". Words of the speaker are otherwise kept.
    The result begins with a capital letter and ends with its own punctuation.
    """
    sentence = sentence.replace("’", "'")
    for pattern, spelled in _SPELLED:
        sentence = pattern.sub(spelled, sentence)
    scene = _Scene()
    pieces = _PIECE.findall(sentence)
    written = "".join(_rewrite(piece, pieces[i + 1 : i + 4], scene, name) for i, piece in enumerate(pieces))
    written = re.sub(r"\bThe user\b(?!$)", "the user", written) if name == "The user" else written
    return written if written.startswith(name) else written[:1].upper() + written[1:]


def _rewrite(piece: str, ahead: list[str], scene: _Scene, name: str) -> str:
    if not piece[0].isalpha():
        scene.mark = piece
        if any(mark in piece for mark in ",;:-–—.!("):
            scene.agrees = None if scene.agrees and "," not in piece else scene.agrees
        return piece
    word = piece.lower()
    written = _pronoun(word, piece, ahead, scene, name) or _verb(word, piece, ahead, scene)
    scene.previous = word
    return written


def _pronoun(word: str, piece: str, ahead: list[str], scene: _Scene, name: str) -> str | None:
    if word in _CONTRACTED:
        subject = _subject(scene, name, plural=word.startswith("we"), joinable=False)
        auxiliary = _auxiliary(_CONTRACTED[word], ahead)
        number, scene.agrees, scene.verb_seen = scene.agrees, None, True
        scene.coordinated = False
        return f"{subject} {(_SINGULAR if number == 'singular' else _PLURAL).get(auxiliary, auxiliary)}"
    if piece == "I" or word == "i":
        return _subject(scene, name, plural=False)
    if word == "we":
        return _subject(scene, name, plural=True)
    if word == "me" and scene.mark in _BEFORE_LIST:
        scene.named = True
        return name
    if word in ("me", "us"):
        others = f"{name} and others" if word == "us" else name
        return _named(scene, others, "them")
    if word in ("my", "our", "mine", "ours"):
        if piece[0].isupper() and scene.previous and ahead[1:] and ahead[1][0].isupper():
            return None  # part of a name: My Bloody Valentine
        later = "their" if word in ("my", "our") else "theirs"
        return _named(scene, f"{name} and others'" if word in ("our", "ours") else f"{name}'s", later)
    return _named(scene, name, "themselves") if word in ("myself", "ourselves") else None


def _named(scene: _Scene, first: str, later: str) -> str:
    written = later if scene.named else first
    scene.named = True
    return written


def _subject(scene: _Scene, name: str, *, plural: bool, joinable: bool = True) -> str:
    compound = joinable and scene.previous == "and" and not scene.verb_seen and not plural
    if compound:
        scene.agrees, scene.named = "plural", True
        return name
    if scene.named:
        scene.agrees = "plural"
        return "they"
    scene.named = True
    scene.agrees = "plural" if plural else "singular"
    return f"{name} and others" if plural else name


def _auxiliary(contracted: str, ahead: list[str]) -> str:
    if contracted != "'d":
        return contracted
    following = [word.lower() for word in ahead if word[0].isalpha()]
    after = next((word for word in following if word not in ADVERBS), "")
    return "had" if after in PARTICIPLES or after == "better" or after.endswith("ed") else "would"


def _verb(word: str, piece: str, ahead: list[str], scene: _Scene) -> str:
    if scene.agrees is None:
        return _coordinated(word, piece, ahead, scene)
    if word in ADVERBS or (word.endswith("ly") and word not in BASE_VERBS) or word == "not":
        return piece
    number, scene.agrees = scene.agrees, None
    scene.verb_seen = True
    if number == "plural":
        return _PLURAL.get(word, piece)
    if word in _SINGULAR:
        return _SINGULAR[word]
    if word in AUXILIARIES or word not in BASE_VERBS or _reads_as_past(word, ahead) or ahead[:1] == ["-"]:
        return piece
    scene.coordinated = True
    return third_person(word)


def _coordinated(word: str, piece: str, ahead: list[str], scene: _Scene) -> str:
    if word in ("to", "that", "because", "who", "which", "when", "while", "they", "is", "are", "was", "were"):
        scene.coordinated = False
    if scene.coordinated and scene.previous in ("and", "but", "or") and word in BASE_VERBS:
        after = next((word.lower() for word in ahead if word[0].isalpha()), "")
        if after in ("a", "an", "the", "my", "our", "it", "them", "on", "in", "at", "to", "for", "with", "about"):
            return third_person(word)
    if word in AUXILIARIES or word.endswith("'s") or is_past(word) or word[:-1] in BASE_VERBS:
        scene.verb_seen = True
    return piece


def _reads_as_past(word: str, ahead: list[str]) -> bool:
    """ "put", "read" and the like: the past wherever it is not plainly a habit."""
    return word in ("put", "cut", "hit", "set", "quit", "let", "read", "hurt", "bet")


_STATIVE = word_set("""
    was were felt thought realized wanted knew loved liked needed hoped believed enjoyed had understood seemed""")
_HELD = word_set("have own use speak drive live work wear watch play celebrate believe cook eat drink")


def kind_of(sentence: str) -> tuple[MemoryType, float]:
    """Return the type by the main verb after "I" or "we"; what has neither is an observation."""
    heard = words(without_lead(sentence))
    auxiliary = ""
    for at, word in enumerate(heard[:14]):
        if word not in ("i", "we", "i'm", "i've", "we're", "we've", "i'll", "we'll", "i'd"):
            continue
        auxiliary = word.partition("'")[2]
        verb = next(
            (w for w in heard[at + 1 : at + 5] if w not in ADVERBS and (w in BASE_VERBS or not w.endswith("ly"))), ""
        )
        if verb == "used" or (verb == "got" and auxiliary == "ve"):
            return MemoryType.FACT, 0.5
        if auxiliary == "ve" or (verb == "have" and not auxiliary and set(heard[at + 2 : at + 4]) & PARTICIPLES):
            return (MemoryType.OBSERVATION, 0.45) if verb == "been" else (MemoryType.EVENT, 0.5)
        if verb in ("don't", "do") and set(heard[at + 2 : at + 4]) & _HELD:
            return MemoryType.FACT, 0.5
        if auxiliary or verb in _STATIVE or verb in MODALS or verb in ("am", "are", "don't", "didn't", "feel", "think"):
            return MemoryType.OBSERVATION, 0.4
        if is_past(verb):
            return MemoryType.EVENT, 0.5
        if verb in BASE_VERBS:
            return MemoryType.FACT, 0.5
        return MemoryType.OBSERVATION, 0.4
    if not has_first_person(sentence):
        return MemoryType.FACT, 0.5
    if set(heard) & {"is", "are", "has", "have", "'s", "lives", "works", "uses"} and heard[:1] in (["my"], ["our"]):
        return MemoryType.FACT, 0.5
    if heard[:1] in (["my"], ["our"]) and any(
        (word[:-1] if word.endswith("s") else word) in BASE_VERBS for word in heard[2:5]
    ):
        return MemoryType.FACT, 0.5
    return MemoryType.OBSERVATION, 0.4


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
_COMING = any_case(
    r"\b(?:appointment|meeting|flight|deadline|exam|interview|party|wedding|concert|dinner|trip|reservation|demo|launch"
    r"|release|call|surgery|conference|due|upcoming|presentation|standup|review)\b"
)

_HAVE_GOT = any_case(
    r"\bgot (?:an? |my |the |another )?(?:[\w']{2,20} ){0,2}(?:appointment|interview|meeting|exam|flight|surgery"
    r"|evening|shift|viewing)s? ?$"
)
"""What is still to come when somebody has "got" it."""

_ANNIVERSARY = any_case(r"\bbeen [\w' ]{1,40} years? ?$")
"""Before "in January": "I've been a widow nine years in January"."""


def lies_ahead(text: str, start: int, end: int, preposition: str) -> bool | None:
    """Return whether the date at ``start`` to ``end`` lies ahead of when ``text`` was said; None where nothing
    tells."""
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
    """Return what a past form says: "booked a table for Friday" and "decided to meet on Friday" look ahead, and
    "getting married" and "getting the roof fixed" as their "getting" does."""
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
    """Return whether "put" after it is the past of "puts"."""
    return bool(subject) and subject not in _PLAIN_BEFORE and subject not in _FUTURE and not subject.endswith("s")


def _is_past(word: str) -> bool:
    if word in _PAST_DO or (word in IRREGULAR_PAST and word not in _PRESENT_TOO):
        return True
    return word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST


def _is_present(word: str) -> bool:
    return len(word) > 3 and (is_present(word) or (word.endswith("ies") and word[:-3] + "y" in BASE_VERBS))
