"""Dreams, their changes, their checkpoints, and the schedule with its leases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.ids import new_id
from service.domain.workspace import WorkspaceSettings
from service.llm import Usage

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to dream for one agent, for a term.

    ``token`` is the fencing token: it grows with every claim, and a late holder's is refused. ``dream_id`` is the dream
    that the holder before left unfinished. ``asked`` counts requests for a dream up to the claim, ``failures`` the
    failed dreams in a row. ``scheduled``: the agent was due, not just asked to dream.
    """

    workspace_id: UUID
    agent_id: UUID
    token: int
    dream_id: UUID | None
    asked: int
    failures: int
    scheduled: bool

    @property
    def of_agent(self) -> dict[str, UUID]:
        """What queries call the agent."""
        return {"workspace": self.workspace_id, "agent_id": self.agent_id}

    @property
    def held(self) -> Record:
        """What queries call the lease."""
        return {**self.of_agent, "token": self.token}


async def queue(
    connection: Connection,
    workspace: UUID,
    agent_id: UUID,
    *,
    trigger: str,
    dry_run: bool,
    now: datetime,
    key_id: UUID | None = None,
) -> UUID:
    """A dream waiting for a worker, due at once; one already waiting is taken instead. Workers are woken."""
    dream_id: UUID = await connection.value(
        "queue_dream", workspace=workspace, agent_id=agent_id, id=new_id(), trigger=trigger, dry_run=dry_run, now=now,
        key_id=key_id,
    )  # fmt: skip
    await connection.run("wake_workers")
    return dream_id


async def begin(
    connection: Connection, lease: Lease, now: datetime, *, trigger: str | None, dry_run: bool = False
) -> Row | None:
    """Start the dream to run under this lease, and bind it to the lease: its id, trigger, dry_run and usage so far.

    The one a former holder left unfinished comes first, then the oldest that waits; else a new one when ``trigger``
    says what for, else None.
    """
    workspace = lease.workspace_id
    dream_id: UUID | None = None
    if lease.dream_id is not None:
        held = await get(connection, workspace, lease.dream_id)
        dream_id = lease.dream_id if held and held["status"] in ("running", "queued") else None
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
    row = await connection.row("start_dream", workspace=workspace, id=dream_id, now=now)
    await connection.run(
        "attach_dream", workspace=workspace, agent_id=lease.agent_id, token=lease.token, dream_id=dream_id
    )
    return row


async def get(connection: Connection, workspace: UUID, dream_id: UUID) -> Record | None:
    """One dream, without its changes."""
    row = await connection.row("get_dream", workspace=workspace, id=dream_id)
    return dict(row) if row else None


async def list_(connection: Connection, workspace: UUID, **filters: Any) -> list[Record]:
    """Dreams, newest first."""
    return [dict(row) for row in await connection.fetch("list_dreams", workspace=workspace, **filters)]


async def changes(connection: Connection, workspace: UUID, dream_id: UUID) -> list[Record]:
    """What a dream changed, in order."""
    return [dict(row) for row in await connection.fetch("dream_changes", workspace=workspace, dream_id=dream_id)]


async def list_changes(
    connection: Connection, workspace: UUID, dream_id: UUID, *, actions: Sequence[str] | None, type_: str | None,
    after: int | None, limit: int,
) -> tuple[list[Record], dict[str, int]]:  # fmt: skip
    """Changes of a dream in order with what they rest on, at most ``limit``; and how many there are of each action."""
    rows = await connection.fetch(
        "list_dream_changes", workspace=workspace, dream_id=dream_id, type=type_, after_n=after, limit=limit,
        actions=actions,
    )  # fmt: skip
    counts = await connection.fetch("count_dream_changes", workspace=workspace, dream_id=dream_id, type=type_)
    return [dict(row) for row in rows], {row["op"]: row["count"] for row in counts}


async def cancel(
    connection: Connection, workspace: UUID, dream_id: UUID, *, error: str, not_before: datetime, now: datetime
) -> bool:
    """End a dream that waits or runs, and take the agent from its worker; False for one that is over."""
    if not await connection.run("cancel_dream", workspace=workspace, id=dream_id, error=error, now=now):
        return False
    await connection.run("take_agent_back", workspace=workspace, dream_id=dream_id, not_before=not_before)
    return True


