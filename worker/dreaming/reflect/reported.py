"""What a single memory reports that a conclusion may be drawn from: a habit, a taste, or an open question."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from service.domain.types import POLICIES, MemoryType
from worker.dreaming.reflect.habits import Habit, habit_in
from worker.dreaming.reflect.insight import Evidence
from worker.dreaming.reflect.questions import OpenQuestion, question_in
from worker.dreaming.reflect.tastes import Taste, taste_in

Reported = Habit | Taste | OpenQuestion


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """A current memory and what it reports ``of``; ``at``: when that was. ``happens``: as an event does."""

    of: Reported
    user: str | None
    evidence: Evidence
    at: datetime
    happens: bool


def reported_in(content: str, subject: str | None, policy_type: str) -> Reported | None:
    """What a statement of that type reports; None for most."""
    if policy_type == MemoryType.INSIGHT:
        return None
    taste = taste_in(content, subject) if policy_type == MemoryType.PREFERENCE else None
    return (
        taste
        or question_in(content, subject)
        or habit_in(content, subject, happens=POLICIES[MemoryType(policy_type)].happens)
    )
