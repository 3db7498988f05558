"""One action on many memories in one transaction, with what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from service.db.pool import Connection
from service.domain.drafts import TAGS_MAX
from service.domain.memory import Memory, StoredMemory
from service.domain.principal import Principal
from service.errors import Conflict, InvalidInput
from service.memory.access.redaction import redact_fields
from service.memory.saving.delete_by_filter import filter_parameters, matching
from service.memory.saving.lifecycle import ListFilter, bring_back, resolve_reader
from service.runtime import Runtime
from service.store import memories

BulkAction = Literal["delete", "restore", "pin", "unpin", "add_tags", "remove_tags"]
Outcome = Literal["done", "unchanged", "not_found", "forbidden", "conflict", "too_many_tags"]

BULK_MAX = 500
"""Memories of one action."""


@dataclass(frozen=True, slots=True)
class BulkItem:
    """Outcome of a bulk action for one memory."""

    id: Annotated[UUID, Field(description="Id of the memory.")]
    outcome: Annotated[
        Outcome,
        Field(
            description="Outcome: `done`, `unchanged`, `not_found`, `forbidden` (memory of another agent), `conflict` "
            "(another memory has taken its place) or `too_many_tags`."
        ),
    ]


async def change_many(
    runtime: Runtime, principal: Principal, ids: Sequence[UUID], action: BulkAction, tags: Sequence[str]
) -> list[BulkItem]:
    """Delete or restore memories, exempt them from decay or not, or add or remove tags: ``{id, outcome}`` of each, in
    order.

    What one of them does not allow leaves the others done. Raises InvalidInput for tags missing or superfluous.
    """
    tags = await _checked(runtime, principal, action, tags)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        return await _change_all(runtime, connection, principal, ids, action, tags)


async def change_matching(
    runtime: Runtime, principal: Principal, agent: str | None, filter_: ListFilter, action: BulkAction,
    tags: Sequence[str],
) -> list[BulkItem]:  # fmt: skip
    """As ``change_many``, of what a filter matches of the agent's own memories, or (None, with an admin key) of all;
    of deleted ones to restore them.

    Raises InvalidInput for more than BULK_MAX, and for a deletion: ``delete_memories`` counts first.
    """
    if action == "delete":
        raise InvalidInput(("body", "action"), "delete takes ids: POST /v1/memories/delete takes a filter, and counts")
    tags = await _checked(runtime, principal, action, tags)
    where, values = await filter_parameters(runtime, principal, filter_)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        restored = action == "restore"
        if restored:
            values["with_deleted"] = True
        ids = await matching(connection, principal, agent, where, values, most=BULK_MAX, deleted=restored)
        return await _change_all(runtime, connection, principal, ids, action, tags)


async def _checked(runtime: Runtime, principal: Principal, action: BulkAction, tags: Sequence[str]) -> list[str]:
    """Return the tags as they may be stored."""
    principal.require_write()
    if bool(tags) != (action in ("add_tags", "remove_tags")):
        raise InvalidInput(("body", "tags"), "is required for add_tags and remove_tags, and allowed for them alone")
    masked: list[str] = (await redact_fields(runtime, principal, {"tags": list(tags)}))["tags"]
    return masked


async def _change_all(
    runtime: Runtime, connection: Connection, principal: Principal, ids: Sequence[UUID], action: BulkAction,
    tags: Sequence[str],
) -> list[BulkItem]:  # fmt: skip
    reader = await resolve_reader(connection, principal, None)
    rows = await memories.lock_all(connection, principal.workspace_id, sorted(set(ids)))
    visible = {one.id: one for one in await memories.get(connection, principal.workspace_id, list(rows), reader)}
    done = {
        id_: await _change(runtime, connection, principal, rows[id_], visible[id_], action, tags) for id_ in visible
    }
    return [BulkItem(id_, done.get(id_, "not_found")) for id_ in dict.fromkeys(ids)]


async def _change(
    runtime: Runtime, connection: Connection, principal: Principal, locked: StoredMemory, shown: Memory,
    action: BulkAction, tags: Sequence[str],
) -> Outcome:  # fmt: skip
    workspace, now, id_ = principal.workspace_id, runtime.now(), locked.id
    if locked.deleted_at is not None and action != "restore":
        return "unchanged" if action == "delete" else "not_found"
    if not principal.may_change(shown.agent, shown.owners):
        return "forbidden"
    if action == "restore":
        return await _restore(connection, principal, locked, now)
    if action == "delete":
        await memories.mark_deleted(connection, workspace, id_, now, actor=principal.actor, reason="deleted", now=now)
        return "done"
    wanted, pinned = locked.tags, locked.decay_exempt
    if action in ("pin", "unpin"):
        pinned = action == "pin"
    elif action == "add_tags":
        wanted = [*wanted, *(tag for tag in dict.fromkeys(tags) if tag not in wanted)]
    else:
        wanted = [tag for tag in wanted if tag not in tags]
    if len(wanted) > TAGS_MAX:
        return "too_many_tags"
    if wanted == locked.tags and pinned == locked.decay_exempt:
        return "unchanged"
    await memories.label(
        connection, workspace, id_, tags=wanted, decay_exempt=pinned, actor=principal.actor, reason=action, now=now
    )
    return "done"


async def _restore(connection: Connection, principal: Principal, locked: StoredMemory, now: datetime) -> Outcome:
    if locked.live:
        return "unchanged"
    try:
        await bring_back(connection, principal, locked, now)
    except Conflict:
        return "conflict"
    return "done"
