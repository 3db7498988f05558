"""The embedders, and which of them the setting EMBEDDING_MODEL opens.

- Static: averaged word vectors of wordllama, weights inside its wheel, no network. Much weaker than a transformer, and
  about a thousand times faster: meant for a machine with no key and no model on disk. Long texts cost memory in
  proportion to the longest one only.
- Local: a sentence transformer in ONNX on the CPU, through fastembed, never downloading.
- Remote: any model litellm knows, and any OpenAI-compatible server.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from service.concurrency.transaction_guard import assert_outside_transaction
from service.domain.spending import FAILED, UNRECORDED, Ledger
from service.embedding.embedder import (
    Embedder,
    EmbedderMisconfigured,
    EmbeddingFailed,
    EmbeddingOverBudget,
    EmbeddingTimedOut,
    ThreadEmbedder,
    Vectors,
    deadline,
    normalised,
    replace_surrogates,
    signature_of,
)
from service.errors import BudgetReached, Unavailable
from service.provider import (
    OPENAI_BASE,
    REQUEST_TIMEOUT,
    TOO_MANY_REQUESTS,
    describe,
    estimated_tokens,
    import_litellm,
    limit_bytes,
    load_litellm,
    located,
    reported,
    response_too_large,
    retrying,
    usage_of,
)

if TYPE_CHECKING:
    from fastembed import TextEmbedding


CONFIG: Final = "l2_supercat"
DIM: Final = 256
# 2,000 characters take about 0.2 ms, no more than a hop to a thread and back.
INLINE_CHARACTERS_MAX: Final = 2_000
STATIC_BATCH_MAX: Final = 64
ONE_BY_ONE_MAX: Final = 8
"""Larger batches go to threads of the tokenizer's own, for which a few texts on a busy machine would wait."""


class StaticEmbedder(ThreadEmbedder):
    """Mean of the word vectors of a text, L2-normalised; (n, 256) float32."""

    source: Final = "static"
    model: Final = f"wordllama-{CONFIG}"
    dim = DIM
    batch_max = STATIC_BATCH_MAX
    signature: Final = signature_of(source, model, dim)

    def __init__(self, weights: Vectors, tokenizer: Any) -> None:
        """``weights`` is (vocabulary, 256) float32; ``tokenizer`` a ``tokenizers.Tokenizer``."""
        super().__init__("embed-static")
        tokenizer.no_padding()
        tokenizer.no_truncation()
        # A text is one word to this tokenizer, and it would keep the first 10,000: some 4 kB each, and few come again.
        tokenizer.model._resize_cache(0)
        self._weights = weights
        self._tokenizer = tokenizer

    @classmethod
    def open(cls) -> StaticEmbedder:
        """Weights and tokenizer from the wheel: about 0.5 s and 40 MB, once per process.

        Raises EmbedderMisconfigured when wordllama is not installed or its files are missing.
        """
        loaded = _loaded()
        return cls(loaded.embedding, loaded.tokenizer)

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        """See Embedder.embed. A short call runs on the event loop itself, a longer one on a thread."""
        assert_outside_transaction()
        if sum(map(len, texts)) <= INLINE_CHARACTERS_MAX:
            return self._embed(texts)
        return await super().embed(texts, deadline_s)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        # A text without tokens (the empty one) counts as a space, so that it too has a direction.
        given = [replace_surrogates(text) or " " for text in texts]
        # Fast is without offsets.
        if len(given) <= ONE_BY_ONE_MAX:
            encodings = [self._tokenizer.encode_batch_fast([text], add_special_tokens=False)[0] for text in given]
        else:
            encodings = self._tokenizer.encode_batch_fast(given, add_special_tokens=False)
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for row, encoding in enumerate(encodings):
            # Normalising follows, so the sum serves as well as the mean.
            self._weights.take(encoding.ids, axis=0, mode="clip").sum(axis=0, out=vectors[row])
        return normalised(vectors)


