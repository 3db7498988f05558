"""Dead letters, the texts that workers died over (``service.memory.in_flight``): listed, retried and discarded by an
admin."""

from __future__ import annotations

from uuid import UUID

from service.db.pool import Connection
from service.db.records import make
from service.domain import cursors
from service.domain.dead_letters import DeadLetter, reason
from service.domain.principal import Principal
from service.errors import NotFound
from service.memory.access import audit
from service.runtime import Runtime
from service.store import agents, dreams

ABSENT = "There is no such dead letter here."


async def list_dead_letters(
    runtime: Runtime, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[DeadLetter], str | None]:
    """Return a page of them, newest first. Raises Forbidden for anyone but an admin."""
    principal.require_admin()
    (before,) = cursors.decode(cursor, UUID)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await _listed(connection, principal.workspace_id, before=before, limit=limit + 1)
    return cursors.paginate(found, limit, "id")


async def retry_dead_letter(runtime: Runtime, principal: Principal, letter_id: UUID) -> DeadLetter:
    """Have it read once more: a message by a dream that is due at once, another text when it is embedded next.

    One that is being retried stays so. Raises Forbidden, NotFound.
    """
    principal.require_admin()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        letter = await _get(connection, workspace, letter_id)
        if await connection.run("retry_dead_letter", workspace=workspace, id=letter_id):
            if letter.kind == "message":
                agent = await agents.existing_agent(connection, workspace, letter.agent)
                await dreams.queue(connection, workspace, agent.id, trigger="retry", dry_run=False, now=runtime.now())
            await audit.record(connection, principal, "dead_letter.retried", target=str(letter_id))
            letter = await _get(connection, workspace, letter_id)
    return letter


async def discard_dead_letter(runtime: Runtime, principal: Principal, letter_id: UUID) -> None:
    """Give it up: nothing reads it any more, and it is no longer listed. Its text stays where it is.

    Raises Forbidden, NotFound.
    """
    principal.require_admin()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        if not await connection.run("discard_dead_letter", workspace=principal.workspace_id, id=letter_id):
            raise NotFound(ABSENT)
        await audit.record(connection, principal, "dead_letter.discarded", target=str(letter_id))


async def _get(connection: Connection, workspace: UUID, letter_id: UUID) -> DeadLetter:
    found = await _listed(connection, workspace, only=letter_id)
    if not found:
        raise NotFound(ABSENT)
    return found[0]


async def _listed(
    connection: Connection, workspace: UUID, *, before: UUID | None = None, only: UUID | None = None, limit: int = 1
) -> list[DeadLetter]:
    rows = await connection.fetch("list_dead_letters", workspace=workspace, before=before, id=only, limit=limit)
    return [make(DeadLetter, {**row, "reason": reason(row["step"], row["attempts"])}) for row in rows]
