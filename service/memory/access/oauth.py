"""OAuth clients, and what a consent gives them: a code, then an access token and refresh tokens.

An access token is a key of the workspace, so all that holds for keys holds for it. A client has one key for each
consent; each refresh gives it another secret, and uses the refresh token up. A code or a refresh token that comes a
second time is a copy, and revokes the key (RFC 9700, sections 2.1.1 and 4.14.2).

Codes and refresh tokens are texts like keys (``rv_<workspace><secret>``), and kept as hashes like them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from service.db.pool import Connection
from service.domain.ids import new_id
from service.domain.limits import NO_LIMITS
from service.domain.principal import KEY_SCOPES, KeyGrant, KeyRole, KeyScope, Principal
from service.errors import Forbidden, InvalidInput, RateLimited, Unauthenticated
from service.memory.access import audit
from service.memory.access.keys import granted, hash_of, make_key, prefix_of, workspace_of
from service.memory.access.redaction import masked_names, workspace_masking
from service.privacy.redactor import PiiPolicy
from service.runtime import Runtime
from service.store import keys

log = structlog.get_logger(__name__)

CODE_LIFETIME = timedelta(minutes=5)
ACCESS_LIFETIME = timedelta(hours=1)
REFRESH_LIFETIME = timedelta(days=30)
"""Of a refresh token; each refresh gives a new one."""
CODES_KEPT = timedelta(days=1)
"""After their expiry: a used one that comes again still revokes what it gave."""
CLIENTS_PER_MINUTE = 300
"""Of all addresses together (``service.oauth`` bounds each)."""
UNUSED_CLIENTS_MAX = 1_000
UNUSED_CLIENTS_KEPT = timedelta(days=1)
USED_CLIENTS_KEPT = timedelta(days=400)
NAME_CHARS_MAX = 80


@dataclass(frozen=True, slots=True)
class Client:
    """A registered client. ``name`` is what it calls itself."""

    id: UUID
    name: str
    redirect_uris: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodeBinding:
    """What a code is bound to: who may exchange it, and with what."""

    client_id: UUID
    granted_by: UUID
    challenge: str
    redirect_uri: str
    redirect_uri_given: bool


@dataclass(frozen=True, slots=True)
class StoredCode:
    """A code as it is stored; ``key_id`` is the key that it has been exchanged for."""

    client_id: UUID
    granted_by: UUID
    role: KeyRole
    agent: str | None
    user: str | None
    scopes: list[KeyScope]
    challenge: str
    redirect_uri: str
    redirect_uri_given: bool
    expires_at: datetime
    key_id: UUID | None


@dataclass(frozen=True, slots=True)
class StoredRefreshToken:
    """A refresh token of a live key, with the client of the key and the key that consented to it."""

    key_id: UUID
    client_id: UUID
    granted_by: UUID
    scopes: list[KeyScope]
    expires_at: datetime
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class ClientKey:
    """The live key of a client."""

    id: UUID
    role: KeyRole
    agent: str | None
    client_id: UUID
    scopes: list[KeyScope]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a client: an access token that expires after ``expires_in_s``, and the next refresh token."""

    access: str
    refresh: str
    expires_in_s: int
    scopes: tuple[str, ...]


async def shown_name(runtime: Runtime, given: str | None) -> str:
    """Return the name of a client as people may be shown it: one line without secrets, and without control and format
    characters such as those that turn the direction of writing; ``unnamed`` where nothing is left.

    Clients belong to no workspace whose settings could say otherwise, so secrets are masked always.
    """
    visible = "".join(" " if unicodedata.category(one) in ("Cc", "Zl", "Zp") else one for one in given or "")
    plain = "".join(one for one in visible if not unicodedata.category(one).startswith("C"))
    policy = PiiPolicy("off", secrets="redact")
    (masked,) = await runtime.redactor.redact([" ".join(plain.split())], policy)
    return masked.text[:NAME_CHARS_MAX].strip() or "unnamed"