@contextmanager
def _preserved_root_logger() -> Iterator[None]:
    """Undo ``logging.basicConfig(level=INFO)``, which importing wordllama calls."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


@cache
def _loaded() -> Any:
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise EmbedderMisconfigured("EMBEDDING_MODEL=static needs the package wordllama, which is not installed.")
    with _preserved_root_logger():
        from wordllama import WordLlama
    try:
        # Its default cache folder lacks the tokenizer, which it would then download.
        return WordLlama.load(config=CONFIG, dim=DIM, cache_dir=Path(spec.origin).parent, disable_download=True)
    except FileNotFoundError as error:
        raise EmbedderMisconfigured(f"EMBEDDING_MODEL=static: wordllama's files are missing: {error}") from error


LOCAL_MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"
MODEL_FILES: Final = ("model.onnx", "onnx/model.onnx")
NEEDED_FILES: Final = ("config.json", "tokenizer.json", "tokenizer_config.json")
# A search waits behind at most one slice of a batch write: about 50 ms of short texts.
LOCAL_BATCH_MAX: Final = 8
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
    batch_max = LOCAL_BATCH_MAX

    def __init__(self, model: str, dim: int, inference: TextEmbedding) -> None:
        """``inference`` gives vectors of ``dim``; see ``open``."""
        super().__init__("embed-local")
        self.model = model
        self.dim = dim
        self.signature = signature_of(self.source, model, dim)
        self._inference = inference
        self._batch_size = LOCAL_BATCH_MAX if self._batches_are_independent() else 1

    @classmethod
    def open(cls, name_or_folder: str) -> LocalEmbedder:
        """Open a model of fastembed's cache by name, or one in a folder: about 1 s, of which 0.6 s are imports.

        A folder holds ``model.onnx`` (or ``onnx/model.onnx``), ``config.json`` and the tokenizer's files; its
        pooling is that of ``1_Pooling/config.json``, without one the mean. Blocking. Raises EmbedderMisconfigured.
        """
        if names_a_folder(name_or_folder):
            _require_fastembed(name_or_folder)
            return cls._open_folder(Path(name_or_folder).expanduser().resolve())
        model, dim = _supported(name_or_folder)
        from fastembed import TextEmbedding

        try:
            inference = TextEmbedding(model, cache_dir=str(cache_folder()), cuda=False, local_files_only=True)
        except (ValueError, OSError) as error:
            raise EmbedderMisconfigured(
                f"EMBEDDING_MODEL=local:{name_or_folder}: {model} is not in fastembed's cache, {cache_folder()}. "
                f"`reverie models get {name_or_folder}` fetches it once; or give a folder."
            ) from error
        return cls(model, dim, inference)

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
        """Return whether a text's vector stays the same whatever else is in its batch.

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


def _require_fastembed(name: str) -> None:
    if importlib.util.find_spec("fastembed") is None:
        raise EmbedderMisconfigured(
            f'EMBEDDING_MODEL=local:{name} needs an extra that is not installed: pip install "reverie-server[local]"'
        )


def _supported(name: str) -> tuple[str, int]:
    """Return the full name and the dimension of a model that fastembed knows. Raises EmbedderMisconfigured."""
    _require_fastembed(name)
    from fastembed import TextEmbedding

    dims = {str(model["model"]): int(model["dim"]) for model in TextEmbedding.list_supported_models()}
    known = [model for model in dims if not model.startswith(_FOLDER_PREFIX)]
    fits = [model for model in known if model.lower() == name.lower()]
    fits = fits or [model for model in known if model.lower().endswith(f"/{name.lower()}")]
    if len(fits) != 1:
        what = f"could be {' or '.join(fits)}" if fits else "is neither a folder nor a model fastembed knows"
        raise EmbedderMisconfigured(f"EMBEDDING_MODEL=local:{name} {what}.")
    return fits[0], dims[fits[0]]


def download_model(name: str) -> str:
    """Fetch a model into fastembed's cache, with its progress on standard error, unless it is there; return its full
    name. Blocking.

    Raises EmbedderMisconfigured for a name that fastembed does not know, and EmbeddingFailed where none of its servers
    gives it.
    """
    model, _ = _supported(name)
    from fastembed import TextEmbedding

    try:
        TextEmbedding(model, cache_dir=str(cache_folder()), cuda=False)
    except Exception as error:  # of its HTTP clients, which share no base
        raise EmbeddingFailed(f"{model} cannot be fetched: {error}") from error
    return model


def names_a_folder(value: str) -> bool:
    """Return whether ``value`` is written as a path, or a folder of that name exists."""
    return value.startswith(("/", ".", "~")) or Path(value).is_dir()


def cache_folder() -> Path:
    """Return where fastembed keeps downloaded models: FASTEMBED_CACHE_PATH, else its default."""
    return Path(os.environ.get("FASTEMBED_CACHE_PATH") or Path(tempfile.gettempdir(), "fastembed_cache"))


def may_be_on_disk(name_or_folder: str) -> bool:
    """Return whether ``open`` has a chance, found out without importing fastembed."""
    if importlib.util.find_spec("fastembed") is None:
        return False
    if names_a_folder(name_or_folder):
        return Path(name_or_folder).expanduser().is_dir()
    stem = name_or_folder.rpartition("/")[2].lower()
    folder = cache_folder()
    return folder.is_dir() and any(stem in entry.name.lower() for entry in folder.iterdir())


