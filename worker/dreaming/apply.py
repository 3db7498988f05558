"""Apply: the one transaction of a dream. It checks the lease and that nothing it touches has changed, writes
everything, moves the watermark and closes the dream; or it leaves nothing (row D9)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection
from service.domain.identity import summary_of
from service.domain.lexical import shape_of
from service.domain.types import MemoryType
from service.embedding.tokens import count_tokens
from service.errors import ReverieError
from service.memory.engine import Engine
from service.store import bulletins, dreams, entities, memories
from service.store.dreams import Lease
from service.store.settings import workspace_settings
from worker.dreaming import bulletin
from worker.dreaming.gather import Batch
from worker.dreaming.reconcile import Known, NewMemory, Plan

BULLETIN_INPUTS = 500


class LeaseLost(ReverieError):
    """Another worker has taken over this agent; this dream may not commit."""


class PlanOutdated(ReverieError):
    """Something the plan touches has changed since it was made; it has to be made again."""


@dataclass(slots=True)
class Outcome:
    """What a dream did, for its report and its diff."""

    messages: int = 0
    created: int = 0
    reinforced: int = 0
    superseded: int = 0
    linked: int = 0
    bulletin_version: int | None = None
    changes: list[dict[str, Any]] = field(default_factory=list)

    def note(self, op: str, memory_id: UUID | None, before: Any, after: Any, reason: str) -> None:
        """Add one line to the diff."""
        self.changes.append(
            {
                "ordinal": len(self.changes) + 1,
                "op": op,
                "memory_id": memory_id,
                "before": before,
                "after": after,
                "reason": reason,
            }
        )

    def report(self) -> dict[str, Any]:
        """The counts."""
        return {
            "messages": self.messages,
            "created": self.created,
            "reinforced": self.reinforced,
            "superseded": self.superseded,
            "linked": self.linked,
            "bulletin_version": self.bulletin_version,
        }


async def apply(engine: Engine, lease: Lease, dream_id: UUID, batch: Batch, plan: Plan, *, dry_run: bool) -> Outcome:
    """Commit the plan, or with ``dry_run`` work it out whole and roll it back.

    Raises LeaseLost, and PlanOutdated when a user's edit came in between: the user wins.
    """
    embedded = await engine.embed([new.candidate.content for new in plan.new])
    now = engine.now()
    try:
        async with engine.db.transaction(lease.workspace_id) as connection:
            outcome = await _Writer(connection, lease, dream_id, now).write(batch, plan, embedded)
            if dry_run:
                raise _RolledBack(outcome)
            await dreams.finish(
                connection,
                lease.workspace_id,
                dream_id,
                status="succeeded",
                report=outcome.report(),
                error=None,
                now=now,
            )
            await connection.run(
                "add_changes", workspace=lease.workspace_id, dream_id=dream_id, changes=outcome.changes
            )
    except _RolledBack as done:
        outcome = done.outcome
        async with engine.db.transaction(lease.workspace_id) as connection:
            await dreams.finish(
                connection, lease.workspace_id, dream_id, status="dry_run", report=outcome.report(), error=None, now=now
            )
            await connection.run(
                "add_changes", workspace=lease.workspace_id, dream_id=dream_id, changes=outcome.changes
            )
    return outcome


class _RolledBack(Exception):
    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class _Writer:
    """Writes one plan in one transaction."""

    def __init__(self, connection: Connection, lease: Lease, dream_id: UUID, now: datetime) -> None:
        self._connection = connection
        self._lease = lease
        self._workspace = lease.workspace_id
        self._dream_id = dream_id
        self._now = now
        self._actor = f"dream:{dream_id}"
        self._outcome = Outcome()

    async def write(self, batch: Batch, plan: Plan, embedded: memories.Embedded) -> Outcome:
        if not await dreams.fence(self._connection, self._lease, self._now):
            raise LeaseLost
        self._outcome.messages = len(batch.turns)
        for known, _ in [*plan.reinforced.values(), *plan.superseded.values()]:
            await self._unchanged(known)
        await self._supersede(plan)
        await self._create(batch, plan, embedded)
        await self._reinforce(plan)
        await self._link(plan)
        await self._advance(batch)
        await self._rewrite_bulletin(batch.agent)
        return self._outcome

    async def _unchanged(self, known: Known) -> None:
        row = await memories.lock(self._connection, self._workspace, known.id)
        if row is None or row["version"] != known.version or row["deleted_at"] is not None:
            raise PlanOutdated

    async def _supersede(self, plan: Plan) -> None:
        for known, new in plan.superseded.values():
            await memories.supersede(
                self._connection, self._workspace, known.id, by=new.id, until=self._told_at(new),
                actor=self._actor, reason=f"now: {new.candidate.content}", dream_id=self._dream_id, now=self._now,
            )  # fmt: skip
            self._outcome.superseded += 1
            self._outcome.note(
                "superseded", known.id, {"content": known.content}, {"superseded_by": new.id}, new.candidate.content
            )

    async def _create(self, batch: Batch, plan: Plan, embedded: memories.Embedded) -> None:
        self._told = {turn.id: turn.at for turn in batch.turns}
        items = [self._item(batch, new, position) for position, new in enumerate(plan.new, start=1)]
        inserted = await memories.insert(self._connection, self._workspace, items, embedded)
        if len(inserted) != len(items):
            raise PlanOutdated
        await memories.add_sources(
            self._connection,
            self._workspace,
            [(new.id, message) for new in plan.new for message in dict.fromkeys(new.evidence)],
        )
        for new in plan.new:
            self._outcome.created += 1
            self._outcome.note(
                "created",
                new.id,
                None,
                {"type": new.candidate.type.value, "content": new.candidate.content},
                "extracted",
            )
        for new in plan.new:
            if new.replaced_by is not None:
                await memories.supersede(
                    self._connection, self._workspace, new.id, by=new.replaced_by.id,
                    until=self._told_at(new.replaced_by), actor=self._actor,
                    reason=f"now: {new.replaced_by.candidate.content}", dream_id=self._dream_id, now=self._now,
                )  # fmt: skip
                self._outcome.superseded += 1
                self._outcome.note(
                    "superseded", new.id, {"content": new.candidate.content}, {"superseded_by": new.replaced_by.id},
                    new.replaced_by.candidate.content,
                )  # fmt: skip

    def _told_at(self, new: NewMemory) -> datetime:
        return max((self._told[id_] for id_ in new.evidence if id_ in self._told), default=self._now)

    def _item(self, batch: Batch, new: NewMemory, ordinal: int) -> dict[str, Any]:
        candidate = new.candidate
        source: dict[str, Any] = {"kind": "dream"}
        if candidate.slot:
            source |= {"slot": candidate.slot, "value": candidate.value}
        if candidate.polarity == "negative":
            source["polarity"] = "negative"
        return {
            "ordinal": ordinal,
            "id": new.id,
            "agent_id": self._lease.agent_id,
            "audience": self._lease.agent_id,
            "type": candidate.type.value,
            "scope": "agent",
            "team_id": None,
            "task_id": None,
            "session_id": batch.session_of.get(new.evidence[0]),
            "user_name": candidate.subject,
            "key": None,
            "content": candidate.content,
            "summary": summary_of(candidate.content),
            "identity_hash": new.identity,
            "tokens": count_tokens(candidate.content),
            "importance": candidate.importance,
            "confidence": candidate.confidence,
            "tags": list(candidate.tags),
            "metadata": {},
            "source": source,
            "status": "open" if candidate.type is MemoryType.TODO else None,
            "decay_exempt": False,
            "occurred_at": candidate.occurred_at,
            "expires_at": None,
            "valid_from": self._told_at(new),
            "valid_until": None,
            "created_at": self._now,
            "dream_id": self._dream_id,
            "changed_by": self._actor,
            "change_reason": "extracted",
        } | asdict(shape_of(candidate.content))

    async def _reinforce(self, plan: Plan) -> None:
        for known, evidence in plan.reinforced.values():
            await memories.reinforce(
                self._connection, self._workspace, known.id, tags=[], metadata={},
                actor=self._actor, reason="said again", now=self._now,
            )  # fmt: skip
            await memories.add_sources(self._connection, self._workspace, [(known.id, id_) for id_ in set(evidence)])
            self._outcome.reinforced += 1
            self._outcome.note("reinforced", known.id, {"content": known.content}, None, "said again")

    async def _link(self, plan: Plan) -> None:
        for new in plan.new:
            for mention in new.candidate.mentions:
                entity_id = await entities.ensure(
                    self._connection, self._workspace, agent_id=self._lease.agent_id, audience=self._lease.agent_id,
                    name=mention.name, kind=mention.kind, dream_id=self._dream_id,
                )  # fmt: skip
                edge = entities.Edge(
                    self._lease.agent_id, "mentions", "memory", new.id, "entity", entity_id,
                    memory_id=new.id, dream_id=self._dream_id,
                )  # fmt: skip
                if await entities.connect(self._connection, self._workspace, edge, self._actor):
                    self._outcome.linked += 1
                    self._outcome.note(
                        "linked", new.id, None, {"entity": mention.name, "kind": mention.kind}, "mentions"
                    )

    async def _advance(self, batch: Batch) -> None:
        for stretch in batch.stretches:
            moved = await self._connection.run(
                "advance_watermark",
                workspace=self._workspace,
                session_id=stretch.session_id,
                from_seq=stretch.from_seq,
                seq=stretch.to_seq,
            )
            if not moved:
                raise LeaseLost

    async def _rewrite_bulletin(self, agent: str) -> None:
        settings = await workspace_settings(self._connection, self._workspace)
        rows = await self._connection.fetch(
            "bulletin_inputs",
            workspace=self._workspace,
            agent_id=self._lease.agent_id,
            now=self._now,
            limit=BULLETIN_INPUTS,
        )
        written = await bulletins.latest_hash(self._connection, self._workspace, self._lease.agent_id)
        if written == bulletin.inputs_hash(rows):
            return
        made = bulletin.compose(agent, rows, settings.dream.bulletin_tokens_max)
        self._outcome.bulletin_version = await bulletins.add(
            self._connection, self._workspace, self._lease.agent_id, content=made.content, tokens=made.tokens,
            inputs_hash=made.inputs_hash, dream_id=self._dream_id,
        )  # fmt: skip
        self._outcome.note("bulletin", None, None, {"version": self._outcome.bulletin_version}, "its inputs changed")
