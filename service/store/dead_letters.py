"""What workers are processing now, and the texts that they died on twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.db.records import make
from service.domain.dead_letters import DeadLetter, reason
from service.domain.ids import new_id


@dataclass(frozen=True, slots=True)
class Place:
    """Whose work it is: a ``job`` for one ``owner_id``, an agent of dreams, a session of compaction, a workspace of
    embedding."""

    workspace: UUID
    job: str
    owner_id: UUID


@dataclass(frozen=True, slots=True)
class Died:
    """What a worker was at when it died, and how often workers had died over it before."""

    step: str
    subject_ids: list[UUID]
    deaths: int


async def record(
    connection: Connection, place: Place, worker: str, *, step: str, ids: Sequence[UUID], deaths: int, deadline_s: float
) -> None:
    """Note that this worker begins to process these texts; ``deadline_s``: how long it can take until it is dead."""
    await connection.run(
        "record_in_flight", workspace=place.workspace, job=place.job, owner_id=place.owner_id, worker=worker, step=step,
        subject_ids=ids, deaths=deaths, deadline_s=deadline_s,
    )  # fmt: skip


async def clear(connection: Connection, place: Place, workers: Sequence[str]) -> None:
    """Note that these workers are done with what they were processing here."""
    await connection.run(
        "clear_in_flight", workspace=place.workspace, job=place.job, owner_id=place.owner_id, workers=workers
    )


async def take_died(connection: Connection, place: Place, worker: str, *, exclusive: bool) -> list[Died] | None:
    """Take up what other workers died on here, and forget their records; None while one of them may be alive.

    ``exclusive``: this worker holds the lease under which the others worked, so they are not at it any more.
    """
    rows = await connection.fetch(
        "in_flight_elsewhere", workspace=place.workspace, job=place.job, owner_id=place.owner_id, worker=worker
    )
    if not exclusive and not all(row["overdue"] for row in rows):
        return None
    if rows:
        await clear(connection, place, [row["worker"] for row in rows])
    return [Died(row["step"], row["subject_ids"], row["deaths"]) for row in rows]


async def add(
    connection: Connection, workspace: UUID, subject_id: UUID, *, job: str, step: str, attempts: int,
    dream_id: UUID | None, now: datetime,
) -> None:  # fmt: skip
    """Set a text aside: nothing reads it until it is retried."""
    await connection.run(
        "add_dead_letter", workspace=workspace, id=new_id(), subject_id=subject_id, job=job, step=step,
        attempts=attempts, dream_id=dream_id, now=now,
    )  # fmt: skip


async def of_messages(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these messages are not to be read."""
    rows = await connection.fetch("dead_messages", workspace=workspace, ids=ids)
    return {row["message_id"] for row in rows}


async def resolve_messages(connection: Connection, workspace: UUID, ids: Sequence[UUID], dream_id: UUID) -> bool:
    """Note that they have been dreamed about; return False when one of them is not to be any more."""
    if not ids:
        return True
    done = await connection.run("resolve_retried_messages", workspace=workspace, ids=ids, dream_id=dream_id)
    return done == len(ids)


async def listed(
    connection: Connection, workspace: UUID, *, before: UUID | None = None, only: UUID | None = None, limit: int = 1
) -> list[DeadLetter]:
    """Return those that are set aside or tried again, newest first; or one of them."""
    rows = await connection.fetch("list_dead_letters", workspace=workspace, before=before, id=only, limit=limit)
    return [make(DeadLetter, {**row, "reason": reason(row["step"], row["attempts"])}) for row in rows]
