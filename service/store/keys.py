"""API keys, by the hash of their text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.json import JsonObject
from service.domain.limits import Limits
from service.domain.principal import KeyGrant, KeyRole, KeyScope


@dataclass(frozen=True, slots=True)
class AuthenticatedKey:
    """The live key of a hash, with its workspace's settings. ``retry_after_s`` is set once it has used up its rate."""

    id: UUID
    role: KeyRole
    agent: str | None
    hash: bytes
    settings: JsonObject | None
    retry_after_s: float | None
    scopes: list[KeyScope] | None
    expires_at: datetime | None
    expired: bool
    suspended: bool
    limits: Limits
    workspace_limits: Limits

    @property
    def is_rated(self) -> bool:
        """Whether a rate is set, which each request counts against."""
        return "rate_limit" in (self.settings or ())


@dataclass(frozen=True, slots=True)
class KnownSecret:
    """The role of a key that has, or had, a secret, and whether that is ``valid``."""

    role: KeyRole
    valid: bool


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


async def count_admin_keys(connection: Connection, workspace: UUID) -> int:
    """Return how many live admin keys without scopes a workspace has."""
    return await connection.value("live_admin_keys", workspace=workspace)


async def with_secret(connection: Connection, workspace: UUID, hashed: bytes) -> KnownSecret | None:
    """Return the key that has, or had, this secret."""
    return await connection.first(KnownSecret, "key_with_secret", workspace=workspace, hash=hashed)


async def add_usage(connection: Connection, workspace: UUID, used: Mapping[UUID, tuple[int, datetime]]) -> None:
    """Add requests of keys: how many, and when the last of them came."""
    await connection.run(
        "add_key_usage", workspace=workspace, ids=list(used), requests=[count for count, _ in used.values()],
        times=[at for _, at in used.values()],
    )  # fmt: skip
