"""What a turn in another language than English states: split, turned to plain order, classified, dated, told.

Only what a pattern of the language knows becomes a candidate: there is no kind for the rest, for what is not understood
is better left unsaid. Questions, conditions, other people's words, jokes and material for a task state nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from service.domain.guards import normalize
from service.domain.types import POLICIES
from service.extraction.calendar import Grounded, When
from service.extraction.candidates import NOBODY, Candidate, Mention, Polarity, Speaker, Turn, speaker_of
from service.extraction.english.grammar import parted
from service.extraction.english.lexicon import PRODUCTS
from service.extraction.english.sentences import SPEECH, own_sentences
from service.extraction.languages.language import Language
from service.extraction.patterns import Pattern, any_case

_PER_TURN_MAX = 24
_CHARS_MIN = 3
_OPENINGS_MAX = 4
_CONTENT_CHARS_MAX = 600
_VALUE_WORDS_MAX = 6
_ITEMS_MAX = 5
_MENTIONS_MAX = 12

_PUNCTUATION = str.maketrans("。！？，；：（）～“”„«»「」『』‹›’", ".!?,;:()~" + 11 * '"' + "'")
_JOINER = "\u2060"  # after a full stop that ends no sentence, until the text has been split
_WORD = re.compile(r"[\w+#]+(?:['.-][\w+#]+)*")
_LAUGHTER = any_case(r"(?:,? (?:(?:ja|je|ha|he|hi){2,10}h?|lo+l|mdr|ptdr|xd)){1,3}(?=[.!]{0,3}$)")
_CLAUSE = any_case(
    r"(?:es|son|está|tiene|trabaja|vive|fue|era|est|habite|travaille|était|ist|sind|hat|wohnt|arbeitet|war|lebt)\b"
)
"""What opens a clause of its own rather than one more thing of a list: "se llama Fer y es enfermera"."""
_PARENTHESIS = re.compile(r"\s?\([^()]{0,200}\)")
_ENDING = " .!…,;:-–—\"'()*"


@dataclass(frozen=True, slots=True)
class _Claim:
    row: Pattern
    clause: str
    polarity: Polarity
    slot: str | None = None
    value: str | None = None
    named: str | None = None  # what fills the slot, as said
    who: str | None = None


def statements_in(language: Language, turn: Turn, people: Collection[str]) -> list[Candidate]:
    """Return the memories that a turn in this language states, in the order they were said; never raises on any
    text."""
    speaker = speaker_of(turn)
    kept: list[Candidate] = []
    before = 0
    for sentence in _sentences(language, turn.content):
        if language.task.match(sentence):
            break
        if language.retraction.search(sentence):
            del kept[before:]
            continue
        before = len(kept)
        for claim in _claims(language, sentence, speaker):
            kept.append(_candidate(language, claim, turn, speaker, people))
        if len(kept) >= _PER_TURN_MAX:
            break
    return kept[:_PER_TURN_MAX]


def _sentences(language: Language, text: str) -> Iterator[str]:
    plain = language.inner_stops.sub(lambda match: f"{match[0]}{_JOINER}", text.translate(_PUNCTUATION))
    for sentence in own_sentences(plain):
        yield " ".join(sentence.replace(_JOINER, "").split())


def _claims(language: Language, sentence: str, speaker: Speaker) -> list[_Claim]:
    sentence = _LAUGHTER.sub("", language.tag.sub("", _PARENTHESIS.sub("", sentence)))
    sentence = _without_openings(language, sentence)
    if len(sentence) < _CHARS_MIN or SPEECH in sentence or sentence.endswith("?"):
        return []
    if language.questions.match(sentence) or language.unreliable.search(sentence):
        return []
    sentence = sentence.rstrip(_ENDING)
    for pattern, replacement in language.rewrites:
        sentence = pattern.sub(replacement, sentence)
    found: list[_Claim] = []
    last: Pattern | None = None
    begun = False
    for separator, clause in parted(sentence, language.clauses):
        clause = _elided(language, _without_openings(language, clause.strip(_ENDING)), last, begun=begun)
        begun = begun or language.first_person.match(clause) is not None
        ordered = language.canonical(clause)
        row, claims = _claims_of(language, ordered, speaker)
        if row is None:
            if found and separator and not language.first_person.search(clause):
                found[-1] = replace(found[-1], clause=f"{found[-1].clause}{separator}{clause}")
            continue
        last = row
        found += claims
    return found


def _claims_of(language: Language, clause: str, speaker: Speaker) -> tuple[Pattern | None, list[_Claim]]:
    """Return what the first row that fits makes of a clause in plain order."""
    first: Pattern | None = None
    for row in language.rows:
        match = row.regex.match(clause)
        if match is None or not _is_news(language, row, match):
            continue
        first = first or row
        claims = _of_row(language, row, match, speaker)
        if claims:
            return row, claims
    return first, []


def _without_openings(language: Language, sentence: str) -> str:
    for _ in range(_OPENINGS_MAX):
        opening = language.openings.match(sentence)
        if opening is None or opening.end() == 0:
            break
        sentence = sentence[opening.end() :]
    return sentence


def _elided(language: Language, clause: str, last: Pattern | None, *, begun: bool) -> str:
    """Return a clause that leaves out what the one before it said ("aber keinen Kaffee"), with it.

    ``begun``: an earlier clause was about the speaker.
    """
    elided = language.elided if last is not None and last.slot == "likes" else ()
    for pattern, whole in (*elided, *(language.continued if begun else ())):
        clause, count = pattern.subn(whole, clause)
        if count:
            break
    return clause


def _is_news(language: Language, row: Pattern, match: re.Match[str]) -> bool:
    dated = language.calendar.expression.search(match.string) is not None
    if row.dated and not dated:
        return False
    return not row.news or len(_content_words(language, match.string)) + dated >= row.news


def _content_words(language: Language, text: str) -> list[str]:
    words = language.words.findall(text.lower())
    return [word for word in words if word not in language.stopwords and not language.first_person.fullmatch(word)]


def _of_row(language: Language, row: Pattern, match: re.Match[str], speaker: Speaker) -> list[_Claim]:
    clause = match.string
    groups = match.groupdict()
    denied = row.slot is not None and not row.negated and bool(language.negation.search(clause.split(",")[0]))
    if denied and not row.deniable:
        return []
    polarity: Polarity = "negative" if denied else row.polarity
    plain = _Claim(row, clause, polarity, who=groups.get("who"))
    if row.slot is None:
        return [plain]
    owner = _owner(language, groups.get("who"), speaker)
    said = groups.get("value") or ""
    at_end = row.several and match.end() == match.end("value")
    items = _items(language, clause[match.start("value") :]) if at_end else []
    if len(items) > 1:
        if denied and not all(language.negation.search(item) for item in items):
            return [plain]
        head = clause[: match.start("value")]
        keys = [(item, _key(language, item)) for item in items]
        return [
            replace(plain, clause=head + item, slot=f"{owner}/{row.slot}/{key}", value=key, named=item)
            for item, key in keys
        ]
    value = row.fills or _key(language, said)
    if not value:
        return [] if language.vague.match(said.strip()) else [plain] if row.importance > 0.65 else []
    if row.slot == "prefers":
        other = _key(language, groups.get("other") or "")
        slot = f"prefers/{'|'.join(sorted((value, other)))}" if other else f"likes/{value}"
    elif row.several:
        slot = f"{row.slot}/{value}"
    else:
        slot = row.slot.format(attribute=_attribute(language, groups.get("attribute")))
    return [replace(plain, slot=f"{owner}/{slot}", value=value, named=said)]


def _items(language: Language, value: str) -> list[str]:
    items = [item.strip() for item in language.conjunction.split(value)]
    plain = not any(_CLAUSE.match(item) for item in items) and all(
        _key(language, item) and len(language.words.findall(item)) <= 4 and not language.value_ends.match(f" {item} ")
        for item in items
    )
    return items if plain and len(items) <= _ITEMS_MAX else []


def _key(language: Language, value: str) -> str:
    """Return what identifies a value, folded; empty where it is vague, several things, or too long."""
    cut = language.negation.sub(" ", value)
    cut = language.value_ends.split(f"{cut.strip()} ", maxsplit=1)[0].strip(_ENDING)
    for _ in range(3):
        cut = language.determiners.sub("", cut).strip()
    if not cut or language.vague.match(cut) or language.conjunction.search(cut):
        return ""
    key = " ".join(cut.lower().split())
    key = language.values.get(key, key)
    return key if len(key.split()) <= _VALUE_WORDS_MAX and len(key) <= 60 else ""


def _attribute(language: Language, said: str | None) -> str:
    folded = " ".join((said or "").lower().split())
    bare = language.determiners.sub("", folded)
    return language.attributes.get(bare, bare)


def _owner(language: Language, who: str | None, speaker: Speaker) -> str:
    if who is None:
        return speaker.key
    folded = " ".join(who.lower().split())
    relative = language.relatives.get(language.determiners.sub("", folded).partition(" ")[0])
    return f"{speaker.key}'s {relative}" if relative else folded


def _candidate(language: Language, claim: _Claim, turn: Turn, speaker: Speaker, people: Collection[str]) -> Candidate:
    row = claim.row
    dated = grounded(language, claim.clause, turn.at, past=claim.row.past) if row.grounded else Grounded(claim.clause)
    happened, value = dated.period, claim.value
    if happened and claim.named and not row.several and _names_a_day(language, claim.clause, claim.named):
        value = happened.iso()
    if POLICIES[row.type].happens:
        happened = dated.happened(turn.at)
    content = _told(language, row, dated.text, language.nobody if speaker.name == NOBODY else speaker.name)[
        :_CONTENT_CHARS_MAX
    ]
    return Candidate(
        type=row.type,
        content=content,
        evidence=(turn.id,),
        subject=speaker.subject,
        polarity=claim.polarity,
        slot=claim.slot,
        value=value if claim.slot else None,
        occurred=happened,
        importance=round(min(1.0, row.importance + 0.05 * (dated.period is not None)), 2),
        confidence=0.8,
        mentions=_mentions(language, claim, content, speaker, people),
    )


def grounded(language: Language, clause: str, now: datetime, *, past: bool) -> Grounded:
    """Return the clause, said at the local time ``now``, with its dates written out. A day without a year lies behind
    with ``past``, and the first of a month, said on a first, in the nearest year, as a month does."""

    def ahead_of(text: str, start: int, end: int, preposition: str = "") -> bool | None:
        del text, start, end
        return preposition in language.ahead or (not past and preposition not in language.behind) or None

    def read(match: re.Match[str], given: dict[str, str], today: datetime) -> tuple[When, str] | None:
        preposition = given.get("prep", "").strip().lower()
        behind = False if past and (today.day, given.get("day", "1")) != (1, "1") else None
        when = language.calendar.meaning(given, today, ahead_of("", 0, 0, preposition) or behind)
        if when is None:
            return None
        part = f" ({given['part']})" if "part" in given else ""
        return when, language.write_date(when.kind, when.shown or when.day, preposition) + part

    return language.calendar.ground(clause, now, read, ahead_of)


def _names_a_day(language: Language, clause: str, named: str) -> bool:
    """Return whether what fills a slot is a time, so that its date fills it instead."""
    start = clause.find(named)
    return any(match.end() > start for match in language.calendar.expression.finditer(clause, 0, start + len(named)))


def _told(language: Language, row: Pattern, clause: str, name: str) -> str:
    """Return the clause in the third person, or as the speaker's words where that takes more than rules."""
    ended = f"{clause[:1].upper()}{clause[1:]}{language.stop}"
    if row.instructs:
        return language.asks.format(name=name, text=ended)
    told = language.third_person(clause, name)
    if told is None or (name == language.nobody and told.find(name, 1) > 0):
        return language.says.format(name=name, text=ended)
    return f"{told if told.startswith(name) else told[:1].upper() + told[1:]}{language.stop}"


def _mentions(
    language: Language, claim: _Claim, content: str, speaker: Speaker, people: Collection[str]
) -> tuple[Mention, ...]:
    """Return the entities a statement surely names: what fills its slot, whom it is about, known people and
    products."""
    found: dict[str, Mention] = {}
    if claim.who and not claim.who[0].islower() and language.determiners.match(claim.who) is None:
        found[normalize(claim.who)] = Mention(claim.who, "person")
    if claim.row.entity and claim.named:
        name = language.value_ends.split(f"{claim.named} ", maxsplit=1)[0].strip(_ENDING)
        for _ in range(2):
            name = language.determiners.sub("", name)
        found.setdefault(normalize(name), Mention(name, claim.row.entity))
    known = {normalize(name) for name in people} - {normalize(speaker.name)}
    for word in _WORD.findall(content):
        folded = normalize(word)
        if folded in known or (folded in PRODUCTS and (word[0].isupper() or not word.isalpha())):
            found.setdefault(folded, Mention(word, "person" if folded in known else "product"))
    return tuple(found.values())[:_MENTIONS_MAX]
