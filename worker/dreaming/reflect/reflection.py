"""Reflection: what is concluded from several memories, looked up for what a dream is about to write."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from service.db.pool import Row
from service.domain.dream_filter import DreamFilter
from service.domain.types import POLICIES, MemoryType
from service.memory.engine import Engine
from service.store import insights
from service.store.dreams import Lease
from service.store.settings import agent_settings
from worker.dreaming.plan import NewMemory, Plan
from worker.dreaming.readings import Reading
from worker.dreaming.reflect.conclude import (
    HABIT,
    HabitReport,
    changes_in,
    conclude,
    current,
    habits_in,
    reports_of,
)
from worker.dreaming.reflect.habits import Habit, habit_in
from worker.dreaming.reflect.insight import Conclusions, Evidence, KnownInsight


async def reflect(engine: Engine, lease: Lease, plan: Plan, readings: Sequence[Reading]) -> Conclusions:
    """What the agent's own memories come to as the plan will have left them, with vectors.

    Only matters that the plan or the readings touch are looked at. Embeds outside any transaction.
    """
    habits = await engine.executor.each(_habit_of, plan.new, lambda new: len(new.content))
    for new, habit in zip(plan.new, habits, strict=True):
        new.habit = habit
    home, now = lease.agent_id, engine.now()
    said = reports_of(current(plan, home))
    changes = changes_in(plan, home)
    read = {one.memory.id: one.habit for one in readings if one.habit is not None}
    keys = {one.key for one in said} | {habit.key for habit in read.values()}
    matters = [*(HABIT + key for key in keys), *(one.about for one in changes)]
    if not matters and not plan.superseded:
        return Conclusions()
    async with engine.db.transaction(lease.workspace_id) as connection:
        choices = (await agent_settings(connection, lease.workspace_id, lease.agent_id)).dream
        known = [
            KnownInsight.of(row) for row in await insights.about(connection, lease, matters, list(plan.superseded))
        ]
        keys |= {one.about.removeprefix(HABIT) for one in known if one.about.startswith(HABIT)}
        rows = await insights.of_habits(connection, lease, sorted(keys), list(read), now)
    said += [_report(row, read.get(row["id"])) for row in rows if row["id"] not in plan.superseded]
    wanted, over = habits_in(said, now)
    reflects = choices.reflect != "off"
    conclusions = await asyncio.to_thread(
        conclude, [*wanted, *changes] if reflects else [], known, plan, over, DreamFilter.of(choices)
    )
    contents = [insight.content for insight in conclusions.new]
    return replace(conclusions, embedded=await engine.embed(contents)) if contents else conclusions


def _habit_of(new: NewMemory) -> Habit | None:
    return habit_in(new.content, new.subject, happens=POLICIES[new.candidate.policy_type].happens)


def _report(row: Row, read: Habit | None) -> HabitReport:
    """What a memory says of a habit: as this dream reads it, else as a former one did."""
    habit = read or Habit(row["habit"], row["denied"])
    evidence = Evidence(row["id"], row["identity_hash"].hex(), row["content"], row["valid_from"], row["expires_at"])
    happens = POLICIES[MemoryType(row["type"])].happens
    return HabitReport(habit.key, row["user_name"], evidence, row["at"], habit.denied, happens)
