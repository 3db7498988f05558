"""Both Python clients keep the contract that clients of all languages share, each in a workspace of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

import pytest

import reverie
from reverie_client import AsyncMemory, AsyncReverie, Memory, Reverie
from tests.clients.contract import AGENT, CONTRACTS, Send, difference, follow
from tests.databases import TEMPLATE, Databases
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import SharedServer


async def blocking(kind: str, url: str, key: str, step: dict[str, Any]) -> Any:
    """What a blocking client answers, beside the event loop."""

    def run() -> Any:
        with Memory(url, key) if kind == "Memory" else Reverie(url, key, agent=AGENT) as client:
            answer = getattr(client, step["call"])(*step["arguments"], **step["fields"])
            return list(answer) if isinstance(answer, Iterator) else answer

    return await asyncio.to_thread(run)


async def awaited(kind: str, url: str, key: str, step: dict[str, Any]) -> Any:
    """What an awaited client answers."""
    async with AsyncMemory(url, key) if kind == "Memory" else AsyncReverie(url, key, agent=AGENT) as client:
        answer = getattr(client, step["call"])(*step["arguments"], **step["fields"])
        return [one async for one in answer] if isinstance(answer, AsyncIterator) else await answer


@pytest.mark.first_tier
@pytest.mark.parametrize("send", [blocking, awaited])
@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
async def test_the_contract_is_kept(contract: dict[str, Any], send: Send, served: SharedServer) -> None:
    async with served.tenant() as tenant:
        await follow(contract, send, served.base_url, tenant.key)


@pytest.fixture(scope="module")
def in_process(databases: Databases) -> Iterator[tuple[str, reverie.Reverie]]:
    """The address of a Postgres, and Reverie in this process on it, with the static embedder and a model."""
    name = f"in_process_{uuid4().hex}"
    url = asyncio.run(databases.copy(TEMPLATE, name))
    with FakeOpenAI() as model, pytest.MonkeyPatch.context() as environment:
        environment.setenv("EMBEDDING_MODEL", "static")
        environment.setenv("LLM_API_BASE", model.base_url)
        environment.setenv("LLM_API_KEY", "any")
        with reverie.Reverie.local(database_url=url) as opened:
            yield url, opened
    asyncio.run(databases.drop(name))


@pytest.mark.parametrize("send", [blocking, awaited])
@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
async def test_the_contract_is_kept_in_process(
    contract: dict[str, Any], send: Send, in_process: tuple[str, reverie.Reverie]
) -> None:
    url, opened = in_process
    made = await asyncio.to_thread(opened.create_workspace, f"contract {uuid4()}")
    await follow(contract, send, url, made.key)


def test_there_are_contracts_of_every_kind() -> None:
    kinds = {"conversations", "documents", "errors", "memories", "memory", "search", "workspace"}
    assert kinds <= CONTRACTS.keys()


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ({"a": 1}, {"a": 2}),
        ({}, {"a": 2}),
        ([1], [1, 2]),
        ([2, 1], [1, 2]),
        ("", "<text>"),
        (True, "<number>"),
        ("today", "<time>"),
        (None, "<any>"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}),
    ],
)
def test_a_different_answer_is_noticed(found: Any, wanted: Any) -> None:
    assert difference(found, wanted)


def test_more_fields_in_an_answer_are_fine() -> None:
    assert difference({"a": 1, "b": [{"c": None, "d": 1}]}, {"b": [{"c": None, "e": None}]}) is None
