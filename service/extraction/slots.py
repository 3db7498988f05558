"""What fills a slot: the part of a value that identifies it, and the items of a list."""

from __future__ import annotations

import re

from service.domain.word_lists import word_set
from service.extraction.lexicon import gerund_base

_ITEMS_MAX = 5
_SLOT_WORDS_MAX = 5

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
_EMPTY_VERBS = word_set("""
    go do be get have make take play spend try work start keep give put look come use talk help see""")
_INDIVISIBLE = re.compile(
    r"\b(?:rock|mac|fish|salt|bed|drum|arts|r|jelly|butter|black|science|ups|pros|back|more"
    r"|peace|wine|gin)\s(?:and|&|n)\s",
    re.I,
)


def items(value: str) -> list[str]:
    """The things that a value lists ("tea, coffee and milk"); empty where it is one thing."""
    if _INDIVISIBLE.search(value) or len(value) > 100:
        return []
    found = [item.strip() for item in re.split(r",\s(?:and\s|or\s)?|\s(?:and|or|&)\s", value)]
    plain = all(0 < len(item.split()) <= 2 and slot_key(item) and not _VAGUE.match(item) for item in found)
    return found if plain and len(found) <= _ITEMS_MAX else []


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


def is_vague(value: str) -> bool:
    """Whether a value names nothing: "it", "the way you do that"."""
    return bool(_VAGUE.match(value))


def without_determiner(value: str) -> str:
    """A value or attribute without "the", "my" and the like in front."""
    return _DETERMINER.sub("", value)
