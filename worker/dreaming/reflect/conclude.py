"""Conclusions from the memories of an agent, as a plan will have left them: habits, and what changed; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.domain.dream_filter import DreamFilter
from service.domain.ids import new_id
from service.domain.times import Period
from service.domain.types import POLICIES, MemoryType
from service.extraction.conclusions import (
    Habit,
    OpenQuestion,
    Report,
    Reported,
    Taste,
    change_sentence,
    habit_sentence,
    months_between,
    taste_sentence,
)
from worker.dreaming.neighbours import ExistingMemory
from worker.dreaming.plan import NewMemory, Plan, Statement
from worker.dreaming.reflect.insight import EVIDENCE_MAX, Conclusions, Evidence, Fallen, Insight, KnownInsight

TIMES_MIN = 3
QUESTION_TIMES_MIN = 2
THINGS_MIN = 2
Found = tuple[list[Insight], dict[str, Evidence]]
"""Insights, and by matter the evidence that no insight holds on it."""


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """A current memory and what it reports ``of``; ``at``: when that was. ``happens``: as an event does."""

    of: Reported
    user: str | None
    evidence: Evidence
    at: datetime
    happens: bool


GROWTH = 1.25
"""An insight is replaced when so many times as many memories support it: its replacements stay few."""
CHANGE, FIELD = "change:", "field:"


def current(plan: Plan, home: UUID) -> list[NewMemory]:
    """Return the new memories that insights may rest on: current ones, of the agent's own, and nobody's hearsay."""
    return [new for new in plan.new if new.replaced_by is None and new.audience == home and new.hearsay_by is None]


def evidence_of(one: Statement, *, former: bool = False) -> Evidence:
    """Return a statement as it is now, as evidence."""
    expires_at = one.expires_at if isinstance(one, ExistingMemory) else None
    return Evidence(one.id, one.identity, one.content, one.since, expires_at, former)


def reports_of(new: Iterable[NewMemory]) -> list[MemoryReport]:
    """Return what the new memories report."""
    return [
        MemoryReport(
            one.reports, one.subject, evidence_of(one), one.at or one.since,
            POLICIES[MemoryType(one.candidate.policy_type)].happens,
        )
        for one in new
        if one.reports is not None
    ]  # fmt: skip


def changes_in(plan: Plan, home: UUID) -> list[Insight]:
    """Return what fills another value than before once the plan is applied, by the word of the same person."""
    pairs: list[tuple[Statement, Statement]] = [(one.known, one.by) for one in plan.superseded.values() if not one.same]
    pairs += [(new, new.replaced_by) for new in plan.new if new.replaced_by is not None]
    found = (_change(old, new) for old, new in pairs if _is_change(old, new, plan, home))
    return [insight for insight in found if insight is not None]


def _is_change(old: Statement, new: Statement, plan: Plan, home: UUID) -> bool:
    holds = new.replaced_by is None if isinstance(new, NewMemory) else new.id not in plan.superseded
    one_value = old.slot == new.slot and (old.slot or "").count("/") == 1
    return (
        holds and one_value and bool(old.value and new.value) and old.value != new.value
        and old.polarity == new.polarity == "positive" and old.hearsay_by is None and new.hearsay_by is None
        and old.subject == new.subject and old.audience == new.audience == home
        and MemoryType.EVENT.value not in (old.policy_type, new.policy_type)
    )  # fmt: skip


def _change(old: Statement, new: Statement) -> Insight | None:
    when = new.at or new.since
    before, after = (old.value or "", old.content), (new.value or "", new.content)
    sentence = change_sentence(old.slot or "", new.subject, before, after, when)
    if sentence is None:
        return None
    evidence = [evidence_of(old, former=True), evidence_of(new)]
    return Insight(
        new_id(),
        f"{CHANGE}{new.subject or ''}:{old.slot}",
        new.subject,
        sentence,
        evidence,
        happened=Period(new.at, new.ends) if new.at else Period.of_days(new.since),
    )


def habits_in(reports: Sequence[MemoryReport], now: datetime) -> tuple[list[Insight], dict[str, Evidence]]:
    """Return the habits that the reports bear out, and by matter the denial of those that are over."""
    by_habit: dict[tuple[str, str | None], list[tuple[MemoryReport, Habit]]] = defaultdict(list)
    for one in reports:
        if isinstance(one.of, Habit):
            by_habit[one.of.about, one.user].append((one, one.of))
    found, over = [], {}
    for (about, user), some in by_habit.items():
        denials = sorted((one for one, habit in some if habit.denied), key=lambda one: one.at)
        followed = [one for one, habit in some if not habit.denied and one.happens]
        days = {
            one.at.date(): one
            for one in sorted(followed, key=lambda one: (one.at, one.evidence.id), reverse=True)
            if one.at <= now and (not denials or one.at > denials[-1].at)
        }
        times = sorted(days.values(), key=lambda one: one.at)[-EVIDENCE_MAX:]
        if len(times) >= TIMES_MIN:
            content = habit_sentence([Report(one.evidence.content, one.at) for one in times], user)
            against = [one.evidence.opposing() for one in denials[-EVIDENCE_MAX:]]
            evidence = [*(one.evidence for one in times), *against]
            found.append(Insight(new_id(), about, user, content, evidence))
        elif denials:
            over[about] = denials[-1].evidence
    return found, over


def conclude(
    wanted: Sequence[Insight],
    known: Sequence[KnownInsight],
    plan: Plan,
    over: Mapping[str, Evidence],
    filter_: DreamFilter,
) -> Conclusions:
    """Return the insights to write and those to replace, of what could be concluded (``wanted``) and what has been
    before.

    What somebody has deleted is not concluded again. ``over``: what denies a habit, by the matter of its insight.
    """
    unwanted = [one for one in known if one.deleted]
    there = {one.about: one for one in known if not one.deleted}
    conclusions = Conclusions()
    for insight in {one.about: one for one in wanted}.values():
        before = there.get(insight.about)
        if any(_repeats(insight, one) for one in unwanted) or not _kept(insight, filter_):
            continue
        if not _is_news(insight, before, plan.superseded):
            continue
        conclusions.new.append(insight)
        if before is not None:
            conclusions.fallen.append(Fallen(there.pop(insight.about), insight.id, insight.content))
    for one in there.values():
        lost = sorted(one.evidence & plan.superseded.keys())
        if lost:
            by = plan.superseded[lost[0]].by
            conclusions.fallen.append(Fallen(one, by.id, by.content))
        elif one.about in over:
            conclusions.fallen.append(Fallen(one, over[one.about].id, over[one.about].content))
    return conclusions


def _repeats(insight: Insight, unwanted: KnownInsight) -> bool:
    """Return whether it is on the matter of one that somebody deleted; of a profile's field, the same value again."""
    return insight.about == unwanted.about and (insight.fills is None or insight.content == unwanted.content)


