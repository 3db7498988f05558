"""A language model that is down, hangs, or answers nonsense: survived, reported, and nothing marked done."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.tables import table
from tests.worker.dreaming import (
    asked_for,
    contents,
    dream,
    fact,
    model,
    model_at,
    note_everything,
    notes,
    say,
    turns_of,
)
from worker.app import schedule_all_now
from worker.dreaming.run import Dreamer

Json = dict[str, Any]


@pytest.fixture
async def server(api: Api) -> AsyncIterator[FakeOpenAI]:
    await load_litellm()
    with FakeOpenAI() as opened:
        opened.default_reply = note_everything
        api.runtime.llm = model(opened, timeout_s=60)
        yield opened


async def due(api: Api) -> tuple[int, int]:
    """How many messages are still to be dreamed about, and how many there are."""
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        row = await connection.raw.fetchrow(
            "SELECT sum(last_seq - dreamed_seq) AS due, sum(last_seq) AS all FROM sessions"
        )
    return row["due"], row["all"]


async def failed_and_waiting(api: Api) -> str:
    """The one dream has failed, nothing of it is there, all messages are due; its reason."""
    (failed,) = (await api.get("/v1/dreams"))["items"]
    assert failed["status"] == "failed"
    assert await contents(api) == set()
    assert await due(api) == (2, 2)
    reason: str = failed["error"]
    return reason


async def caught_up(api: Api) -> None:
    """Once the model is back the failed dream's messages are dreamed about without being asked for."""
    now = datetime.now(UTC)
    api.runtime.now = lambda: now + timedelta(hours=7)
    assert await Dreamer(api.runtime, "test", 60).dream_next()
    assert await contents(api) == {"u1 said: I live in Oslo.", "u1 said: I work at Acme."}
    assert (await due(api))[0] == 0
    statuses = [one["status"] for one in (await api.get("/v1/dreams"))["items"]]
    assert statuses == ["succeeded", "failed"]


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param({"status": 503}, id="503"),
        pytest.param({"status": 429}, id="429 for ever"),
        pytest.param({"status": 401}, id="the key is refused"),
        pytest.param({"invalid_json": True}, id="not JSON"),
        pytest.param({"hang_s": 60.0}, id="hangs"),
        pytest.param({"body": {"choices": []}}, id="no choices"),
    ],
)
async def test_down_for_the_whole_dream_then_back(api: Api, server: FakeOpenAI, fault: Json) -> None:
    api.runtime.llm = model(server, timeout_s=0.3 if "hang_s" in fault else 60)
    server.fail(times=None, **fault)
    await say(api, "I live in Oslo.", "I work at Acme.")
    await schedule_all_now(api.runtime)
    assert await Dreamer(api.runtime, "test", 60).dream_next()
    assert "openai/fake" in await failed_and_waiting(api)
    assert not await Dreamer(api.runtime, "test", 60).dream_next()
    server.heal()
    api.runtime.llm = model(server, timeout_s=60)
    await caught_up(api)


async def test_nobody_listens_then_somebody_does(api: Api, server: FakeOpenAI) -> None:
    api.runtime.llm = model_at("http://127.0.0.1:9/v1", timeout_s=2)
    await say(api, "I live in Oslo.", "I work at Acme.")
    await schedule_all_now(api.runtime)
    assert await Dreamer(api.runtime, "test", 60).dream_next()
    await failed_and_waiting(api)
    api.runtime.llm = model(server, timeout_s=60)
    await caught_up(api)


async def test_each_failure_in_a_row_waits_longer(api: Api, server: FakeOpenAI) -> None:
    server.fail(times=None, status=401)
    await say(api, "I live in Oslo.", "I work at Acme.")
    dreamer = Dreamer(api.runtime, "test", 60, retry_s=100)
    start = datetime.now(UTC)
    waits = []
    for _ in range(4):
        await schedule_all_now(api.runtime)
        assert await dreamer.dream_next()
        async with api.runtime.db.unscoped() as connection:
            due_at = await connection.raw.fetchval("SELECT due_at FROM dream_schedule")
        waits.append((due_at - start).total_seconds())
    assert all(later > earlier * 1.1 for earlier, later in itertools.pairwise(waits))


PASSING: dict[str, tuple[Json, str]] = {
    "429 twice": ({"status": 429, "times": 2}, "failed: HTTP 429: made to fail"),
    "500 once": ({"status": 500, "times": 1}, "failed: made to fail"),
    "one hangs": ({"hang_s": 60.0, "times": 1}, "did not answer within"),
    "not JSON once": ({"invalid_json": True, "times": 1}, "failed"),
}


async def test_a_fault_that_passes_is_survived_and_reported(api: Api, server: FakeOpenAI) -> None:
    with table() as row:
        for name, (fault, told) in PASSING.items():
            with row(name):
                api.runtime.llm = model(server, timeout_s=10 if "hang_s" in fault else 60)
                server.fail(**fault)
                await say(api, "I live in Oslo.", agent=name)
                done = await dream(api, name)
                assert done["status"] == "succeeded"
                (memory,) = (await api.get("/v1/memories", agent=name))["items"]
                assert memory["content"] == "u1 said: I live in Oslo."
                assert done["report"]["llm"]["failed_calls"] == fault["times"]
                (error,) = done["report"]["errors"]
                assert told in error["error"]
                assert error["times"] == fault["times"]


