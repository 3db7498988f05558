"""The bulletin without an LLM: what an agent knows now, as a short text a person would write (row D7)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from service.embedding.tokens import count_tokens

HEADINGS: tuple[tuple[str, str], ...] = (
    ("identity", "Who is who"),
    ("preference", "Likes and dislikes"),
    ("decision", "Decided"),
    ("goal", "Aims"),
    ("todo", "To do"),
    ("fact", "Known"),
    ("event", "Lately"),
    ("observation", "Noticed"),
)
PER_SECTION = 8


@dataclass(frozen=True, slots=True)
class Bulletin:
    """A bulletin ready to be stored. ``inputs_hash`` tells whether anything it says could have changed."""

    content: str
    tokens: int
    inputs_hash: str


def inputs_hash(rows: Iterable[Any]) -> str:
    """SHA-256 over what a bulletin is made of, whatever its order."""
    lines = sorted(f"{row['id']}|{row['type']}|{row['content']}|{row['status']}" for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def compose(agent: str, rows: Sequence[Any], tokens_max: int) -> Bulletin:
    """Sentences under a heading for each type, weightiest first, within ``tokens_max`` tokens."""
    paragraphs = [f"What {agent} knows now."]
    left = tokens_max - count_tokens(paragraphs[0])
    for type_, heading in HEADINGS:
        sentences: list[str] = []
        left_here = left - count_tokens(f"\n\n{heading}: ")
        for row in [row for row in rows if row["type"] == type_][:PER_SECTION]:
            sentence = _sentence(row["content"])
            cost = count_tokens(" " + sentence) + 1
            if cost <= left_here:
                sentences.append(sentence)
                left_here -= cost
        if sentences:
            paragraphs.append(f"{heading}: " + " ".join(sentences))
            left = left_here
    if len(paragraphs) == 1:
        paragraphs = [f"{agent} knows nothing yet."]
    content = "\n\n".join(paragraphs)
    return Bulletin(content, count_tokens(content), inputs_hash(rows))


def _sentence(content: str) -> str:
    line = " ".join(content.split())
    return line if line.endswith((".", "!", "?", "…", "。")) else line + "."
