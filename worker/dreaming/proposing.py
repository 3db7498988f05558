"""Proposals of a dream: what it is not sure enough of waits in the inbox, in the dream's own transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection
from service.domain import proposals as domain
from service.domain.dreams import ChangedFields
from service.domain.json import JsonObject
from service.domain.owners import Owners
from service.domain.proposals import ProposalStatus
from service.extraction.candidates import Candidate
from service.store.dreams import Lease
from service.store.proposals import NewProposal
from worker.dreaming.plan import Diff, NewMemory


@dataclass(frozen=True, slots=True)
class _Alike:
    """A proposal that says what a dream comes with again."""

    id: UUID
    fingerprint: str
    status: ProposalStatus
    version: int
    confidence: float
    message_ids: list[UUID]
    updated_at: datetime


async def split_rejected(
    executor: FairExecutor, candidates: Sequence[Candidate], rejected: Mapping[str, float]
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the candidates to keep, and those that say what somebody has rejected and are no surer than it was;
    ``rejected`` are confidences by fingerprint."""
    if not rejected:
        return list(candidates), []
    marks = await executor.each(_fingerprint, candidates, lambda one: len(one.content))
    kept: list[Candidate] = []
    again: list[Candidate] = []
    for one, mark in zip(candidates, marks, strict=True):
        (again if one.confidence <= rejected.get(mark, -1.0) else kept).append(one)
    return kept, again


async def propose(
    connection: Connection,
    lease: Lease,
    dream_id: UUID,
    proposed: Sequence[NewMemory],
    *,
    diff: Diff,
    executor: FairExecutor,
    now: datetime,
) -> None:
    """Let these wait, each once; what waits already is taken to be said again. What was rejected meanwhile is left
    out."""
    if not proposed:
        return
    items = _merged(await executor.each(lambda one: _item(one, lease.owners), proposed, lambda one: len(one.content)))
    alike = await connection.many(_Alike, "proposals_alike", **lease.of_owners, fingerprints=list(items))
    there = {one.fingerprint: one for one in alike}
    rows = await connection.fetch(
        "add_proposals", **lease.of_agent, items=[item for mark, item in items.items() if mark not in there],
        dream_id=dream_id, now=now,
    )  # fmt: skip
    added = {row["id"] for row in rows}
    said_again: list[JsonObject] = []
    for mark, item in items.items():
        known = there.get(mark)
        if item.id in added:
            proposal_id, undo = item.id, {"proposal_id": item.id, "version": 1}
        elif known is not None and known.status == "proposed":
            more = [id_ for id_ in item.message_ids if id_ not in known.message_ids]
            said_again.append({"id": known.id, "message_ids": more, "confidence": item.confidence})
            before = {
                "message_ids": known.message_ids, "confidence": known.confidence, "updated_at": known.updated_at,
                "version": known.version,
            }  # fmt: skip
            proposal_id, undo = known.id, {"proposal_id": known.id, "version": known.version + 1, "row": before}
        else:
            continue
        diff.note("proposed", after=_told(item, proposal_id), undo=undo, reason=item.reason)
    await connection.run("support_proposals", workspace=lease.workspace_id, items=said_again, now=now)


def _told(item: NewProposal, proposal_id: UUID) -> ChangedFields:
    """Return what a diff tells of a proposal."""
    return {
        "type": item.type, "content": item.content, "confidence": item.confidence, "user": item.user_name,
        "hearsay_by": item.hearsay_by, "proposal_id": proposal_id,
    }  # fmt: skip


def _merged(items: Sequence[NewProposal]) -> dict[str, NewProposal]:
    """Return the items by fingerprint: what is said twice is one, of all its messages and as sure as the surer."""
    merged: dict[str, NewProposal] = {}
    for item in items:
        first = merged.setdefault(item.fingerprint, item)
        merged[item.fingerprint] = replace(
            first,
            message_ids=list(dict.fromkeys([*first.message_ids, *item.message_ids])),
            confidence=max(first.confidence, item.confidence),
        )
    return dict(sorted(merged.items()))


def _fingerprint(candidate: Candidate) -> str:
    return domain.fingerprint(
        candidate.content, type_=candidate.policy_type, user=candidate.subject, hearsay_by=candidate.hearsay_by,
        occurred_at=candidate.begins,
    )  # fmt: skip


def _item(new: NewMemory, owners: Owners) -> NewProposal:
    candidate = new.candidate
    return NewProposal(
        id=new.id,
        fingerprint=_fingerprint(candidate),
        identity_hash=new.identity,
        type=new.type,
        content=new.content,
        user_name=new.subject,
        owners=list(owners),
        hearsay_by=new.hearsay_by,
        importance=candidate.importance,
        confidence=candidate.confidence,
        tags=list(candidate.tags),
        source=new.source,
        metadata=dict(candidate.metadata),
        message_ids=list(dict.fromkeys(new.evidence)),
        reason=candidate.held or f"not sure enough: confidence {candidate.confidence:.2f}",
        said_at=new.since,
        occurred_at=new.at,
        occurred_until=new.ends,
    )
