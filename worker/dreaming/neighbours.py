"""Known memories beside what was said: by hash, by slot, and by similarity of vectors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import numpy as np

from service.db.pool import Connection, Row
from service.domain.endings import Ending, ending
from service.domain.identity import identity_hash
from service.domain.json import JsonValue
from service.domain.origin import Origin
from service.domain.owners import Owners
from service.domain.word_lists import listed
from service.extraction.candidates import Candidate, evidence_of, proposed_in
from service.extraction.trust import is_of, slot_owner
from service.memory.in_flight import Tracker
from service.runtime import EMBED_BATCH, Runtime
from service.store.dreams import Lease
from service.store.vectors import EmbeddingBatch
from worker.dreaming.readings import Reading
from worker.dreaming.slots import ended_slot

NEIGHBOURS = 5
NEIGHBOURS_OF_MEMORY = 10
SIMILARITY_MIN = 0.6
"""Below this two statements are not looked at as one: of 2,000 annotated pairs none that may merge lies lower."""

TODOS_MAX = 1_000
"""Of more open todos than this the newest are compared with what is said to be done."""

_BATCH = 20
_AS_STORED = listed("""
    id audience owners version type policy_type content since hearsay_by origin edited key status decay_exempt
    expires_at metadata uses""")
"""The fields of a memory that are columns of its row."""

Readings = Mapping[UUID, Reading]


@dataclass(frozen=True, slots=True)
class ExistingMemory:
    """A memory that was there before the dream, at the version the plan is made for.

    ``since``: when what it says was told, or put so by an edit, after which its ``value`` is not known until a dream
    has read it again; ``said_at``: when it was said last. ``word_of`` and ``hearsay_by`` as of a candidate; what was
    saved for a user is that user's own word. ``uses``: links that others drew, and how often it was found.
    """

    id: UUID
    audience: UUID
    owners: list[str]
    version: int
    slot: str | None
    value: str | None
    polarity: str
    type: str
    policy_type: str
    content: str
    subject: str | None
    identity: str
    since: datetime
    at: datetime | None
    ends: datetime | None
    word_of: str | None
    hearsay_by: str | None
    origin: Origin
    edited: bool
    form: str | None
    said_at: datetime
    key: str | None
    status: str | None
    decay_exempt: bool
    expires_at: datetime | None
    metadata: Mapping[str, JsonValue]
    uses: int


@dataclass(frozen=True, slots=True)
class RelatedMemories:
    """The candidates with their identities and vectors, and what is known near them.

    ``near[i]`` are (similarity, memory) of the live memories nearest to candidate ``i``, nearest first; ``around`` are
    those nearest to each memory that this dream reads (``read``). ``home`` is the audience of what a dream makes;
    ``todos`` are the newest open ones. ``endings``: what candidates say is over, by position.
    """

    candidates: Sequence[Candidate]
    identities: Sequence[str]
    embedded: EmbeddingBatch
    existing: Sequence[ExistingMemory]
    near: Sequence[Sequence[tuple[float, ExistingMemory]]]
    around: Mapping[UUID, Sequence[tuple[float, ExistingMemory]]]
    read: Collection[UUID]
    home: UUID
    todos: Sequence[ExistingMemory] = ()
    endings: Mapping[int, Ending] = field(default_factory=dict)

    def similar_candidates(self) -> list[dict[int, float]]:
        """Return for each candidate the others at least SIMILARITY_MIN similar to it, by position."""
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
    runtime: Runtime, lease: Lease, candidates: Sequence[Candidate], readings: Sequence[Reading], tracker: Tracker
) -> RelatedMemories:
    """Return what is known around these candidates and saved memories, of the agent's own. Embeds outside any
    transaction."""
    identities = await runtime.executor.each(
        lambda one: _identity(one, lease.owners), candidates, lambda one: len(one.content)
    )
    embedded = await _embedded(runtime, candidates, tracker)
    read = {reading.memory.id: reading for reading in readings}
    endings = {at: over for at, one in enumerate(candidates) if (over := ending(one.content, one.subject)) is not None}
    audiences = sorted({lease.agent_id, *(reading.memory.audience for reading in readings)})
    async with runtime.db.transaction(lease.workspace_id) as connection:
        rows = await connection.fetch(
            "memories_alike",
            **lease.of_owners,
            audiences=audiences,
            slots=sorted(_slots(candidates, readings)),
            forms=sorted({reading.form for reading in readings}),
            hashes=[bytes.fromhex(identity) for identity in set(identities)],
            ids=list(read),
            words=[f"%{word}%" for word in sorted({word for over in endings.values() for word in over.words})],
            now=runtime.now(),
        )
        todos = await connection.fetch(
            "open_todos", **lease.of_owners, audiences=audiences, limit=TODOS_MAX, now=runtime.now()
        )
        near = await _nearest(connection, runtime, lease, embedded, read)
        around = await _around(connection, runtime, lease, read)
    existing = [_existing_memory(row, read) for row in rows]
    return RelatedMemories(
        candidates, identities, embedded, existing, near, around, read.keys(), lease.agent_id,
        [_existing_memory(row, read) for row in todos], endings,
    )  # fmt: skip


def _slots(candidates: Sequence[Candidate], readings: Sequence[Reading]) -> set[str]:
    """Return the slots that these fill, and those whose values they end."""
    filled = {one.slot for one in candidates} | {one.slot for one in readings}
    filled |= {ended_slot(one.slot, one.value) for one in candidates}
    return {slot for slot in filled if slot}


def _identity(candidate: Candidate, owners: Owners) -> str:
    return identity_hash(
        candidate.policy_type,
        candidate.content,
        user=candidate.subject,
        key=None,
        occurred_at=candidate.begins,
        hearsay_by=candidate.hearsay_by,
        owners=owners,
    )


async def _embedded(runtime: Runtime, candidates: Sequence[Candidate], tracker: Tracker) -> EmbeddingBatch:
    """Return their vectors, all of one space: begun again should the embedder change meanwhile."""
    while True:
        parts: list[EmbeddingBatch] = []
        for _, part in tracker.batches(candidates, proposed_in, EMBED_BATCH):
            async with tracker.step("embed", evidence_of(part)):
                parts.append(await runtime.embed([each.content for each in part]))
        spaces = {part.space for part in parts} or {None}
        if len(spaces) == 1:
            return EmbeddingBatch(spaces.pop(), [vector for part in parts for vector in part.vectors])


async def _around(
    connection: Connection, runtime: Runtime, lease: Lease, read: Readings
) -> dict[UUID, list[tuple[float, ExistingMemory]]]:
    """Return the memories nearest to each of those read, by the vectors that are stored."""
    around: dict[UUID, list[tuple[float, ExistingMemory]]] = {}
    space = await runtime.space()
    ids = list(read) if space is not None else []
    for start in range(0, len(ids), _BATCH):
        assert space is not None
        rows = await connection.fetch(
            "nearest_to_memories", space.flags, **lease.of_agent, model=space.number, ids=ids[start : start + _BATCH],
            similarity_min=SIMILARITY_MIN, limit=NEIGHBOURS_OF_MEMORY, now=runtime.now(),
        )  # fmt: skip
        for row in rows:
            around.setdefault(row["memory_id"], []).append((row["similarity"], _existing_memory(row, read)))
    return around


async def _nearest(
    connection: Connection, runtime: Runtime, lease: Lease, embedded: EmbeddingBatch, read: Readings
) -> list[list[tuple[float, ExistingMemory]]]:
    near: list[list[tuple[float, ExistingMemory]]] = [[] for _ in embedded.vectors]
    given = [(n, vector) for n, vector in enumerate(embedded.stored()) if vector is not None]
    for start in range(0, len(given), _BATCH):
        part = given[start : start + _BATCH]
        rows = await connection.fetch(
            "nearest_memories", embedded.flags, **lease.of_owners, model=embedded.model,
            numbers=[n for n, _ in part], embeddings=[vector for _, vector in part], similarity_min=SIMILARITY_MIN,
            limit=NEIGHBOURS, now=runtime.now(),
        )  # fmt: skip
        for row in rows:
            near[row["n"]].append((row["similarity"], _existing_memory(row, read)))
    return near


def _existing_memory(row: Row, read: Readings) -> ExistingMemory:
    """Return a row of ``compared_columns``; what this dream or a former one read in it comes before what its source
    says."""
    source, stored = row["source"], row["dream_analysis"] or {}
    reading = read.get(row["id"])
    slot, value, polarity = source.get("slot"), source.get("value"), source.get("polarity", "positive")
    if row["edited"]:
        value = None
    if reading is not None and reading.slot:
        slot, value, polarity = reading.slot, reading.value, reading.polarity
    elif stored.get("slot"):
        slot, value, polarity = stored["slot"], stored["value"], stored["polarity"]
    owner = slot_owner(slot)
    return ExistingMemory(
        **{name: row[name] for name in _AS_STORED},
        slot=slot,
        value=value,
        polarity=polarity,
        subject=row["user_name"],
        identity=row["identity_hash"].hex(),
        at=row["occurred_at"],
        ends=row["occurred_until"],
        word_of=row["word_of"] if not owner or is_of(owner, row["user_name"]) else None,
        form=reading.form if reading else stored.get("form"),
        said_at=max(row["since"], row["reinforced_at"] or row["since"]),
    )
