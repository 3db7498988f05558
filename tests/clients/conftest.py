"""The LangGraph store, awaited and blocking, and the server that the clients of all languages are tried on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

import pytest

from reverie_client.langgraph import ReverieStore
from tests.clients.langgraph_stores import Spoken, store_of
from tests.conftest import settings_on
from tests.databases import TEMPLATE, Databases
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, SharedServer, serving_in_a_thread
from tests.processes import WorkerProcess


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


@pytest.fixture(scope="package")
def served(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    """An API with the static embedder, a worker and a model for its proxy, for many workspaces."""
    name = f"clients_{uuid4().hex}"
    url = asyncio.run(databases.copy(TEMPLATE, name))
    folder = tmp_path_factory.mktemp("clients")
    worker = WorkerProcess(url, folder / "worker.log", EMBEDDING_MODEL="static")
    worker.start()
    with FakeOpenAI() as model:
        given = {"embedding_model": "static", "llm_api_base": model.base_url, "llm_api_key": "any"}
        with serving_in_a_thread(settings_on(url, folder).model_copy(update=given), url) as server:
            yield server
    asyncio.run(worker.stop())
    asyncio.run(databases.drop(name))