async def name_in_workspace(runtime: Runtime, workspace: UUID, client: Client) -> str:
    """Return the name of a client as the workspace may keep and show it: masked as its settings say of names. What they
    refuse is masked too, as the user who connects the client has not chosen its name."""
    masking = await workspace_masking(runtime, workspace)
    (name,) = await masked_names(runtime, workspace, masking, [(("client",), client.name)], refuse=False)
    return name


async def register_client(runtime: Runtime, client: Client) -> None:
    """Take in a client that nobody has consented to yet. Raises RateLimited.

    Anybody may register, so there is a bound per minute, beside that of each address, and one on how many wait for a
    consent: the oldest go.
    """
    async with runtime.db.unscoped() as connection:
        if not await connection.run(
            "register_client", id=client.id, name=client.name, redirect_uris=client.redirect_uris,
            per_minute=CLIENTS_PER_MINUTE, now=runtime.now(),
        ):  # fmt: skip
            raise RateLimited(retry_after_s=60)
        await connection.run("drop_unused_clients", kept=UNUSED_CLIENTS_MAX)


async def find_client(runtime: Runtime, client_id: UUID) -> Client | None:
    """Return the client of this id."""
    async with runtime.db.unscoped() as connection:
        row = await connection.row("client", id=client_id)
    return Client(row["id"], row["name"], tuple(row["redirect_uris"])) if row else None


async def collect_clients(runtime: Runtime) -> int:
    """Delete clients without a consent after a day, others after 400 days without a token; how many."""
    now = runtime.now()
    async with runtime.db.unscoped() as connection:
        return await connection.run(
            "collect_clients", unused_before=now - UNUSED_CLIENTS_KEPT, used_before=now - USED_CLIENTS_KEPT
        )


def grantable_scopes(principal: Principal, asked: Sequence[str] | None = None) -> list[KeyScope]:
    """Return the scopes that a key may give to a client that asks for some; all that the key has where it asks for
    none."""
    own = [scope for scope in KEY_SCOPES if principal.scopes is None or scope in principal.scopes]
    if principal.role == "reader":
        own = [scope for scope in own if scope in ("read", "export")]
    return [scope for scope in own if not asked or scope in asked]


async def approve(
    runtime: Runtime,
    principal: Principal,
    client: Client,
    binding: CodeBinding,
    agent: str,
    scopes: Sequence[str],
    *,
    user: str | None = None,
) -> str:
    """Return a code that the client can exchange for a key of this agent, this user and these scopes, which counts
    against the limits of the principal's. Without a user it is bound to that of the principal's, if there is one.

    Raises Forbidden for what exceeds the key of the principal, and InvalidInput without any scope.
    """
    allowed = grantable_scopes(principal)
    wider = [scope for scope in scopes if scope not in allowed]
    if wider:
        raise Forbidden(f"This key may not give the scope {wider[0]!r}.")
    if not scopes:
        raise InvalidInput(("body", "scope"), "choose at least one")
    name = await name_in_workspace(runtime, principal.workspace_id, client)
    if user is not None:
        masking = await workspace_masking(runtime, principal.workspace_id)
        (user,) = await masked_names(runtime, principal.workspace_id, masking, [(("body", "user"), user)], refuse=True)
    grant = KeyGrant(
        "reader" if principal.role == "reader" else "agent", name, agent,
        frozenset(scope for scope in allowed if scope in scopes), client_id=client.id, user=user,
    )  # fmt: skip
    code = make_key(principal.workspace_id)
    now = runtime.now()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        granter = await _granter(connection, principal.workspace_id, principal.key_id, now)
        grant = _granted(granter, principal.key_id, grant, now)
        await connection.run(
            "add_code", **asdict(binding), workspace=principal.workspace_id, hash=hash_of(code), role=grant.role,
            agent=grant.agent, user=grant.user, scopes=sorted(grant.scopes or ()), expires_at=now + CODE_LIFETIME,
        )  # fmt: skip
        details = granted(grant) | {"client": name}
        await audit.record(connection, principal, "client.approved", target=str(client.id), details=details)
    await _note_use(runtime, client, now)
    return code