async def claim_due(
    connection: Connection, *, worker: str, lease_s: float, now: datetime, reserved: bool = False
) -> Lease | None:
    """A lease on an agent that is due or was asked to dream, and that nobody holds; workspaces take turns.

    ``reserved``: only of a workspace for which nobody dreams.
    """
    row = await connection.row("claim_due_agent", worker=worker, lease_s=lease_s, now=now, reserved=reserved)
    return Lease(**row) if row else None


async def claim(
    connection: Connection, workspace: UUID, agent_id: UUID, *, worker: str, lease_s: float, now: datetime
) -> Lease | None:
    """A lease on one agent, due or not; None while another worker holds it."""
    row = await connection.row(
        "claim_agent", workspace=workspace, agent_id=agent_id, worker=worker, lease_s=lease_s, now=now
    )
    return Lease(**row) if row else None


async def extend(connection: Connection, lease: Lease, *, lease_s: float) -> bool:
    """Let the lease run on; False when it has been lost."""
    return bool(await connection.run("extend_lease", **lease.held, lease_s=lease_s))


async def fence(connection: Connection, lease: Lease) -> bool:
    """Lock the lease until the transaction ends; False when it has been lost."""
    found: int | None = await connection.value("fence", **lease.held)
    return found is not None


async def is_queued(connection: Connection, lease: Lease) -> bool:
    """Whether a dream that was asked for waits for this agent."""
    return await connection.value("next_queued_dream", **lease.of_agent) is not None


async def bring_forward(connection: Connection, workspace: UUID, agent_id: UUID | None, due_at: datetime) -> None:
    """The agent, or every agent of the workspace, is due at that time at the latest."""
    await connection.run("bring_forward", workspace=workspace, agent_id=agent_id, due_at=due_at)


async def release(connection: Connection, lease: Lease, *, due_at: datetime | None, failures: int) -> None:
    """Done: give the lease back. The agent is due again at ``due_at`` (None: as before), or when it is next asked."""
    await connection.run("release_lease", **lease.held, due_at=due_at, asked=lease.asked, failures=failures)


async def abandon_lease(connection: Connection, lease: Lease) -> None:
    """Not done: give the lease back; the agent is as due as it was, and its dream waits for the next worker."""
    await connection.run("requeue_dream", **lease.of_agent)
    await connection.run("abandon_lease", **lease.held)


