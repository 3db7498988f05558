"""Entities named by a statement, with a kind from simple cues, and the values that fill slots."""

from __future__ import annotations

import re
from collections.abc import Collection

from service.domain.word_lists import word_set
from service.extraction.candidates import Mention
from service.extraction.english.lexicon import (
    BASE_VERBS,
    FIRST_NAMES,
    MONTHS,
    PLACES,
    PRODUCTS,
    STOPWORDS,
    WEEKDAYS,
    gerund_base,
    is_past,
)
from service.extraction.patterns import any_case

_ITEMS_MAX = 5
_SLOT_WORDS_MAX = 5

_VALUE_ENDS = any_case(
    r"\s(?:because|since|as|when|while|so|but|and\s(?:i|we|it|they|that|how|also|am|is|was)|for|with|in|at|on|from"
    r"|after|before|during|every|especially|more|most|a\slot|very|too|though|these|now|anymore|any\smore|that|which|who"
    r"|where|best|instead|like|by|right|than|if|since|today|yesterday|i|we|they|he|she|it|i've|i'm|we've|last|this|next"
    r"|lately|recently|again|already|altogether|completely|entirely|so\smuch)\b"
)
_DETERMINER = any_case(
    r"^(?:to\s|the\s|a\s|an\s|my\s|our\s|some\s|any\s|all\s(?:the\s)?|very\s|really\s|most\s|(?:to\s)?(?:drink"
    r"|eat|us|hav)(?:ing|e)?\s(?=\w))"
)
_VAGUE = any_case(
    r"^(?:it|that|this|them|those|these|him|her|you|your?|yours|me|us|how|what|when|where|why|their|his|its|being"
    r"|seeing|hearing|to\s(?:see|hear)|the\sway|everything|something|nothing|things?|stuff|one|ones|both|all|there|here"
    r"|to|doing\s(?:it|that|this)|either|anything)\b(?!\s(?:[a-z]+ing)\b)"
)
_EMPTY_VERBS = word_set("""
    go do be get have make take play spend try work start keep give put look come use talk help see""")
_INDIVISIBLE = any_case(
    r"\b(?:rock|mac|fish|salt|bed|drum|arts|r|jelly|butter|black|science|ups|pros|back|more"
    r"|peace|wine|gin)\s(?:and|&|n)\s"
)


def items(value: str) -> list[str]:
    """Return the things that a value lists ("tea, coffee and milk"); empty where it is one thing."""
    if _INDIVISIBLE.search(value) or len(value) > 100:
        return []
    found = [item.strip() for item in re.split(r",\s(?:and\s|or\s)?|\s(?:and|or|&)\s", value)]
    plain = all(0 < len(item.split()) <= 2 and slot_key(item) and not _VAGUE.match(item) for item in found)
    return found if plain and len(found) <= _ITEMS_MAX else []


def slot_key(value: str) -> str:
    """Return the part of a value that identifies it, folded; empty where it is vague ("it", "the way you…") or too
    long."""
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
    """Return whether a value names nothing: "it", "the way you do that"."""
    return bool(_VAGUE.match(value))


def without_determiner(value: str) -> str:
    """Return a value or attribute without "the", "my" and the like in front."""
    return _DETERMINER.sub("", value)


_MENTIONS_MAX = 12

_TOKEN = re.compile(r"[^\W_](?:[\w.&+#'’/-]{0,40}[\w+#])?")
_TITLE = re.compile(r"[\"“]([A-Z][^\"“”\n]{1,60})[\"”]")
_NOT_ENTITIES = (
    frozenset(MONTHS)
    | frozenset(WEEKDAYS)
    | word_set("""
        i ok okay wow lol haha omg btw asap faq tbh imo diy tv am pm christmas halloween thanksgiving easter
        internet mom dad mum grandma grandpa god english spanish french german italian chinese japanese american
        european asian african yes no thanks hey hi oh tldr ps todo""")
)
_COMPANY_SUFFIX = word_set("inc corp ltd llc gmbh ag plc co labs technologies systems bank university institute")
_PLACE_SUFFIX = word_set("""
    street avenue park beach lake mountain mountains river island city valley canyon county road bridge""")
_WORKPLACE = any_case(
    r"\b(?:work(?:s|ed|ing)?|job|intern(?:s|ed)?|internship|employed|hired|career|position"
    r"|role|offer) (?:at|for|with|by|from) $|\bjoin(?:s|ed|ing)? $"
)
_PLACE_CUE = any_case(
    r"\b(?:in|to|from|near|around|visit(?:s|ed|ing)?|across|through|toward|towards|outside|leave|left|explore[ds]?) $"
)
_KIN_CUE = any_case(
    r"\b(?:friend|sister|brother|wife|husband|partner|son|daughter|cousin|boss|manager|colleague|coworker|teacher"
    r"|mentor|aunt|uncle|girlfriend|boyfriend|neighbor|neighbour|roommate|doctor|coach|teammate|mr\.|mrs\.|ms\.|dr\."
    r"|professor),? $|(?:married|engaged) to $"
)
_PROJECT_BEFORE = any_case(r"\b(?:project|codename|code-named|initiative|repo|repository) $")
_PROJECT_AFTER = any_case(r"^ (?:project|initiative|repo|repository|migration|launch|app)\b")


