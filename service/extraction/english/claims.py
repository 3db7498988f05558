"""Claims of one sentence: its clauses classified by the tables of patterns, otherwise by their main verb."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from service.domain.types import MemoryType
from service.domain.word_lists import listed, word_set
from service.extraction.candidates import Polarity
from service.extraction.english import facts, intentions
from service.extraction.english.entities import is_vague, items, slot_key, without_determiner
from service.extraction.english.filters import has_dangling_pronoun
from service.extraction.english.grammar import clauses, kind_of, without_lead
from service.extraction.english.intentions import DECISION_LABEL, GOAL_LABEL, TODO_LABEL, commands, is_takeover
from service.extraction.english.lexicon import PRODUCTS, content_words, first_word, words
from service.extraction.patterns import Pattern, any_case

# A goal such as "I plan to" is not a habit, a negated preference is no preference: the order matters.
_SPEAKER: tuple[Pattern, ...] = (*facts.SPEAKER, *intentions.SPEAKER)
_CONTRACTED = {
    verb: tuple(row for row in _SPEAKER if f"'{verb}" in row.regex.pattern) for verb in listed("m re ve ll d")
}
"""The rows for "I'm", "we've" and the like: those that spell it so."""
_POSSESSED: tuple[Pattern, ...] = (*facts.POSSESSED, *intentions.OTHER, *facts.OTHERS)
_COMMANDED: tuple[Pattern, ...] = (*facts.IDENTITY, *intentions.COMMANDS)
_NAMED_FIRST: tuple[Pattern, ...] = (*facts.NAMED, *intentions.OTHER, intentions.APPOINTMENT, *facts.OTHERS)

_DETERMINERS = word_set("my our the his her their your")


def _rows_for(clause: str) -> tuple[Pattern, ...]:
    """Return the rows that a clause may match, by its first word: the speaker, something of theirs, a command, a
    name."""
    word = first_word(clause)
    subject, _, contracted = word.partition("'")
    if subject in ("i", "we"):
        return _CONTRACTED.get(contracted, _SPEAKER)
    if word in _DETERMINERS:
        return _POSSESSED
    if commands(word):
        return _COMMANDED
    return _NAMED_FIRST


_SAID = (
    (any_case(r"^(?:please |can you |could you )?remind me "), "I asked to be reminded "),
    (any_case(rf"^{TODO_LABEL}"), "I have a todo: "),
    (any_case(rf"^{GOAL_LABEL}"), "My goal: "),
    (any_case(rf"^{DECISION_LABEL}"), "I decided: "),
    (
        any_case(r"^(?:please )?(?:don't|do not) (?:let me )?forget (?:that )?(?=to\b|that\b|i\b|we\b)"),
        "I asked not to forget ",
    ),
    (any_case(r"^(?:let's|lets|let us) (?:not )"), "I decided not to "),
    (any_case(r"^(?:let's|lets|let us) "), "I decided to "),
    (re.compile(r"^(?:please |you can |just )*call me (?=[A-Z])"), "I go by "),
    (any_case(r"^(?:everyone|people|friends|my friends) calls? me "), "I go by "),
    (any_case(r"^(?:the |final |our )*decision(?= is| was)"), "My decision"),
)  # fmt: skip
_OPENS_WITH_SUBJECT = any_case(r"^(?:i|we|i'd|i'm|my|our)\b")
_STANDING = any_case(
    r"^(?:(?:also|and|so),? )?(?P<lead>(?:from now on|going forward|from here on|from today on|in (?:the )?future"
    r"|by default|at all times|as a rule|moving forward|for future (?:reference|conversations|chats|answers)"
    r"|in (?:all )?(?:your|every) (?:answers?|replies|responses)|(?:please )?(?:whenever|every time|each time|any time"
    r"|anytime|when) (?:i|we|you)\b[^,]{3,80})),? "
)
_NEGATED = any_case(r"^(?:please |and |also )*(?:(?:don't|do not) (?:ever )?|stop (?=\w+ing\b))")
_BARE = any_case(r"^(?:please,? |and |also )*")
_NOUN = any_case(r"^(?:no|less|fewer|more|all|only)\b")
_PLEASE_LAST = any_case(r",? (?:please|pls|thanks|thank you|ok|okay)(?=[.!]*$)")
_YOURS = (
    (any_case(r"\byour\b"), "its"),
    (any_case(r"\byou(?:'re| are)\b"), "it is"),
    (any_case(r"\byou\b"), "it"),
)
_YOU_TO = any_case(
    r"^(?P<who>i|we)(?P<wants>'d like| would like| want| need| prefer| expect|'d prefer) (?:it if )?you "
)
_VOWEL = any_case(r"^[aeiou]|^ultra")


def as_statement(text: str) -> str:
    """Return a command or label, of a kind that anybody may be told, as a statement of the speaker."""
    for pattern, replacement in _SAID:
        changed, count = pattern.subn(replacement, text, count=1)
        if count:
            return changed
    return text


def to_assistant_as_statement(text: str, type_: MemoryType) -> str:
    """Return what the assistant is told as what the speaker wants, has to do or is going to."""
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


_ELIDED_NOT = any_case(r"^(?:not|never) (?=\w)")
_ELIDED_VERB = any_case(
    r"^(?:hate|love|like|prefer|dislike|enjoy|can't stand|don't|need to|have to|want to|must)\b(?! (?:and|is|was|are"
    r"|can|should|will|has)\b)"
)
_ELIDED_ONLY = any_case(
    r"^(?:only|just) (?P<a>[\w-]{2,20}(?: \w{2,20})?)[.!]?$|^(?P<b>[\w-]{2,20}(?: \w{2,20})?) only[.!]?$"
)
_OWN_SUBJECT = any_case(r"(?:i|we|i'm|i've|i'll|we're|we've|we'll|my|our)\b")
_HEDGE = any_case(r"\b(?:i think|i guess|i believe|probably|kind of|sort of|kinda|i feel like|not sure)\b")
_NAMED = re.compile(r"(?-i:\b[A-Z])")
_OF_PROJECT = re.compile(r"(?:[A-Z][\w'’&/-]{1,30} ){1,4}(?=[a-z])")
"""The name before what takes place: "Orion review"."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement, still in the first person. ``slot`` is relative to ``owner``, None being the speaker."""

    type: MemoryType
    text: str
    polarity: Polarity = "positive"
    slot: str | None = None
    value: str | None = None
    owner: str | None = None
    importance: float = 0.4
    confidence: float = 0.6
    grounded: bool = True


