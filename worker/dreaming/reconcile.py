"""Reconcile: what each candidate means beside what is known: new, said again, or an update (row D4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from service.domain.identity import identity_hash
from service.domain.ids import new_id
from service.memory.engine import Engine
from service.store.dreams import Lease
from worker.dreaming.candidates import Candidate


@dataclass(slots=True)
class NewMemory:
    """A memory to be written. ``replaced_by`` is the later one of the same dream that supersedes it."""

    id: UUID
    candidate: Candidate
    evidence: list[UUID]
    identity: str
    replaced_by: NewMemory | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that was there before the dream, at the version the plan was made for."""

    id: UUID
    version: int
    slot: str | None
    value: str | None
    polarity: str
    type: str
    content: str
    identity: str


@dataclass(slots=True)
class Plan:
    """What a dream is going to do, worked out without touching anything."""

    new: list[NewMemory] = field(default_factory=list)
    reinforced: dict[UUID, tuple[Known, list[UUID]]] = field(default_factory=dict)
    superseded: dict[UUID, tuple[Known, NewMemory]] = field(default_factory=dict)


async def reconcile(engine: Engine, lease: Lease, candidates: Sequence[Candidate]) -> Plan:
    """The plan for these candidates, in their order, against the agent's live memories."""
    identities = [_identity(candidate) for candidate in candidates]
    slots = sorted({candidate.slot for candidate in candidates if candidate.slot})
    async with engine.db.transaction(lease.workspace_id) as connection:
        rows = await connection.fetch(
            "known_in_slot",
            workspace=lease.workspace_id,
            agent_id=lease.agent_id,
            slots=slots,
            hashes=[bytes.fromhex(identity) for identity in set(identities)],
        )
    return _plan(candidates, identities, [_known(row) for row in rows])


def _identity(candidate: Candidate) -> str:
    return identity_hash(
        candidate.type, candidate.content, user=candidate.subject, key=None, occurred_at=candidate.occurred_at
    )


def _known(row: Any) -> Known:
    source = row["source"]
    return Known(
        id=row["id"],
        version=row["version"],
        slot=source.get("slot"),
        value=source.get("value"),
        polarity=source.get("polarity", "positive"),
        type=row["type"],
        content=row["content"],
        identity=row["identity_hash"].hex(),
    )


def _plan(candidates: Sequence[Candidate], identities: Sequence[str], known: Sequence[Known]) -> Plan:
    plan = Plan()
    known_by_identity = {(one.type, one.identity): one for one in known}
    known_in_slot = {one.slot: one for one in known if one.slot}
    new_by_identity: dict[tuple[str, str], NewMemory] = {}
    new_in_slot: dict[str, NewMemory] = {}
    for candidate, identity in zip(candidates, identities, strict=True):
        key = (candidate.type.value, identity)
        in_slot = new_in_slot.get(candidate.slot) if candidate.slot else None
        if in_slot is None and key in known_by_identity:
            _reinforce(plan, known_by_identity[key], candidate)
            continue
        if key in new_by_identity and new_by_identity[key].replaced_by is None:
            new_by_identity[key].evidence.extend(candidate.evidence)
            continue
        settled = known_in_slot.get(candidate.slot) if candidate.slot else None
        if in_slot is None and settled and _agree(settled.value, settled.polarity, candidate):
            _reinforce(plan, settled, candidate)
            continue
        if in_slot and _agree(in_slot.candidate.value, in_slot.candidate.polarity, candidate):
            in_slot.evidence.extend(candidate.evidence)
            continue
        fresh = NewMemory(new_id(), candidate, list(candidate.evidence), identity)
        if in_slot:
            in_slot.replaced_by = fresh
        elif settled:
            plan.superseded[settled.id] = (settled, fresh)
            plan.reinforced.pop(settled.id, None)
        plan.new.append(fresh)
        new_by_identity[key] = fresh
        if candidate.slot:
            new_in_slot[candidate.slot] = fresh
    return plan


def _agree(value: str | None, polarity: str, candidate: Candidate) -> bool:
    return value == candidate.value and polarity == candidate.polarity


def _reinforce(plan: Plan, known: Known, candidate: Candidate) -> None:
    plan.reinforced.setdefault(known.id, (known, []))[1].extend(candidate.evidence)
