"""API keys, by the hash of their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.json import JsonObject
from service.domain.limits import Limits, limits_from
from service.domain.owners import UsersMode
from service.domain.principal import KeyGrant, KeyRole, KeyScope


@dataclass(frozen=True, slots=True)
class AuthenticatedKey:
    """The live key of a hash, with its workspace's settings. ``retry_after_s`` is set once it has used up its rate;
    ``agent_users`` is the setting ``users`` of the agent whose key it is, where that has one of its own."""

    id: UUID
    role: KeyRole
    agent: str | None
    user: str | None
    hash: bytes
    settings: JsonObject | None
    retry_after_s: float | None
    scopes: list[KeyScope] | None
    expires_at: datetime | None
    expired: bool
    suspended: bool
    limits: Limits
    maker_limits: Mapping[str, JsonObject] | None
    workspace_limits: Limits
    agent_users: UsersMode | None

    @property
    def is_rated(self) -> bool:
        """Return whether a rate is set, which each request counts against."""
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
        "add_key", workspace=workspace, id=key_id, name=grant.name, role=grant.role, agent=grant.agent, user=grant.user,
        hash=hashed, prefix=prefix, scopes=None if grant.scopes is None else sorted(grant.scopes),
        expires_at=grant.expires_at, limits=grant.limits.set_only, client_id=grant.client_id,
        makers=list(grant.makers) or None, subject=grant.subject,
    )  # fmt: skip


async def lock(connection: Connection, workspace: UUID, ids: Sequence[UUID], now: datetime) -> dict[UUID, KeyGrant]:
    """Return what those of these keys are for that are live; they stay so until the transaction ends. Their limits are
    those that they are held to: the lowest of their own and of the keys' that they come from."""
    rows = await connection.fetch("lock_keys", workspace=workspace, ids=ids)
    return {row["id"]: _grant(row) for row in rows if row["expires_at"] is None or row["expires_at"] > now}


async def lock_subject(connection: Connection, workspace: UUID, subject: str) -> dict[UUID, KeyGrant]:
    """Return what the keys are for of whoever signs in as this subject."""
    rows = await connection.fetch("lock_keys_of_subject", workspace=workspace, subject=subject)
    return {row["id"]: _grant(row) for row in rows}


def limits_by_key(stored: Mapping[str, JsonObject] | None) -> dict[UUID, Limits]:
    """Return limits by the key that has them, as they are stored."""
    return {UUID(id_): limits_from(limits) for id_, limits in (stored or {}).items()}


def _grant(row: Row) -> KeyGrant:
    limits = limits_from(row["limits"]).lowest(*limits_by_key(row["maker_limits"]).values())
    scopes = None if row["scopes"] is None else frozenset(row["scopes"])
    return KeyGrant(
        row["role"], row["name"], row["agent"], scopes, row["expires_at"], limits,
        row["client_id"], tuple(row["makers"]), row["subject"], row["user"],
    )  # fmt: skip


async def revoke(connection: Connection, workspace: UUID, key_id: UUID) -> int:
    """Revoke a key, what it made, and with the key of a sign-in all keys of its subject; return how many."""
    named = {"workspace": workspace, "id": key_id}
    revoked = await connection.run("revoke_key", **named)
    while more := await connection.run("revoke_made_keys", **named):
        revoked += more  # again: what these were making meanwhile is seen only now
    return revoked


async def count_admin_keys(connection: Connection, workspace: UUID) -> int:
    """Return how many live admin keys without scopes a workspace has."""
    return await connection.value("live_admin_keys", workspace=workspace)


async def with_secret(connection: Connection, workspace: UUID, hashed: bytes) -> KnownSecret | None:
    """Return the key that has, or had, this secret."""
    return await connection.first(KnownSecret, "key_with_secret", workspace=workspace, hash=hashed)
