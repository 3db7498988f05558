"""The inbox: what dreams were not sure enough of, and what somebody decides on it.

What is accepted becomes a memory as if it had been saved, with the messages it came from and the dream that proposed
it. It is due until a dream has read it: that one draws its entities and settles what it replaces, as for every memory
that is saved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from pydantic import ValidationError

from service.db.pool import Connection
from service.domain import cursors
from service.domain.drafts import MemoryDraft
from service.domain.own_types import OwnType
from service.domain.principal import Principal
from service.domain.proposals import (
    CONFIDENCE_ACCEPTED,
    CONFIDENCE_OF_HEARSAY,
    STATUS_AFTER,
    Action,
    Decided,
    Decision,
    Proposal,
    ProposalStatus,
)
from service.domain.spending import paid_by
from service.domain.validation import reason_of
from service.errors import Conflict, InvalidInput, NotFound
from service.memory.access import audit
from service.memory.access.redaction import BODY, redact_drafts
from service.memory.access.workspace import get_settings
from service.memory.counters import ReadCounter
from service.memory.saving.remember import check_types, insert_of, merge_into_duplicate
from service.memory.saving.scopes import resolve_scope
from service.runtime import Runtime
from service.store import memories, proposals
from service.store.proposals import LockedProposal
from service.store.vectors import EmbeddingBatch

ABSENT = "There is no such proposal here."
KEPT: tuple[Action, ...] = ("accept", "edit")
KEPT_FIELDS = (
    "content", "type", "user", "importance", "tags", "occurred_at", "occurred_until", "source", "metadata", "agent",
    "session", "hearsay_by", "owners",
)  # fmt: skip
"""What a memory has of the proposal that it comes of, unless the decision says otherwise."""


async def list_inbox(
    runtime: Runtime, principal: Principal, agent: str | None, status: ProposalStatus, *, limit: int, cursor: str | None
) -> tuple[list[Proposal], str | None]:
    """Return a page of proposals of this status, newest first, each with the messages it comes from."""
    (before,) = cursors.decode(cursor, UUID)
    named = principal.reader_agent(agent)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await proposals.list_(
            connection, principal.workspace_id, agent=named, status=status, before=before, limit=limit + 1
        )
    shown, more = cursors.paginate(found, limit, "id")
    runtime.part(ReadCounter).note(principal, "inbox", [named, *(one.agent for one in shown)])
    return shown, more


async def get_proposal(runtime: Runtime, principal: Principal, proposal_id: UUID) -> Proposal:
    """Return a proposal of any status. Raises NotFound for one that is not the caller's to see, and one whose text has
    been erased."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await proposals.list_(
            connection, principal.workspace_id, agent=principal.reader_agent(None), ids=[proposal_id], limit=1
        )
    if not found or not found[0].content:
        raise NotFound(ABSENT)
    runtime.part(ReadCounter).note(principal, "inbox", [found[0].agent])
    return found[0]


async def decide(runtime: Runtime, principal: Principal, ids: Sequence[UUID], decision: Decision) -> list[Decided]:
    """Decide alike on these proposals, all or none.

    With the caller's memory off nothing is decided. Raises Forbidden for a reader key, NotFound for one that is not
    the caller's to see, Conflict (with the ids ``decided``) where one has been decided on already.
    """
    principal.require_write()
    ids = list(dict.fromkeys(ids))
    async with runtime.db.transaction(principal.workspace_id) as connection:
        rows = await _locked(connection, principal, ids, decision.action)
    if principal.no_memory:
        return await _shown(runtime, principal, ids, {})
    types = (await get_settings(runtime, principal)).memory_types
    drafts = await _drafts(runtime, principal, rows, decision, types) if decision.action in KEPT else {}
    contents = [draft.content for draft in drafts.values()]
    with paid_by(principal.payer(next(iter(rows.values())).agent if len(rows) == 1 else None)):
        embedded = await runtime.embed(contents) if contents else EmbeddingBatch(None, [])
    vectors = dict(zip(drafts, embedded.vectors, strict=True))
    saved: dict[UUID, UUID] = {}
    async with runtime.db.transaction(principal.workspace_id) as connection:
        seen = {id_: row.version for id_, row in rows.items()}
        rows = await _locked(connection, principal, ids, decision.action, seen)
        for id_, row in rows.items():
            if id_ in drafts:
                vector = EmbeddingBatch(embedded.space, [vectors[id_]])
                saved[id_] = await _save(connection, principal, row, drafts[id_], vector, runtime.now(), types)
            await connection.run(
                "decide_proposal", workspace=principal.workspace_id, id=id_, status=STATUS_AFTER[decision.action],
                memory_id=saved.get(id_), actor=principal.actor, now=runtime.now(),
            )  # fmt: skip
            await audit.record(connection, principal, f"inbox.{decision.action}", target=str(id_))
    return await _shown(runtime, principal, ids, saved)


