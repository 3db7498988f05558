"""What one sentence claims: its clauses classified by the pattern tables, otherwise by its main verb."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from service.domain.types import MemoryType
from worker.dreaming.candidates import Polarity
from worker.dreaming.extract import patterns
from worker.dreaming.extract.filters import content_words, words
from worker.dreaming.extract.lexicon import ADVERBS, BASE_VERBS, MODALS, PARTICIPLES, gerund_base, is_past, listed
from worker.dreaming.extract.mentions import PRODUCTS
from worker.dreaming.extract.patterns import Pattern
from worker.dreaming.extract.third_person import has_first_person

_ITEMS_MAX = 5
_SLOT_WORDS_MAX = 5

_CLAUSE = re.compile(
    r"(?:(?<!\s)\s*+;|,?\s(?:but|yet|whereas|while|and|though|although)|\s[-–—]|,)\s(?:(?:also|instead|now"
    r"|then)\s)?(?=(?:i|we|my|i'm|i've|not|don't|hate|prefer"
    r"|dislike|can't\sstand|never|only|just)\b)|,?\sbut\s(?=(?:love|like|enjoy)\b)"
    r"|,\s(?=[\w-]{2,20}(?:\s\w{2,20})?\sonly[.!]?$)",
    re.IGNORECASE,
)
_CLAUSE_AFTER_HATE = re.compile(rf"{_CLAUSE.pattern}|\sand\s(?=(?:love|like|enjoy)\b)", re.IGNORECASE)
_STARTS_HATE = re.compile(
    r"^(?:i|we)\s(?:\w+\s)?(?:hate|dislike|detest|can't\sstand|don't\s(?:like|enjoy"
    r"|love))\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:[\w'’ ]{2,45}, |i\s(?:think|guess|believe|feel\slike)\s(?:that\s)?|(?:these days|nowadays|currently"
    r"|right now|now|recently|lately|today|personally|since then|in general)\s)"
    r"(?=(?:i|we|my|our|i'm|i've|we're|we've|i'd)\b)",
    re.IGNORECASE,
)
_ELIDED_NOT = re.compile(r"^(?:not|never)\s(?=\w)", re.IGNORECASE)
_ELIDED_VERB = re.compile(
    r"^(?:hate|love|like|prefer|dislike|enjoy|can't\sstand|don't)\b(?!\s(?:and|is|was|are|can|should|will|has)\b)",
    re.IGNORECASE,
)
_ELIDED_ONLY = re.compile(
    r"^(?:only|just)\s(?P<a>[\w-]{2,20}(?:\s\w{2,20})?)[.!]?$"
    r"|^(?P<b>[\w-]{2,20}(?:\s\w{2,20})?)\sonly[.!]?$",
    re.I,
)
_VALUE_ENDS = re.compile(
    r"\s(?:because|since|as|when|while|so|but|and\s(?:i|we|it|they|that|how|also|am|is|was)|for|with|in|at|on"
    r"|from|after|before|during|every"
    r"|especially|more|most|a\slot|very|too|though|these|now|anymore|any\smore|that|which|who|where|best|instead"
    r"|like|by|right|than|if|since|today|yesterday"
    r"|i|we|they|he|she|it|i've|i'm|we've|last|this|next|lately|recently|again|already|altogether|completely"
    r"|entirely|so\smuch)\b",
    re.IGNORECASE,
)
_DETERMINER = re.compile(
    r"^(?:to\s|the\s|a\s|an\s|my\s|our\s|some\s|any\s|all\s(?:the\s)?|very\s|really\s|most\s|(?:to\s)?(?:drink"
    r"|eat|us|hav)(?:ing|e)?\s(?=\w))",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"^(?:it|that|this|them|those|these|him|her|you|your?|yours|me|us|how|what|when|where|why|their|his|its|being"
    r"|seeing|hearing|to\s(?:see|hear)|the\sway"
    r"|everything|something|nothing|things?|stuff|one|ones|both|all|there|here|to|doing\s(?:it|that|this)|either"
    r"|anything)\b(?!\s(?:[a-z]+ing)\b)",
    re.IGNORECASE,
)
_EMPTY_VERBS = frozenset(
    listed("go do be get have make take play spend try work start keep give put look come use talk help see")
)
_INDIVISIBLE = re.compile(
    r"\b(?:rock|mac|fish|salt|bed|drum|arts|r|jelly|butter|black|science|ups|pros|back|more"
    r"|peace|wine|gin)\s(?:and|&|n)\s",
    re.I,
)
_FORWARD = re.compile(
    r"\b(?:will|going to|gonna|'ll|planning|tomorrow|next|upcoming|about to|agreed to"
    r"|decided to|meeting)\b",
    re.I,
)
_HEDGE = re.compile(
    r"\b(?:i think|i guess|i believe|probably|kind of|sort of|kinda|i feel like|not sure)\b", re.IGNORECASE
)
_COMMANDED = frozenset({MemoryType.DECISION, MemoryType.TODO})
_STATIVE = frozenset(
    listed("was were felt thought realized wanted knew loved liked needed hoped believed enjoyed had understood seemed")
)
_ASKS_ASSISTANT = re.compile(r"^(?:i\s(?:want|need|would\slike|prefer)|i'd\s(?:like|prefer))\syou\sto\s", re.IGNORECASE)
_TELLS_ASSISTANT = re.compile(
    r"^(?:please\s)?(?=(?:always|never|use|keep|answer|reply|respond|write|give|address)\b)", re.IGNORECASE
)
_IMPERATIVES = (
    (re.compile(r"^(?:please\s|can\syou\s|could\syou\s)?remind\sme\s", re.I), "I asked to be reminded "),
    (re.compile(r"^(?:to-?\s?do|action\sitem|reminder)\s?:\s", re.I), "I have a todo: "),
    (re.compile(r"^(?:please\s)?(?:don't|do\snot)\s(?:let\sme\s)?forget\s(?:that\s)?", re.I), "I asked not to forget "),
    (re.compile(r"^(?:let's|lets|let\sus)\s", re.I), "I decided to "),
    (re.compile(r"^(?:please\s|you\scan\s|just\s)*call\sme\s", re.I), "I go by "),
    (re.compile(r"^everyone\scalls\sme\s", re.I), "I go by "),
    (re.compile(r"^(?:the\s|final\s|our\s)*decision(?=\sis|\swas|:)", re.I), "My decision"),
    (_ASKS_ASSISTANT, "I want the assistant to "),
    (re.compile(r"^please\s(?:don't|do\snot)\s", re.I), "I want the assistant not to "),
    (_TELLS_ASSISTANT, "I want the assistant to "),
)  # fmt: skip
_INSTRUCTS = re.compile(
    r"^(?:please\s|(?:always|never)\s(?:use|answer|reply|respond|write|give|address)|from\snow\son|i\s(?:want"
    r"|need|would\slike|prefer)\syou\sto|i'd\s(?:like|prefer)\syou\sto)",
    re.IGNORECASE,
)


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
    forward: bool = False


def is_directive(sentence: str) -> bool:
    """Whether a sentence without "I" still states the speaker's decision or todo: "let's use Redis", "TODO: …"."""
    return any(p.type in _COMMANDED and p.slot is None and p.regex.match(sentence) for p in patterns.STATED)


