"""Token counting and cutting: equal to tiktoken where it matters, and never a crash."""

from __future__ import annotations

import hashlib
import lzma
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from service.embedding import tokens
from service.embedding.tokens import (
    PATTERN,
    PIECE_CHARACTERS_MAX,
    TABLE,
    _pieces,
    count_tokens,
    truncate,
)

PROSE = "Anna's team moved to Bergen in May 2023; it paid 1,250,000 NOK.\n\n- a list\n\t in…  日本語のテキスト 🎉\r\n"
ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
ODD = " \n\t\x1c\u00a0\u0301aZé1.,'/<|日🎉"


def reference(text: str) -> int:
    """Plain tiktoken over the whole text."""
    return len(tokens._encoding().encode_ordinary(text))


def test_the_table_is_tiktokens_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """tiktoken takes a table from its cache, by the hash of its address, if the table has the hash that it expects."""
    table = lzma.decompress(TABLE.read_bytes())
    cached = tmp_path / hashlib.sha1(ADDRESS.encode(), usedforsecurity=False).hexdigest()
    cached.write_bytes(table)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # where nobody answers: it must not be downloaded
    assert openai_public.o200k_base()["pat_str"] == PATTERN
    assert cached.read_bytes() == table


def test_counts_as_tiktoken_does() -> None:
    assert count_tokens("") == 0
    assert count_tokens("The user prefers dark mode.") == 6


@pytest.mark.parametrize(
    "text",
    [PROSE * 3_000, "word " * 50_000, "a  b   c\t d\n" * 20_000, "x'll y's IT'S " * 9_000, "1 22 333 4444 " * 9_000],
)
def test_long_text_with_spaces_is_counted_exactly_although_it_is_cut(text: str) -> None:
    assert len(text) > 4 * PIECE_CHARACTERS_MAX
    assert count_tokens(text) == reference(text)


@settings(max_examples=60)
@given(st.text(st.sampled_from(ODD), max_size=60), st.sampled_from(ODD.strip()), st.sampled_from(ODD.strip()))
def test_no_token_reaches_across_a_cut(odd: str, before: str, after: str) -> None:
    unit = f"{odd}{before} {after}"
    text = unit * (3 * PIECE_CHARACTERS_MAX // len(unit))
    assert count_tokens(text) == reference(text)


def test_special_tokens_are_ordinary_text() -> None:
    assert count_tokens("<|endoftext|>") > 1
    assert truncate("<|endoftext|><|endoftext|>", 3) != ""


@pytest.mark.parametrize("text", ["\ud800", "a\udfff b", "\ud83d\ude00 ok", "\x00\x00", "\ufffe\uffff"])
def test_odd_text_never_raises(text: str) -> None:
    assert count_tokens(text) > 0
    assert count_tokens(truncate(text * 50, 5)) <= 5


@pytest.mark.parametrize("unit", ["a", " ", "\n", "中", ".", "ab", "🎉", "\ud800", "^", " a", "\t "])
def test_a_million_of_one_character_is_counted_piece_by_piece(unit: str) -> None:
    few = count_tokens(unit * 100_000)
    assert count_tokens(unit * 1_000_000) == pytest.approx(10 * few, rel=0.01)
    assert max(map(len, _pieces(unit * 100_000))) <= PIECE_CHARACTERS_MAX
    assert "".join(_pieces(unit * 100_000)) == unit * 100_000


@given(st.text(max_size=400), st.integers(-2, 120))
def test_truncate_keeps_a_prefix_within_the_budget(text: str, tokens_max: int) -> None:
    cut = truncate(text, tokens_max)
    assert text.startswith(cut)
    assert count_tokens(cut) <= max(tokens_max, 0)
    if count_tokens(text) <= tokens_max:
        assert cut == text


def test_truncate_uses_the_budget_it_is_given() -> None:
    text = PROSE * 2_000
    for tokens_max in (1, 100, 5_000, 20_000):
        assert tokens_max - 4 <= count_tokens(truncate(text, tokens_max)) <= tokens_max


def test_works_offline_without_importing_litellm() -> None:
    code = (
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('network')\n"
        "socket.socket.connect = refuse; socket.getaddrinfo = refuse\n"
        "from service.embedding.tokens import count_tokens\n"
        "assert count_tokens('hello world') == 2\n"
        "heavy = {'litellm', 'fastembed', 'onnxruntime', 'wordllama'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    environment = {key: value for key, value in os.environ.items() if "TIKTOKEN" not in key}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=600)
