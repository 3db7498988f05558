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
from service.memory.engine import Engine
from service.store.dreams import Lease
from service.store.vectors import Embedded
from worker.dreaming.candidates import Candidate

NEIGHBOURS = 5
SIMILARITY_MIN = 0.6
"""Below this two statements are not looked at as one: of 2,000 annotated pairs none that may merge lies lower."""

_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that was there before the dream, at the version the plan is made for.

    ``since``: when what it says was told, or put so by an edit, after which its ``value`` is not known.
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


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The candidates with their identities and vectors, and what is known near them.

    ``near[i]`` are (similarity, memory) of the live memories nearest to candidate ``i``, nearest first.
    """

    candidates: Sequence[Candidate]
    identities: Sequence[str]
    embedded: Embedded
    known: Sequence[Known]
    near: Sequence[Sequence[tuple[float, Known]]]

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


async def look_around(engine: Engine, lease: Lease, candidates: Sequence[Candidate]) -> Surroundings:
    """What is known around these candidates, of the agent's own memories. Embeds outside any transaction."""
    identities = [
        identity_hash(each.type, each.content, user=each.subject, key=None, occurred_at=each.occurred_at)
        for each in candidates
    ]
    embedded = await engine.embed([each.content for each in candidates])
    async with engine.db.transaction(lease.workspace_id) as connection:
        rows = await connection.fetch(
            "known_in_slot",
            workspace=lease.workspace_id,
            agent_id=lease.agent_id,
            slots=sorted({each.slot for each in candidates if each.slot}),
            hashes=[bytes.fromhex(identity) for identity in set(identities)],
            now=engine.now(),
        )
        near = await _nearest(connection, engine, lease, embedded)
    return Surroundings(candidates, identities, embedded, [_known(row) for row in rows], near)


async def _nearest(
    connection: Connection, engine: Engine, lease: Lease, embedded: Embedded
) -> list[list[tuple[float, Known]]]:
    near: list[list[tuple[float, Known]]] = [[] for _ in embedded.vectors]
    given = [(n, vector) for n, vector in enumerate(embedded.stored()) if vector is not None]
    for start in range(0, len(given), _AT_ONCE):
        part = given[start : start + _AT_ONCE]
        rows = await connection.fetch(
            embedded.statement("nearest_known"),
            workspace=lease.workspace_id,
            agent_id=lease.agent_id,
            model=embedded.model,
            numbers=[n for n, _ in part],
            embeddings=[vector for _, vector in part],
            similarity_min=SIMILARITY_MIN,
            limit=NEIGHBOURS,
            now=engine.now(),
        )
        for row in rows:
            near[row["n"]].append((row["similarity"], _known(row)))
    return near


def _known(row: Any) -> Known:
    source = row["source"]
    return Known(
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
    )
