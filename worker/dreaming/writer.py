"""Writes a plan inside the dream's transaction, and notes every change in the diff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection
from service.domain.dream_settings import DreamChoices
from service.domain.json import JsonObject
from service.domain.memory import StoredMemory
from service.domain.origin import Origin, least_trusted, most_trusted, outranks
from service.domain.types import MemoryType, Scope
from service.domain.verdicts import PairVerdict
from service.extraction.candidates import Extraction
from service.llm import LLM
from service.memory import bulletin as bulletins_of
from service.memory.bulletin import NewBulletin
from service.store import entities, memories
from service.store.dreams import Lease
from service.store.memories import DerivedText, MemoryInsert
from service.store.settings import agent_settings
from service.store.vectors import EmbeddingBatch
from worker.dreaming.gather import Batch
from worker.dreaming.linking import link
from worker.dreaming.plan import Diff, NewMemory, Plan, Reinforcement, Statement, key_of, undo_record
from worker.dreaming.proposing import propose
from worker.dreaming.readings import Reading, form_of
from worker.dreaming.reflect.insight import Conclusions, Insight

REASON_MAX = 300

IMPORTANCE = 0.5


@dataclass(slots=True)
class Writer:
    """One dream's hand. Every method runs in the caller's transaction."""

    connection: Connection
    lease: Lease
    dream_id: UUID
    now: datetime
    diff: Diff
    executor: FairExecutor

    @property
    def _workspace(self) -> UUID:
        return self.lease.workspace_id

    @property
    def _actor(self) -> str:
        return f"dream:{self.dream_id}"

    async def memories(
        self, batch: Batch, extraction: Extraction, readings: Sequence[Reading], plan: Plan, conclusions: Conclusions
    ) -> bool:
        """Write proposals, memories, provenance, history, entities and edges, and what is concluded.

        False when the plan no longer fits: a memory it touches has changed, one like a new one has appeared, or a
        message it was made of is gone.
        """
        self.diff.messages = len(batch.turns)
        ids = [turn.id for turn in batch.turns]
        present: int = await self.connection.value("messages_present", workspace=self._workspace, ids=ids)
        if present != len(ids):
            return False
        await propose(
            self.connection, self.lease, self.dream_id, plan.proposed, diff=self.diff, executor=self.executor,
            now=self.now,
        )  # fmt: skip
        touched = conclusions.evidence().union(known.id for known in plan.known())
        stored = await memories.lock_all(self.connection, self._workspace, sorted(touched))
        for known in plan.known():
            now = stored.get(known.id)
            if now is None or now.version != known.version or now.deleted_at is not None:
                return False
        concluding = InsightWriter(self.connection, self.lease, self.dream_id, self.now, self.diff)
        if not await concluding.replace(conclusions):
            return False
        read = await self._mark_read(readings)
        await self._supersede(plan, stored)
        if not await self._create(batch, plan):
            return False
        await self._reinforce(plan, stored)
        await self._set_statuses(plan, stored)
        await link(
            self.connection, self.lease, self.dream_id, self.diff, plan, read, executor=self.executor, now=self.now
        )
        origins = {id_: one.origin for id_, one in stored.items()} | {new.id: new.candidate.origin for new in plan.new}
        if not await concluding.write(conclusions, origins):
            return False
        set_aside = [(one.message_id, one.reason) for one in batch.set_aside]
        for message_id, reason in [*extraction.skipped, *set_aside]:
            self.diff.note("skipped", after={"message_id": message_id}, reason=reason)
        for one in batch.memories_set_aside:
            self.diff.note("skipped", memory_id=one.memory_id, after={"memory_id": one.memory_id}, reason=one.reason)
        return True

    async def advance(self, batch: Batch) -> bool:
        """Move the watermarks, and resolve what was retried; False when one is not where it was, because a dream was
        undone meanwhile, or a retried message has been given up."""
        if batch.retried and len(batch.retried) != await self.connection.run(
            "resolve_retried_messages", workspace=self._workspace, ids=list(batch.retried), dream_id=self.dream_id
        ):
            return False
        for stretch in batch.ranges:
            if not await self.connection.run(
                "advance_watermark", workspace=self._workspace, session_id=stretch.session_id,
                from_seq=stretch.from_seq, seq=stretch.to_seq,
            ):  # fmt: skip
                return False
        return True

    async def decay(self) -> None:
        """Bring what search knows of each memory's importance in line with the time it has gone unused."""
        settings = await agent_settings(self.connection, self._workspace, self.lease.agent_id)
        for row in await self.connection.fetch(
            "decay", **self.lease.of_owners, now=self.now, days=settings.retention.decay_days,
            faded_below=settings.retrieval.faded_below,
        ):  # fmt: skip
            self.diff.note(
                "decayed",
                memory_id=row["id"],
                before={"effective_importance": row["importance_before"], "faded": row["faded_before"]},
                after={"effective_importance": row["importance"], "faded": row["faded"]},
                reason="not used for a while" if row["importance"] < row["importance_before"] else "used again",
            )

    async def bulletin(self, agent: str, written: NewBulletin | None, llm: LLM | None, choices: DreamChoices) -> None:
        """Add a version of the bulletin if what it is made of has changed."""
        rows = await bulletins_of.inputs(
            self.connection, self._workspace, self.lease.agent_id, self.lease.owners, self.now
        )
        latest: str | None = await self.connection.value(
            "bulletin_hash", **self.lease.of_agent, owners=self.lease.owners
        )
        writer = bulletins_of.writer_of(llm, choices)
        if not bulletins_of.is_stale(latest, rows, writer):
            return
        fits = written is not None and written.inputs_hash == bulletins_of.inputs_hash(rows, writer)
        if written is None or not fits:
            characters = sum(len(row.content) for row in rows)
            written = await self.executor.run(
                bulletins_of.compose, agent, rows, choices.bulletin_tokens_max, characters=characters
            )
        made = written
        version: int = await self.connection.value(
            "add_bulletin", **self.lease.of_agent, owners=self.lease.owners, content=made.content, tokens=made.tokens,
            inputs_hash=made.inputs_hash, parts=made.parts, dream_id=self.dream_id, now=self.now,
        )  # fmt: skip
        self.diff.bulletin_version = version
        self.diff.note(
            "bulletin", after={"version": version}, undo={"version": version}, reason="what is known has changed"
        )

    async def _mark_read(self, readings: Sequence[Reading]) -> list[Reading]:
        """Note what was read in saved memories; those of them that have not changed meanwhile. The others stay due."""
        items = [
            {"id": one.memory.id, "version": one.memory.version, "dream_analysis": one.stored(self.dream_id)}
            for one in readings
        ]
        rows = await self.connection.fetch("mark_read", workspace=self._workspace, items=items) if items else []
        marked = {row["id"] for row in rows}
        await self.connection.run(
            "resolve_retried_memories", workspace=self._workspace, ids=list(marked), dream_id=self.dream_id
        )
        self.diff.memories = len(marked)
        return [one for one in readings if one.memory.id in marked]

    async def _supersede(self, plan: Plan, stored: Mapping[UUID, StoredMemory]) -> None:
        for one in plan.superseded.values():
            known, by = one.known, one.by
            until = max(known.since, by.since) if one.same else by.since
            reason = f"says the same: {by.content}" if one.same else f"now: {by.content}"
            verdict = plan.verdict_on(key_of(by), known.id)
            await self._replace(known.id, by=by.id, until=until, reason=reason)
            self.diff.note(
                "superseded",
                memory_id=known.id,
                before=_describe(known) | {"type": known.type},
                after=_describe(by) | {"superseded_by": by.id, "valid_until": until} | _judged(verdict),
                undo={"row": undo_record(stored[known.id]), "version": known.version + 1},
                reason=_with_verdict("says the same" if one.same else by.content, verdict),
            )

    async def _replace(self, memory_id: UUID, *, by: UUID, until: datetime, reason: str) -> None:
        await memories.supersede(
            self.connection, self._workspace, memory_id, by=by, until=until, actor=self._actor,
            reason=reason[:REASON_MAX],
            dream_id=self.dream_id, now=self.now,
        )  # fmt: skip

    async def _create(self, batch: Batch, plan: Plan) -> bool:
        """Insert the new memories, those that others of the plan replace first, and close these at once."""
        left = sorted(plan.new, key=lambda new: new.replaced_by is None)
        while left:
            wave, left = _distinct(left)
            inserts = await self.executor.each(
                lambda new: self._insert_of(batch, new), wave, lambda new: len(new.content)
            )
            vectors = EmbeddingBatch(plan.embedded.space, [plan.embedded.vectors[new.position] for new in wave])
            if len(await memories.insert(self.connection, self._workspace, inserts, vectors)) != len(inserts):
                return False
            for new in wave:
                if new.replaced_by is not None:
                    until = max(new.since, new.replaced_by.since)
                    await self._replace(
                        new.id, by=new.replaced_by.id, until=until, reason=f"now: {new.replaced_by.content}"
                    )
        await memories.add_sources(
            self.connection, self._workspace, [(new.id, id_) for new in plan.new for id_ in dict.fromkeys(new.evidence)]
        )
        for new in plan.new:
            after: JsonObject = _describe(new) | {"type": new.type, "user": new.subject}
            if new.replaced_by is not None:
                after |= {"superseded_by": new.replaced_by.id}
            if new.done:
                after |= {"status": new.status}
            self.diff.note(
                "created",
                memory_id=new.id,
                after=after,
                undo={"version": 1 if new.replaced_by is None else 2},
                reason="said in the conversation",
            )
        return True

    def _insert_of(self, batch: Batch, new: NewMemory) -> MemoryInsert:
        candidate = new.candidate
        read: JsonObject = {"form": form_of(candidate.content)} | (new.reports.stored() if new.reports else {})
        text = DerivedText.of(candidate.content)
        stored = StoredMemory(
            id=new.id, agent_id=self.lease.agent_id, audience=self.lease.agent_id, type=str(candidate.type),
            like_type=candidate.own_like, scope=Scope.AGENT, session_id=batch.session_of.get(new.evidence[0]),
            user_name=candidate.subject, owners=self.lease.owners, hearsay_by=candidate.hearsay_by,
            origin=candidate.origin, content=candidate.content, summary=text.summary,
            identity_hash=bytes.fromhex(new.identity), tokens=text.tokens, importance=candidate.importance,
            confidence=candidate.confidence, tags=list(candidate.tags), metadata=dict(candidate.metadata),
            source=new.source, status=new.status, occurred_at=new.at,
            occurred_until=new.ends, valid_from=new.since,
            created_at=self.now, updated_at=self.now, dream_id=self.dream_id, changed_by=self._actor,
            change_reason="extracted", dream_analysis={"dream_id": str(self.dream_id)} | read,
        )  # fmt: skip
        return MemoryInsert(stored, text)

    async def _reinforce(self, plan: Plan, stored: Mapping[UUID, StoredMemory]) -> None:
        for again in plan.reinforced.values():
            known, merged = again.known, [stored[one.id] for one in again.merged]
            trusted = [one for one in merged if not outranks(known.origin, one.origin)]
            own = stored[known.id].metadata
            alike: list[Statement] = [*again.said, *again.merged]
            found = (plan.verdict_on(key_of(one), known.id) for one in alike)
            verdict = next((one for one in found if one is not None and one.outcome == "duplicate"), None)
            await memories.reinforce(
                self.connection, self._workspace, known.id,
                tags=sorted({tag for one in trusted for tag in one.tags}),
                metadata={name: value for one in trusted for name, value in one.metadata.items() if name not in own},
                origin=_origin_after(again, stored[known.id], trusted),
                actor=self._actor, reason="said again", now=self.now,
            )  # fmt: skip
            added = await memories.add_sources(
                self.connection, self._workspace, [(known.id, id_) for id_ in dict.fromkeys(again.evidence)]
            )
            added += await memories.pass_on_sources(
                self.connection, self._workspace, [(one.id, known.id) for one in merged]
            )
            self.diff.note(
                "reinforced",
                memory_id=known.id,
                before=_describe(known) | {"type": known.type},
                after=_judged(verdict) | _other_words(again) or None,
                undo={
                    "row": undo_record(stored[known.id]),
                    "version": known.version + 1,
                    "sources": [message for _, message in added],
                },
                reason=_with_verdict("said again", verdict),
            )

    async def _set_statuses(self, plan: Plan, stored: Mapping[UUID, StoredMemory]) -> None:
        """Close the todos that are reported as done, and open those again that are said again."""
        for one in plan.statuses.values():
            known = one.known
            await memories.set_status(
                self.connection, self._workspace, known.id, one.status, actor=self._actor, reason=one.reason,
                dream_id=self.dream_id, now=self.now,
            )  # fmt: skip
            self.diff.note(
                "completed" if one.status == "done" else "reopened",
                memory_id=known.id,
                before=_describe(known) | {"type": known.type, "status": known.status},
                after=_describe(known) | {"status": one.status},
                undo={
                    "row": undo_record(stored[known.id]),
                    "version": known.version + 1 + (known.id in plan.reinforced),
                },
                reason=one.reason,
            )


