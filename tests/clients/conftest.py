"""The LangGraph store, awaited and blocking, and the server that the clients of all languages are tried on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from reverie_client.langgraph import ReverieStore
from tests.clients.langgraph_stores import Spoken, store_of
from tests.clients.served import served
from tests.live_api import Api

__all__ = ["served", "spoken", "store"]


@pytest.fixture
async def store(static_api: Api) -> AsyncIterator[ReverieStore]:
    async with store_of(static_api) as opened:
        yield opened


@pytest.fixture(params=["awaited", "blocking"])
def spoken(store: ReverieStore, request: pytest.FixtureRequest) -> Spoken:
    """Calls a method of the store by name: its awaited twin, or the blocking one beside the server's loop."""

    async def call(name: str, *args: Any, **kwargs: Any) -> Any:
        if request.param == "awaited":
            return await getattr(store, f"a{name}")(*args, **kwargs)
        return await asyncio.to_thread(getattr(store, name), *args, **kwargs)

    return call
