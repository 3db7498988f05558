"""Dreams, their changes, their checkpoints, and the schedule with its leases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from service.db.pool import Connection, Row
from service.db.records import make
from service.domain.dreams import (
    ChangedFields,
    ChangeLine,
    Dream,
    DreamAction,
    DreamChange,
    DreamStatus,
    SeqRange,
    Trigger,
    describe_change,
    summarize_dream,
)
from service.domain.ids import new_id
from service.domain.json import JsonObject
from service.domain.owners import Owners
from service.domain.spending import Usage


class OfAgent(TypedDict):
    """What queries call the agent of a lease."""

    workspace: UUID
    agent_id: UUID


class OfOwners(OfAgent):
    """What queries call the agent of a lease and the owners of what is read."""

    owners: list[str]


class Held(OfAgent):
    """What queries call a lease."""

    token: int


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to dream for one agent, for a term.

    ``token`` is the fencing token: it grows with every claim, and a late holder's is refused. ``dream_id`` is the dream
    that the holder before left unfinished. ``asked`` counts requests for a dream up to the claim, ``failures`` the
    failed dreams in a row. ``scheduled``: the agent was due, not just asked to dream. ``owners``: a dream reads and
    writes what belongs to exactly these.
    """

    workspace_id: UUID
    agent_id: UUID
    token: int
    dream_id: UUID | None
    asked: int
    failures: int
    scheduled: bool
    owners: list[str]

    @property
    def of_owners(self) -> OfOwners:
        """Return what queries call the agent and the owners."""
        return {**self.of_agent, "owners": self.owners}

    @property
    def of_agent(self) -> OfAgent:
        """Return what queries call the agent."""
        return {"workspace": self.workspace_id, "agent_id": self.agent_id}

    @property
    def held(self) -> Held:
        """Return what queries call the lease."""
        return {**self.of_agent, "token": self.token}


@dataclass(frozen=True, slots=True)
class StartedDream:
    """A dream that is being run: what it used so far, and what it was going to read when it was begun before."""

    id: UUID
    trigger: Trigger
    dry_run: bool
    usage: Usage
    watermarks: list[SeqRange]
    memory_ids: list[UUID]
    owners: list[str]


@dataclass(frozen=True, slots=True)
class NewChange:
    """A change to be recorded. ``undo`` is what ``service.memory.dreams.runs`` needs to take it back."""

    ordinal: int
    op: DreamAction
    memory_id: UUID | None
    before: ChangedFields | None
    after: ChangedFields | None
    undo: JsonObject | None
    reason: str


async def queue(
    connection: Connection,
    workspace: UUID,
    agent_id: UUID,
    *,
    trigger: Trigger,
    dry_run: bool,
    now: datetime,
    owners: Owners = (),
    key_id: UUID | None = None,
) -> UUID:
    """Let a dream wait for a worker, due at once; one of these owners that already waits is taken instead. Wake the
    workers. Without owners, it is of those of what is due the longest when it begins."""
    dream_id: UUID = await connection.value(
        "queue_dream", workspace=workspace, agent_id=agent_id, owners=list(owners), id=new_id(), trigger=trigger,
        dry_run=dry_run, now=now,
        key_id=key_id,
    )  # fmt: skip
    await connection.run("wake_workers")
    return dream_id


async def begin(
    connection: Connection, lease: Lease, now: datetime, *, trigger: Trigger | None, dry_run: bool = False
) -> StartedDream | None:
    """Start the dream to run under this lease, and bind it to the lease.

    The one a former holder left unfinished comes first, then the oldest that waits; else a new one when ``trigger``
    says what for, else None.
    """
    workspace = lease.workspace_id
    dream_id: UUID | None = None
    if lease.dream_id is not None:
        held = await get(connection, workspace, lease.dream_id)
        dream_id = lease.dream_id if held and held.status in ("running", "queued") else None
    if dream_id is None:
        dream_id = await connection.value("next_queued_dream", workspace=workspace, agent_id=lease.agent_id)
    if dream_id is None and trigger is not None:
        dream_id = new_id()
        await connection.run(
            "add_dream", workspace=workspace, agent_id=lease.agent_id, id=dream_id, trigger=trigger, dry_run=dry_run,
            now=now,
        )  # fmt: skip
    if dream_id is None:
        return None
    row = await connection.one("start_dream", workspace=workspace, id=dream_id, owners=lease.owners, now=now)
    await connection.run(
        "attach_dream", workspace=workspace, agent_id=lease.agent_id, token=lease.token, dream_id=dream_id
    )
    return make(StartedDream, {**row, "usage": Usage(**row["usage"]), "watermarks": _ranges(row["watermarks"])})


async def get(connection: Connection, workspace: UUID, dream_id: UUID) -> Dream | None:
    """Return a dream, without its changes."""
    row = await connection.row("get_dream", workspace=workspace, id=dream_id)
    return _dream(row) if row else None


async def get_whole(connection: Connection, workspace: UUID, dream_id: UUID) -> Dream | None:
    """Return a dream with its changes, in order."""
    row = await connection.row("get_dream", workspace=workspace, id=dream_id)
    if row is None:
        return None
    changes = await connection.fetch("dream_changes", workspace=workspace, dream_id=dream_id)
    return _dream(row, [make(ChangeLine, _with_text(change)) for change in changes])


