"""How a search ranks its candidates: neighbours, fusion, boosts (docs/search.md says what each is worth)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from operator import attrgetter
from typing import NamedTuple
from uuid import UUID

from service.domain.collapsing import collapse
from service.domain.search import Ranking
from service.domain.timex import Window

EXPONENT_MAX = 700
"""Past it exp(-x) is nothing."""
DAY_S = 86_400


class Candidate(NamedTuple):
    """A row that may be a result, with what it is ranked by.

    ``previous`` is the turn before it in its session; ``length`` is counted in lexemes, ``words`` in words of the text;
    ``question_share`` is the share of the text, 0 to 1, that asks. ``similarity`` is the cosine with the question's
    vector, if both have one; ``terms`` numbers the question's words that are in the text, ``weights`` are their BM25.
    ``sources`` are the messages that a memory came from, where messages are searched too.
    """

    id: UUID
    previous: UUID | None
    session_id: UUID | None
    happened_at: datetime
    speaker: str | None
    length: int
    words: int
    asks: bool
    question_share: float
    similarity: float | None
    terms: Sequence[int] | None
    weights: Sequence[float] | None
    sources: Sequence[UUID] | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A result and why it is there: its place in each list of the best, from 1, and what was added to its score.

    ``also``: the memories or messages that give way to it, since they say the same.
    """

    id: UUID
    score: float
    keyword_rank: int | None
    semantic_rank: int | None
    keyword_score: float | None
    semantic_score: float | None
    boosts: Mapping[str, float]
    also: Sequence[UUID] = ()


def rank(candidates: Iterable[Candidate], windows: Sequence[Window], ranking: Ranking, *, limit: int) -> list[Ranked]:
    """The best ``limit`` candidates, best first, ties by id; a memory and the messages it came from are one.

    ``windows`` are the times that the question names. With the fusion ``rrf``, what is in neither list is no result.
    """
    members = sorted(candidates, key=attrgetter("id"))
    if not members:
        return []
    own = [dict(zip(one.terms, one.weights, strict=True)) if one.terms and one.weights else {} for one in members]
    keyword_scores = [sum(weights.values()) if weights else None for weights in own]
    meanings = [_meaning(one, ranking) for one in members]
    best = max(ranking.candidates, limit)
    keyword_ranks, semantic_ranks = _ranks(keyword_scores, best), _ranks(meanings, best)
    lenders = [members[number] for number, place in keyword_ranks.items() if place <= ranking.candidates]
    words = _scaled(_with_neighbours(members, own, lenders, ranking))
    share = ranking.vector_weight
    bases = [
        (1 - share) * by_words + share * by_meaning
        for by_words, by_meaning in zip(words, _scaled([max(0.0, meaning or 0.0) for meaning in meanings]), strict=True)
    ]
    boosts = _boosts(members, bases, windows, ranking)
    if ranking.fusion == "rrf":
        scores = {
            number: sum(
                1 / (ranking.rrf_k + ranks[number]) for ranks in (keyword_ranks, semantic_ranks) if number in ranks
            )
            for number in keyword_ranks.keys() | semantic_ranks.keys()
        }
    else:
        scores = {number: base + sum(boosts[number].values()) for number, base in enumerate(bases)}
    ordered = {members[number].id: number for number in sorted(scores, key=lambda number: (-scores[number], number))}
    places = collapse(list(ordered), {one.id: one.sources for one in members if one.sources})
    return [
        Ranked(
            id_,
            scores[ordered[id_]],
            keyword_ranks.get(ordered[id_]),
            semantic_ranks.get(ordered[id_]),
            keyword_scores[ordered[id_]],
            members[ordered[id_]].similarity,
            boosts[ordered[id_]],
            also,
        )
        for id_, also in islice(places.items(), limit)
    ]


def near(window: Window, ranking: Ranking) -> Window:
    """The span around a window in which its boost is at least half as large as in it."""
    half_life = timedelta(seconds=_fading_s(window, ranking)) * math.log(2)
    try:
        return Window(window.since - half_life / ranking.early_factor, window.until + half_life)
    except OverflowError:
        return window


