"""The local embedder: a sentence transformer in ONNX on the CPU, through fastembed, never downloading."""

from __future__ import annotations

import importlib.util
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from service.embedding.base import (
    EmbedderMisconfigured,
    EmbeddingFailed,
    ThreadEmbedder,
    Vectors,
    normalised,
    replace_surrogates,
    signature_of,
)

if TYPE_CHECKING:
    from fastembed import TextEmbedding

DEFAULT_MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"
MODEL_FILES: Final = ("model.onnx", "onnx/model.onnx")
NEEDED_FILES: Final = ("config.json", "tokenizer.json", "tokenizer_config.json")
# A search waits behind at most one slice of a batch write: about 50 ms of short texts.
BATCH_MAX: Final = 8
_FOLDER_PREFIX: Final = "folder:"
_POOLING_OF_SETTING: Final = {
    "pooling_mode_cls_token": "CLS",
    "pooling_mode_mean_tokens": "MEAN",
    "pooling_mode_lasttoken": "LAST_TOKEN",
}
_PROBE: Final = ("Tea", "In May 2023 the whole team moved from Oslo to Bergen, 463 km away, and nobody complained.")


class LocalEmbedder(ThreadEmbedder):
    """One ONNX model on one thread of ours (onnxruntime adds its own); (n, dim) float32.

    Texts longer than the model's context (often 512 tokens) count up to there.
    """

    source: Final = "local"
    batch_max = BATCH_MAX

    def __init__(self, model: str, dim: int, inference: TextEmbedding) -> None:
        """``inference`` gives vectors of ``dim``; see ``open``."""
        super().__init__("embed-local")
        self.model = model
        self.dim = dim
        self.signature = signature_of(self.source, model, dim)
        self._inference = inference
        self._batch_size = BATCH_MAX if self._batches_are_independent() else 1

    @classmethod
    def open(cls, name_or_folder: str) -> LocalEmbedder:
        """Open a model of fastembed's cache by name, or one in a folder: about 1 s, of which 0.6 s are imports.

        A folder holds ``model.onnx`` (or ``onnx/model.onnx``), ``config.json`` and the tokenizer's files; its
        pooling is that of ``1_Pooling/config.json``, without one the mean. Blocking. Raises EmbedderMisconfigured.
        """
        if importlib.util.find_spec("fastembed") is None:
            raise EmbedderMisconfigured(
                f"EMBEDDING_MODEL=local:{name_or_folder} needs an extra that is not installed: "
                'pip install "reverie-server[local]"'
            )
        if names_a_folder(name_or_folder):
            return cls._open_folder(Path(name_or_folder).expanduser().resolve())
        return cls._open_name(name_or_folder)

    @classmethod
    def _open_name(cls, name: str) -> LocalEmbedder:
        from fastembed import TextEmbedding

        dims = {str(model["model"]): int(model["dim"]) for model in TextEmbedding.list_supported_models()}
        known = [model for model in dims if not model.startswith(_FOLDER_PREFIX)]
        fits = [model for model in known if model.lower() == name.lower()]
        fits = fits or [model for model in known if model.lower().endswith(f"/{name.lower()}")]
        if len(fits) != 1:
            what = f"could be {' or '.join(fits)}" if fits else "is neither a folder nor a model fastembed knows"
            raise EmbedderMisconfigured(f"EMBEDDING_MODEL=local:{name} {what}.")
        try:
            inference = TextEmbedding(fits[0], cache_dir=str(cache_folder()), cuda=False, local_files_only=True)
        except (ValueError, OSError) as error:
            raise EmbedderMisconfigured(
                f"EMBEDDING_MODEL=local:{name}: {fits[0]} is not in fastembed's cache, {cache_folder()}, and is not "
                f"downloaded by the service. Fetch it once, by fastembed.TextEmbedding({fits[0]!r}), or give a folder."
            ) from error
        return cls(fits[0], dims[fits[0]], inference)

    @classmethod
    def _open_folder(cls, folder: Path) -> LocalEmbedder:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        setting = f"EMBEDDING_MODEL=local:{folder}"
        if not folder.is_dir():
            raise EmbedderMisconfigured(f"{setting}: there is no such folder.")
        model_file = next((file for file in MODEL_FILES if (folder / file).is_file()), None)
        missing = [file for file in NEEDED_FILES if not (folder / file).is_file()]
        if model_file is None or missing:
            wanted = ", ".join(missing if model_file else [MODEL_FILES[0], *missing])
            raise EmbedderMisconfigured(f"{setting}: the folder lacks {wanted}.")
        try:
            dim = int(json.loads((folder / "config.json").read_text())["hidden_size"])
            pooling = _pooling(folder)
            # fastembed's table of models is global to the process, and its entries cannot be changed.
            registered = f"{_FOLDER_PREFIX}{pooling}:{folder}"
            if registered not in {model["model"] for model in TextEmbedding.list_supported_models()}:
                TextEmbedding.add_custom_model(
                    registered,
                    pooling=PoolingType[pooling],
                    normalization=True,
                    sources=ModelSource(url=folder.as_uri()),
                    dim=dim,
                    model_file=model_file,
                )
            inference = TextEmbedding(registered, specific_model_path=str(folder), cuda=False, local_files_only=True)
            return cls(folder.name, dim, inference)
        except Exception as error:  # onnxruntime's errors share no nearer base
            raise EmbedderMisconfigured(f"{setting}: the folder holds no usable model: {error}") from error

    def _batches_are_independent(self) -> bool:
        """Whether a text's vector stays the same whatever else is in its batch.

        A dynamically quantised model scales its activations by the largest in the batch: with it, the same
        text in two batches had a cosine of 0.984. Such a model gets its texts one by one, which takes up to twice
        the time: the same text must give the same vector, in a batch write, a query and a re-run dream.
        """
        together = self._run(_PROBE, batch_size=len(_PROBE))
        alone = self._run(_PROBE, batch_size=1)
        return bool(np.allclose(together, alone, atol=1e-4))

    def _embed(self, texts: Sequence[str]) -> Vectors:
        try:
            return self._run(texts, self._batch_size)
        except Exception as error:  # onnxruntime's errors share no nearer base
            raise EmbeddingFailed(f"The local model {self.model} failed: {error}") from error

    def _run(self, texts: Sequence[str], batch_size: int) -> Vectors:
        rows = list(self._inference.embed([replace_surrogates(text) for text in texts], batch_size=batch_size))
        vectors = np.asarray(rows, dtype=np.float32)
        if vectors.shape != (len(texts), self.dim):
            raise EmbeddingFailed(f"The local model {self.model} gave {vectors.shape}, not {(len(texts), self.dim)}.")
        return normalised(vectors)