async def list_(
    connection: Connection,
    workspace: UUID,
    *,
    agent: str | None,
    status: DreamStatus | None,
    before: UUID | None,
    limit: int,
) -> list[Dream]:
    """Return dreams without their changes, newest first."""
    rows = await connection.fetch(
        "list_dreams", workspace=workspace, agent=agent, status=status, before=before, limit=limit
    )
    return [_dream(row) for row in rows]


def _dream(row: Row, changes: Sequence[ChangeLine] | None = None) -> Dream:
    summary = summarize_dream(row["status"], row["report"], row["error"])
    return make(Dream, {**row, "summary": summary, "changes": changes})


def _with_text(row: Row) -> Row:
    return {**row, "text": describe_change(row["op"], row["before"], row["after"], row["reason"])}


def _ranges(stored: Sequence[JsonObject]) -> list[SeqRange]:
    return [SeqRange(UUID(one["session_id"]), one["from_seq"], one["to_seq"]) for one in stored]


async def list_changes(
    connection: Connection, workspace: UUID, dream_id: UUID, *, actions: Sequence[DreamAction] | None,
    type_: str | None, after: int | None, limit: int,
) -> tuple[list[DreamChange], dict[str, int]]:  # fmt: skip
    """Return changes of a dream in order, at most ``limit``; and how many there are of each action."""
    rows = await connection.fetch(
        "list_dream_changes", workspace=workspace, dream_id=dream_id, type=type_, after_n=after, limit=limit,
        actions=actions,
    )  # fmt: skip
    counts = await connection.fetch("count_dream_changes", workspace=workspace, dream_id=dream_id, type=type_)
    return [make(DreamChange, _with_text(row)) for row in rows], {row["op"]: row["count"] for row in counts}


async def cancel(
    connection: Connection, workspace: UUID, dream_id: UUID, *, error: str, not_before: datetime, now: datetime
) -> bool:
    """End a dream that waits or runs, and take the agent from its worker; False for one that is over."""
    if not await connection.run("cancel_dream", workspace=workspace, id=dream_id, error=error, now=now):
        return False
    await connection.run("take_agent_back", workspace=workspace, dream_id=dream_id, not_before=not_before)
    return True


async def fence(connection: Connection, lease: Lease) -> bool:
    """Lock the lease until the transaction ends; False when it has been lost."""
    found: int | None = await connection.value("fence", **lease.held)
    return found is not None


async def abandon_lease(connection: Connection, lease: Lease) -> None:
    """Give the lease back before the agent is done with: it is as due as it was, and its dream waits for the next
    worker."""
    await connection.run("requeue_dream", **lease.of_agent)
    await connection.run("abandon_lease", **lease.held)


async def finish(
    connection: Connection,
    workspace: UUID,
    dream_id: UUID,
    *,
    status: DreamStatus,
    report: JsonObject,
    error: str | None,
    now: datetime,
    changes: Sequence[NewChange] = (),
    watermarks: Sequence[SeqRange] = (),
    memory_ids: Sequence[UUID] = (),
) -> None:
    """Close a dream with its report and its diff. ``watermarks``: the stretches of sessions it covered;
    ``memory_ids``: the memories it read."""
    await connection.run(
        "finish_dream", workspace=workspace, id=dream_id, status=status, report=report, error=error,
        watermarks=watermarks, memory_ids=memory_ids, now=now,
    )  # fmt: skip
    if changes:
        await connection.run("add_changes", workspace=workspace, dream_id=dream_id, changes=changes)


async def save_step(
    connection: Connection,
    lease: Lease,
    dream_id: UUID,
    *,
    input_hash: str,
    step: str,
    result: JsonObject,
    message_ids: Sequence[UUID],
    now: datetime,
) -> bool:
    """Keep the result of a finished step, made of these messages. False, and nothing kept, when the lease is lost."""
    if not await fence(connection, lease):
        return False
    await connection.run(
        "save_step", **lease.of_agent, input_hash=input_hash, step=step,
        result=result, dream_id=dream_id, message_ids=message_ids, now=now,
    )  # fmt: skip
    return True


async def save_verdicts(
    connection: Connection, lease: Lease, dream_id: UUID, verdicts: Mapping[str, JsonObject], *, now: datetime
) -> bool:
    """Keep verdicts by the hash of what was asked, beyond the dream. False, and none kept, when the lease is lost."""
    if not await fence(connection, lease):
        return False
    items = [{"input_hash": input_hash, "result": result} for input_hash, result in verdicts.items()]
    await connection.run("save_verdicts", **lease.of_agent, items=items, dream_id=dream_id, now=now)
    return True


async def schedule_new(connection: Connection, now: datetime) -> None:
    """Make the agents due that have never been scheduled, and wake the workers. Outside any workspace, like the next
    two."""
    if await connection.run("schedule_new", now=now):
        await connection.run("wake_workers")


async def schedule_all_now(connection: Connection, now: datetime) -> None:
    """Make every agent due, and wake the workers."""
    await connection.run("schedule_all_now", now=now)
    await connection.run("wake_workers")


async def schedule_now(connection: Connection, agents: Sequence[tuple[UUID, UUID]], now: datetime) -> None:
    """Make these (workspace, agent) due, and wake the workers."""
    for workspace, agent_id in agents:
        await connection.run("schedule_now", workspace=workspace, agent_id=agent_id, now=now)
    if agents:
        await connection.run("wake_workers")
