"""From the setting EMBEDDING_MODEL to an embedder."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from service.domain.spending import UNRECORDED, Ledger
from service.embedding.base import Embedder, EmbedderMisconfigured
from service.embedding.static import StaticEmbedder

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
        from service.embedding.remote import TIMEOUT_S, RemoteEmbedder

        timeout_s = timeout_s or TIMEOUT_S
        return await RemoteEmbedder.open(
            model, dim=dim, api_base=api_base, api_key=api_key, timeout_s=timeout_s, ledger=ledger
        )
    return _agreeing(model, await _open_on_disk(local_model), dim)


def setting_of(configured: str, embedder: Embedder | None) -> str:
    """The value of EMBEDDING_MODEL that opens this embedder again, in whatever folder and with whatever keys."""
    if embedder is None or embedder.source == "static":
        return embedder.source if embedder else "none"
    if embedder.source == "remote":
        return embedder.model
    from service.embedding.local import names_a_folder

    given = configured.removeprefix("local:")
    if configured != "auto" and names_a_folder(given):
        return f"local:{Path(given).expanduser().resolve()}"
    return f"local:{embedder.model}"


async def _open_on_disk(local_model: str | None) -> Embedder:
    """The local model if it is there, else the static one; a model that was asked for by name must open."""
    from service.embedding.local import DEFAULT_MODEL, may_be_on_disk

    if local_model:
        return await _open_local(local_model)
    if may_be_on_disk(DEFAULT_MODEL):
        try:
            return await _open_local(DEFAULT_MODEL)
        except EmbedderMisconfigured as error:
            _log.warning("EMBEDDING_MODEL=auto takes the static model: %s", error)
    return await asyncio.to_thread(StaticEmbedder.open)


async def _open_local(name_or_folder: str) -> Embedder:
    from service.embedding.local import LocalEmbedder

    if not name_or_folder:
        raise EmbedderMisconfigured("EMBEDDING_MODEL=local: needs a model name or a folder after the colon.")
    return await asyncio.to_thread(LocalEmbedder.open, name_or_folder)


def _agreeing(model: str, embedder: Embedder, dim: int | None) -> Embedder:
    if dim is not None and dim != embedder.dim:
        raise EmbedderMisconfigured(
            f"EMBEDDING_DIM={dim}, but EMBEDDING_MODEL={model} opened {embedder.signature}, of size {embedder.dim}."
        )
    return embedder