def names_a_folder(value: str) -> bool:
    """Whether ``value`` is written as a path, or a folder of that name exists."""
    return value.startswith(("/", ".", "~")) or Path(value).is_dir()


def cache_folder() -> Path:
    """Where fastembed keeps downloaded models: FASTEMBED_CACHE_PATH, else its default."""
    return Path(os.environ.get("FASTEMBED_CACHE_PATH") or Path(tempfile.gettempdir(), "fastembed_cache"))


def may_be_on_disk(name_or_folder: str) -> bool:
    """Whether ``open`` has a chance, found out without importing fastembed."""
    if importlib.util.find_spec("fastembed") is None:
        return False
    if names_a_folder(name_or_folder):
        return Path(name_or_folder).expanduser().is_dir()
    stem = name_or_folder.rpartition("/")[2].lower()
    folder = cache_folder()
    return folder.is_dir() and any(stem in entry.name.lower() for entry in folder.iterdir())


def _pooling(folder: Path) -> str:
    """The name of fastembed's PoolingType that sentence-transformers wrote into the folder."""
    file = folder / "1_Pooling" / "config.json"
    settings = json.loads(file.read_text()) if file.is_file() else {"pooling_mode_mean_tokens": True}
    chosen = [pooling for setting, pooling in _POOLING_OF_SETTING.items() if settings.get(setting)]
    if len(chosen) != 1:
        raise ValueError(f"1_Pooling/config.json asks for a pooling other than {', '.join(_POOLING_OF_SETTING)}")
    return chosen[0]
