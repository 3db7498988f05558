"""Measures how similar the embedder in use finds unrelated texts, once for each model that nobody has measured."""

from __future__ import annotations

import structlog

from service.domain.spending import INSTALLATION, paid_by
from service.embedding.base import EmbeddingFailed
from service.embedding.noise import noise_level
from service.memory.engine import Engine
from service.store import embeddings

log = structlog.get_logger(__name__)


async def measure_noise(engine: Engine) -> None:
    """Keep the noise level of the embedder in use if it is not known; a model that fails is asked the next time."""
    embedder = engine.embedder
    if embedder is None:
        return
    async with engine.db.unscoped() as connection:
        if not await embeddings.lacks_noise(connection, embedder.signature):
            return
    try:
        with paid_by(INSTALLATION):
            noise = await noise_level(embedder, engine.embedding_deadline_s)
    except EmbeddingFailed as error:
        log.warning("noise_not_measured", model=embedder.model, error=error.message)
        return
    async with engine.db.unscoped() as connection:
        await connection.run("set_noise", signature=embedder.signature, noise=noise)
    log.info("noise_measured", model=embedder.model, noise=noise)
