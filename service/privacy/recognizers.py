"""Reverie's recognizers for presidio, the finders of phone numbers and e-mail addresses, and an offline engine.

Importing this module imports presidio and spaCy (about a second): only the redactor does, at first use.

Phone numbers come in three grades, because most numbers in a memory are none: shapes that are nothing else
(``+49 …``, ``212-555-1234``, ``0490 75 40 81``) count anywhere; ten digits that the numbering plan knows count unless
they are called something else; any other grouping of 7 to 13 digits counts where the words around it speak of phoning.
E-mail addresses are RFC 5322's forms and the usual disguises; runs are possessive and begin where no run goes on.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import phonenumbers
import spacy
from presidio_analyzer import AnalyzerEngine, EntityRecognizer, LocalRecognizer, RecognizerRegistry, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts, SpacyNlpEngine
from presidio_analyzer.predefined_recognizers import SpacyRecognizer
from spacy.tokens import Doc

from service.domain.word_lists import word_set
from service.privacy import patterns
from service.privacy.patterns import OPAQUE, Span, blank

_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:19|20)\d\d"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
_ALONE, _ENDED = r"(?<![\d+])(?<!\d[ ./:-])", r"(?!\d|[./-]\d)"
_NOT_A_PHONE = re.compile(
    f"{OPAQUE}"
    rf"|{_ALONE}{_YEAR}(?P<a>[./-]){_MONTH}(?P=a){_DAY}{_ENDED}(?:[T ]{_TIME}(?:Z| ?[+-]\d{{2}}:?\d{{2}}(?!\d))?)?"
    rf"|{_ALONE}(?:{_DAY}(?P<b>[./-]){_MONTH}|{_MONTH}(?P<c>[./-]){_DAY})(?:(?P=b)|(?P=c))(?:{_YEAR}|\d\d){_ENDED}"
    rf"|{_ALONE}{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T?\d{{6}}Z?)?(?![ -]?\d)"
    rf"|{_ALONE}{_TIME}(?![\d:])",
    re.ASCII,
)

_RUN = re.compile(r"(?:[+(]{1,3}|(?<![A-Za-z0-9_]))\d(?:[-./() \t]{0,3}\d){6,}", re.ASCII)
_DIGITS_OF_RUN = re.compile(r"\d(?:[-./() \t]{0,3}\d){6}", re.ASCII)
_GROUP = re.compile(r"\d+", re.ASCII)
_EXTENSION = re.compile(r" ?(?:x|ext\.?|extension|#) ?\d{1,6}(?!\d)", re.IGNORECASE)
_GROUPS_MAX = 8
_CONTEXT_CHARS = 40
_INT32_MAX = "2147483647"  # a valid number in Dallas, and a far more usual constant

_PHONING = re.compile(
    r"\b(?:(?:tele)?phon|call(?:s|ed|ing|er)?\b|mob(?:ile)?\b|cell(?:s|phone|ular)?\b|fax|tel\b|dial|ring\b|reach"
    r"|contact|whats\s?app|wa\.me|sms\b|text(?:ed|ing|s)? (?:me|us|him|her|them|to|at|on)\b|messag\w+ (?:to|at|on)\b"
    r"|registered\b|answer\w* (?:at|on)\b|voicemail|landline|hotline|pager|viber|telegram|signal\b|gsm\b|handy\b"
    r"|(?:my|his|her|their|our|your) (?:(?:new|old|own|private|personal|work|home|other|main|direct) )?number\b"
    r"|(?:desk|office|home|work|direct)(?: line| number)? ?[:#-]"
    r"|t[eé]l[eéè]f|t[eé]l\b|m[oó]vil|celular|телефон|тел\b)|[电電][话話]|手机|전화|휴대폰",
    re.IGNORECASE,
)
_PHONING_AFTER = re.compile(r"[ \t,()-]{0,3}(?:office|fax|mobile|home|cell|work|desk|phone|tel|landline)\b", re.I)
_OTHER_NUMBER = re.compile(
    r"\b(?:orders?|invoices?|tickets?|cases?|accounts?|acct|ref|references?|serial|tracking|confirmation|policy"
    r"|licen[cs]e|ids?|part|model|version|batch|customer|member|membership|booking|flight|room|zip|postal|postcode"
    r"|code|commit|build|sku|epoch|timestamp|population|bytes?|hash|isbn|issn|doi|pmid|issue|item|product|patent)"
    r"[\s:#.=-]{0,3}(?:(?:number|num|no|nr|id|code|is|was|of)\b[\s:#.=-]{0,3}){0,3}\Z",
    re.IGNORECASE,
)
_VERSION_BEFORE = re.compile(
    r"\b(?:v|ver|version|versions|release|build|firmware|kernel|driver|rev|revision|sdk|patch)[\s:#.=-]{0,3}\Z",
    re.IGNORECASE,
)
_STREET_AFTER = re.compile(
    r" {1,20}[A-Z]\S{0,30}(?: \S{1,30}){0,3}? (?:St|Str|Street|Ave|Avenue|Rd|Road|Lane|Ln|Blvd|Boulevard|Drive|Dr|Way"
    r"|Court|Ct|Place|Pl|Square|Crescent|Terrace|Highway|Hwy)\b"
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Consecutive groups of digits in ``text``: their sizes, and what stands between them."""

    text: str
    start: int
    end: int
    digits: str
    sizes: tuple[int, ...]
    gaps: tuple[str, ...]
    opening: str
    closes_run: bool

    def before(self) -> str:
        return self.text[max(0, self.start - _CONTEXT_CHARS) : self.start]

    def after(self) -> str:
        return self.text[self.end : self.end + 1]


