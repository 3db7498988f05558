"""A finished call is kept or, while the database is away, held; a result that it refuses is neither."""

from __future__ import annotations

import uuid

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.spending import Usage
from service.llm import LLM
from service.store.dreams import Lease
from tests.live_api import Api
from tests.worker.dreaming import agent_id, say
from worker.dreaming.checkpoints import Result, Trace, UnsavedResults, open_checkpoints


async def nobody(step: str) -> None:
    """Nobody watches."""


async def test_a_result_that_the_database_refuses_is_asked_for_again(api: Api) -> None:
    await say(api, "hello")
    async with api.runtime.db.unscoped() as connection:
        lease = await connection.first(
            Lease, "claim_agent", workspace=DEFAULT_WORKSPACE, agent_id=await agent_id(api.runtime), worker="w",
            lease_s=60, now=api.runtime.now(),
        )  # fmt: skip
    assert lease is not None
    results: list[Result] = [{"said": "a \x00"}, {"said": "a \ud800"}, {"said": "fine"}]
    asked = 0

    async def work(llm: LLM) -> Result:
        nonlocal asked
        asked += 1
        return results[asked - 1]

    api.runtime.llm = LLM("openai/none")
    unsaved = UnsavedResults()
    for _ in results:
        checkpoints = await open_checkpoints(api.runtime, lease, uuid.uuid4(), Usage(), unsaved, Trace(), nobody)
        if asked < 2:
            with pytest.raises(Exception, match=r"surrogates|[uU]nicode|UTF-8"):
                await checkpoints.once("extract", "question", [], work)
            assert not unsaved.results
        else:
            assert await checkpoints.once("extract", "question", [], work) == {"said": "fine"}
    assert asked == 3