def _pooling(folder: Path) -> str:
    """Return the name of fastembed's PoolingType that sentence-transformers wrote into the folder."""
    file = folder / "1_Pooling" / "config.json"
    settings = json.loads(file.read_text()) if file.is_file() else {"pooling_mode_mean_tokens": True}
    chosen = [pooling for setting, pooling in _POOLING_OF_SETTING.items() if settings.get(setting)]
    if len(chosen) != 1:
        raise ValueError(f"1_Pooling/config.json asks for a pooling other than {', '.join(_POOLING_OF_SETTING)}")
    return chosen[0]


REMOTE_MODEL: Final = "text-embedding-3-small"
BATCH_TEXTS_MAX: Final = 128
# OpenAI refuses more than 300,000 tokens in one request.
BATCH_CHARACTERS_MAX: Final = 250_000
REQUESTS_AT_ONCE_MAX: Final = 4
BACKOFF_FIRST_S: Final = 0.25
BACKOFF_MAX_S: Final = 8.0
TIMEOUT_S: Final = 10.0
ANSWER_BYTES_MIN: Final = 1_048_576
NUMBER_BYTES: Final = 32
"""The most that a number of a vector takes in an answer: a double in JSON, with comma and spaces."""
DIM_MAX: Final = 16_000


class RemoteEmbedder:
    """Vectors by litellm's ``aembedding``; (n, dim) float32.

    429, 5xx and timeouts of one request are tried again with a random, growing pause; what the provider refuses
    for good (a wrong key, an unknown model) fails at once.
    """

    source: Final = "remote"

    def __init__(
        self,
        model: str,
        dim: int,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        asks_dim: bool = False,
        timeout_s: float = TIMEOUT_S,
        backoff_first_s: float = BACKOFF_FIRST_S,
        ledger: Ledger = UNRECORDED,
    ) -> None:
        """``asks_dim``: send ``dimensions`` with each request. ``timeout_s`` bounds one attempt. ``ledger``: where each
        attempt is reserved and recorded."""
        self.model = model
        self.dim = dim
        self.signature = signature_of(self.source, model, dim)
        self._options: dict[str, Any] = {"api_base": api_base, "api_key": api_key, "timeout": timeout_s}
        self._timeout_s = timeout_s
        self._ledger = ledger
        self.server: tuple[str | None, str | None] = (api_base, api_key)
        """The base URL and key of the provider, as far as they are known without a call."""
        if asks_dim:
            self._options["dimensions"] = dim
        self._backoff_first_s = backoff_first_s
        self._requests = asyncio.Semaphore(REQUESTS_AT_ONCE_MAX)

    @classmethod
    async def open(
        cls,
        model: str,
        *,
        dim: int | None,
        api_base: str | None,
        api_key: str | None,
        timeout_s: float = TIMEOUT_S,
        ledger: Ledger = UNRECORDED,
    ) -> RemoteEmbedder:
        """Check the name and find the dimension: ``dim``, else litellm's table, else by embedding one text.

        A ``dim`` other than the table's is asked of the provider (``dimensions``). Takes 3 s to import litellm.
        Raises EmbedderMisconfigured for a name litellm cannot route, EmbeddingFailed when asking for the
        dimension fails.
        """
        litellm = await load_litellm()
        try:
            _, provider, known_key, base = litellm.get_llm_provider(model, api_base=api_base)
        except litellm.BadRequestError as error:
            raise EmbedderMisconfigured(
                f"EMBEDDING_MODEL={model} is not auto, none, static, local:<name or folder> or a model litellm can "
                f"route; for an OpenAI-compatible server write openai/{model} and set its URL."
            ) from error
        # get_model_info() would ask an Ollama server for its models.
        entry = litellm.model_cost.get(model, {})
        if entry.get("mode", "embedding") != "embedding":
            raise EmbedderMisconfigured(f"EMBEDDING_MODEL={model} is a model for {entry['mode']}, not for embeddings.")
        if provider == "openai" and api_base and not api_key:
            # The SDK insists on a key, and would send OPENAI_API_KEY to a server that is not OpenAI's.
            api_key = "none"
        known: int | None = entry.get("output_vector_size")
        embedder = cls(
            model,
            dim or known or 0,
            api_base=api_base,
            api_key=api_key,
            asks_dim=dim is not None and known is not None and dim != known,
            timeout_s=timeout_s,
            ledger=ledger,
        )
        if api_base is None and provider == "openai":
            base, known_key = base or OPENAI_BASE, known_key or os.environ.get("OPENAI_API_KEY")
        embedder.server = (base, api_key or known_key)
        if not embedder.dim:
            await embedder._learn_dim()
        return embedder

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        """See Embedder.embed. Where the deadline passes after an attempt that failed, the error says why that did."""
        assert_outside_transaction()
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        failed: list[Exception] = []

        async def fill(start: int, end: int) -> None:
            async with self._requests:
                vectors[start:end] = await self._request(texts[start:end], failed)

        try:
            async with deadline(deadline_s):
                try:
                    async with asyncio.TaskGroup() as group:
                        for start, end in _batches(texts):
                            group.create_task(fill(start, end))
                except ExceptionGroup as failures:
                    raise failures.exceptions[0] from None
        except EmbeddingTimedOut as late:
            if not failed:
                raise
            raise EmbeddingTimedOut(self._ours(failed[-1]).message) from late
        return vectors

    async def aclose(self) -> None:
        """Nothing to let go of: litellm keeps one pool of connections for the whole process."""

    async def _learn_dim(self) -> None:
        try:
            vectors = await self._request(["dimension"], [])
        except EmbeddingFailed as error:
            raise EmbeddingFailed(
                f"EMBEDDING_MODEL={self.model}: its dimension is not known and asking for it failed; set "
                f"EMBEDDING_DIM to start without asking. {error}"
            ) from error
        self.dim = vectors.shape[1]
        self.signature = signature_of(self.source, self.model, self.dim)

    async def _request(self, texts: Sequence[str], failed: list[Exception]) -> Vectors:
        """Embed one batch, in up to four attempts; what went wrong in each is added to ``failed``."""
        # Providers refuse an empty text.
        given = [replace_surrogates(text) or " " for text in texts]

        async def attempt() -> Any:
            try:
                return await self._attempt(given)
            except Exception as error:
                failed.append(error)
                raise

        try:
            answer: Any = await retrying(_is_transient, self._backoff_first_s, BACKOFF_MAX_S)(attempt)
        except BudgetReached as error:
            raise EmbeddingOverBudget(error.message) from error
        except Unavailable:  # the ledger's database, which says nothing about the embedder
            raise
        except Exception as error:  # litellm passes on whatever a malformed answer breaks
            raise self._ours(error) from error
        return self._checked(answer.data, len(texts))

    async def _attempt(self, texts: list[str]) -> Any:
        tokens = estimated_tokens(texts)
        charge = await self._ledger.reserve("embed", self.model, usage_of(self.model, tokens))
        # A call cut short by cancellation or a timeout may be billed; one that is refused is not.
        used = usage_of(self.model, tokens, failed=True)
        bytes_max = ANSWER_BYTES_MIN + len(texts) * (self.dim or DIM_MAX) * NUMBER_BYTES
        try:
            # litellm's own timeout is for each read, which a trickle of bytes never exceeds.
            async with asyncio.timeout(self._timeout_s):
                with limit_bytes(bytes_max):
                    answer = await import_litellm().aembedding(model=self.model, input=texts, **self._options)
            usage = getattr(answer, "usage", None)
            used = usage_of(self.model, reported(getattr(usage, "prompt_tokens", None), 0) or tokens)
        except Exception as error:
            used = used if _is_late(error) or response_too_large(error) else FAILED
            raise
        finally:
            charge.settle(used)
        return answer

    def _ours(self, error: Exception) -> EmbeddingFailed:
        api_base: str | None = self._options["api_base"]
        if (oversized := response_too_large(error)) is not None:
            return EmbeddingFailed(f"{self.model}: {oversized.message}")
        if _is_late(error):
            return EmbeddingTimedOut(f"{located(self.model, api_base)} did not answer within {self._timeout_s:g} s.")
        return EmbeddingFailed(describe(error, self.model, api_base))

    def _checked(self, data: Any, count: int) -> Vectors:
        """Return the answer's vectors in the order of the texts; raises EmbeddingFailed unless they are what was
        asked."""
        try:
            ordered = sorted(data, key=lambda item: cast(int, item["index"]))
            vectors = np.asarray([item["embedding"] for item in ordered], dtype=np.float32)
        except (ValueError, TypeError, KeyError) as error:
            raise EmbeddingFailed(f"{self.model} gave an answer that holds no vectors: {error!r}") from error
        wanted = (count, self.dim or (vectors.shape[1] if vectors.ndim == 2 else 0))
        if vectors.shape != wanted:
            raise EmbeddingFailed(f"{self.model} gave vectors of shape {vectors.shape}, not {wanted}.")
        return normalised(vectors)


