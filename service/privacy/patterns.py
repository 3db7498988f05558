"""A text folded to ASCII, cut into windows; the IP addresses, IBANs, cards and US social security numbers in it.

People and pages write one address in many alphabets of digits, dashes and invisible characters, and pages escape the
signs in it (``bob%40ex.com``, ``bob&#64;ex.com``). The finders read the folded text; what they find is cut out of the
original, so text without findings stays byte for byte the same.

Every finder yields ``(start, end)`` in time linear in the text: presidio's own patterns can backtrack for seconds on
long input and then skip the text, which would let data through.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])\s(?=[^\W\d_])")
CORE_CHARS = 16_384
_MARGIN_CHARS = 2_048
"""Many times as long as any form of personal data with the words around it that decide."""
_SEEK_CHARS = 8_192


@dataclass(frozen=True, slots=True)
class TextWindow:
    """A part of a text that is searched at once. What is found counts where it reaches into the core."""

    start: int
    core_start: int
    core_end: int
    end: int


def windows(text: str, core_chars: int = CORE_CHARS) -> Iterator[TextWindow]:
    """Yield a long text in windows with cores of ``core_chars`` characters: a regular expression keeps all other
    threads waiting until it has its next match. The longest such wait in a megabyte is 36 ms, without windows 846.

    The margins beside a core hold every finding that reaches into it, with the words around that decide; they end
    between two words, so that they cut no run of digits or characters, unless it is longer than ``_SEEK_CHARS``.
    """
    for core_start in range(0, max(1, len(text)), core_chars):
        core_end = min(core_start + core_chars, len(text))
        left, right = max(0, core_start - _MARGIN_CHARS), min(len(text), core_end + _MARGIN_CHARS)
        start, end = max(0, left - _SEEK_CHARS), min(len(text), right + _SEEK_CHARS)
        if start:
            start = next((gap.end() for gap in _BETWEEN_WORDS.finditer(text, start, left)), start)
        if end < len(text):
            end = next((gap.start() for gap in _BETWEEN_WORDS.finditer(text, right, end)), end)
        yield TextWindow(start, core_start, core_end, end)


INVISIBLE_MARKS = {
    *"\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0",
    *map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))),
}
"""Letters and marks that Unicode lets nobody see (Default_Ignorable_Code_Point), besides format characters."""

_DASHES = {"\u2212", "\u2043"}

# Signs of addresses and numbers, escaped as in URLs (once or more often), HTML, and JSON or JavaScript.
_ESCAPED = re.compile(
    r"%(?:25){0,4}(?P<percent>2[0-9A-F]|3A|40|5[BDF])"
    r"|&(?:amp;){0,4}(?:#0{0,7}(?P<decimal>\d{2,3});?|#x0{0,7}(?P<hex>[0-9A-F]{2});?"
    r"|(?P<name>commat|period|plus|lowbar|hyphen|dash|colon|lpar|rpar|quot|nbsp);)"
    r"|\\(?:u00|x)(?P<script>[2-7][0-9A-F])",
    re.IGNORECASE,
)
_NAMED = {
    "commat": "@", "period": ".", "plus": "+", "lowbar": "_", "hyphen": "-", "dash": "-", "colon": ":", "lpar": "(",
    "rpar": ")", "quot": '"', "nbsp": " ",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AsciiText:
    """``text`` to search in; its i-th character stands for ``original[starts[i]:ends[i]]``, ``None``: for itself."""

    text: str
    starts: list[int] | None
    ends: list[int] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span behind ``text[start:end]`` (not empty), invisible characters inside included."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def to_ascii(text: str) -> AsciiText:
    """Digits and dashes of all scripts become ASCII, compatibility forms NFKC; invisible characters are dropped, and
    escaped signs stand for themselves."""
    if text.isascii() and _ESCAPED.search(text) is None:
        return AsciiText(text, None, None)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def add(piece: str, start: int, end: int) -> None:
        pieces.append(piece)
        starts.extend([start] * len(piece))
        ends.extend([end] * len(piece))

    done = 0
    for escape in _ESCAPED.finditer(text):
        sign = _unescaped(escape)
        if sign is not None:
            for position in range(done, escape.start()):
                add(_ascii_of(text[position]), position, position + 1)
            add(sign, *escape.span())
            done = escape.end()
    for position in range(done, len(text)):
        add(_ascii_of(text[position]), position, position + 1)
    return AsciiText("".join(pieces), starts, ends)


def _unescaped(escape: re.Match[str]) -> str | None:
    """Return the printable ASCII character that is meant, if it is one."""
    if escape["name"]:
        return _NAMED[escape["name"].lower()]
    code = (
        int(escape["decimal"]) if escape["decimal"] else int(escape["percent"] or escape["hex"] or escape["script"], 16)
    )
    return chr(code) if 0x20 <= code < 0x7F else None


def _ascii_of(character: str) -> str:
    return character if character.isascii() else _ascii_of_character(character)


@lru_cache(maxsize=4096)
def _ascii_of_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf" or character in INVISIBLE_MARKS:
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Pd" or character in _DASHES:
        return "-"
    if category == "No":  # NFKC would turn "10²" into "102"
        return character
    return unicodedata.normalize("NFKC", character)


Span = tuple[int, int]

# Stands where nothing may be found: no pattern matches across it.
BARRIER = "\x00"

# A hash or a UUID may hold a run of digits that happens to be a valid card or phone number.
OPAQUE = (
    r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])"
    r"|(?<!\w)(?=[0-9]*[A-Fa-f])[0-9A-Fa-f]{32,128}(?!\w)"
)
_OPAQUE = re.compile(OPAQUE)


def blank(pattern: re.Pattern[str], text: str) -> str:
    """``text`` at the same length, with barriers over every match of ``pattern``."""
    return pattern.sub(lambda match: BARRIER * len(match[0]), text)


_OCTET = r"(?:25[0-5]|2[0-4]\d|[01]?\d?\d)"
_IPV4 = re.compile(rf"(?<![\d.])(?<!\bv)(?:{_OCTET}\.){{3}}{_OCTET}(?!\d|\.\d)(?:/\d{{1,2}}(?!\d))?")
_IPV4_IS_VERSION = re.compile(r"\b(?:v|ver|version|release|build)[ .:]*\Z", re.IGNORECASE)
_IPV6_TOKEN = re.compile(
    r"(?<![0-9A-Za-z_.:])[0-9A-Za-z_.]*+:[0-9A-Za-z_.]*+:[0-9A-Za-z_.:]*+(?:%[0-9A-Za-z]{1,16})?(?:/\d{1,3})?"
)
_NOT_HEX = re.compile("[G-Zg-z_]")


# The host of a URL as a number (inet_aton): 3232235777, 0xC0A80101, 0300.0250.1.1, 127.1; or a number after "IP".
_NUMBER = r"(?:0x[0-9a-f]{1,8}|\d{1,11})"
_NUMERIC_HOST = re.compile(
    rf"\b[a-z][a-z0-9+.-]{{1,15}}://(?:[^\s/?#@\x00]{{1,64}}@)?({_NUMBER}(?:\.{_NUMBER}){{0,3}})\.?(?![\w.%@-])"
    r"|\bip(?:v?4)?(?:[ _-]?addr(?:ess)?)?\b[ \t]{0,3}(?:is\b|[:=])?[ \t\"']{0,3}"
    r"(0x[0-9a-f]{8}|\d{8,10})(?![\w.%-])",
    re.IGNORECASE,
)


def find_ip_addresses(text: str) -> Iterator[Span]:
    """IPv4 and IPv6 addresses, with prefix length or zone; not the four-part version after ``v`` or ``version``.

    An IPv4 address written as one number, or in octal or hexadecimal, counts as the host of a URL and after "IP".
    """
    for match in _NUMERIC_HOST.finditer(text):
        if _is_numeric_ipv4(match[1] or match[2]):
            yield match.span(1 if match[1] else 2)
    for match in _IPV4.finditer(text):
        if not _IPV4_IS_VERSION.search(text, max(0, match.start() - 12), match.start()):
            yield match.span()
    for match in _IPV6_TOKEN.finditer(text):
        address, start = match[0], match.start()
        label, _, rest = address.partition(":")
        if _NOT_HEX.search(label):  # "addr:2001:db8::1"
            address, start = rest, start + len(label) + 1
        address = address.rstrip(".")
        if address.endswith(":") and not address.endswith("::"):
            address = address[:-1]
        if address.count(":") == 8 and "::" not in address:  # a port after all eight groups
            address = address.rpartition(":")[0]
        if _is_ipv6(address):
            yield start, start + len(address)


def _is_numeric_ipv4(host: str) -> bool:
    """Return whether inet_aton reads it as an address: up to four numbers, the last of which fills the octets left."""
    try:
        *octets, rest = [int(part, _base_of(part)) for part in host.split(".")]
    except ValueError:
        return False
    address = sum(octet << 8 * (3 - place) for place, octet in enumerate(octets)) + rest
    fits = all(octet < 256 for octet in octets) and rest < 256 ** (4 - len(octets))
    return fits and address >= 1 << 24


def _base_of(number: str) -> int:
    if number[:2] in ("0x", "0X"):
        return 16
    return 8 if number[0] == "0" else 10


def _is_ipv6(address: str) -> bool:
    try:
        ipaddress.IPv6Interface(address)
    except ValueError:
        return False
    bare = re.split("[%/]", address)[0]
    digits = sum(character not in ":." for character in bare)
    # "[1::2]" is a slice and "Add::Bad" a C++ name more often than an address
    return bare == "::1" or (digits >= 5 and any(character.isdigit() for character in bare))


# Length per country, SWIFT IBAN registry (release 99).
_IBAN_LENGTHS = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI FK FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU YE",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}
# Between two groups: a space, a dash or a dot, or the end of a line with the indent or quote marks of the next.
_IBAN_GAP = r"(?:[ \t.-]?\r?\n[ \t>]{0,8}|[ \t.-])?"
_IBAN_HEAD = re.compile(rf"(?<![0-9A-Za-z])(?:IBAN)?([A-Za-z]{{2}})\d{{2}}(?={_IBAN_GAP}[0-9A-Za-z])", re.IGNORECASE)
_IBAN_BODIES = {
    length: re.compile(rf"[A-Za-z]{{2}}\d{{2}}(?:{_IBAN_GAP}[0-9A-Za-z]){{{length - 4}}}")
    for length in set(_IBAN_LENGTHS.values())
}
_IBAN_WORD = re.compile(r"[A-Za-z]{2}\d{2}[0-9A-Za-z]{8,30}(?![0-9A-Za-z])")
_IBAN_NAMED = re.compile(r"\biban\b.{0,20}\Z", re.IGNORECASE | re.DOTALL)
_IBAN_DIGITS_MIN = 8


def find_ibans(text: str) -> Iterator[Span]:
    """IBANs in either case, in one piece or in groups.

    Either the checksum is right, for a country's length or in one word of any length, or the word IBAN stands just
    before something of that form.
    """
    text = blank(_OPAQUE, text)
    for head in _IBAN_HEAD.finditer(text):
        length = _IBAN_LENGTHS.get(head[1].upper())
        grouped = _IBAN_BODIES[length].match(text, head.start(1)) if length else None
        forms = [
            form for form in (grouped, _IBAN_WORD.match(text, head.start(1))) if form and _has_iban_digits(form[0])
        ]
        for form in forms:
            ends = not text[form.end() : form.end() + 1].isalnum()
            named = ends and _IBAN_NAMED.search(text, max(0, head.start() - 26), head.start(1))
            if named or _has_iban_checksum(form[0]):
                yield form.span()


def _has_iban_digits(written: str) -> bool:
    return sum(character.isdigit() for character in written) >= _IBAN_DIGITS_MIN


def _has_iban_checksum(written: str) -> bool:
    """ISO 13616: the first four characters moved to the end, letters as 10 to 35, modulo 97 is 1."""
    compact = re.sub("[^0-9A-Za-z]", "", written)
    return int("".join(str(int(character, 36)) for character in compact[4:] + compact[:4])) % 97 == 1


_SSN = re.compile(r"(?<!\d)(?<!\d[-.])\d{3}([-. ])\d{2}\1\d{4}(?!\d)")
_SSN_NAMED = re.compile(
    r"(?:\bSSNs?\b|\bsocial\s+security\b)\D{0,30}?(?<!\d)(\d{3}[-. ]?\d{2}[-. ]?\d{4})(?!\d)", re.IGNORECASE
)


def find_ssns(text: str) -> Iterator[Span]:
    """``ddd-dd-dddd``, issued or not, also with dots or spaces; nine digits in a row only after the words."""
    for match in _SSN.finditer(text):
        yield match.span()
    for match in _SSN_NAMED.finditer(text):
        yield match.span(1)


_CARD_RUN = re.compile(r"\d(?:(?:[-./_ \t]{0,3}|[-. ]?\r?\n[ \t>]{0,8})\d){11,}")
_DIGITS = re.compile(r"\d+")
_CARD_NAMED = re.compile(
    r"\b(?:cards?|cc|credit|debit|visa|master\s?card|amex|american express|discover|diners|jcb|maestro)\b",
    re.IGNORECASE,
)
# Issuer prefixes with the lengths they issue (ISO/IEC 7812 ranges as published by the networks).
_CARD_ISSUER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}(?:\d{2})?|(?:2131|1800|35\d\d)\d{11}|35\d{14}"
    r"|(?:6011|64[4-9]\d|65\d\d|62\d\d|60\d\d|81\d\d|9792|220[0-4])\d{12,15}"
    r"|(?:50[1-9]\d|5[6-8]\d\d|6304|6390|67\d\d|0604)\d{8,15}"
)


def find_cards(text: str) -> Iterator[Span]:
    """Card numbers of 12 to 19 digits, in one piece or in groups: Luhn, and a known issuer or the word just before."""
    if _CARD_RUN.search(text) is None:
        return
    text = blank(_OPAQUE, text)
    for run in _CARD_RUN.finditer(text):
        groups = [match.span() for match in _DIGITS.finditer(text, run.start(), run.end())]
        first = 0
        while first < len(groups):
            last = next((last for last in _card_ends(groups, first) if _is_card(text, groups, first, last)), None)
            if last is not None:
                yield groups[first][0], groups[last][1]
            first = first + 1 if last is None else last + 1


def _card_ends(groups: list[Span], first: int) -> list[int]:
    """Last groups with which a card could begin at group ``first``, longest first."""
    ends: list[int] = []
    digits = 0
    for last in range(first, len(groups)):
        size = groups[last][1] - groups[last][0]
        digits += size
        if size < 3 or (last > first and size > 8) or digits > 19:
            break
        whole = first == 0 and last == len(groups) - 1
        if digits >= (12 if last == first else 13 if whole else 14):
            ends.append(last)
    return ends[::-1]


def _is_card(text: str, groups: list[Span], first: int, last: int) -> bool:
    start = groups[first][0]
    if last > first and groups[first][1] - start < 4:
        return False
    before = text[max(0, start - 2) : start]
    if before[-1:] == "+" or re.fullmatch(r"[^A-Za-z.]?\.", before):  # a phone number; the digits of a fraction
        return False
    number = "".join(text[a:b] for a, b in groups[first : last + 1])
    if text.count("\n", start, groups[last][1]) > 1 or not _has_luhn_checksum(number):
        return False
    return bool(_CARD_ISSUER.fullmatch(number) or _CARD_NAMED.search(text, max(0, start - 40), start))


def _has_luhn_checksum(number: str) -> bool:
    """ISO/IEC 7812-1, annex B."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in number[-2::-2])
    return (sum(map(int, number[-1::-2])) + sum(doubled)) % 10 == 0
