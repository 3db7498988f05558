"""How a search ranks its candidates: neighbours, fusion, boosts (docs/search.md says what each is worth)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
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
FIELDS = ("content", "key", "tags", "summary")
"""Where words of the question may be; each has a bit of ``Candidate.fields``, from the lowest."""
CREDIT_MIN = 0.01
"""The least share of the question's words that a neighbour's make a text relevant by."""
DIALOGUE_DECAY = 0.6
"""A turn counts for so much less with each turn of the dialogue between it and another."""
NOT_PEOPLE = frozenset({None, "assistant", "system", "tool"})
"""Speakers whose turns are no part of a dialogue between people."""
NEARNESS_MIN = 0.5
"""How near to a time that the question names a text is relevant for it: at half its boost."""


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
    importance: float = 0.5
    """After decay."""
    fields: int = 0
    """The ``FIELDS`` that have words of the question."""
    states: bool = False
    """A memory of a type that states something, and nothing that happened or was said."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A result and why it is there: its place in each list of the best, from 1, and what was added to its score.

    ``also``: the memories or messages that give way to it, since they say the same. ``relevance`` is what the floor is
    held against: the similarity or, above the noise level, the share of the question's words or of its time, whichever
    is the largest.
    """

    id: UUID
    score: float
    keyword_rank: int | None
    semantic_rank: int | None
    keyword_score: float | None
    semantic_score: float | None
    boosts: Mapping[str, float]
    relevance: float
    also: Sequence[UUID] = ()
    matched_fields: Sequence[str] = ()
    """Where it has words of the question."""


def rank(
    candidates: Iterable[Candidate], windows: Sequence[Window], ranking: Ranking, *, limit: int, noise: float = 0.0
) -> list[Ranked]:
    """The best ``limit`` candidates, best first, ties by id; a memory and the messages it came from are one.

    Those below the floor are no results. ``windows`` are the times that the question names, ``noise`` is the
    similarity that unrelated texts have by chance. What only a limit above ``ranking.candidates`` brings in comes
    after all else. With the fusion ``rrf``, what is in neither list is no result.
    """
    members = sorted(candidates, key=attrgetter("id"))
    if not members:
        return []
    own = [dict(zip(one.terms, one.weights, strict=True)) if one.terms and one.weights else {} for one in members]
    keyword_scores = [math.fsum(weights.values()) if weights else None for weights in own]
    meanings = [_meaning(one, ranking) for one in members]
    best = max(ranking.candidates, limit)
    keyword_ranks, semantic_ranks = _ranks(keyword_scores, best), _ranks(meanings, best)
    lenders = [members[number] for number, place in keyword_ranks.items() if place <= ranking.candidates]
    credited = _with_neighbours(members, own, lenders, ranking)
    nearnesses = [max((_nearness(one, window, ranking) for window in windows), default=0.0) for one in members]
    core = _core(members, keyword_ranks, semantic_ranks, meanings, windows, ranking)
    if ranking.fusion == "rrf" and (keyword_ranks or semantic_ranks):
        scores = _reciprocal(keyword_ranks, semantic_ranks, ranking)
        boosts: list[dict[str, float]] = [{}] * len(members)
    else:
        bases = _bases(credited, meanings, core, ranking)
        boosts = _boosts(members, bases, nearnesses, core, ranking)
        scores = {number: base + sum(boosts[number].values()) for number, base in enumerate(bases)}
    lowest = min((scores[number] for number in scores.keys() & core), default=0.0)
    scores |= {number: min(scores[number], lowest) for number in scores.keys() - core}
    relevances = _relevances(members, own, credited, nearnesses, noise)
    found = [number for number in scores if is_relevant(relevances[number], ranking.min_relevance, noise)]
    found.sort(key=lambda number: (number not in core, -scores[number], number))
    ordered = {members[number].id: number for number in found}
    places = collapse(list(ordered), {one.id: one.sources for one in members if one.sources})
    return [
        Ranked(
            id_,
            scores[number],
            keyword_ranks.get(number),
            semantic_ranks.get(number),
            keyword_scores[number],
            members[number].similarity,
            boosts[number],
            relevances[number],
            also,
            [name for bit, name in enumerate(FIELDS) if members[number].fields >> bit & 1],
        )
        for id_, also in islice(places.items(), limit)
        for number in (ordered[id_],)
    ]


def near(window: Window, ranking: Ranking) -> Window:
    """The span around a window in which its boost is at least half as large as in it."""
    half_life = timedelta(seconds=_fading_s(window, ranking)) * math.log(2)
    try:
        return Window(window.since - half_life / ranking.early_factor, window.until + half_life)
    except OverflowError:
        return window


def _meaning(one: Candidate, ranking: Ranking) -> float | None:
    """The similarity of a vector, less for few words: a turn of three words says little, a statement of three much."""
    if one.similarity is None:
        return None
    saturation = ranking.statement_saturation if one.states else ranking.words_saturation
    return one.similarity * (1 - math.exp(-min(one.words / saturation, EXPONENT_MAX)))


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
        share *= _fade(members[to], ranking)
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
    return [math.fsum(words.values()) for words in credited]


def _fade(one: Candidate, ranking: Ranking) -> float:
    """How much a turn needs those around it, from 1 down to 0 for a long one."""
    return math.exp(-min(max(0.0, one.length - ranking.fade_after) / ranking.fade_over, EXPONENT_MAX))


def _core(
    members: Sequence[Candidate],
    keyword_ranks: Mapping[int, int],
    semantic_ranks: Mapping[int, int],
    meanings: Sequence[float | None],
    windows: Sequence[Window],
    ranking: Ranking,
) -> set[int]:
    """The candidates of a search for no more than ``ranking.candidates`` results, as its statement chooses them."""
    most = ranking.candidates
    by_words = {number for number, place in keyword_ranks.items() if place <= most}
    lenders = {members[number].id: members[number] for number in by_words if keyword_ranks[number] <= most // 2}
    around = {one.previous for one in lenders.values()}
    spans = [near(window, ranking) for window in windows]
    timed = [
        number
        for number, one in enumerate(members)
        if any(span.since <= one.happened_at < span.until for span in spans)
    ]
    timed.sort(key=lambda number: (-(meanings[number] or 0.0), -members[number].importance, number))
    return (
        by_words
        | {number for number, place in semantic_ranks.items() if place <= most}
        | {number for number, one in enumerate(members) if one.id in around or one.previous in lenders}
        | set(timed[:most])
    )


def _reciprocal(
    keyword_ranks: Mapping[int, int], semantic_ranks: Mapping[int, int], ranking: Ranking
) -> dict[int, float]:
    """Reciprocal ranks, summed over the lists in which a candidate is among the best ``ranking.candidates`` or, where
    it is in neither, over those that a larger limit makes longer."""
    scores: dict[int, float] = {}
    for number in keyword_ranks.keys() | semantic_ranks.keys():
        places = [ranks[number] for ranks in (keyword_ranks, semantic_ranks) if number in ranks]
        best = [place for place in places if place <= ranking.candidates] or places
        scores[number] = sum(1 / (ranking.rrf_k + place) for place in best)
    return scores


def _bases(
    credited: Sequence[float], meanings: Sequence[float | None], core: Set[int], ranking: Ranking
) -> list[float]:
    """Words and meaning, scaled and averaged; by words alone what has no vector where others have one."""
    by_words = _scaled(credited, core)
    by_meaning = _scaled([max(0.0, meaning or 0.0) for meaning in meanings], core)
    by_vector = any(meanings[number] is not None for number in core)
    bases = []
    for words, scaled, meaning in zip(by_words, by_meaning, meanings, strict=True):
        share = ranking.vector_weight if meaning is not None or not by_vector else 0.0
        bases.append((1 - share) * words + share * scaled)
    return bases


def _scaled(scores: Sequence[float], core: Set[int]) -> list[float]:
    """From 0 for the least of the core, but for no more than half of its largest, to 1 for that: where all are about
    equal, the little that they differ counts little."""
    compared = [scores[number] for number in core] or scores
    largest = max(compared)
    if largest <= 0:
        return [0.0] * len(scores)
    least = min(*compared, largest / 2)
    return [min(1.0, max(0.0, (score - least) / (largest - least))) for score in scores]


def _relevances(
    members: Sequence[Candidate],
    own: Sequence[Mapping[int, float]],
    credited: Sequence[float],
    nearnesses: Sequence[float],
    noise: float,
) -> list[float]:
    """How much each has of what is asked for, from 0 to 1: a word or the time in common lifts it above the noise."""
    largest: dict[int, float] = {}
    for weights in own:
        for word, weight in weights.items():
            largest[word] = max(largest.get(word, 0.0), weight)
    total = math.fsum(largest.values()) or 1.0
    relevances = []
    for number, one in enumerate(members):
        share = credited[number] / total
        common = max(
            share if own[number] or share >= CREDIT_MIN else 0.0,
            nearnesses[number] if nearnesses[number] >= NEARNESS_MIN else 0.0,
        )
        by_words = noise + (1 - noise) * min(1.0, common) if common else 0.0
        relevances.append(max(0.0, one.similarity or 0.0, by_words))
    return relevances


def is_relevant(relevance: float, least: float | None, noise: float) -> bool:
    """Whether a candidate is a result: the floor is the noise level unless one is given, and 0 turns it off."""
    return relevance >= least if least is not None else relevance > 0 and relevance >= noise


def _boosts(
    members: Sequence[Candidate],
    bases: Sequence[float],
    nearnesses: Sequence[float],
    core: Set[int],
    ranking: Ranking,
) -> list[dict[str, float]]:
    """What is added to each base: less for questions; more for a session with good ones, a dialogue that is good around
    it, a time named, the user, and what matters."""
    penalties = [base * ranking.question_penalty * one.question_share for one, base in zip(members, bases, strict=True)]
    sessions: dict[UUID, float] = {}
    for number in core:
        session = members[number].session_id or members[number].id
        sessions[session] = max(sessions.get(session, -math.inf), bases[number] - penalties[number])
    answered = any(members[number].speaker == "assistant" for number in core)
    merits = [max(0.0, base - penalty) for base, penalty in zip(bases, penalties, strict=True)]
    around = _around(members, merits, core, ranking)
    boosts: list[dict[str, float]] = []
    for number, one in enumerate(members):
        boost = {
            "question": -penalties[number],
            "session": sessions.get(one.session_id or one.id, 0.0) * ranking.session_boost,
            "dialogue": around.get(number, 0.0) * ranking.dialogue_boost,
            "time": nearnesses[number] * ranking.time_boost,
            "user": ranking.user_boost if answered and one.speaker == "user" else 0.0,
            "importance": one.importance * ranking.importance_boost,
        }
        boosts.append({name: added for name, added in boost.items() if added})
    return boosts


def _around(
    members: Sequence[Candidate], scores: Sequence[float], core: Set[int], ranking: Ranking
) -> dict[int, float]:
    """The scores of the turns before and after each of the core in a dialogue of people, the farther the less; of long
    turns and for long turns less. Turns that are no candidates, and two turns of one speaker, part a dialogue."""
    numbers = {members[number].id: number for number in core}
    following: dict[int, list[int]] = {}
    for number in sorted(core):
        one = members[number]
        before = None if one.previous is None else numbers.get(one.previous)
        speakers = {one.speaker, None if before is None else members[before].speaker}
        if before is not None and len(speakers) == 2 and NOT_PEOPLE.isdisjoint(speakers):
            following.setdefault(before, []).append(number)
    if not following:
        return {}
    fades = {number: _fade(members[number], ranking) for number in core}
    replies = {number for after in following.values() for number in after}
    walk = [number for number in sorted(following) if number not in replies]
    earlier, later = dict.fromkeys(core, 0.0), dict.fromkeys(core, 0.0)
    for number in walk:
        for reply in following.get(number, ()):
            earlier[reply] = DIALOGUE_DECAY * (fades[number] * scores[number] + earlier[number])
            walk.append(reply)
    for number in reversed(walk):
        for reply in following.get(number, ()):
            later[number] += DIALOGUE_DECAY * (fades[reply] * scores[reply] + later[reply])
    return {number: fades[number] * (earlier[number] + later[number]) for number in core}


def _nearness(one: Candidate, window: Window, ranking: Ranking) -> float:
    """1 in the window, less the farther from it, and less still before it."""
    late = (one.happened_at - window.until).total_seconds()
    early = ranking.early_factor * (window.since - one.happened_at).total_seconds()
    return math.exp(-min(EXPONENT_MAX, max(0.0, late, early) / _fading_s(window, ranking)))


def _fading_s(window: Window, ranking: Ranking) -> float:
    """In how many seconds the boost of a window falls to 1/e: where one end is named, that is sharp."""
    share = 0.0 if window.bounded else ranking.near_share
    return max(ranking.near_days * DAY_S, share * (window.until - window.since).total_seconds())
