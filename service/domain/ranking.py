"""How a search ranks its candidates: neighbours, fusion, boosts (docs/search.md says what each is worth)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from itertools import islice
from operator import attrgetter
from typing import Literal, NamedTuple, Self, get_args
from uuid import UUID

from service.domain.collapsing import collapse
from service.domain.search import Fusion
from service.domain.timex import TimeSpan

EXPONENT_MAX = 700
"""Past it exp(-x) is nothing."""
DAY_S = 86_400
MatchedField = Literal["content", "key", "tags", "summary"]
FIELDS: tuple[MatchedField, ...] = get_args(MatchedField)
"""Where words of the question may be; each has a bit of ``Candidate.fields``, from the lowest."""
CREDIT_MIN = 0.01
"""The least share of the question's words that a neighbour's make a text relevant by."""
DIALOGUE_DECAY = 0.6
"""A turn counts for so much less with each turn of the dialogue between it and another."""
NOT_PEOPLE = frozenset({None, "assistant", "system", "tool"})
"""Speakers whose turns are no part of a dialogue between people."""
NEARNESS_MIN = 0.5
"""How near to a time that the question names a text is relevant for it: at half its boost."""
BOOSTS = ("question", "session", "dialogue", "time", "user", "importance")
"""What is added to a score, in the order of ``_Boosts``."""

_Boosts = tuple[float, float, float, float, float, float]
_NO_BOOSTS: _Boosts = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Settings and constants that choose and rank candidates.

    The first four are settings of a workspace. The others are constants, decided by recall@10 on the given halves of
    LoCoMo (997 questions) and LongMemEval (41), static / MiniLM vectors; a test or a benchmark gives others. Without a
    part, LoCoMo as messages, which has .802 / .831 with all of them, loses what its docstring says
    (``make bench PART=parts``).
    """

    fusion: Fusion = "relative"
    rrf_k: int = 60
    importance_boost: float = 0.1
    min_relevance: float | None = None
    candidates: int = 50
    """Best of each list that are fused."""
    k1: float = 1.2
    """Term-frequency saturation of BM25 (Robertson and Zaragoza 2009)."""
    b: float = 0.75
    """Length normalization of BM25."""
    length_floor: int = 30
    """Length in words that BM25 assumes of a shorter text, so that short turns are not found for being short."""
    length_reference: float = 40
    """Average length in words that BM25 assumes: fixed, so that nothing stored goes stale."""
    key_weight: float = 0.8
    """Weight of a word in the key of a memory, relative to one in its content. The sets have no keys, tags or
    summaries, so these weights are not measured."""
    tag_weight: float = 0.6
    """The same in its tags."""
    summary_weight: float = 0.4
    """The same in its summary, where its content does not have it."""
    words_saturation: float = 8
    """Word count w0 in the weight ``1 - exp(-words/w0)`` of vector similarity: .007 / .004 with that of statements."""
    statement_saturation: float = 3
    """The same of a memory of any type but ``event`` and ``observation``: .073 / .129 more of 648 questions about short
    statements have the right one first than with 8."""
    vector_weight: float = 0.5
    """Share of vector similarity in relative fusion."""
    previous_share: float = 0.4
    """Share of the words of the turn before that a turn is credited with: .044 / .035 with that of the next."""
    next_share: float = 0.35
    """The same of the turn after."""
    reply_share: float = 0.5
    """Addition to ``previous_share`` for an answer to another speaker's question: .019 / .014."""
    fade_after: float = 40
    """Length in words from which on a turn needs its neighbours less."""
    fade_over: float = 30
    """Words over which that need falls to 1/e."""
    question_penalty: float = 0.15
    """Share of its score that a text loses for consisting of questions: .004 / .004."""
    session_boost: float = 0.1
    """Share of the best score of the same session added to a score: .006 / .008."""
    dialogue_boost: float = 0.2
    """Share of the scores around it in a dialogue of people added to a score: .026 / .017."""
    time_boost: float = 0.5
    """Largest boost for a time named by the query: .013 / .018."""
    near_days: float = 3
    """Days over which the boost of a time falls to 1/e, at least."""
    near_share: float = 0.25
    """The same as a share of the length of the named time."""
    early_factor: float = 2
    """How much faster it falls before the named time than after."""
    user_boost: float = 0.15
    """Boost of the user's messages in a search that includes the assistant's."""

    def over(self, include: Sequence[str]) -> Self:
        """Return the ranking for what is searched: lists of memories and messages, which say much twice, are a fifth
        longer: LongMemEval after a dream 0 / .024."""
        if {"memories", "messages"} <= set(include):
            return replace(self, candidates=self.candidates * 6 // 5)
        return self


class Candidate(NamedTuple):
    """A row that may be a result, with what it is ranked by.

    ``previous`` is the turn before it in its session; ``happened_at`` and ``happened_until`` are in
    seconds since 1970, the latter None for an instant; ``length`` is counted
    in lexemes, ``words`` in words of the text; ``question_share`` is the share of the text, 0 to 1, that asks.
    ``similarity`` is the cosine with the question's vector, if both have one; ``terms`` numbers the question's words
    that are in the text, ``weights`` are their BM25. ``sources`` are the messages that a memory came from, where
    messages are searched too.
    """

    id: UUID
    previous: UUID | None
    session_id: UUID | None
    happened_at: float
    happened_until: float | None
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

    @property
    def of_calendar(self) -> bool:
        """Return whether it happened on calendar days, which are midnights of UTC, and not at an instant."""
        return self.happened_until is not None and not self.happened_at % DAY_S and not self.happened_until % DAY_S

    @property
    def happened_last(self) -> float:
        """Return when the last day, or the instant, of what happened begins."""
        return (self.happened_until or self.happened_at) - (DAY_S if self.of_calendar else 0)

    def compared(self, window: TimeSpan) -> tuple[float, float]:
        """Return the ends of a window that this is compared with: calendar days with those of the window's zone."""
        since, until = window.since, window.until
        if self.of_calendar:
            since, until = since.replace(tzinfo=UTC), until.replace(tzinfo=UTC)
        return since.timestamp(), until.timestamp()


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
    matched_fields: Sequence[MatchedField] = ()
    """Where it has words of the question."""


def rank(
    candidates: Iterable[Candidate], windows: Sequence[TimeSpan], ranking: Ranking, *, limit: int, noise: float = 0.0
) -> list[Ranked]:
    """Return the best ``limit`` candidates, best first, ties by id; a memory and the messages it came from are one.

    Those below the floor are no results. ``windows`` are the times that the question names, ``noise`` is the
    similarity that unrelated texts have by chance. What only a limit above ``ranking.candidates`` brings in comes
    after all else. With the fusion ``rrf``, what is in neither list is no result.

    Boosts are tuples, neighbours numbers and times seconds: 118 rows are ranked in 0.75 ms, not 1.13.
    """
    members = sorted(candidates, key=attrgetter("id"))
    if not members:
        return []
    own = [dict(zip(one.terms, one.weights, strict=True)) if one.terms and one.weights else {} for one in members]
    keyword_scores = [math.fsum(weights.values()) if weights else None for weights in own]
    meanings = _semantic_scores(members, ranking)
    best = max(ranking.candidates, limit)
    keyword_ranks, semantic_ranks = _ranks(keyword_scores, best), _ranks(meanings, best)
    numbers = {one.id: number for number, one in enumerate(members)}
    before = [numbers.get(one.previous) if one.previous else None for one in members]
    lenders = {number for number, place in keyword_ranks.items() if place <= ranking.candidates}
    fades = [_fade(one.length, ranking) for one in members]
    credited = _with_neighbours(members, before, own, lenders, fades, ranking)
    nearnesses = _nearnesses(members, windows, ranking)
    core = _core(members, before, keyword_ranks, semantic_ranks, meanings, windows, ranking)
    if ranking.fusion == "rrf" and (keyword_ranks or semantic_ranks):
        scores = _reciprocal(keyword_ranks, semantic_ranks, ranking)
        boosts: list[_Boosts] = [_NO_BOOSTS] * len(members)
    else:
        bases = _bases(credited, meanings, core, ranking)
        boosts = _boosts(members, before, bases, nearnesses, fades, core, ranking)
        scores = {number: base + sum(boosts[number]) for number, base in enumerate(bases)}
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
            {name: added for name, added in zip(BOOSTS, boosts[number], strict=True) if added},
            relevances[number],
            also,
            [name for bit, name in enumerate(FIELDS) if members[number].fields >> bit & 1],
        )
        for id_, also in islice(places.items(), limit)
        for number in (ordered[id_],)
    ]