def _origin_after(again: Reinforcement, known: StoredMemory, merged: Sequence[StoredMemory]) -> Origin:
    """Return the origin of a memory that was said again: the most trusted one of those who said its very words, and the
    least trusted one of what becomes one with it, but for what it outranks, of which it takes no more than the
    evidence."""
    alike = [new.origin for new in again.said if new.identity == again.known.identity]
    return least_trusted([most_trusted([known.origin, *alike]), *(one.origin for one in merged)])


def _describe(held: Statement) -> JsonObject:
    """Return what a diff tells of a memory; of hearsay, whose word it is and about whom."""
    hearsay = {"user": held.subject, "hearsay_by": held.hearsay_by} if held.hearsay_by else {}
    return {"content": held.content} | hearsay


def _other_words(again: Reinforcement) -> JsonObject:
    """Return what was said, where it was not said in the words of the memory."""
    known = again.known.content.rstrip(".")
    said = dict.fromkeys(new.content for new in again.said if new.content.rstrip(".") != known)
    return {"said": list(said)} if said else {}


def _judged(verdict: PairVerdict | None) -> JsonObject:
    """Return what a diff tells of a decision model's verdict."""
    if verdict is None or verdict.probability is None:
        return {}
    return {"verdict": {"outcome": verdict.outcome, "probability": round(verdict.probability, 6)}}


