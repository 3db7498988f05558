"""The search statements: filters in, ranked rows out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

import numpy as np

from service.db.pool import Connection, Row
from service.domain.principal import KnownKey
from service.domain.search import Ranking
from service.domain.spelling import spelled
from service.domain.timex import Window
from service.errors import ReverieError
from service.store.agents import Eyes, Reader
from service.store.sessions import message
from service.store.vectors import Space, Stored

KINDS = {"memories": 0, "messages": 1, "documents": 2}
"""What is searched, and the kind of its rows in ``search_index``."""

EXACT_ROWS_MAX = 10_000
"""Up to so many rows are scanned exactly, whatever the HNSW index has (docs/benchmarks.md)."""

EXACT_BEHIND_FILTER_MAX = 50_000
"""The same behind a filter, since HNSW has to pass over all that the filter leaves out."""

LISTED_FROM = 5_000
"""From so many rows on, what a filter has lists of is counted, and if little is searched alone."""

LISTED_SHARE = 4
"""A row of a list is looked up in the time in which a scan of the audience passes so many."""

LISTED_MAX = 10_000
"""Of longer lists the HNSW index visits less (docs/benchmarks.md)."""

POSTINGS_MAX = 14_000
"""In a large audience, how many postings of common words are read before the rest are only weighed."""

SHORTLIST, SHORTLIST_BEHIND_FILTER = 4, 40
"""How many times as many of the best by words are looked at as are kept, at most: some may not be live, or not pass."""

AT_ONCE = 10
"""In a small audience, so many more than are kept are looked at first: few are not live."""

AT_ONCE_BEHIND_FILTER = 15
"""Behind a filter, so many times as many."""

NEAREST = 2
"""How many times as many vector candidates the HNSW index gives as are kept, since short texts among them count for
less; behind a filter each costs the index more, and it gives as many as are kept."""

ALL_ON_LIST = {"user": "user", "tags": "tags_any", "types": "types"}
"""The lists of filters, as ``lists_of_filters`` calls them, that hold just what meets one condition of a search."""

Kind = Literal["memory", "message", "document"]
Found = tuple[Kind, dict[str, Any]]


class ModelChanged(ReverieError):
    """The embedding model has just been changed; ask again with a vector of the new one."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions a memory must meet to be a candidate; None does not restrict. ``said_by`` restricts messages alone."""

    as_of: datetime
    types: list[str] | None = None
    scopes: list[str] | None = None
    tags_any: list[str] | None = None
    tags_all: list[str] | None = None
    user: str | None = None
    said_by: str | None = None
    session_id: UUID | None = None
    task_id: UUID | None = None
    metadata: dict[str, Any] | None = None
    min_importance: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    include_faded: bool = False

    @property
    def needed(self) -> dict[str, bool]:
        """Which conditions the search statements need."""
        conditions = {name: value is not None for name, value in self.parameters().items() if name != "as_of"}
        return conditions | {"unfaded": not self.include_faded}

    @property
    def narrow(self) -> bool:
        """Whether any condition is set that leaves memories out."""
        return bool(self._set() - {"said_by"})

    def _set(self) -> set[str]:
        conditions = set(self.__slots__) - {"as_of", "include_faded"}
        return {name for name in conditions if getattr(self, name) is not None}

    def all_on_list(self, filter_: str) -> bool:
        """Whether all that is on the list of this filter passes every condition."""
        return self._set() == {ALL_ON_LIST.get(filter_)}

    @property
    def filtered(self) -> bool:
        """Whether any condition is set that leaves anything out."""
        return bool(self._set())

    @property
    def listed(self) -> bool:
        """Whether there are lists of what may pass any of the conditions."""
        kept = (self.types, self.tags_any, self.tags_all, self.user, self.session_id, self.since, self.until)
        return any(condition is not None for condition in kept)

    def parameters(self) -> dict[str, Any]:
        """As the search queries name them."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "include_faded"}


@dataclass(frozen=True, slots=True)
class Question:
    """What to look for: ``text`` without its time words, the ``windows`` they name, and the vector of the whole.

    An empty ``text`` or no ``embedding``, which is of ``space``, leaves that list of candidates empty.
    """

    text: str
    windows: Sequence[Window] = ()
    space: Space | None = None
    embedding: np.ndarray[Any, Any] | None = None

    @property
    def model(self) -> int | None:
        """The number of the vector's embedder."""
        return self.space.number if self.space else None

    def fits(self, reader: Reader) -> bool:
        """Whether its vector, if it has one, is of the model in use."""
        return self.model is None or reader.model is None or self.model == reader.model

    def vector(self) -> Stored | None:
        """The embedding as Postgres takes it."""
        return None if self.embedding is None or self.space is None else self.space.stored(self.embedding)

    def statement(self, name: str) -> str:
        """The query of that name that compares its vector."""
        return self.space.statement(name) if self.space else name

    def parameters(self, ranking: Ranking) -> dict[str, Any]:
        """As the search queries name them."""
        reach = [_reach(window, ranking) for window in self.windows]
        return {
            "text": spelled(self.text),
            "window_starts": [window.since for window in self.windows],
            "window_ends": [window.until for window in self.windows],
            "near_starts": [window.since for window in reach],
            "near_ends": [window.until for window in reach],
            "model": self.model,
            "embedding": self.vector(),
        }


