"""A correction that does not say of what ("Correction: the budget is 60000") meets the one fact it can be about."""

from __future__ import annotations

import pytest

from tests.live_api import Tenant
from tests.worker.dreaming import contents, dream, say

FACT = "Apollo's budget is 50000."


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


@pytest.mark.parametrize("correction", ["Correction: the budget is 60000", "Actually, the budget is 60000."])
async def test_said_in_the_conversation_about_it(api: Tenant, correction: str) -> None:
    await say(api, FACT, user="Sam")
    await dream(api)
    await say(api, "The Gemini budget is 20000.", user="Sam", session="another")
    await say(api, correction, user="Sam")
    done = await dream(api)
    assert await contents(api) == {"Apollo's budget is 60000.", "The Gemini budget is 20000."}
    assert (await api.call("POST", f"/v1/dreams/{done['id']}/undo")).status_code == 200
    assert await contents(api) == {FACT}


async def test_said_right_after_it_and_once_more(api: Tenant) -> None:
    await say(api, FACT, "Correction: the budget is 60000", user="Sam")
    await dream(api)
    await say(api, "The budget went up to 70000.", user="Sam")
    await dream(api)
    assert await contents(api) == {"Apollo's budget went up to 70000."}


async def test_saved_as_memories(api: Tenant) -> None:
    await api.save(FACT)
    await api.save("Correction: the budget is 60000")
    await dream(api)
    assert await contents(api) == {"Correction: the budget is 60000"}
    await api.save("Apollo's budget is 70000")
    await dream(api)
    assert await contents(api) == {"Apollo's budget is 70000"}


async def test_saved_before_what_it_could_be_about(api: Tenant) -> None:
    await api.save("Correction: the budget is 60000")
    await api.save(FACT)
    await dream(api)
    assert await contents(api) == {"Correction: the budget is 60000", FACT}


async def test_of_several_none_is_met(api: Tenant) -> None:
    await say(api, FACT, "The Gemini budget is 20000.", "Correction: the budget is 60000", user="Sam")
    await dream(api)
    assert await contents(api) == {FACT, "The Gemini budget is 20000.", "The budget is 60000."}


@pytest.mark.parametrize(
    ("known", "said", "made"),
    [
        (FACT, "The budget is 60000.", "The budget is 60000."),
        (FACT, "Correction: the deadline is 3 May 2026.", "The deadline is 3 May 2026."),
        (FACT, "Correction: the Gemini budget is 60000.", "The Gemini budget is 60000."),
    ],
)
async def test_what_corrects_nothing_known(api: Tenant, known: str, said: str, made: str) -> None:
    await say(api, known, said, user="Sam")
    await dream(api)
    left = await contents(api)
    assert known in left
    assert len(left) == 2, left


async def test_what_is_a_persons_own_or_another_agents_is_not_met(api: Tenant) -> None:
    await say(api, "My budget is 50000.", user="Ann")
    await api.save(FACT, agent="b")
    await dream(api)
    await say(api, "Correction: the budget is 60000", user="Sam", session="sams")
    await dream(api)
    assert "Ann's budget is 50000." in await contents(api)
    assert {one["content"] for one in (await api.get("/v1/memories", agent="b"))["items"]} == {FACT}


async def test_ones_own_is_met_before_that_of_a_thing(api: Tenant) -> None:
    await say(api, "My budget is 50000.", "Apollo's budget is 20000.", "Correction: the budget is 60000", user="Ann")
    await dream(api)
    assert await contents(api) == {"Apollo's budget is 20000.", "The budget is 60000."}
