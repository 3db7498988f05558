"""A line of each note, within its share."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.domain.field_types import CONTENT_MAX
from service.domain.folding import SHARES, folded, note, note_lines, with_missing

AT = datetime(2024, 3, 1, tzinfo=UTC)


def line(text: str, about: str | None = None, share: float = SHARES[-1]) -> str:
    (made,) = note_lines([note(text, AT, about)], share)
    return made


def test_a_short_note_is_kept_whole() -> None:
    assert line("Door is red") == "Door is red"


def test_a_long_one_keeps_its_beginning_and_what_it_names() -> None:
    text = "The deploy of the shop was stopped at the last moment because QX-4 had not been tested by Maria Lopez"
    assert line(text, share=0.3) == "The deploy of … QX-4, Maria Lopez"


def test_a_name_is_not_cut_in_two() -> None:
    text = "Ana took flight BA 117 to the conference on databases last June"
    assert line(text, share=0.3) == "Ana took flight … BA 117, June"


def test_whom_it_is_about_stands_in_front_once() -> None:
    assert line("Likes tea", "Sam") == "Sam: Likes tea"
    assert line("sam likes tea", "Sam") == "sam likes tea"


@pytest.mark.parametrize("text", ["x" * 8_000, "字" * 8_000, "a b " * 2_000, " ", "Ab " * 2_600])
def test_a_line_of_whatever_text_is_one_line(text: str) -> None:
    assert "\n" not in line(text)
    assert len(line(text)) <= len(text)


def test_the_heading_says_how_many_and_when() -> None:
    notes = [note("a", AT, None), note("b", AT.replace(month=5), None)]
    assert folded(notes, ["a", "b"]) == "2 notes, March 2024 to May 2024:\na\nb"


def test_what_is_missing_is_named_as_far_as_there_is_room() -> None:
    assert with_missing("A gist.", ["A", "QX-4"]) == "A gist. Also named: QX-4."
    full = with_missing("x" * (CONTENT_MAX - 25), [f"CODE-{n}" for n in range(100)])
    assert len(full) <= CONTENT_MAX
    assert full.endswith("Also named: CODE-0.")