@dataclass(frozen=True, slots=True)
class Prepared:
    """A search for a ``question`` behind ``filters``: the parts its statement ``needs`` and the ``values`` it takes.
    ``part_of`` says which part of the HNSW index has the candidates by vector of an audience, where not all are looked
    at."""

    question: Question
    filters: Filters
    part_of: dict[UUID, int]
    needs: dict[str, Any]
    values: dict[str, Any]

    @property
    def may_be_listed(self) -> bool:
        """Whether it is worth counting what the filter has lists of."""
        counted: int = self.values["counted_rows"]
        return self.filters.listed and counted >= LISTED_FROM

    @property
    def goes_along(self) -> bool:
        """Whether others may be sent in the same statement: one of memories alone, so few that all are looked at, by
        eyes that the statement looks at again."""
        plain = self.needs["trusted"] and self.needs["whole"] and not (self.needs["large"] or self.needs["timed"])
        return plain and self.values["kinds"] == [KINDS["memories"]] and not self.may_be_listed


def prepared(
    workspace: UUID,
    reader: Reader,
    filters: Filters,
    ranking: Ranking,
    question: Question,
    *,
    kinds: Sequence[int],
    limit: int,
    whole: bool = True,
    eyes: Eyes | None = None,
    key: KnownKey | None = None,
) -> Prepared:
    """The search for the best ``limit`` rows of these kinds by fused score, as long as no list is shorter than what it
    would look at; ``whole``, those that are memories carry their record, else all carry their ``kind`` and what a
    context tells of them. ``eyes`` and ``key`` are for ``hybrid_trusting`` and for searches that go together.

    Raises ModelChanged when the question's vector is not of the model in use.
    """
    if not question.fits(reader):
        raise ModelChanged
    candidates = max(ranking.candidates, min(limit, 100))
    counted = [one for one in reader.counted if one.kind in kinds]
    counted_rows, counted_audiences = sum(one.rows for one in counted), {one.audience for one in counted}
    part_of = {one.audience: one.part for one in counted if one.part is not None}
    large = counted_rows > EXACT_ROWS_MAX
    values = {
        "workspace": workspace,
        "audiences": reader.audiences,
        "counted_rows": counted_rows,
        "uncounted": [audience for audience in reader.audiences if audience not in counted_audiences],
        "kinds": list(kinds),
        "languages": reader.languages,
        "limit": limit,
        **_looked_at(candidates, filters, large=large),
        **question.parameters(ranking),
        **filters.parameters(),
        **(ranking.parameters() | {"candidates": candidates}),
    }
    needs = _needs(reader, filters, question, large=large, whole=whole)
    needs |= {"trusted": eyes is not None, "known": key is not None}
    if eyes is not None:
        values |= {"look": reader.look, "agent": eyes.agent, "session": eyes.session, "task": eyes.task}
    if key is not None:
        values |= key.parameters()
    exact = counted_rows <= (EXACT_BEHIND_FILTER_MAX if needs["filtered"] else EXACT_ROWS_MAX)
    return Prepared(question, filters, {} if exact else part_of, needs, values)


async def hybrid(connection: Connection, reader: Reader, search: Prepared) -> list[Row]:
    """What a search finds, from a list of its filter if one is short."""
    question, needs, values = search.question, search.needs, search.values
    shortest = await _shortest_list(connection, reader, search) if search.may_be_listed else None
    if shortest is not None:
        values = values | {
            "listed_terms": shortest["terms"],
            "shortlist": None,
            "at_once": values["candidates"] + AT_ONCE,
        }
        by = {"by_session": shortest["filter"] == "session", "by_time": shortest["filter"] == "time"}
        sifting = not search.filters.all_on_list(shortest["filter"])
        needs = needs | by | {"listed": True, "filtered": False, "sifting": sifting}
        return await connection.fetch_with(question.statement("hybrid_search_listed"), needs, **values)
    if question.embedding is None or question.model is None or not search.part_of:
        return await connection.fetch_with(question.statement("hybrid_search"), needs, **values)
    parts = sorted(set(search.part_of.values()))
    needs = needs | {"dim": len(question.embedding), "model": question.model, "part": parts, "near": True}
    values = values | {"in_no_part": [audience for audience in reader.audiences if audience not in search.part_of]}
    return await connection.fetch_with(question.statement("hybrid_search_large"), needs, **values)


