"""API keys, by the hash of their text."""

from __future__ import annotations

from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.principal import KeyRole


async def authenticate(connection: Connection, workspace: UUID, hashed: bytes) -> Row | None:
    """The live key of that hash, with its workspace's settings; counts against the rate limit."""
    return await connection.row("authenticate", workspace=workspace, hash=hashed)


async def add(
    connection: Connection, workspace: UUID, key_id: UUID, *, name: str, role: KeyRole, agent: str | None, hashed: bytes
) -> None:
    """Store a key."""
    await connection.run("add_key", workspace=workspace, id=key_id, name=name, role=role, agent=agent, hash=hashed)


async def describe(connection: Connection, workspace: UUID, key_id: UUID) -> Row | None:
    """The name of a key and of its workspace."""
    return await connection.row("describe_key", workspace=workspace, id=key_id)


async def list_(connection: Connection, workspace: UUID, *, before: UUID | None, limit: int) -> list[Row]:
    """Keys, newest first."""
    return await connection.fetch("list_keys", workspace=workspace, before=before, limit=limit)


async def rotate(connection: Connection, workspace: UUID, key_id: UUID, hashed: bytes) -> Row | None:
    """Give a live key another secret; None where there is no such key."""
    return await connection.row("rotate_key", workspace=workspace, id=key_id, hash=hashed)


async def revoke(connection: Connection, workspace: UUID, key_id: UUID) -> bool:
    """Revoke a live key; False where there is no such key."""
    return bool(await connection.run("revoke_key", workspace=workspace, id=key_id))


async def count_admin_keys(connection: Connection, workspace: UUID) -> int:
    """How many live admin keys a workspace has."""
    count: int = await connection.value("live_admin_keys", workspace=workspace)
    return count


async def with_secret(connection: Connection, workspace: UUID, hashed: bytes) -> Row | None:
    """The key that has, or had, this secret, whether that is ``valid``, and its role."""
    return await connection.row("key_with_secret", workspace=workspace, hash=hashed)