async def finish(
    connection: Connection,
    workspace: UUID,
    dream_id: UUID,
    *,
    status: str,
    report: Record,
    error: str | None,
    now: datetime,
    changes: Sequence[Record] = (),
    watermarks: Sequence[Record] = (),
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


async def save_ranges(
    connection: Connection, workspace: UUID, dream_id: UUID, watermarks: Sequence[Record], memory_ids: Sequence[UUID]
) -> None:
    """Settle which messages and memories a dream reads."""
    await connection.run("save_ranges", workspace=workspace, id=dream_id, watermarks=watermarks, memory_ids=memory_ids)


async def unread_memories(
    connection: Connection, lease: Lease, *, ids: Sequence[UUID] | None, embedded: bool, limit: int, now: datetime
) -> list[Row]:
    """The agent's memories that no dream has read as they are now, at most so many; of these ids only, if given.

    ``embedded``: those that have their vectors.
    """
    return await connection.fetch("unread_memories", **lease.of_agent, ids=ids, embedded=embedded, limit=limit, now=now)


async def count_unread_memories(connection: Connection, lease: Lease, *, embedded: bool, now: datetime) -> int:
    """How many such memories there are."""
    return await connection.value("count_unread_memories", **lease.of_agent, embedded=embedded, now=now)


async def mark_read(connection: Connection, workspace: UUID, items: Sequence[Record]) -> set[UUID]:
    """Note what was read (``reading``) in memories at their ``version``; the ids of those that still stand at it."""
    rows = await connection.fetch("mark_read", workspace=workspace, items=items) if items else []
    return {row["id"] for row in rows}


async def note_progress(connection: Connection, workspace: UUID, dream_id: UUID, report: Record) -> None:
    """Show how far a dream under way has come."""
    await connection.run("note_progress", workspace=workspace, id=dream_id, report=report)


async def find_steps(
    connection: Connection, workspace: UUID, agent_id: UUID, hashes: Sequence[str]
) -> dict[str, Record]:
    """Results of the agent's finished steps among these, by the hash of their input."""
    rows = await connection.fetch("find_steps", workspace=workspace, agent_id=agent_id, hashes=hashes)
    return {row["input_hash"]: row["result"] for row in rows}


async def save_step(
    connection: Connection,
    lease: Lease,
    dream_id: UUID,
    *,
    input_hash: str,
    step: str,
    result: Record,
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
    connection: Connection, lease: Lease, dream_id: UUID, verdicts: Mapping[str, Record], *, now: datetime
) -> bool:
    """Keep verdicts by the hash of what was asked, beyond the dream. False, and none kept, when the lease is lost."""
    if not await fence(connection, lease):
        return False
    items = [{"input_hash": input_hash, "result": result} for input_hash, result in verdicts.items()]
    await connection.run("save_verdicts", **lease.of_agent, items=items, dream_id=dream_id, now=now)
    return True


async def add_usage(connection: Connection, workspace: UUID, dream_id: UUID, used: Usage) -> None:
    """Add to what a dream used of the language model."""
    await connection.run("add_dream_usage", workspace=workspace, id=dream_id, **asdict(used))


async def usage(connection: Connection, workspace: UUID, dream_id: UUID) -> Usage:
    """What a dream used of the language model."""
    return Usage(**await connection.value("dream_usage", workspace=workspace, id=dream_id))


async def schedule_new(connection: Connection, now: datetime) -> None:
    """Agents that have never been scheduled are due; workers are woken. Outside any workspace, like the next two."""
    if await connection.run("schedule_new", now=now):
        await connection.run("wake_workers")


async def schedule_all_now(connection: Connection, now: datetime) -> None:
    """Every agent is due; workers are woken."""
    await connection.run("schedule_all_now", now=now)
    await connection.run("wake_workers")


async def schedule_now(connection: Connection, agents: Sequence[tuple[UUID, UUID]], now: datetime) -> None:
    """These (workspace, agent) are due; workers are woken."""
    for workspace, agent_id in agents:
        await connection.run("schedule_now", workspace=workspace, agent_id=agent_id, now=now)
    if agents:
        await connection.run("wake_workers")


async def due_messages(
    connection: Connection,
    lease: Lease,
    *,
    limit: int,
    tokens_max: int,
    ranges: Sequence[Mapping[str, Any]] | None,
) -> list[Row]:
    """The next messages past the watermarks of the agent's sessions, in order; of these ranges only, if given."""
    return await connection.fetch(
        "due_messages", **lease.of_agent, limit=limit, tokens_max=tokens_max, stretches=ranges or None
    )


async def count_due(connection: Connection, lease: Lease) -> int:
    """How many messages past the watermarks the agent has."""
    return await connection.value("count_due_messages", **lease.of_agent)


async def advance_watermark(
    connection: Connection, workspace: UUID, session_id: UUID, *, from_seq: int, to_seq: int
) -> bool:
    """Note that a session has been dreamed about up to ``to_seq``; False where its watermark is not ``from_seq``."""
    moved = await connection.run(
        "advance_watermark", workspace=workspace, session_id=session_id, from_seq=from_seq, seq=to_seq
    )
    return bool(moved)


async def forget_steps(connection: Connection, workspace: UUID, agent_id: UUID, hashes: Sequence[str]) -> None:
    """Remove the results of finished steps."""
    await connection.run("forget_steps", workspace=workspace, agent_id=agent_id, hashes=hashes)


async def has_decayed(connection: Connection, lease: Lease, settings: WorkspaceSettings, now: datetime) -> bool:
    """Whether ``decay`` would change anything."""
    return await connection.value("has_decayed", **_decay(lease, settings, now))


async def decay(connection: Connection, lease: Lease, settings: WorkspaceSettings, now: datetime) -> list[Row]:
    """Bring what search knows of the importance of the agent's memories up to date; what changed, before and after."""
    return await connection.fetch("decay", **_decay(lease, settings, now))


def _decay(lease: Lease, settings: WorkspaceSettings, now: datetime) -> Record:
    return {
        **lease.of_agent,
        "now": now,
        "days": settings.retention.decay_days,
        "faded_below": settings.retrieval.faded_below,
    }
