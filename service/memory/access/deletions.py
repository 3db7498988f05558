"""Sessions, agents and teams deleted with everything that goes with them: counted first, then all of it or nothing.

Until the retention time has passed, a deletion can be undone. What dreams for one of the agents concerned loses its
lease, so nothing of what is gone is written again.

Deletions go in two steps: what would go is counted and signed, and done when that signature is sent back. A token is
``<expiry>.<HMAC-SHA-256>`` over the key, what is deleted, its counts and the expiry, by a secret that all processes of
an installation share. Nothing is stored.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from service.db.pool import Connection
from service.domain import cursors
from service.domain.deletions import Deleted, DeletedKind, DeletionRecord, UndoneDeletion
from service.domain.ids import new_id
from service.domain.json import JsonValue, dumps
from service.domain.principal import Principal
from service.errors import Conflict, InvalidInput, NotFound
from service.memory.access import audit
from service.memory.access.workspace import get_settings
from service.runtime import Runtime
from service.store import deletions
from service.store.deletions import Deletable, LockedDeletion, NewDeletion
from service.store.installation import shared_secret

LONGEST_S = 600.0

VALID = timedelta(minutes=10)
PLACE = ("query", "token")


async def delete_session(
    runtime: Runtime, principal: Principal, agent: str | None, session: str, *, dry_run: bool, token: str | None
) -> Deleted:
    """Delete a session with its messages, and the memories that come from it alone.

    Raises Forbidden for a reader key, NotFound, InvalidInput without a token, and Conflict for one of other counts.
    """
    principal.require_write()
    owner = principal.acting_agent(agent)
    return await _delete(runtime, principal, "session", session, owner, dry_run=dry_run, token=token)


async def delete_agent(
    runtime: Runtime, principal: Principal, agent: str, *, dry_run: bool, token: str | None
) -> Deleted:
    """Delete an agent with everything that it holds. Raises Forbidden for anyone but an admin, else as above."""
    principal.check_owns(agent)
    principal.require_admin()
    return await _delete(runtime, principal, "agent", agent, agent, dry_run=dry_run, token=token)


async def delete_team(
    runtime: Runtime, principal: Principal, team: str, *, dry_run: bool, token: str | None
) -> Deleted:
    """Delete a team with the memories of its scope; its agents stay. Raises Forbidden for anyone but an admin, else as
    above."""
    principal.require_admin()
    return await _delete(runtime, principal, "team", team, None, dry_run=dry_run, token=token)


async def _delete(
    runtime: Runtime,
    principal: Principal,
    kind: DeletedKind,
    name: str,
    agent: str | None,
    *,
    dry_run: bool,
    token: str | None,
) -> Deleted:
    if not dry_run and token is None:
        raise InvalidInput(PLACE, "is needed: count with dry_run=true, then send the token of the answer")
    workspace, now = principal.workspace_id, runtime.now()
    time_to_undo = await _time_to_undo(runtime, principal)
    secret = await signing_secret(runtime)
    async with runtime.db.transaction(workspace) as connection:
        await connection.set_timeout(LONGEST_S)
        if dry_run:
            found = await deletions.find(connection, workspace, kind, name, agent)
        else:
            found = await _locked(connection, workspace, kind, name, agent, now)
        if found is None:
            raise NotFound(f"There is no {kind} {name!r} here.")
        principal.check_changes(found.owners)
        await connection.view_as("everybody")
        marked = await deletions.mark(connection, workspace, kind, found.id)
        counts = await deletions.count(connection, workspace)
        target = ["deletion", kind, str(found.id)]
        if token is not None and not dry_run:
            check_token(secret, now, principal, target, counts, token)
            id_ = new_id()
            deletion = NewDeletion(id_, kind, name, agent, found.owners, counts, deleted_by=principal.actor)
            await deletions.take(connection, workspace, marked, deletion, now=now)
            await audit.record(
                connection, principal, f"{kind}.deleted", target=str(id_), details={"agent": agent, "counts": counts}
            )
            return Deleted(False, counts, None, None, id_, now + time_to_undo)
    signed = await issue_token(runtime, principal, target, counts)
    return Deleted(True, counts, signed.token, signed.expires_at, None, None)


async def _time_to_undo(runtime: Runtime, principal: Principal) -> timedelta:
    return timedelta(days=(await get_settings(runtime, principal)).retention.deleted_days)


async def _locked(
    connection: Connection, workspace: UUID, kind: DeletedKind, name: str, agent: str | None, now: datetime
) -> Deletable | None:
    """Lock what is to be deleted, once nobody dreams about it any more; return it, None where it is gone."""
    await connection.run("purge_one_at_a_time", workspace=workspace)
    found = await deletions.find(connection, workspace, kind, name, agent)
    if found is None:
        return None
    await connection.run("break_leases", workspace=workspace, agents=found.agents, now=now)
    gone = await connection.row("lock_deleted", {"kind": kind}, workspace=workspace, id=found.id) is None
    return None if gone else found


async def list_deletions(
    runtime: Runtime, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[DeletionRecord], str | None]:
    """Return a page of deletions, newest first; with an agent key, of the agent's own sessions."""
    deleted_at, id_ = cursors.decode(cursor, datetime, UUID)
    time_to_undo = await _time_to_undo(runtime, principal)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await connection.many(
            DeletionRecord,
            "list_deletions",
            workspace=principal.workspace_id,
            agent=principal.agent,
            time_to_undo=time_to_undo,
            before_at=deleted_at,
            before=id_,
            limit=limit + 1,
        )
    return cursors.paginate(found, limit, "deleted_at", "id")