async def find_code(runtime: Runtime, client: Client, code: str) -> StoredCode | None:
    """Return a code of this client that has not been used. A used one revokes what it was exchanged for."""
    workspace = workspace_of(code)
    async with runtime.db.transaction(workspace) as connection:
        found = await connection.first(StoredCode, "code", workspace=workspace, hash=hash_of(code))
    if found is None or found.client_id != client.id:
        return None
    if found.key_id is not None:
        await _revoke_copied(runtime, workspace, found.key_id, "code used twice")
        return None
    return found


async def redeem_code(runtime: Runtime, client: Client, code: str) -> Tokens:
    """Exchange a code. Raises Unauthenticated for one that is unknown, used or expired, or whose consenting key is no
    longer valid."""
    workspace, now = workspace_of(code), runtime.now()
    found = await find_code(runtime, client, code)
    if found is None:
        raise Unauthenticated("This authorization code is not valid.")
    key_id, text = new_id(), make_key(workspace)
    name = await name_in_workspace(runtime, workspace, client)
    asked = KeyGrant(found.role, name, found.agent, frozenset(found.scopes), client_id=client.id, user=found.user)
    try:
        async with runtime.db.transaction(workspace) as connection:
            granter = await _granter(connection, workspace, found.granted_by, now)
            grant = _granted(granter, found.granted_by, asked, now)
            await keys.add(connection, workspace, key_id, grant, hashed=hash_of(text), prefix=prefix_of(text))
            if not await connection.run(
                "use_code", workspace=workspace, hash=hash_of(code), key_id=key_id, now=now
            ):  # fmt: skip
                raise Unauthenticated("This authorization code is not valid.")
            refresh = await _new_refresh_token(connection, workspace, key_id, found.scopes, now, granter)
            principal = Principal(workspace, found.granted_by, granter.role, granter.agent)
            details = granted(grant) | {"client_id": str(client.id)}
            await audit.record(connection, principal, "key.created", target=str(key_id), details=details)
    except Unauthenticated:
        await find_code(runtime, client, code)
        raise
    await _note_use(runtime, client, now)
    return _tokens(text, refresh, grant, now)


async def find_refresh_token(runtime: Runtime, client: Client, token: str) -> StoredRefreshToken | None:
    """Return a refresh token of this client that has not been used. A used one revokes the key."""
    workspace = workspace_of(token)
    async with runtime.db.transaction(workspace) as connection:
        found = await connection.first(StoredRefreshToken, "refresh_token", workspace=workspace, hash=hash_of(token))
    if found is None or found.client_id != client.id:
        return None
    if found.used_at is not None:
        await _revoke_copied(runtime, workspace, found.key_id, "refresh token used twice")
        return None
    return found


async def refresh(runtime: Runtime, client: Client, token: str, scopes: Sequence[str]) -> Tokens:
    """Use a refresh token up: another secret for the key, with all its scopes or some of them, and another refresh
    token. Raises Unauthenticated for one that is unknown, used or expired, or whose consenting key is no longer
    valid."""
    workspace, now = workspace_of(token), runtime.now()
    found = await find_refresh_token(runtime, client, token)
    if found is None:
        raise Unauthenticated("This refresh token is not valid.")
    text = make_key(workspace)
    narrowed = frozenset(scope for scope in KEY_SCOPES if scope in scopes and scope in found.scopes)
    try:
        async with runtime.db.transaction(workspace) as connection:
            granter = await _granter(connection, workspace, found.granted_by, now)
            grant = KeyGrant("agent", client.name, scopes=narrowed, expires_at=_bounded(now + ACCESS_LIFETIME, granter))
            if not await connection.run(
                "use_refresh_token", workspace=workspace, hash=hash_of(token), now=now
            ) or not await connection.run(
                "renew_client_key", workspace=workspace, id=found.key_id, hash=hash_of(text), prefix=prefix_of(text),
                scopes=sorted(narrowed), expires_at=grant.expires_at,
            ):  # fmt: skip
                raise Unauthenticated("This refresh token is not valid.")
            next_token = await _new_refresh_token(connection, workspace, found.key_id, found.scopes, now, granter)
    except Unauthenticated:
        await find_refresh_token(runtime, client, token)
        raise
    await _note_use(runtime, client, now)
    return _tokens(text, next_token, grant, now)


