"""API keys: made once, shown once, stored as hashes.

A key is ``rv_<workspace><secret>``, both URL-safe base64 of 16 and 32 bytes: the workspace it opens is in the key,
so finding it is one index lookup. A key given by the operator in another form belongs to the default workspace.
The secret has 256 bits, so one SHA-256 is enough: there is nothing to guess and nothing to slow down.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import math
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from service.concurrency.lru import LRUCache
from service.db.pool import Connection
from service.db.records import make
from service.domain import cursors
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.json import JsonObject
from service.domain.keys import CreatedKey, Key, KeyLimitsChanged, Whoami
from service.domain.limits import Limits, limits_from
from service.domain.principal import CachedCredential, KeyGrant, Principal
from service.errors import (
    Conflict,
    InvalidInput,
    KeyExpired,
    NotFound,
    RateLimited,
    Unauthenticated,
    WorkspaceSuspended,
)
from service.memory.access import audit
from service.memory.counters import KeyUsage, RequestLimits
from service.runtime import Runtime
from service.store import keys
from service.store import limits as limits_store
from service.store.keys import AuthenticatedKey
from service.store.settings import settings_from, workspace_settings

PREFIX = "rv_"
WORKSPACE_CHARS = 22
CREDENTIALS_MAX = 10_000
SHOWN_CHARS = 4
"""Characters of a secret that stay readable after it was made: 24 of 256 random bits."""

RECOUNT_TIMEOUT_S = 600.0


def _credentials(_: Runtime) -> LRUCache[bytes, CachedCredential]:
    return LRUCache(CREDENTIALS_MAX)


async def authenticate(runtime: Runtime, key: str) -> Principal:
    """Return the principal of a live key, whose request is counted. Raises KeyExpired, WorkspaceSuspended,
    Unauthenticated for anything else without saying why, and RateLimited or TemporaryLimitReached.
    """
    workspace = workspace_of(key)
    hashed = _stored_hash(runtime, key)
    async with runtime.db.unscoped() as connection:
        found = await connection.first(AuthenticatedKey, "authenticate", workspace=workspace, hash=hashed)
    if found is None or not hmac.compare_digest(found.hash, hashed):
        runtime.part(_credentials).discard(hashed)
        raise Unauthenticated
    if found.expired or found.suspended:
        runtime.part(_credentials).discard(hashed)
        if found.suspended:
            raise WorkspaceSuspended
        assert found.expires_at is not None
        raise KeyExpired(found.expires_at)
    principal = Principal(
        workspace, found.id, found.role, found.agent,
        scopes=None if found.scopes is None else frozenset(found.scopes), expires_at=found.expires_at,
        limits=found.limits, maker_limits=tuple(keys.limits_by_key(found.maker_limits).items()),
        workspace_limits=found.workspace_limits, user=found.user, agent_users=found.agent_users,
        settings=settings_from(found.settings),
    )  # fmt: skip
    if found.is_rated:
        runtime.part(_credentials).discard(hashed)
    else:
        runtime.part(_credentials).put(hashed, CachedCredential(principal, hashed, found.settings))
    if found.retry_after_s is not None:
        raise RateLimited(retry_after_s=max(1, math.ceil(found.retry_after_s)))
    runtime.part(RequestLimits).count(principal)
    runtime.part(KeyUsage).count(principal)
    return principal


def cached_credential(runtime: Runtime, key: str) -> CachedCredential | None:
    """Return the key as it was last seen live, if a statement on its own can make sure of it and no rate is to be
    counted.

    Without it a save costs 1.48 times as much processor time in the API and 1.52 in Postgres (docs/decisions/0101). On
    Citus keys stand elsewhere than what is saved or searched, and a replica may not have heard of a revocation yet.
    """
    if runtime.db.is_citus or runtime.replica is not None:
        return None
    return runtime.part(_credentials).get(_stored_hash(runtime, key))


def _stored_hash(runtime: Runtime, key: str) -> bytes:
    own = runtime.own_key
    return own.hash if own is not None and hmac.compare_digest(own.text.encode(), key.encode()) else hash_of(key)


def hash_of(key: str) -> bytes:
    """Return what is stored of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def workspace_of(key: str) -> UUID:
    """Return the workspace a key claims to open."""
    if key.startswith(PREFIX):
        try:
            return UUID(bytes=base64.urlsafe_b64decode(key[len(PREFIX) : len(PREFIX) + WORKSPACE_CHARS] + "=="))
        except (ValueError, binascii.Error):
            pass
    return DEFAULT_WORKSPACE


def make_key(workspace: UUID) -> str:
    """Make a random key of a workspace."""
    encoded = base64.urlsafe_b64encode(workspace.bytes).decode().rstrip("=")
    return f"{PREFIX}{encoded}{secrets.token_urlsafe(32)}"


def prefix_of(key: str) -> str:
    """Return the first characters of a key, which tell it from others of its workspace."""
    return key[: (len(PREFIX) + WORKSPACE_CHARS if key.startswith(PREFIX) else 0) + SHOWN_CHARS]


