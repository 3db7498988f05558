"""How fast a dream reads, by the built-in rules and on texts made to slow them down; and what it is worth to search."""

from __future__ import annotations

import itertools
import time
from uuid import UUID, uuid5

import uvloop

from reverie.evaluation.conversations import Conversation
from service.domain.drafts import MessageDraft
from service.extraction.candidates import Turn
from service.extraction.rules import extract
from service.memory.sessions.conversations import append_messages
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from service.store.agents import get_agent
from tests.bench import dream_calls, dream_recall
from tests.bench.corpus import FIRST_DAY
from tests.bench.data import locomo
from tests.bench.environment import ADMIN, Place
from tests.bench.report import Cell, console, show
from worker.dreaming.run import Dreamer

LEASE_S = 60.0
REPEATED = (
    "a", "'a ", '"', "'a'", "“a", "I ", "I like tea and ", "....", "I love a, ", "<reverie-memory ", "> ", "in May ",
    "yesterday ", "1,111", "I used to live in A b ", "it ", "- ", "😀", "don't ", "On a", "`a` ",
)  # fmt: skip
SHORT, LONG = 25_000, 100_000


def run(place: Place) -> None:
    """Print messages a second of whole dreams, the extractor's time per character as a turn grows, and the lift."""
    conversations = locomo()
    url = place.fresh("bench_dreams")
    with console.status("dreaming of LoCoMo"):
        rows = uvloop.run(_dreams(place.settings(url, "static"), conversations))
    show(
        "Dreams without a language model, one worker (LoCoMo, embedder static)",
        ["conversation", "messages", "memories made", "s", "messages/s"],
        rows,
    )
    place.drop("bench_dreams")
    taken = {unit: (_extracted_s(unit, SHORT), _extracted_s(unit, LONG)) for unit in REPEATED}
    worst = sorted(taken.items(), key=lambda one: -one[1][1] / one[1][0])[:5]
    rows = [[repr(unit), short * 1000, long * 1000, long / short] for unit, (short, long) in worst]
    show(
        f"The rules on one turn of a repeated text; the five of {len(REPEATED)} that grow most (4 is in proportion)",
        ["repeated", f"{SHORT:,} characters, ms", f"{LONG:,} characters, ms", "×"],
        rows,
    )
    dream_calls.run(place)
    dream_recall.run(place)


async def _dreams(settings: Settings, conversations: list[Conversation]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    async with open_runtime(settings, "bench-dreams") as runtime:
        for conversation in conversations:
            agent = await _told(runtime, conversation)
            started = time.perf_counter()
            while await _count(runtime, "sessions WHERE dreamed_seq < last_seq AND agent_id = $1", agent):
                await Dreamer(runtime, "bench", LEASE_S).dream_for(ADMIN.workspace_id, agent)
            seconds = time.perf_counter() - started
            made = await _count(runtime, "memories WHERE agent_id = $1", agent)
            count = len(conversation.turns)
            rows.append([conversation.agent, count, made, seconds, count / seconds])
    return rows


async def _count(runtime: Runtime, rows: str, agent: UUID) -> int:
    async with runtime.db.transaction(ADMIN.workspace_id) as connection:
        found: int = await connection.raw.fetchval(f"SELECT count(*) FROM {rows}", agent)  # noqa: S608
    return found


async def _told(runtime: Runtime, conversation: Conversation) -> UUID:
    """Append a conversation's turns as messages; its agent's id."""
    for session, turns in itertools.groupby(conversation.turns, key=lambda turn: turn.session):
        drafts = []
        for turn in turns:
            speaker, _, text = turn.content.partition(": ")
            drafts.append(MessageDraft(role="user", content=text, name=speaker, created_at=turn.at))
        await append_messages(runtime, ADMIN, conversation.agent, session, drafts, user=drafts[0].name)
    async with runtime.db.transaction(ADMIN.workspace_id) as connection:
        row = await get_agent(connection, ADMIN.workspace_id, conversation.agent)
    assert row is not None
    return row.id


def _extracted_s(unit: str, size: int) -> float:
    """Seconds to extract from one turn of that size, the best of three."""
    turn = Turn(uuid5(UUID(int=0), unit), "s", 0, "user", unit * (size // len(unit)), FIRST_DAY, None, "u1")
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        extract([turn])
        taken.append(time.perf_counter() - started)
    return min(taken)
