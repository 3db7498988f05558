"""OAuth clients, and what they are given, by the hashes of their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.principal import KeyGrant


@dataclass(frozen=True, slots=True)
class CodeBinding:
    """What a code is bound to: who may exchange it, and with what."""

    client_id: UUID
    granted_by: UUID
    challenge: str
    redirect_uri: str
    redirect_uri_given: bool


async def register(
    connection: Connection, client_id: UUID, name: str, redirect_uris: Sequence[str], *, per_minute: int, now: datetime
) -> bool:
    """Take in a client; False where too many have registered within the last minute."""
    return bool(
        await connection.run(
            "register_client", id=client_id, name=name, redirect_uris=redirect_uris, per_minute=per_minute, now=now
        )
    )  # fmt: skip


async def add_code(
    connection: Connection, workspace: UUID, hashed: bytes, grant: KeyGrant, binding: CodeBinding, expires_at: datetime
) -> None:
    """Store a code for a key of this grant."""
    await connection.run(
        "add_code", workspace=workspace, hash=hashed, role=grant.role, agent=grant.agent, user=grant.user,
        scopes=sorted(grant.scopes or ()), client_id=binding.client_id, granted_by=binding.granted_by,
        challenge=binding.challenge, redirect_uri=binding.redirect_uri, redirect_uri_given=binding.redirect_uri_given,
        expires_at=expires_at,
    )  # fmt: skip


async def use_code(connection: Connection, workspace: UUID, hashed: bytes, key_id: UUID, now: datetime) -> bool:
    """Exchange a code for a key; False where it is used or has expired."""
    return bool(await connection.run("use_code", workspace=workspace, hash=hashed, key_id=key_id, now=now))


async def use_refresh_token(connection: Connection, workspace: UUID, hashed: bytes, now: datetime) -> bool:
    """Use a refresh token up; False where it is used or has expired."""
    return bool(await connection.run("use_refresh_token", workspace=workspace, hash=hashed, now=now))


async def renew_client_key(
    connection: Connection, workspace: UUID, key_id: UUID, grant: KeyGrant, *, hashed: bytes, prefix: str
) -> bool:
    """Give a client's key another secret, with the scopes and the expiry of ``grant``; False for a revoked one."""
    return bool(
        await connection.run(
            "renew_client_key", workspace=workspace, id=key_id, hash=hashed, prefix=prefix,
            scopes=sorted(grant.scopes or ()), expires_at=grant.expires_at,
        )
    )  # fmt: skip
