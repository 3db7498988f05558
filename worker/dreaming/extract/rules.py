"""The extractor used where no LLM is configured: what people said of themselves, by rules.

It proposes only what a speaker stated in their own words: no questions, hypotheticals, quotations, small talk, no
turns of the assistant, no recalled memories, no code. Statements are told in the third person, with absolute dates and
the speaker's own words. It is pure, deterministic, and linear in the length of the text. Turns in German, French,
Spanish and Chinese are read by :mod:`worker.dreaming.extract.languages`; other languages yield nothing rather than
something wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from service.domain.guards import normalize
from service.domain.types import MemoryType
from worker.dreaming.candidates import Candidate, Turn
from worker.dreaming.extract import filters
from worker.dreaming.extract.claims import Claim, claims, instructs_assistant, is_directive
from worker.dreaming.extract.dates import ground
from worker.dreaming.extract.languages.detection import spoken
from worker.dreaming.extract.languages.grammar import Language
from worker.dreaming.extract.languages.reading import Speaker, statements_in
from worker.dreaming.extract.lexicon import BASE_VERBS, BLAND, STOPWORDS, gerund_base, is_past, listed
from worker.dreaming.extract.mentions import mentions
from worker.dreaming.extract.sentence_openings import with_subject, without_opening
from worker.dreaming.extract.sentences import own_sentences
from worker.dreaming.extract.third_person import has_first_person, in_third_person

_PER_TURN_MAX = 24
_CONTENT_CHARS_MAX = 600
_ANSWER_WORDS_MAX = 9
_QUESTION_CHARS_MAX = 140
_NOBODY = "The user"

_HAPPENING = frozenset({MemoryType.EVENT, MemoryType.OBSERVATION})
_TAKES_FOLLOW_UP = _HAPPENING | {MemoryType.FACT, MemoryType.GOAL, MemoryType.PREFERENCE}
_PRONOUNS = frozenset(listed("it it's they they're he he's she she's him them there ones"))
_POSSESSIVES = frozenset(listed("his her its their"))
_POINTERS = frozenset(listed("this these those"))
_PREPOSITIONS = frozenset(listed("of about for with like from on in at to"))
_TIME_NOUNS = frozenset(
    listed(
        "week month year weekend morning afternoon evening summer winter spring fall days night moment point"
        " autumn season time past"
    )
)
_BOUNDARY = frozenset(
    listed(
        ", ; - – — : ( and but or so because since that which who when while after before where though although"
        " then how what"
    )
)
_PIECE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d.,:/]*|[,;:(]|(?<=\s)[-–—](?=\s)")
_FOLLOWS = re.compile(r"^(?:it|they|he|she|this|these)\b(?:'\w+)?\s", re.IGNORECASE)
_ASKS_OPENLY = re.compile(
    r"\b(?:what|where|which|how|when|who|whose)(?:'s|'re)?\b[^?]{0,100}\byour?\b"
    r"|\byour?\b[^?]{0,60}\b(?:name|age|job)\b",
    re.I,
)
_ASKS_HOW_THEY_ARE = re.compile(r"\b(?:how|what) (?:are|about|have|do) you\b|\bwhat's up\b|\bhow's\b", re.IGNORECASE)
_THIRD_PERSON_FACT = re.compile(
    r"^(?:(?:the|our)\s[\w'’-]{2,30}(?:\s[\w'’-]{1,30}){0,4}?|[A-Z][\w'’.&-]{0,30}(?:\s[\w'’.&-]{1,30}){0,4}?)"
    r"\s(?:is|are|was|were|has|have|had|uses?|costs?|works?|lives?|runs?|belongs?|starts?|ends?|opens?|closes?"
    r"|listens?|takes?|needs?"
    r"|requires?|supports?|contains?|owns?|handles?|manages?|leads?|reports?|moved|joined|left|launched|shipped"
    r"|will)\s",
)
_EXPLETIVE = re.compile(
    r"^it(?:'s| is| was| feels| felt| makes me| breaks my heart| means)(?: (?!a\b|an\b|the\b|my\b|like\b"
    r"|just\b)\w+){0,3}"
    r" (?:to|that|when|how|knowing|seeing|having|being)\b",
    re.IGNORECASE,
)
_SHOWS = re.compile(r"\b(?:here's|here is|here are|this is|check (?:it|this) out|take a look|look at)\b", re.IGNORECASE)
_NOT_A_TOPIC = re.compile(
    r"^(?:there|what|who|where|when|how|why|which|this|that|these|those|it|he|she|they|everyone|everything"
    r"|nothing|something"
    r"|life|one|some|any|all|most|your|another|such|having|being|seeing|here|sometimes|each|every|nobody|people)\b",
    re.IGNORECASE,
)
_HAS = re.compile(r"(?:i|we) (?:have|own) (?:an?|two|three|four|no)\b", re.IGNORECASE)
_FIGURE_OR_NAME = re.compile(r"\d|(?<=[a-z,;:] )[A-Z][\w.]+")


@dataclass(frozen=True, slots=True)
class _Speaker:
    name: str  # as told
    subject: str  # exactly as given
    key: str
    alone: bool  # speaks with the assistant, not with another named person


def extract(turns: Sequence[Turn], *, before: Turn | None = None, people: Collection[str] = ()) -> list[Candidate]:
    """The memories that ``turns`` state, in the order they were said; pure, and never raises on any text.

    Only turns of role ``user`` are read. The subject is the turn's speaker, else the session's user, else "The user".
    Every candidate cites at least one of ``turns``. Nothing is proposed twice in one call: what a speaker says again
    adds its evidence to the first candidate. ``before`` is the turn right before the first, for the question it may
    ask; ``people`` are names known to be persons besides those who speak.
    """
    people = {turn.speaker for turn in turns if turn.role == "user" and turn.speaker} | set(people)
    kept: dict[tuple[object, ...], Candidate] = {}
    asked: dict[str, Turn] = {before.session: before} if before else {}
    languages: dict[str, Language | None] = {}
    for turn in turns:
        found: list[Candidate] = []
        if turn.role == "user":
            language = languages[turn.session] = spoken(turn.content, languages.get(turn.session))
            found = _of_turn(turn, people, asked.get(turn.session), language)
        asked[turn.session] = turn
        for candidate in found:
            dated = candidate.occurred_at if candidate.occurred_at != turn.at else None
            said = normalize(candidate.content).rstrip(".!")
            key = (turn.user, turn.speaker, candidate.type, said, candidate.slot, candidate.value, dated)
            first = kept.get(key)
            kept[key] = candidate if first is None else _confirmed(first, candidate)
    return list(kept.values())


def _confirmed(first: Candidate, again: Candidate) -> Candidate:
    return replace(first, evidence=tuple(dict.fromkeys(first.evidence + again.evidence)))


def _of_turn(turn: Turn, people: Collection[str], before: Turn | None, language: Language | None) -> list[Candidate]:
    named = _printable(turn.speaker) or _printable(turn.user)
    given = turn.speaker if _printable(turn.speaker) else turn.user
    speaker = _Speaker(
        named or _NOBODY, given if named and given else _NOBODY, named.casefold() or "user", alone=not turn.speaker
    )
    if language is not None:
        return statements_in(language, turn, Speaker(named or None, speaker.subject, speaker.key), people)
    found: list[Candidate] = []
    follows = False
    heard = [sentence for sentence in own_sentences(turn.content) if not filters.is_sarcastic(sentence)]
    opened = [without_opening(sentence, people) for sentence in heard]
    for sentence in opened:
        stated = _reliable(sentence, speaker)
        if stated is None or _has_dangling_pronoun(stated):
            more = _follow_up(sentence, stated, speaker) if follows else None
            found[-1:] = [_extended(found[-1], more, turn)] if more else found[-1:]
            follows = more is not None
            continue
        proposed = [_candidate(claim, turn, speaker, people) for claim in claims(stated) if _is_informative(claim)]
        found.extend(proposed)
        follows = len(proposed) > 0 and proposed[-1].type in _TAKES_FOLLOW_UP
        if len(found) >= _PER_TURN_MAX:
            break
    if not found and before is not None:
        found.extend(_answer(opened, turn, before, speaker, people))
    return found[:_PER_TURN_MAX]


def _printable(name: str | None) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in name or "").split())


def _reliable(sentence: str, speaker: _Speaker) -> str | None:
    """The sentence if it is the speaker's own statement about themselves or the world, with its subject; else None."""
    if len(sentence) < 6:
        return None
    stated = filters.statement_of(sentence)
    if stated is None or filters.is_unreliable(stated):
        return None
    if speaker.alone and instructs_assistant(stated):
        return stated
    stated = filters.without_address(with_subject(stated)).strip()
    if not stated or filters.is_small_talk(stated) or filters.addresses_listener(stated):
        return None
    if has_first_person(stated) or _is_plain_fact(stated) or is_directive(stated):
        return stated
    return None


