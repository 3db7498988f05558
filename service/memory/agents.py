"""Agents as the API shows them, their bulletins, and tasks, which anybody or declared members alone may name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast
from uuid import UUID

import structlog

from service.db.pool import Connection
from service.domain import cursors
from service.domain.agents import Agent, Task
from service.domain.bulletin import Bulletin, BulletinVersion, StoredBulletin
from service.domain.citations import differences
from service.domain.json import JsonObject
from service.domain.owners import UsersMode
from service.domain.principal import Principal
from service.domain.spending import Payer, paid_by
from service.errors import BudgetReached, Forbidden, NotFound
from service.llm import LLMInvalidOutput, LLMUnavailable
from service.memory import bulletin
from service.memory.access import audit
from service.memory.access.redaction import redact_fields
from service.memory.access.workspace import check_filters
from service.memory.counters import ReadCounter
from service.runtime import Runtime
from service.store import agents
from service.store.settings import agent_settings, workspace_settings

log = structlog.get_logger(__name__)


async def get_agent(runtime: Runtime, principal: Principal, agent: str) -> Agent:
    """Return an agent. Raises NotFound."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        return await _shown(connection, principal.workspace_id, principal.check_owns(agent))


async def users_mode(runtime: Runtime, principal: Principal, agent: str) -> UsersMode | None:
    """Return the setting ``users`` that an agent has of its own, None for one that has none or does not exist."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await agents.get_agent(connection, principal.workspace_id, agent)
    return None if found is None else cast(UsersMode | None, found.settings.get("users"))


async def list_agents(
    runtime: Runtime, principal: Principal, text: str | None = None, *, limit: int, cursor: str | None
) -> tuple[list[Agent], str | None]:
    """Return a page of agents by name, of those whose name has ``text`` in it; an agent key sees itself."""
    (after,) = cursors.decode(cursor, str)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await connection.many(
            Agent, "list_agents", workspace=principal.workspace_id, only=principal.agent, text=text, after=after,
            limit=limit + 1,
        )  # fmt: skip
    return cursors.paginate(found, limit, "agent")


async def payer_for(runtime: Runtime, workspace: UUID, agent_id: UUID) -> Payer:
    """Return who pays for what a worker does for an agent by itself."""
    async with runtime.db.transaction(workspace) as connection:
        return Payer(workspace, agent=await connection.value("agent_by_id", workspace=workspace, agent_id=agent_id))


async def put_agent(runtime: Runtime, principal: Principal, agent: str, changes: JsonObject) -> Agent:
    """Make or change an agent; only the fields given change. An agent key may set its name and settings only, a key of
    a user nothing: all users of the agent would see it."""
    principal.require_write()
    principal.check_owns(agent)
    principal.check_changes([])
    if principal.role != "admin" and {"prime", "teams"} & set(changes):
        raise Forbidden("Only an admin key may change teams or prime.")
    if "settings" in changes:
        changes |= await redact_fields(runtime, principal, {"settings": changes["settings"]})
    async with runtime.db.transaction(principal.workspace_id) as connection:
        agent_id = await agents.ensure_agent(connection, principal.workspace_id, agent)
        if "settings" in changes:
            present = await workspace_settings(connection, principal.workspace_id)
            own = present.of_agent(changes["settings"])
            check_filters(own.memory_types, ("body", "dream", "types"), own.dream.types)
            check_filters(own.memory_types, ("body", "dream", "ignore_types"), own.dream.ignore_types)
            due_at = own.next_dream(runtime.now())
            await connection.run("bring_forward", workspace=principal.workspace_id, agent_id=agent_id, due_at=due_at)
        await agents.change_agent(connection, principal.workspace_id, agent_id, changes)
        if changes.get("teams") is not None:
            await agents.set_teams(connection, principal.workspace_id, agent_id, changes["teams"])
        return await _shown(connection, principal.workspace_id, agent)


async def get_bulletin(runtime: Runtime, principal: Principal, agent: str, version: int | None) -> Bulletin:
    """Return the agent's bulletin of the call's user, or else of nobody: the latest or of that version.

    Raises NotFound when there is none yet.
    """
    async with runtime.db.transaction(principal.workspace_id) as connection:
        stored = await bulletin.get(
            connection, principal.workspace_id, principal.check_owns(agent), principal.own, version, runtime.now()
        )
    if stored is None:
        raise NotFound(f"The agent {agent!r} has no such bulletin.")
    runtime.part(ReadCounter).note(principal, "bulletin", [agent])
    return bulletin.as_shown(stored)


async def rewrite_bulletin(runtime: Runtime, principal: Principal, agent: str) -> Bulletin:
    """Regenerate the agent's bulletin now, by the language model where there is one and it answers, else by rules.

    When nothing it is made of has changed, the bulletin that is there is returned.
    """
    principal.require_write()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        found = await agents.existing_agent(connection, workspace, principal.check_owns(agent))
        rows = await bulletin.inputs(connection, workspace, found.id, principal.own, runtime.now())
        settings = await agent_settings(connection, workspace, found.id)
        choices, llm = settings.dream, runtime.model("bulletin", workspace, settings.llm)
        writer = bulletin.writer_of(llm, choices)
        written: str | None = await connection.value(
            "bulletin_hash", workspace=workspace, agent_id=found.id, owners=principal.own
        )
    made = None
    if llm and rows and written != bulletin.inputs_hash(rows, writer):
        try:
            with paid_by(principal.payer(agent)):
                made = await bulletin.write(llm, agent, rows, choices)
        except (LLMUnavailable, LLMInvalidOutput, BudgetReached) as error:
            log.warning("bulletin_by_rules", error=error.message)
    # Versions are numbered over all owners, whom the user of the request does not see.
    async with runtime.db.transaction(workspace, viewer="everybody") as connection:
        rows_now = await bulletin.inputs(connection, workspace, found.id, principal.own, runtime.now())
        if made is None or made.inputs_hash != bulletin.inputs_hash(rows_now, writer):
            made = bulletin.compose(agent, rows_now, choices.bulletin_tokens_max)
        if written not in (bulletin.inputs_hash(rows_now, writer), made.inputs_hash):
            await connection.run(
                "add_bulletin", workspace=workspace, agent_id=found.id, owners=principal.own, content=made.content,
                tokens=made.tokens, inputs_hash=made.inputs_hash, parts=made.parts, dream_id=None, now=runtime.now(),
            )  # fmt: skip
    return await get_bulletin(runtime, principal, agent, None)


async def bulletin_versions(
    runtime: Runtime, principal: Principal, agent: str, *, compared_to: int | None, limit: int, cursor: str | None
) -> tuple[list[BulletinVersion], str | None]:
    """Return some of the agent's bulletins, newest first, each with what it says and the one before, or the one of that
    number, does not; and the other way round. Raises NotFound for a version that does not exist."""
    (before,) = cursors.decode(cursor, int)
    workspace, owner, now = principal.workspace_id, principal.check_owns(agent), runtime.now()
    async with runtime.db.transaction(workspace) as connection:
        rows = await connection.many(
            StoredBulletin, "bulletin_versions", workspace=workspace, agent=owner, owners=principal.own, before=before,
            limit=limit + 1, now=now,
        )  # fmt: skip
        base = None
        if compared_to is not None:
            base = await bulletin.get(connection, workspace, owner, principal.own, compared_to, now)
            if base is None:
                raise NotFound(f"The agent {agent!r} has no bulletin of version {compared_to}.")
    sentences = [bulletin.sentences_of(row).all for row in rows]
    changes = differences(sentences, bulletin.sentences_of(base).all if base is not None else None)
    kept, more = cursors.paginate(rows, limit, "version")
    return [bulletin.compared(row, changed) for row, changed in zip(kept, changes, strict=False)], more


async def _shown(connection: Connection, workspace: UUID, agent: str) -> Agent:
    found = await connection.first(Agent, "get_agent", workspace=workspace, agent=agent)
    if found is None:
        raise agents.no_agent(agent)
    return found


async def get_task(runtime: Runtime, principal: Principal, task: str) -> Task:
    """Return a task. Raises NotFound, for an agent key also when its agent is not a declared member."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await connection.first(
            Task, "get_task", workspace=principal.workspace_id, task=task, only=principal.agent
        )
    if found is None:
        raise NotFound(f"There is no task {task!r} here.")
    return found


async def list_tasks(
    runtime: Runtime, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[Task], str | None]:
    """Return a page of tasks by name; an agent key sees those that its agent is a declared member of."""
    (after,) = cursors.decode(cursor, str)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await connection.many(
            Task, "list_tasks", workspace=principal.workspace_id, only=principal.agent, after=after, limit=limit + 1
        )
    return cursors.paginate(found, limit, "task")


async def put_task(runtime: Runtime, principal: Principal, task: str, members: Sequence[str] | None) -> Task:
    """Make or change a task: only these agents may name it from now on, or with None whoever does. Raises Forbidden."""
    principal.require_admin()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        agent_ids = [await agents.ensure_agent(connection, workspace, agent) for agent in sorted(set(members or ()))]
        task_id = await agents.ensure_group(connection, "task", workspace, task)
        await agents.set_members(connection, workspace, task_id, None if members is None else agent_ids)
        changed = await connection.first(Task, "get_task", workspace=workspace, task=task, only=None)
        assert changed is not None
        await audit.record(connection, principal, "task.changed", target=task, details={"members": changed.members})
    return changed
