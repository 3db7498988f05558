"""What contexts show of the evidence: LoCoMo told as messages, dreamed about by rules, asked in the last session.

The share of a question's annotated turns that its context holds, word for word or in a memory that came from them, at
four budgets: with whole windows, and as shipped, where windows are folded into summaries. ``CONTEXTS_CHATS`` limits the
conversations.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from reverie.evaluation.conversations import Conversation, Question
from service.domain.context import ContextRequest, IncludeMessages
from service.memory.search.context import build_context
from service.memory.sessions.compaction import compact
from service.runtime import Runtime
from service.startup import open_runtime
from tests.bench.data import locomo
from tests.bench.dream_recall import dreamed, sources, told
from tests.bench.environment import ADMIN, Place
from tests.bench.quality import KeptVectors, replace_embedder
from tests.bench.report import Cell, console, show

DATABASE = "bench_contexts"
BUDGETS = (400, 1_000, 2_000, 4_000)
SHIPPED: tuple[IncludeMessages, ...] = ("always", "undreamed", "never")


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The turns that each message or memory tells of, and the texts of the turns."""

    turns_of: Mapping[UUID, list[str]]
    text_of: Mapping[str, str]

    def shown_in(self, items: list[str], text: str) -> set[str]:
        """The turns that a context shows, by the ids in it or word for word."""
        by_id = {turn for item in items if "-" in item for turn in self.turns_of.get(UUID(item), ())}
        return by_id | {turn for turn, said in self.text_of.items() if said in text}


def run(place: Place) -> None:
    """Print the share of the evidence in contexts. Raises Skipped without the data."""
    chats = locomo()[: int(os.environ.get("CONTEXTS_CHATS", "100"))]
    rows = asyncio.run(_measured(place, place.fresh(DATABASE), chats))
    place.drop(DATABASE)
    asked = sum(1 for chat in chats for question in chat.questions if question.evidence)
    show(
        f"Evidence in contexts: {len(chats)} chats of LoCoMo, {asked} questions, static vectors",
        ["windows", "messages searched", *(f"{budget:,} tokens" for budget in BUDGETS)],
        rows,
    )


async def _measured(place: Place, url: str, chats: list[Conversation]) -> list[list[Cell]]:
    async with open_runtime(place.settings(url, "static"), "bench-contexts") as opened:
        assert opened.embedder is not None
        runtime = replace_embedder(opened, KeptVectors(opened.embedder, place.folder / "vectors.sqlite"))
        turns_of = await told(runtime, "messages", chats)
        with console.status("dreaming"):
            for chat in chats:
                await dreamed(runtime, chat.agent)
        came_from = await sources(runtime, turns_of)
        spoken = {f"{chat.agent}/{turn.id}": " ".join(turn.content.partition(": ")[2].split())
                  for chat in chats for turn in chat.turns}  # fmt: skip
        evidence = _Evidence(turns_of | came_from, spoken)
        rows: list[list[Cell]] = [["whole", "always", *[await _share(runtime, chats, evidence, budget, "always")
                                                        for budget in BUDGETS]]]  # fmt: skip
        await _fold(runtime)
        for included in SHIPPED:
            shares = [await _share(runtime, chats, evidence, budget, included) for budget in BUDGETS]
            rows.append(["folded, as shipped", included, *shares])
    return rows


async def _fold(runtime: Runtime) -> None:
    """Fold every window as a worker would, under the settings as shipped."""
    async with runtime.db.transaction(ADMIN.workspace_id) as connection:
        await connection.run("put_settings", workspace=ADMIN.workspace_id, value={})
        sessions = await connection.raw.fetch("SELECT id FROM sessions ORDER BY id")
    with console.status("folding"):
        for session in sessions:
            while await compact(runtime, ADMIN.workspace_id, session["id"]):
                pass


async def _share(
    runtime: Runtime, chats: list[Conversation], evidence: _Evidence, budget: int, included: IncludeMessages
) -> float:
    shares = []
    for chat in chats:
        with console.status(f"{chat.agent}: {budget} tokens, messages {included}"):
            for question in chat.questions:
                if question.evidence:
                    wanted = {f"{chat.agent}/{turn}" for turn in question.evidence}
                    found = await _shown(runtime, chat, question, evidence, budget, included)
                    shares.append(len(wanted & found) / len(wanted))
    return sum(shares) / len(shares)


async def _shown(
    runtime: Runtime,
    chat: Conversation,
    question: Question,
    evidence: _Evidence,
    budget: int,
    included: IncludeMessages,
) -> set[str]:
    request = ContextRequest(
        agent=chat.agent,
        session=chat.turns[-1].session,
        message=question.text,
        max_tokens=budget,
        include_messages=included,
    )
    sections = (await build_context(runtime, ADMIN, request)).assembled.sections
    text = " ".join(" ".join(one.text for one in sections).split())
    return evidence.shown_in([item for one in sections for item in one.items], text)
