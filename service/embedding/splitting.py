"""Cutting a long text into parts of so many tokens, along its structure (row G5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from semantic_text_splitter import MarkdownSplitter

_OF_WORDS = r"[\w\u0300-\u1fff\u20d0-\u20ff\ua640-\uabff\ufe20-\ufe2f]"
"""Letters and digits, and the marks that stand over, under and between letters."""

_ENDLESS = re.compile(rf"{_OF_WORDS}{{2000}}(?={_OF_WORDS})|[^\w\s]{{2000}}(?=[^\w\s])")
"""No language has such words. Counting the tokens of one takes time that grows with the square of its length."""

_BLANK = re.compile(r"\s{100,}")
"""As much of an end as a paragraph's. The splitter looks at each line of it by itself, a minute for a megabyte."""

_TABLE_OF = "gpt-4o"  # o200k_base, which the splitter carries in its wheel


def split(text: str, *, tokens_max: int, overlap_tokens: int) -> list[str]:
    """The parts of a text or Markdown document, in order, each of at most ``tokens_max`` tokens.

    Cut where headings, paragraphs, sentences or words end, the highest level that fits; each part begins with up to
    ``overlap_tokens`` of the one before. Blocking: some 0.3 s for a megabyte.
    """
    splitter = MarkdownSplitter.from_tiktoken_model(_TABLE_OF, tokens_max, overlap_tokens)
    return [part for stretch in _stretches(text) for part in splitter.chunks(stretch)]


def _stretches(text: str) -> Iterator[str]:
    """The text, cut where it has no end of a word to be cut at."""
    text = _BLANK.sub("\n\n", text)
    start = 0
    for endless in _ENDLESS.finditer(text):
        yield text[start : endless.end()]
        start = endless.end()
    yield text[start:]
