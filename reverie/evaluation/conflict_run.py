"""Facts that change, ingested over weeks: what contexts show of them, and what held on a day."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from reverie.evaluation.conflict import Case, Said
from reverie.evaluation.records import Lines
from reverie.evaluation.report import share, table
from reverie.evaluation.run import Progress
from reverie.evaluation.systems.reverie import dreamt
from reverie_client import Reverie, calls

PEOPLE = 100
"""Of one agent."""
TOKENS_MAX = 1_000
FOUND = 10
LABEL = re.compile(r"superseded", re.IGNORECASE)
"""In a line of a context that says that what it holds is no longer so."""

NO_LONGER = re.compile(
    r"\b(?:no longer|any ?more|used to|quit|left|ya no|dej(?:é|ó)|ne? .{1,20} plus|n'.{1,20} plus|quitté|nicht mehr"
    r"|gekündigt|verlassen)\b|离开了|不住在|不在",
    re.IGNORECASE,
)
"""In a statement that denies what it names, in the languages of the cases."""
PAST = re.compile(r"\b(?:changed|moved) from .{1,60} to .{1,60} in \w+ \d{4}", re.IGNORECASE)
"""A change as an event of a month, which an insight tells of."""
_PERSON = re.compile(r"person\d+")
_SENTENCE_END = re.compile(r"(?<=[^\d][.!?。]) ")

Json = dict[str, Any]


def measure(
    client: Reverie, run: str, cases: Sequence[Case], lines: Lines, ingested: Lines, progress: Progress
) -> list[Json]:
    """Return the record of each case, asked when all is ingested. Both survive a kill."""
    done = {one["case"]: one for one in lines.read()}
    finished = {(one["agent"], one["week"]) for one in ingested.read()}
    groups = [cases[first : first + PEOPLE] for first in range(0, len(cases), PEOPLE)]
    for number, group in enumerate(groups):
        agent = f"{run}-conflict-{number}"
        if all(case.user in done for case in group):
            continue
        for week, said in _weeks(group):
            if (agent, week) not in finished:
                progress(f"{agent}: telling week {week}")
                _tell(client, agent, week, said)
                ingested.append({"agent": agent, "week": week})
        for case in group:
            if case.user not in done:
                progress(f"{agent}: asking {case.user}")
                done[case.user] = asked(client, agent, case)
                lines.append(done[case.user])
    return [done[case.user] for case in cases]


def _weeks(group: Sequence[Case]) -> Iterator[tuple[int, list[tuple[str, Said]]]]:
    """Yield what everybody says, by the weeks of the year in which they do."""
    every = [(case.user, one) for case in group for one in case.said]
    every.sort(key=lambda pair: (pair[1].at, pair[0]))
    for week, said in itertools.groupby(every, key=lambda pair: pair[1].at.isocalendar().week):
        yield week, list(said)


def _tell(client: Reverie, agent: str, week: int, said: list[tuple[str, Said]]) -> None:
    by_user: dict[str, list[Any]] = {}
    for user, one in said:
        message = {"role": "user", "content": one.text, "created_at": one.at.isoformat()}
        by_user.setdefault(user, []).append(message)
    for user, messages in by_user.items():
        call = calls.append_messages(f"{user}-{week}", messages, user=user, agent=agent)
        client.send(call, idempotency_key=f"{agent}-{user}-{week}")
    dreamt(client, agent)


def asked(client: Reverie, agent: str, case: Case) -> Json:
    """Return what a context shows of a case when its person asks, and what a search finds as of a day between."""
    context = client.build_context(case.question, agent=agent, user=case.user, max_tokens=TOKENS_MAX)
    shown = statements("\n".join(one.text for one in context.sections), case)
    before = client.preview_search(
        case.question, agent=agent, user=case.user, as_of=case.between, include=["memories"], limit=FOUND,
        min_relevance=0,
    )  # fmt: skip
    found = statements("\n".join(one.text for one in before.results), case)
    return {
        "case": case.user,
        "language": case.language,
        "kind": case.kind,
        "question": case.question,
        "said": [one.text for one in case.said],
        "values": list(case.values),
        "current_shown": any(holds(one, case.current) for one in shown),
        "superseded_shown": [one for one in shown if stale(one, case)],
        "tokens": context.tokens,
        "as_of_shown": any(holds(one, case.values[-2]) for one in found)
        and not any(holds(one, case.current) for one in found),
    }


def statements(text: str, case: Case) -> list[str]:
    """Return the sentences and lines of a context that are about the case: those that name its project, or nobody
    else."""
    pieces = (piece for line in text.splitlines() for piece in _SENTENCE_END.split(line))
    return [
        piece
        for piece in pieces
        if (case.subject in piece if case.subject else set(_PERSON.findall(piece.lower())) <= {case.user})
    ]


def holds(statement: str, value: str) -> bool:
    """Return whether a statement gives a value as one that holds."""
    return _names(statement, value) and not LABEL.search(statement)


def stale(statement: str, case: Case) -> bool:
    """Return whether a statement gives a superseded value as if it held: it names one, not the current one beside it as
    the news of a change does, and neither denies it, nor labels it, nor tells of a change in some month as of an event.
    """
    former = any(holds(statement, value) for value in case.values[:-1])
    return (
        former
        and not _names(statement, case.current)
        and not NO_LONGER.search(statement)
        and not PAST.search(statement)
    )


def _names(text: str, value: str) -> bool:
    forms = [value, " ".join(reversed(value.split()))] if value[-1:].isdigit() else [value]
    return any(_contains(text, form) for form in forms)


def _contains(text: str, value: str) -> bool:
    if value.isascii():
        return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE | re.ASCII) is not None
    return value.casefold() in text.casefold()


def report(records: Sequence[Json], described: str) -> str:
    """Return the report: shares over cases, and by kind and language."""
    rows = [["cases", "", "current shown", "superseded shown as current", "as of a day between"]]
    groups: dict[str, list[Json]] = {"all": list(records)}
    for one in records:
        groups.setdefault(f"{one['language']} {one['kind']}", []).append(one)
    for name, group in sorted(groups.items()):
        current = share([float(one["current_shown"]) for one in group])
        wrong = sum(bool(one["superseded_shown"]) for one in group)
        rows.append(
            [name, f"{len(group):,}", current, f"{wrong:,}", share([float(one["as_of_shown"]) for one in group])]
        )
    tokens = sum(one["tokens"] for one in records) / len(records)
    parts = [
        "# Facts that change",
        f"- {described}\n- {len(records):,} cases, contexts of at most {TOKENS_MAX:,} tokens, {tokens:,.0f} on average",
        "Each fact was stated and changed once or twice over weeks, with a dream by rules after each. A superseded "
        "value is shown as current where a statement about the person or project names it without the current value "
        "beside it, without denying it and without a label.",
        table(rows),
    ]
    return "\n\n".join(parts) + "\n"
