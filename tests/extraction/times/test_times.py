"""What 300 phrases in five languages mean, half of which were not used while the rules were written."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from service.domain.times import Period, tzinfo_of
from service.extraction.calendar import Grounded
from service.extraction.english.dates import ground
from service.extraction.languages.chinese import CHINESE
from service.extraction.languages.detection import LANGUAGES
from service.extraction.languages.reading import grounded

OTHERS = {language.name: language for language in (*LANGUAGES, CHINESE)}


class Phrase(NamedTuple):
    """A sentence, its time in brackets, when and in which zone it is said, and what it means, as ISO 8601."""

    language: str
    said: str
    zone: str
    tense: str
    text: str
    meant: str

    @property
    def now(self) -> datetime:
        return datetime.fromisoformat(self.said).astimezone(tzinfo_of(self.zone))

    @property
    def period(self) -> Period | None:
        return None if self.meant == "-" else Period.parse(self.meant)

    def read(self) -> Grounded:
        text, past = self.text.replace("[", "").replace("]", ""), self.tense == "past"
        if self.language == "english":
            return ground(text, self.now, future=not past)
        return grounded(OTHERS[self.language], text, self.now, past=past)


def phrases(half: str) -> list[Phrase]:
    with Path(__file__).with_name(f"{half}.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [Phrase._make(row) for row in rows]


def test_what_phrases_mean_that_no_rule_was_written_for() -> None:
    """139 of the 150 were read as they are meant when they were first read."""
    assert sum(phrase.read().period == phrase.period for phrase in phrases("held_out")) >= 139


@pytest.mark.parametrize("phrase", phrases("written"), ids=lambda phrase: f"{phrase.language}-{phrase.text}")
def test_what_a_phrase_means(phrase: Phrase) -> None:
    assert phrase.read().period == phrase.period