def _is_plain_fact(sentence: str) -> bool:
    subject = None if _NOT_A_TOPIC.match(sentence) else _THIRD_PERSON_FACT.match(sentence)
    if subject is None or not _FIGURE_OR_NAME.search(sentence, 1):
        return False
    return bool(filters.content_words(filters.words(sentence[subject.end() :])))


def _is_informative(claim: Claim) -> bool:
    said = filters.words(claim.text)
    news = filters.content_words(said)
    if claim.slot is not None:
        return True
    named = bool(_FIGURE_OR_NAME.search(claim.text, 1))
    plain = claim.type in (MemoryType.EVENT, MemoryType.FACT) and (len(said) >= 6 or bool(_HAS.match(claim.text)))
    return len(news) + named >= (1 if plain or claim.confidence >= 0.75 else 2)


def _has_dangling_pronoun(sentence: str) -> bool:
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
        if piece in _PRONOUNS and not earlier and following not in ("is", "are", "was", "were"):
            return True
        if piece in _PRONOUNS and piece != "there" and not earlier + here:
            return True
        if piece in _POSSESSIVES and not earlier + here:
            return True
        if piece in _POINTERS and not earlier and following not in _TIME_NOUNS and not _introduces(pieces[at + 1 :]):
            return True
        if _is_noun_like(piece) or (at == 0 and gerund_base(piece) is not None):
            here += 1
    return False


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


