"""Reflection: what is concluded from several memories, looked up for what a dream is about to write."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from service.domain.dream_filter import DreamFilter
from service.domain.profile import text_of
from service.domain.profile_schema import fitting, properties_of
from service.domain.types import POLICIES, MemoryType
from service.domain.workspace import WorkspaceSettings
from service.extraction.conclusions import Habit, Reported, reported_in
from service.memory.access.redaction import redact_lenient
from service.runtime import Runtime
from service.store.dreams import Lease
from service.store.settings import agent_settings
from worker.dreaming.checkpoints import Checkpoints
from worker.dreaming.plan import NewMemory, Plan
from worker.dreaming.readings import Reading
from worker.dreaming.reflect.by_model import FieldValue, Remembered, conclude_by_model, fill_by_model, on_known_matters
from worker.dreaming.reflect.conclude import (
    FIELD,
    MemoryReport,
    changes_in,
    conclude,
    current,
    evidence_of,
    habits_in,
    questions_in,
    questions_of,
    reports_of,
    tastes_in,
)
from worker.dreaming.reflect.insight import Conclusions, Evidence, Insight, KnownInsight, StoredInsight

USERS_MAX = 20
MEMORIES_MAX = 500
INTERVAL = timedelta(hours=24)
"""Shortest time between conclusions by the model: habits and changes take days to show."""
TOKENS_SHOWN = 20_000
"""Of the memories that the model is shown in one reflection: a window of 32,000 holds them with the answer."""


async def reflect(
    runtime: Runtime, lease: Lease, plan: Plan, readings: Sequence[Reading], checkpoints: Checkpoints
) -> Conclusions:
    """Return what the agent's own memories come to as the plan will have left them, with vectors.

    Only matters and users that the plan or the readings touch are looked at. Embeds, and asks the model, outside any
    transaction.
    """
    reports = await runtime.executor.each(_reported_by, plan.new, lambda new: len(new.content))
    for new, reported in zip(plan.new, reports, strict=True):
        new.reports = reported
    async with runtime.db.transaction(lease.workspace_id) as connection:
        settings = await agent_settings(connection, lease.workspace_id, lease.agent_id)
    reflection = _Reflection(runtime, lease, plan, readings, settings, current(plan, lease.agent_id))
    if not reflection.touches:
        return Conclusions()
    wanted, known, over = await reflection.by_rules()
    concluded = await reflection.by_model(wanted, known, checkpoints)
    filled, emptied = await reflection.fields(known, checkpoints)
    conclusions = await asyncio.to_thread(
        conclude, [*wanted, *concluded, *filled], known, plan, over | emptied, DreamFilter.of(settings.dream)
    )
    conclusions.asked, conclusions.rejected = reflection.asked, reflection.rejected
    if conclusions.new:
        conclusions.embedded = await runtime.embed([insight.content for insight in conclusions.new])
    return conclusions


@dataclass(slots=True)
class _Reflection:
    """One dream's; ``new``: the new memories that insights may rest on."""

    runtime: Runtime
    lease: Lease
    plan: Plan
    readings: Sequence[Reading]
    settings: WorkspaceSettings
    new: Sequence[NewMemory]
    asked: bool = False
    rejected: int = 0
    users: list[str | None] = field(init=False)

    def __post_init__(self) -> None:
        touched = [new.subject for new in self.new]
        touched += [
            one.memory.user_name
            for one in self.readings
            if one.memory.audience == self.lease.agent_id and one.memory.hearsay_by is None
        ]
        self.users = list(dict.fromkeys(touched))[:USERS_MAX]

    @property
    def touches(self) -> bool:
        """Return whether there is anything to conclude from, or that a conclusion may fall with."""
        return bool(self.users or self.plan.superseded)

    async def by_rules(self) -> tuple[list[Insight], list[KnownInsight], dict[str, Evidence]]:
        """Return what rules conclude, what has been concluded on all these matters before, and what speaks against
        it."""
        lease, now = self.lease, self.runtime.now()
        reports = reports_of(self.new)
        changes = changes_in(self.plan, lease.agent_id)
        read = {one.memory.id: one.reports for one in self.readings if one.reports is not None}
        matters = {one.of.about for one in reports} | {one.about for one in read.values()}
        async with self.runtime.db.transaction(lease.workspace_id) as connection:
            before = await connection.many(
                StoredInsight, "insights_about", **lease.of_owners, about=[*matters, *(one.about for one in changes)],
                ids=list(self.plan.superseded), users=[user or "" for user in self.users],
            )  # fmt: skip
            known = [KnownInsight.of(one) for one in before]
            keys = {about.partition(":")[2] for about in (*matters, *(one.about for one in known))}
            reporting = await connection.many(
                _ReportingMemory, "memories_reporting", **lease.of_owners, keys=sorted(keys), ids=list(read), now=now
            ) if keys else []  # fmt: skip
        for memory in reporting:
            reported = read.get(memory.id) or memory.reported_before()
            if reported is not None and memory.id not in self.plan.superseded:
                reports.append(memory.report(reported))
        habits, over = await asyncio.to_thread(habits_in, reports, now)
        tastes, held = await asyncio.to_thread(tastes_in, reports)
        asked = questions_of(reports)
        said = {user: await self._said_by(user) for user in dict.fromkeys(some[-1].user for some in asked.values())}
        questions, settled = await asyncio.to_thread(questions_in, asked, said)
        found = [*habits, *tastes, *questions, *changes] if self.settings.dream.reflect != "off" else []
        return found, known, over | held | settled

    async def _said_by(self, user: str | None) -> list[Evidence]:
        return [one.evidence for one in await self._remembered(user)]

    async def by_model(
        self, wanted: Sequence[Insight], known: Sequence[KnownInsight], checkpoints: Checkpoints
    ) -> list[Insight]:
        """Return what the model concludes besides, user by user, as far as its tokens go; nothing unless it is due."""
        if not await self._is_due(checkpoints):
            return []
        choices = self.settings.dream
        filter_, left = DreamFilter.of(choices), TOKENS_SHOWN
        found: list[Insight] = []
        for user in self.users:
            remembered = [one for one in await self._remembered(user) if not filter_.ignores(one.evidence.content, [])]
            concluded, spent = await conclude_by_model(remembered, user, choices, left, checkpoints)
            self.asked = self.asked or spent > 0
            self.rejected += concluded.rejected
            left -= spent
            found += concluded.insights
        masked = await redact_lenient(self.runtime, self.settings.masking, [one.content for one in found])
        shown = [insight.saying(content) for insight, content in zip(found, masked, strict=True)]
        return on_known_matters(shown, wanted, known)

    async def fields(
        self, known: Sequence[KnownInsight], checkpoints: Checkpoints
    ) -> tuple[list[Insight], dict[str, Evidence]]:
        """Return what the model fills the fields of the users' profiles with that no rule fills, and by the matter of
        each former value that it does not repeat, the newest memory it was shown. Where it fails, what is there
        stays."""
        schema = self.settings.profile_schema
        wanted = [one for one in properties_of(schema) if one.slot is None] if schema else []
        if not wanted or checkpoints.model("profile") is None:
            return [], {}
        filter_, left = DreamFilter.of(self.settings.dream), TOKENS_SHOWN
        found: list[Insight] = []
        emptied: dict[str, Evidence] = {}
        for user in filter(None, self.users):
            remembered = [one for one in await self._remembered(user) if not filter_.ignores(one.evidence.content, [])]
            filling = await fill_by_model(remembered, wanted, self.settings.dream, left, checkpoints)
            if filling is None:
                continue
            left -= filling.tokens
            self.rejected += filling.rejected
            found += [one.insight(user) for one in await self._masked(filling.values)]
            answered = {one.about for one in found}
            emptied |= {
                one.about: filling.newest
                for one in known
                if one.user == user and one.about.startswith(FIELD) and one.about not in answered
            }
        return found, emptied

    async def _masked(self, values: Sequence[FieldValue]) -> list[FieldValue]:
        """Return the values without personal data; one that does not fit its schema any more is left out."""
        masked = await redact_lenient(self.runtime, self.settings.masking, [text_of(one.value) for one in values])
        kept = []
        for one, text in zip(values, masked, strict=True):
            value = one.value if text == text_of(one.value) else fitting(text, one.field.value)
            kept += [replace(one, value=value)] if value is not None else []
        return kept

    async def _is_due(self, checkpoints: Checkpoints) -> bool:
        choices = self.settings.dream
        if choices.reflect != "model" or checkpoints.model("reflect") is None:
            return False
        async with self.runtime.db.transaction(self.lease.workspace_id) as connection:
            last: datetime | None = await connection.value("last_reflection", **self.lease.of_owners)
        return last is None or last + INTERVAL <= self.runtime.now()

    async def _remembered(self, user: str | None) -> list[Remembered]:
        """Return a user's memories, as they will be once the plan is applied."""
        async with self.runtime.db.transaction(self.lease.workspace_id) as connection:
            found = await connection.many(
                _OwnMemory,
                "memories_to_reflect_on",
                **self.lease.of_owners,
                user=user,
                limit=MEMORIES_MAX,
                now=self.runtime.now(),
            )
        there = [
            Remembered(one.evidence(), one.type, user, f"{one.at:%Y-%m-%d}")
            for one in found
            if one.id not in self.plan.superseded
        ]
        made = [
            Remembered(evidence_of(new), new.type, user, f"{new.at or new.since:%Y-%m-%d}")
            for new in self.new
            if new.subject == user
        ]
        return [*there, *made]


def _reported_by(new: NewMemory) -> Reported | None:
    return reported_in(new.content, new.subject, new.policy_type)


@dataclass(frozen=True, slots=True)
class _OwnMemory:
    """A current memory of the agent's own; ``at``: when it happened, or holds from."""

    id: UUID
    type: str
    content: str
    identity_hash: bytes
    valid_from: datetime
    expires_at: datetime | None
    at: datetime

    def evidence(self) -> Evidence:
        return Evidence(self.id, self.identity_hash.hex(), self.content, self.valid_from, self.expires_at)


@dataclass(frozen=True, slots=True)
class _ReportingMemory(_OwnMemory):
    """One that reports a habit or the like; ``habit``: as a dream has read it, ``type``: built-in, the one it is
    like."""

    user_name: str | None
    habit: str | None
    denied: bool

    def reported_before(self) -> Reported | None:
        """Return what it reports that a former dream has read."""
        if self.habit is not None:
            return Habit(self.habit, self.denied)
        return reported_in(self.content, self.user_name, MemoryType(self.type))

    def report(self, reported: Reported) -> MemoryReport:
        happens = POLICIES[MemoryType(self.type)].happens
        return MemoryReport(reported, self.user_name, self.evidence(), self.at, happens)
