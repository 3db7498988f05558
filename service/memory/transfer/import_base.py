"""What the writers of an import share: the transaction, the places, and what became of each line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection
from service.domain.export_edges import Audience
from service.domain.principal import Principal
from service.errors import InvalidImportLine, InvalidInput
from service.memory.saving.scopes import ScopeIds, ScopeNames, ScopeResolver
from service.store.vectors import EmbeddingBatch

BATCH = 500

Line = TypeVar("Line", bound=BaseModel)
Lines = list[tuple[int, Line]]
"""The lines of one record with their numbers."""


@dataclass(slots=True)
class ImportCounts:
    """Counts of imported records."""

    created: Annotated[int, Field(description="Number of created records.")]
    unchanged: Annotated[int, Field(description="Number of records identical to the stored ones.")]
    updated: Annotated[int, Field(description="Number of updated records.")]
    skipped: Annotated[
        int, Field(description="Number of skipped records, which refer to what is not in this workspace.")
    ]


class ImportTransaction:
    """One import on its way into the database.

    ``same`` maps ids of the import to the ids under which the same thing was here already.
    """

    def __init__(
        self,
        connection: Connection,
        principal: Principal,
        now: datetime,
        embedded: EmbeddingBatch,
        executor: FairExecutor,
    ) -> None:
        self.connection = connection
        self.executor = executor
        self.principal = principal
        self.workspace = principal.workspace_id
        self.now = now
        self.places = ScopeResolver(connection, principal, membership=False)
        self.tallies: dict[str, ImportCounts] = defaultdict(lambda: ImportCounts(0, 0, 0, 0))
        self.same: dict[UUID, UUID] = {}
        self.made_sessions: set[UUID] = set()
        self.unowned_entities: set[UUID] = set()
        self._embedded = embedded
        self._taken = 0

    def vectors(self, count: int) -> EmbeddingBatch:
        """The vectors of the next ``count`` memory lines; all missing where the import left them to the worker."""
        found = self._embedded.vectors[self._taken : self._taken + count]
        self._taken += count
        return EmbeddingBatch(self._embedded.space, list(found) or [None] * count)

    async def place(self, number: int, line: ScopeNames, user: str | None = None) -> ScopeIds:
        """Where a line belongs. Raises InvalidImportLine."""
        try:
            return await self.places.resolve(line, (), user=user)
        except InvalidInput as error:
            raise InvalidImportLine(number, error.loc, error.message) from error

    async def agent(self, agent: str | None) -> UUID:
        """The id of the agent of a line, which ``parse_line`` has seen to."""
        assert agent is not None
        return await self.places.agent(agent)

    async def audience(self, number: int, audience: Audience, agent: str | None) -> UUID:
        """The id of an audience; team and task audiences are anybody's, so any agent will do to find them."""
        if audience.agent is None and agent is not None:
            audience = audience.model_copy(update={"agent": agent})
        if audience.agent is None and audience.team:
            return await self.places.team(audience.team)
        if audience.agent is None and audience.task:
            return await self.places.task(audience.task)
        return (await self.place(number, audience)).audience

    def count(self, record: str, lines: Sequence[object], made: int, found: int | None = None) -> None:
        """Count what became of lines, of which ``made`` were new; those that were not ``found`` to fit are skipped."""
        fitting = len(lines) if found is None else found
        tally = self.tallies[record]
        tally.created += made
        tally.unchanged += fitting - made
        tally.skipped += len(lines) - fitting

    async def finish(self) -> None:
        """After the last line."""
        unowned = sorted(self.unowned_entities)
        for start in range(0, len(unowned), BATCH):
            await self.connection.run("own_entities", workspace=self.workspace, ids=unowned[start : start + BATCH])
        sessions = sorted(self.made_sessions)
        for start in range(0, len(sessions), BATCH):
            made = sessions[start : start + BATCH]
            await self.connection.run("update_session_counters", workspace=self.workspace, ids=made, made=made)


Writer = Callable[[ImportTransaction, Lines[BaseModel]], Awaitable[None]]


def writer_of(shape: type[Line], write: Callable[[ImportTransaction, Lines[Line]], Awaitable[None]]) -> Writer:
    """The writer of the record whose lines are of this type."""

    async def written(writing: ImportTransaction, lines: Lines[BaseModel]) -> None:
        await write(writing, [(number, line) for number, line in lines if isinstance(line, shape)])

    return written