def _meaning(one: Candidate, ranking: Ranking) -> float | None:
    """The similarity of a vector, less for few words."""
    if one.similarity is None:
        return None
    return one.similarity * (1 - math.exp(-min(one.words / ranking.words_saturation, EXPONENT_MAX)))


def _ranks(scores: Sequence[float | None], best: int) -> dict[int, int]:
    """The places, from 1, of the ``best`` that have a score, by their numbers; of equal ones the first comes first."""
    scored = [(-score, number) for number, score in enumerate(scores) if score is not None]
    return {number: place for place, (_, number) in enumerate(sorted(scored)[:best], start=1)}


def _with_neighbours(
    members: Sequence[Candidate], own: Sequence[dict[int, float]], lenders: Sequence[Candidate], ranking: Ranking
) -> list[float]:
    """How much each says of the question, or the turn before or after it, if that is among the best by words itself.

    Each word counts once, at its largest. The longer a turn is, the less it needs its neighbours.
    """
    numbers = {one.id: number for number, one in enumerate(members)}
    of_lender = {one.id: own[numbers[one.id]] for one in lenders}
    credited = list(own)

    def lend(to: int, lender: UUID, share: float) -> None:
        share *= math.exp(-min(max(0.0, members[to].length - ranking.fade_after) / ranking.fade_over, EXPONENT_MAX))
        words = credited[to] = dict(credited[to])
        for word, weight in of_lender[lender].items():
            words[word] = max(words.get(word, 0.0), share * weight)

    for number, one in enumerate(members):
        if one.previous in of_lender:
            asked = members[numbers[one.previous]]
            answers = asked.asks and None not in (asked.speaker, one.speaker) and asked.speaker != one.speaker
            lend(number, one.previous, ranking.previous_share + (ranking.reply_share if answers else 0.0))
    for one in lenders:
        if one.previous in numbers:
            lend(numbers[one.previous], one.id, ranking.next_share)
    return [sum(words.values()) for words in credited]


def _scaled(scores: Sequence[float]) -> list[float]:
    """From 0 for the least to 1 for the largest; where all are equal, 1 if they are above 0."""
    least, span = min(scores), max(scores) - min(scores)
    if not span:
        return [1.0 if least > 0 else 0.0] * len(scores)
    return [(score - least) / span for score in scores]


def _boosts(
    members: Sequence[Candidate], bases: Sequence[float], windows: Sequence[Window], ranking: Ranking
) -> list[dict[str, float]]:
    """What is added to each base: less for questions, more for a session with good ones, a time named, the user."""
    penalties = [base * ranking.question_penalty * one.question_share for one, base in zip(members, bases, strict=True)]
    sessions: dict[UUID, float] = {}
    for one, base, penalty in zip(members, bases, penalties, strict=True):
        session = one.session_id or one.id
        sessions[session] = max(sessions.get(session, -math.inf), base - penalty)
    answered = any(one.speaker == "assistant" for one in members)
    boosts: list[dict[str, float]] = []
    for one, penalty in zip(members, penalties, strict=True):
        boost: dict[str, float] = {}
        if penalty:
            boost["question"] = -penalty
        if best := sessions[one.session_id or one.id] * ranking.session_boost:
            boost["session"] = best
        if windows and (nearness := ranking.time_boost * max(_nearness(one, window, ranking) for window in windows)):
            boost["time"] = nearness
        if answered and one.speaker == "user" and ranking.user_boost:
            boost["user"] = ranking.user_boost
        boosts.append(boost)
    return boosts


def _nearness(one: Candidate, window: Window, ranking: Ranking) -> float:
    """1 in the window, less the farther from it, and less still before it."""
    late = (one.happened_at - window.until).total_seconds()
    early = ranking.early_factor * (window.since - one.happened_at).total_seconds()
    return math.exp(-min(EXPONENT_MAX, max(0.0, late, early) / _fading_s(window, ranking)))


def _fading_s(window: Window, ranking: Ranking) -> float:
    """In how many seconds the boost of a window falls to 1/e."""
    return max(ranking.near_days * DAY_S, ranking.near_share * (window.until - window.since).total_seconds())
