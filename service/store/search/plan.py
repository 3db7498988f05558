"""How a search finds its candidates: the tier, the flags of its statement, and the values it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from typing import Literal
from uuid import UUID

from service.db.pool import Columns, Connection
from service.db.queries import Flag
from service.domain.ranking import Ranking, near
from service.domain.text_normalization import holds_letters, normalize_for_search
from service.domain.timex import TimeSpan
from service.errors import ReverieError
from service.store.agents import Reader
from service.store.search.filters import Filters
from service.store.vectors import NO_SPACE, Embedding, VectorSpace

KINDS = {"memories": 0, "messages": 1, "documents": 2}
"""What is searched, and the kind of its rows in ``search_index``."""

WINDOW_SUMMARIES = 3
"""The kind of their posting lists, which are left out where the messages that they summarise are searched."""

WEIGHING = (
    "k1", "b", "length_floor", "length_reference", "key_weight", "tag_weight", "summary_weight", "words_saturation",
    "statement_saturation",
)  # fmt: skip
"""The constants of the ranking by which the best of each list are chosen."""

LENGTHS = ("candidates", "lenders", "shortlist", "nearest_max")
"""The values of a plan that say how long its lists are."""

QUESTION = ("text", "embedding")
"""The values of a plan that questions of one exact statement may differ in."""

LISTED_BY = (
    "workspace", "audiences", "kinds", "viewer", "user", "tags_any", "tags_all", "types", "session_id", "since",
    "until", "where_values",
)  # fmt: skip
"""The values of a plan that lists of filters are found by."""

Tier = Literal["exact", "scan", "hnsw", "filter_list", "recent"]
"""- ``exact``: a small audience, of which every row and posting is read.
- ``scan``: a large one; of common words only what is needed is read, vectors are compared all.
- ``hnsw``: the same, vectors by an approximate index.
- ``filter_list``: a large audience, of which only the rows on the list of a selective filter are read.
- ``recent``: the newest, without a question.
"""


class ModelChanged(ReverieError):
    """The embedding model has just been changed; ask again with a vector of the new one."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """From how many rows on a search does what; docs/benchmarks.md has the measurements."""

    exact_rows: int = 10_000
    """Up to so many rows are compared exactly, whatever the HNSW index has."""
    exact_rows_filtered: int = 50_000
    """The same behind a filter, since HNSW has to pass over all that the filter leaves out."""
    listed_from: int = 5_000
    """From so many rows on, what a filter has lists of is counted, and if little is searched alone: a user with 60 of
    200,000 memories in 7 ms of Postgres' processor time, not 313; a user with a tenth of 20,000 in 12.5, not 18."""
    listed_share: int = 4
    """A row of a list is looked up in the time in which a scan of the audience passes so many."""
    listed_rows: int = 10_000
    """Of longer lists the HNSW index visits less."""
    postings: int = 14_000
    """In a large audience, how many postings of common words are read before the rest are only weighed."""
    shortlist: int = 4
    """In a large audience, so many times as many of the best by words are looked at as are kept: some may be gone."""
    shortlist_filtered: int = 15
    """The same behind a filter; if too few of those pass, all are looked at."""
    nearest: int = 2
    """How many times as many vector candidates the HNSW index gives as are kept, since short texts among them count for
    less; behind a filter each costs the index more, and it gives as many as are kept."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to look for: ``text`` without its time words, the ``windows`` they name, and the vector of the whole.

    An empty ``text`` or no ``embedding``, which is of ``space``, leaves that list of candidates empty.
    """

    text: str
    windows: Sequence[TimeSpan] = ()
    space: VectorSpace | None = None
    embedding: Embedding | None = None

    @property
    def model(self) -> int | None:
        """Return the number of the vector's embedder."""
        return self.space.number if self.space else None

    def fits(self, reader: Reader) -> bool:
        """Return whether its vector, if it has one, is of the model in use."""
        return self.model is None or reader.model is None or self.model == reader.model

    def parameters(self, ranking: Ranking) -> Columns:
        """As the search queries name them."""
        spans = [near(window, ranking) for window in self.windows]
        vector = None if self.space is None or self.embedding is None else self.space.stored(self.embedding)
        return {
            "text": normalize_for_search(self.text),
            "near_starts": [span.since for span in spans],
            "near_ends": [span.until for span in spans],
            "model": self.model,
            "embedding": vector,
        }