def find_phones(text: str) -> Iterator[Span]:
    """Phone numbers with their extension, national and international, never the dates, times and hashes beside them."""
    if _DIGITS_OF_RUN.search(text) is None:
        return
    text = blank(_NOT_A_PHONE, text)
    for run in _RUN.finditer(text):
        groups = [match.span() for match in _GROUP.finditer(text, run.start(), run.end())]
        first = 0
        while first < len(groups):
            phone = next((c for c in _candidates(text, run.start(), groups, first) if _is_phone(c, first == 0)), None)
            if phone is None:
                first += 1
                continue
            extension = _EXTENSION.match(text, phone.end)
            yield phone.start, extension.end() if extension else phone.end
            first += len(phone.sizes)


def _candidates(text: str, run_start: int, groups: list[Span], first: int) -> Iterator[_Candidate]:
    """Yield the candidates that begin at group ``first`` with 7 to 17 digits, longest first."""
    start = run_start if first == 0 else text.find("(", groups[first - 1][1], groups[first][0])
    if start < 0:
        start = groups[first][0]
    elif text[start] == "(" and ")" not in text[start : groups[-1][0]]:
        start += 1
    sizes = [b - a for a, b in groups[first : first + _GROUPS_MAX]]
    for count in range(len(sizes), 0, -1):
        if not 7 <= sum(sizes[:count]) <= 17:
            continue
        window = groups[first : first + count]
        end = window[-1][1]
        following = text[end : groups[first + count][0]] if first + count < len(groups) else " "
        if not following.strip(" \t("):
            yield _Candidate(
                text,
                start,
                end,
                "".join(text[a:b] for a, b in window),
                tuple(sizes[:count]),
                tuple(text[a[1] : b[0]] for a, b in pairwise(window)),
                text[start : window[0][0]],
                first + count == len(groups),
            )


def _is_phone(phone: _Candidate, opens_run: bool) -> bool:
    if _is_version(phone) or (not opens_run and phone.text[phone.start - 1] not in " \t("):
        return False
    return (
        _is_international(phone)
        or _is_north_american(phone)
        or _has_trunk_zero(phone)
        or _has_area_code(phone)
        or _is_chinese_mobile(phone)
        or (opens_run and (_is_called_a_phone(phone) or _is_known_bare_number(phone)))
    )


def _is_version(phone: _Candidate) -> bool:
    """Return whether figures between dots are the number of a version or an IPv4 address."""
    if not phone.gaps or set(phone.gaps) != {"."} or phone.opening:
        return False
    octets = [
        phone.text[a:b] for a, b in (match.span() for match in _GROUP.finditer(phone.text, phone.start, phone.end))
    ]
    return (len(octets) == 4 and all(int(one) < 256 for one in octets)) or bool(_VERSION_BEFORE.search(phone.before()))


