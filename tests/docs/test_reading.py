"""Each place that docs/reading.md names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(r"^\| (.+\?) \| (.+) \|$", (ROOT / "docs/reading.md").read_text(), re.MULTILINE)


def test_twenty_questions_are_answered() -> None:
    assert len(dict(ROWS)) == 20


@pytest.mark.parametrize(("question", "answer"), ROWS)
def test_each_answer_is_where_the_page_says(question: str, answer: str) -> None:
    paths = re.findall(r"`([\w/]+\.(?:py|sql))`", answer)
    assert paths
    for path in paths:
        assert (ROOT / path).is_file(), path
    for names, path in re.findall(r"((?:`\w+`(?: and )?)+) in `([\w/.]+)`", answer):
        text = (ROOT / path).read_text()
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"(def|class|name:) {name}\b", text), (name, path)
