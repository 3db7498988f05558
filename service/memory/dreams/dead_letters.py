"""Dead letters: texts that workers died over, for an admin to read, retry or give up. They are found by
:mod:`service.memory.dreams.in_flight`."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from service.db.pool import Connection
from service.domain import cursors
from service.domain.dead_letters import reason
from service.domain.principal import Principal
from service.errors import NotFound
from service.memory.access import audit
from service.memory.engine import Engine
from service.store import dead_letters, dreams

Record = dict[str, Any]


async def list_dead_letters(
    engine: Engine, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[Record], str | None]:
    """A page of them, newest first. Raises Forbidden for anyone but an admin."""
    principal.require_admin()
    (before,) = cursors.decode(cursor, UUID)
    async with engine.db.transaction(principal.workspace_id) as connection:
        rows = await dead_letters.listed(connection, principal.workspace_id, before=before, limit=limit + 1)
    rows, more = cursors.paginate(rows, limit, "id")
    return [_shown(row) for row in rows], more


async def retry_dead_letter(engine: Engine, principal: Principal, letter_id: UUID) -> Record:
    """Have it read once more: a message by a dream that is due at once, another text when it is embedded next.

    One that is being retried stays so. Raises Forbidden, NotFound.
    """
    principal.require_admin()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        letter = await _get(connection, workspace, letter_id)
        if await dead_letters.retry(connection, workspace, letter_id):
            if letter["kind"] == "message":
                await dreams.queue(
                    connection, workspace, letter["agent_id"], trigger="retry", dry_run=False, now=engine.now()
                )
            await audit.record(connection, principal, "dead_letter.retried", target=str(letter_id))
            letter = await _get(connection, workspace, letter_id)
    return _shown(letter)


async def discard_dead_letter(engine: Engine, principal: Principal, letter_id: UUID) -> None:
    """Give it up: nothing reads it any more, and it is no longer listed. Its text stays where it is.

    Raises Forbidden, NotFound.
    """
    principal.require_admin()
    async with engine.db.transaction(principal.workspace_id) as connection:
        if not await dead_letters.discard(connection, principal.workspace_id, letter_id):
            raise NotFound("There is no such dead letter here.")
        await audit.record(connection, principal, "dead_letter.discarded", target=str(letter_id))


async def _get(connection: Connection, workspace: UUID, letter_id: UUID) -> Record:
    found = await dead_letters.listed(connection, workspace, only=letter_id)
    if not found:
        raise NotFound("There is no such dead letter here.")
    return found[0]


def _shown(row: Record) -> Record:
    shown = {name: value for name, value in row.items() if name != "agent_id"}
    return shown | {"reason": reason(row["step"], row["attempts"])}
