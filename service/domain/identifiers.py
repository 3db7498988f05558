"""What a summary must not lose: addresses, ids, dates, file names and numbers, found in a text (row S5)."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_KINDS = (
    r"https?://[^\s<>\"'`\])}]+",
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?",
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\.?(?:,? \d{{4}})?\b",
    rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?",
    r"\d{1,2}[./]\d{1,2}[./]\d{2,4}",
    r"(?:[\w.~-]*/)*[\w-][\w.-]*\.[a-z][a-z0-9]{0,5}\b(?<!\.e\.g)(?<!\.i\.e)",
    r"[€$£]?(?<![\w.])[A-Za-z]{0,12}[-_#]?\d[\w.,:/%#-]*[\w%]|[€$£]?\d%?",
)
_IDENTIFIER = re.compile("|".join(f"(?:{kind})" for kind in _KINDS), re.IGNORECASE)
_TRAILING = ".,;:!?-_/"


def identifiers(texts: Iterable[str]) -> list[str]:
    """Every URL, e-mail address, UUID, date, file name, number and code in the texts, once each, in order."""
    found: dict[str, None] = {}
    for text in texts:
        for match in _IDENTIFIER.finditer(text):
            token = match[0].rstrip(_TRAILING)
            if token:
                found.setdefault(token)
    return list(found)


def missing_from(summary: str, wanted: Iterable[str]) -> list[str]:
    """Those of the identifiers that a summary does not hold."""
    return [token for token in wanted if token not in summary]
