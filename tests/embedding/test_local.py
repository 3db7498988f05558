"""The local embedder against onnxruntime used directly, and its settings."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from service.concurrency.transaction_guard import transaction_open
from service.embedding.embedder import EmbedderMisconfigured, EmbeddingTimedOut, Vectors
from service.embedding.sources import LocalEmbedder, open_embedder

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("REVERIE_SHARED", ROOT.parent / "shared"))
FOLDER = SHARED / "models" / "all-MiniLM-L6-v2"
TEXTS = [
    "The user prefers dark mode.",
    "cats",
    "Anna moved to Bergen in May 2023, and the whole team followed her there in the autumn.",
    "ünïcödé 日本語 🎉",
    "word " * 900,
]

needs_fastembed = pytest.mark.skipif(importlib.util.find_spec("fastembed") is None, reason="fastembed not installed")
needs_model = pytest.mark.skipif(
    not (FOLDER / "model.onnx").is_file(), reason=f"NOT TESTED: no MiniLM in {FOLDER}; set REVERIE_SHARED"
)
pytestmark = [needs_fastembed, needs_model]


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder.open(str(FOLDER))


def by_onnxruntime(text: str) -> Vectors:
    """Mean of the token vectors of one text, of length 1: what sentence-transformers computes."""
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    ids = np.asarray([tokenizer.encode(text).ids], dtype=np.int64)
    session = onnxruntime.InferenceSession(str(FOLDER / "model.onnx"))
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    mean = session.run(None, {each.name: inputs[each.name] for each in session.get_inputs()})[0][0].mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


async def test_vectors_equal_those_of_onnxruntime_alone(embedder: LocalEmbedder) -> None:
    ours = await embedder.embed(TEXTS)
    assert ours.shape == (len(TEXTS), 384)
    assert ours.dtype == np.float32
    assert embedder.signature == "local:all-MiniLM-L6-v2:384"
    for row, text in enumerate(TEXTS):
        assert ours[row] @ by_onnxruntime(text) > 0.9999, text


async def test_a_text_has_one_vector_whatever_else_is_in_the_batch(embedder: LocalEmbedder) -> None:
    texts = [f"{text} {number}" for number in range(5) for text in TEXTS[:4]]
    batch = await embedder.embed(texts)
    for row, text in enumerate(texts):
        np.testing.assert_allclose(batch[row], (await embedder.embed([text]))[0], atol=1e-5)


async def test_odd_texts_get_unit_vectors(embedder: LocalEmbedder) -> None:
    vectors = await embedder.embed(["", " ", "\x00", "\ud800 lone", "[MASK] [SEP]"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (await embedder.embed([])).shape == (0, 384)


async def test_a_query_does_not_wait_for_a_whole_batch(embedder: LocalEmbedder) -> None:
    batch = asyncio.create_task(embedder.embed(["a batch text"] * 2_000))
    await asyncio.sleep(0)
    await embedder.embed(["a query"])
    assert not batch.done()
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch


async def test_a_deadline_stops_a_long_batch(embedder: LocalEmbedder) -> None:
    with pytest.raises(EmbeddingTimedOut):
        await embedder.embed(["word " * 500] * 500, deadline_s=0.05)


async def test_refuses_to_run_inside_a_transaction(embedder: LocalEmbedder) -> None:
    with transaction_open(), pytest.raises(RuntimeError):
        await embedder.embed(["a"])


async def test_opens_the_same_folder_twice() -> None:
    for _ in range(2):
        embedder = await open_embedder(f"local:{FOLDER}", dim=384)
        assert embedder is not None
        assert (embedder.source, embedder.model, embedder.dim) == ("local", "all-MiniLM-L6-v2", 384)
        await embedder.aclose()


async def test_a_broken_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderMisconfigured, match=r"EMBEDDING_MODEL=local:.*no such folder"):
        await open_embedder(f"local:{tmp_path}/missing")
    with pytest.raises(EmbedderMisconfigured, match=r"lacks model.onnx, config.json"):
        await open_embedder(f"local:{tmp_path}")
    for file in FOLDER.iterdir():
        shutil.copyfile(file, tmp_path / file.name)
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(EmbedderMisconfigured, match="EMBEDDING_MODEL"):
        await open_embedder(f"local:{tmp_path}")


async def test_a_pooling_written_in_the_folder_is_used(tmp_path: Path, embedder: LocalEmbedder) -> None:
    for file in FOLDER.iterdir():
        shutil.copyfile(file, tmp_path / file.name)
    (tmp_path / "1_Pooling").mkdir()
    settings = tmp_path / "1_Pooling" / "config.json"
    settings.write_text('{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}')
    by_cls = await open_embedder(f"local:{tmp_path}")
    assert by_cls is not None
    assert not np.allclose(await by_cls.embed(["a cat"]), await embedder.embed(["a cat"]), atol=0.01)
    await by_cls.aclose()
    settings.write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(EmbedderMisconfigured, match="pooling"):
        await open_embedder(f"local:{tmp_path}")


@pytest.mark.parametrize("name", ["no-such-model", "L6-v2"])
async def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(EmbedderMisconfigured, match=f"EMBEDDING_MODEL=local:{name} is neither"):
        await open_embedder(f"local:{name}")


@pytest.mark.parametrize("name", ["sentence-transformers/all-MiniLM-L6-v2", "all-minilm-l6-v2"])
async def test_a_known_name_that_is_not_on_disk_is_not_downloaded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    with pytest.raises(EmbedderMisconfigured, match="not in fastembed's cache"):
        await open_embedder(f"local:{name}")


async def test_auto_takes_the_local_model_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    embedder = await open_embedder("auto", local_model=str(FOLDER))
    assert embedder is not None
    assert embedder.source == "local"
    await embedder.aclose()


async def test_a_name_in_fastembeds_cache_opens_in_full_in_short_and_by_auto(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    repository = tmp_path / "models--Qdrant--all-MiniLM-L6-v2-onnx"
    shutil.copytree(FOLDER, repository / "snapshots" / "abc", copy_function=shutil.copyfile)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc")
    for setting in ("local:sentence-transformers/all-MiniLM-L6-v2", "local:all-minilm-l6-v2", "auto"):
        embedder = await open_embedder(setting)
        assert embedder is not None
        assert embedder.signature == "local:sentence-transformers/all-MiniLM-L6-v2:384"
        await embedder.aclose()
