"""Writes what a dream concludes inside its transaction, and notes it in the diff."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.json import JsonObject
from service.domain.origin import Origin, least_trusted
from service.domain.types import MemoryType
from service.store import entities, insights, memories
from service.store.dreams import Lease
from worker.dreaming.diff import Diff, undo_record
from worker.dreaming.memory_row import memory_row
from worker.dreaming.reflect.insight import Conclusions, Insight

IMPORTANCE = 0.5
REASON_MAX = 300


@dataclass(frozen=True, slots=True)
class InsightWriter:
    """The conclusions of one dream. Every method runs in the dream's transaction."""

    connection: Connection
    lease: Lease
    dream_id: UUID
    now: datetime
    diff: Diff

    async def replace(self, conclusions: Conclusions) -> bool:
        """Supersede what is replaced, before its evidence is; False where somebody has changed one of it meanwhile."""
        workspace = self.lease.workspace_id
        rows = await memories.lock_all(self.connection, workspace, [one.known.id for one in conclusions.fallen])
        for one in conclusions.fallen:
            row = rows.get(one.known.id)
            if row is None or row["version"] != one.known.version:
                return False
        for one in conclusions.fallen:
            await memories.supersede(
                self.connection, workspace, one.known.id, by=one.by, until=self.now, actor=f"dream:{self.dream_id}",
                reason=f"now: {one.by_content}"[:REASON_MAX], dream_id=self.dream_id, now=self.now,
            )  # fmt: skip
            self.diff.note(
                "superseded",
                memory_id=one.known.id,
                before={"content": one.known.content, "type": MemoryType.INSIGHT.value},
                after={"content": one.by_content, "superseded_by": one.by, "valid_until": self.now},
                undo={"row": undo_record(rows[one.known.id]), "version": one.known.version + 1, "insight": True},
                reason=one.by_content,
            )
        return True

    async def write(self, conclusions: Conclusions, origins: Mapping[UUID, Origin]) -> bool:
        """Insert the insights with edges to what they rest on, whose ``origins`` are given by id; False where that
        is not so any more."""
        workspace, new = self.lease.workspace_id, conclusions.new
        if not new:
            return True
        items = [self._item(insight, ordinal, origins) for ordinal, insight in enumerate(new, start=1)]
        made = await memories.insert(self.connection, workspace, items, conclusions.embedded)
        await entities.connect_all(
            self.connection, workspace, [edge for insight in new for edge in self._edges(insight)],
            f"dream:{self.dream_id}",
        )  # fmt: skip
        ids = [insight.id for insight in new]
        if len(made) != len(ids) or await insights.fallen(self.connection, workspace, ids):
            return False
        for insight in new:
            evidence = [one.id for one in insight.evidence]
            self.diff.note(
                "created",
                memory_id=insight.id,
                after={"content": insight.content, "type": "insight", "user": insight.user, "evidence": evidence},
                undo={"version": 1, "insight": True},
                reason=f"concluded from {len(evidence)} memories",
            )
        return True

    def _item(self, insight: Insight, ordinal: int, origins: Mapping[UUID, Origin]) -> JsonObject:
        against = len(insight.evidence) - insight.supports
        filled = {"field": insight.fills[0], "value": insight.fills[1]} if insight.fills else {}
        return memory_row(
            self.lease, self.dream_id, self.now, insight.content,
            ordinal=ordinal, id=insight.id, type=MemoryType.INSIGHT.value, session_id=None, user_name=insight.user,
            hearsay_by=None, origin=least_trusted(origins[one.id] for one in insight.evidence),
            identity_hash=insight.identity(self.lease.owners), importance=IMPORTANCE,
            confidence=insight.confidence, tags=[],
            metadata={"supports": insight.supports, "contradicts": against},
            source={
                "kind": "insight", "by": insight.by, "about": insight.about,
                "evidence": [one.stored() for one in insight.evidence], **filled,
            },
            status=None, occurred_at=insight.at, expires_at=insight.expires_at, valid_from=insight.since,
            change_reason="concluded", reading={},
        )  # fmt: skip

    def _edges(self, insight: Insight) -> list[entities.NewEdge]:
        return [
            entities.NewEdge(
                self.lease.agent_id, "contradicts" if one.against else "derived_from", "memory", insight.id, "memory",
                one.id, memory_id=insight.id, dream_id=self.dream_id,
            )
            for one in insight.evidence
        ]  # fmt: skip
