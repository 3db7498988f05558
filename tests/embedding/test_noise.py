"""The noise level of embedders: measured on unrelated texts, known for those that are shipped or named in the docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.embedding.embedder import QUESTIONS, STATEMENTS, known_noise, noise_level
from service.embedding.sources import open_embedder

OF_PROCESSORS = 0.02
"""How far apart processors are: int8 products saturate without instructions for them (0.3285, else 0.3118)."""


async def test_that_of_the_static_embedder_is_as_measured() -> None:
    embedder = await open_embedder("static")
    assert embedder is not None
    try:
        assert known_noise(embedder.signature) == pytest.approx(await noise_level(embedder), abs=0.001)
    finally:
        await embedder.aclose()


async def test_that_of_the_local_model_is_as_measured(shared: Path) -> None:
    folder = shared / "models" / "all-MiniLM-L6-v2"
    if not folder.is_dir():
        pytest.skip(f"no local model at {folder}")
    embedder = await open_embedder(f"local:{folder}")
    assert embedder is not None
    try:
        assert known_noise(embedder.signature) == pytest.approx(await noise_level(embedder), abs=OF_PROCESSORS)
    finally:
        await embedder.aclose()


def test_it_is_the_models_however_vectors_are_kept() -> None:
    assert known_noise("static:wordllama-l2_supercat:256:binary") == known_noise("static:wordllama-l2_supercat:256")
    assert known_noise("remote:some-model:1536") is None


def test_the_texts_are_all_different() -> None:
    assert len({*QUESTIONS, *STATEMENTS}) == len(QUESTIONS) + len(STATEMENTS)
