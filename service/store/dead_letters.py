"""What workers are processing now, and the texts that they died on twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection
from service.domain.ids import new_id

Record = dict[str, Any]


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
    """This worker begins to process these texts; ``deadline_s``: how long it can take before the worker is dead."""
    await connection.run(
        "record_in_flight", workspace=place.workspace, job=place.job, owner_id=place.owner_id, worker=worker, step=step,
        subject_ids=ids, deaths=deaths, deadline_s=deadline_s,
    )  # fmt: skip


async def clear(connection: Connection, place: Place, workers: Sequence[str]) -> None:
    """They are done with what they were processing here."""
    await connection.run(
        "clear_in_flight", workspace=place.workspace, job=place.job, owner_id=place.owner_id, workers=workers
    )


async def take_died(connection: Connection, place: Place, worker: str, *, exclusive: bool) -> list[Died] | None:
    """What other workers died on here, and forget their records; None while one of them may be alive.

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
    """Which of these messages are not to be read."""
    rows = await connection.fetch("dead_messages", workspace=workspace, ids=ids)
    return {row["message_id"] for row in rows}


async def resolve_messages(connection: Connection, workspace: UUID, ids: Sequence[UUID], dream_id: UUID) -> bool:
    """They have been dreamed about; False when one of them is not to be any more."""
    if not ids:
        return True
    done = await connection.run("resolve_retried_messages", workspace=workspace, ids=ids, dream_id=dream_id)
    return done == len(ids)


async def resolve_memories(connection: Connection, workspace: UUID, ids: Sequence[UUID], dream_id: UUID) -> None:
    """They have been read after all."""
    await connection.run("resolve_retried_memories", workspace=workspace, ids=ids, dream_id=dream_id)


async def resolve_texts(connection: Connection, workspace: UUID) -> None:
    """Memories and parts of documents that are retried and have their vectors are done with."""
    await connection.run("resolve_retried_texts", workspace=workspace)


async def reopen(connection: Connection, workspace: UUID, dream_id: UUID) -> None:
    """The dream that resolved them has been undone."""
    await connection.run("reopen_dead_letters", workspace=workspace, dream_id=dream_id)


async def listed(
    connection: Connection, workspace: UUID, *, before: UUID | None = None, only: UUID | None = None, limit: int = 1
) -> list[Record]:
    """Those that are set aside or tried again, newest first; or one of them."""
    rows = await connection.fetch("list_dead_letters", workspace=workspace, before=before, id=only, limit=limit)
    return [dict(row) for row in rows]


async def count(connection: Connection, workspace: UUID) -> Record:
    """``count`` of those that are set aside, and ``oldest_at``."""
    return dict(await connection.one("count_dead_letters", workspace=workspace))


async def retry(connection: Connection, workspace: UUID, letter_id: UUID) -> bool:
    """Read the text again; False for one that is not set aside."""
    return bool(await connection.run("retry_dead_letter", workspace=workspace, id=letter_id))


async def discard(connection: Connection, workspace: UUID, letter_id: UUID) -> bool:
    """Give it up: it is never read again. Whether there is such a one."""
    return bool(await connection.run("discard_dead_letter", workspace=workspace, id=letter_id))
