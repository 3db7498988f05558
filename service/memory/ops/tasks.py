"""Tasks, and who may name them: whoever does, or declared members alone."""

from __future__ import annotations

from collections.abc import Sequence

from service.domain import cursors
from service.domain.agents import Task
from service.domain.principal import Principal
from service.errors import NotFound
from service.memory.access import audit
from service.memory.engine import Engine
from service.store import agents


async def get_task(engine: Engine, principal: Principal, task: str) -> Task:
    """Return a task. Raises NotFound, for an agent key also when its agent is not a declared member."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        found = await connection.first(
            Task, "get_task", workspace=principal.workspace_id, task=task, only=principal.agent
        )
    if found is None:
        raise NotFound(f"There is no task {task!r} here.")
    return found


async def list_tasks(
    engine: Engine, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[Task], str | None]:
    """Return a page of tasks by name; an agent key sees those that its agent is a declared member of."""
    (after,) = cursors.decode(cursor, str)
    async with engine.db.transaction(principal.workspace_id) as connection:
        found = await connection.many(
            Task, "list_tasks", workspace=principal.workspace_id, only=principal.agent, after=after, limit=limit + 1
        )
    return cursors.paginate(found, limit, "task")


async def put_task(engine: Engine, principal: Principal, task: str, members: Sequence[str] | None) -> Task:
    """Make or change a task: only these agents may name it from now on, or with None whoever does. Raises Forbidden."""
    principal.require_admin()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        agent_ids = [await agents.ensure_agent(connection, workspace, agent) for agent in sorted(set(members or ()))]
        task_id = await agents.ensure_group(connection, "task", workspace, task)
        await agents.set_members(connection, workspace, task_id, None if members is None else agent_ids)
        changed = await connection.first(Task, "get_task", workspace=workspace, task=task, only=None)
        assert changed is not None
        await audit.record(connection, principal, "task.changed", target=task, details={"members": changed.members})
    return changed
