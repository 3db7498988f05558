"""Memories as they were at a time in the past: what has changed since is searched in the version of then.

Former versions are on no posting list. They are read and weighed one by one, so such a search takes time in proportion
to what has changed since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.memory import Memory, MemoryFields
from service.domain.memory_words import content_words, field_words
from service.domain.ranking import Candidate
from service.domain.text_features import extract_features
from service.domain.types import HAPPENED, Scope
from service.store.search.candidates import Recent
from service.store.search.plan import KINDS, SearchPlan
from service.store.search.records import FoundRecord

FILTERED = (
    "workspace", "audiences", "as_of", "types", "scopes", "tags_any", "tags_all", "viewer", "user", "session_id",
    "task_id", "metadata", "where_values", "min_importance", "since", "until", "created_since",
)  # fmt: skip
WEIGHED = (
    "workspace", "audiences", "languages", "text", "counted_kinds", "counted_rows", "uncounted_audiences",
    "uncounted_kinds", "k1", "b",
    "length_floor", "length_reference", "key_weight", "tag_weight", "summary_weight",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FormerVersions:
    """``changed``: the memories that have changed since then. Of those that were live and pass the filters, the
    candidates and when they happened, and the versions by id."""

    changed: Sequence[UUID] = ()
    candidates: Sequence[Candidate] = ()
    versions: Mapping[UUID, Row] = field(default_factory=dict)

    def and_newest(self, others: Sequence[Recent]) -> list[Recent]:
        """Return these and others, newest first."""
        own = [Recent(one.id, self.versions[one.id]["happened_at"], one.sources) for one in self.candidates]
        return sorted([*own, *others], key=lambda one: (one.happened_at, one.id), reverse=True)

    def as_they_were(self, found: Mapping[UUID, FoundRecord]) -> dict[UUID, FoundRecord]:
        """Records, those of former versions as they were then."""
        return {id_: self._as_it_was(id_, one) for id_, one in found.items()}

    def _as_it_was(self, id_: UUID, found: FoundRecord) -> FoundRecord:
        version = self.versions.get(id_)
        if version is None or not isinstance(found.record, Memory):
            return found
        then = {name: version[name] for name in MemoryFields.__slots__ if name in version}
        then |= {"scope": Scope(version["scope"]), "effective_importance": version["importance"]}
        return FoundRecord("memory", replace(found.record, **then), version["tokens"])


async def former_versions(connection: Connection, plan: SearchPlan) -> FormerVersions:
    """Return, of the memories that a plan is for, those that have changed since its ``as_of``, as they were then."""
    if KINDS["memories"] not in plan.values["kinds"]:
        return FormerVersions()
    asks = {name: plan.values[name] for name in ("model", "embedding") if plan.flags.by_vector}
    values = {name: plan.values[name] for name in FILTERED}
    rows = await connection.fetch("former_versions", plan.flags.as_dict(), **values, **asks)
    versions = {row["id"]: row for row in rows if row["visible"]}
    weights: dict[UUID, Row] = {}
    if versions and plan.tier != "recent":
        items = [
            {
                **content_words(row["content"]),
                **field_words(content=row["content"], summary=row["summary"], key=row["key"], tags=row["tags"]),
                "id": id_,
                "language": row["language"],
            }
            for id_, row in versions.items()
        ]
        weighed = await connection.fetch("former_weights", items=items, **{name: plan.values[name] for name in WEIGHED})
        weights = {row["id"]: row for row in weighed}
    found = [_candidate(row, weights.get(id_)) for id_, row in versions.items()]
    candidates = found if plan.tier == "recent" else _best(found, plan.best)
    return FormerVersions([row["id"] for row in rows], candidates, versions)


def _best(found: Sequence[Candidate], count: int) -> list[Candidate]:
    """Return the best ``count`` by words and by vectors; what is in neither list is no candidate."""
    by_words = sorted((one for one in found if one.weights), key=lambda one: -sum(one.weights or ()))
    by_vector = sorted((one for one in found if one.similarity is not None), key=lambda one: -(one.similarity or 0))
    return list({one.id: one for one in [*by_words[:count], *by_vector[:count]]}.values())


def _candidate(row: Row, weighed: Row | None) -> Candidate:
    features = extract_features(row["content"])
    return Candidate(
        id=row["id"],
        previous=None,
        session_id=row["session_id"],
        happened_at=row["happened_at"].timestamp(),
        happened_until=row["happened_until"].timestamp() if row["happened_until"] else None,
        speaker=features.speaker,
        length=weighed["length"] if weighed else 0,
        words=features.words,
        asks=features.asks,
        question_share=features.question_share,
        similarity=row["similarity"],
        terms=weighed["terms"] if weighed else None,
        weights=weighed["weights"] if weighed else None,
        sources=row["sources"],
        importance=row["importance"],
        fields=weighed["fields"] if weighed else 0,
        states=row["type"] not in HAPPENED,
    )
