"""Insights: conclusions of a dream from several memories, and what those say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from service.domain.identity import identity_hash
from service.domain.json import JsonObject
from service.domain.owners import Owners
from service.domain.profile import Scalar
from service.domain.times import Period
from service.domain.types import MemoryType
from service.store.vectors import EmbeddingBatch

EVIDENCE_MAX = 50


@dataclass(frozen=True, slots=True)
class Evidence:
    """A memory that speaks for an insight, or ``against`` it; ``says``: its identity, which changes with what it says.

    ``former``: it held until another replaced it, which is what the insight is about.
    """

    id: UUID
    says: str
    content: str
    since: datetime
    expires_at: datetime | None = None
    former: bool = False
    against: bool = False

    def opposing(self) -> Evidence:
        """Return the same memory, as one that speaks against."""
        return replace(self, against=True)

    def stored(self) -> JsonObject:
        """Return the evidence as the insight's source keeps it."""
        return {"id": str(self.id), "says": self.says, "former": self.former, "against": self.against}


@dataclass(frozen=True, slots=True)
class Insight:
    """A conclusion. ``about`` is the same for all that is concluded on one matter, of which one holds at a time.

    ``fills``: the field of the user's profile that it is the value of, and that value.
    """

    id: UUID
    about: str
    user: str | None
    content: str
    evidence: Sequence[Evidence]
    by: Literal["rules", "model"] = "rules"
    happened: Period | None = None
    fills: tuple[str, Scalar] | None = None

    def saying(self, content: str) -> Insight:
        """Return the same conclusion in other words."""
        return replace(self, content=content)

    @property
    def supports(self) -> int:
        """Return how many memories speak for it."""
        return sum(not one.against for one in self.evidence)

    @property
    def confidence(self) -> float:
        """Return the confidence, which grows with what speaks for it, and falls with what speaks against it."""
        return self.supports / (len(self.evidence) + 1)

    @property
    def since(self) -> datetime:
        """Return when the last was told of what it was concluded from."""
        return max(one.since for one in self.evidence)

    @property
    def expires_at(self) -> datetime | None:
        """Return when the first expires of what it was concluded from."""
        return min((one.expires_at for one in self.evidence if one.expires_at), default=None)

    def identity(self, owners: Owners) -> str:
        """Return the identity hash of its memory, of these owners."""
        return identity_hash(
            MemoryType.INSIGHT, self.content, user=self.user, key=None, occurred_at=None, hearsay_by=None,
            owners=owners,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredInsight:
    """An insight of an agent as it is stored."""

    id: UUID
    version: int
    user_name: str | None
    content: str
    source: JsonObject
    deleted: bool


@dataclass(frozen=True, slots=True)
class KnownInsight:
    """An insight that is there; ``deleted``: by somebody who did not want it, so that it is not concluded again."""

    id: UUID
    version: int
    about: str
    user: str | None
    content: str
    evidence: frozenset[UUID]
    supports: int
    deleted: bool

    @classmethod
    def of(cls, stored: StoredInsight) -> KnownInsight:
        """Return the insight with its evidence read from the source."""
        evidence = stored.source["evidence"]
        return cls(
            stored.id, stored.version, stored.source["about"], stored.user_name, stored.content,
            frozenset(UUID(one["id"]) for one in evidence),
            sum(not one["against"] for one in evidence), stored.deleted,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fallen:
    """An insight that is replaced: by a later one on its matter, or by the memory that replaced its evidence."""

    known: KnownInsight
    by: UUID
    by_content: str


@dataclass(slots=True)
class Conclusions:
    """Conclusions of a dream: ``new`` insights with their vectors, and those that these, or other memories, replace.

    ``asked``: a model was; ``rejected``: so many of its conclusions were not borne out by what they cite.
    """

    new: list[Insight] = field(default_factory=list)
    fallen: list[Fallen] = field(default_factory=list)
    asked: bool = False
    rejected: int = 0
    embedded: EmbeddingBatch = field(default_factory=lambda: EmbeddingBatch(None, []))

    def report(self) -> JsonObject:
        """Return what the dream says of it."""
        counts = {"new": len(self.new), "replaced": len(self.fallen), "rejected": self.rejected}
        return {"reflection": counts | {"asked": self.asked}}

    def evidence(self) -> set[UUID]:
        """Return the memories that the new insights rest on."""
        return {one.id for insight in self.new for one in insight.evidence}
