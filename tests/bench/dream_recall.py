"""What a dream is worth to search: recall on LoCoMo before it, over turns alone, and after it, over turns and memories.

Turns are kept as messages, and as memories of type ``event``. A memory found counts as the turns it came from, a turn
found twice counts once, and windows are not folded. The dreams are those of the built-in rules, and of a model that
notes exactly what LoCoMo's annotators drew from each turn.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from reverie.evaluation import metrics
from reverie.evaluation.conversations import Conversation, Turn
from service.domain.drafts import MessageDraft
from service.domain.search import SearchRequest
from service.llm import LLM
from service.memory.search.recall import recall
from service.memory.sessions.conversations import append_messages
from service.provider import import_litellm
from service.runtime import Runtime
from service.startup import open_runtime
from service.store.agents import get_agent
from tests.bench.data import Annotation, annotations, locomo, minilm_folder
from tests.bench.environment import ADMIN, Place
from tests.bench.quality import DEPTH, KeptVectors, load, replace_embedder
from tests.bench.report import Cell, console, show
from tests.fakes.openai_server import FakeOpenAI
from worker.dreaming.run import Dreamer
from worker.maintenance.vectors import embed_pending

DATABASE = "bench_lift"
LEASE_S = 60.0
NEVER_FOLDED = {"window": {"messages_max": 1000, "tokens_max": 1_000_000}}
SAID_CHARS = 200

Kept = Literal["messages", "events"]
Found = Mapping[UUID, list[str]]


@dataclass(frozen=True, slots=True)
class Run:
    """One dream to measure."""

    embedder: str
    kept: Kept
    dreamer: Literal["rules", "annotated facts"]


RUNS = (
    Run("static", "messages", "rules"),
    Run("static", "messages", "annotated facts"),
    Run("static", "events", "rules"),
    Run("static", "events", "annotated facts"),
    Run("MiniLM", "messages", "rules"),
    Run("MiniLM", "messages", "annotated facts"),
)


def run(place: Place) -> None:
    """Print the recall before and after each dream. Raises Skipped without the data."""
    chats = locomo()
    noted = annotations()
    models = {"static": "static", "MiniLM": f"local:{minilm_folder()}"}
    rows: list[list[Cell]] = []
    for one in RUNS:
        with console.status(f"{one.embedder}, turns as {one.kept}: dreaming by {one.dreamer}"):
            rows.append(asyncio.run(_measured(place, one, models[one.embedder], chats, noted)))
    place.drop(DATABASE)
    asked = sum(1 for chat in chats for question in chat.questions if question.evidence)
    show(
        f"Dream lift: recall@10 on LoCoMo, {asked} questions",
        [
            "embedder",
            "turns kept as",
            "dream by",
            "memories",
            "annotated turns noted",
            "turns",
            "with memories",
            "lift",
        ],
        rows,
    )


async def _measured(
    place: Place, one: Run, model: str, chats: list[Conversation], noted: Mapping[str, list[Annotation]]
) -> list[Cell]:
    settings = place.settings(await asyncio.to_thread(place.fresh, DATABASE), model)
    with ExitStack() as stack:
        async with open_runtime(settings, "bench-lift") as opened:
            assert opened.embedder is not None
            runtime = replace_embedder(opened, KeptVectors(opened.embedder, place.folder / "vectors.sqlite"))
            if one.dreamer == "annotated facts":
                await asyncio.to_thread(import_litellm)
                server = stack.enter_context(FakeOpenAI())
                server.default_reply = played_back(chats, noted)
                runtime.llm = LLM("openai/fake", api_base=server.base_url, api_key="k", json_schema=True)
            turn_of = await told(runtime, one.kept, chats)
            before = await _recall(runtime, chats, turn_of, ["messages" if one.kept == "messages" else "memories"])
            for chat in chats:
                await dreamed(runtime, chat.agent)
            came_from = await sources(runtime, turn_of)
            included = ["memories", "messages"] if one.kept == "messages" else ["memories"]
            after = await _recall(runtime, chats, turn_of | came_from, included)
    wanted = {f"{agent}/{turn}" for agent, facts in noted.items() for fact in facts for turn in fact.evidence}
    covered = {turn for turns in came_from.values() for turn in turns}
    share = len(wanted & covered) / len(wanted)
    gain = f"{100 * (after - before):+.1f}"
    return [one.embedder, one.kept, one.dreamer, len(came_from), f"{share:.0%}", before, after, gain]


def played_back(chats: list[Conversation], noted: Mapping[str, list[Annotation]]) -> Callable[[dict[str, Any]], str]:
    """A model that notes of each turn what its annotators drew from it, keeps every pair apart, and answers everything
    else with nothing."""
    spoken = {_said(turn): f"{chat.agent}/{turn.id}" for chat in chats for turn in chat.turns}
    drawn: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
    for agent, facts in noted.items():
        for fact in facts:
            evidence = [f"{agent}/{turn}" for turn in fact.evidence]
            drawn[evidence[-1]].append((fact.text, evidence))

    def reply(body: dict[str, Any]) -> str:
        asked = (body.get("response_format") or {}).get("json_schema", {}).get("name")
        if asked == "Verdicts":
            pairs = body["messages"][-1]["content"].count('{"pair":')
            verdicts = [{"pair": number, "outcome": "different"} for number in range(1, pairs + 1)]
            return json.dumps({"verdicts": verdicts})
        if asked != "Notes":
            return json.dumps({"sections": []})
        lines = [line for line in body["messages"][-1]["content"].splitlines() if line.startswith("{")]
        shown = [json.loads(line) for line in lines]
        numbers = {
            spoken[key]: turn["turn"] for turn in shown if (key := (turn["who"], _begin(turn["said"]))) in spoken
        }
        memories = [
            {"type": "fact", "content": text, "evidence": [numbers[turn] for turn in evidence if turn in numbers]}
            for last in numbers
            for text, evidence in drawn.get(last, ())
        ]
        return json.dumps({"memories": memories})

    return reply


def _said(turn: Turn) -> tuple[str, str]:
    return turn.speaker or "", _begin(turn.said)


def _begin(text: str) -> str:
    return " ".join(text.split())[:SAID_CHARS]


async def told(runtime: Runtime, kept: Kept, chats: list[Conversation]) -> dict[UUID, list[str]]:
    """Tell every conversation to its agent; the turn that each message is."""
    async with runtime.db.transaction(ADMIN.workspace_id) as connection:
        await connection.run("put_settings", workspace=ADMIN.workspace_id, value=NEVER_FOLDED)
    turn_of: dict[UUID, list[str]] = {}
    for chat in chats:
        if kept == "events":
            await load(runtime, chat)
        for session, turns in itertools.groupby(chat.turns, key=lambda turn: turn.session):
            said = list(turns)
            drafts = [
                MessageDraft(role="user", content=turn.said, name=turn.speaker, created_at=turn.at) for turn in said
            ]
            answer = await append_messages(runtime, ADMIN, chat.agent, session, drafts, user=None)
            stored = answer.messages
            turn_of |= {message.id: [f"{chat.agent}/{turn.id}"] for message, turn in zip(stored, said, strict=True)}
    await embed_pending(runtime)
    return turn_of


async def dreamed(runtime: Runtime, agent: str) -> None:
    """Dream for an agent. Raises RuntimeError where that fails."""
    async with runtime.db.transaction(ADMIN.workspace_id) as connection:
        row = await get_agent(connection, ADMIN.workspace_id, agent)
    assert row is not None
    done = await Dreamer(runtime, "bench", LEASE_S).dream_for(ADMIN.workspace_id, row.id)
    if not done or done[-1].status != "succeeded":
        raise RuntimeError(f"the dream of {agent} failed: {done and done[-1].error}")


async def sources(runtime: Runtime, turn_of: Found) -> dict[UUID, list[str]]:
    """The turns that each dreamed memory came from."""
    found: dict[UUID, list[str]] = defaultdict(list)
    async with runtime.db.transaction(ADMIN.workspace_id) as connection:
        for row in await connection.raw.fetch("SELECT memory_id, message_id FROM memory_sources ORDER BY 1, 2"):
            found[row["memory_id"]] += turn_of.get(row["message_id"], [])
    return found


async def _recall(runtime: Runtime, chats: list[Conversation], turn_of: Found, include: list[Any]) -> float:
    scores = []
    for chat in chats:
        for question in chat.questions:
            if not question.evidence:
                continue
            request = SearchRequest(
                agent=chat.agent, query=question.text, now=question.now, limit=DEPTH, include=include
            )
            answer = await recall(runtime, ADMIN, request, count_access=False)
            ranked: list[str] = []
            for one in answer.results:
                turn = one.memory.metadata.get("turn") if one.memory else None
                ranked += [f"{chat.agent}/{turn}"] if turn else turn_of.get(one.record.id, [])
            evidence = {f"{chat.agent}/{turn}" for turn in question.evidence}
            scores.append(metrics.of_turns(list(dict.fromkeys(ranked)), evidence))
    return metrics.mean(scores)["recall@10"]
