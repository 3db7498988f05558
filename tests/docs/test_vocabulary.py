"""The code is found by the field's terms."""

from __future__ import annotations

import re

from tests.processes import ROOT
from tests.tables import table

GLOSSARY = ROOT / "docs" / "glossary.md"
ROW = re.compile(r"^\| ([^|`]+?) \| (`[^|]+`) \|$", re.MULTILINE)
KEY = {
    "deadlock avoidance by lock ordering": "deadlock",
    "GCRA (rate limit)": "gcra",
    "keyset pagination": "keyset",
    "poison message": "poison",
    "idempotency": "idempoten",
    "posting list": "posting lists",
    "read-your-writes": "read-your-writes",
}
"""What of a term is looked for, where it is not the term itself."""

TERMS = ROW.findall(GLOSSARY.read_text(encoding="utf-8"))


def test_the_glossary_has_terms() -> None:
    assert {"LRU cache", "single-flight", "fencing token"} <= {term for term, _ in TERMS}


def test_a_term_is_found_at_its_place() -> None:
    with table() as row:
        for term, places in TERMS:
            for place in re.findall(r"`([^`]+)`", places):
                with row(term, place):
                    text = re.sub(r"[\s\-_]+(?:-- )?", " ", (ROOT / place).read_text(encoding="utf-8")).lower()
                    assert re.sub(r"[\s\-_]+", " ", KEY.get(term, term)).lower() in text
