"""Both Python clients keep the contract that clients of all languages share, each in a workspace of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from reverie_client import AsyncMemory, AsyncReverie, Memory, Reverie
from tests.clients.contract import AGENT, CONTRACTS, Send, difference, follow
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