def near(window: TimeSpan, ranking: Ranking) -> TimeSpan:
    """Return the span around a window in which its boost is at least half as large as in it."""
    half_life = timedelta(seconds=_fading_s(window, ranking)) * math.log(2)
    try:
        return TimeSpan(window.since - half_life / ranking.early_factor, window.until + half_life)
    except OverflowError:
        return window


def _semantic_scores(members: Sequence[Candidate], ranking: Ranking) -> list[float | None]:
    """Return the similarities of vectors, less for few words: three are little of a turn and much of a statement."""
    statement, other = ranking.statement_saturation, ranking.words_saturation
    return [
        None
        if one.similarity is None
        else one.similarity * (1 - math.exp(-min(one.words / (statement if one.states else other), EXPONENT_MAX)))
        for one in members
    ]


def _ranks(scores: Sequence[float | None], best: int) -> dict[int, int]:
    """Return the places, from 1, of the ``best`` that have a score, by number; of equal ones the first comes first."""
    scored = [(-score, number) for number, score in enumerate(scores) if score is not None]
    return {number: place for place, (_, number) in enumerate(sorted(scored)[:best], start=1)}


def _with_neighbours(
    members: Sequence[Candidate],
    before: Sequence[int | None],
    own: Sequence[dict[int, float]],
    lenders: Set[int],
    fades: Sequence[float],
    ranking: Ranking,
) -> list[float]:
    """Return how much each says of the question, itself or by the turn before or after it, if that is a lender.

    Each word counts once, at its largest. The longer a turn is, the less it needs its neighbours.
    """
    credited = list(own)

    def lend(to: int, lender: int, share: float) -> None:
        share *= fades[to]
        words = credited[to] = dict(credited[to])
        for word, weight in own[lender].items():
            lent = share * weight
            if lent > words.get(word, 0.0):
                words[word] = lent

    for number, earlier in enumerate(before):
        if earlier is None:
            continue
        if earlier in lenders:
            asked, one = members[earlier], members[number]
            answers = asked.asks and None not in (asked.speaker, one.speaker) and asked.speaker != one.speaker
            lend(number, earlier, ranking.previous_share + (ranking.reply_share if answers else 0.0))
        if number in lenders:
            lend(earlier, number, ranking.next_share)
    return [math.fsum(words.values()) if words else 0.0 for words in credited]