async def find_client_key(runtime: Runtime, token: str) -> ClientKey | None:
    """Return the live key of a client that an access or refresh token belongs to."""
    workspace = workspace_of(token)
    async with runtime.db.transaction(workspace) as connection:
        return await connection.first(ClientKey, "client_key", workspace=workspace, hash=hash_of(token))


async def revoke_token(runtime: Runtime, token: str) -> None:
    """Revoke the key that an access or refresh token belongs to."""
    workspace = workspace_of(token)
    async with runtime.db.transaction(workspace) as connection:
        key = await connection.first(ClientKey, "client_key", workspace=workspace, hash=hash_of(token))
        if key is not None and await connection.run("revoke_key", workspace=workspace, id=key.id):
            principal = Principal(workspace, key.id, key.role, key.agent)
            await audit.record(connection, principal, "key.revoked", target=str(key.id))


async def _granter(connection: Connection, workspace: UUID, key_id: UUID, now: datetime) -> KeyGrant:
    found = (await keys.lock(connection, workspace, [key_id], now)).get(key_id)
    if found is None:
        raise Unauthenticated("The key that consented is no longer valid.")
    return found


def _granted(granter: KeyGrant, key_id: UUID, asked: KeyGrant, now: datetime) -> KeyGrant:
    """Return the access token that the key of this id consents to. It has no limits of its own: it counts against those
    of the key, as they are at any time. Raises Forbidden for what exceeds the key."""
    made = replace(asked, expires_at=_bounded(now + ACCESS_LIFETIME, granter)).made_by(key_id, granter)
    return replace(made, limits=NO_LIMITS)


def _bounded(moment: datetime, granter: KeyGrant) -> datetime:
    """Return the earlier of a moment and the expiry of the key that consented."""
    return min(moment, granter.expires_at or moment)


async def _new_refresh_token(
    connection: Connection, workspace: UUID, key_id: UUID, scopes: Sequence[str], now: datetime, granter: KeyGrant
) -> str:
    token = make_key(workspace)
    expires_at = _bounded(now + REFRESH_LIFETIME, granter)
    await connection.run(
        "add_refresh_token",
        workspace=workspace, hash=hash_of(token), key_id=key_id, scopes=scopes, expires_at=expires_at,
    )  # fmt: skip
    return token


async def _note_use(runtime: Runtime, client: Client, now: datetime) -> None:
    async with runtime.db.unscoped() as connection:
        await connection.run("note_client_use", id=client.id, now=now)


def _tokens(access: str, refresh_token: str, grant: KeyGrant, now: datetime) -> Tokens:
    assert grant.expires_at is not None
    return Tokens(
        access, refresh_token, int((grant.expires_at - now).total_seconds()), tuple(sorted(grant.scopes or ()))
    )


async def _revoke_copied(runtime: Runtime, workspace: UUID, key_id: UUID, reason: str) -> None:
    async with runtime.db.transaction(workspace) as connection:
        if await connection.run("revoke_key", workspace=workspace, id=key_id):
            principal = Principal(workspace, key_id, "agent", None)
            await audit.record(connection, principal, "key.revoked", target=str(key_id), details={"reason": reason})
            log.warning("oauth_token_copied", key=str(key_id), reason=reason)
