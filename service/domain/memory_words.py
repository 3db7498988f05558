"""The words that a memory is found by: those of its content, and of its key, tags and summary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from service.domain.identity import summary_of
from service.domain.languages import language_of
from service.domain.text_normalization import normalize_for_search

_SIGNS: Final = re.compile(r"[!-/:-@\[-`{-~]+")
_HUMP: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")


def content_words(content: str) -> dict[str, str]:
    """Return what the words of a content are taken from: its language, which a setting may overrule, and its
    spelling."""
    return {"language": language_of(content), "lexical": normalize_for_search(content)}


def field_words(*, content: str, summary: str | None, key: str | None, tags: Sequence[str]) -> dict[str, str]:
    """Return what the words of the other fields of a memory are taken from; a summary made of the content adds none."""
    added = summary if summary and summary != summary_of(content) else ""
    return {
        "lexical_key": _words_of_name(key or ""),
        "lexical_tags": _words_of_name(" ".join(tags)),
        "lexical_summary": normalize_for_search(added),
    }


def _words_of_name(name: str) -> str:
    """Return a name as it is and in parts: ``user.favoriteColor`` is found by each of its words too."""
    return normalize_for_search(f"{name} {_HUMP.sub(' ', _SIGNS.sub(' ', name))}")
