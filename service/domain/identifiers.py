"""What a summary must not lose: addresses, ids, codes, dates, file names, numbers and names, found in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from service.domain.languages import language_of
from service.domain.word_lists import word_set

PIECE_CHARS = 4_096
"""A text is scanned in pieces, cut at white space where there is any: one piece takes a few milliseconds."""
NAME_WORDS_MAX = 6

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_NUMBERED = (
    "account apartment apt article batch bay booking bug building bus case chapter confirmation contract desk dock "
    "extension flight floor gate invoice issue item lane lot locker model no nr number order page parcel part "
    "platform policy pr release room seat section serial shelf sprint story suite table task terminal ticket track "
    "train unit version zone"
)
# Runs that may be long are taken from their beginning and whole, or bounded by 255 characters, as file names are
# (NAME_MAX of POSIX): the time a text takes is linear in its length.
_KINDS = (
    r"https?://[^\s<>\"'`\])}]+",
    r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+",
    r"(?:(?<![\w./-])|(?<=[^\w.-]\.))(?:[\w.~-]{0,255}+/){0,64}[\w-][\w.-]{0,255}"
    r"\.[a-z][a-z0-9]{0,5}\b(?<!\.e\.g)(?<!\.i\.e)",
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?",
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\.?(?:,? \d{{4}})?\b",
    rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?",
    r"\d{1,2}[./]\d{1,2}[./]\d{2,4}",
    r"\d{1,2}(?::\d\d)? ?[ap]m\b",
    # an IBAN, and a telephone number with its country
    r"(?<!\w)(?-i:[A-Z]{2})\d\d(?: ?(?-i:[A-Z0-9]{4})){2,7}(?: ?(?-i:[A-Z0-9]{1,4}))?(?!\w)",
    r"(?<!\w)\+\d[\d ().-]{5,20}\d",
    # standards, flights and parts: RFC 9457, ISO/IEC 27001:2022, BA 117; and numbers with what they count: gate 12
    r"(?<![\w.-])(?-i:[A-Z]{2,8}(?:[ /][A-Z]{2,8})?) \d[\w.:/-]{0,40}",
    rf"(?<![\w.-])(?:{'|'.join(_NUMBERED.split())})\.? #?[a-z]?\d[\w./-]{{0,40}}",
    # codes of trackers and stocks: QX-4, PROJ-1, SKU-AB-9, CVE-2024-1234
    r"(?<![\w.-])[a-z][a-z0-9]{0,11}(?:[-_][a-z0-9]{1,12}){0,5}[-_]\d[\w.-]{0,40}",
    r"(?<![\w@#&])[@#][a-z][\w-]{1,38}",
    r"(?<!\w)[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,6}",
    r"[€$£]?(?<![\w.])[A-Za-z]{0,12}[-_#]?\d(?:[\w.,:/%#-]*[\w%])?|[€$£]?\d%?",
)
_IDENTIFIER = re.compile("|".join(f"(?:{kind})" for kind in _KINDS), re.IGNORECASE)
_TRAILING = ".,;:!?-_/"

_WORD = re.compile(r"\S{1,200}")
_CLITIC = re.compile("['’]")
_AROUND = ".,;:!?()[]{}<>\"'`*_~|/\\…“”„‘’«»-–—"
_SENTENCE_ENDS = tuple(".!?:;…。！？|>*•")
_OPENERS = word_set("""
    a about actually after again all also although always am an and another any anyway are as at be because been
    before being both but by can could did do does done down during each either even every everybody everyone
    everything finally first for from further had has have he hello hence her here hers hey hi his how however i if
    in indeed instead into is it its just last later let like maybe me meanwhile might mine more most much must my
    neither never next no nobody nor not nothing now of off often ok okay on once one only or other our ours out
    over perhaps please probably quite rather really same shall she should since so some somebody someone something
    sometimes soon still sure than thank thanks that the their theirs them then there therefore these they thing
    things this those though through thus to today together tomorrow tonight too two under until up upon us very
    was we well were what whatever when where whether which while who whole whom whose why will with within without
    would yes yesterday yet you your yours""")
_AFTER_A_NAME = word_set("""
    is was has had will can could would should does did and said says wants likes told asked knows thinks lives
    works went came left made gave took got""")
_GERMAN_BEFORE_A_NOUN = word_set("""
    der die das den dem des ein eine einen einem einer eines kein keine keinen mein meine meinen meinem meiner dein
    deine sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren dieser diese dieses
    diesen diesem jeder jede jedes jeden zum zur im am beim vom ins ans viel viele mehr""")
_GERMAN_NOUN_ENDINGS = ("ung", "ungen", "heit", "keit", "schaft", "tion", "tionen", "tät", "ismus", "chen", "lein")


def identifiers(texts: Iterable[str]) -> list[str]:
    """Return every URL, e-mail address, UUID, date, file name, number, code and name in the texts, once each, in
    order."""
    found: dict[str, None] = {}
    for text in texts:
        for piece in _pieces(text):
            rest, end = [], 0
            for match in _IDENTIFIER.finditer(piece):
                token = match[0].rstrip(_TRAILING)
                if token:
                    found.setdefault(token)
                    rest.append(piece[end : match.start()])
                    end = match.end()
            found |= dict.fromkeys(_names("0".join([*rest, piece[end:]])))
    return list(found)


def _names(text: str) -> list[str]:
    """Capitalised words of a text, a run of them as one, but for those that only open a sentence."""
    words = [word[0] for word in _WORD.finditer(text)]
    german = language_of(text) == "german"
    found: list[str] = []
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and end - at < NAME_WORDS_MAX and _is_capitalised(words[end]):
            end += 1
            if words[end - 1].endswith((*_SENTENCE_ENDS, ",", ")")):
                break
        if end == at:
            at += 1
            continue
        start = at if not _opens(words, at) or _opens_with_a_name(words, at, end) else at + 1
        start += german and start < end and words[start].lower() in _GERMAN_BEFORE_A_NOUN
        if end > start and not (german and end - start == 1 and _is_german_noun(words, start)):
            name = " ".join(words[start:end]).strip(_AROUND)
            found.append(name.removesuffix("'s").removesuffix("’s"))
        at = end
    return found


def missing_from(summary: str, wanted: Iterable[str]) -> list[str]:
    """Return those of the identifiers that a summary does not hold as words of their own, in whatever case."""
    held = summary.casefold()
    return [token for token in wanted if not _holds(held, token.casefold())]


def _holds(text: str, token: str) -> bool:
    at = text.find(token)
    while at >= 0:
        end = at + len(token)
        if not (text[at - 1 : at].isalnum() and token[0].isalnum()) and not text[end : end + 1].isalnum():
            return True
        at = text.find(token, end)
    return False


def _is_capitalised(word: str) -> bool:
    bare = word.strip(_AROUND)
    return (
        len(bare) > 1 and any(char.isupper() for char in bare[:3]) and _CLITIC.split(bare.lower(), 1)[0] not in _OPENERS
    )


def _opens(words: list[str], at: int) -> bool:
    """Return whether a word is the first of its sentence."""
    return at == 0 or words[at - 1].rstrip("\"')]”’»").endswith(_SENTENCE_ENDS) or not words[at - 1].strip(_AROUND)


def _opens_with_a_name(words: list[str], at: int, end: int) -> bool:
    """Return whether the capitalised words that open a sentence are a name by what they are or by what follows."""
    bare = words[at].strip(_AROUND)
    if end - at > 1 or not bare.istitle() or bare.endswith(("'s", "’s")):
        return True
    following = words[end] if end < len(words) and words[at][-1:].isalnum() else ""
    return following in _AFTER_A_NAME or (following.endswith("ed") and following.islower())


def _is_german_noun(words: list[str], at: int) -> bool:
    bare = words[at].strip(_AROUND)
    before = words[at - 1].lower() if at else ""
    return bare.istitle() and (before in _GERMAN_BEFORE_A_NOUN or bare.endswith(_GERMAN_NOUN_ENDINGS))


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PIECE_CHARS:
        end = text.rfind(" ", start, start + PIECE_CHARS) + 1
        end = end if end > start else start + PIECE_CHARS
        yield text[start:end]
        start = end
    yield text[start:]
