"""A server that the clients of all languages are tried on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.conftest import settings_on
from tests.databases import TEMPLATE, Databases
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import SharedServer, serving_in_a_thread
from tests.processes import WorkerProcess


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
