"""Poison messages: found by what was in flight when a worker died, and set aside as dead letters.

Before a step processes texts it records which; after it, it clears the record. A worker that dies over them (killed,
out of memory, crashed, ended by a deadline) leaves its record, and the next worker takes it up: these texts are
suspects, processed one at a time with nothing else in flight in the process. A text that workers have died on twice
while it was processed alone is a dead letter, which nothing reads until somebody retries it. A death over a batch makes
suspects and proves nothing: whoever is killed at random, soon after another, was alone with some innocent text.

A step that needs a whole batch (comparing candidates, say) cannot take suspects one at a time. Where such a step ends a
worker twice, the batch is cut to a hundredth, and then to one.

Waiting for a model or for the database is not part of a step: whoever is killed meanwhile has died on nothing.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import Protocol, TypeVar, TypeVarTuple
from uuid import UUID

import structlog

from service.db.pool import Connection
from service.domain.ids import new_id
from service.errors import Unavailable
from service.runtime import Runtime

log = structlog.get_logger(__name__)

CRASHES_MAX = 2
EXIT_STATUS = 70
"""EX_SOFTWARE of sysexits.h."""
STEP_DEADLINE_S = 120.0
DEAD_AFTER_S = 10.0
"""After its deadline a worker that was at a step is gone."""
BATCH_CUT = 100
CHARS_AT_ONCE = 250_000
LOGGED_MAX = 20

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


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


class AdmissionGate:
    """A readers-writer lock of one event loop: many pass together, or one alone, which is preferred."""

    def __init__(self) -> None:
        self._inside = 0
        self._alone = False
        self._waiting_alone = 0
        self._left = asyncio.Event()

    @asynccontextmanager
    async def passed(self, *, alone: bool) -> AsyncIterator[None]:
        """Pass the gate for the block, together with others or ``alone``."""
        self._waiting_alone += alone
        try:
            while self._alone or (self._inside if alone else self._waiting_alone):
                await self._left.wait()
        finally:
            self._waiting_alone -= alone
            if not self._waiting_alone:
                self._wake()
        self._inside += 1
        self._alone = alone
        try:
            yield
        finally:
            self._inside -= 1
            self._alone = False
            self._wake()

    def _wake(self) -> None:
        self._left.set()
        self._left = asyncio.Event()


@dataclass(frozen=True, slots=True)
class InFlight:
    """Texts that one process has in flight. ``deadline_s``: a step that takes longer ends the process, by ``end``."""

    runtime: Runtime
    worker: str = field(default_factory=lambda: uuid.uuid4().hex)
    deadline_s: float = STEP_DEADLINE_S
    end: Callable[[int], object] = os._exit
    gate: AdmissionGate = field(default_factory=AdmissionGate)

    async def open(
        self, workspace: UUID, job: str, owner_id: UUID, *, exclusive: bool = False, dream_id: UUID | None = None
    ) -> Tracker | None:
        """Return what is known of the texts of a job before it begins; None while another worker may be at it.

        What workers have proved to die on is set aside. ``exclusive``: no other worker can be at it.
        """
        place = Place(workspace, job, owner_id)
        tracker = Tracker(self, place)
        proved: dict[UUID, tuple[str, int]] = {}
        async with self.runtime.db.transaction(workspace) as connection:
            died = await _take_died(connection, place, self.worker, exclusive=exclusive)
            if died is None:
                return None
            tracker.suspect(died)
            proved = tracker.confirm_poison(died)
            for subject_id, (step, attempts) in proved.items():
                await connection.run(
                    "add_dead_letter", workspace=workspace, id=new_id(), subject_id=subject_id, job=job, step=step,
                    attempts=attempts, dream_id=dream_id, now=self.runtime.now(),
                )  # fmt: skip
                log.error("dead_letter", job=job, step=step, subject_id=str(subject_id), attempts=attempts)
        if proved:
            async with self.runtime.db.unscoped() as connection:
                await connection.run("add_totals", names=["dead_letters"], values=[len(proved)])
        return tracker


async def _take_died(connection: Connection, place: Place, worker: str, *, exclusive: bool) -> list[Died] | None:
    """Take up what other workers died on here, and forget their records; None while one of them may be alive.

    ``exclusive``: this worker holds the lease under which the others worked, so they are not at it any more.
    """
    rows = await connection.fetch("in_flight_elsewhere", **asdict(place), worker=worker)
    if not exclusive and not all(row["overdue"] for row in rows):
        return None
    if rows:
        await connection.run("clear_in_flight", **asdict(place), workers=[row["worker"] for row in rows])
    return [Died(row["step"], row["subject_ids"], row["deaths"]) for row in rows]


class Steps(Protocol):
    """Steps of a job through its texts: a step at a time, off the event loop."""

    def batches(
        self, items: Sequence[T], of: Callable[[T], tuple[UUID, str]], size: int
    ) -> Iterator[tuple[int, Sequence[T]]]:
        """Return the items in order, at most ``size`` at a time (``of``: id and text), and where each batch begins."""

    def step(self, name: str, ids: Sequence[UUID]) -> AbstractAsyncContextManager[None]:
        """Return the block that processes these texts."""

    async def run(self, function: Callable[[*Arguments], T], *arguments: *Arguments) -> T:
        """Run ``function(*arguments)`` off the event loop."""


@dataclass(slots=True)
class Tracker:
    """The texts of one job: ``crashes`` over each suspect alone and over a batch of them, and the largest batch to take
    while there are any."""

    flight: InFlight
    place: Place
    crashes: dict[UUID, int] = field(default_factory=dict)
    batch_crashes: int = 0
    batch_max: int | None = None
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    def suspect(self, died: Sequence[Died]) -> None:
        """Take in what workers died on."""
        for one in died:
            if len(one.subject_ids) == 1:
                (alone,) = one.subject_ids
                self.crashes[alone] = max(self.crashes.get(alone, 0), one.deaths) + 1
                continue
            for subject_id in one.subject_ids:
                self.crashes.setdefault(subject_id, 0)
            self.batch_crashes = max(self.batch_crashes, one.deaths + 1)
            if one.deaths + 1 >= CRASHES_MAX:
                self.batch_max = max(1, len(one.subject_ids) // BATCH_CUT)

    def confirm_poison(self, died: Sequence[Died]) -> dict[UUID, tuple[str, int]]:
        """Return those that workers have died on alone, and often enough: the step and how often. Suspects no
        longer."""
        alone = {one.subject_ids[0]: one.step for one in died if len(one.subject_ids) == 1}
        return {id_: (step, self.crashes.pop(id_)) for id_, step in alone.items() if self.crashes[id_] >= CRASHES_MAX}

    def mark_processed(self, ids: Sequence[UUID]) -> None:
        """Clear the crashes of texts that the job has got through."""
        for id_ in ids:
            self.crashes.pop(id_, None)
        if not self.crashes:
            self.batch_crashes, self.batch_max = 0, None

    def batches(
        self, items: Sequence[T], of: Callable[[T], tuple[UUID, str]], size: int
    ) -> Iterator[tuple[int, Sequence[T]]]:
        """Yield the items in order, so many and so much text (``of``: id and text) at a time, each suspect by itself;
        and where each batch begins."""
        start = chars = 0
        for at, item in enumerate(items):
            id_, text = of(item)
            cut = at - start == size or chars + len(text) > CHARS_AT_ONCE or id_ in self.crashes
            if at > start and (cut or of(items[at - 1])[0] in self.crashes):
                yield start, items[start:at]
                start, chars = at, 0
            chars += len(text)
        if start < len(items):
            yield start, items[start:]

    async def run(self, function: Callable[[*Arguments], T], *arguments: *Arguments) -> T:
        """Run ``function(*arguments)`` in a thread."""
        return await asyncio.to_thread(function, *arguments)

    @asynccontextmanager
    async def step(self, name: str, ids: Sequence[UUID]) -> AsyncIterator[None]:
        """Process these texts in the block; should the worker die in it, that is what it died on."""
        crashes = max(self.crashes.get(ids[0], 0), self.batch_crashes - 1) if len(ids) == 1 else self.batch_crashes
        suspected = not self.crashes.keys().isdisjoint(ids)
        async with self._one_at_a_time, self.flight.gate.passed(alone=suspected):
            await self._record(name, ids, crashes)
            overdue = asyncio.get_running_loop().call_later(self.flight.deadline_s, self._overdue, name, ids)
            try:
                yield
            finally:
                overdue.cancel()
                await asyncio.shield(self._clear())

    async def _record(self, name: str, ids: Sequence[UUID], deaths: int) -> None:
        deadline_s = self.flight.deadline_s + DEAD_AFTER_S
        async with self.flight.runtime.db.transaction(self.place.workspace) as connection:
            await connection.run(
                "record_in_flight", **asdict(self.place), worker=self.flight.worker, step=name, subject_ids=ids,
                deaths=deaths, deadline_s=deadline_s,
            )  # fmt: skip

    async def _clear(self) -> None:
        """Clear the record, at best effort: a worker's own record tells it of no death, and its next step overwrites
        it."""
        with suppress(Unavailable):
            async with self.flight.runtime.db.transaction(self.place.workspace) as connection:
                await connection.run("clear_in_flight", **asdict(self.place), workers=[self.flight.worker])

    def _overdue(self, name: str, ids: Sequence[UUID]) -> None:
        """End the process, as a thread cannot be stopped."""
        log.critical(
            "step_deadline_exceeded", job=self.place.job, step=name, deadline_s=self.flight.deadline_s,
            subject_ids=[str(id_) for id_ in ids[:LOGGED_MAX]], subjects=len(ids),
        )  # fmt: skip
        self.flight.end(EXIT_STATUS)