@dataclass(slots=True)
class _Clause:
    """A clause with the row it matches, if any."""

    text: str
    pattern: Pattern | None
    match: re.Match[str] | None


def row_of(sentence: str, *, alone: bool) -> Pattern | None:
    """Return the row that takes a sentence: "let's use Redis", "Tom likes anchovies"; None where none does."""
    pattern, _ = _matched(sentence, alone)
    return pattern


def claims(sentence: str, *, alone: bool = True) -> list[Claim]:
    """Return the claims of one sentence in the first person, openings removed; at least one.

    Clauses that match a row become claims of their own; what follows without a subject of its own stays with them.
    ``alone``: the speaker talks to the assistant, so that what is commanded is for it.
    """
    found = _moved_on(sentence) or _switched(sentence) or _of_clauses(sentence, alone)
    hedged = bool(_HEDGE.search(sentence))
    return [replace(claim, confidence=claim.confidence - 0.2) if hedged else claim for claim in found]


def _moved_on(sentence: str) -> list[Claim]:
    """ "I used to live in Oslo but now live in Bergen", "I left Initech and joined Globex": what holds now."""
    former, left = facts.FORMER_NOW.search(sentence), facts.LEFT_FOR.match(sentence)
    if former is not None:
        slot, value = facts.FORMER_SLOTS[" ".join(former["verb"].lower().split())], former["value"]
    elif left is not None:
        slot = "lives_in" if left["place"] or left["home"] else "works_at"
        value = left["home"] or left["value"]
    else:
        return []
    return [Claim(MemoryType.FACT, sentence, "positive", slot, slot_key(value), None, 0.75, 0.85)]


def _switched(sentence: str) -> list[Claim]:
    """ "I switched from Vim to Helix" says what is used now, and ends what was before (``service.domain.endings``)."""
    match = facts.SWITCHED.match(sentence)
    if match is None:
        return []
    former, value = slot_key(match["former"]), slot_key(match["value"])
    if not former or not value:
        return []
    return [Claim(MemoryType.FACT, sentence, "positive", f"uses/{value}", value, None, 0.6, 0.8)]


def _of_clauses(sentence: str, alone: bool) -> list[Claim]:
    groups: list[_Clause] = []
    for separator, text in clauses(sentence):
        clause = _classified(text, groups[-1].pattern if groups else None, alone)
        if not groups or _stands_alone(clause, groups[-1]):
            groups.append(clause)
        else:
            groups[-1].text += f"{separator}{text}"
    if all(group.pattern is None for group in groups):
        return [generic_claim(sentence)]
    found: list[Claim] = []
    for group in groups:
        if group.pattern is not None and group.match is not None:
            found.extend(_fill(group.text, group.pattern, group.match))
        elif content_words(words(group.text)):
            found.append(generic_claim(group.text))
    return found


def _stands_alone(clause: _Clause, before: _Clause) -> bool:
    """Return whether a clause is a statement of its own beside the one before it."""
    if clause.pattern is None and before.pattern is None:
        return False
    if clause.pattern is not None and (clause.pattern.slot is not None or clause.pattern.to_assistant):
        return True
    informative = len(content_words(words(clause.text))) >= 1 and bool(_OWN_SUBJECT.match(clause.text))
    return (informative or clause.pattern is not None) and not has_dangling_pronoun(clause.text)


