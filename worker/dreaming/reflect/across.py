"""What statements of one person come to together: a taste that holds across things, and a question that stays open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from service.domain.ids import new_id
from worker.dreaming.reflect.changes import months_between
from worker.dreaming.reflect.insight import EVIDENCE_MAX, Evidence, Insight
from worker.dreaming.reflect.questions import TIMES_MIN, OpenQuestion
from worker.dreaming.reflect.reported import MemoryReport
from worker.dreaming.reflect.tastes import Taste, taste_sentence

THINGS_MIN = 2

Found = tuple[list[Insight], dict[str, Evidence]]
"""Insights, and by matter the evidence that no insight holds on it."""


def tastes_in(reports: Sequence[MemoryReport]) -> Found:
    """The tastes that hold across several things. None where the person says it of all themselves, or says both that
    they like and that they dislike something of it."""
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
    """By matter, the reports of a question that is asked on several days, in the order they were told."""
    grouped: dict[str, list[MemoryReport]] = defaultdict(list)
    for one in sorted(reports, key=_since):
        if isinstance(one.of, OpenQuestion):
            grouped[one.of.about].append(one)
    return {about: some for about, some in grouped.items() if len({one.at.date() for one in some}) >= TIMES_MIN}


def questions_in(asked: Mapping[str, Sequence[MemoryReport]], said: Mapping[str | None, Sequence[Evidence]]) -> Found:
    """The questions that nothing settles: no statement of the person's (``said``, by user) since it was asked last has
    to do with it."""
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
