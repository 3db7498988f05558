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
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Row
from service.domain import cursors
from service.domain.ids import DEFAULT_WORKSPACE, new_id
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
from service.memory.access import audit, limits
from service.memory.engine import Engine
from service.store import keys
from service.store.settings import settings_from

PREFIX = "rv_"
WORKSPACE_CHARS = 22
SHOWN_CHARS = 4
"""Characters of a secret that stay readable after it was made: 24 of 256 random bits."""


async def authenticate(engine: Engine, key: str) -> Principal:
    """The principal of a live key, whose request is counted. Raises KeyExpired, WorkspaceSuspended, Unauthenticated for
    anything else without saying why, and RateLimited or TemporaryLimitReached.

    Requests that come at the same time with the same key share a look at it, which begins after the last of them came;
    where a rate is set, each request looks for itself, and counts.
    """
    workspace = workspace_of(key)
    hashed = hash_of(key)

    async def find() -> Row | None:
        async with engine.db.unscoped() as connection:
            return await keys.authenticate(connection, workspace, hashed)

    row, own = await engine.auth_flight.do(hashed, find)
    if row is not None and not own and "rate_limit" in (row["settings"] or ()):
        row = await find()
    if row is None or not hmac.compare_digest(row["hash"], hashed):
        engine.credential_cache.discard(hashed)
        raise Unauthenticated
    if row["expired"] or row["suspended"]:
        engine.credential_cache.discard(hashed)
        raise WorkspaceSuspended if row["suspended"] else KeyExpired(row["expires_at"])
    scopes = None if row["scopes"] is None else frozenset(row["scopes"])
    principal = Principal(
        workspace, row["id"], row["role"], row["agent"],
        scopes=scopes, expires_at=row["expires_at"], limits=limits_from(row["limits"]),
        workspace_limits=limits_from(row["workspace_limits"]), settings=settings_from(row["settings"]),
    )  # fmt: skip
    if "rate_limit" in (row["settings"] or ()):
        engine.credential_cache.discard(hashed)
    else:
        engine.credential_cache.put(hashed, CachedCredential(principal, hashed, row["settings"]))
    if row["retry_after_s"] is not None:
        raise RateLimited(retry_after_s=max(1, math.ceil(row["retry_after_s"])))
    engine.request_limits.count(principal)
    engine.key_usage.count(principal)
    return principal


def cached_credential(engine: Engine, key: str) -> CachedCredential | None:
    """The key as it was last seen live, if a statement on its own can make sure of it and no rate is to be counted.

    On Citus keys stand elsewhere than what is saved or searched, and a replica may not have heard of a revocation yet.
    """
    return None if engine.db.is_citus or engine.replica is not None else engine.credential_cache.get(hash_of(key))


def hash_of(key: str) -> bytes:
    """What is stored of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def workspace_of(key: str) -> UUID:
    """The workspace a key claims to open."""
    if key.startswith(PREFIX):
        try:
            return UUID(bytes=base64.urlsafe_b64decode(key[len(PREFIX) : len(PREFIX) + WORKSPACE_CHARS] + "=="))
        except (ValueError, binascii.Error):
            pass
    return DEFAULT_WORKSPACE


def make_key(workspace: UUID) -> str:
    """A new random key of a workspace."""
    encoded = base64.urlsafe_b64encode(workspace.bytes).decode().rstrip("=")
    return f"{PREFIX}{encoded}{secrets.token_urlsafe(32)}"


def prefix_of(key: str) -> str:
    """The first characters of a key, which tell it from others of its workspace."""
    return key[: (len(PREFIX) + WORKSPACE_CHARS if key.startswith(PREFIX) else 0) + SHOWN_CHARS]


async def add_key(
    engine: Engine, workspace: UUID, grant: KeyGrant, key: str | None = None, *, by: Principal | None = None
) -> tuple[UUID, str]:
    """Store a key (a new one unless given) and return its id and its text, which cannot be read again."""
    text = key or make_key(workspace)
    key_id = new_id()
    async with engine.db.transaction(workspace) as connection:
        await keys.add(connection, workspace, key_id, grant, hashed=hash_of(text), prefix=prefix_of(text))
        if by is not None:
            await audit.record(connection, by, "key.created", target=str(key_id), details=granted(grant))
    return key_id, text


def granted(grant: KeyGrant) -> dict[str, Any]:
    """What a key may do, as answers and the audit log show it."""
    scopes = None if grant.scopes is None else sorted(grant.scopes)
    return {
        "role": grant.role,
        "agent": grant.agent,
        "scopes": scopes,
        "expires_at": grant.expires_at,
        "limits": grant.limits.model_dump(),
    }


def with_limits(row: Row) -> dict[str, Any]:
    """A key or workspace as answers show it, with all its limits."""
    return dict(row) | {"limits": limits_from(row["limits"]).model_dump()}


def check_grant(grant: KeyGrant, now: datetime) -> None:
    """Raise InvalidInput for an agent key without its agent, an admin key with one, and a key that has expired."""
    if grant.role == "agent" and grant.agent is None:
        raise InvalidInput(("body", "agent"), "an agent key is bound to one agent: name it")
    if grant.role == "admin" and grant.agent is not None:
        raise InvalidInput(("body", "agent"), "an admin key is not bound to an agent")
    if grant.expires_at is not None and grant.expires_at <= now:
        raise InvalidInput(("body", "expires_at"), "must be later than now")


async def create_key(engine: Engine, principal: Principal, grant: KeyGrant) -> dict[str, Any]:
    """A new key of the caller's workspace. Raises InvalidInput as ``check_grant`` does."""
    principal.require_admin()
    check_grant(grant, engine.now())
    principal.require_no_limits()
    key_id, text = await add_key(engine, principal.workspace_id, grant, by=principal)
    await limits.count_from_now(engine, principal.workspace_id, grant.limits)
    return {"id": key_id, "key": text, "name": grant.name, "prefix": prefix_of(text)} | granted(grant)


