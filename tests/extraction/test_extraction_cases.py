"""Each case of ``cases.jsonl``: what the rules must make of an utterance, and what they must not."""

from __future__ import annotations

from collections import Counter

from tests.extraction.extraction_cases import Case, extracted, load, problems
from tests.tables import table

KINDS_MIN = 20
CASES_MIN = 400


def _name(case: Case) -> str:
    said = case["turns"] if "turns" in case else [case["text"]]
    first = said[0] if isinstance(said[0], str) else said[0]["text"]
    return f"{case['kind']}: {first[:60]}"


def test_the_rules_make_of_each_case_what_they_must() -> None:
    with table() as row:
        for case in load():
            with row(_name(case)):
                assert not problems(case, extracted(case))


def test_there_are_cases_of_every_kind_and_none_twice() -> None:
    cases = load()
    assert len(cases) >= CASES_MIN
    assert len({case["kind"] for case in cases}) >= KINDS_MIN
    twice = [
        said for said, count in Counter(str(case.get("turns") or case["text"]) for case in cases).items() if count > 1
    ]
    assert not twice
    unknown = {key for case in cases for key in case} - {"kind", "text", "turns", "expect", "never", "more"}
    assert not unknown
