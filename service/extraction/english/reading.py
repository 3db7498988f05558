"""Candidates of a turn in English, read in stages.

1. ``sentences``: the speaker's own sentences, spelled as the patterns are, without what stands before the statement.
2. ``filters``: questions, hypotheticals, other people's words, jokes, small talk and fragments are out.
3. ``claims`` with ``facts`` and ``intentions``: clauses, their types and slots.
4. ``grammar``, ``dates`` and ``entities``: the memory in the third person, with absolute dates and whole addresses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from service.domain.times import Period
from service.domain.types import MemoryType
from service.domain.word_lists import word_set
from service.extraction.calendar import Grounded
from service.extraction.candidates import NOBODY, Candidate, Speaker, Turn, speaker_of
from service.extraction.english.claims import Claim, claims, generic_claim, row_of
from service.extraction.english.dates import ground
from service.extraction.english.entities import mentions
from service.extraction.english.filters import (
    addresses_listener,
    has_dangling_pronoun,
    is_fragment,
    is_garbled,
    is_small_talk,
    is_unreliable,
    is_unserious,
    statement_of,
    without_address,
)
from service.extraction.english.grammar import has_first_person, in_third_person
from service.extraction.english.intentions import is_instruction
from service.extraction.english.lexicon import BASE_VERBS, content_words, words
from service.extraction.english.sentences import (
    normalized,
    own_sentences,
    with_addresses,
    with_subject,
    without_addresses,
    without_opening,
)
from service.extraction.patterns import any_case

_PER_TURN_MAX = 24
_ANSWER_WORDS_MAX = 9
_QUESTION_CHARS_MAX = 140
_PLAIN_FACTS_CHARS_MAX = 1500  # what says nothing of its author in a longer turn is pasted material

_HAPPENING = frozenset({MemoryType.EVENT, MemoryType.OBSERVATION})
_TAKES_FOLLOW_UP = _HAPPENING | {MemoryType.FACT, MemoryType.GOAL, MemoryType.PREFERENCE}
_FOLLOWS = any_case(r"^(?:it|they|he|she|this|these)\b(?:'\w+)?\s")
_ASKS_OPENLY = any_case(
    r"\b(?:what|where|which|how|when|who|whose)(?:'s|'re)?\b[^?]{0,100}\byour?\b"
    r"|\byour?\b[^?]{0,60}\b(?:name|age|job)\b"
)
_ASKS_HOW_THEY_ARE = any_case(r"\b(?:how|what) (?:are|about|have|do) you\b|\bwhat's up\b|\bhow's\b")
_THIRD_PERSON_FACT = re.compile(
    r"^(?:(?:the|our)\s[\w'’-]{2,30}(?:\s[\w'’-]{1,30}){0,4}?|[A-Z][\w'’.&-]{0,30}(?:\s[\w'’.&-]{1,30}){0,4}?)\s(?:is"
    r"|are|was|were|has|have|had|uses?|costs?|works?|lives?|runs?|belongs?|starts?|ends?|opens?|closes?|listens?|takes?"
    r"|needs?|lasts?|arrived|comes?|came|goes|weighs?|measures?|requires?|supports?|contains?|owns?|handles?|manages?"
    r"|leads?|reports?|moved|joined|left|launched|shipped|will|depends?|relies|rely|hired|fired|acquired|bought|sold"
    r"|merged|raised|opened|closed|founded|released|announced|signed|appointed|promoted|won|lost|married|graduated"
    r"|retired|died|broke|started|finished|became|switched|adopted|speaks?|studies|teaches|plays?|drives?|maintains?"
    r"|wrote|built|created|replaced|sits|sit|expires?|arrives?|leaves?|meets?|happens?|serves?|hosts?|stores?|deploys?"
    r"|points?|lies|lists?|produces?|makes?|sells?|employs?|sponsors?|sponsored|hosts|approved|rejected|cancelled"
    r"|canceled|postponed|delayed|paid|pays?|offers?|got|holds?)\s",
)
_SHOWS = any_case(r"\b(?:here's|here is|here are|this is|check (?:it|this) out|take a look|look at)\b")
_NOT_A_TOPIC = any_case(
    r"^(?:there|what|who|where|when|how|why|which|this|that|these|those|it|he|she|they|everyone|everything"
    r"|nothing|something"
    r"|life|one|some|any|all|most|your|another|such|having|being|seeing|here|sometimes|each|every|nobody|people)\b"
)
_ADVERB = any_case(r"^(?:please |always |never |just |then |now |also |don't |do not |kindly )+")
_OBJECTS = word_set("me us my our the a an this these those it them some all more how what when why only")
_REMEMBER = any_case(
    r"^(?:(?:please|pls|hey|ok|okay|and|also|so|just|could you|can you|i want you to|i'd like you to),? ){0,3}"
    r"(?:remember|note down|note|keep in mind|bear in mind|don't forget|make a note|take note|memori[sz]e|save this"
    r"|for the record|for future reference|fyi)(?: this| the following)?(?: that)?[,:–-]* "
    r"(?P<what>(?!to\b|when\b|how\b|me\b|us\b|it\b|this\b|that one\b)\S.{3,500})$"
)
_HAS = any_case(r"(?:i|we|i've|we've) (?:have|got|don't have|do not have|own) (?:an?|two|three|four|no|any|\d+)\b")
_ASKS_OF_OTHERS = any_case(r"\b(?:he|she|they|him|her|them|his)\b(?:'\w+)?[^?.!]{0,80}\?\s*$")
_LISTENER = any_case(r"\b(?:you|your|u|ur)\b")
_MODAL_FIRST = any_case(r"^(?:must|should|can|could|has to|needs to) ")
_FIGURE_OR_NAME = re.compile(r"\d|(?<=[a-z,;:] )[A-Z][\w.]+")


def statements_in(turn: Turn, people: Collection[str], before: Turn | None) -> list[Candidate]:
    """Return the memories that a turn in English states, in the order they were said; never raises on any text.

    ``before`` is the turn right before it, for the question it may ask; ``people`` are names known to be persons.
    """
    speaker = speaker_of(turn)
    content, addresses = without_addresses(turn.content)
    found: list[Candidate] = []
    follows = False
    own = [sentence for sentence in own_sentences(content, normalized) if not is_unserious(sentence)]
    opened = [without_opening(sentence, people) for sentence in own]
    elliptic = before is not None and _asks_of_others(before.content)
    for said, sentence in zip(own, opened, strict=True):
        stated = _reliable(sentence, speaker, len(content), elliptic=elliptic)
        if stated is None or (has_dangling_pronoun(stated) and not _says_of_what(stated, speaker)):
            more = _follow_up(sentence, stated, speaker) if follows else None
            found[-1:] = [extended(found[-1], more, turn, addresses)] if more else found[-1:]
            follows = more is not None
            if follows:
                continue
            stated = None
        read = [] if stated is None else claims(stated, alone=speaker.alone)
        kept = [claim for claim in read if _is_informative(claim) and not is_garbled(claim.text)]
        proposed = [
            candidate_of(claim, turn, speaker, people, addresses) for claim in kept or _to_be_remembered(said, speaker)
        ]
        if stated is None and not proposed:
            continue
        found.extend(proposed)
        follows = len(proposed) > 0 and proposed[-1].type in _TAKES_FOLLOW_UP
        if len(found) >= _PER_TURN_MAX:
            break
    if not found and before is not None:
        found.extend(_answer(opened, turn, before, speaker, people))
    return found[:_PER_TURN_MAX]


def _to_be_remembered(sentence: str, speaker: Speaker) -> list[Claim]:
    """Return what a user asks to be remembered, in the user's words."""
    asked = _REMEMBER.match(sentence) if speaker.alone else None
    if asked is None or sentence.endswith("?") or addresses_listener(asked["what"]):
        return []
    what = asked["what"]
    if not content_words(words(what)):
        return []
    return [replace(generic_claim(f"{what[:1].upper()}{what[1:]}"), importance=0.7, confidence=0.8)]


