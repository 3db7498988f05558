"""Counting and cutting by tokens, with OpenAI's tables, offline (row R7).

tiktoken downloads its tables at first use; litellm's wheel carries them, so tiktoken is pointed there, without
importing litellm. The first call loads the table (about 0.3 s); later ones take some 3 µs for a sentence.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import tiktoken

from service.embedding.base import well_formed
from service.errors import ReverieError

ENCODINGS: Final = ("o200k_base", "cl100k_base")
PIECE_CHARACTERS_MAX: Final = 16_384
COUNTED_MAX: Final = 10_000
_counted: Final[dict[bytes, int]] = {}
# Both encodings end a word here whatever surrounds it, so cutting changes no count.
_SAFE_CUT: Final = re.compile(r"(?<=\S) (?=\S)")


class TokenTableMissing(ReverieError):
    """No tiktoken table is on this machine."""


def count_tokens(text: str) -> int:
    """Tokens of ``text``. Never raises for odd text: special tokens and lone surrogates count as plain text.

    Exact, except in a run of more than 8,192 characters without a single space between words, where each
    16,384 characters may add a token or two.
    """
    encoding = _encoding()
    return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))


def count_tokens_again(text: str) -> int:
    """``count_tokens`` of a text that is likely to come again: the last 10,000 counts are kept, under hashes, and no
    text."""
    key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    tokens = _counted.get(key)
    if tokens is None:
        if len(_counted) >= COUNTED_MAX:
            del _counted[next(iter(_counted))]
        tokens = _counted[key] = count_tokens(text)
    return tokens


def count_tokens_many(texts: Iterable[str]) -> list[int]:
    """``count_tokens`` of each text, in order."""
    return [count_tokens(text) for text in texts]


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
    prefix = well_formed("".join(kept))
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
    folders = _table_folders()
    for name in ENCODINGS:
        url = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
        file = hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
        for folder in folders:
            if (folder / file).is_file():
                os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
                return tiktoken.get_encoding(name)
    raise TokenTableMissing(f"Neither litellm nor TIKTOKEN_CACHE_DIR holds a table of {' or '.join(ENCODINGS)}.")


def _table_folders() -> list[Path]:
    folders = []
    if configured := os.environ.get("TIKTOKEN_CACHE_DIR"):
        folders.append(Path(configured))
    spec = importlib.util.find_spec("litellm")
    if spec is not None and spec.submodule_search_locations:
        folders.append(Path(spec.submodule_search_locations[0], "litellm_core_utils", "tokenizers"))
    return folders