def instructs_assistant(sentence: str) -> bool:
    """Whether the sentence tells the assistant how to behave from now on."""
    return bool(_INSTRUCTS.match(sentence))


def claims(sentence: str) -> list[Claim]:
    """The claims of one sentence in the first person, openings removed; at least one.

    Clauses that fill different slots become claims of their own; the rest of the sentence stays together.
    """
    found = (
        _used_to_but_now(sentence)
        or _slotted(sentence)
        or [_of_others(sentence) or _stated(sentence) or _generic(sentence)]
    )
    hedged = bool(_HEDGE.search(sentence))
    return [replace(claim, confidence=claim.confidence - 0.2) if hedged else claim for claim in found]


def _used_to_but_now(sentence: str) -> list[Claim]:
    match = patterns.FORMER_NOW.search(sentence)
    if match is None:
        return []
    slot = patterns.FORMER_SLOTS[" ".join(match["verb"].lower().split())]
    return [Claim(MemoryType.FACT, sentence, "positive", slot, slot_key(match["value"]), None, 0.75, 0.85)]


def _slotted(sentence: str) -> list[Claim]:
    """Claims of the clauses that fill slots, each with the unslotted clauses that follow it; empty if none does."""
    groups: list[tuple[str, Pattern | None, re.Match[str] | None]] = []
    for separator, clause in _clauses(sentence):
        text, pattern, match = _match_slotted(clause, groups[-1][1] if groups else None)
        if pattern is not None or not groups:
            groups.append((text, pattern, match))
        else:
            head, owner, owned = groups[-1]
            groups[-1] = (f"{head}{separator}{clause}", owner, owned)
    if all(pattern is None for _, pattern, _ in groups):
        return []
    found: list[Claim] = []
    for text, pattern, match in groups:
        if pattern is not None and match is not None:
            found.extend(_fill(text, pattern, match))
        elif len(content_words(words(text))) >= 2:
            found.append(_stated(text) or _generic(text))
    return found


