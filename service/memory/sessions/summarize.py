"""Folding old, unimportant memories into one: a summary takes their place, and each can be restored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog

from service.db.pool import Row
from service.domain.drafts import MemoryDraft
from service.domain.field_types import CONTENT_MAX
from service.domain.identifiers import identifiers, missing_from
from service.domain.principal import Principal
from service.domain.spending import paid_by
from service.domain.types import MemoryType
from service.embedding.tokens import count_tokens
from service.errors import Conflict, NotFound
from service.llm import BudgetReached, LLMInvalidOutput, LLMUnavailable
from service.memory.dreams.prompts import COMPACT
from service.memory.engine import Engine
from service.memory.saving.remember import columns_of
from service.memory.saving.scopes import ScopeIds
from service.store import agents, memories, summaries

log = structlog.get_logger(__name__)

SUMMARIZED_MAX = 200
IMPORTANCE_BELOW = 0.5
SENTENCE_CHARS_MAX = 120
SHARE = 0.4
Record = dict[str, Any]


async def summarize(
    engine: Engine, principal: Principal, agent: str | None, *, older_than_days: float, dry_run: bool
) -> Record:
    """Fold facts, events and observations that are older than this and of an importance below a half.

    ``{candidates, tokens_before, tokens_after, tokens_saved, memory}``; ``memory`` is the summary, None in a dry run
    and when there are fewer than two to fold. A dry run names exactly what the run would fold, at most 200 at once.
    Raises NotFound, and Conflict when one of them is changed while the summary is being written.
    """
    principal.require_write()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        found = await agents.get_agent(connection, workspace, principal.acting_agent(agent))
        if found is None:
            raise NotFound(f"There is no agent {agent!r} here.")
        rows = await summaries.candidates(
            connection, workspace, found["id"], importance_below=IMPORTANCE_BELOW,
            before=engine.now() - timedelta(days=older_than_days), now=engine.now(), limit=SUMMARIZED_MAX,
        )  # fmt: skip
    if len(rows) < 2:
        return _answer([], "", None)
    characters = sum(len(row["content"]) for row in rows)
    content = await engine.executor.run(_summarize_by_rules, rows, characters=characters)
    if dry_run:
        return _answer(rows, content, None)
    if engine.llm is not None:
        with paid_by(principal.payer(found["agent"])):
            content = await _summarize_by_llm(engine, rows) or content
    memory = await _replace_with_summary(engine, principal, found["id"], rows, content)
    return _answer(rows, content, memory)


def _answer(rows: Sequence[Row], content: str, memory: Record | None) -> Record:
    before, after = sum(row["tokens"] for row in rows), count_tokens(content)
    return {
        "candidates": [memories.to_record(row) for row in rows],
        "tokens_before": before,
        "tokens_after": after,
        "tokens_saved": before - after,
        "memory": memory,
    }


def _summarize_by_rules(rows: Sequence[Row]) -> str:
    """The beginning of each, the weightiest first, in less room than they took; then what they name and it does not."""
    texts = [" ".join(row["content"].split()) for row in rows]
    room = min(CONTENT_MAX // 2, max(200, int(SHARE * sum(map(len, texts)))))
    sentences: dict[int, str] = {}
    for n in sorted(range(len(rows)), key=lambda n: -rows[n]["importance"]):
        sentence = texts[n][:SENTENCE_CHARS_MAX].rstrip(".") + "."
        if len(sentence) < room:
            sentences[n] = sentence
            room -= len(sentence) + 1
    gist = f"{len(rows)} notes: " + " ".join(sentences[n] for n in sorted(sentences))
    return _with_names(gist, texts)


def _with_names(gist: str, texts: Sequence[str]) -> str:
    missing = missing_from(gist, identifiers(texts))
    if not missing:
        return gist
    listed = ", ".join(missing)
    return f"{gist} Also named: {listed[: CONTENT_MAX - len(gist) - 20]}."


async def _summarize_by_llm(engine: Engine, rows: Sequence[Row]) -> str | None:
    assert engine.llm is not None
    texts = [row["content"] for row in rows]
    messages = [
        {"role": "system", "content": COMPACT.format(words_max=max(60, sum(row["tokens"] for row in rows) // 4))},
        {"role": "user", "content": "<notes>\n" + "\n".join(f"- {text}" for text in texts) + "\n</notes>"},
    ]
    try:
        answer = await engine.llm.to("summary").complete(messages, tokens_max=2_000)
    except (LLMUnavailable, LLMInvalidOutput, BudgetReached) as error:
        log.warning("summary_by_rules", error=error.message)
        return None
    gist = " ".join(answer.text.split())[: CONTENT_MAX // 2]
    return await engine.executor.run(_with_names, gist, texts, characters=sum(map(len, texts)))


async def _replace_with_summary(
    engine: Engine, principal: Principal, agent_id: UUID, rows: Sequence[Row], content: str
) -> Record:
    """Write the summary and close what it stands for, in one transaction."""
    workspace, now = principal.workspace_id, engine.now()
    subjects = {row["user"] for row in rows}
    draft = MemoryDraft(
        type=MemoryType.OBSERVATION,
        content=content,
        user=subjects.pop() if len(subjects) == 1 else None,
        importance=max(row["importance"] for row in rows),
        confidence=min(row["confidence"] for row in rows),
        tags=["summary"],
        decay_exempt=True,
        source={"kind": "summary", "memory_ids": [str(row["id"]) for row in rows]},
        occurred_at=now,
    )
    embedded = await engine.embed([content])
    async with engine.db.transaction(workspace) as connection:
        locked = await memories.lock_all(connection, workspace, [row["id"] for row in rows])
        changed = [str(row["id"]) for row in rows if locked.get(row["id"], {}).get("version") != row["version"]]
        if changed:
            raise Conflict("Some of these memories have been changed meanwhile; ask again.", changed=changed)
        item = columns_of(draft, ScopeIds(agent_id, agent_id, None, None, None), 1, principal.actor, now)
        if not await memories.insert(connection, workspace, [item], embedded):
            raise Conflict("There is such a summary already.")
        for row in rows:
            await memories.supersede(
                connection, workspace, row["id"], by=item["id"], until=now, actor=principal.actor,
                reason="folded into a summary", dream_id=None, now=now,
            )  # fmt: skip
        await summaries.inherit_sources(connection, workspace, item["id"], [row["id"] for row in rows])
        (made,) = await memories.get(connection, workspace, [item["id"]], None)
    return memories.to_record(made)
