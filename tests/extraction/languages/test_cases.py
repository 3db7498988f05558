"""What the rules make of utterances in German, French, Spanish and Chinese, one a line of the data files.

A line says what comes of ``text``, said by Ada on Monday, 8 May 2023: nothing but what ``must`` lists, each with what
it names of type, content, slot (without its owner where that is Ada), value, polarity and date.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from service.domain.times import Period
from service.extraction.candidates import Candidate, Turn
from service.extraction.rules import extract
from tests.tables import table

Json = dict[str, Any]
FOLDER = Path(__file__).parent
LANGUAGES = ("german", "french", "spanish", "chinese")
NOW = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
TODAY = Period.of_days(NOW)


def cases(language: str) -> list[Json]:
    lines = (FOLDER / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def told(candidate: Candidate) -> Json:
    slot = candidate.slot.removeprefix("ada/") if candidate.slot else None
    on = candidate.begins.date().isoformat() if candidate.begins and candidate.occurred != TODAY else None
    return {
        "type": candidate.type.value, "content": candidate.content, "slot": slot, "value": candidate.value,
        "polarity": candidate.polarity, "on": on,
    }  # fmt: skip


def said(*texts: str) -> list[Candidate]:
    turns = [Turn(UUID(int=n), "s", n, "user", text, NOW, None, "Ada") for n, text in enumerate(texts)]
    return extract(turns)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_utterance_gives_what_it_states_and_nothing_else(language: str) -> None:
    with table() as row:
        for case in cases(language):
            with row(case["text"]):
                found = [told(candidate) for candidate in said(case["text"])]
                assert len(found) == len(case["must"]), found
                for got, wanted in zip(found, case["must"], strict=True):
                    assert {key: got[key] for key in wanted} == wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_enough_cases_of_both_kinds(language: str) -> None:
    known = cases(language)
    assert len(known) >= 60
    assert sum(not case["must"] for case in known) >= 15