def _kept(insight: Insight, filter_: DreamFilter) -> bool:
    """Return whether neither the insight nor what it rests on is to be left out."""
    names = [insight.user] if insight.user else []
    return filter_.objection(MemoryType.INSIGHT, insight.content, names) is None and not any(
        filter_.ignores(one.content, names) for one in insight.evidence
    )


def _is_news(insight: Insight, before: KnownInsight | None, superseded: Collection[UUID]) -> bool:
    if before is None or not before.evidence.isdisjoint(superseded):
        return True
    if insight.fills is not None:
        return insight.content != before.content
    evidence = {one.id for one in insight.evidence}
    grown = insight.supports >= GROWTH * before.supports
    return evidence != before.evidence and (grown or not before.evidence <= evidence)


def tastes_in(reports: Sequence[MemoryReport]) -> Found:
    """Return the tastes that hold across several things. None where the person says it of all themselves, or says both
    that they like and that they dislike something of it."""
    grouped: dict[tuple[str, str], list[tuple[Taste, Evidence]]] = defaultdict(list)
    for one in sorted(reports, key=_since):
        if isinstance(one.of, Taste) and one.user is not None:
            grouped[one.of.about, one.user].append((one.of, one.evidence))
    found, over = [], {}
    for (about, user), some in grouped.items():
        tastes = [taste for taste, _ in some]
        unlike = [evidence for taste, evidence in some if not taste.thing or taste.liked != tastes[0].liked]
        if unlike:
            over[about] = unlike[-1]
        elif len({taste.thing.casefold() for taste in tastes}) >= THINGS_MIN:
            evidence = [evidence for _, evidence in some][-EVIDENCE_MAX:]
            found.append(Insight(new_id(), about, user, taste_sentence(tastes, user), evidence))
    return found, over


def questions_of(reports: Sequence[MemoryReport]) -> dict[str, list[MemoryReport]]:
    """Return by matter the reports of a question that is asked on several days, in the order they were told."""
    grouped: dict[str, list[MemoryReport]] = defaultdict(list)
    for one in sorted(reports, key=_since):
        if isinstance(one.of, OpenQuestion):
            grouped[one.of.about].append(one)
    return {
        about: some for about, some in grouped.items() if len({one.at.date() for one in some}) >= QUESTION_TIMES_MIN
    }


def questions_in(asked: Mapping[str, Sequence[MemoryReport]], said: Mapping[str | None, Sequence[Evidence]]) -> Found:
    """Return the questions that nothing settles: no statement of the person's (``said``, by user) since it was asked
    last has to do with it."""
    found, over = [], {}
    for about, some in asked.items():
        last, ids = some[-1], {one.evidence.id for one in some}
        question = last.of
        assert isinstance(question, OpenQuestion)
        since = [one for one in said.get(last.user, ()) if one.since >= last.evidence.since and one.id not in ids]
        settled = next((one for one in since if question.is_touched_by(one.content)), None)
        if settled is not None:
            over[about] = settled
            continue
        days = sorted(one.at for one in some)
        when = f"{len(some)} times, {months_between(days[0], days[-1])}"
        content = f"Open question: {last.evidence.content.rstrip('.! ')} ({when})"
        evidence = [one.evidence for one in some][-EVIDENCE_MAX:]
        found.append(Insight(new_id(), about, last.user, content, evidence))
    return found, over


def _since(one: MemoryReport) -> tuple[object, object]:
    return one.evidence.since, one.evidence.id
