"""The workspaces of an installation, for its admin: made, listed, renamed, suspended, deleted, exported."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from service.db.workspace_rows import WRITTEN_BEHIND, count_rows, delete_rows
from service.domain import cursors
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.json import JsonObject
from service.domain.limits import NO_LIMITS, Limits
from service.domain.principal import KeyGrant, Principal
from service.domain.workspaces import CreatedWorkspace, Workspace, WorkspaceDeletion, WorkspaceReceipt
from service.errors import Conflict, InvalidInput, NotFound
from service.memory.access import audit
from service.memory.access.deletions import PLACE, check_token, issue_token, signing_secret
from service.memory.access.keys import count_from_now, hash_of, make_key, prefix_of
from service.memory.access.user_data import LONGEST_S, forget_statistics
from service.memory.transfer.export import export
from service.runtime import Runtime
from service.store import deletions, keys, workspaces
from service.store import limits as store

FIRST_KEY = KeyGrant("admin", "first admin key")


async def create_workspace(runtime: Runtime, principal: Principal, name: str) -> CreatedWorkspace:
    """Make a workspace with its first admin key, which cannot be read again and lives no longer than the caller's key.
    Raises Conflict for a name that is taken."""
    principal.require_installation_admin()
    principal.require_no_limits()
    id_ = new_id()
    text = make_key(id_)
    async with runtime.db.transaction(id_) as connection:
        if not await workspaces.add(connection, id_, name):
            raise Conflict(f"There is a workspace {name!r} already.")
        grant = replace(FIRST_KEY, expires_at=principal.expires_at)
        await keys.add(connection, id_, new_id(), grant, hashed=hash_of(text), prefix=prefix_of(text))
        made = await workspaces.get(connection, str(id_))
    assert made is not None
    await _record(runtime, principal, "workspace.created", id_, {"name": name})
    return CreatedWorkspace(made.id, made.name, made.created_at, made.suspended_at, made.limits, text)


async def list_workspaces(
    runtime: Runtime, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[Workspace], str | None]:
    """Return a page of workspaces, newest first."""
    principal.require_installation_admin()
    created_at, id_ = cursors.decode(cursor, datetime, UUID)
    async with runtime.db.unscoped() as connection:
        found = await connection.many(Workspace, "list_workspaces", created_at=created_at, id=id_, limit=limit + 1)
    return cursors.paginate(found, limit, "created_at", "id")


async def update_workspace(
    runtime: Runtime,
    principal: Principal,
    given: str,
    *,
    name: str | None,
    suspended: bool | None,
    changes: Limits = NO_LIMITS,
) -> Workspace:
    """Rename, suspend, resume or limit a workspace, in effect at once; of its limits, those that ``changes`` names.

    Raises NotFound, Conflict for a name that is taken, and for another name or state of the default workspace, and
    Forbidden for a caller with limits of its own.
    """
    principal.require_no_limits()
    found = await _found(runtime, principal, given, default_too=name is None and suspended is None)
    async with runtime.db.transaction(found.id) as connection:
        if name is not None and (other := await workspaces.find(connection, name)) not in (None, found.id):
            raise Conflict(f"There is a workspace {name!r} already.", id=other)
        limited = (await store.lock(connection, found.id) or NO_LIMITS).changed_by(changes)
        changed = await connection.first(
            Workspace,
            "update_workspace",
            id=found.id,
            name=name,
            suspended=suspended,
            limits=limited.set_only,
            now=runtime.now(),
        )
    if changed is None:
        raise NotFound(f"There is no workspace {given!r}.")
    details = {"name": name, "suspended": suspended, "limits": limited.set_only}
    await _record(runtime, principal, "workspace.changed", found.id, details)
    await count_from_now(runtime, found.id, changes)
    return changed


async def delete_workspace(
    runtime: Runtime, principal: Principal, given: str, *, dry_run: bool, token: str | None
) -> WorkspaceDeletion:
    """Count the rows of a suspended workspace (``dry_run``), or delete them all and record the receipt, in one
    transaction.

    Raises NotFound, Conflict for a workspace that is not suspended or has changed since it was counted, and
    InvalidInput without a token.
    """
    found = await _found(runtime, principal, given)
    id_, target = found.id, ["workspace", str(found.id)]
    if not dry_run and token is None:
        raise InvalidInput(PLACE, "is needed: count with dry_run=true, then send the token of the answer")
    secret = await signing_secret(runtime)
    async with runtime.db.transaction(id_) as connection:
        await connection.set_timeout(LONGEST_S)
        if await connection.row("lock_suspended_workspace", id=id_) is None:
            raise Conflict("Only a suspended workspace can be deleted.")
        places = await deletions.places(connection, id_)
        summed: Counter[str] = Counter()
        for place in places:
            await connection.switch_workspace(place)
            summed.update(await count_rows(connection, place))
        counts = dict(summed)
        await connection.switch_workspace(id_)
        records = {table: rows for table, rows in counts.items() if table not in WRITTEN_BEHIND}
        if token is not None and not dry_run:
            check_token(secret, runtime.now(), principal, target, records, token)
            for place in reversed(places):
                await connection.switch_workspace(place)
                await delete_rows(connection, place)
            receipt = WorkspaceReceipt(new_id(), id_, found.name, counts, runtime.now())
            await connection.switch_workspace(principal.workspace_id)
            details = {"receipt": str(receipt.id), "counts": counts}
            await audit.record(connection, principal, "workspace.deleted", target=str(id_), details=details)
    if dry_run or token is None:
        issued = await issue_token(runtime, principal, target, records)
        return WorkspaceDeletion(True, counts, issued.token, issued.expires_at, None)
    await forget_statistics(runtime, id_)
    return WorkspaceDeletion(False, counts, None, None, receipt)


async def export_workspace(runtime: Runtime, principal: Principal, given: str) -> AsyncIterator[bytes]:
    """Return all of a workspace, suspended or not, as ``export`` gives it. Raises NotFound."""
    found = await _found(runtime, principal, given, default_too=True)
    await _record(runtime, principal, "workspace.exported", found.id, {})
    return await export(runtime, replace(principal, workspace_id=found.id), None)


async def _found(runtime: Runtime, principal: Principal, given: str, *, default_too: bool = False) -> Workspace:
    principal.require_installation_admin()
    async with runtime.db.unscoped() as connection:
        found = await workspaces.get(connection, given)
    if found is None:
        raise NotFound(f"There is no workspace {given!r}.")
    if found.id == DEFAULT_WORKSPACE and not default_too:
        raise Conflict("The default workspace administers the installation: it stays as it is.")
    return found


async def _record(runtime: Runtime, principal: Principal, action: str, workspace: UUID, details: JsonObject) -> None:
    async with runtime.db.transaction(principal.workspace_id) as connection:
        await audit.record(connection, principal, action, target=str(workspace), details=details)