def _asks_of_others(content: str) -> bool:
    """Return whether its last question is about somebody else, so that an answer without a subject is too."""
    question = content[-_QUESTION_CHARS_MAX:]
    return bool(_ASKS_OF_OTHERS.search(question)) and not _LISTENER.search(question)


def _reliable(sentence: str, speaker: Speaker, turn_chars: int, *, elliptic: bool = False) -> str | None:
    """Return the sentence if it is the speaker's own statement about themselves or the world, with its subject; else
    None.

    ``elliptic``: without a subject it is about somebody else.
    """
    if len(sentence) < 6:
        return None
    stated = statement_of(sentence)
    if stated is None:
        return None
    instructs = speaker.alone and is_instruction(stated)
    if is_unreliable(stated, instructs=instructs):
        return None
    if instructs:
        return stated
    stated = without_address(stated if elliptic else with_subject(stated)).strip()
    if not stated or _says_nothing(stated, speaker):
        return None
    if _MODAL_FIRST.match(stated) and row_of(stated, alone=speaker.alone) is None:
        return None
    if has_first_person(stated):
        commands = _commands(stated) and row_of(stated, alone=speaker.alone) is None
        return None if commands else stated
    if turn_chars > _PLAIN_FACTS_CHARS_MAX:
        return None
    return stated if row_of(stated, alone=speaker.alone) or _is_plain_fact(stated) else None