def _clauses(sentence: str) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    start, separator = 0, ""
    breaks = _CLAUSE_AFTER_HATE if _STARTS_HATE.match(sentence) else _CLAUSE
    for match in breaks.finditer(sentence):
        parts.append((separator, sentence[start : match.start()]))
        start, separator = match.end(), match[0]
    return [*parts, (separator, sentence[start:])]


def _match_slotted(clause: str, previous: Pattern | None) -> tuple[str, Pattern | None, re.Match[str] | None]:
    text = clause
    after_preference = previous is not None and previous.slot == "likes"
    only = _ELIDED_ONLY.match(clause) if after_preference else None
    if only is not None:
        text = f"I only like {only['a'] or only['b']}."
    elif after_preference and _ELIDED_NOT.match(clause):
        text = _ELIDED_NOT.sub("I don't like ", clause)
    elif _ELIDED_VERB.match(clause):
        text = f"I {clause[:1].lower()}{clause[1:]}"
    lead = _LEAD.match(text)
    body = text[lead.end() :] if lead else text
    for pattern in patterns.SLOTTED:
        match = pattern.regex.match(body)
        if match is not None and not (pattern.slot == "likes" and _VAGUE.match(match["value"])):
            return text, pattern, match
    return clause, None, None


def _fill(text: str, pattern: Pattern, match: re.Match[str]) -> list[Claim]:
    base = Claim(
        pattern.type,
        in_statement(text),
        pattern.polarity,
        importance=pattern.importance,
        confidence=0.85,
        grounded=pattern.grounded,
    )
    if pattern.slot is None:
        return [base]
    if pattern.slot == "prefers":
        chosen, other = slot_key(match["value"]), slot_key(match["other"])
        if not chosen or not other:
            return [base]
        return [replace(base, slot=f"prefers/{'|'.join(sorted((chosen, other)))}", value=chosen)]
    if not pattern.exclusive:
        return _likes(base, pattern, match)
    value = slot_key(match["value"])
    groups = match.groupdict()
    if value in PRODUCTS and pattern.slot == "lives_in":
        return [base]
    if not value or ("attribute" in groups and pattern.slot.startswith("favorite") and not groups["attribute"]):
        return [base]
    attribute = _DETERMINER.sub("", " ".join((groups.get("attribute") or "").lower().split()))
    return [replace(base, slot=pattern.slot.format(attribute=attribute), value=value)]


def _likes(base: Claim, pattern: Pattern, match: re.Match[str]) -> list[Claim]:
    """One claim per thing liked: "tea and coffee" are two, each with its own slot."""
    assert pattern.slot is not None
    start = match.start("value")
    body = match.string
    listed = _items(body[start:].rstrip(".! "))
    if len(listed) > 1:
        head = body[:start]
        return [
            replace(base, text=f"{head}{item}.", slot=f"{pattern.slot}/{slot_key(item)}", value=slot_key(item))
            for item in listed
        ]
    key = slot_key(match["value"])
    return [replace(base, slot=f"{pattern.slot}/{key}", value=key) if key else base]