async def test_an_answer_that_is_no_answer_is_sent_back_once(api: Api, server: FakeOpenAI) -> None:
    server.say("I would rather talk about the weather.")
    await say(api, "I live in Oslo.")
    done = await dream(api.runtime)
    assert await contents(api) == {"u1 said: I live in Oslo."}
    (error,) = done["report"]["errors"]
    assert "no valid Notes" in error["error"]


async def test_ids_that_were_never_shown_are_rejected_and_counted(api: Api, server: FakeOpenAI) -> None:
    server.say(notes([fact("u1 lives on Mars.", 99), fact("u1 lives in Oslo.", 1), fact("u1 is a king.", 0, 1)]))
    await say(api, "I live in Oslo.")
    done = await dream(api.runtime)
    assert await contents(api) == {"u1 lives in Oslo."}
    assert done["report"]["rejected"] == 2


async def test_a_poisonous_message_is_left_out_with_its_reason_and_the_rest_goes_on(
    api: Api, server: FakeOpenAI
) -> None:
    def choke(body: Json) -> str:
        if asked_for(body) == "Notes" and any("poison" in turn["said"] for turn in turns_of(body)):
            return "…"
        return note_everything(body)

    server.default_reply = choke
    stored = await say(api, *(f"note {n}" for n in range(5)), "poison", *(f"note {n}" for n in range(5, 9)))
    done = await dream(api.runtime)
    assert done["status"] == "succeeded"
    assert await contents(api) == {f"u1 said: note {n}" for n in range(9)}
    (skipped,) = [change for change in done["changes"] if change["op"] == "skipped"]
    assert skipped["after"]["message_id"] == stored[5]["id"]
    assert "no valid Notes" in skipped["reason"]
    assert (await due(api))[0] == 0


async def test_without_verdicts_and_without_a_bulletin_the_dream_goes_on(static_api: Api) -> None:
    api = static_api
    await load_litellm()
    with FakeOpenAI() as server:

        def only_notes(body: Json) -> str:
            return note_everything(body) if asked_for(body) == "Notes" else "…"

        server.default_reply = only_notes
        api.runtime.llm = model(server, timeout_s=60)
        await say(api, "The meeting about the harbour is in room 101.", "The meeting about the harbour is in room 102.")
        done = await dream(api.runtime)
    assert done["status"] == "succeeded"
    assert len(await contents(api)) == 2
    assert done["report"]["bulletin_version"] == 1
    assert {error["step"] for error in done["report"]["errors"]} == {"settle", "bulletin"}


async def test_a_hang_does_not_outlive_a_worker_told_to_stop(api: Api, server: FakeOpenAI) -> None:
    api.runtime.llm = model(server, timeout_s=60)
    server.fail(times=None, hang_s=60)
    await say(api, "I live in Oslo.")
    await schedule_all_now(api.runtime)
    task = asyncio.create_task(Dreamer(api.runtime, "test", 60).dream_next())
    await asyncio.to_thread(server.wait_for_call, "chat")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with api.runtime.db.unscoped() as connection:
        (row,) = await connection.raw.fetch("SELECT lease_owner, lease_until FROM dream_schedule")
    assert tuple(row) == (None, None)


async def test_what_postgres_cannot_store_is_stripped_from_answers(api: Api, server: FakeOpenAI) -> None:
    with table() as row:
        for number, odd in enumerate(("\x00", "\ud800", "\udc00\ud800")):
            with row(odd):
                agent, calls = f"a{number}", server.calls["chat"]
                entities = [{"name": f"Oslo{odd}"}]
                server.say(notes([fact(f"u1 lives{odd} in Oslo{odd}.", 1, entities=entities)]))
                await say(api, "I live in Oslo.", agent=agent)
                done = await dream(api, agent)
                assert done["status"] == "succeeded", done["error"]
                (memory,) = (await api.get("/v1/memories", agent=agent))["items"]
                assert memory["content"] == "u1 lives in Oslo."
                assert server.calls["chat"] == calls + 2  # notes and bulletin, each asked for once


async def test_an_error_that_postgres_cannot_store_is_stripped(api: Api, server: FakeOpenAI) -> None:
    server.fail(times=None, body={"error": {"message": "broken \x00 \ud800"}, "choices": "\x00"})
    await say(api, "I live in Oslo.", "I work at Acme.")
    assert (await dream(api.runtime))["status"] == "failed"
    await failed_and_waiting(api)


EMPTY_BULLETINS: tuple[list[Json], ...] = (
    [],
    [{"title": "All", "sentences": []}],
    [{"title": "All", "sentences": [{"text": "Made up.", "memories": [99]}]}],
)


async def test_an_empty_bulletin_of_a_model_is_written_by_rules(api: Api, server: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"users": "shared"})
    with table() as row:
        for number, sections in enumerate(EMPTY_BULLETINS):
            with row(sections):
                agent, blank = f"a{number}", json.dumps({"sections": sections})
                server.default_reply = lambda body, blank=blank: (
                    blank if asked_for(body) == "WrittenBulletin" else note_everything(body)
                )
                await say(api, "I live in Oslo.", agent=agent)
                assert (await dream(api, agent))["report"]["bulletin_version"] == 1
                assert "Oslo" in (await api.get(f"/v1/agents/{agent}/bulletin"))["content"]
                await say(api, "I work at Acme.", agent=agent)
                await api.save("The harbour is deep.", agent=agent)
                assert "harbour" in (await api.post(f"/v1/agents/{agent}/bulletin"))["content"]