async def undo_deletion(runtime: Runtime, principal: Principal, id_: UUID) -> UndoneDeletion:
    """Bring back what a deletion took; what a purge has removed since stays gone.

    Raises Forbidden for a reader key and, but for sessions, for anyone but an admin without scopes; NotFound for an id
    of none, or of one whose time has passed; Conflict where it is back already, its name is taken, or what it belongs
    to is gone.
    """
    principal.require_write()
    workspace, now = principal.workspace_id, runtime.now()
    time_to_undo = await _time_to_undo(runtime, principal)
    async with runtime.db.transaction(workspace) as connection:
        await connection.set_timeout(LONGEST_S)
        await connection.run("purge_one_at_a_time", workspace=workspace)
        found = await connection.first(LockedDeletion, "lock_deletion", workspace=workspace, id=id_)
        if (
            found is None
            or (principal.agent is not None and found.agent != principal.agent)
            or found.deleted_at + time_to_undo < now
        ):
            raise NotFound(f"There is no deletion {id_} here.")
        principal.check_changes(found.owners)
        await connection.view_as("everybody")
        if found.kind != "session":
            principal.require_admin()
            principal.require_all_scopes()
        if found.restored_at is not None:
            raise Conflict("This deletion has been undone already.")
        if await deletions.find(connection, workspace, found.kind, found.name, found.agent):
            raise Conflict(f"The {found.kind} {found.name!r} is there again.")
        rescan = await connection.row("get_rescan", workspace=workspace)
        if rescan is not None and rescan["finished_at"] is None:
            raise Conflict("Secrets are being looked for in all that is stored; try again when that has ended.")
        if gone := await deletions.missing(connection, workspace, id_, found.kept):
            raise Conflict(f"What this belongs to is gone: {', '.join(gone)}.")
        await deletions.restore(connection, workspace, id_, found.kept, now=now)
        await audit.record(
            connection, principal, f"{found.kind}.restored", target=str(id_), details={"counts": found.counts}
        )
    return UndoneDeletion(id_, found.kind, found.name, found.agent, found.counts, now)


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The token that confirms a deletion until it expires."""

    token: str
    expires_at: datetime


async def issue_token(
    runtime: Runtime, principal: Principal, target: JsonValue, counts: Mapping[str, int]
) -> Confirmation:
    """Return the token for a deletion of ``target`` (JSON) by this key while the counts stay."""
    expires_at = (runtime.now() + VALID).replace(microsecond=0)
    secret = await signing_secret(runtime)
    return Confirmation(_signed(secret, principal, target, counts, expires_at), expires_at)


async def signing_secret(runtime: Runtime) -> bytes:
    """Return what ``check_token`` needs. Read before the transaction of the deletion: those that wait for its locks can
    hold all other connections."""
    async with runtime.db.unscoped() as connection:
        return await shared_secret(connection, "confirmation")


def check_token(
    secret: bytes,
    now: datetime,
    principal: Principal,
    target: JsonValue,
    counts: Mapping[str, int],
    token: str,
    place: tuple[str, ...] = PLACE,
) -> None:
    """Raise InvalidInput for a token that has expired or is none, and Conflict for one of another key, target or
    counts."""
    seconds, dot, _ = token.partition(".")
    if not dot or not seconds.isascii() or not seconds.isdigit() or len(seconds) > 12:
        raise InvalidInput(place, "is no token of a dry run")
    expires_at = datetime.fromtimestamp(min(int(seconds), 2**37), UTC)
    if expires_at <= now:
        raise InvalidInput(place, "has expired: count again with dry_run")
    expected = _signed(secret, principal, target, counts, expires_at)
    if not hmac.compare_digest(expected.encode(), token.encode("utf-8", "replace")):
        raise Conflict("This is not what was counted: count again with dry_run.", counts=dict(counts))


def _signed(
    secret: bytes, principal: Principal, target: JsonValue, counts: Mapping[str, int], expires_at: datetime
) -> str:
    seconds = int(expires_at.timestamp())
    what = [principal.workspace_id, principal.key_id, target, sorted(counts.items()), seconds]
    return f"{seconds}.{hmac.new(secret, dumps(what), hashlib.sha256).hexdigest()}"
