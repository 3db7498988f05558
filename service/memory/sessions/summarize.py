"""Folding old, unimportant memories into one: a summary takes their place, and all or each can be restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import accumulate
from typing import Annotated, Literal
from uuid import UUID

import structlog
from pydantic import Field

from service.db.records import make
from service.domain.drafts import MemoryDraft
from service.domain.dream_settings import DreamChoices
from service.domain.field_types import CONTENT_MAX
from service.domain.folding import HEADING_CHARS_MAX, SHARES, Note, folded, note, note_lines, with_missing
from service.domain.json import JsonObject
from service.domain.memory import Memory, StoredMemory
from service.domain.origin import least_trusted
from service.domain.principal import Principal
from service.domain.spending import paid_by
from service.domain.types import MemoryType
from service.embedding.tokens import count_tokens
from service.errors import BudgetReached, Conflict
from service.llm import LLM, LLMInvalidOutput, LLMUnavailable
from service.memory.access.redaction import masked_names, masking_of, redact_lenient
from service.memory.prompts import SUMMARIZE_MEMORIES, steered
from service.memory.saving.lifecycle import load_owned
from service.memory.saving.remember import insert_of
from service.memory.saving.scopes import ScopeIds
from service.runtime import Runtime
from service.store import agents, memories
from service.store.settings import agent_settings

log = structlog.get_logger(__name__)

SUMMARIZED_MAX = 200
IMPORTANCE_BELOW = 0.5
OLDER_THAN_DAYS = 30.0
SUMMARY_CHARS_MAX = CONTENT_MAX // 2
SOURCE_KIND = "summary"
REASON = "folded into a summary"
UNDONE = "the summary was undone"
NO_SUMMARY = "Only a summary of folded memories can be undone."

NotFolded = Literal["fits", "too_few", "saves_too_little"]


@dataclass(frozen=True, slots=True)
class SummarizeResponse:
    """Memories to summarize, and the tokens saved."""

    candidates: Annotated[list[Memory], Field(description="Memories to be summarized, at most 200.")]
    tokens_before: Annotated[int, Field(description="Length of the memories in tokens.")]
    tokens_after: Annotated[int, Field(description="Length of the summary in tokens.")]
    tokens_saved: Annotated[int, Field(description="Difference of both in tokens; a third of `tokens_before` or more.")]
    agent_tokens_before: Annotated[int, Field(description="Length of all memories of the agent in tokens.")]
    agent_tokens_after: Annotated[
        int, Field(description="Length of all memories of the agent in tokens after the change.")
    ]
    not_folded: Annotated[
        NotFolded | None,
        Field(
            description="Reason for no summary: `fits` (the memories fit into `tokens_max`), `too_few` (fewer than "
            "two to summarize) or `saves_too_little` (less than a third of their tokens). Null with "
            "candidates."
        ),
    ]
    memory: Annotated[Memory | None, Field(description="Summary memory; null in a dry run.")]


@dataclass(frozen=True, slots=True)
class UndoneSummary:
    """Deleted summary and the memories it had replaced."""

    summary: Annotated[Memory, Field(description="Summary memory, deleted.")]
    memories: Annotated[list[Memory], Field(description="Memories that are current again.")]


@dataclass(frozen=True, slots=True)
class Foldable:
    """A memory that may be folded into a summary, and its tokens."""

    memory: Memory
    tokens: int


@dataclass(frozen=True, slots=True)
class _Fold:
    """Memories about to be folded, their texts as a summary may hold them, and the summary."""

    folded: Sequence[Foldable]
    notes: Sequence[Note]
    content: str

    @property
    def before(self) -> int:
        """Return tokens of the memories."""
        return sum(one.tokens for one in self.folded)


async def summarize(
    runtime: Runtime,
    principal: Principal,
    agent: str | None,
    *,
    older_than_days: float | None = None,
    tokens_max: int | None = None,
    dry_run: bool,
) -> SummarizeResponse:
    """Fold facts, events and observations of an importance below a half, the oldest first, at most 200, of one set of
    owners.

    Those older than ``older_than_days``, by default 30; with ``tokens_max`` as many, by default of any age, as it takes
    for all memories of the agent to fit. A dry run names exactly what the run would fold. ``not_folded`` says why
    nothing is: the memories fit, there are fewer than two, or it would save less than a third of their tokens.

    Raises NotFound, and Conflict when one of them is changed while the summary is being written.
    """
    principal.require_write()
    workspace, now = principal.workspace_id, runtime.now()
    days = older_than_days if older_than_days is not None else OLDER_THAN_DAYS if tokens_max is None else 0.0
    async with runtime.db.transaction(workspace) as connection:
        found = await agents.existing_agent(connection, workspace, principal.acting_agent(agent))
        settings = await agent_settings(connection, workspace, found.id)
        total: int = await connection.value("agent_memory_tokens", workspace=workspace, agent_id=found.id, now=now)
        rows = await connection.fetch(
            "summarizable_memories", workspace=workspace, agent_id=found.id, owners=principal.own or None,
            importance_below=IMPORTANCE_BELOW, before=now - timedelta(days=days), limit=SUMMARIZED_MAX,
        )  # fmt: skip
        old = [Foldable(make(Memory, row), row["tokens"]) for row in rows if row["owners"] == rows[0]["owners"]]
    excess = None if tokens_max is None else total - tokens_max
    if excess is not None and excess <= 0:
        return _answer(None, total, "fits")
    if len(old) < 2:
        return _answer(None, total, "too_few")
    texts, abouts = await _clean(runtime, principal, [one.memory for one in old])
    characters = len(SHARES) * sum(map(len, texts))
    fold = await runtime.executor.run(_fold_by_rules, old, texts, abouts, excess, characters=characters)
    if fold is None:
        return _answer(None, total, "saves_too_little")
    if dry_run:
        return _answer(fold, total)
    llm = runtime.model("summary", workspace, settings.llm)
    if llm is not None:
        with paid_by(principal.payer(found.agent, old[0].memory.owners)):
            fold = await _by_llm(runtime, llm, fold, settings.dream)
    return _answer(fold, total, memory=await _replace_with_summary(runtime, principal, found.id, fold))


def _answer(
    fold: _Fold | None, total: int, not_folded: NotFolded | None = None, memory: Memory | None = None
) -> SummarizeResponse:
    before, after = (fold.before, count_tokens(fold.content)) if fold else (0, 0)
    return SummarizeResponse(
        candidates=[one.memory for one in fold.folded] if fold else [],
        tokens_before=before,
        tokens_after=after,
        tokens_saved=before - after,
        agent_tokens_before=total,
        agent_tokens_after=total - before + after,
        not_folded=not_folded,
        memory=memory,
    )


async def _clean(runtime: Runtime, principal: Principal, found: Sequence[Memory]) -> tuple[list[str], list[str | None]]:
    """Return the texts, which may be older than the workspace's rule on personal data, and whom each is about where
    they are about several."""
    pii = await masking_of(runtime, principal)
    texts = await redact_lenient(runtime, pii, [one.content for one in found])
    users = sorted({one.user for one in found if one.user is not None})
    if len({one.user for one in found}) == 1:
        return texts, [None] * len(found)
    masks = await masked_names(
        runtime, principal.workspace_id, pii, [(("user",), user) for user in users], refuse=False
    )
    shown = dict(zip(users, masks, strict=True))
    return texts, [one.user and shown.get(one.user) for one in found]


def _fold_by_rules(
    old: Sequence[Foldable], texts: Sequence[str], abouts: Sequence[str | None], excess: int | None
) -> _Fold | None:
    """Choose what to fold, and write a summary by rules; None where it would save less than a third of the tokens.

    All that the summary has room for, else those that get shorter by a third each; as few of them as bring ``excess``.
    """
    notes = [
        note(text, one.memory.occurred_at or one.memory.created_at, about)
        for one, text, about in zip(old, texts, abouts, strict=True)
    ]
    heading = count_tokens(folded(notes, []))
    tries = []
    for share in SHARES:
        lines = note_lines(notes, share)
        tries.append((lines, [count_tokens(f"{line}\n") for line in lines]))
    for all_of_them in (True, False):
        for lines, costs in tries:
            spans = [(one.tokens, cost) for one, cost in zip(old, costs, strict=True)]
            picked = [n for n, span in enumerate(spans) if all_of_them or _saves_enough(*span)]
            picked = picked[: _room_for([lines[n] for n in picked])]
            picked = picked[: _fewest([spans[n] for n in picked], heading, excess)]
            if len(picked) < 2:
                continue
            chosen = [notes[n] for n in picked]
            fold = _Fold([old[n] for n in picked], chosen, folded(chosen, [lines[n] for n in picked]))
            if _saves_enough(fold.before, count_tokens(fold.content)):
                return fold
    return None


def _saves_enough(before: int, after: int) -> bool:
    """Return whether a third of the tokens or more is saved."""
    return 3 * after <= 2 * before


def _room_for(lines: Sequence[str]) -> int:
    """Return how many of the lines a summary has room for."""
    ends = accumulate(len(line) + 1 for line in lines)
    return sum(end <= CONTENT_MAX - HEADING_CHARS_MAX for end in ends)


def _fewest(spans: Sequence[tuple[int, int]], heading: int, excess: int | None) -> int:
    """Return of how many memories, each with its tokens and those of its line, the fold saves a third and ``excess``;
    of all where none does or where nothing is to be fitted."""
    if excess is None:
        return len(spans)
    before, after = 0, heading
    for count, (tokens, cost) in enumerate(spans, 1):
        before, after = before + tokens, after + cost
        if count > 1 and before - after >= excess and _saves_enough(before, after):
            return count
    return len(spans)


async def _by_llm(runtime: Runtime, llm: LLM, fold: _Fold, choices: DreamChoices) -> _Fold:
    """Return the fold with the language model's summary, where it answers with one that saves enough."""
    messages = [
        {"role": "system", "content": SUMMARIZE_MEMORIES.format(words_max=max(60, fold.before // 4))},
        {"role": "user", "content": "<notes>\n" + "\n".join(f"- {one.text}" for one in fold.notes) + "\n</notes>"},
    ]
    try:
        answer = await llm.complete(steered(messages, choices), tokens_max=2_000)
    except (LLMUnavailable, LLMInvalidOutput, BudgetReached) as error:
        log.warning("summary_by_rules", error=error.message)
        return fold
    gist = "\n".join(" ".join(line.split()) for line in answer.text.splitlines() if line.strip())
    named = [token for one in fold.notes for token in one.named]
    content = await runtime.executor.run(
        with_missing, gist[:SUMMARY_CHARS_MAX], list(dict.fromkeys(named)), characters=len(named) * len(gist) // 16
    )
    return replace(fold, content=content) if _saves_enough(fold.before, count_tokens(content)) else fold


async def _replace_with_summary(runtime: Runtime, principal: Principal, agent_id: UUID, fold: _Fold) -> Memory:
    """Write the summary and close what it stands for, in one transaction."""
    workspace, now, old = principal.workspace_id, runtime.now(), [one.memory for one in fold.folded]
    subjects = {one.user for one in old}
    draft = MemoryDraft(
        type=MemoryType.OBSERVATION,
        content=fold.content,
        user=subjects.pop() if len(subjects) == 1 else None,
        owners=old[0].owners,
        importance=max(one.importance for one in old),
        confidence=min(one.confidence for one in old),
        origin=least_trusted(one.origin for one in old),
        tags=["summary"],
        decay_exempt=True,
        source={"kind": SOURCE_KIND, "memory_ids": [str(one.id) for one in old]},
        occurred_at=now,
    )
    embedded = await runtime.embed([fold.content])
    async with runtime.db.transaction(workspace) as connection:
        locked = await memories.lock_all(connection, workspace, [one.id for one in old])
        versions = {id_: one.version for id_, one in locked.items()}
        changed = [str(one.id) for one in old if versions.get(one.id) != one.version]
        if changed:
            raise Conflict("Some of these memories have been changed meanwhile; ask again.", changed=changed)
        place = ScopeIds(agent_id, agent_id, None, None, None)
        new = insert_of(draft, place, principal.actor, now, key_id=principal.key_id, dream_analysis={})
        if not await memories.insert(connection, workspace, [new], embedded):
            raise Conflict("There is such a summary already.")
        memory_id = new.memory.id
        for one in old:
            await memories.supersede(
                connection, workspace, one.id, by=memory_id, until=now, actor=principal.actor,
                reason=REASON, dream_id=None, now=now,
            )  # fmt: skip
        await connection.run("inherit_sources", workspace=workspace, memory_id=memory_id, ids=[one.id for one in old])
        (made,) = await memories.get(connection, workspace, [memory_id], None)
    return made


async def undo_summary(runtime: Runtime, principal: Principal, memory_id: UUID) -> UndoneSummary:
    """Make every memory that a summary replaced current again, and delete the summary.

    Raises NotFound, Forbidden for another agent's, and Conflict for what is no summary, and (with the ids ``changed``)
    where it or one of the memories has been changed since, or another one says the same; then nothing is undone.
    """
    principal.require_write()
    workspace, now = principal.workspace_id, runtime.now()
    async with runtime.db.transaction(workspace) as connection:
        summary = await load_owned(connection, principal, memory_id, deleted=True)
        if summary.source.get("kind") != SOURCE_KIND:
            raise Conflict(NO_SUMMARY)
        ids = _folded_ids(summary.source)
        locked = await memories.lock_all(connection, workspace, [memory_id, *ids])
        stored = locked[memory_id]
        deleted = stored.deleted_at is not None
        changed = [id_ for id_ in ids if not _is_folded(locked.get(id_), memory_id)]
        if stored.version != 1 + deleted or stored.superseded_by is not None:
            changed.append(memory_id)
        for id_ in ids:
            one = locked.get(id_)
            if one is not None and await memories.find_duplicate(connection, workspace, one) not in (None, id_):
                changed.append(id_)
        if changed:
            raise Conflict(
                "The summary or what it replaced has been changed since.", changed=sorted(map(str, set(changed)))
            )
        for id_ in ids:
            await memories.reinstate(connection, workspace, id_, actor=principal.actor, reason=UNDONE, now=now)
        if not deleted:
            await memories.mark_deleted(
                connection, workspace, memory_id, now, actor=principal.actor, reason=UNDONE, now=now
            )
        found = {one.id: one for one in await memories.get(connection, workspace, [memory_id, *ids], None)}
    return UndoneSummary(found[memory_id], [found[id_] for id_ in ids])


def _folded_ids(source: JsonObject) -> list[UUID]:
    try:
        return [UUID(id_) for id_ in source["memory_ids"]]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Conflict(NO_SUMMARY) from None


def _is_folded(memory: StoredMemory | None, summary_id: UUID) -> bool:
    """Return whether a memory is as folding it into the summary left it."""
    return memory is not None and memory.superseded_by == summary_id and memory.change_reason == REASON
