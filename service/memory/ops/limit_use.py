"""What a workspace and its keys use of their limits now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.ids import NO_KEY
from service.domain.limits import LimitHolder, Limits
from service.domain.usage import LimitsUsed, LimitUse
from service.memory.counters import window_start
from service.memory.engine import Engine
from service.store import limits
from service.store.limits import Period

KEYS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class _LimitedKey:
    """A live key with limits."""

    id: UUID
    name: str
    limits: Limits


@dataclass(frozen=True, slots=True)
class _Cost:
    """Cost of models of a day, and of its month up to it; of the workspace where ``key_id`` is zero."""

    key_id: UUID
    day_cost_usd: float
    month_cost_usd: float


async def limit_use(engine: Engine, connection: Connection, workspace: UUID) -> list[LimitUse]:
    """Return the limits of the workspace and of each live key that has any, at most ``KEYS_MAX``, and their use."""
    now = engine.now().astimezone(UTC)
    whole, _ = await limits.in_force(connection, workspace, None)
    holders: list[tuple[LimitHolder, UUID, str | None, Limits]] = [("workspace", NO_KEY, None, whole)]
    for key in await connection.many(_LimitedKey, "limited_keys", workspace=workspace, limit=KEYS_MAX):
        holders.append(("key", key.id, key.name, key.limits))
    starts: dict[Period, datetime] = {"minute": window_start(now, "minute"), "day": window_start(now, "day")}
    requests = {
        (row["key_id"], row["period"]): row["requests"]
        for row in await connection.fetch(
            "requests_now", workspace=workspace, minute=starts["minute"], day=starts["day"]
        )
    }
    stored = await limits.stored(connection, workspace)
    costs = {
        cost.key_id: cost for cost in await connection.many(_Cost, "costs_now", workspace=workspace, day=now.date())
    }
    dreams = await limits.unfinished_dreams(connection, workspace)
    return [
        LimitUse(
            of=of,
            key_id=None if key_id == NO_KEY else key_id,
            name=name,
            limits=held,
            used=LimitsUsed(
                requests_this_minute=requests.get((key_id, "minute"), 0) if held.requests_per_minute else None,
                requests_today=requests.get((key_id, "day"), 0) if held.requests_per_day else None,
                rows=stored[key_id].rows if key_id in stored else None,
                bytes=stored[key_id].bytes if key_id in stored else None,
                day_cost_usd=costs[key_id].day_cost_usd if key_id in costs else 0.0,
                month_cost_usd=costs[key_id].month_cost_usd if key_id in costs else 0.0,
                dreams=dreams.get(key_id, 0),
            ),
        )
        for of, key_id, name, held in holders
    ]
