"""`reverie eval pairs --agent` on what people decided: dreams that stood, were undone or reverted, and proposals."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import timedelta
from subprocess import CompletedProcess
from typing import Any
from uuid import uuid4

import pytest

from reverie.evaluation.pairs import LABELLED_MIN, fit_agent
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.export_import import OPERATOR
from service.provider import load_litellm
from service.settings import EnvironmentModel, LLMSteps, Settings
from tests.cli.conftest import Command
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
from tests.pg_dump import dump
from tests.promises.tenants import waiting
from tests.worker.dreaming import dream, say

Json = dict[str, Any]

GOOD, NICE = "The office kitchen has a very good coffee machine", "The office kitchen has a really nice coffee maker"
OUTCOMES = ("duplicate", "update", "contradiction", "different")


def sure_of(outcome: str, probability: float = 0.985) -> Json:
    return {one: probability if one == outcome else (1 - probability) / 3 for one in OUTCOMES}


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    await load_litellm()
    with FakeOpenAI() as opened:
        opened.decides = lambda text, question: sure_of("duplicate")
        yield opened


@pytest.fixture
async def api(settings: Settings, server: FakeOpenAI) -> AsyncIterator[Api]:
    """An API whose decision model takes every pair for a duplicate."""
    decider = EnvironmentModel(model="hosted_vllm/decider", api_base=server.base_url, api_key="k")
    async with serving(
        settings.model_copy(update={"embedding_model": "static", "llm_steps": LLMSteps(decide=(decider,))})
    ) as opened:
        yield opened


async def calibrated(api: Api, agent: str = "a", *, stood_days: float = 7, write: bool = False) -> Json:
    operator = Principal(DEFAULT_WORKSPACE, OPERATOR, "admin", None)
    return asdict(await fit_agent(api.runtime, operator, agent, stood_days=stood_days, write=write))


def merging(found: Json, threshold: float = 0.97) -> tuple[int, float | None]:
    (row,) = [one for one in found["rows"] if (one["setting"], one["threshold"]) == ("merge_at", threshold)]
    return row["said"], row["precision"]


async def test_a_merge_that_stood_is_right_and_one_that_was_undone_is_wrong(api: Api) -> None:
    for content in (GOOD, NICE):
        await api.save(content)
    merged = await dream(api.runtime)
    assert (await calibrated(api))["kinds"] == {}, "it has not stood for long enough"
    stood = await calibrated(api, stood_days=0)
    assert (stood["kinds"], merging(stood)) == ({"stood": 1}, (1, 1.0))
    now = api.runtime.now
    api.runtime.now = lambda: now() + timedelta(days=8)
    assert (await calibrated(api))["kinds"] == {"stood": 1}
    await api.post(f"/v1/dreams/{merged['id']}/undo")
    undone = await calibrated(api)
    assert (undone["kinds"], merging(undone)) == ({"undone": 1}, (1, 0.0))
    await dream(api.runtime)
    again = await calibrated(api, stood_days=0)
    assert (again["kinds"], again["pairs"]) == ({"stood": 1}, 1), "of the same statements the newest decision counts"


async def test_what_was_said_in_other_words_is_a_pair_too(api: Api) -> None:
    await api.save("u1 likes green tea", user="u1", type="preference")
    await dream(api.runtime)
    await say(api, "I really like green tea.")
    done = await dream(api.runtime)
    (again,) = [one for one in done["changes"] if one["op"] == "reinforced"]
    assert again["after"]["said"] == ["u1 really likes green tea."]
    found = await calibrated(api, stood_days=0)
    assert found["kinds"] == {"stood": 1}


async def test_what_is_no_longer_replaced_was_reverted(api: Api, server: FakeOpenAI) -> None:
    server.decides = lambda text, question: sure_of("update")
    for content in (GOOD, NICE):
        await api.save(content)
    await dream(api.runtime)
    old = next(
        one
        for one in (await api.get("/v1/memories", agent="a", include="superseded"))["items"]
        if one["superseded_by"] is not None
    )
    await api.post(f"/v1/memories/{old['id']}/restore")
    found = await calibrated(api)
    assert found["kinds"] == {"reverted": 1}
    (row,) = [one for one in found["rows"] if (one["setting"], one["threshold"]) == ("replace_at", 0.9)]
    assert (row["said"], row["precision"]) == (1, 0.0)


async def proposed(api: Api, content: str) -> str:
    proposal = await waiting(api.runtime, content, DEFAULT_WORKSPACE, "a", uuid4(), None, [])
    return str(proposal)


async def test_decided_proposals_are_pairs_beside_what_was_known(api: Api, server: FakeOpenAI) -> None:
    server.decides = lambda text, question: sure_of("different")
    await api.save(GOOD)
    await dream(api.runtime)
    rejected = await proposed(api, NICE)
    accepted = await proposed(api, "The office kitchen has a rather good coffee grinder")
    edited = await proposed(api, "The garden shed is green")
    await api.post(f"/v1/inbox/{rejected}", {"action": "reject"})
    await api.post(f"/v1/inbox/{accepted}", {"action": "accept"})
    await api.post(f"/v1/inbox/{edited}", {"action": "edit", "content": "The garden shed is painted dark green"})
    assert (await calibrated(api))["kinds"] == {"rejected": 1, "edited": 1}, "no dream has read what was accepted"
    await dream(api.runtime)
    found = await calibrated(api)
    assert found["kinds"] == {"rejected": 1, "accepted": 1, "edited": 1}
    assert set(found["too_few"]) == {"merge_at", "replace_at", "distinct_at"}
    assert found["recommended"] == {}


async def test_enough_right_decisions_are_written_to_the_agent(api: Api) -> None:
    rooms = ("office kitchen", "garden bar", "school canteen")
    places = ("Bergen", "Oslo", "Rome", "Paris", "Lima", "Quito", "Kyoto", "Cairo", "Delhi", "Dakar")
    kitchens = [f"{room} in {place}" for place in places for room in rooms]
    items = [
        {"agent": "b", "type": "fact", "user": f"u{number}", "content": f"The {kitchen} has a {what}"}
        for number, kitchen in enumerate(kitchens)
        for what in ("very good coffee machine", "really nice coffee maker")
    ]
    await api.post("/v1/memories/batch", {"items": items})
    await dream(api.runtime, "b")
    await api.put("/v1/agents/b", {"settings": {"dream": {"interval_h": 3}}})
    found = await calibrated(api, "b", stood_days=0, write=True)
    assert found["kinds"] == {"stood": LABELLED_MIN}
    assert (found["recommended"], found["written"]) == ({"merge_at": 0.5}, True)
    assert found["too_few"] == ["replace_at", "distinct_at"]
    settings = (await api.get("/v1/agents/b"))["settings"]["dream"]
    assert settings == {"interval_h": 3} | found["recommended"]


async def test_nothing_of_a_purged_user_is_asked_about(api: Api, server: FakeOpenAI, database_url: str) -> None:
    await api.put("/v1/settings", {"users": "shared"})
    for content in (GOOD, NICE):
        await api.save(f"{content}, xqmarkx says", user="u-xqmarkx")
    await api.save("The gate squeaks", agent="a")
    merged = await dream(api.runtime)
    await api.post(f"/v1/dreams/{merged['id']}/undo")
    assert (await calibrated(api))["kinds"] == {"undone": 1}
    await api.post("/v1/users/u-xqmarkx/purge")
    before = len(server.requests("systemone"))
    found = await calibrated(api, stood_days=0)
    assert (found["pairs"], found["kinds"]) == (0, {})
    assert len(server.requests("systemone")) == before
    assert "xqmarkx" not in dump(database_url)


async def test_the_command_tells_how_many_and_that_they_are_too_few(
    api: Api, command: Command, database_url: str
) -> None:
    for content in (GOOD, NICE):
        await api.save(content)
    await dream(api.runtime)

    async def run(*options: str) -> CompletedProcess[str]:
        here = {"DATABASE_URL": database_url, "EMBEDDING_MODEL": "static"}
        return await asyncio.to_thread(command, "eval", "pairs", *options, **here)

    options = ("--agent", "a", "--stood-days", "0")
    done = await run(*options)
    assert done.returncode == 0, done.stderr
    assert "1 stood" in done.stdout
    assert "Too few labelled pairs" in done.stdout
    assert json.loads((await run(*options, "--json")).stdout)["kinds"] == {"stood": 1}
    unknown = await run("--agent", "nobody")
    assert (unknown.returncode, "nobody" in unknown.stderr) == (1, True)
    for wrong, named in (((), "--data"), (("--agent", "a", "--stood-days", "-1"), "--stood-days")):
        refused = await run(*wrong)
        assert (refused.returncode, named in refused.stderr) == (2, True)
