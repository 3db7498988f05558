"""Opens the models that settings name, at the addresses and with the keys of this process's environment."""

from __future__ import annotations

from dataclasses import dataclass

from service.domain.installation import EmbeddingSettings, Environment, RerankSettings
from service.domain.spending import PROBE, UNRECORDED, Ledger, paid_by
from service.embedding.base import EmbedderMisconfigured, EmbeddingFailed
from service.embedding.cache import CachedEmbedder
from service.embedding.monitored import PROBE as PROBE_TEXT
from service.embedding.monitored import MonitoredEmbedder
from service.embedding.sources import CHEAP_SOURCE, open_embedder, setting_of
from service.embedding.storage import storage_of
from service.errors import InvalidInput
from service.llm import BudgetReached, LLMInvalidOutput, LLMUnavailable, Reranker
from service.provider.library import load_litellm
from service.settings import Settings
from service.store.embeddings import Model

TRIAL_S = 20.0


def environment_of(settings: Settings) -> Environment:
    """What the environment says of the installation's models."""
    said: Environment = {
        "embedding": {
            "model": ("EMBEDDING_MODEL", settings.embedding_model),
            "dim": ("EMBEDDING_DIM", settings.embedding_dim),
            "storage": ("EMBEDDING_STORAGE", settings.embedding_storage),
            "cache_size": ("EMBEDDING_CACHE_SIZE", settings.embedding_cache_size),
            "cache_ttl_s": ("EMBEDDING_CACHE_TTL_S", settings.embedding_cache_ttl_s),
        },
        "rerank": {"model": ("RERANK_MODEL", settings.rerank_model)},
    }
    return {name: {key: one for key, one in fields.items() if one[1] is not None} for name, fields in said.items()}


@dataclass(frozen=True, slots=True)
class ModelFactory:
    """What opening a model takes. ``watched``: the embedder that keeps its condition, traced or not."""

    settings: Settings
    ledger: Ledger = UNRECORDED
    watched: type[MonitoredEmbedder] = MonitoredEmbedder

    async def embedder(self, wanted: EmbeddingSettings) -> tuple[CachedEmbedder | None, str]:
        """The embedder of these settings, None for ``none``, and the setting that opens it again, whatever the keys.

        Raises EmbedderMisconfigured, and EmbeddingFailed where a remote one has to be asked and does not answer.
        """
        opened = await open_embedder(
            wanted.model,
            dim=wanted.dim,
            api_base=self.settings.embedding_api_base,
            api_key=self.settings.embedding_api_key,
            ledger=self.ledger,
        )
        if opened is None:
            return None, "none"
        return self._cached(self.watched(opened, wanted.storage), wanted), setting_of(wanted.model, opened)

    async def embedder_of(self, model: Model, cache: EmbeddingSettings) -> CachedEmbedder:
        """The embedder of vectors that are stored. Raises like ``embedder``."""
        wanted = cache.model_copy(
            update={"model": model.setting, "dim": model.dim, "storage": storage_of(model.signature)}
        )
        opened, _ = await self.embedder(wanted)
        assert opened is not None
        return opened

    def reranker(self, wanted: RerankSettings) -> Reranker | None:
        """The reranker of these settings; opens nothing."""
        if wanted.model is None:
            return None
        return Reranker(
            wanted.model,
            api_base=self.settings.rerank_api_base,
            api_key=self.settings.rerank_api_key,
            ledger=self.ledger,
        )

    async def try_embedding(self, wanted: EmbeddingSettings) -> None:
        """Embed a text as these settings say. Raises InvalidInput with the reason where that fails."""
        try:
            with paid_by(PROBE):
                opened, _ = await self.embedder(wanted)
                if opened is not None:
                    try:
                        await opened.embed([PROBE_TEXT], TRIAL_S)
                    finally:
                        await opened.aclose()
        except (EmbedderMisconfigured, EmbeddingFailed) as error:
            raise InvalidInput(("body", "embedding", "model"), f"cannot be used: {error.message}") from error

    async def try_reranking(self, wanted: RerankSettings) -> None:
        """Rerank two texts as these settings say. Raises InvalidInput with the reason where that fails."""
        reranker = self.reranker(wanted)
        if reranker is None:
            return
        litellm = await load_litellm()
        at = ("body", "rerank", "model")
        try:
            litellm.get_llm_provider(wanted.model)
        except litellm.BadRequestError as error:  # before a call is recorded under the name
            raise InvalidInput(at, f"cannot be used: litellm cannot route {wanted.model}") from error
        try:
            with paid_by(PROBE):
                await reranker.rerank(PROBE_TEXT, [PROBE_TEXT, "Somebody is."])
        except (BudgetReached, LLMInvalidOutput, LLMUnavailable) as error:
            raise InvalidInput(at, f"cannot be used: {error.message}") from error

    def _cached(self, embedder: MonitoredEmbedder, cache: EmbeddingSettings) -> CachedEmbedder:
        return CachedEmbedder(
            embedder, cache.cache_size, cache.cache_ttl_s, single_flight=embedder.source != CHEAP_SOURCE
        )
