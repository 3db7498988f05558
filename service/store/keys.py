"""API keys, by the hash of their text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.limits import Limits
from service.domain.principal import KeyGrant


async def authenticate(connection: Connection, workspace: UUID, hashed: bytes) -> Row | None:
    """The live key of that hash, with its workspace's settings; counts against the rate limit."""
    return await connection.row("authenticate", workspace=workspace, hash=hashed)


async def add(
    connection: Connection, workspace: UUID, key_id: UUID, grant: KeyGrant, *, hashed: bytes, prefix: str
) -> None:
    """Store a key."""
    await connection.run(
        "add_key", workspace=workspace, id=key_id, name=grant.name, role=grant.role, agent=grant.agent, hash=hashed,
        prefix=prefix, scopes=None if grant.scopes is None else sorted(grant.scopes), expires_at=grant.expires_at,
        limits=grant.limits.set_only,
        client_id=grant.client_id, granted_by=grant.granted_by,
    )  # fmt: skip


async def describe(connection: Connection, workspace: UUID, key_id: UUID) -> Row | None:
    """The name of a key, what it may do, and the name of its workspace."""
    return await connection.row("describe_key", workspace=workspace, id=key_id)


async def list_(connection: Connection, workspace: UUID, *, before: UUID | None, limit: int) -> list[Row]:
    """Keys, newest first."""
    return await connection.fetch("list_keys", workspace=workspace, before=before, limit=limit)


async def rotate(connection: Connection, workspace: UUID, key_id: UUID, hashed: bytes, prefix: str) -> Row | None:
    """Give a live key another secret; None where there is no such key."""
    return await connection.row("rotate_key", workspace=workspace, id=key_id, hash=hashed, prefix=prefix)


async def lock(connection: Connection, workspace: UUID, key_id: UUID) -> Row | None:
    """The limits of a live key, which is locked for a change of them."""
    return await connection.row("lock_key", workspace=workspace, id=key_id)


async def set_limits(connection: Connection, workspace: UUID, key_id: UUID, limits: Limits) -> None:
    """Set the limits of a live key."""
    await connection.run("update_key_limits", workspace=workspace, id=key_id, limits=limits.set_only)


async def revoke(connection: Connection, workspace: UUID, key_id: UUID) -> bool:
    """Revoke a live key; False where there is no such key."""
    return bool(await connection.run("revoke_key", workspace=workspace, id=key_id))


async def revoke_granted(connection: Connection, workspace: UUID, key_id: UUID) -> int:
    """Revoke the keys of OAuth clients that this key has consented to; how many."""
    return await connection.run("revoke_granted_keys", workspace=workspace, id=key_id)


async def count_admin_keys(connection: Connection, workspace: UUID) -> int:
    """How many live admin keys without scopes a workspace has."""
    return await connection.value("live_admin_keys", workspace=workspace)


async def with_secret(connection: Connection, workspace: UUID, hashed: bytes) -> Row | None:
    """The key that has, or had, this secret, whether that is ``valid``, and its role."""
    return await connection.row("key_with_secret", workspace=workspace, hash=hashed)


async def add_usage(connection: Connection, workspace: UUID, used: Mapping[UUID, tuple[int, datetime]]) -> None:
    """Add requests of keys: how many, and when the last of them came."""
    await connection.run(
        "add_key_usage", workspace=workspace, ids=list(used), requests=[count for count, _ in used.values()],
        times=[at for _, at in used.values()],
    )  # fmt: skip


async def requests(
    connection: Connection, workspace: UUID, *, since: date, until: date, by_day: bool, limit: int
) -> list[Row]:
    """Requests of these days (UTC), both included, by day or else by key; at most ``limit`` rows."""
    return await connection.fetch(
        "key_requests", workspace=workspace, since=since, until=until, by_day=by_day, limit=limit
    )