async def describe_caller(engine: Engine, principal: Principal) -> dict[str, Any]:
    """The caller's own key, without its text, and the workspace it opens."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await keys.describe(connection, principal.workspace_id, principal.key_id)
    if row is None:
        raise Unauthenticated
    return with_limits(row) | {"key_id": principal.key_id, "role": principal.role, "agent": principal.agent}


async def list_keys(
    engine: Engine, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[dict[str, Any]], str | None]:
    """A page of keys, newest first, never their text."""
    principal.require_admin()
    await engine.key_usage.flush()
    (before,) = cursors.decode(cursor, UUID)
    async with engine.db.transaction(principal.workspace_id) as connection:
        rows = await keys.list_(connection, principal.workspace_id, before=before, limit=limit + 1)
    rows, more = cursors.paginate(rows, limit, "id")
    return [with_limits(row) for row in rows], more


async def limit_key(engine: Engine, principal: Principal, key_id: UUID, changes: Limits) -> Limits:
    """Set those limits of a live key that ``changes`` names, in effect at once; its limits then. Raises NotFound, and
    Forbidden for a caller with limits of its own."""
    principal.require_admin()
    principal.require_no_limits()
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await keys.lock(connection, principal.workspace_id, key_id)
        if row is None:
            raise NotFound("There is no such key here.")
        changed = limits_from(row["limits"]).changed_by(changes)
        await keys.set_limits(connection, principal.workspace_id, key_id, changed)
        details = {"limits": changed.set_only}
        await audit.record(connection, principal, "key.limited", target=str(key_id), details=details)
    await limits.count_from_now(engine, principal.workspace_id, changes)
    return changed


async def rotate_key(engine: Engine, principal: Principal, key_id: UUID) -> dict[str, Any]:
    """Give a key a new secret; the old one stops at once. Scopes and expiry stay.

    Raises Conflict for the key of an OAuth client, which rotates it itself.
    """
    principal.require_admin()
    text = make_key(principal.workspace_id)
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await keys.rotate(connection, principal.workspace_id, key_id, hash_of(text), prefix_of(text))
        if row is None:
            known = await keys.describe(connection, principal.workspace_id, key_id)
            if known is not None and known["client_id"] is not None:
                raise Conflict("This key belongs to an OAuth client, which rotates it itself; it can only be revoked.")
            raise NotFound("There is no such key here.")
        await audit.record(connection, principal, "key.rotated", target=str(key_id))
    return with_limits(row) | {"key": text}


async def revoke_own_key(engine: Engine, principal: Principal) -> None:
    """Revoke the caller's key, which was made for one browser session; a second time changes nothing."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        if await keys.revoke(connection, principal.workspace_id, principal.key_id):
            await keys.revoke_granted(connection, principal.workspace_id, principal.key_id)
            await audit.record(connection, principal, "key.revoked", target=str(principal.key_id))


async def revoke_key(engine: Engine, principal: Principal, key_id: UUID) -> None:
    """Revoke a key in effect at once, and with it the keys of the OAuth clients that it has consented to. Raises
    Conflict for the last admin key: nobody could get in again."""
    principal.require_admin()
    async with engine.db.transaction(principal.workspace_id) as connection:
        if not await keys.revoke(connection, principal.workspace_id, key_id):
            raise NotFound("There is no such key here.")
        if await keys.count_admin_keys(connection, principal.workspace_id) == 0:
            raise Conflict("This is the last admin key; make another one first.")
        clients = await keys.revoke_granted(connection, principal.workspace_id, key_id)
        details = {"client_keys": clients} if clients else {}
        await audit.record(connection, principal, "key.revoked", target=str(key_id), details=details)