def _is_international(phone: _Candidate) -> bool:
    """E.164 after ``+`` or ``00``: at most 15 digits, and of a length its country uses unless in groups."""
    if "+" in phone.opening:
        number = phone.digits
    elif re.match("00[1-9]", phone.digits):
        number = phone.digits[2:]
    else:
        return False
    if not 8 <= len(number) <= 15 or number[0] == "0":
        return False
    grouped = len(phone.sizes) > 2 or (len(phone.sizes) == 2 and phone.sizes[0] < 4)
    return (grouped and "." not in phone.gaps[:1]) or _is_possible(number)


def _is_possible(number: str) -> bool:
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(f"+{number}"))
    except phonenumbers.NumberParseException:
        return False


def _is_north_american(phone: _Candidate) -> bool:
    """``ddd-ddd-dddd`` with any one separator or a parenthesised area code, with or without the leading 1."""
    sizes = phone.sizes[1:] if phone.digits[0] == "1" and phone.sizes[0] == 1 else phone.sizes
    if sizes != (3, 3, 4):
        return False
    area = phone.digits[-10]
    return area in "23456789" or any(gap != " " for gap in phone.gaps)


def _has_trunk_zero(phone: _Candidate) -> bool:
    """Return a national number with its leading 0, in at least three groups, or ten or eleven digits together."""
    sizes, count = phone.sizes, len(phone.digits)
    if phone.digits[0] != "0" or phone.digits[1] == "0" or not 9 <= count <= 12 or not phone.closes_run:
        return False
    if len(sizes) == 1:
        return count in (10, 11) and not _is_called_otherwise(phone)
    return 2 <= sizes[0] <= 6 and min(sizes) >= 2 and (len(sizes) >= 3 or count >= 10)


def _has_area_code(phone: _Candidate) -> bool:
    """``(37) 788-063``: but not a year in parentheses; and ``71-33-52-22``."""
    sizes, count = phone.sizes, len(phone.digits)
    if len(sizes) >= 4 and set(sizes) == {2} and len(set(phone.gaps)) == 1 and phone.gaps[0] in ("-", "."):
        return count in (8, 10)
    in_parentheses = phone.opening == "(" and len(sizes) > 1 and phone.gaps[0].startswith(")")
    is_year = sizes[0] == 4 and phone.digits[:2] in ("19", "20")
    return in_parentheses and 2 <= sizes[0] <= 5 and 8 <= count <= 12 and min(sizes) >= 2 and not is_year


def _is_chinese_mobile(phone: _Candidate) -> bool:
    """Eleven digits that begin with 13 to 19, ``138 0013 8000`` or in one piece, with or without the leading 86."""
    digits, sizes = phone.digits, phone.sizes
    if len(digits) == 13 and digits.startswith("86"):
        digits, sizes = digits[2:], sizes[1:] if sizes[0] == 2 else (sizes[0] - 2, *sizes[1:])
    if len(digits) != 11 or digits[0] != "1" or sizes not in ((11,), (3, 4, 4), (3, 8), (4, 3, 4), (7, 4)):
        return False
    if _is_marked(phone) or _is_called_otherwise(phone):
        return False
    return phonenumbers.is_valid_number(phonenumbers.parse(digits, "CN"))


def _is_called_a_phone(phone: _Candidate) -> bool:
    """7 to 13 digits in any usual grouping, where the words just before or after speak of phoning."""
    sizes, count = phone.sizes, len(phone.digits)
    if not 7 <= count <= 13 or phone.after().isalnum() or phone.after() == "%":
        return False
    if len(sizes) > 1 and (
        sizes[0] > 6
        or (sizes[0] == 1 and phone.digits[0] not in "01789")
        or (min(sizes[1:]) < 2 and phone.digits[0] != "0")
        or max(sizes[1:]) > (8 if len(sizes) == 2 else 5)
        or (len(sizes) == 2 and phone.gaps[0] == ".")
        or (sizes == (4, 4) and re.fullmatch("(?:19|20)..(?:19|20)..", phone.digits))
    ):
        return False
    if _is_called_otherwise(phone) or _STREET_AFTER.match(phone.text, phone.end):
        return False
    return bool(_PHONING.search(phone.before()) or _PHONING_AFTER.match(phone.text, phone.end))


def _is_called_otherwise(phone: _Candidate) -> bool:
    return bool(_OTHER_NUMBER.search(phone.before()))


def _is_marked(phone: _Candidate) -> bool:
    """Return whether a sign beside it makes it another kind of number."""
    return phone.before()[-1:] in tuple("#$€£¥=/-.%&") or phone.after().isalnum() or phone.after() == "%"