def _items(value: str) -> list[str]:
    if _INDIVISIBLE.search(value) or len(value) > 100:
        return []
    items = [item.strip() for item in re.split(r",\s(?:and\s|or\s)?|\s(?:and|or|&)\s", value)]
    plain = all(0 < len(item.split()) <= 2 and slot_key(item) and not _VAGUE.match(item) for item in items)
    return items if plain and len(items) <= _ITEMS_MAX else []


def slot_key(value: str) -> str:
    """The part of a value that identifies it, folded; empty where it is vague ("it", "the way you…") or too long."""
    cut = _VALUE_ENDS.split(value.strip().rstrip(".!"), maxsplit=1)[0].strip(" '\"“”’-")
    for _ in range(3):
        cut = _DETERMINER.sub("", cut)
    if not cut or _VAGUE.match(cut):
        return ""
    parts = cut.lower().split()
    if len(parts) > _SLOT_WORDS_MAX or (re.search(r"\s(?:and|or)\s", cut) and not _INDIVISIBLE.search(cut)):
        return ""
    parts[0] = gerund_base(parts[0]) or parts[0]
    if (
        parts[0] in _EMPTY_VERBS
        and not cut[0].isupper()
        and (len(parts) == 1 or len(cut) < len(value.rstrip(".! ")) - 3)
    ):
        return ""
    return " ".join(parts)


def _of_others(sentence: str) -> Claim | None:
    match = patterns.THIRD_PARTY.match(sentence)
    if match is None or match["who"].lower() in ("it", "this", "that", "there", "he", "she", "what", "who", "everyone"):
        return None
    slot = next(name for name in ("lives_in", "works_at", "job") if match[name])
    if slot == "job" and match["value"][0].isupper():
        return None
    return Claim(MemoryType.FACT, sentence, "positive", slot, slot_key(match["value"]), match["who"], 0.6, 0.8)


def _stated(sentence: str) -> Claim | None:
    lead = _LEAD.match(sentence)
    body = sentence[lead.end() :] if lead else sentence
    for pattern in patterns.STATED:
        if pattern.slot is None and pattern.regex.match(body):
            forward = pattern.type in (MemoryType.TODO, MemoryType.GOAL, MemoryType.DECISION)
            return Claim(
                pattern.type,
                in_statement(sentence),
                pattern.polarity,
                importance=pattern.importance,
                confidence=0.8,
                forward=forward,
            )
    return None


def in_statement(text: str) -> str:
    """An imperative told as a statement: "remind me to call" becomes "I asked to be reminded to call"."""
    for pattern, replacement in _IMPERATIVES:
        changed, count = pattern.subn(replacement, text, count=1)
        if count:
            return changed
    return text


def _generic(sentence: str) -> Claim:
    kind, importance = _kind_of(sentence)
    return Claim(kind, sentence, importance=importance, forward=bool(_FORWARD.search(sentence)))


def _kind_of(sentence: str) -> tuple[MemoryType, float]:
    """The type by the main verb after "I" or "we"; what has neither is an observation."""
    lead = _LEAD.match(sentence)
    heard = words(sentence[lead.end() :] if lead else sentence)
    auxiliary = ""
    for at, word in enumerate(heard[:14]):
        if word not in ("i", "we", "i'm", "i've", "we're", "we've", "i'll", "we'll", "i'd"):
            continue
        auxiliary = word.partition("'")[2]
        verb = next((w for w in heard[at + 1 : at + 5] if w not in ADVERBS and not w.endswith("ly")), "")
        if verb == "used" or (verb == "got" and auxiliary == "ve"):
            return MemoryType.FACT, 0.5
        if auxiliary == "ve" or (verb == "have" and not auxiliary and set(heard[at + 2 : at + 4]) & PARTICIPLES):
            return (MemoryType.OBSERVATION, 0.45) if verb == "been" else (MemoryType.EVENT, 0.5)
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
    return MemoryType.OBSERVATION, 0.4