def _classified(clause: str, previous: Pattern | None, alone: bool) -> _Clause:
    text = clause
    after_preference = previous is not None and previous.slot == "likes"
    only = _ELIDED_ONLY.match(clause) if after_preference else None
    if only is not None:
        text = f"I only like {only['a'] or only['b']}."
    elif after_preference and _ELIDED_NOT.match(clause):
        text = _ELIDED_NOT.sub("I don't like ", clause)
    pattern, match = _matched(text, alone)
    if pattern is None and _ELIDED_VERB.match(text):
        text = f"I {clause[:1].lower()}{clause[1:]}"
        pattern, match = _matched(text, alone)
    return _Clause(clause if pattern is None else text, pattern, match)


@lru_cache(maxsize=64)
def _matched(text: str, alone: bool) -> tuple[Pattern | None, re.Match[str] | None]:
    """Return the first row that takes a clause. The stages ask for one clause several times in a row, hence the
    cache."""
    body = without_lead(text)
    for pattern in _rows_for(body):
        if pattern.to_assistant and not alone:
            continue
        match = pattern.regex.match(body)
        if match is not None and _holds(pattern, match) and not (pattern.to_assistant and is_takeover(text)):
            return pattern, match
    return None, None


def _holds(pattern: Pattern, match: re.Match[str]) -> bool:
    """Return whether what a row found names something."""
    groups = match.groupdict()
    if pattern.slot in ("likes", "prefers") and is_vague(match["value"]):
        return False
    who = groups.get("who")
    if who is not None:
        return who.split(" ", 1)[0].lower() not in facts.NOT_PERSONS and not (
            pattern.slot == "job" and match["value"][0].isupper() and not match["value"].isupper()
        )
    return True


def _fill(text: str, pattern: Pattern, match: re.Match[str]) -> list[Claim]:
    groups = match.groupdict()
    owner = groups.get("who") or (f"my {groups['kin']}" if groups.get("kin") else None)
    told = to_assistant_as_statement(text, pattern.type) if pattern.to_assistant else as_statement(text)
    base = Claim(
        pattern.type,
        told,
        pattern.polarity,
        owner=owner,
        importance=pattern.importance,
        confidence=0.85 if pattern.slot or pattern.to_assistant else 0.8,
        grounded=pattern.grounded,
    )
    if pattern.slot is None:
        return [base]
    if pattern.slot == "prefers":
        chosen, other = slot_key(match["value"]), slot_key(match["other"])
        if not chosen or not other:
            return [base]
        return [replace(base, slot=f"prefers/{'|'.join(sorted((chosen, other)))}", value=chosen)]
    if pattern.several:
        return _likes(base, pattern, match)
    value = pattern.fills.format(**groups).lower() if pattern.fills else slot_key(match["value"])
    if not value or (value in PRODUCTS and pattern.slot == "lives_in"):
        return [base]
    if "attribute" in groups and pattern.slot.startswith("favorite") and not groups["attribute"]:
        return [base]
    name, thing = _attribute(pattern.slot, groups)
    filled = replace(base, slot=name, value=value, owner=owner or thing)
    employer = groups.get("employer")
    if not employer:
        return [filled]
    # The profession outlasts the employer.
    alone = filled.text.replace(f" at {employer}", "", 1).replace(f" for {employer}", "", 1)
    works = f"I work at {employer}."
    return [
        replace(filled, text=alone),
        replace(base, type=MemoryType.FACT, text=works, slot="works_at", value=slot_key(employer), owner=None),
    ]


def _attribute(slot: str, groups: dict[str, str | None]) -> tuple[str, str | None]:
    """Return the name of an attribute, and whose it is where a proper name says so: "the Apollo budget" is Apollo's."""
    attribute = without_determiner(" ".join((groups.get("attribute") or groups.get("event") or "").lower().split()))
    if project := _OF_PROJECT.match(groups.get("event") or ""):
        attribute = attribute.removeprefix(project[0].lower())
        groups = groups | {"of": project[0]}
    elif groups.get("of") and groups.get("thing"):
        attribute = f"{(groups['thing'] or '').strip().lower()} {attribute}"
    thing = " ".join((groups.get("of") or groups.get("owner") or groups.get("thing") or "").split())
    thing = re.sub(r"\b(?:project|the)\b ?| project\b", "", thing, flags=re.IGNORECASE).strip().removesuffix("'s")
    named = bool(_NAMED.search(thing))
    if thing and not named:
        thing = without_determiner(thing.lower())
        attribute = f"{thing} {attribute}"
    return slot.format(attribute=attribute, event=attribute), thing if named else None


def _likes(base: Claim, pattern: Pattern, match: re.Match[str]) -> list[Claim]:
    """Return one claim per thing liked: "tea and coffee" are two, each with its own slot."""
    start = match.start("value")
    body = match.string
    listed = items(body[start:].rstrip(".! ")) if pattern.slot != "does" else []
    if len(listed) > 1:
        head = body[:start]
        return [
            replace(base, text=f"{head}{item}.", slot=f"{pattern.slot}/{slot_key(item)}", value=slot_key(item))
            for item in listed
        ]
    key = slot_key(match["value"])
    return [replace(base, slot=f"{pattern.slot}/{key}", value=key) if key else base]


def generic_claim(sentence: str) -> Claim:
    """Return the claim of a sentence that no row takes."""
    kind, importance = kind_of(sentence)
    return Claim(kind, sentence, importance=importance)
