"""Counting and cutting by tokens, with OpenAI's table ``o200k_base``, offline; cutting a long text along its structure.

tiktoken downloads its tables at first use, so this one is kept here (``tables``, under tiktoken's licence). The first
call loads it (about 0.5 s); later ones take some 3 µs for a sentence.
"""

from __future__ import annotations

import base64
import lzma
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import tiktoken
from semantic_text_splitter import MarkdownSplitter

from service.embedding.embedder import replace_surrogates

TABLE: Final = Path(__file__).parent / "tables" / "o200k_base.tiktoken.xz"
PATTERN: Final = "|".join(
    [
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    ]
)
"""How ``o200k_base`` cuts a text before it merges bytes: from ``tiktoken_ext.openai_public``."""
PIECE_CHARACTERS_MAX: Final = 16_384
# A word ends here whatever surrounds it, so cutting changes no count.
_SAFE_CUT: Final = re.compile(r"(?<=\S) (?=\S)")


def count_tokens(text: str) -> int:
    """Tokens of ``text``. Never raises for odd text: special tokens and lone surrogates count as plain text.

    Exact, except in a run of more than 8,192 characters without a single space between words, where each
    16,384 characters may add a token or two.
    """
    encoding = _encoding()
    return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))


def truncate(text: str, tokens_max: int) -> str:
    """Return the longest prefix found with ``count_tokens(prefix) <= tokens_max``; ``text`` itself when it fits.

    Cuts between characters, never inside one; ``tokens_max`` below 1 gives ``""``. A cut text has its lone
    surrogates replaced by U+FFFD.
    """
    if len(text.encode(errors="surrogatepass")) <= tokens_max:  # no token is shorter than a byte
        return text
    encoding = _encoding()
    kept: list[str] = []
    left = tokens_max
    for piece in _pieces(text):
        tokens = encoding.encode_ordinary(piece)
        if len(tokens) > left:
            kept.append(encoding.decode(tokens[: max(left, 0)], errors="ignore"))
            break
        kept.append(piece)
        left -= len(tokens)
    else:
        return text
    prefix = replace_surrogates("".join(kept))
    # A prefix of tokens is not always encoded into the same tokens again.
    while prefix and count_tokens(prefix) > tokens_max:
        prefix = prefix[:-1]
    return prefix


def _pieces(text: str) -> Iterator[str]:
    """Cut ``text`` where no token reaches across, so that one endless word cannot cost quadratic time or crash."""
    start = 0
    while len(text) - start > PIECE_CHARACTERS_MAX:
        end = start + PIECE_CHARACTERS_MAX
        found = _SAFE_CUT.search(text, start + PIECE_CHARACTERS_MAX // 2, end)
        end = found.start() if found else end
        yield text[start:end]
        start = end
    yield text[start:]


@cache
def _encoding() -> tiktoken.Encoding:
    ranks = {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in lzma.decompress(TABLE.read_bytes()).splitlines())
    }
    return tiktoken.Encoding("o200k_base", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


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
    """Yield a text cut where headings, paragraphs or lines end, so that each piece takes about the same time to
    split."""
    start = 0
    while len(text) - start > SEGMENT_CHARS:
        middle, end = start + SEGMENT_CHARS // 2, start + SEGMENT_CHARS
        cut = next((at for mark in _ENDS if (at := text.rfind(mark, middle, end)) > 0), end)
        yield text[start:cut]
        start = cut
    yield text[start:]


def split_segment(segment: str, *, tokens_max: int, overlap_tokens: int) -> list[str]:
    """Return the parts of one of the ``segments`` of a text or Markdown document, in order, each of at most
    ``tokens_max`` tokens.

    Cut where headings, paragraphs, sentences or words end, the highest level that fits; each part begins with up to
    ``overlap_tokens`` of the one before. Blocking: some 0.3 s for a megabyte.
    """
    splitter = MarkdownSplitter.from_tiktoken_model(_TABLE_OF, tokens_max, overlap_tokens)
    return [part for piece in _with_ends(_BLANK.sub("\n\n", segment)) for part in splitter.chunks(piece)]


def _with_ends(text: str) -> Iterator[str]:
    """Yield the text, cut where it has no end of a word to be cut at."""
    start = 0
    for endless in _LONG_RUN.finditer(text):
        length = WORD_CHARS_MAX if endless["word"] else MARKS_MAX
        for end in range(endless.start() + length, endless.end() + 1, length):
            yield text[start:end]
            start = end
    yield text[start:]
