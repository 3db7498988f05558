"""How often dreams call models on a conversation of LoCoMo, ingested session by session, with a dream after each one;
and once more when all of its memories are read again.

All models are stand-ins over HTTP. The language model notes what the annotators drew from each turn, and keeps every
pair apart; the decision model is the surer that a pair is one the more words the two statements share.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections import Counter
from typing import Any

from reverie.evaluation.conversations import Conversation
from service.domain.drafts import MessageDraft
from service.memory.sessions.conversations import append_messages
from service.provider import import_litellm
from service.settings import EnvironmentModel, LLMSteps
from service.startup import open_runtime
from tests.bench.data import Annotation, annotations, locomo
from tests.bench.dream_recall import dreamed, played_back
from tests.bench.environment import ADMIN, Place
from tests.bench.report import Cell, show
from tests.fakes.openai_server import FakeOpenAI

DATABASE = "bench_calls"
MODELS: tuple[tuple[str, dict[str, float] | None], ...] = (
    ("none", None),
    ("sure at .97 (duplicate), .90 (as shipped)", {}),
    ("sure at .80", {"merge_at": 0.8, "replace_at": 0.8, "distinct_at": 0.8}),
    ("sure at .60", {"merge_at": 0.6, "replace_at": 0.6, "distinct_at": 0.6}),
)


def run(place: Place) -> None:
    """Print the calls and tokens of each model. Raises Skipped without the data."""
    chat, noted = locomo()[0], annotations()
    rows = [asyncio.run(_measured(place, chat, noted, *one)) for one in MODELS]
    place.drop(DATABASE)
    show(
        f"Calls to models in dreams: {chat.agent}, {len(chat.turns)} messages, a dream after each session",
        [
            "decision model",
            "dreams",
            "pairs",
            "decided",
            "to settle pairs",
            "language model",
            "tokens",
            "decision model",
            "read again: to settle",
            "read again: decision model",
        ],
        rows,
    )


async def _measured(
    place: Place, chat: Conversation, noted: dict[str, list[Annotation]], name: str, thresholds: dict[str, float] | None
) -> list[Cell]:
    settings = place.settings(await asyncio.to_thread(place.fresh, DATABASE), "static")
    await asyncio.to_thread(import_litellm)
    with FakeOpenAI() as server:
        server.default_reply = played_back([chat], noted)
        server.decides = _decides
        chosen: dict[str, Any] = {
            "llm_model": "openai/gpt-4o-mini", "llm_api_base": server.base_url, "llm_api_key": "k",
            "llm_steps": LLMSteps(bulletin=()),
        }  # fmt: skip
        if thresholds is not None:
            decider = EnvironmentModel(model="openai/decider", api_base=server.base_url, api_key="k")
            chosen["llm_steps"] = LLMSteps(decide=(decider,), bulletin=())
        async with open_runtime(settings.model_copy(update=chosen), "bench-calls") as runtime:
            async with runtime.db.transaction(ADMIN.workspace_id) as connection:
                await connection.run("put_settings", workspace=ADMIN.workspace_id, value={"dream": thresholds or {}})
            sessions = 0
            for session, turns in itertools.groupby(chat.turns, key=lambda turn: turn.session):
                drafts = [MessageDraft(role="user", content=t.said, name=t.speaker, created_at=t.at) for t in turns]
                await append_messages(runtime, ADMIN, chat.agent, session, drafts, user=None)
                await dreamed(runtime, chat.agent)
                sessions += 1
            settled, decisions = _settling(server), server.calls["decisions"]
            async with runtime.db.transaction(ADMIN.workspace_id) as connection:
                await connection.raw.execute("UPDATE memories SET dream_analysis = NULL")
            await dreamed(runtime, chat.agent)
            again = [_settling(server) - settled, server.calls["decisions"] - decisions]
            async with runtime.db.transaction(ADMIN.workspace_id) as connection:
                reports = [row["report"] for row in await connection.raw.fetch("SELECT report FROM dreams")]
        chats = server.requests("chat")
        settling = [body for body in chats if _asked(body) == "Verdicts"]
        decided = Counter[str]()
        for report in reports:
            decided.update(report["decisions"])
        shown = sum(body["messages"][-1]["content"].count('{"pair":') for body in settling)
        tokens = sum(report["llm"]["tokens"] for report in reports)
        return [
            name,
            sessions,
            shown + decided["decided"],
            decided["decided"],
            len(settling),
            len(chats),
            tokens,
            server.calls["decisions"],
            *again,
        ]


def _settling(server: FakeOpenAI) -> int:
    """The calls so far that settled pairs."""
    return [_asked(body) for body in server.requests("chat")].count("Verdicts")


def _asked(body: dict[str, Any]) -> str:
    """What a call is for, by the schema of its answer."""
    schema = (body.get("response_format") or {}).get("json_schema") or {}
    return str(schema.get("name"))


def _decides(text: str, question: dict[str, Any]) -> dict[str, float]:
    """The more words two statements share, the likelier they are one."""
    number = question["name"].rpartition("-")[2]
    listed = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    pair = next(one for one in listed if str(one["pair"]) == number)
    older, newer = (set(re.findall(r"\w+", str(pair[key]).lower())) for key in ("older", "newer"))
    alike = len(older & newer) / len(older | newer)
    return {"duplicate": alike, "update": 0.0, "contradiction": 0.0, "different": 1 - alike}
