"""Folding a full window (rows S3, S5): its oldest messages become a summary memory, and only then leave it.

The summary is made outside any transaction. One transaction stores it, ties it to the messages it covers and moves the
window; a summary that fails or comes too late leaves a longer window, never a lost message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog

from service.db.pool import Row
from service.domain.drafts import MemoryDraft
from service.domain.identifiers import identifiers, missing_from
from service.domain.json import dumps
from service.domain.types import MemoryType
from service.domain.values import CONTENT_MAX
from service.domain.workspace import WindowSettings
from service.llm import BudgetReached, LLMInvalidOutput, LLMUnavailable
from service.memory.engine import Engine
from service.memory.places import Place
from service.memory.prompts import SUMMARIZE
from service.memory.redaction import masked
from service.memory.remember import columns_of
from service.store import memories, sessions
from service.store.settings import workspace_settings

log = structlog.get_logger(__name__)

ACTOR = "compaction"
WORDS_MAX = 150
GIST_CHARS_MAX = 2_000
SENTENCE_CHARS_MAX = 200
LISTED_MAX = 2_000
TURN_CHARS_MAX = 4_000


@dataclass(frozen=True, slots=True)
class _Fold:
    """The part of a window about to be folded."""

    session: Row
    messages: list[dict[str, Any]]

    @property
    def to_seq(self) -> int:
        last: int = self.messages[-1]["seq"]
        return last


async def compact_agent(engine: Engine, workspace: UUID, agent_id: UUID) -> int:
    """Fold every window of the agent that is past its bounds; how many were folded."""
    async with engine.db.transaction(workspace) as connection:
        bounds = (await workspace_settings(connection, workspace)).window
        full = await sessions.full_windows(connection, workspace, agent_id, bounds.messages_max, bounds.tokens_max)
    folded = 0
    for session_id in full:
        while await compact(engine, workspace, session_id):
            folded += 1
    return folded


async def compact(engine: Engine, workspace: UUID, session_id: UUID, *, even_if_room: bool = False) -> bool:
    """Fold the oldest messages of a window that is past its bounds; whether it was.

    ``even_if_room`` folds the older half of a window that is within its bounds as well.
    """
    async with engine.db.transaction(workspace) as connection:
        settings = await workspace_settings(connection, workspace)
        fold = _fold_of(
            await sessions.by_id(connection, workspace, session_id),
            await sessions.window_messages(connection, workspace, session_id),
            settings.window,
            even_if_room=even_if_room,
        )
    if fold is None:
        return False
    texts = await masked(engine, settings.pii, [_text(message) for message in fold.messages])
    content, listed = await _summary(engine, fold, texts)
    draft = MemoryDraft(
        type=MemoryType.OBSERVATION,
        content=content,
        user=fold.session["user_name"],
        importance=0.3,
        confidence=0.9,
        tags=["summary"],
        decay_exempt=True,
        metadata={"identifiers": listed} if listed else {},
        source={
            "kind": "window",
            "session": fold.session["session"],
            "from_seq": fold.messages[0]["seq"],
            "to_seq": fold.to_seq,
        },
        occurred_at=fold.messages[-1]["created_at"],
    )
    return await _store(engine, workspace, fold, draft)


def _fold_of(
    session: Row | None, messages: list[dict[str, Any]], bounds: WindowSettings, *, even_if_room: bool
) -> _Fold | None:
    """The oldest messages, so many that the window is down to where it is trimmed to."""
    if session is None or len(messages) < 2:
        return None
    tokens = sum(message["tokens"] for message in messages)
    if len(messages) <= bounds.messages_max and tokens <= bounds.tokens_max and not even_if_room:
        return None
    keep = min(bounds.trim_to, len(messages) // 2) if even_if_room else min(bounds.trim_to, len(messages) - 1)
    keep = max(1, keep)
    left = sum(message["tokens"] for message in messages[-keep:])
    while keep > 1 and left > bounds.tokens_max // 2:
        left -= messages[-keep]["tokens"]
        keep -= 1
    while keep > 1 and messages[-keep]["role"] == "tool":  # a tool's result stays with the call before it
        keep -= 1
    return _Fold(session, messages[:-keep])


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else dumps(content).decode()


async def _summary(engine: Engine, fold: _Fold, texts: Sequence[str]) -> tuple[str, list[str]]:
    """The summary, by the language model where it answers, else by rules; and every identifier in the texts."""
    wanted = identifiers(texts)[:LISTED_MAX]
    head = f"Conversation {fold.session['session']}, {_when(fold)}: "
    gist = _gist(fold, texts)
    if engine.llm is not None:
        try:
            gist = await _told(engine, fold, texts)
        except (LLMUnavailable, LLMInvalidOutput, BudgetReached) as error:
            log.warning("window_summary_by_rules", error=error.message)
    content = head + gist
    named = missing_from(content, wanted)
    if named:
        room = CONTENT_MAX - len(content) - 20
        listed, used = [], 0
        for token in named:
            used += len(token) + 2
            if used > room:
                break
            listed.append(token)
        content += f" Also named: {', '.join(listed)}."
    return content, wanted


async def _told(engine: Engine, fold: _Fold, texts: Sequence[str]) -> str:
    assert engine.llm is not None
    lines = [
        f"{message['name'] or message['role']}: {text[:TURN_CHARS_MAX]}"
        for message, text in zip(fold.messages, texts, strict=True)
    ]
    answer = await engine.llm.complete(
        [
            {"role": "system", "content": SUMMARIZE.format(words_max=WORDS_MAX)},
            {"role": "user", "content": "<turns>\n" + "\n".join(lines) + "\n</turns>"},
        ],
        tokens_max=WORDS_MAX * 4,
    )
    return " ".join(answer.text.replace("\x00", " ").split())[:GIST_CHARS_MAX]


def _gist(fold: _Fold, texts: Sequence[str]) -> str:
    """The first sentence of each turn, as far as there is room; those of people before those of the assistant."""
    told: dict[int, str] = {}
    room = GIST_CHARS_MAX
    order = sorted(range(len(texts)), key=lambda n: fold.messages[n]["role"] != "user")
    for n in order:
        who = fold.messages[n]["name"] or (fold.session["user_name"] if fold.messages[n]["role"] == "user" else None)
        line = " ".join(texts[n].split())
        end = min((at + 1 for mark in ".!?。" if (at := line.find(mark)) > 20), default=len(line))
        sentence = f"{who or fold.messages[n]['role']}: {line[: min(end, SENTENCE_CHARS_MAX)]}"
        if len(sentence) + 1 <= room and line:
            told[n] = sentence
            room -= len(sentence) + 1
    return " ".join(told[n] for n in sorted(told)) or "nothing was said in words."


def _when(fold: _Fold) -> str:
    first: datetime = fold.messages[0]["created_at"]
    return f"{first.day} {first:%B %Y}, turns {fold.messages[0]['seq']} to {fold.to_seq}"


async def _store(engine: Engine, workspace: UUID, fold: _Fold, draft: MemoryDraft) -> bool:
    """Store the summary and move the window on; False when the window has moved or a message has gone meanwhile."""
    embedded = await engine.embed([draft.content])
    now = engine.now()
    ids = [message["id"] for message in fold.messages]
    async with engine.db.transaction(workspace) as connection:
        row = await sessions.lock(connection, workspace, fold.session["id"])
        present = await connection.value("messages_present", workspace=workspace, ids=ids)
        if row["window_seq"] != fold.session["window_seq"] or present != len(ids):
            return False
        agent_id = fold.session["agent_id"]
        item = columns_of(draft, Place(agent_id, agent_id, None, None, fold.session["id"]), 1, ACTOR, now)
        if not await memories.insert(connection, workspace, [item], embedded):
            found = await memories.find_twin(connection, workspace, item)
            assert found is not None
            item["id"] = found
        await memories.add_sources(connection, workspace, [(item["id"], id_) for id_ in ids])
        await sessions.fold_window(
            connection, workspace, fold.session["id"],
            from_seq=fold.messages[0]["seq"], to_seq=fold.to_seq, memory_id=item["id"],
        )  # fmt: skip
    log.info("window_compacted", session_id=str(fold.session["id"]), messages=len(ids))
    return True