@dataclass(frozen=True, slots=True)
class SearchFlags:
    """What the statements that find candidates are made of."""

    conditions: Mapping[str, Flag]
    """Which of ``Filters`` are set."""
    unfaded: bool = True
    by_vector: bool = False
    """Whether the question has a vector; it is of ``vector_type``, and rows keep theirs in ``vector_column``."""
    vector_column: str = str(NO_SPACE["vector_column"])
    vector_type: str = str(NO_SPACE["vector_type"])
    changing: bool = False
    """Whether some rows have the vector of the model in use in the second place. Looking there without need took 186 of
    the 193 ms of a search of 200,000 memories."""
    timed: bool = False
    """Whether the question names a time."""
    time_only: bool = False
    """Whether it asks for nothing but what happened then."""
    without_changed: bool = False
    """Whether memories are left out that have changed since the time in the past that is asked about."""
    without_summaries: bool = False
    """Whether summaries of windows are left out, since the messages that they summarise are searched."""
    with_sources: bool = False
    """Whether messages are searched beside the memories that came from them."""
    filtered: bool = False
    """Whether the best by words may fail a condition, so that all have to be looked at if too few are left."""
    by_index: bool = False
    """Whether vectors come from these ``parts`` of the HNSW index of the ``model``, ``dim`` numbers each, or their
    ``signs``."""
    parts: tuple[int, ...] = ()
    model: int = 0
    dim: int = 0
    signs: bool = False
    listed: bool = False
    """Whether candidates come from a list: of a session (``by_session``), of a time (``by_time``), of what
    passes ``where`` (``by_where``), or posting lists."""
    by_session: bool = False
    by_time: bool = False
    by_where: bool = False

    def as_dict(self) -> dict[str, Flag]:
        """As the templates of the queries name them."""
        return {**self.conditions, **{name: getattr(self, name) for name in _OTHER_FLAGS}}


