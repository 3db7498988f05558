"""Cutting a long text into parts of so many tokens, along its structure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from semantic_text_splitter import MarkdownSplitter

SEGMENT_CHARS = 32_768
"""What the splitter is given at once: nested quotes and lists take it time that grows with the square of this."""

WORD_CHARS_MAX = 2_000
MARKS_MAX = 128
"""No language has longer words or runs of punctuation. Counting the tokens of one takes time that grows with the
square, of punctuation with the cube, of its length."""

_OF_WORDS = r"[\w\u0300-\u1fff\u20d0-\u20ff\ua640-\uabff\ufe20-\ufe2f]"
"""Letters and digits, and the marks that stand over, under and between letters."""

_JOINING = r".,:;'’·"
"""Marks that join words where they stand between letters or digits (MidNumLet, MidLetter and MidNum of UAX #29)."""

_LONG_RUN = re.compile(
    rf"(?<!{_OF_WORDS})(?<![{_JOINING}])(?P<word>(?>(?:{_OF_WORDS}|[{_JOINING}](?={_OF_WORDS})){{{WORD_CHARS_MAX},}}))"
    rf"|(?<![^\w\s])[^\w\s]{{{MARKS_MAX},}}+"
)
_BLANK = re.compile(r"(?<!\s)\s{100,}+")
"""As much of an end as a paragraph's. The splitter looks at each line of it by itself, a minute for a megabyte."""

_TABLE_OF = "gpt-4o"  # o200k_base, which the splitter carries in its wheel
_ENDS = ("\n#", "\n\n", "\n", " ")


def segments(text: str) -> Iterator[str]:
    """A text cut where headings, paragraphs or lines end, so that each piece takes about the same time to split."""
    start = 0
    while len(text) - start > SEGMENT_CHARS:
        middle, end = start + SEGMENT_CHARS // 2, start + SEGMENT_CHARS
        cut = next((at for mark in _ENDS if (at := text.rfind(mark, middle, end)) > 0), end)
        yield text[start:cut]
        start = cut
    yield text[start:]


def split_segment(segment: str, *, tokens_max: int, overlap_tokens: int) -> list[str]:
    """The parts of one of the ``segments`` of a text or Markdown document, in order, each of at most ``tokens_max``
    tokens.

    Cut where headings, paragraphs, sentences or words end, the highest level that fits; each part begins with up to
    ``overlap_tokens`` of the one before. Blocking: some 0.3 s for a megabyte.
    """
    splitter = MarkdownSplitter.from_tiktoken_model(_TABLE_OF, tokens_max, overlap_tokens)
    return [part for piece in _pieces(_BLANK.sub("\n\n", segment)) for part in splitter.chunks(piece)]


def _pieces(text: str) -> Iterator[str]:
    """The text, cut where it has no end of a word to be cut at."""
    start = 0
    for endless in _LONG_RUN.finditer(text):
        length = WORD_CHARS_MAX if endless["word"] else MARKS_MAX
        for end in range(endless.start() + length, endless.end() + 1, length):
            yield text[start:end]
            start = end
    yield text[start:]