def _says_nothing(sentence: str, speaker: Speaker) -> bool:
    """Return whether it is talk, or about the listener; a decision, a todo and who somebody is are said in such words
    too."""
    talk = is_small_talk(sentence, alone=speaker.alone)
    if not talk and not addresses_listener(sentence):
        return False
    row = row_of(sentence, alone=speaker.alone)
    if row is None:
        return True
    names_value = row.type is MemoryType.IDENTITY or (row.slot or "").startswith("{")
    return not names_value and (not talk or row.type not in (MemoryType.DECISION, MemoryType.TODO))


def _says_of_what(sentence: str, speaker: Speaker) -> bool:
    """Return whether it needs nothing before it though it has a pronoun: an instruction, a new value of something
    named."""
    if speaker.alone and is_instruction(sentence):
        return True
    row = row_of(sentence, alone=speaker.alone)
    return row is not None and (row.type is MemoryType.GOAL or (row.slot or "").startswith("{"))


def _commands(sentence: str) -> bool:
    """Return whether the sentence opens with an imperative: "show me how", not "work has kept me busy"."""
    first, _, rest = _ADVERB.sub("", sentence).partition(" ")
    second = rest.partition(" ")[0].lower()
    return first.lower() in BASE_VERBS and second in _OBJECTS


def _is_plain_fact(sentence: str) -> bool:
    subject = None if _NOT_A_TOPIC.match(sentence) else _THIRD_PERSON_FACT.match(sentence)
    if subject is None or not _FIGURE_OR_NAME.search(sentence, 1):
        return False
    return bool(content_words(words(sentence[subject.end() :])))


def _is_informative(claim: Claim) -> bool:
    said = words(claim.text)
    news = content_words(said)
    if claim.slot is not None:
        return True
    if claim.confidence < 0.75 and is_fragment(claim.text):
        return False
    named = bool(_FIGURE_OR_NAME.search(claim.text, 1))
    plain = claim.type in (MemoryType.EVENT, MemoryType.FACT) and (len(said) >= 6 or bool(_HAS.match(claim.text)))
    return len(news) + named >= (1 if plain or claim.confidence >= 0.75 else 2)


def _follow_up(sentence: str, stated: str | None, speaker: Speaker) -> str | None:
    """Return what a sentence that needs its context adds to the memory right before it, in the third person."""
    if stated is None:
        if not _FOLLOWS.match(sentence) or "?" in sentence or is_unreliable(sentence) or addresses_listener(sentence):
            return None
        stated = sentence
    if len(content_words(words(stated))) < 2 or _SHOWS.search(stated):
        return None
    return in_third_person(closed(stated), speaker.name)


def _answer(
    opened: Sequence[str], turn: Turn, before: Turn, speaker: Speaker, people: Collection[str]
) -> Iterator[Candidate]:
    """Yield a short answer to an open question about the speaker, told together with the question."""
    if not opened or (before.speaker == turn.speaker and before.role == turn.role):
        return
    questions = [line for line in own_sentences(before.content) if line.endswith("?")]
    answer = opened[0]
    if not questions or len(questions[-1]) > _QUESTION_CHARS_MAX or not _ASKS_OPENLY.search(questions[-1]):
        return
    said = words(answer)
    if (
        not 0 < len(said) <= _ANSWER_WORDS_MAX
        or answer.endswith("?")
        or is_unreliable(answer)
        or has_dangling_pronoun(answer)
    ):
        return
    news = [word for word in content_words(said) if not any(word == name.casefold() for name in people)]
    if not news or _ASKS_HOW_THEY_ARE.search(questions[-1]) or is_small_talk(answer) or addresses_listener(answer):
        return
    content = f"Asked “{questions[-1]}”, {speaker.name if speaker.name != NOBODY else 'the user'} said “{answer}”"
    evidence: tuple[UUID, ...] = (before.id, turn.id) if before.role == "user" else (turn.id,)
    yield Candidate(
        type=MemoryType.OBSERVATION,
        content=content,
        evidence=evidence,
        subject=speaker.subject,
        occurred=Period.of_days(turn.at),
        importance=0.4,
        confidence=0.5,
        mentions=mentions(answer, people, speaker.name),
    )