async def hybrid_trusting(connection: Connection, reader: Reader, search: Prepared) -> list[Row] | None:
    """What a search with eyes finds for a ``reader`` that these were before: the same statement looks at them again,
    and there is no answer where they look different by now, or where a ``key``, if it has one, does not hold."""
    return seen(await hybrid(connection, reader, search))


def seen(rows: list[Row]) -> list[Row] | None:
    """The results among the rows of a search that looked at its reader's eyes again, and had one row at least."""
    return [row for row in rows if row["found_id"] is not None] if rows[0]["same_eyes"] else None


def _needs(reader: Reader, filters: Filters, question: Question, *, large: bool, whole: bool) -> dict[str, Any]:
    """Which parts the search statement needs, as long as candidates come from neither an index nor a list."""
    return {
        **filters.needed,
        "large": large,
        "filtered": filters.filtered,
        "timed": bool(question.windows),
        "near": False,
        "listed": False,
        "sifting": True,
        "scanned": False,
        "changing": reader.changing_model,
        "whole": whole,
        "brief": not whole,
    }


def _looked_at(candidates: int, filters: Filters, *, large: bool) -> dict[str, Any]:
    """How much is looked at for so many candidates, as the search statements name it."""
    nearest = candidates if filters.filtered else NEAREST * candidates
    looked_at = {"nearest_max": nearest, "postings_max": POSTINGS_MAX}
    if filters.narrow:
        shortlist, at_once = candidates * SHORTLIST_BEHIND_FILTER, candidates * AT_ONCE_BEHIND_FILTER
    else:
        shortlist = candidates * SHORTLIST
        at_once = shortlist if large else candidates + AT_ONCE
    return looked_at | {"shortlist": shortlist, "at_once": at_once}


async def _shortest_list(connection: Connection, reader: Reader, search: Prepared) -> Row | None:
    """The list, among those of the filter's conditions, that has the fewest rows; None where all have too many."""
    filters = search.filters
    rows_max = min(LISTED_MAX, search.values["counted_rows"] // LISTED_SHARE)
    lists = await connection.fetch(
        "lists_of_filters",
        workspace=search.values["workspace"],
        audiences=reader.audiences,
        kinds=search.values["kinds"],
        user=filters.user,
        tags_any=filters.tags_any,
        tags_all=filters.tags_all,
        types=filters.types,
        session_id=filters.session_id,
        since=filters.since,
        until=filters.until,
        most=rows_max + 1,
    )
    shortest = min(lists, key=lambda one: one["rows"], default=None)
    return None if shortest is None or shortest["rows"] > rows_max else shortest


def _reach(window: Window, ranking: Ranking) -> Window:
    """The span around a window in which nearness is at least a half, as the search statement computes it."""
    half_life = max(timedelta(days=ranking.near_days), ranking.near_share * (window.until - window.since)) * math.log(2)
    try:
        return Window(window.since - half_life / ranking.early_factor, window.until + half_life)
    except OverflowError:
        return window


async def recent(
    connection: Connection, workspace: UUID, reader: Reader, filters: Filters, *, kinds: Sequence[int], limit: int
) -> list[Row]:
    """The newest of these kinds."""
    return await connection.fetch_with(
        "recent_search",
        filters.needed,
        workspace=workspace,
        audiences=reader.audiences,
        kinds=list(kinds),
        limit=limit,
        **filters.parameters(),
    )


async def looked_up(connection: Connection, workspace: UUID, rows: Sequence[Row]) -> dict[UUID, Found]:
    """What was found and carries no record, by id, each with its kind: messages and parts of documents."""
    ids = [row["found_id"] for row in rows if row["id"] is None]
    if not ids:
        return {}
    messages = await connection.fetch("found_messages", workspace=workspace, ids=ids)
    found: dict[UUID, Found] = {row["id"]: ("message", message(row)) for row in messages}
    if len(found) < len(ids):
        chunks = await connection.fetch("found_chunks", workspace=workspace, ids=ids)
        found |= {row["id"]: ("document", dict(row)) for row in chunks}
    return found
