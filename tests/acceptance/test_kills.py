"""``kill -9`` of each process of ``make run`` under writers: 0 lost, 0 doubled, each message dreamed about once.

``make bench PART=kills`` does sixty rounds of the same.
"""

from __future__ import annotations

from pathlib import Path

from tests.kill_rounds import TARGETS, kill_in_rounds, running


async def test_nothing_acknowledged_is_lost_or_doubled_whatever_is_killed(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        outcome = await kill_in_rounds(run, list(TARGETS), seed=1)
    assert [one.target for one in outcome.rounds] == list(TARGETS)
    assert all(one.acknowledged for one in outcome.rounds)
    assert outcome.wrong == []
    for counted in (outcome.saved, outcome.said, outcome.dreamed):
        assert counted is not None
        assert counted.acknowledged > 0
        assert (counted.lost, counted.doubled) == ([], [])
