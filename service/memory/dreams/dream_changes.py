"""The changes of a dream one by one: a page of them with what each rests on, and undoing one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn
from uuid import UUID

from service.db.pool import Connection
from service.domain import cursors
from service.domain.dreams import DreamAction, DreamChange, DreamChanges
from service.domain.principal import Principal
from service.errors import Conflict, NotFound
from service.memory.dreams.dream_requests import visible_dream
from service.memory.dreams.undo import Changes, read_changes, take_back
from service.memory.engine import Engine
from service.store import dreams, insights, subjects
from service.store import undo as store
from service.store.undo import UndoableChange


async def list_changes(
    engine: Engine,
    principal: Principal,
    dream_id: UUID,
    *,
    actions: Sequence[DreamAction] | None,
    type_: str | None,
    limit: int,
    cursor: str | None,
) -> DreamChanges:
    """Return a page of what a dream changed, in order; ``totals`` are of all actions.

    Raises NotFound for an unknown dream and for another agent's.
    """
    (after,) = cursors.decode(cursor, int)
    async with engine.db.transaction(principal.workspace_id) as connection:
        await visible_dream(connection, principal, dream_id)
        rows, totals = await dreams.list_changes(
            connection, principal.workspace_id, dream_id, actions=actions, type_=type_, after=after, limit=limit + 1
        )
    rows, more = cursors.paginate(rows, limit, "n")
    wanted = totals if actions is None else {name: totals.get(name, 0) for name in set(actions)}
    return DreamChanges(rows, more, sum(wanted.values()), totals)


async def undo_change(engine: Engine, principal: Principal, dream_id: UUID, n: int) -> DreamChange:
    """Take back one change of a dream that succeeded; links of a memory go with it. Return the change as it is then.

    Raises NotFound, and Conflict with a ``reason``: ``dream_not_succeeded``, ``already_undone``, ``not_undoable``,
    ``replaces_others`` (``changed``: the memories that it replaced), ``changed_since`` (``changed``), ``in_use`` (an
    entity that others speak of) or ``later_version`` (of the bulletin).
    """
    principal.require_write()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        principal.check_changes((await visible_dream(connection, principal, dream_id)).owners)
        dream = await store.lock_dream(connection, workspace, dream_id)
        change = await connection.first(
            UndoableChange, "undoable_change", workspace=workspace, dream_id=dream_id, ordinal=n
        )
        if dream.status != "succeeded":
            _refuse("dream_not_succeeded", f"Only a dream that has succeeded can be undone; it is {dream.status}.")
        if change is None:
            raise NotFound("This dream has no such change.")
        if change.undone_at is not None:
            _refuse("already_undone", "This change has been undone already.")
        if change.undo is None:
            _refuse("not_undoable", "There is nothing to take back of this change.")
        taken, ordinals = read_changes([change]), [n]
        if taken.created:
            ordinals += await _with_links(connection, workspace, dream_id, taken)
        await take_back(connection, workspace, dream_id, taken)
        await _refuse_remaining(connection, workspace, dream.agent_id, taken)
        if change.op == "linked" and change.memory_id is not None:
            await insights.let_fall(connection, workspace, [change.memory_id])
        await connection.run(
            "mark_changes_undone", workspace=workspace, dream_id=dream_id, ordinals=ordinals, now=engine.now()
        )
        (undone,), _ = await dreams.list_changes(
            connection, workspace, dream_id, actions=None, type_=None, after=n - 1, limit=1
        )
    return undone


async def _with_links(connection: Connection, workspace: UUID, dream_id: UUID, taken: Changes) -> list[int]:
    """Take the links of a memory back with it; return the numbers of their changes."""
    (memory_id,) = taken.created
    if replaced := await subjects.superseded_by(connection, workspace, [memory_id]):
        _refuse(
            "replaces_others", "This memory replaced others: undo that change first.",
            changed=sorted(map(str, replaced)),
        )  # fmt: skip
    links = await store.links_of(connection, workspace, dream_id, memory_id)
    taken.edges += links.values()
    return list(links)


async def _refuse_remaining(connection: Connection, workspace: UUID, agent_id: UUID, taken: Changes) -> None:
    if any(memory_id not in taken.changed for memory_id in taken.fallen):
        _refuse("changed_since", "This conclusion no longer holds.", changed=sorted(map(str, taken.fallen)))
    if taken.entities or taken.bulletins:
        left = await store.remaining(connection, workspace, agent_id, entities=taken.entities, versions=taken.bulletins)
        if left and taken.entities:
            _refuse("in_use", "Memories speak of this entity, or it has been changed.", changed=left)
        if left:
            _refuse("later_version", "A later version of the bulletin follows.")


def _refuse(reason: str, message: str, *, changed: Sequence[str] | None = None) -> NoReturn:
    raise Conflict(message, reason=reason, **({"changed": changed} if changed is not None else {}))