def _is_known_bare_number(phone: _Candidate) -> bool:
    """Ten digits in a row that the North American plan assigns, unless marked as another kind of number."""
    if phone.sizes != (10,) or phone.digits == _INT32_MAX or phone.digits[0] in "01":
        return False
    if _is_marked(phone):
        return False
    return not _is_called_otherwise(phone) and phonenumbers.is_valid_number(phonenumbers.parse(phone.digits, "US"))


_MARKS = r"[.!#$%'*+^~\-]"

# In scripts written without spaces a word runs into the address beside it ("メールはa@b.comです"), so an address
# within them is looked for first, and one made of them ("用户@例子.公司") only where that finds nothing.
_SPACED_WORD = (
    r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)
_ANY_WORD = r"\w"


def _local(word: str) -> str:
    return rf"(?<!{word})(?<!{_MARKS})(?:{word}|{_MARKS})++"


def _domain(word: str, dot: str = r"\.") -> str:
    label = rf"(?:{word}|-)++"
    return rf"(?:{label}{dot})+(?!\d){word}{label}"


_EMAIL = re.compile(rf"{_local(_SPACED_WORD)}@{_domain(_SPACED_WORD)}")
_EMAIL_ANY_SCRIPT = re.compile(rf"{_local(_ANY_WORD)}@{_domain(_ANY_WORD)}")
_BRACKETED_DOT = r"(?:\.| ?[\[({] ?dot ?[\])}] ?)"
_BRACKETED = re.compile(
    rf"{_local(_SPACED_WORD)} ?[\[({{] ?at ?[\])}}] ?{_domain(_SPACED_WORD, _BRACKETED_DOT)}", re.IGNORECASE
)
_HOST = rf"(?:{_domain(_SPACED_WORD)}|[A-Za-z][A-Za-z0-9-]{{0,62}}(?![\w.]))"
_LITERAL = r"(?:\[[0-9A-Za-z:.]{2,64}\]|(?:\d{1,3}\.){3}\d{1,3}(?![\w.]))"
_QUOTED = re.compile(
    rf"""(?<![^\s<(\[{{:;,=>])["“”„](?:[^"“”„\\\n\x00]|\\[^\n\x00]){{1,64}}["“”]@(?:{_HOST}|{_LITERAL})"""
)
_AT_ADDRESS = re.compile(rf"{_local(_SPACED_WORD)}@{_LITERAL}")
# Not in a path ("actions/checkout@fix") and not before the name of a version ("lodash@latest").
_VERSION = (
    r"(?:v\d|sha\d"
    r"|(?:latest|next|beta|alpha|rc|canary|nightly|stable|edge|main|master|trunk|develop|dev|head)(?![\w-]))"
)
_AT_HOST = re.compile(
    rf"(?<!\w/){_local(_SPACED_WORD)}@(?!{_VERSION})[A-Za-z][A-Za-z0-9-]{{1,62}}(?![\w@-]|\.\w)", re.IGNORECASE
)


_PATH = re.compile(r":(?!\d+\b)[\w~./-]{1,200}", re.ASCII)
_SERVICE_ACCOUNTS = word_set("""
    admin app aur backup build buildbot centos ci core debian deploy deployer docker ec2-user fedora git gitea gitlab hg
    jenkins mercurial opc pi root rocky runner svn ubuntu vagrant www www-data""")


def find_emails(text: str) -> Iterator[Span]:
    """Everything shaped ``local@host``, whatever the domain: internal ones are personal data too.

    Also ``"quoted local"@host``, a host without a dot (``root@localhost``; not a version, ``lodash@latest``), an
    address in place of the host, and ``local [at] host [dot] com``. Not where a service logs in (``git@host:path``).
    """
    if "@" in text:
        for pattern in (_QUOTED, _EMAIL, _EMAIL_ANY_SCRIPT, _AT_ADDRESS):
            for match in pattern.finditer(text):
                if not _is_remote(match):
                    yield _without_markup(match)
            text = blank(pattern, text)
        for match in _AT_HOST.finditer(text):
            start, end = _without_markup(match)
            if text[start].isalpha() and not _is_remote(match):
                yield start, end
    for match in _BRACKETED.finditer(text):
        yield _without_markup(match)