def _batches(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Bounds of the requests: each holds at most 128 texts and, unless one text alone is longer, 250,000 characters."""
    start, characters = 0, 0
    for end, text in enumerate(texts):
        full = end - start == BATCH_TEXTS_MAX or characters + len(text) > BATCH_CHARACTERS_MAX
        if full and end > start:
            yield start, end
            start, characters = end, 0
        characters += len(text)
    if start < len(texts):
        yield start, len(texts)


def _is_transient(error: BaseException) -> bool:
    """429, 5xx, timeouts and broken connections, which litellm's errors carry as a status."""
    if response_too_large(error):
        return False
    status = getattr(error, "status_code", None)
    return _is_late(error) or (isinstance(status, int) and (status == TOO_MANY_REQUESTS or status >= 500))


def _is_late(error: BaseException) -> bool:
    return isinstance(error, TimeoutError) or getattr(error, "status_code", None) == REQUEST_TIMEOUT


CHEAP_SOURCE = "static"
"""Of an embedder that costs next to nothing: it is never waited for."""

_log = logging.getLogger(__name__)


async def open_embedder(
    model: str = "auto",
    *,
    dim: int | None = None,
    api_base: str | None = None,
    api_key: str | None = None,
    local_model: str | None = None,
    timeout_s: float | None = None,
    ledger: Ledger = UNRECORDED,
) -> Embedder | None:
    """Open what EMBEDDING_MODEL names; ``none`` gives None. Loads models, so 0.5 to 4 s.

    - ``auto``: local if ``local_model`` (a name or a folder, by default all-MiniLM-L6-v2) is on disk, else static;
      never a remote one, whatever keys there are.
    - ``static``, ``local:<name or folder>``, or a litellm name such as ``ollama/nomic-embed-text``.

    ``dim`` must agree with a static or local model; of a remote one it is the dimension to ask for.
    ``timeout_s`` bounds one remote attempt, and ``ledger`` is where each is recorded. Raises EmbedderMisconfigured
    naming EMBEDDING_MODEL, and
    EmbeddingFailed when a remote model's dimension has to be asked for and cannot.
    """
    if not model or model != model.strip():
        raise EmbedderMisconfigured(f"EMBEDDING_MODEL={model!r} is empty or has spaces around it.")
    if model == "none":
        return None
    if model == "static":
        return _agreeing(model, await asyncio.to_thread(StaticEmbedder.open), dim)
    if model.startswith("local:"):
        return _agreeing(model, await _open_local(model.removeprefix("local:")), dim)
    if model != "auto":
        timeout_s = timeout_s or TIMEOUT_S
        return await RemoteEmbedder.open(
            model, dim=dim, api_base=api_base, api_key=api_key, timeout_s=timeout_s, ledger=ledger
        )
    return _agreeing(model, await _open_on_disk(local_model), dim)


def setting_of(configured: str, embedder: Embedder | None) -> str:
    """Return the value of EMBEDDING_MODEL that opens this embedder again, in whatever folder and with whatever keys."""
    if embedder is None or embedder.source == "static":
        return embedder.source if embedder else "none"
    if embedder.source == "remote":
        return embedder.model
    given = configured.removeprefix("local:")
    if configured != "auto" and names_a_folder(given):
        return f"local:{Path(given).expanduser().resolve()}"
    return f"local:{embedder.model}"


async def _open_on_disk(local_model: str | None) -> Embedder:
    """Return the local model if it is there, else the static one; a model that was asked for by name must open."""
    if local_model:
        return await _open_local(local_model)
    if may_be_on_disk(LOCAL_MODEL):
        try:
            return await _open_local(LOCAL_MODEL)
        except EmbedderMisconfigured as error:
            _log.warning("EMBEDDING_MODEL=auto takes the static model: %s", error)
    return await asyncio.to_thread(StaticEmbedder.open)


async def _open_local(name_or_folder: str) -> Embedder:
    if not name_or_folder:
        raise EmbedderMisconfigured("EMBEDDING_MODEL=local: needs a model name or a folder after the colon.")
    return await asyncio.to_thread(LocalEmbedder.open, name_or_folder)


def _agreeing(model: str, embedder: Embedder, dim: int | None) -> Embedder:
    if dim is not None and dim != embedder.dim:
        raise EmbedderMisconfigured(
            f"EMBEDDING_DIM={dim}, but EMBEDDING_MODEL={model} opened {embedder.signature}, of size {embedder.dim}."
        )
    return embedder
