"""Which todos a plan closes, because something it reads reports them as done, and which it opens again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from service.domain.types import MemoryType
from service.extraction.english.completed_todos import Deed, deed_done, deed_due, does
from worker.dreaming.plan import NewMemory, Plan, Statement, StatusChange

_TELLING = frozenset({MemoryType.EVENT.value, MemoryType.FACT.value, MemoryType.OBSERVATION.value})
_BEFOREHAND = timedelta(days=1)
"""So long before a todo was noted what it asks for may have been done."""


Place = tuple[datetime, int]
"""When something was said, and its place among what was said at that time."""


@dataclass(frozen=True, slots=True)
class Report:
    """A statement that may report something as done, and the memory that ``keeps`` it."""

    said: Statement
    at: Place
    keeps: Statement


def close_todos(
    plan: Plan,
    todos: Iterable[Statement],
    reports: Sequence[Report],
    *,
    asked_at: Callable[[Statement], Place],
    may_replace: Callable[[Statement, Statement], bool],
) -> None:
    """Close the open ``todos`` that one of ``reports`` says are done, by whoever may say so. ``asked_at``: when a todo
    was said last."""
    due: dict[tuple[frozenset[str], tuple[str, ...]], list[tuple[Deed, Statement]]] = defaultdict(list)
    for todo in todos:
        deed = deed_due(todo.content, todo.subject)
        if deed is not None:
            due[deed.verb, deed.words].append((deed, todo))
    if not due:
        return
    for report in reports:
        said = report.said
        if said.type not in _TELLING or said.polarity == "negative":
            continue
        done = deed_done(said.content, said.subject)
        if done is None:
            continue
        for deed, todo in due.get((done.verb, done.words), ()):
            fits = todo.audience == said.audience and does(done, deed) and may_replace(said, todo)
            if fits and _followed(asked_at(todo), report):
                _close(plan, todo, report)


def open_again(plan: Plan, todo: Statement) -> None:
    """A todo that was done is said again: it is to be done once more."""
    if not isinstance(todo, NewMemory) and todo.status == "done":
        plan.statuses[todo.id] = StatusChange(todo, "open", "said again")


def _close(plan: Plan, todo: Statement, report: Report) -> None:
    if isinstance(todo, NewMemory):
        todo.done = True
    elif todo.status == "done":
        plan.statuses.pop(todo.id, None)
    else:
        plan.statuses[todo.id] = StatusChange(todo, "done", "said to be done")
    plan.links.append((report.keeps, "updates", todo.id))


def _followed(asked_at: Place, report: Report) -> bool:
    happened = report.said.at
    return report.at > asked_at and (happened is None or happened >= asked_at[0] - _BEFOREHAND)