async def add_key(runtime: Runtime, workspace: UUID, grant: KeyGrant, key: str | None = None) -> tuple[UUID, str]:
    """Store a key (a new one unless given) and return its id and its text, which cannot be read again."""
    text = key or make_key(workspace)
    key_id = new_id()
    async with runtime.db.transaction(workspace) as connection:
        await keys.add(connection, workspace, key_id, grant, hashed=hash_of(text), prefix=prefix_of(text))
    return key_id, text


def granted(grant: KeyGrant) -> JsonObject:
    """Return what a key may do, as the audit log shows it."""
    return {
        "role": grant.role,
        "agent": grant.agent,
        "user": grant.user,
        "scopes": None if grant.scopes is None else sorted(grant.scopes),
        "expires_at": grant.expires_at,
        "limits": grant.limits,
    }


def check_grant(grant: KeyGrant, now: datetime) -> None:
    """Raise InvalidInput for an agent key without its agent, an admin key with an agent or a user, and a key that has
    expired."""
    if grant.role == "agent" and grant.agent is None:
        raise InvalidInput(("body", "agent"), "an agent key is bound to one agent: name it")
    if grant.role == "admin" and grant.agent is not None:
        raise InvalidInput(("body", "agent"), "an admin key is not bound to an agent")
    if grant.role == "admin" and grant.user is not None:
        raise InvalidInput(("body", "user"), "an admin key is not bound to a user")
    if grant.expires_at is not None and grant.expires_at <= now:
        raise InvalidInput(("body", "expires_at"), "must be later than now")


async def create_key(runtime: Runtime, principal: Principal, grant: KeyGrant) -> CreatedKey:
    """Make a key of the caller's workspace, which counts against the caller's limits too. Raises InvalidInput as
    ``check_grant`` does, and Forbidden for what exceeds the caller's key."""
    principal.require_admin()
    workspace, now = principal.workspace_id, runtime.now()
    check_grant(grant, now)
    key_id, text = new_id(), make_key(workspace)
    async with runtime.db.transaction(workspace) as connection:
        maker = (await _lock(connection, principal, now))[principal.key_id]
        days_max = (await workspace_settings(connection, workspace)).keys.days_max
        grant = grant.made_by(principal.key_id, maker.as_maker(days_max, now))
        await keys.add(connection, workspace, key_id, grant, hashed=hash_of(text), prefix=prefix_of(text))
        await audit.record(connection, principal, "key.created", target=str(key_id), details=granted(grant))
    await count_from_now(runtime, principal.workspace_id, grant.limits)
    return CreatedKey(
        id=key_id,
        key=text,
        role=grant.role,
        agent=grant.agent,
        user=grant.user,
        name=grant.name,
        prefix=prefix_of(text),
        scopes=None if grant.scopes is None else sorted(grant.scopes),
        expires_at=grant.expires_at,
        limits=grant.limits,
    )


async def _lock(connection: Connection, principal: Principal, now: datetime, *ids: UUID) -> dict[UUID, KeyGrant]:
    """Return what the caller's key, which is live, and those of these are for that are; they stay as they are until the
    transaction ends."""
    found = await keys.lock(connection, principal.workspace_id, [principal.key_id, *ids], now)
    if principal.key_id not in found:
        raise Unauthenticated
    return found


async def _check_may_change(
    connection: Connection, principal: Principal, key_id: UUID, now: datetime
) -> tuple[KeyGrant, KeyGrant]:
    """Return a live key that the caller may change, and the most that it may be then, both of which stay as they are
    until the transaction ends. Raises NotFound, and Forbidden for one that may do, cost or hold more than the caller's,
    or lives longer."""
    found = await _lock(connection, principal, now, key_id)
    if key_id not in found:
        raise NotFound("There is no such key here.")
    changed, most = found[key_id], found[principal.key_id]
    if changed.subject == most.subject:
        most = most.as_maker((await workspace_settings(connection, principal.workspace_id)).keys.days_max, now)
    changed.check_within(most)
    return changed, most


