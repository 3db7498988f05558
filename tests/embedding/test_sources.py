"""What EMBEDDING_MODEL opens, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from service.embedding.embedder import EmbedderMisconfigured
from service.embedding.sources import open_embedder


async def test_none_opens_nothing() -> None:
    assert await open_embedder("none") is None


async def test_static_says_what_it_is() -> None:
    embedder = await open_embedder("static")
    assert embedder is not None
    assert embedder.signature == "static:wordllama-l2_supercat:256"
    assert (await embedder.embed(["hello"])).shape == (1, embedder.dim)
    await embedder.aclose()


async def test_auto_without_key_and_model_is_static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    embedder = await open_embedder("auto")
    assert embedder is not None
    assert embedder.source == "static"
    await embedder.aclose()


async def test_auto_says_so_when_a_cached_model_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("fastembed")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    (tmp_path / "models--Qdrant--all-MiniLM-L6-v2-onnx").mkdir()
    embedder = await open_embedder("auto")
    assert embedder is not None
    assert embedder.source == "static"
    assert "EMBEDDING_MODEL=auto takes the static model" in caplog.text
    await embedder.aclose()


@pytest.mark.parametrize("key", ["OPENAI_API_KEY", "AZURE_API_KEY", "COHERE_API_KEY"])
async def test_auto_is_never_remote_whatever_keys_there_are(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(key, "sk-test")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    embedder = await open_embedder("auto", api_key="sk-test", api_base="http://127.0.0.1:1")
    assert embedder is not None
    assert embedder.source == "static"
    await embedder.aclose()


@pytest.mark.parametrize("model", ["", "  ", "statik", "static ", "Auto", "local:", "gpt-4o", "nosuch/provider"])
async def test_a_wrong_name_is_an_error_that_names_the_setting(model: str) -> None:
    with pytest.raises(EmbedderMisconfigured, match="EMBEDDING_MODEL"):
        await open_embedder(model)


async def test_a_dimension_the_model_does_not_have_is_refused() -> None:
    with pytest.raises(EmbedderMisconfigured, match=r"EMBEDDING_DIM=512.*EMBEDDING_MODEL=static"):
        await open_embedder("static", dim=512)


def test_static_imports_no_other_source() -> None:
    code = (
        "import asyncio, sys\n"
        "import service.llm\n"
        "from service.embedding.sources import open_embedder\n"
        "asyncio.run(open_embedder('static'))\n"
        "heavy = {'litellm', 'fastembed', 'onnxruntime', 'openai'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)
