"""The remote embedder: any model litellm knows, and any OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import numpy as np
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from service.concurrency.transaction_guard import assert_outside_transaction
from service.domain.spending import FAILED, UNRECORDED, Ledger
from service.embedding.base import (
    EmbedderMisconfigured,
    EmbeddingFailed,
    EmbeddingOverBudget,
    EmbeddingTimedOut,
    Vectors,
    deadline,
    normalised,
    replace_surrogates,
    signature_of,
)
from service.errors import BudgetReached, Unavailable
from service.provider import (
    describe,
    estimated_tokens,
    import_litellm,
    limit_bytes,
    load_litellm,
    located,
    reported,
    response_too_large,
    usage_of,
)

DEFAULT_MODEL: Final = "text-embedding-3-small"
OPENAI_BASE: Final = "https://api.openai.com/v1"
BATCH_TEXTS_MAX: Final = 128
# OpenAI refuses more than 300,000 tokens in one request.
BATCH_CHARACTERS_MAX: Final = 250_000
REQUESTS_AT_ONCE_MAX: Final = 4
ATTEMPTS_MAX: Final = 4
BACKOFF_FIRST_S: Final = 0.25
BACKOFF_MAX_S: Final = 8.0
TIMEOUT_S: Final = 10.0
REQUEST_TIMEOUT: Final = 408
TOO_MANY_REQUESTS: Final = 429
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
        """See Embedder.embed."""
        assert_outside_transaction()
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)

        async def fill(start: int, end: int) -> None:
            async with self._requests:
                vectors[start:end] = await self._request(texts[start:end])

        async with deadline(deadline_s):
            try:
                async with asyncio.TaskGroup() as group:
                    for start, end in _batches(texts):
                        group.create_task(fill(start, end))
            except ExceptionGroup as failures:
                raise failures.exceptions[0] from None
        return vectors

    async def aclose(self) -> None:
        """Nothing to let go of: litellm keeps one pool of connections for the whole process."""

    async def _learn_dim(self) -> None:
        try:
            vectors = await self._request(["dimension"])
        except EmbeddingFailed as error:
            raise EmbeddingFailed(
                f"EMBEDDING_MODEL={self.model}: its dimension is not known and asking for it failed; set "
                f"EMBEDDING_DIM to start without asking. {error}"
            ) from error
        self.dim = vectors.shape[1]
        self.signature = signature_of(self.source, self.model, self.dim)

    async def _request(self, texts: Sequence[str]) -> Vectors:
        """Embed one batch, in up to four attempts."""
        # Providers refuse an empty text.
        given = [replace_surrogates(text) or " " for text in texts]
        retrying = AsyncRetrying(
            retry=retry_if_exception(_is_transient),
            stop=stop_after_attempt(ATTEMPTS_MAX),
            wait=wait_random_exponential(multiplier=self._backoff_first_s, max=BACKOFF_MAX_S),
            reraise=True,
        )
        try:
            answer: Any = await retrying(self._attempt, given)
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
        """The answer's vectors in the order of the texts; raises EmbeddingFailed unless they are what was asked."""
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
