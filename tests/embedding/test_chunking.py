"""Long texts are cut along their structure, and endless words anywhere."""

from __future__ import annotations

from itertools import pairwise

import pytest

from service.embedding.tokens import count_tokens, segments, split_segment


def split(text: str, *, tokens_max: int, overlap_tokens: int) -> list[str]:
    return [
        part
        for stretch in segments(text)
        for part in split_segment(stretch, tokens_max=tokens_max, overlap_tokens=overlap_tokens)
    ]


@pytest.mark.parametrize(
    "unit", ["x", "漢字仮名", "0123456789abcdef", "aB3+/xZ9", "a b ", "\n", "!?", "👩‍👧", "# ", "-", "a\u0301"]
)
def test_what_has_no_end_is_cut_and_kept(unit: str) -> None:
    text = f"First. {unit * (300_000 // len(unit))} Last."
    parts = split(text, tokens_max=400, overlap_tokens=0)
    assert max(count_tokens(part) for part in parts) <= 400
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_parts_share_what_they_are_told_to_share() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in range(400))
    parts = split(text, tokens_max=100, overlap_tokens=30)
    assert all(first[-20:] in second for first, second in pairwise(parts))
