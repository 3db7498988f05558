"""The models of a process: opened as settings and environment name them, and the one that does a step: the workspace's
own, else the environment's for the step, else LLM_MODEL.

The keys that workspaces give for models of their own are encrypted with a key of the installation that is not in the
database, each for its workspace and its server alone.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.concurrency.lru import LRUCache
from service.domain.installation import EmbeddingSettings, Environment, RerankSettings
from service.domain.llm_settings import LAST_SHOWN, OFF, SEALED, STEPS, LLMSettings, Step, StepModel
from service.domain.spending import PROBE, UNRECORDED, Ledger, paid_by
from service.embedding.embedder import PROBE as PROBE_TEXT
from service.embedding.embedder import (
    CachedEmbedder,
    EmbedderMisconfigured,
    EmbeddingFailed,
    MonitoredEmbedder,
    Storage,
    storage_of,
)
from service.embedding.sources import open_embedder, setting_of
from service.errors import BudgetReached, InvalidInput, ReverieError
from service.llm import LLM, Endpoint, LLMInvalidOutput, LLMUnavailable, Reranker, WorkspaceEndpoint
from service.provider import load_litellm
from service.settings import EnvironmentModel, RerankModel, Settings
from service.store.embeddings import Model

FILE: Final = "encryption-key"
NONCE_BYTES: Final = 12
SHOWN_FROM_CHARS: Final = 12
"""Of a shorter key no character is shown."""

TRIAL_S = 20.0
NOT_GENERAL: Final[frozenset[Step]] = frozenset({"decide"})
"""What LLM_MODEL does not do, as few models can."""
WORKSPACE_STEPS_MAX = 500
"""Steps of workspaces whose models stay open: their connections, and what is known of their state."""


class KeyUnreadable(ReverieError):
    """The key was not stored with this REVERIE_ENCRYPTION_KEY, or not for this server: give it again."""


class ModelKeys:
    """Encrypts and decrypts with REVERIE_ENCRYPTION_KEY, else with ``<data folder>/encryption-key``, which is made for
    the first key that is stored."""

    def __init__(self, settings: Settings) -> None:
        self._given = settings.encryption_key
        self._file = settings.data_dir / FILE

    def seal(self, workspace: UUID, api_base: str | None, key: str) -> str:
        """Return the key as it is stored."""
        last = key[-LAST_SHOWN:] if len(key) >= SHOWN_FROM_CHARS else ""
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = nonce + self._cipher(make=True).encrypt(nonce, key.encode(), _bound_to(workspace, api_base))
        return f"{SEALED}{last}:{base64.b64encode(sealed).decode()}"

    def unseal(self, workspace: UUID, api_base: str | None, stored: str) -> str:
        """Return the key itself. Raises KeyUnreadable."""
        try:
            sealed = base64.b64decode(stored.rpartition(":")[2])
            nonce, text = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
            return self._cipher(make=False).decrypt(nonce, text, _bound_to(workspace, api_base)).decode()
        except (InvalidTag, ValueError, OSError):
            raise KeyUnreadable from None

    def _cipher(self, *, make: bool) -> AESGCM:
        given = self._given
        if given is None:
            if make and not self._file.exists():
                _make(self._file)
            given = self._file.read_text("utf-8").strip()
        return AESGCM(hashlib.sha256(given.encode()).digest())


def _bound_to(workspace: UUID, api_base: str | None) -> bytes:
    return f"{workspace}\n{api_base or ''}".encode()


def _make(file: Path) -> None:
    """Write a new key with mode 600, whole at once: of two processes one does."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
        opened.write(secrets.token_urlsafe(32) + "\n")
    with suppress(FileExistsError):
        os.link(part, file)
    part.unlink()


def environment_of(settings: Settings) -> Environment:
    """Return what the environment says of the installation's models."""
    said: Environment = {
        "embedding": {
            "model": ("EMBEDDING_MODEL", settings.embedding_model),
            "dim": ("EMBEDDING_DIM", settings.embedding_dim),
        },
        "rerank": {"model": ("RERANK_MODEL", settings.rerank_model and settings.rerank_model.model)},
    }
    return {name: {key: one for key, one in fields.items() if one[1] is not None} for name, fields in said.items()}