def mentions(text: str, people: Collection[str] = (), subject: str | None = None) -> tuple[Mention, ...]:
    """Return the entities named in ``text``, in order, each once, at most twelve.

    ``people`` are names known to be persons (the speakers). ``subject`` is left out: a statement's own subject
    needs no link by name. A capitalised word that merely opens the sentence is not an entity.
    """
    found: dict[str, Mention] = {}
    known = {name.lower() for name in people}
    for name, start, end in _names(text):
        bare = name.removesuffix("'s").removesuffix("’s")
        key = bare.lower()
        if subject is not None and f" {key}".endswith(f" {subject.lower()}"):
            continue
        kind = "person" if key in known else _kind(bare, text[max(0, start - 40) : start], text[end : end + 20])
        opens = start == 0 or text[max(0, start - 2) : start].rstrip()[-1:] in (".", "!", "?", ":", '"', "“")
        if opens and kind == "thing" and " " not in bare:
            continue
        found.setdefault(key, Mention(bare, kind))
        if len(found) == _MENTIONS_MAX:
            break
    return tuple(found.values())


def _names(text: str) -> list[tuple[str, int, int]]:
    """Runs of capitalised words with their places; connecting "of" and "the" stay inside a run."""
    runs = [(match[1], match.start(1), match.end(1)) for match in _TITLE.finditer(text)]
    if runs:
        text = _TITLE.sub(lambda match: "_" * len(match[0]), text)
    start = end = -1
    for match in _TOKEN.finditer(text):
        word = match[0].rstrip("'’.")
        joined = end >= 0 and text[end : match.start()] == " "
        if _is_name_word(word) or (
            joined and word[:1].isupper() and word.lower() not in STOPWORDS and word.lower() not in _NOT_ENTITIES
        ):
            if joined and not text[start:end].endswith(("'s", "’s")):
                end = match.start() + len(word)
                continue
            if end >= 0:
                runs.append((text[start:end], start, end))
            start, end = match.start(), match.start() + len(word)
        elif end >= 0:
            runs.append((text[start:end], start, end))
            start = end = -1
    if end >= 0:
        runs.append((text[start:end], start, end))
    return [
        run for run in sorted(runs, key=lambda run: run[1]) if run[0].lower().removesuffix("'s") not in _NOT_ENTITIES
    ]


def _is_name_word(word: str) -> bool:
    lower = word.lower().removesuffix("'s").removesuffix("’s")
    if not word[:1].isupper() and not (len(word) > 2 and word[0].islower() and word[1].isupper()):
        return False
    if lower in PRODUCTS or lower in PLACES:
        return True
    if lower in STOPWORDS or lower in _NOT_ENTITIES or (len(word) == 1):
        return False
    return not (lower in BASE_VERBS or is_past(lower) or gerund_base(lower))


def _kind(name: str, before: str, after: str) -> str:
    words = name.lower().split()
    last = words[-1].rstrip(".")
    if (words[0] == "project" and len(words) > 1) or _PROJECT_BEFORE.search(before) or _PROJECT_AFTER.match(after):
        return "project"
    if name.lower() in PLACES or (len(words) > 1 and last in _PLACE_SUFFIX):
        return "place"
    if (last in _COMPANY_SUFFIX and len(words) > 1) or _WORKPLACE.search(before):
        return "company"
    if name.lower() in PRODUCTS:
        return "product"
    titled = words[0].rstrip(".") in ("mr", "mrs", "ms", "dr", "prof")
    if titled or _KIN_CUE.search(before) or (words[0] in FIRST_NAMES and len(words) <= 3):
        return "person"
    if name.isupper() and len(name) <= 6:
        return "thing"
    if re.search(r"\b(?:is|are|comes?|originally|born|grew up|raised) (?:originally )?(?:from|in) $", before):
        return "place"
    if re.search(
        r"\b(?:lives?|living|lived|moved?|moving|born|trip|travel(?:l?ed|l?ing)?|flew|fly|flight|went"
        r"|based|vacation|raised|stay(?:ed|ing)?|visit(?:ed|ing)?)\b[^.,;]{0,20}$",
        before,
        re.I,
    ) and _PLACE_CUE.search(before):
        return "place"
    return "thing"