def _candidate(claim: Claim, turn: Turn, speaker: _Speaker, people: Collection[str]) -> Candidate:
    told = in_third_person(_closed(claim.text), speaker.name)[:_CONTENT_CHARS_MAX]
    forward = claim.forward or claim.type in (MemoryType.TODO, MemoryType.GOAL)
    grounded = ground(told, turn.at, future=forward) if claim.grounded else None
    content = grounded.text if grounded else told
    happened = grounded.at if grounded else None
    dated = happened is not None
    if happened is None and claim.type in _HAPPENING:
        happened = turn.at
    owner = _owner(claim, speaker)
    return Candidate(
        type=claim.type,
        content=content if content.startswith(speaker.name) else content[:1].upper() + content[1:],
        evidence=(turn.id,),
        subject=speaker.subject,
        polarity=claim.polarity,
        slot=f"{owner}/{claim.slot}" if claim.slot else None,
        value=claim.value if claim.slot else None,
        occurred_at=happened,
        importance=round(min(1.0, claim.importance + 0.05 * dated), 2),
        confidence=round(max(0.1, claim.confidence), 2),
        mentions=mentions(content, people, speaker.name),
    )


def _owner(claim: Claim, speaker: _Speaker) -> str:
    if claim.owner is None:
        return speaker.key
    owner = claim.owner.casefold()
    for possessive in ("my ", "our "):
        if owner.startswith(possessive):
            return f"{speaker.key}'s {owner.removeprefix(possessive)}"
    return owner


def _closed(text: str) -> str:
    text = " ".join(text.split()).strip(" ,;:-–—")
    return text if text.endswith((".", "!", ")", '"', "”")) else f"{text}."


def _follow_up(sentence: str, stated: str | None, speaker: _Speaker) -> str | None:
    """What a sentence that needs its context adds to the memory right before it, in the third person."""
    if stated is None:
        if (
            not _FOLLOWS.match(sentence)
            or "?" in sentence
            or filters.is_unreliable(sentence)
            or filters.addresses_listener(sentence)
        ):
            return None
        stated = sentence
    if len(filters.content_words(filters.words(stated))) < 2 or _SHOWS.search(stated):
        return None
    return in_third_person(_closed(stated), speaker.name)


def _extended(candidate: Candidate, more: str, turn: Turn) -> Candidate:
    content = f"{candidate.content} {ground(more, turn.at).text}"
    return candidate if len(content) > _CONTENT_CHARS_MAX else replace(candidate, content=content)


def _answer(
    opened: Sequence[str], turn: Turn, before: Turn, speaker: _Speaker, people: Collection[str]
) -> Iterator[Candidate]:
    """A short answer to an open question about the speaker, told together with the question."""
    if not opened or (before.speaker == turn.speaker and before.role == turn.role):
        return
    questions = [line for line in own_sentences(before.content) if line.endswith("?")]
    answer = opened[0]
    if not questions or len(questions[-1]) > _QUESTION_CHARS_MAX or not _ASKS_OPENLY.search(questions[-1]):
        return
    said = filters.words(answer)
    if (
        not 0 < len(said) <= _ANSWER_WORDS_MAX
        or answer.endswith("?")
        or filters.is_unreliable(answer)
        or _has_dangling_pronoun(answer)
    ):
        return
    news = [word for word in filters.content_words(said) if not any(word == name.casefold() for name in people)]
    if (
        not news
        or _ASKS_HOW_THEY_ARE.search(questions[-1])
        or filters.is_small_talk(answer)
        or filters.addresses_listener(answer)
    ):
        return
    content = f"Asked “{questions[-1]}”, {speaker.name if speaker.name != _NOBODY else 'the user'} said “{answer}”"
    evidence: tuple[UUID, ...] = (before.id, turn.id) if before.role == "user" else (turn.id,)
    yield Candidate(
        type=MemoryType.OBSERVATION,
        content=content,
        evidence=evidence,
        subject=speaker.subject,
        occurred_at=turn.at,
        importance=0.4,
        confidence=0.5,
        mentions=mentions(answer, people, speaker.name),
    )