CONTENT_CHARS_MAX = 600

_DATES = ("date", "deadline", "eta")
_FROM_TO = re.compile(r"\bfrom\s[^.;]{1,40}?\sto\s")
_RECURS = any_case(
    r"\banniversary\b|\bbirthday\b(?! (?:party|dinner|bash|trip|present|gift|lunch|celebration))|\b(?:every"
    r"|each) year\b|\bannually\b|\bborn on\b(?![^.]{0,30}\d{4})"
)
_CUT_OFF = any_case(r" [-–—] even$")
_EMOJI_LAST = re.compile(r"(?:\s?[\u2600-\u27bf\u2b50\ufe0f\u200d\u2764\U0001f300-\U0001faff]){1,8}$")


def candidate_of(
    claim: Claim, turn: Turn, speaker: Speaker, people: Collection[str], addresses: Sequence[str]
) -> Candidate:
    """Return the memory that a claim proposes."""
    told = in_third_person(closed(claim.text), speaker.name)[:CONTENT_CHARS_MAX]
    forward = claim.type in (MemoryType.TODO, MemoryType.GOAL)
    dates = claim.grounded and not _RECURS.search(told)
    grounded = ground(told, turn.at, future=forward) if dates else Grounded(told)
    content = with_addresses(grounded.text, addresses)
    happened = grounded.period
    value = with_addresses(claim.value, addresses) if claim.slot and claim.value else None
    if happened is not None and claim.slot is not None and claim.slot.endswith(_DATES):
        happened = _moved_to(told, turn) or happened
        value = happened.iso()
    dated = happened is not None
    if claim.type in _HAPPENING and not dated:
        happened = grounded.happened(turn.at)
    return Candidate(
        type=claim.type,
        content=content if content.startswith(speaker.name) else content[:1].upper() + content[1:],
        evidence=(turn.id,),
        subject=speaker.subject,
        polarity=claim.polarity,
        slot=f"{_owner(claim, speaker)}/{claim.slot}" if claim.slot else None,
        value=value,
        occurred=happened,
        importance=round(min(1.0, claim.importance + 0.05 * dated), 2),
        confidence=round(max(0.1, claim.confidence), 2),
        mentions=mentions(content, people, speaker.name),
    )


def extended(candidate: Candidate, more: str, turn: Turn, addresses: Sequence[str]) -> Candidate:
    """Return a candidate with another sentence, already in the third person, behind its own."""
    content = f"{candidate.content} {with_addresses(ground(more, turn.at).text, addresses)}"
    return candidate if len(content) > CONTENT_CHARS_MAX else replace(candidate, content=content)


def closed(text: str) -> str:
    """Return a clause as a sentence: white space folded, loose marks at its ends gone, a full stop behind it."""
    text = _CUT_OFF.sub("", _EMOJI_LAST.sub("", " ".join(text.split()).strip(" ,;:-–—")))
    return text if text.endswith((".", "!", ")", '"', "”")) else f"{text}."


def _moved_to(clause: str, turn: Turn) -> Period | None:
    """Return the later date of "moved from June 12 to October 21"; None where it is no such statement."""
    moved = _FROM_TO.search(clause)
    later = ground(f"on {clause[moved.end() :]}", turn.at, future=True) if moved else None
    return later.period if later else None


def _owner(claim: Claim, speaker: Speaker) -> str:
    if claim.owner is None:
        return speaker.key
    owner = claim.owner.casefold()
    for possessive in ("my ", "our "):
        if owner.startswith(possessive):
            return f"{speaker.key}'s {owner.removeprefix(possessive)}"
    return owner
