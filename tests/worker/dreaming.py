"""What tests of dreaming share: talking to an agent, dreaming in this process, and a model that notes what it reads."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any
from uuid import UUID

from service.domain.ids import DEFAULT_WORKSPACE
from service.llm import LLM
from service.provider import load_litellm
from service.runtime import Runtime
from service.store.agents import get_agent
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, Caller, Tenant
from worker.dreaming.run import Dreamer

Json = dict[str, Any]


async def say(
    api: Caller, *contents: str, session: str = "s", agent: str = "a", user: str = "u1", **fields: Any
) -> list[Json]:
    """Append turns of a user to a session; the messages as stored."""
    messages = [{"role": "user", "content": content} | fields for content in contents]
    body = {"agent": agent, "user": user, "messages": messages}
    stored: list[Json] = (await api.post(f"/v1/sessions/{session}/messages", body))["messages"]
    return stored


async def agent_id(runtime: Runtime, agent: str = "a", workspace: UUID = DEFAULT_WORKSPACE) -> UUID:
    """The id behind an agent's name."""
    async with runtime.db.transaction(workspace) as connection:
        row = await get_agent(connection, workspace, agent)
    assert row is not None
    return row.id


async def dream(at: Runtime | Api | Tenant, agent: str = "a", *, dry_run: bool = False, **options: Any) -> Json:
    """Dream for an agent here and now; the last dream with its changes. ``options``: of the Dreamer."""

    async def dreamed(runtime: Runtime, workspace: UUID = DEFAULT_WORKSPACE) -> Json:
        dreamer = Dreamer(runtime, "test", 60, **options)
        done = await dreamer.dream_for(workspace, await agent_id(runtime, agent, workspace), dry_run=dry_run)
        assert done, "the lease was lost"
        return asdict(done[-1])

    if isinstance(at, Runtime):
        return await dreamed(at)
    found: Json = await at.inside(lambda runtime: dreamed(runtime, at.workspace))
    return found


async def contents(api: Caller, **filters: Any) -> set[str]:
    """What the agent's live memories say, but for what was concluded from them."""
    page = await api.get("/v1/memories", agent="a", limit=200, **filters)
    return {memory["content"] for memory in page["items"] if memory["type"] != "insight"}


def model(server: FakeOpenAI, **options: Any) -> LLM:
    """The fake server's model, impatient."""
    return model_at(server.base_url, **options)


@asynccontextmanager
async def noting_model(api: Api) -> AsyncIterator[FakeOpenAI]:
    """A model that notes every turn, which the API and its dreams use, within the budget of the workspace."""
    await load_litellm()
    with FakeOpenAI() as opened:
        opened.default_reply = note_everything
        api.runtime.llm = model(opened, timeout_s=60, ledger=api.runtime.budget)
        yield opened


def model_at(base_url: str, **options: Any) -> LLM:
    """The model of a fake server at this address."""
    return LLM("openai/fake", api_base=base_url, api_key="k", json_schema=True, backoff_first_s=0.01, **options)


def asked_for(body: Json) -> str:
    """Which form an LLM request wants its answer in."""
    name: str = (body.get("response_format") or {}).get("json_schema", {}).get("name", "")
    return name


def turns_of(body: Json) -> list[Json]:
    """The turns in an extraction request."""
    text = next(message["content"] for message in body["messages"] if "<turns>\n" in message["content"])
    return [json.loads(line) for line in re.findall(r"^\{.*\}$", text, re.MULTILINE)]


def note_everything(body: Json) -> str:
    """A model that makes one fact of every turn, and answers everything else with the least it can."""
    if asked_for(body) == "Notes":
        return notes([fact(f"{turn['who']} said: {turn['said']}", turn["turn"]) for turn in turns_of(body)])
    if asked_for(body) == "WrittenBulletin":
        return json.dumps(
            {"sections": [{"title": "All", "sentences": [{"text": "Things were said.", "memories": [1]}]}]}
        )
    return json.dumps({"verdicts": []})


def fact(content: str, *evidence: int, **fields: Any) -> Json:
    """One noted statement."""
    return {"type": "fact", "content": content, "evidence": list(evidence)} | fields


def notes(memories: Sequence[Json]) -> str:
    """The answer to an extraction request."""
    return json.dumps({"memories": list(memories)})
