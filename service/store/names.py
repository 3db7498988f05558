"""What a workspace's names are masked with, and which names are in use as they were given."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from service.db.pool import Connection


async def secret(connection: Connection, workspace: UUID, fresh: bytes) -> bytes:
    """The secret of the workspace; ``fresh`` becomes it where there is none. It never changes."""
    found: bytes | None = await connection.value("pii_secret", workspace=workspace)
    while found is None:
        await connection.run("keep_pii_secret", workspace=workspace, secret=fresh)
        found = await connection.value("pii_secret", workspace=workspace)
    return found


async def has_secret(connection: Connection, workspace: UUID) -> bool:
    """Whether any name of the workspace can have been masked."""
    return await connection.value("pii_secret", workspace=workspace) is not None


async def in_use(connection: Connection, workspace: UUID, names: Collection[str]) -> set[tuple[str, str]]:
    """The (kind, name) of agents, teams, tasks, sessions and users that go by these names."""
    rows = await connection.fetch("names_in_use", workspace=workspace, names=list(names))
    return {(row["kind"], row["name"]) for row in rows}
