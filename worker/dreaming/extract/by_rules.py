"""The rules over a whole batch, a stretch at a time, so that a worker told to stop never waits long for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from worker.dreaming.candidates import Turn
from worker.dreaming.extract.outcome import Extraction
from worker.dreaming.extract.rules import extract

STRETCH_TURNS = 200


async def extract_by_rules(turns: Sequence[Turn], done: Callable[[int], Awaitable[None]]) -> Extraction:
    """What the turns state, by the built-in rules; off the event loop. ``done`` is told of each few read."""
    people = {turn.speaker for turn in turns if turn.role == "user" and turn.speaker}
    found = Extraction(covered=len(turns))
    for start in range(0, len(turns), STRETCH_TURNS):
        before = turns[start - 1] if start else None
        stretch = turns[start : start + STRETCH_TURNS]
        found.candidates += await asyncio.to_thread(extract, stretch, before=before, people=people)
        await done(len(stretch))
    return found