def _fade(length: int, ranking: Ranking) -> float:
    """Return how much a turn of this length needs those around it, from 1 down to 0 for a long one."""
    over = length - ranking.fade_after
    return 1.0 if over <= 0 else math.exp(-min(over / ranking.fade_over, EXPONENT_MAX))


def _core(
    members: Sequence[Candidate],
    before: Sequence[int | None],
    keyword_ranks: Mapping[int, int],
    semantic_ranks: Mapping[int, int],
    meanings: Sequence[float | None],
    windows: Sequence[TimeSpan],
    ranking: Ranking,
) -> set[int]:
    """Return the candidates of a search for at most ``ranking.candidates`` results, as its statement chooses them."""
    most = ranking.candidates
    by_words = {number for number, place in keyword_ranks.items() if place <= most}
    lenders = {number for number in by_words if keyword_ranks[number] <= most // 2}
    asked = {before[number] for number in lenders}
    spans = [near(one, ranking) for one in windows]
    timed = [
        number
        for number, one in enumerate(members)
        if any(since <= one.happened_last and one.happened_at < until for since, until in map(one.compared, spans))
    ]
    timed.sort(key=lambda number: (-(meanings[number] or 0.0), -members[number].importance, number))
    return (
        by_words
        | {number for number, place in semantic_ranks.items() if place <= most}
        | {number for number, earlier in enumerate(before) if number in asked or earlier in lenders}
        | set(timed[:most])
    )


def _reciprocal(
    keyword_ranks: Mapping[int, int], semantic_ranks: Mapping[int, int], ranking: Ranking
) -> dict[int, float]:
    """Return reciprocal ranks, summed over the lists in which a candidate is among the best ``ranking.candidates`` or,
    where it is in neither, over those that a larger limit makes longer."""
    scores: dict[int, float] = {}
    for number in keyword_ranks.keys() | semantic_ranks.keys():
        places = [ranks[number] for ranks in (keyword_ranks, semantic_ranks) if number in ranks]
        best = [place for place in places if place <= ranking.candidates] or places
        scores[number] = sum(1 / (ranking.rrf_k + place) for place in best)
    return scores


def _bases(
    credited: Sequence[float], meanings: Sequence[float | None], core: Set[int], ranking: Ranking
) -> list[float]:
    """Return words and meaning, scaled and averaged; by words alone what has no vector where others have one."""
    by_words = _scaled(credited, core)
    by_meaning = _scaled([max(0.0, meaning or 0.0) for meaning in meanings], core)
    by_vector = any(meanings[number] is not None for number in core)
    weight = ranking.vector_weight
    by_words_alone = 0.0 if by_vector else weight
    bases = []
    for words, scaled, meaning in zip(by_words, by_meaning, meanings, strict=True):
        share = by_words_alone if meaning is None else weight
        bases.append((1 - share) * words + share * scaled)
    return bases


def _scaled(scores: Sequence[float], core: Set[int]) -> list[float]:
    """Scale from 0 for the least of the core, but for no more than half of its largest, to 1 for that: where all are
    about equal, the little that they differ counts little."""
    compared = [scores[number] for number in core] or scores
    largest = max(compared)
    if largest <= 0:
        return [0.0] * len(scores)
    least = min(*compared, largest / 2)
    span = largest - least
    return [0.0 if score <= least else 1.0 if score >= largest else (score - least) / span for score in scores]


def _relevances(
    members: Sequence[Candidate],
    own: Sequence[Mapping[int, float]],
    credited: Sequence[float],
    nearnesses: Sequence[float],
    noise: float,
) -> list[float]:
    """Return how much each has of what is asked for, from 0 to 1: a word or the time in common lifts it above noise."""
    largest: dict[int, float] = {}
    for weights in own:
        for word, weight in weights.items():
            largest[word] = max(largest.get(word, 0.0), weight)
    total = math.fsum(largest.values()) or 1.0
    relevances = []
    for one, words, credit, nearness in zip(members, own, credited, nearnesses, strict=True):
        share = credit / total
        common = share if words or share >= CREDIT_MIN else 0.0
        if nearness >= NEARNESS_MIN:
            common = max(common, nearness)
        by_words = noise + (1 - noise) * min(1.0, common) if common else 0.0
        relevances.append(max(0.0, one.similarity or 0.0, by_words))
    return relevances


def is_relevant(relevance: float, least: float | None, noise: float) -> bool:
    """Return whether a candidate is a result: the floor is the noise level unless one is given; 0 turns it off."""
    return relevance >= least if least is not None else relevance > 0 and relevance >= noise


def _boosts(
    members: Sequence[Candidate],
    before: Sequence[int | None],
    bases: Sequence[float],
    nearnesses: Sequence[float],
    fades: Sequence[float],
    core: Set[int],
    ranking: Ranking,
) -> list[_Boosts]:
    """Return what is added to each base: less for questions; more for a session with good ones, a dialogue that is good
    around it, a time named, the user, and what matters."""
    penalty_share = ranking.question_penalty
    penalties = [base * penalty_share * one.question_share for one, base in zip(members, bases, strict=True)]
    merits = [base - penalty for base, penalty in zip(bases, penalties, strict=True)]
    homes = [one.session_id or one.id for one in members]
    sessions: dict[UUID, float] = {}
    for number in core:
        home = homes[number]
        if merits[number] > sessions.get(home, -math.inf):
            sessions[home] = merits[number]
    for_user = ranking.user_boost if any(members[number].speaker == "assistant" for number in core) else 0.0
    for_session, for_dialogue = ranking.session_boost, ranking.dialogue_boost
    for_time, for_importance = ranking.time_boost, ranking.importance_boost
    around = _around(members, before, [max(0.0, merit) for merit in merits], fades, core)
    return [
        (
            -penalty,
            sessions.get(home, 0.0) * for_session,
            around.get(number, 0.0) * for_dialogue,
            nearness * for_time,
            for_user if one.speaker == "user" else 0.0,
            one.importance * for_importance,
        )
        for number, (one, home, penalty, nearness) in enumerate(zip(members, homes, penalties, nearnesses, strict=True))
    ]


def _around(
    members: Sequence[Candidate],
    before: Sequence[int | None],
    scores: Sequence[float],
    fades: Sequence[float],
    core: Set[int],
) -> dict[int, float]:
    """Return the scores of the turns before and after each of the core in a dialogue of people, the farther the less;
    of long turns and for long turns less. Turns that are no candidates, and two turns of one speaker, part a dialogue.
    """
    following: dict[int, list[int]] = {}
    for number in sorted(core):
        answered = before[number]
        if answered is None or answered not in core:
            continue
        speakers = {members[number].speaker, members[answered].speaker}
        if len(speakers) == 2 and NOT_PEOPLE.isdisjoint(speakers):
            following.setdefault(answered, []).append(number)
    if not following:
        return {}
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


def _nearnesses(members: Sequence[Candidate], windows: Sequence[TimeSpan], ranking: Ranking) -> list[float]:
    """Return how near each is to the nearest of the windows, from 0 to 1."""
    if not windows:
        return [0.0] * len(members)
    return [max(_nearness(one, window, ranking) for window in windows) for one in members]


def _nearness(one: Candidate, window: TimeSpan, ranking: Ranking) -> float:
    """Return 1 in the window, less the farther from it, and less still before it."""
    since, until = one.compared(window)
    late = one.happened_at - until + (DAY_S if one.of_calendar else 0)
    early = ranking.early_factor * (since - one.happened_last)
    return math.exp(-min(EXPONENT_MAX, max(0.0, late, early) / _fading_s(window, ranking)))


def _fading_s(window: TimeSpan, ranking: Ranking) -> float:
    """Return in how many seconds the boost of a window falls to 1/e: where one end is named, that is sharp."""
    share = 0.0 if window.bounded else ranking.near_share
    return max(ranking.near_days * DAY_S, share * (window.until - window.since).total_seconds())
