"""Counting and cutting by tokens, with OpenAI's table ``o200k_base``, offline.

tiktoken downloads its tables at first use, so this one is kept here (``tables``, under tiktoken's licence). The first
call loads it (about 0.5 s); later ones take some 3 µs for a sentence.
"""

from __future__ import annotations

import base64
import hashlib
import lzma
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import tiktoken

from service.concurrency.lru import LRUCache
from service.embedding.base import replace_surrogates

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
COUNTS: Final[LRUCache[bytes, int]] = LRUCache(10_000)
"""Token counts of texts by their hashes."""
# A word ends here whatever surrounds it, so cutting changes no count.
_SAFE_CUT: Final = re.compile(r"(?<=\S) (?=\S)")


def count_tokens(text: str) -> int:
    """Tokens of ``text``. Never raises for odd text: special tokens and lone surrogates count as plain text.

    Exact, except in a run of more than 8,192 characters without a single space between words, where each
    16,384 characters may add a token or two.
    """
    encoding = _encoding()
    return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))


def count_tokens_cached(text: str, counts: LRUCache[bytes, int] = COUNTS) -> int:
    """``count_tokens`` of a text that is likely to come again: ``counts`` keeps it under a hash, and no text."""
    key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    tokens = counts.get(key)
    if tokens is None:
        tokens = count_tokens(text)
        counts.put(key, tokens)
    return tokens


def truncate(text: str, tokens_max: int) -> str:
    """The longest prefix found with ``count_tokens(prefix) <= tokens_max``; ``text`` itself when it fits.

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
