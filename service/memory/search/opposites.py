"""What says the opposite of what is asked for comes after what answers: "loves Go" before "does not like Python"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.domain.message_text import plain_text
from service.domain.polarity import asked_stance, stance_of
from service.memory.search.search_results import SearchResult

LOOKED_AT = 50
"""The best that are looked at, however few are asked for, so that the order does not depend on that."""
ANSWERS_AMONG = 10
"""What says what is asked for counts as an answer among so many of the best."""
LESS = 0.999
"""What says the opposite scores so much less than the least of the answers."""


def opposites_last(query: str, found: Sequence[SearchResult]) -> list[SearchResult]:
    """The best anew, with the ``polarity`` that the score of some has lost; the rest after them as they were."""
    asked = asked_stance(query)
    stances = [stance_of(plain_text(hit.record.content)) for hit in found[:LOOKED_AT]]
    answers = [hit.score for hit, said in zip(found[:ANSWERS_AMONG], stances, strict=False) if said == asked]
    if not answers:
        return list(found)
    most = min(answers) * LESS
    best = [
        replace(hit, score=most, boosts={**hit.boosts, "polarity": most - hit.score})
        if said not in (None, asked) and hit.score > most
        else hit
        for hit, said in zip(found[:LOOKED_AT], stances, strict=True)
    ]
    best.sort(key=lambda hit: -hit.score)
    return [replace(hit, rank=rank) for rank, hit in enumerate([*best, *found[LOOKED_AT:]], start=1)]