async def describe_caller(runtime: Runtime, principal: Principal) -> Whoami:
    """Return the caller's own key, without its text, and the workspace it opens."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await _described(connection, principal.workspace_id, principal.key_id)
    if found is None:
        raise Unauthenticated
    return found


async def _described(connection: Connection, workspace: UUID, key_id: UUID) -> Whoami | None:
    return await connection.first(Whoami, "describe_key", workspace=workspace, id=key_id)


async def list_keys(
    runtime: Runtime, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[Key], str | None]:
    """Return a page of keys, newest first, never their text."""
    principal.require_admin()
    await runtime.part(KeyUsage).flush()
    (before,) = cursors.decode(cursor, UUID)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await connection.many(
            Key, "list_keys", workspace=principal.workspace_id, before=before, limit=limit + 1
        )
    return cursors.paginate(found, limit, "id")


async def limit_key(runtime: Runtime, principal: Principal, key_id: UUID, changes: Limits) -> KeyLimitsChanged:
    """Set those limits of a live key that ``changes`` names, in effect at once; return its limits then. Raises
    NotFound, and Forbidden for a key that exceeds the caller's, before or then."""
    principal.require_admin()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        grant, most = await _check_may_change(connection, principal, key_id, runtime.now())
        replace(grant, limits=grant.limits.changed_by(changes)).check_within(most)
        own = limits_from(await connection.value("key_limits", workspace=principal.workspace_id, id=key_id))
        changed = own.changed_by(changes)
        await connection.run("update_key_limits", workspace=principal.workspace_id, id=key_id, limits=changed.set_only)
        details = {"limits": changed.set_only}
        await audit.record(connection, principal, "key.limited", target=str(key_id), details=details)
    await count_from_now(runtime, principal.workspace_id, changes)
    return KeyLimitsChanged(key_id, changed)


async def rotate_key(runtime: Runtime, principal: Principal, key_id: UUID) -> CreatedKey:
    """Give a key a new secret; the old one stops at once. Scopes and expiry stay.

    Raises NotFound, Conflict for the key of an OAuth client, which rotates it itself, and Forbidden for one that
    exceeds the caller's: who rotates a key can use it.
    """
    principal.require_admin()
    text = make_key(principal.workspace_id)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        grant, _ = await _check_may_change(connection, principal, key_id, runtime.now())
        if grant.client_id is not None:
            raise Conflict("This key belongs to an OAuth client, which rotates it itself; it can only be revoked.")
        row = await connection.row(
            "rotate_key",
            workspace=principal.workspace_id,
            id=key_id,
            hash=hash_of(text),
            prefix=prefix_of(text),
        )
        assert row is not None
        await audit.record(connection, principal, "key.rotated", target=str(key_id))
    return make(CreatedKey, {**row, "key": text})


async def revoke_own_key(runtime: Runtime, principal: Principal) -> None:
    """Revoke the caller's key, which was made for one browser session, and those of the OAuth clients that it consented
    to; a second time changes nothing. Other keys that were made with it stay: a sign-out revokes nobody's access."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        own = {"workspace": principal.workspace_id, "id": principal.key_id}
        if await connection.run("revoke_key", **own):
            await connection.run("revoke_client_keys", **own)
            await audit.record(connection, principal, "key.revoked", target=str(principal.key_id))


async def revoke_subject(runtime: Runtime, workspace: UUID, subject: str, most: KeyGrant | None) -> None:
    """Revoke the keys of a subject, and what was made with them, that exceed ``most``; None revokes all of them."""
    async with runtime.db.transaction(workspace) as connection:
        for key_id, grant in (await keys.lock_subject(connection, workspace, subject)).items():
            if most is not None and grant.is_within(most):
                continue
            revoked = await keys.revoke(connection, workspace, key_id)
            if revoked:
                principal = Principal(workspace, key_id, grant.role, grant.agent)
                details = {"reason": "access changed at the provider", "keys": revoked}
                await audit.record(connection, principal, "key.revoked", target=str(key_id), details=details)


async def revoke_key(runtime: Runtime, principal: Principal, key_id: UUID) -> None:
    """Revoke a key in effect at once, and with it the keys that it made or consented to; with that of a sign-in, all
    keys of its subject. Raises Conflict where no admin key would be left: nobody could get in again."""
    principal.require_admin()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        revoked = await keys.revoke(connection, principal.workspace_id, key_id)
        if not revoked:
            raise NotFound("There is no such key here.")
        if await keys.count_admin_keys(connection, principal.workspace_id) == 0:
            raise Conflict(
                "No admin key that does not expire would be left, as those that this one made go with it: rotate it, "
                "or make one by `reverie keys admin` first."
            )
        details = {"keys": revoked} if revoked > 1 else {}
        await audit.record(connection, principal, "key.revoked", target=str(key_id), details=details)


async def count_from_now(runtime: Runtime, workspace: UUID, changes: Limits) -> None:
    """Count stored rows and bytes from now on where a limit of them has been set, and no more where it has been
    lifted. What transactions that are open meanwhile write is counted by the next recount of a worker."""
    if changes.model_fields_set.isdisjoint(changes.stored):
        return
    async with runtime.db.transaction(workspace) as connection:
        if await limits_store.lock(connection, workspace) is None:
            return
        await limits_store.hold_counts(connection, workspace)
    await recount(runtime, workspace)


async def recount(runtime: Runtime, workspace: UUID) -> int:
    """Count what is stored and correct the counts of the limits; how many were wrong."""
    day = runtime.now().astimezone(UTC).date()
    async with runtime.db.transaction(workspace, viewer="everybody") as connection:
        await connection.set_timeout(RECOUNT_TIMEOUT_S)
        return await limits_store.recount(connection, workspace, day)