def _is_remote(match: re.Match[str]) -> bool:
    """Return whether an address is one that tools log in at, as a service or for a repository (``git@host:path``)."""
    local = match[0].partition("@")[0].lstrip("'*~.-").lower()
    path = _PATH.match(match.string, match.end())
    return local == "git" or bool(path and (local in _SERVICE_ACCOUNTS or path[0].endswith(".git")))


def _without_markup(match: re.Match[str]) -> Span:
    start = match.end() - len(match[0].lstrip("'*~.-"))
    return (start if match.string[start] != "@" else match.start()), match.end()


_FINDERS: dict[str, Callable[[str], Iterator[patterns.Span]]] = {
    "EMAIL_ADDRESS": find_emails,
    "IBAN_CODE": patterns.find_ibans,
    "CREDIT_CARD": patterns.find_cards,
    "US_SSN": patterns.find_ssns,
    "IP_ADDRESS": patterns.find_ip_addresses,
    "PHONE_NUMBER": find_phones,
}


class Finding(NamedTuple):
    """``text[start:end]`` is an ``entity``."""

    start: int
    end: int
    entity: str


class _SpanRecognizer(LocalRecognizer):
    """One entity type, found by one function. Every span is certain: the finder has weighed the words around it."""

    def __init__(self, entity: str, find: Callable[[str], Iterator[patterns.Span]]) -> None:
        self._entity = entity
        self._find = find
        super().__init__(supported_entities=[entity], name=f"Reverie {entity}")

    def load(self) -> None:
        """Nothing to load."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Return every span of this recognizer's entity in ``text``, at the highest score."""
        metadata = {
            RecognizerResult.RECOGNIZER_NAME_KEY: f"Reverie {self._entity}",
            RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: self.id,
        }
        return [
            RecognizerResult(self._entity, start, end, EntityRecognizer.MAX_SCORE, recognition_metadata=metadata)
            for start, end in self._find(text)
        ]


class _OfflineEngine(SpacyNlpEngine):
    """An installed model, or a blank pipeline. presidio's own engine downloads a model that it does not find."""

    def __init__(self, model: str | None) -> None:
        super().__init__(models=[{"lang_code": "en", "model_name": model or ""}])
        self.pipeline = spacy.load(model) if model else spacy.blank("en")

    def load(self) -> None:
        """Makes the pipeline presidio's."""
        self.nlp = {"en": self.pipeline}  # type: ignore[assignment]  # declared as None by presidio


def _analyzer(engine: SpacyNlpEngine, recognizers: Sequence[EntityRecognizer]) -> AnalyzerEngine:
    registry = RecognizerRegistry(recognizers=list(recognizers), supported_languages=["en"])
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])


class PatternFinder:
    """Entities that have a form, found by presidio without a language model. Safe to share between threads."""

    entities = tuple(_FINDERS)

    def __init__(self) -> None:
        engine = _OfflineEngine(None)
        self._analyzer = _analyzer(engine, [_SpanRecognizer(entity, find) for entity, find in _FINDERS.items()])
        # Given ready-made, so that spaCy never sees the text: its vocabulary keeps every word it has ever read.
        self._no_words = NlpArtifacts(
            entities=[],
            tokens=Doc(engine.pipeline.vocab, words=[]),
            tokens_indices=[],
            lemmas=[],
            nlp_engine=engine,
            language="en",
            scores=[],
        )

    def find(self, text: str, entities: Sequence[str]) -> list[Finding]:
        """Return all findings of ``entities`` in ``text``, in no order; they may overlap."""
        results = self._analyzer.analyze(text, "en", entities=list(entities), nlp_artifacts=self._no_words)
        return [Finding(result.start, result.end, result.entity_type) for result in results]


class NameFinder:
    """People and places, found by an installed spaCy model: a package name or a folder. One text at a time."""

    entities = ("PERSON", "LOCATION")

    def __init__(self, model: str) -> None:
        self._analyzer = _analyzer(_OfflineEngine(model), [SpacyRecognizer(supported_entities=list(self.entities))])
        self._lock = threading.Lock()

    def find(self, text: str, entities: Sequence[str]) -> list[Finding]:
        """Return all findings of ``entities`` in ``text``, in no order; they may overlap."""
        with self._lock:
            results = self._analyzer.analyze(text, "en", entities=list(entities))
        return [Finding(result.start, result.end, result.entity_type) for result in results]
