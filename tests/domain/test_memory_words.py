"""What the words of a memory's key, tags and summary are taken from."""

from __future__ import annotations

from typing import Any

import pytest

from service.domain.identity import summary_of
from service.domain.memory_words import field_words

LONG = "The launch of Apollo is in May. " * 20


def words(**fields: Any) -> dict[str, set[str]]:
    memory: dict[str, Any] = {"content": LONG, "summary": summary_of(LONG), "key": None, "tags": []} | fields
    return {name: set(text.split()) for name, text in field_words(**memory).items()}


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("favorite_color", {"favorite", "color"}),
        ("user.profile:favoriteColor", {"user", "profile", "favorite", "Color"}),
        ("ISS-7", {"ISS", "7"}),
        ("größe", {"grosse"}),
        ("東京", {"東京"}),
        ("---", set()),
    ],
)
def test_a_key_is_found_whole_and_in_parts(name: str, parts: set[str]) -> None:
    assert words(key=name)["lexical_key"] >= parts
    assert words(tags=[name, "other"])["lexical_tags"] >= parts | {"other"}


@pytest.mark.parametrize("summary", [summary_of(LONG), "", None])
def test_a_summary_of_the_content_alone_adds_no_words(summary: str | None) -> None:
    assert words(summary=summary)["lexical_summary"] == set()


def test_a_summary_of_its_own_does() -> None:
    assert words(summary="A spring start")["lexical_summary"] == {"A", "spring", "start"}