def _with_verdict(reason: str, verdict: PairVerdict | None) -> str:
    return f"{reason} ({verdict})" if _judged(verdict) else reason


def _distinct(memories_: Sequence[NewMemory]) -> tuple[list[NewMemory], list[NewMemory]]:
    """Return the longest beginning in which no two say the same, none being closed yet; and the rest."""
    seen: set[tuple[str, str]] = set()
    for at, new in enumerate(memories_):
        if (new.type, new.identity) in seen:
            return list(memories_[:at]), list(memories_[at:])
        seen.add((new.type, new.identity))
    return list(memories_), []


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
        stored = await memories.lock_all(self.connection, workspace, [one.known.id for one in conclusions.fallen])
        for one in conclusions.fallen:
            now = stored.get(one.known.id)
            if now is None or now.version != one.known.version:
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
                undo={"row": undo_record(stored[one.known.id]), "version": one.known.version + 1, "insight": True},
                reason=one.by_content,
            )
        return True

    async def write(self, conclusions: Conclusions, origins: Mapping[UUID, Origin]) -> bool:
        """Insert the insights with edges to what they rest on, whose ``origins`` are given by id; False where that
        is not so any more."""
        workspace, new = self.lease.workspace_id, conclusions.new
        if not new:
            return True
        inserts = [self._insert_of(insight, origins) for insight in new]
        made = await memories.insert(self.connection, workspace, inserts, conclusions.embedded)
        await entities.connect_all(
            self.connection, workspace, [edge for insight in new for edge in self._edges(insight)],
            f"dream:{self.dream_id}",
        )  # fmt: skip
        ids = [insight.id for insight in new]
        if len(made) != len(ids) or await self.connection.fetch("fallen_insights", workspace=workspace, ids=ids):
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

    def _insert_of(self, insight: Insight, origins: Mapping[UUID, Origin]) -> MemoryInsert:
        against = len(insight.evidence) - insight.supports
        filled = {"field": insight.fills[0], "value": insight.fills[1]} if insight.fills else {}
        text = DerivedText.of(insight.content)
        stored = StoredMemory(
            id=insight.id, agent_id=self.lease.agent_id, audience=self.lease.agent_id, type=MemoryType.INSIGHT.value,
            scope=Scope.AGENT, user_name=insight.user, owners=self.lease.owners,
            origin=least_trusted(origins[one.id] for one in insight.evidence), content=insight.content,
            summary=text.summary, identity_hash=bytes.fromhex(insight.identity(self.lease.owners)), tokens=text.tokens,
            importance=IMPORTANCE, confidence=insight.confidence, tags=[],
            metadata={"supports": insight.supports, "contradicts": against},
            source={
                "kind": "insight", "by": insight.by, "about": insight.about,
                "evidence": [one.stored() for one in insight.evidence], **filled,
            },
            occurred_at=insight.happened.begin if insight.happened else None,
            occurred_until=insight.happened.end if insight.happened else None,
            expires_at=insight.expires_at, valid_from=insight.since, created_at=self.now,
            updated_at=self.now, dream_id=self.dream_id, changed_by=f"dream:{self.dream_id}",
            change_reason="concluded", dream_analysis={"dream_id": str(self.dream_id)},
        )  # fmt: skip
        return MemoryInsert(stored, text)

    def _edges(self, insight: Insight) -> list[entities.NewEdge]:
        return [
            entities.NewEdge(
                self.lease.agent_id, "contradicts" if one.against else "derived_from", "memory", insight.id, "memory",
                one.id, memory_id=insight.id, dream_id=self.dream_id,
            )
            for one in insight.evidence
        ]  # fmt: skip