_OTHER_FLAGS = tuple(one.name for one in fields(SearchFlags) if one.name != "conditions")


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A search for one reader. ``best`` of each list are candidates, ``limit`` of all are results."""

    tier: Tier
    flags: SearchFlags
    values: Columns = field(repr=False)
    best: int
    limit: int

    def without(self, changed: Sequence[UUID]) -> SearchPlan:
        """Return the same for all memories but these."""
        if not changed:
            return self
        flags = replace(self.flags, without_changed=True, filtered=True)
        return replace(self, flags=flags, values=self.values | {"changed": list(changed)})

    def widened(self, best: int) -> SearchPlan:
        """Return the same with lists of so many candidates."""
        wider = {name: self.values[name] * best // self.best for name in LENGTHS if name in self.values}
        return replace(self, best=best, limit=best, values=self.values | wider)

    def differs_in_question_only(self, other: SearchPlan) -> bool:
        """Return whether one statement may find the candidates of both, if they are exact."""
        return self.flags == other.flags and all(
            value == other.values[name] for name, value in self.values.items() if name not in QUESTION
        )


async def plan(
    connection: Connection,
    workspace: UUID,
    reader: Reader,
    filters: Filters,
    ranking: Ranking,
    question: Question | None,
    limits: SearchLimits,
    *,
    kinds: Sequence[int],
    limit: int,
) -> SearchPlan:
    """Return how to search rows of these kinds for the best ``limit``; without a ``question``, for the newest.

    Asks the database only how long the lists of filters are, where that may matter. Raises ModelChanged when the
    question's vector is not of the model in use.
    """
    values = {"workspace": workspace, "audiences": reader.audiences, "kinds": list(kinds), **filters.parameters()}
    both_kinds = {KINDS["memories"], KINDS["messages"]} <= set(kinds)
    flags = SearchFlags(
        filters.conditions,
        unfaded=not filters.include_faded,
        without_summaries=both_kinds and not filters.excludes_messages,
        with_sources=both_kinds,
    )
    if question is None:
        return SearchPlan("recent", flags, values, limit, limit)
    if not question.fits(reader):
        raise ModelChanged
    best = max(ranking.candidates, min(limit, 100))
    values |= question.parameters(ranking) | {name: getattr(ranking, name) for name in WEIGHING}
    values |= {
        "posted_kinds": [
            *kinds,
            *([WINDOW_SUMMARIES] if KINDS["memories"] in kinds and not flags.without_summaries else []),
        ],
        **_row_counts(reader, kinds),
        "languages": reader.languages,
        "candidates": best,
        "lenders": best // 2,
    }
    space = question.space or VectorSpace(0)
    flags = replace(
        flags,
        by_vector=values["embedding"] is not None,
        vector_column=str(space.flags["vector_column"]),
        vector_type=str(space.flags["vector_type"]),
        changing=reader.changing_model,
        timed=bool(question.windows),
        time_only=bool(question.windows) and question.embedding is None and not holds_letters(question.text),
    )
    shortest = await _shortest_list(connection, values, filters, limits)
    if shortest is not None:
        return _by_list(shortest, flags, values, filters, limits, best, limit)
    if sum(values["counted_rows"]) <= limits.exact_rows:
        return SearchPlan("exact", flags, values, best, limit)
    return _of_large_audience(reader, question, flags, values, filters, limits, best, limit)


def _row_counts(reader: Reader, kinds: Sequence[int]) -> Columns:
    """Return the rows of each kind as last counted, and the audiences and kinds whose rows are to be counted."""
    counted = [one for one in reader.counted if one.kind in kinds]
    known = {(one.audience, one.kind) for one in counted}
    uncounted = [one for one in product(reader.audiences, kinds) if one not in known]
    return {
        "counted_kinds": [one.kind for one in counted],
        "counted_rows": [one.rows for one in counted],
        "uncounted_audiences": [audience for audience, _ in uncounted],
        "uncounted_kinds": [kind for _, kind in uncounted],
    }


@dataclass(frozen=True, slots=True)
class _FilterList:
    """What may pass a filter: its ``rows`` are on the posting lists ``terms``, or are ``ids``."""

    filter: str
    terms: list[int] | None
    ids: list[UUID] | None
    rows: int


def _by_list(
    shortest: _FilterList,
    flags: SearchFlags,
    values: Columns,
    filters: Filters,
    limits: SearchLimits,
    best: int,
    limit: int,
) -> SearchPlan:
    list_ = shortest.filter
    all_pass = filters.met_by_all_on(list_)
    shortlist = best * (limits.shortlist if all_pass else limits.shortlist_filtered)
    flags = replace(
        flags,
        filtered=True,
        listed=True,
        by_session=list_ == "session",
        by_time=list_ == "time",
        by_where=list_ == "where",
    )
    lists = {"listed_terms": shortest.terms, "listed_ids": shortest.ids}
    values = values | lists | {"postings_max": limits.postings, "shortlist": shortlist}
    return SearchPlan("filter_list", flags, values, best, limit)


def _of_large_audience(
    reader: Reader,
    question: Question,
    flags: SearchFlags,
    values: Columns,
    filters: Filters,
    limits: SearchLimits,
    best: int,
    limit: int,
) -> SearchPlan:
    """Plan by the parts of the HNSW index that have the reader's audiences, unless all vectors are compared."""
    part_of = {one.audience: one.part for one in reader.counted if one.kind in values["kinds"] and one.part is not None}
    values = values | {
        "postings_max": limits.postings,
        "shortlist": best * (limits.shortlist_filtered if filters.narrow else limits.shortlist),
        "nearest_max": best if filters.any else best * limits.nearest,
        "in_no_part": [audience for audience in reader.audiences if audience not in part_of],
    }
    flags = replace(flags, filtered=filters.any)
    few = filters.any and sum(values["counted_rows"]) <= limits.exact_rows_filtered
    if few or not part_of or question.embedding is None or question.space is None:
        return SearchPlan("scan", flags, values, best, limit)
    flags = replace(
        flags,
        by_index=True,
        parts=tuple(sorted(set(part_of.values()))),
        model=question.space.number,
        dim=len(question.embedding),
        signs=question.space.storage == "binary",
    )
    return SearchPlan("hnsw", flags, values, best, limit)


async def _shortest_list(
    connection: Connection, values: Columns, filters: Filters, limits: SearchLimits
) -> _FilterList | None:
    """Return the list, among those of the filter's conditions, that has the fewest rows; None where all have too
    many."""
    rows = sum(values["counted_rows"])
    if not filters.listed or rows < limits.listed_from:
        return None
    rows_max = min(limits.listed_rows, rows // limits.listed_share)
    flags = {name: filters.conditions[name] for name in ("viewer", "where")}
    lists = await connection.many(
        _FilterList, "filter_list_sizes", flags, **{name: values[name] for name in LISTED_BY}, most=rows_max + 1
    )
    shortest = min(lists, key=lambda one: one.rows, default=None)
    return None if shortest is None or shortest.rows > rows_max else shortest
