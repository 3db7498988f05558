"""Following what happens: as it happens, or from any position on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from time import monotonic

from service.domain.events import Kind
from service.domain.principal import Principal
from service.errors import Unavailable
from service.memory.engine import Engine
from service.store import events
from service.store.events import Event

BATCH = 200
DB_RETRY_S = 1.0


@dataclass(frozen=True, slots=True)
class Gap:
    """Events between two positions are no longer kept."""

    after: int
    before: int


async def stream_events(
    engine: Engine,
    principal: Principal,
    after: int | None,
    *,
    agent: str | None = None,
    kinds: Sequence[Kind] | None = None,
    wait: bool = True,
) -> AsyncGenerator[Event | Gap | None]:
    """Every event after a position (None: from now on), as long as it is iterated; None first, and now and then while
    nothing happens. An agent key hears of its own agent, any other of the one named or of all. A Gap comes first where
    events are no longer kept, or are not there yet (a database set back to a backup). Without ``wait`` it ends with
    what has happened so far.

    It also ends when the key is revoked, rotated or expired, and when the process stops. While the database is away
    nothing comes. Raises Unavailable when the database is away at its start, and when the process stops.
    """
    if engine.event_notifier.closing:
        raise Unavailable("This process stops.")
    workspace, heard_of = principal.workspace_id, principal.reader_agent(agent)
    engine.read_audit.note(principal, "events", [heard_of])
    async with engine.event_notifier.following(workspace) as watch:
        async with engine.db.transaction(workspace, viewer="everybody") as connection:
            key = await events.key_hash(connection, workspace, principal.key_id)
            first: int | None = await connection.value("first_event", workspace=workspace)
            oldest = first or watch.last + 1
        at = watch.last if after is None else min(max(after, oldest - 1), watch.last)
        yield None if after in (None, at) else Gap(after, at + 1)
        look_at = monotonic() + engine.event_notifier.keep_alive_s
        while not engine.event_notifier.closing:
            reached, found = watch.last, list[Event]()
            try:
                if monotonic() >= look_at:
                    async with engine.db.transaction(workspace) as connection:
                        if key != await events.key_hash(connection, workspace, principal.key_id):
                            return
                if reached > at:
                    async with engine.db.transaction(workspace) as connection:
                        found = await events.after(connection, workspace, at, agent=heard_of, kinds=kinds, limit=BATCH)
            except Unavailable:
                await asyncio.sleep(DB_RETRY_S)
                continue
            for event in found:
                at = event.position
                yield event
            if len(found) < BATCH:  # events positioned since ``reached`` was read may have been found as well
                at = max(at, reached)
            if monotonic() >= look_at:
                yield None
                look_at = monotonic() + engine.event_notifier.keep_alive_s
            if not wait and watch.last <= at:
                return
            await watch.wait(at, max(0.0, look_at - monotonic()))
