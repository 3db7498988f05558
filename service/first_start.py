"""What the first start makes: the default workspace, and its first admin key; in process, a key of its own."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from service.db.pool import Database
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.principal import KeyGrant
from service.errors import InvalidInput
from service.memory.access.keys import PREFIX, add_key, hash_of, workspace_of
from service.memory.access.redaction import masked_names, workspace_masking
from service.runtime import OwnKey, Runtime
from service.settings import Settings
from service.store import keys, workspaces
from service.store.installation import shared_secret

DEFAULT_NAME = "default"
GIVEN = "REVERIE_ADMIN_KEY"
OWN = "in process"


@dataclass(frozen=True, slots=True)
class FirstStart:
    """The admin key that a start has made, if it made one, and in one line where to find the one there is."""

    made: str | None
    where: str


async def first_start(settings: Settings) -> FirstStart:
    """Make the default workspace and, when it has no admin key yet, one.

    The key is REVERIE_ADMIN_KEY if that is set (also beside older keys), else a new one, kept in
    ``<data folder>/admin-key`` with mode 600. A REVERIE_ADMIN_KEY that was rotated or revoked stays so, which ``where``
    says. Raises InvalidInput for one that names another workspace.
    """
    if settings.admin_key and workspace_of(settings.admin_key) != DEFAULT_WORKSPACE:
        raise InvalidInput(
            (GIVEN,),
            f"{GIVEN}: a key that begins with {PREFIX} names the workspace it opens, and this one names another than "
            "the default workspace; choose a text that begins otherwise",
        )
    async with _database(settings) as db:
        async with db.unscoped() as connection:
            await workspaces.add(connection, DEFAULT_WORKSPACE, DEFAULT_NAME)
        if settings.admin_key:
            return FirstStart(None, await _accept_key(Runtime(db), settings.admin_key))
        where = f"The admin key is kept in {settings.data_dir / 'admin-key'}"
        async with db.transaction(DEFAULT_WORKSPACE) as connection:
            present = await keys.count_admin_keys(connection, DEFAULT_WORKSPACE)
        if present:
            return FirstStart(None, where)
        _, key = await add_key(Runtime(db), DEFAULT_WORKSPACE, KeyGrant("admin", "first admin key"))
    keep_key(settings.data_dir, key)
    return FirstStart(key, where)


async def _accept_key(runtime: Runtime, key: str) -> str:
    """Add the operator's key unless it has been here before; say in one line whether it opens."""
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        known = await keys.with_secret(connection, DEFAULT_WORKSPACE, hash_of(key))
    if known is None:
        await add_key(runtime, DEFAULT_WORKSPACE, KeyGrant("admin", GIVEN), key)
    elif not known.valid:
        return f"{GIVEN} was rotated or revoked and is not valid: use a later key, or set another one."
    elif known.role != "admin":
        return f"{GIVEN} is the text of a key with the role {known.role}, which it keeps: set another one."
    return f"The admin key is the one in {GIVEN}."


def keep_key(data_dir: Path, key: str) -> None:
    """Write the first admin key where only its owner reads it."""
    data_dir.mkdir(parents=True, exist_ok=True)
    path = data_dir / "admin-key"
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(key + "\n")


async def own_key(runtime: Runtime) -> OwnKey:
    """Return a key with which this process calls itself as an admin of the default workspace, which is made as well.

    Its row has a hash of no text, so that no caller from elsewhere has this key, and serves every process; the text is
    this process's alone. A row that was revoked stays so, and another takes its place. The first start of a server does
    not take it for its admin key.
    """
    async with runtime.db.unscoped() as connection:
        await workspaces.add(connection, DEFAULT_WORKSPACE, DEFAULT_NAME)
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        hashed = await shared_secret(connection, OWN)  # locks out another process until this one's key is there
        while (known := await keys.with_secret(connection, DEFAULT_WORKSPACE, hashed)) is not None and not known.valid:
            hashed = hashlib.sha256(hashed).digest()
        if known is None:
            await keys.add(connection, DEFAULT_WORKSPACE, new_id(), KeyGrant("admin", OWN), hashed=hashed, prefix="")
    return OwnKey(secrets.token_urlsafe(32), hashed)


async def key_in_workspace(settings: Settings, grant: KeyGrant, workspace: str | None) -> str:
    """Make a key of a workspace given by name, which is made as well where there is none."""
    async with _database(settings) as db:
        async with db.unscoped() as connection:
            wanted = workspace or DEFAULT_NAME
            fresh = DEFAULT_WORKSPACE if workspace is None else new_id()
            await workspaces.add(connection, fresh, wanted)
            found = await workspaces.find(connection, wanted)
            assert found is not None
        runtime = Runtime(db)
        pii = await workspace_masking(runtime, found)
        given = [(("name",), grant.name)] + ([(("agent",), grant.agent)] if grant.agent is not None else [])
        masked = await masked_names(runtime, found, pii, given, refuse=True)
        agent = masked[1] if grant.agent is not None else None
        _, key = await add_key(runtime, found, replace(grant, name=masked[0], agent=agent))
        runtime.executor.close()
    return key


@asynccontextmanager
async def _database(settings: Settings) -> AsyncIterator[Database]:
    assert settings.database_url is not None
    db = await Database.open(settings.database_url, size=1, application="reverie-setup")
    try:
        yield db
    finally:
        await db.close()
