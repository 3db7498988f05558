"""The static embedder against wordllama's own results, and with texts that break it."""

from __future__ import annotations

import ctypes
import importlib.util
import logging
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from service.concurrency.transaction_guard import transaction_open
from service.embedding.embedder import EmbeddingTimedOut
from service.embedding.sources import INLINE_CHARACTERS_MAX, StaticEmbedder

TEXTS = ["The user prefers dark mode.", "Anna moved to Bergen in May 2023.", "日本語 🎉", "a", "x" * 3_000]


@pytest.fixture
async def embedder() -> AsyncIterator[StaticEmbedder]:
    opened = StaticEmbedder.open()
    yield opened
    await opened.aclose()


async def test_vectors_equal_those_of_wordllama(embedder: StaticEmbedder) -> None:
    from wordllama import WordLlama

    spec = importlib.util.find_spec("wordllama")
    assert spec is not None
    assert spec.origin is not None
    theirs = WordLlama.load(cache_dir=Path(spec.origin).parent, disable_download=True).embed(TEXTS, norm=True)
    ours = await embedder.embed(TEXTS)
    assert ours.shape == (len(TEXTS), 256)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


async def test_alone_inline_and_in_a_batch_on_the_thread_are_the_same(embedder: StaticEmbedder) -> None:
    texts = [f"{text} {number}" for number in range(40) for text in TEXTS]
    assert sum(map(len, texts)) > INLINE_CHARACTERS_MAX
    batch = await embedder.embed(texts)
    for row, text in enumerate(texts):
        np.testing.assert_array_equal(batch[row], (await embedder.embed([text]))[0])


async def test_odd_texts_get_unit_vectors(embedder: StaticEmbedder) -> None:
    vectors = await embedder.embed(["", " ", "\n", "\x00", "\ud800 lone", "<s></s>", "🎉"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert (await embedder.embed([])).shape == (0, 256)


class _Allocated(ctypes.Structure):
    """glibc's ``struct mallinfo2``."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    )  # fmt: skip


async def test_texts_once_embedded_are_not_kept(embedder: StaticEmbedder) -> None:
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallinfo2"):
        pytest.skip("only glibc tells how much is allocated")
    libc.mallinfo2.restype = _Allocated
    await embedder.embed(["the first text loads what is loaded once"])
    before = libc.mallinfo2().uordblks
    for number in range(2_000):
        await embedder.embed([f"a text of several words that nobody has seen before, number {number}"])
    assert libc.mallinfo2().uordblks - before < 1_000_000


async def test_meaning_is_in_the_angle(embedder: StaticEmbedder) -> None:
    cat, kitten, tax = await embedder.embed(["The cat sleeps", "A kitten is sleeping", "Corporate tax return form"])
    assert cat @ kitten > cat @ tax + 0.2


async def test_a_deadline_stops_a_long_batch(embedder: StaticEmbedder) -> None:
    with pytest.raises(EmbeddingTimedOut):
        await embedder.embed(["word " * 1_500] * 5_000, deadline_s=0.01)


async def test_refuses_to_run_inside_a_transaction(embedder: StaticEmbedder) -> None:
    with transaction_open(), pytest.raises(RuntimeError):
        await embedder.embed(["a"])


def test_opening_leaves_the_root_logger_alone_and_needs_no_network() -> None:
    code = (
        "import logging, socket\n"
        "def refuse(*_): raise AssertionError('network')\n"
        "socket.socket.connect = refuse; socket.getaddrinfo = refuse\n"
        "from service.embedding.sources import StaticEmbedder\n"
        "StaticEmbedder.open()\n"
        "root = logging.getLogger()\n"
        "assert not root.handlers, root.handlers\n"
        f"assert root.level == {logging.WARNING}, root.level\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)
