"""OAuth clients, and what they are given, by the hashes of their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row
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


async def drop_unused_clients(connection: Connection, *, kept: int) -> None:
    """Delete the oldest clients that nobody has consented to, all but the newest ``kept``."""
    await connection.run("drop_unused_clients", kept=kept)


async def client(connection: Connection, client_id: UUID) -> Row | None:
    """A registered client."""
    return await connection.row("client", id=client_id)


async def note_client_use(connection: Connection, client_id: UUID, now: datetime) -> None:
    """Note that somebody has consented to a client, or that it was given a token."""
    await connection.run("note_client_use", id=client_id, now=now)


async def collect_clients(connection: Connection, *, unused_before: datetime, used_before: datetime) -> int:
    """Delete clients that are not used; how many."""
    return await connection.run("collect_clients", unused_before=unused_before, used_before=used_before)


async def add_code(
    connection: Connection, workspace: UUID, hashed: bytes, grant: KeyGrant, binding: CodeBinding, expires_at: datetime
) -> None:
    """Store a code for a key of this grant."""
    await connection.run(
        "add_code", workspace=workspace, hash=hashed, role=grant.role, agent=grant.agent,
        scopes=sorted(grant.scopes or ()), client_id=binding.client_id, granted_by=binding.granted_by,
        challenge=binding.challenge, redirect_uri=binding.redirect_uri, redirect_uri_given=binding.redirect_uri_given,
        expires_at=expires_at,
    )  # fmt: skip


async def code(connection: Connection, workspace: UUID, hashed: bytes) -> Row | None:
    """A code, used or not; ``key_id`` is what a used one was exchanged for."""
    return await connection.row("code", workspace=workspace, hash=hashed)


async def use_code(connection: Connection, workspace: UUID, hashed: bytes, key_id: UUID, now: datetime) -> bool:
    """Exchange a code for a key; False where it is used or has expired."""
    return bool(await connection.run("use_code", workspace=workspace, hash=hashed, key_id=key_id, now=now))


async def add_refresh_token(
    connection: Connection, workspace: UUID, hashed: bytes, key_id: UUID, scopes: Sequence[str], expires_at: datetime
) -> None:
    """Store a refresh token of a key."""
    await connection.run(
        "add_refresh_token", workspace=workspace, hash=hashed, key_id=key_id, scopes=scopes, expires_at=expires_at
    )


async def refresh_token(connection: Connection, workspace: UUID, hashed: bytes) -> Row | None:
    """A refresh token of a live key, used or not."""
    return await connection.row("refresh_token", workspace=workspace, hash=hashed)


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


async def client_key(connection: Connection, workspace: UUID, hashed: bytes) -> Row | None:
    """The live key of a client that this access or refresh token belongs to."""
    return await connection.row("client_key", workspace=workspace, hash=hashed)
