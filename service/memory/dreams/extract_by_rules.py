"""The rules over a whole batch, a stretch at a time, so that a worker told to stop never waits long for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from service.extraction.candidates import Candidate, Extraction, Turn, stated_in
from service.extraction.rules import extract
from service.memory.dreams.in_flight import Steps

BATCH_TURNS = 200


async def extract_by_rules(
    turns: Sequence[Turn], done: Callable[[int, Sequence[Candidate]], None], steps: Steps
) -> Extraction:
    """What the turns state, by the built-in rules; off the event loop. ``done`` is given the number
    of turns of each few read, and the candidates in them."""
    people = {turn.speaker for turn in turns if turn.role == "user" and turn.speaker}
    found = Extraction(covered=len(turns))
    for start, stretch in steps.batches(turns, stated_in, BATCH_TURNS):
        before = turns[start - 1] if start else None
        async with steps.step("read", [turn.id for turn in stretch]):
            candidates = await steps.run(partial(extract, stretch, before=before, people=people))
        found.candidates += candidates
        done(len(stretch), candidates)
    return found
