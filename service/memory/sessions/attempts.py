"""Turns that a client sends again because it saw no answer: kept once, whichever of its attempts got through first.

A note of the turn commits with it, and the lock of the session lets one attempt at a time look for the other's note.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from service.db.pool import Connection
from service.domain.principal import Principal
from service.store import idempotency
from service.store.idempotency import RequestSlot, StoredResponse

RETRIED_WITHIN = timedelta(minutes=15)
"""Clients give up an attempt after ten minutes, unless told otherwise."""
NO_ANSWER = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One of a client's attempts at a request. ``digest`` is the same for all of them; ``number`` counts from 0."""

    digest: bytes
    number: int
    begun_at: datetime


async def is_kept_already(connection: Connection, principal: Principal, attempt: Attempt, now: datetime) -> bool:
    """Whether another attempt has kept the turn; else this one is noted as the one that does.

    A first attempt gives way only to a retry that was kept while it was under way: two first attempts are two turns.
    """
    slot = RequestSlot(principal.workspace_id, principal.key_id, attempt.digest)
    since = attempt.begun_at - RETRIED_WITHIN if attempt.number else attempt.begun_at
    kept = await idempotency.find(connection, slot, since)
    if kept is not None and (attempt.number or kept.status):
        return True
    await idempotency.store(connection, slot, StoredResponse(attempt.digest, attempt.number, NO_ANSWER, None), now)
    return False
