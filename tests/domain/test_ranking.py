"""The ranking of candidates, without a database: what each part adds, and what holds for any of them."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.ranking import Candidate, Ranked, Ranking, near, rank
from service.domain.timex import TimeSpan

DAY = datetime(2026, 3, 1, tzinfo=UTC)
LATER = DAY + timedelta(days=30)
LONG = 10_000
"""Words from which the vector of a text counts whole, and its neighbours nothing."""


def candidate(number: int, *, terms: dict[int, float] | None = None, **fields: Any) -> Candidate:
    """A text of 20 words without question, session, speaker, vector or any word of the question."""
    plain: dict[str, Any] = {
        "previous": None,
        "session_id": None,
        "happened_at": DAY,
        "happened_until": None,
        "speaker": None,
        "length": 20,
        "words": LONG,
        "asks": False,
        "question_share": 0.0,
        "similarity": None,
        "terms": list(terms) if terms else None,
        "weights": list(terms.values()) if terms else None,
    }
    given = plain | fields
    return Candidate(id=UUID(int=number), **given | {"happened_at": given["happened_at"].timestamp()})


def ranked(
    *candidates: Candidate, windows: tuple[TimeSpan, ...] = (), limit: int = 10, noise: float = 0.0, **settings: Any
) -> list[Ranked]:
    """Without the boost for importance, which is the same for all that do not say theirs, and without a floor."""
    plain: dict[str, Any] = {"importance_boost": 0.0, "min_relevance": 0.0}
    return rank(candidates, windows, Ranking(**(plain | settings)), limit=limit, noise=noise)


def by_number(results: list[Ranked]) -> dict[int, Ranked]:
    return {result.id.int: result for result in results}


def test_nothing_comes_of_nothing() -> None:
    assert ranked() == []


def test_both_sides_are_scaled_and_averaged() -> None:
    results = ranked(
        candidate(1, terms={1: 4.0}, similarity=0.2),
        candidate(2, terms={1: 2.0, 2: 1.0}, similarity=0.6),
        candidate(3, terms={1: 2.0}, similarity=0.4),
        session_boost=0,
    )
    assert [(one.id.int, one.score) for one in results] == [(2, 0.75), (1, 0.5), (3, pytest.approx(0.25))]
    assert [(one.keyword_rank, one.semantic_rank) for one in results] == [(2, 1), (1, 3), (3, 2)]
    assert [(one.keyword_score, one.semantic_score) for one in results] == [(3.0, 0.6), (4.0, 0.2), (2.0, 0.4)]


def test_the_vector_of_few_words_counts_less() -> None:
    few, many = candidate(1, similarity=0.5, words=4), candidate(2, similarity=0.45, words=40)
    assert [one.id.int for one in ranked(few, many)] == [2, 1]
    assert [one.id.int for one in ranked(few, many, words_saturation=1)] == [1, 2]


def test_the_vector_of_few_words_counts_more_in_a_statement_than_in_a_turn() -> None:
    turn, statement = (candidate(number, similarity=0.5, words=3, states=number == 2) for number in (1, 2))
    assert [one.id.int for one in ranked(turn, statement)] == [2, 1]
    assert [one.id.int for one in ranked(turn, statement, statement_saturation=8)] == [1, 2]


def test_what_is_in_one_list_alone_has_no_place_in_the_other() -> None:
    results = by_number(ranked(candidate(1, terms={1: 1.0}), candidate(2, similarity=0.5)))
    assert (results[1].keyword_rank, results[1].semantic_rank, results[1].semantic_score) == (1, None, None)
    assert (results[2].keyword_rank, results[2].semantic_rank, results[2].keyword_score) == (None, 1, None)


@pytest.mark.parametrize("fusion", ["relative", "rrf"])
def test_no_list_is_longer_than_the_setting_or_the_limit(fusion: str) -> None:
    """What else is among the candidates has no rank."""
    alike = [candidate(number, similarity=1 - number / 100) for number in range(1, 63)]
    both = [*alike, candidate(63, terms={1: 1.0}, similarity=0.1)]
    results = ranked(*both, limit=50, fusion=fusion, candidates=50)
    found = by_number(results)[63]
    assert (found.keyword_rank, found.semantic_rank) == (1, None)
    assert max(one.semantic_rank or 0 for one in results) <= 50
    results = ranked(*both, limit=100, fusion=fusion, candidates=50)
    assert by_number(results)[63].semantic_rank == 63
    assert len(results) == 63


def test_reciprocal_ranks_are_summed_without_boosts() -> None:
    window = TimeSpan(DAY, DAY + timedelta(days=1))
    results = ranked(
        candidate(1, terms={1: 2.0}, similarity=0.1),
        candidate(2, terms={1: 1.0}),
        candidate(3, similarity=0.2),
        candidate(4),
        windows=(window,),
        fusion="rrf",
        rrf_k=10,
    )
    assert [(one.id.int, one.score) for one in results] == [
        (1, pytest.approx(1 / 11 + 1 / 12)),
        (3, pytest.approx(1 / 11)),
        (2, pytest.approx(1 / 12)),
    ]


def test_a_turn_is_credited_with_what_was_said_around_it() -> None:
    turns = (
        candidate(1, similarity=0.0),
        candidate(2, terms={1: 10.0, 2: 1.0}, previous=UUID(int=1)),
        candidate(3, terms={1: 8.0, 2: 0.2}, previous=UUID(int=2)),
        candidate(4, similarity=0.0),
    )
    scores = {one.id.int: one.score for one in ranked(*turns, vector_weight=0, session_boost=0)}
    heard = {1: 0.35 * 11.0, 2: 11.0, 3: 8.0 + 0.4 * 1.0, 4: 0.0}
    assert scores == {number: pytest.approx(weight / 11.0) for number, weight in heard.items()}


@pytest.mark.parametrize(
    ("asks", "speaker", "share"),
    [(True, "assistant", 0.9), (True, "user", 0.4), (False, "assistant", 0.4), (True, None, 0.4)],
)
def test_an_answer_to_the_question_of_another_is_credited_more(asks: bool, speaker: str | None, share: float) -> None:
    question = candidate(1, terms={1: 1.0}, asks=asks, speaker="user")
    answer = candidate(2, previous=UUID(int=1), speaker=speaker)
    other = candidate(3, similarity=0.0)
    settings = {"vector_weight": 0.0, "session_boost": 0.0, "user_boost": 0.0}
    assert by_number(ranked(question, answer, other, **settings))[2].score == pytest.approx(share)


def test_only_the_best_by_words_lend_and_long_turns_need_no_neighbours() -> None:
    lender = candidate(1, terms={1: 1.0})
    better = [candidate(number, terms={1: 2.0}) for number in range(10, 20)]
    after = candidate(2, previous=UUID(int=1), similarity=0.0)
    long_after = candidate(3, previous=UUID(int=10), length=LONG, similarity=0.0)
    scores = by_number(
        ranked(lender, after, long_after, *better, candidates=10, vector_weight=0, session_boost=0, limit=99)
    )
    assert scores[2].score == 0
    assert scores[3].score == pytest.approx(0)
    scores = by_number(
        ranked(
            lender,
            after,
            candidate(4, similarity=0.0),
            *better,
            candidates=11,
            vector_weight=0,
            session_boost=0,
            limit=99,
        )
    )
    assert scores[2].score == pytest.approx(0.4 / 2)


def test_each_boost_is_told_and_added() -> None:
    session = UUID(int=99)
    window = TimeSpan(DAY, DAY + timedelta(days=1))
    results = by_number(
        ranked(
            candidate(1, similarity=1.0, session_id=session, question_share=1.0, happened_at=DAY + timedelta(hours=3)),
            candidate(2, similarity=0.5, session_id=session, speaker="user", happened_at=DAY + timedelta(days=4)),
            candidate(3, similarity=0.0, speaker="assistant", happened_at=DAY - timedelta(days=3)),
            windows=(window,),
            vector_weight=1,
        )
    )
    assert results[1].boosts == {"question": pytest.approx(-0.15), "session": pytest.approx(0.085), "time": 0.5}
    assert results[2].boosts == {
        "session": pytest.approx(0.085), "time": pytest.approx(0.5 * math.exp(-1)), "user": 0.15,
    }  # fmt: skip
    assert results[3].boosts == {"time": pytest.approx(0.5 * math.exp(-2))}
    bases = {1: 1.0, 2: 0.5, 3: 0.0}
    for number, result in results.items():
        assert result.score == pytest.approx(bases[number] + sum(result.boosts.values()))


def test_users_words_are_preferred_only_where_an_assistants_are_searched_too() -> None:
    assert ranked(candidate(1, similarity=1.0, speaker="user"))[0].boosts == {"session": 0.05}


def dialogue(*speakers: str | None, length: int = 20) -> list[Candidate]:
    """Turns of a session from number 1 on, of which the first alone is what the question asks for."""
    return [
        candidate(
            number,
            similarity=1.0 if number == 1 else 0.0,
            previous=UUID(int=number - 1) if number > 1 else None,
            session_id=UUID(int=99),
            speaker=speaker,
            length=length if number > 1 else 20,
        )
        for number, speaker in enumerate(speakers, start=1)
    ]


def dialogue_boosts(turns: list[Candidate], **settings: Any) -> list[float]:
    results = by_number(ranked(*turns, vector_weight=1, **settings))
    return [results[number].boosts.get("dialogue", 0.0) for number in sorted(results)]


def test_turns_of_a_dialogue_gain_from_those_around_them_the_farther_the_less() -> None:
    turns = dialogue("ana", "ben", "ana")
    assert dialogue_boosts(turns) == pytest.approx([0, 0.2 * 0.6, 0.2 * 0.36])
    assert dialogue_boosts(turns, dialogue_boost=1) == pytest.approx([0, 0.6, 0.36])
    assert dialogue_boosts(turns, dialogue_boost=0) == [0, 0, 0]
    before = [turns[0]._replace(similarity=0.0), turns[1], turns[2]._replace(similarity=1.0)]
    assert dialogue_boosts(before) == pytest.approx([0.2 * 0.36, 0.2 * 0.6, 0])
    between = [turns[0]._replace(similarity=0.0), turns[1]._replace(similarity=1.0), turns[2]]
    assert dialogue_boosts(between) == pytest.approx([0.2 * 0.6, 0, 0.2 * 0.6])


@pytest.mark.parametrize(
    "speakers", [("ana", "ana"), ("ana", None), (None, None), ("ana", "assistant"), ("user", "tool"), ("user", "user")]
)
def test_only_turns_of_two_people_are_a_dialogue(speakers: tuple[str | None, ...]) -> None:
    assert dialogue_boosts(dialogue(*speakers)) == [0, 0]


def test_what_parts_a_dialogue_and_what_needs_none() -> None:
    """A turn that is no candidate, one speaker twice, a long turn, and turns that say they come after each other."""
    turns = dialogue("ana", "ben", "ana", "ben")
    assert dialogue_boosts([turns[0], *turns[2:]]) == [0, 0, 0]
    assert dialogue_boosts(dialogue("ana", "ben", "ben"))[2] == 0
    assert dialogue_boosts(dialogue("ana", "ben", length=70))[1] == pytest.approx(0.2 * 0.6 / math.e)
    assert dialogue_boosts(dialogue("ana", "ben", length=LONG))[1] == pytest.approx(0)
    ring = [turns[0]._replace(previous=turns[1].id), turns[1]]
    assert dialogue_boosts(ring) == [0, 0]


def test_two_answers_to_one_turn_both_belong_to_its_dialogue() -> None:
    turns = dialogue("ana", "ben", "cyd")
    turns[1:] = [turn._replace(previous=turns[0].id, similarity=1.0) for turn in turns[1:]]
    assert dialogue_boosts(turns) == pytest.approx([0.2 * 1.2, 0.2 * 0.6, 0.2 * 0.6])


def test_a_time_reaches_as_far_as_its_boost_is_half() -> None:
    window = TimeSpan(DAY, DAY + timedelta(days=40))
    span = near(window, Ranking())
    half = timedelta(days=10) * math.log(2)
    assert (span.since, span.until) == (window.since - half / 2, window.until + half)
    for at in (span.since, span.until):
        boost = ranked(candidate(1, similarity=1.0, happened_at=at), windows=(window,))[0].boosts["time"]
        assert boost == pytest.approx(0.25)
    ever = TimeSpan(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
    assert near(ever, Ranking()) == ever


def test_what_has_no_word_in_common_and_is_no_nearer_than_chance_is_no_result() -> None:
    given_ = (
        candidate(1, terms={1: 1.0}, similarity=0.05),
        candidate(2, similarity=0.3),
        candidate(3, similarity=0.19),
        candidate(4, similarity=None),
        candidate(5, similarity=0.0, happened_at=DAY + timedelta(days=400)),
    )
    results = by_number(ranked(*given_, noise=0.2, min_relevance=None))
    assert set(results) == {1, 2}
    assert results[1].relevance == pytest.approx(1.0)
    assert results[2].relevance == pytest.approx(0.3)
    assert set(by_number(ranked(*given_, noise=0.2, min_relevance=0.0))) == {1, 2, 3, 4, 5}
    assert set(by_number(ranked(*given_, noise=0.2, min_relevance=0.35))) == {1}
    at_that_time = by_number(ranked(*given_, noise=0.2, min_relevance=None, windows=(TimeSpan(DAY, LATER),)))
    assert set(at_that_time) == {1, 2, 3, 4}


def test_nothing_is_left_of_words_nobody_knows_even_without_a_noise_level() -> None:
    assert ranked(candidate(1), candidate(2, similarity=-0.1), min_relevance=None) == []


def test_one_word_of_many_lifts_above_chance_and_a_stricter_floor_takes_it_away() -> None:
    many = candidate(1, terms=dict.fromkeys(range(10), 1.0))
    one_word = candidate(2, terms={1: 1.0}, similarity=0.0)
    results = by_number(ranked(many, one_word, noise=0.2, min_relevance=None))
    assert results[2].relevance == pytest.approx(0.2 + 0.8 / 10)
    assert set(by_number(ranked(many, one_word, noise=0.2, min_relevance=0.3))) == {1}


def test_what_matters_more_comes_first_among_equals_and_never_before_what_answers() -> None:
    alike = [candidate(number, terms={1: 1.0}, importance=number / 10) for number in (1, 9, 5)]
    better = candidate(20, terms={1: 2.0}, importance=0.0)
    results = ranked(*alike, better, importance_boost=0.1)
    assert [one.id.int for one in results] == [20, 9, 5, 1]
    assert results[1].boosts["importance"] == pytest.approx(0.09)


def test_calendar_days_are_compared_with_the_calendar_of_the_window() -> None:
    """Of a day in Auckland, the day of its name counts whole, those beside it less, and instants by the clock."""
    auckland = ZoneInfo("Pacific/Auckland")
    day = datetime(2024, 3, 13, tzinfo=auckland)
    window = TimeSpan(day, day + timedelta(days=1))

    def boost(begins: datetime, days: int | None) -> float:
        until = None if days is None else (begins + timedelta(days=days)).timestamp()
        one = candidate(1, similarity=1.0, happened_at=begins, happened_until=until)
        return ranked(one, windows=(window,))[0].boosts["time"]

    whole = boost(datetime(2024, 3, 13, tzinfo=UTC), 1)
    assert whole == boost(datetime(2024, 1, 1, tzinfo=UTC), 366) == boost(day.astimezone(UTC), None)
    assert boost(datetime(2024, 3, 12, tzinfo=UTC), 1) < whole > boost(datetime(2024, 3, 14, tzinfo=UTC), 1)


def test_what_happened_then_comes_before_what_did_not_unless_words_match_far_better() -> None:
    window = TimeSpan(DAY, DAY + timedelta(days=30))
    then, well_matched = timedelta(0), timedelta(days=400)
    rows = [
        candidate(1, terms={1: 3.0}, similarity=0.1, happened_at=DAY + then),
        candidate(2, terms={1: 5.0}, similarity=0.5, happened_at=DAY + well_matched),
        candidate(3, terms={1: 1.0}, similarity=0.1, happened_at=DAY + well_matched),
    ]
    assert [one.id.int for one in ranked(*rows, windows=(window,))] == [2, 1, 3]
    assert [one.id.int for one in ranked(*rows[:1], rows[2], windows=(window,))] == [1, 3]


def test_the_order_does_not_depend_on_the_limit() -> None:
    """Beyond 50 results the statement finds more candidates, which come after those of a smaller limit."""
    rows = [
        candidate(
            number, terms={1: 300.0 - number} if number % 2 else None, similarity=number / 300,
            session_id=UUID(int=1_000 + number % 7),
        )
        for number in range(1, 200)
    ]  # fmt: skip
    for fusion in ("relative", "rrf"):
        longest = ranked(*rows, limit=100, fusion=fusion)
        assert len(longest) == 100
        for limit in (5, 10, 50, 51, 75):
            shorter = ranked(*rows, limit=limit, fusion=fusion)
            assert [(one.id, one.score) for one in shorter] == [(one.id, one.score) for one in longest[:limit]]


def test_ties_are_broken_by_id() -> None:
    assert [one.id.int for one in ranked(*(candidate(n, similarity=0.5) for n in (3, 1, 2)), limit=2)] == [1, 2]


def test_the_order_of_words_makes_no_difference() -> None:
    """0.1 + 0.2 + 0.3 is more than 0.3 + 0.2 + 0.1 in floating point."""
    results = ranked(candidate(1, terms={3: 0.3, 2: 0.2, 1: 0.1}), candidate(2, terms={1: 0.1, 2: 0.2, 3: 0.3}))
    assert [one.id.int for one in results] == [1, 2]
    assert results[0].score == results[1].score


weights = st.floats(0.01, 30)
candidates_ = st.lists(
    st.builds(
        candidate,
        st.integers(1, 30),
        terms=st.none() | st.dictionaries(st.integers(1, 5), weights, min_size=1),
        previous=st.none() | st.integers(1, 30).map(lambda number: UUID(int=number)),
        session_id=st.none() | st.integers(100, 103).map(lambda number: UUID(int=number)),
        happened_at=st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
        happened_until=st.none(),
        speaker=st.sampled_from([None, "user", "assistant", "ana", "ben"]),
        length=st.integers(0, 32_767),
        words=st.integers(0, 32_767),
        asks=st.booleans(),
        question_share=st.floats(0, 1),
        similarity=st.none() | st.floats(-1, 1),
        importance=st.floats(0, 1),
        states=st.booleans(),
    ),
    max_size=30,
    unique_by=lambda one: one.id,
)
settings_ = st.builds(
    Ranking,
    fusion=st.sampled_from(["relative", "rrf"]),
    candidates=st.integers(10, 20),
    vector_weight=st.floats(0, 1),
    min_relevance=st.just(0.0),
    fade_over=st.floats(0.001, 10_000),
    words_saturation=st.floats(0.001, 1_000),
    statement_saturation=st.floats(0.001, 1_000),
)


@given(candidates_, settings_, st.integers(1, 40), st.randoms())
def test_whatever_comes_in_is_ranked(given_: list[Candidate], settings: Ranking, limit: int, draw: Any) -> None:
    windows = [TimeSpan(DAY, DAY + timedelta(days=30))]
    results = rank(given_, windows, settings, limit=limit)
    assert len({one.id for one in results}) == len(results) <= limit
    assert {one.id for one in results} <= {one.id for one in given_}
    assert [one.score for one in results] == sorted((one.score for one in results), reverse=True)
    assert all(math.isfinite(one.score) for one in results)
    for places in ([one.keyword_rank for one in results], [one.semantic_rank for one in results]):
        taken = [place for place in places if place is not None]
        assert len(set(taken)) == len(taken)
        assert all(1 <= place <= max(settings.candidates, limit) for place in taken)
    if settings.fusion == "relative":
        assert len(results) == min(limit, len(given_))
        more = rank(given_, windows, settings, limit=40)
        assert [(one.id, one.score) for one in more[:limit]] == [(one.id, one.score) for one in results]
    shuffled = list(given_)
    draw.shuffle(shuffled)
    assert rank(shuffled, windows, settings, limit=limit) == results
