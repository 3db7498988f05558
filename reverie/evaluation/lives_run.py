"""Generated lives, ingested over a month: how well profiles tell what is true of the people in the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reverie.evaluation.lives.generator import DAYS, Life
from reverie.evaluation.lives.measured import MEASURED, Score
from reverie.evaluation.records import Lines
from reverie.evaluation.report import table
from reverie.evaluation.run import Progress
from reverie.evaluation.systems.reverie import dreamt
from reverie_client import Reverie, calls

NIGHTS = 3
"""Dreams of each agent, one for every ten days."""
PEOPLE = 50
"""Of one agent."""

Json = dict[str, Any]


def measure(
    client: Reverie, run: str, people: Sequence[Life], profiles: Lines, nights: Lines, progress: Progress
) -> Score:
    """Ingest what is missing, dream, and read each profile once, over kills."""
    done = {(one["agent"], one["night"]) for one in nights.read()}
    for night in range(NIGHTS):
        for agent in sorted({life.agent for life in people}):
            if (agent, night) not in done:
                progress(f"{agent}: night {night + 1} of {NIGHTS}")
                _ingest(client, run, [life for life in people if life.agent == agent], night)
                dreamt(client, f"{run}-{agent}")
                nights.append({"agent": agent, "night": night})
    known = {one["user"]: one["fields"] for one in profiles.read()}
    score = Score()
    for life in people:
        if life.user not in known:
            progress(f"profile of {life.user}")
            answer = client.get_profile(_name(run, life), agent=f"{run}-{life.agent}")
            known[life.user] = [{"name": one.name, "value": one.value} for one in answer.fields]
            profiles.append({"user": life.user, "fields": known[life.user]})
        score.add(life, known[life.user])
    return score


def _ingest(client: Reverie, run: str, people: Sequence[Life], night: int) -> None:
    length = DAYS // NIGHTS
    for life in people:
        for day in range(night * length, (night + 1) * length):
            if day in life.sessions:
                session = f"{_name(run, life)}-{day}"
                messages: list[Any] = list(life.sessions[day])
                call = calls.append_messages(session, messages, user=_name(run, life), agent=f"{run}-{life.agent}")
                client.send(call, idempotency_key=session)


def _name(run: str, life: Life) -> str:
    return f"{run}-{life.user}"


def report(score: Score, people: int, described: str) -> str:
    """Return the report: precision and recall of the fields of profiles."""
    rows = [["field", "right", "shown", "true", "precision", "recall"]]
    for name in MEASURED:
        right, shown, true = score.right[name], score.shown[name], score.true[name]
        shares = [f"{right / of:.3f}" if of else "–" for of in (shown, true)]
        rows.append([name, f"{right:,}", f"{shown:,}", f"{true:,}", *shares])
    total = [f"{one.total():,}" for one in (score.right, score.shown, score.true)]
    rows.append(["all", *total, f"{score.precision:.3f}", f"{score.recall:.3f}"])
    parts = [
        "# Generated lives",
        f"- {described}\n- {people:,} people in five languages, dreams by rules\n"
        f"- superseded values shown as current: {len(score.outdated):,}",
        table(rows),
    ]
    return "\n\n".join(parts) + "\n"