async def _locked(
    connection: Connection,
    principal: Principal,
    ids: Sequence[UUID],
    action: Action,
    seen: Mapping[UUID, int] | None = None,
) -> dict[UUID, LockedProposal]:
    """Lock the proposals. Raises NotFound, and Conflict unless the action is possible on all of them, at the versions
    ``seen``."""
    rows = await proposals.lock(connection, principal.workspace_id, ids)
    if len(rows) < len(ids) or any(principal.agent not in (None, row.agent) for row in rows.values()):
        raise NotFound(ABSENT)
    for row in rows.values():
        principal.check_changes(row.owners)
    wanted = "rejected" if action == "reopen" else "proposed"
    decided = sorted(
        str(id_) for id_, row in rows.items()
        if row.status != wanted or not row.content or (seen is not None and row.version != seen[id_])
    )  # fmt: skip
    if decided:
        raise Conflict(f"Only what is {wanted} can be decided on so; this has changed.", decided=decided)
    return rows


async def _drafts(
    runtime: Runtime,
    principal: Principal,
    rows: Mapping[UUID, LockedProposal],
    decision: Decision,
    types: Mapping[str, OwnType],
) -> dict[UUID, MemoryDraft]:
    """Return the memories to save, without what may not be kept."""
    drafts = [_draft(row, decision) for row in rows.values()]
    allowed = await redact_drafts(runtime, principal, drafts, [BODY] * len(drafts))
    await check_types(runtime, types, allowed, [BODY] * len(drafts))
    return dict(zip(rows, allowed, strict=True))


def _draft(row: LockedProposal, decision: Decision) -> MemoryDraft:
    fields: dict[str, object] = {name: getattr(row, name) for name in KEPT_FIELDS}
    fields["confidence"] = CONFIDENCE_OF_HEARSAY if row.hearsay_by else CONFIDENCE_ACCEPTED
    fields |= {name: getattr(decision, name) for name in decision.changed_fields}
    fields["origin"] = decision.origin
    if (fields["content"], fields["user"]) != (row.content, row.user):
        fields["source"] = {"kind": "inbox"}
    try:
        return MemoryDraft.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(("body", *first["loc"]), reason_of(first)) from error


async def _save(
    connection: Connection,
    principal: Principal,
    row: LockedProposal,
    draft: MemoryDraft,
    vector: EmbeddingBatch,
    now: datetime,
    types: Mapping[str, OwnType],
) -> UUID:
    """Save the memory of an accepted proposal, or find the one that says the same already; return its id."""
    workspace = principal.workspace_id
    place = await resolve_scope(connection, principal, draft, owner=row.agent, moved=False)
    new = insert_of(draft, place, principal.actor, now, types=types, key_id=principal.key_id)
    accepted = replace(
        new.memory, valid_from=row.said_at, dream_id=row.dream_id, change_reason="accepted from the inbox"
    )
    new, memory_id = replace(new, memory=accepted), accepted.id
    if not await memories.insert(connection, workspace, [new], vector):
        memory_id, _ = await merge_into_duplicate(connection, principal, draft, new, vector, now)
    await memories.add_sources(connection, workspace, [(memory_id, message) for message in row.message_ids])
    return memory_id


async def _shown(
    runtime: Runtime, principal: Principal, ids: Sequence[UUID], saved: Mapping[UUID, UUID]
) -> list[Decided]:
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await proposals.list_(connection, principal.workspace_id, agent=None, ids=ids, limit=len(ids))
        rows = await memories.get(connection, principal.workspace_id, list(saved.values()), None) if saved else []
    memory_of = {row.id: row for row in rows}
    by_id = {one.id: one for one in found}
    return [Decided(by_id[id_], memory_of.get(saved[id_]) if id_ in saved else None) for id_ in ids if id_ in by_id]
