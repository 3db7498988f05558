"""Sixty rounds of kill -9 against a real ``python -m service run`` under writers: what was lost, doubled, and how
long it took until every writer was served again."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
from pathlib import Path

from tests.bench.environment import Place
from tests.bench.report import Cell, console, show
from tests.kill_rounds import BY_HAND, SAVERS, TALKERS, TARGETS, Counted, Outcome, Round, kill_in_rounds, running

ROUNDS = int(os.environ.get("KILLS_ROUNDS", "60"))
SEED = int(os.environ.get("KILLS_SEED", "22"))


def run(place: Place) -> None:
    """Print both tables."""
    with tempfile.TemporaryDirectory(prefix="kills-", dir=place.folder) as folder:
        outcome = asyncio.run(_run(Path(folder)))
    _show_rounds(outcome)
    _show_counts(outcome)


async def _run(folder: Path) -> Outcome:
    def tell(one: Round) -> None:
        console.print(f"[dim]{one.target}: {one.recovered_s:.1f} s, {one.acknowledged} writes[/]")

    async with running(folder) as supervised:
        targets = [TARGETS[number % len(TARGETS)] for number in range(ROUNDS)]
        return await kill_in_rounds(supervised, targets, SEED, tell)


def _show_rounds(outcome: Outcome) -> None:
    rows: list[list[Cell]] = []
    for target in TARGETS:
        rounds = [one for one in outcome.rounds if one.target == target]
        took = [one.recovered_s for one in rounds] or [0.0]
        rows.append(
            [
                target, len(rounds), "by hand" if target in BY_HAND else "by itself",
                sum(one.acknowledged for one in rounds), statistics.median(took), max(took),
            ]
        )  # fmt: skip
    show(
        f"{len(outcome.rounds)} rounds of kill -9 under {SAVERS} savers and {TALKERS} talkers",
        ["killed", "rounds", "restarted", "acknowledged", "served again, median s", "max s"],
        rows,
        note="acknowledged: writes of the round, before and after the kill; served again: every writer, after the kill"
        " (by hand: after the new start was ready)",
    )


def _show_counts(outcome: Outcome) -> None:
    def row(name: str, counted: Counted | None) -> list[Cell]:
        assert counted is not None
        return [name, counted.acknowledged, len(counted.lost), len(counted.doubled)]

    show(
        "afterwards",
        ["", "acknowledged", "lost", "doubled"],
        [
            row("memories saved", outcome.saved),
            row("messages appended", outcome.said),
            row("messages dreamed about", outcome.dreamed),
        ],
        note=f"set aside as dead letters: {outcome.set_aside}; answers that were neither success, 503 nor 409:"
        f" {len(outcome.wrong)} {outcome.wrong[:3]}",
    )
