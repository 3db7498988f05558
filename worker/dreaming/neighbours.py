"""What is known already beside what was said: by hash, by slot, and by similarity of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np

from service.db.pool import Connection
from service.domain.identity import identity_hash
from service.memory.dreams.in_flight import Tracker
from service.memory.engine import EMBED_BATCH, Engine
from service.store import reconciling
from service.store.dreams import Lease
from service.store.vectors import EmbeddingBatch
from worker.dreaming.candidates import Candidate, evidence_of, proposed_in
from worker.dreaming.people import slot_owner
from worker.dreaming.testimony import is_of

NEIGHBOURS = 5
SIMILARITY_MIN = 0.6
"""Below this two statements are not looked at as one: of 2,000 annotated pairs none that may merge lies lower."""

_BATCH = 20


@dataclass(frozen=True, slots=True)
class ExistingMemory:
    """A memory that was there before the dream, at the version the plan is made for.

    ``since``: when what it says was told, or put so by an edit, after which its ``value`` is not known. ``word_of`` and
    ``hearsay_by`` as of a candidate; what was saved for a user is that user's own word.
    """

    id: UUID
    version: int
    slot: str | None
    value: str | None
    polarity: str
    type: str
    content: str
    subject: str | None
    identity: str
    since: datetime
    at: datetime | None
    word_of: str | None
    hearsay_by: str | None
    edited: bool


@dataclass(frozen=True, slots=True)
class RelatedMemories:
    """The candidates with their identities and vectors, and what is known near them.

    ``near[i]`` are (similarity, memory) of the live memories nearest to candidate ``i``, nearest first.
    """

    candidates: Sequence[Candidate]
    identities: Sequence[str]
    embedded: EmbeddingBatch
    existing: Sequence[ExistingMemory]
    near: Sequence[Sequence[tuple[float, ExistingMemory]]]

    def similar_candidates(self) -> list[dict[int, float]]:
        """For each candidate the others at least SIMILARITY_MIN similar to it, by position."""
        near: list[dict[int, float]] = [{} for _ in self.candidates]
        given = [n for n, vector in enumerate(self.embedded.vectors) if vector is not None]
        if not given:
            return near
        matrix = np.stack([np.asarray(self.embedded.vectors[n], np.float32) for n in given])
        for row, n in enumerate(given):
            cosines = matrix @ matrix[row]
            near[n] = {given[k]: float(cosines[k]) for k in np.flatnonzero(cosines >= SIMILARITY_MIN) if k != row}
        return near


async def find_related(
    engine: Engine, lease: Lease, candidates: Sequence[Candidate], tracker: Tracker
) -> RelatedMemories:
    """What is known around these candidates, of the agent's own memories. Embeds outside any transaction."""
    identities = await engine.executor.each(_identity, candidates, lambda each: len(each.content))
    embedded = await _embedded(engine, candidates, tracker)
    async with engine.db.transaction(lease.workspace_id) as connection:
        rows = await reconciling.memories_in_slots(
            connection, lease, slots=sorted({each.slot for each in candidates if each.slot}),
            identities=[bytes.fromhex(identity) for identity in set(identities)], now=engine.now(),
        )  # fmt: skip
        near = await _nearest(connection, engine, lease, embedded)
    return RelatedMemories(candidates, identities, embedded, [_existing_memory(row) for row in rows], near)


def _identity(candidate: Candidate) -> str:
    return identity_hash(
        candidate.type,
        candidate.content,
        user=candidate.subject,
        key=None,
        occurred_at=candidate.occurred_at,
        hearsay_by=candidate.hearsay_by,
    )


async def _embedded(engine: Engine, candidates: Sequence[Candidate], tracker: Tracker) -> EmbeddingBatch:
    """Their vectors, all of one space: begun again should the embedder change meanwhile."""
    while True:
        parts: list[EmbeddingBatch] = []
        for _, part in tracker.batches(candidates, proposed_in, EMBED_BATCH):
            async with tracker.step("embed", evidence_of(part)):
                parts.append(await engine.embed([each.content for each in part]))
        spaces = {part.space for part in parts} or {None}
        if len(spaces) == 1:
            return EmbeddingBatch(spaces.pop(), [vector for part in parts for vector in part.vectors])


async def _nearest(
    connection: Connection, engine: Engine, lease: Lease, embedded: EmbeddingBatch
) -> list[list[tuple[float, ExistingMemory]]]:
    near: list[list[tuple[float, ExistingMemory]]] = [[] for _ in embedded.vectors]
    given = [(n, vector) for n, vector in enumerate(embedded.stored()) if vector is not None]
    for start in range(0, len(given), _BATCH):
        part = given[start : start + _BATCH]
        rows = await reconciling.nearest_memories(
            connection, lease, embedded, part, similarity_min=SIMILARITY_MIN, limit=NEIGHBOURS, now=engine.now()
        )
        for row in rows:
            near[row["n"]].append((row["similarity"], _existing_memory(row)))
    return near


def _existing_memory(row: Any) -> ExistingMemory:
    source = row["source"]
    owner = slot_owner(source.get("slot"))
    return ExistingMemory(
        id=row["id"],
        version=row["version"],
        slot=source.get("slot"),
        value=None if row["edited"] else source.get("value"),
        polarity=source.get("polarity", "positive"),
        type=row["type"],
        content=row["content"],
        subject=row["user_name"],
        identity=row["identity_hash"].hex(),
        since=row["since"],
        at=row["occurred_at"],
        word_of=row["word_of"] if owner is None or is_of(owner, row["user_name"]) else None,
        hearsay_by=row["hearsay_by"],
        edited=row["edited"],
    )