@dataclass(frozen=True, slots=True)
class ModelFactory:
    """Opens models. ``watched``: the embedder that keeps its condition, traced or not."""

    settings: Settings
    ledger: Ledger = UNRECORDED
    watched: type[MonitoredEmbedder] = MonitoredEmbedder

    async def embedder(
        self, wanted: EmbeddingSettings, storage: Storage | None = None
    ) -> tuple[CachedEmbedder | None, str]:
        """Return the embedder of these settings, None for ``none``, and the setting that opens it again, whatever the
        keys. ``storage``: that of its vectors, by default that of new ones.

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
        watched = self.watched(opened, storage or self.settings.tuning.embedding_storage)
        return CachedEmbedder(watched), setting_of(wanted.model, opened)

    async def embedder_of(self, model: Model) -> CachedEmbedder:
        """Return the embedder of vectors that are stored. Raises like ``embedder``."""
        wanted = EmbeddingSettings(model=model.setting, dim=model.dim)
        opened, _ = await self.embedder(wanted, storage_of(model.signature))
        assert opened is not None
        return opened

    def reranker(self, wanted: RerankSettings) -> Reranker | None:
        """Return the reranker of these settings; opens nothing."""
        if wanted.model is None:
            return None
        at = self.settings.rerank_model or RerankModel()
        return Reranker(wanted.model, api_base=at.api_base, api_key=at.api_key, ledger=self.ledger)

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


class StepModels:
    """The models of the steps, for one process. ``client`` meters and records calls where there is no LLM_MODEL."""

    def __init__(self, settings: Settings, client: LLM) -> None:
        self.keys = ModelKeys(settings)
        self.client = client
        self._timeout_s = settings.tuning.llm_timeout_s
        self._private = settings.allow_private
        self._of_installation = {step: _named(settings, step) for step in STEPS}
        self._of_workspaces: LRUCache[tuple[UUID, StepModel], list[Endpoint]] = LRUCache(WORKSPACE_STEPS_MAX)

    def of(self, step: Step, workspace: UUID, chosen: LLMSettings, general: LLM | None) -> LLM | None:
        """Return the model of a step, ``general`` where it has none of its own; None where it is off or nothing names
        one."""
        own = chosen.of(step)
        if own.model == OFF:
            return None
        endpoints = self._own(workspace, own) if own.model else self._of_installation[step]
        if endpoints is None:
            return general.to(step) if general is not None and step not in NOT_GENERAL else None
        return (general or self.client).at(endpoints).to(step) if endpoints else None

    def _own(self, workspace: UUID, own: StepModel) -> list[Endpoint]:
        endpoints = self._of_workspaces.get((workspace, own))
        if endpoints is None:
            endpoints = [
                WorkspaceEndpoint(
                    one.model,
                    one.api_base,
                    timeout_s=one.timeout_s or self._timeout_s,
                    private=self._private,
                    unseal=partial(self.keys.unseal, workspace, one.api_base, one.api_key) if one.api_key else None,
                )
                for one in own.alternatives()
            ]
            self._of_workspaces.put((workspace, own), endpoints)
        return endpoints


def _named(settings: Settings, step: Step) -> list[Endpoint] | None:
    """Return the models that the environment names for a step; none for ``off``."""
    named: Sequence[EnvironmentModel] | None = getattr(settings.llm_steps, step)
    if named is None:
        return None
    return [
        Endpoint(
            one.model,
            settings.llm_api_base if (general := _of_general_server(settings, one)) else one.api_base,
            one.api_key or (settings.llm_api_key if general else None),
            one.timeout_s or settings.tuning.llm_timeout_s,
        )
        for one in named
    ]


def _of_general_server(settings: Settings, one: EnvironmentModel) -> bool:
    """Return whether a model is one of LLM_MODEL's server: of its provider, and without an address of its own."""
    provider = (settings.llm_model or "").partition("/")[0]
    return one.api_base is None and one.model.partition("/")[0] == provider
