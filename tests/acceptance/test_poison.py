"""A poison message kills, hangs or blocks workers: it is found when two have died over it alone, and nothing else is
lost for it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.domain.principal import KeyGrant
from service.first_start import key_in_workspace
from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.killable import TIMEOUT_S
from tests.live_api import Api
from tests.poison_texts import EXIT_CODES, ON_THE_LOOP, expire_leases, run_until_exit, running
from tests.worker.dreaming import contents, note_everything, say

Json = dict[str, Any]
TURNS = [f"My friend number {n} is called Mia{n}." for n in range(12)]


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    with FakeOpenAI() as opened:
        opened.default_reply = note_everything
        yield opened


async def letters(api: Api) -> list[Json]:
    found: list[Json] = (await api.get("/v1/dead-letters"))["items"]
    return found


async def deaths(settings: Settings, job: str, *steps: str, how: str, llm_at: str | None = None) -> int:
    """How many workers die on the job, one after the other, before one gets done with it."""
    for count in range(10):
        code = await run_until_exit(settings, job, *steps, llm_at=llm_at)
        if code == 0:
            return count
        assert code == (EXIT_CODES["block"] if how == "hang" and set(steps) & ON_THE_LOOP else EXIT_CODES[how])
        await expire_leases(settings.database_url)
    raise AssertionError("workers die for ever")


async def say_with_poison(api: Api, how: str, agent: str = "a") -> Json:
    """Twelve turns, the sixth of which is poisoned; that one, as stored."""
    stored = await say(api, *TURNS[:5], f"I love harbours. POISON {how}", *TURNS[5:], agent=agent)
    return stored[5]


@pytest.mark.parametrize(
    ("how", "step"), [("kill", "rules"), ("hang", "redact"), ("block", "llm"), ("hang", "llm"), ("block", "rules")]
)
async def test_the_second_death_over_a_message_alone_names_it(
    api: Api, settings: Settings, server: FakeOpenAI, how: str, step: str
) -> None:
    llm_at = server.base_url if step == "llm" else None
    if step == "redact":
        await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    poisoned = await say_with_poison(api, how)
    await say(api, "I live in Bergen.", session="another")
    assert await deaths(settings, "dream", step, how=how, llm_at=llm_at) == 3

    (letter,) = await letters(api)
    said = {"subject_id": poisoned["id"], "session": "s", "seq": 6, "agent": "a", "job": "dream", "attempts": 2}
    assert {name: letter[name] for name in said} == said
    assert "died over it 2 times" in letter["reason"]
    (done,) = (await api.get("/v1/dreams"))["items"]
    assert done["status"] == "succeeded"
    set_aside = {"message_id": poisoned["id"], "session": "s", "seq": 6, "attempts": 2, "reason": letter["reason"]}
    assert done["report"]["set_aside"] == [set_aside]
    assert done["report"]["messages"] == 14
    counted = (await api.get("/v1/engine"))["dead_letters"]
    assert counted == {"count": 1, "oldest_at": letter["created_at"]}

    await say(api, *TURNS[:5], *TURNS[5:], agent="healthy")
    await say(api, "I live in Bergen.", session="another", agent="healthy")
    assert await run_until_exit(settings, "dream", llm_at=llm_at) == 0
    healthy = (await api.get("/v1/memories", agent="healthy", limit=200))["items"]
    assert await contents(api) == {memory["content"] for memory in healthy} != set()


@pytest.mark.parametrize("how", ["kill", "hang", "block"])
async def test_a_worker_that_is_started_again_serves_everybody(api: Api, settings: Settings, how: str) -> None:
    """The poison of one workspace ends the worker three times, and neither it nor another is left undreamed."""
    other = Api(api.http, api.runtime, await key_in_workspace(settings, KeyGrant("admin", "admin"), "other"))
    await say_with_poison(api, how)
    for agent in range(4):
        await say(other, "I live in Bergen.", agent=f"agent-{agent}")
        await other.post(f"/v1/agents/agent-{agent}/dream", {})
    await api.post("/v1/agents/a/dream", {})

    async def left() -> int:
        open_dreams = [
            one
            for workspace in (api, other)
            for one in (await workspace.get("/v1/dreams"))["items"]
            if one["status"] in ("queued", "running")
        ]
        return len(open_dreams)

    ended = 0
    async with asyncio.timeout(TIMEOUT_S):
        while await left():
            async with running(settings, "rules") as exit_code:
                while exit_code() is None and await left():  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
                ended += exit_code() is not None
            await expire_leases(settings.database_url)
    assert ended == 3
    assert len(await letters(api)) == 1
    assert await letters(other) == []
    dreams = (await other.get("/v1/dreams"))["items"]
    assert [one["status"] for one in dreams] == ["succeeded"] * 4
    assert len((await other.get("/v1/memories"))["items"]) == 4
    assert len(await contents(api)) > 0


async def test_a_message_alone_in_its_batch_and_first_and_last(api: Api, settings: Settings) -> None:
    (poisoned,) = await say(api, "POISON kill")
    assert await deaths(settings, "dream", "rules", how="kill") == 2
    assert [one["subject_id"] for one in await letters(api)] == [poisoned["id"]]
    stored = await say(api, "POISON kill", "I live in Bergen.", "POISON kill")
    assert await deaths(settings, "dream", "rules", how="kill") == 6
    assert {one["subject_id"] for one in await letters(api)} == {poisoned["id"], stored[0]["id"], stored[2]["id"]}
    assert await contents(api) == {"u1 lives in Bergen."}


@pytest.mark.parametrize("step", ["note", "compare"])
async def test_what_kills_only_in_a_batch_is_found_by_cutting_it(
    api: Api, settings: Settings, server: FakeOpenAI, step: str
) -> None:
    poisoned = await say_with_poison(api, "kill")
    assert await deaths(settings, "dream", step, how="kill", llm_at=server.base_url) == 3
    assert [one["subject_id"] for one in await letters(api)] == [poisoned["id"]]
    page = await api.get("/v1/memories", agent="a", limit=200)
    assert Counter(memory["content"] for memory in page["items"]) == Counter(f"u1 said: {text}" for text in TURNS)


async def test_a_retried_message_is_dreamed_about_exactly_once(
    api: Api, settings: Settings, server: FakeOpenAI
) -> None:
    poisoned = await say_with_poison(api, "kill")
    assert await deaths(settings, "dream", "llm", how="kill", llm_at=server.base_url) == 3
    (letter,) = await letters(api)
    retried = await api.post(f"/v1/dead-letters/{letter['id']}/retry")
    assert retried["status"] == "retrying"
    assert (await api.post(f"/v1/dead-letters/{letter['id']}/retry"))["status"] == "retrying"
    assert await deaths(settings, "dream", "llm", how="kill", llm_at=server.base_url) == 1
    (again,) = await letters(api)
    assert (again["id"], again["status"], again["attempts"]) == (letter["id"], "dead", 3)

    await api.post(f"/v1/dead-letters/{letter['id']}/retry")
    for _ in range(2):
        assert await run_until_exit(settings, "dream", llm_at=server.base_url) == 0
    assert await letters(api) == []
    assert (await api.get("/v1/engine"))["dead_letters"]["count"] == 0
    page = await api.get("/v1/memories", agent="a", limit=200)
    expected = Counter(f"u1 said: {text}" for text in [*TURNS, "I love harbours. POISON kill"])
    assert Counter(memory["content"] for memory in page["items"]) == expected
    assert (await api.call("POST", f"/v1/dead-letters/{letter['id']}/retry")).status_code == 404

    dreams = (await api.get("/v1/dreams", status="succeeded"))["items"]
    (second,) = [one for one in dreams if one["trigger"] == "retry" and one["report"]["messages"] == 1]
    await api.post(f"/v1/dreams/{second['id']}/undo")
    assert [one["subject_id"] for one in await letters(api)] == [poisoned["id"]]
    assert await run_until_exit(settings, "dream", llm_at=server.base_url) == 0
    page = await api.get("/v1/memories", agent="a", limit=200)
    assert Counter(memory["content"] for memory in page["items"]) == expected


async def test_a_message_given_up_is_never_read_again(api: Api, settings: Settings, server: FakeOpenAI) -> None:
    poisoned = await say_with_poison(api, "kill")
    assert await deaths(settings, "dream", "llm", how="kill", llm_at=server.base_url) == 3
    (letter,) = await letters(api)
    await api.delete(f"/v1/dead-letters/{letter['id']}")
    assert await letters(api) == []
    assert (await api.get("/v1/engine"))["dead_letters"] == {"count": 0, "oldest_at": None}
    assert (await api.call("DELETE", f"/v1/dead-letters/{letter['id']}")).status_code == 404
    (done,) = (await api.get("/v1/dreams"))["items"]
    await api.post(f"/v1/dreams/{done['id']}/undo")
    assert await run_until_exit(settings, "dream", "llm", "compaction", llm_at=server.base_url) == 0
    assert await contents(api) == {f"u1 said: {text}" for text in TURNS}
    history = (await api.get("/v1/sessions/s/messages", agent="a", limit=100))["items"]
    assert poisoned["id"] in {message["id"] for message in history}


@pytest.mark.parametrize("how", ["kill", "block"])
async def test_a_poisonous_saved_memory_is_set_aside_and_the_others_are_read(
    api: Api, settings: Settings, how: str
) -> None:
    said = [f"Mia{n} likes tea{end}" for n in range(4) for end in (".", "")]
    saved = [
        await api.save(content, type="preference", user="u1") for content in (*said[:4], f"POISON {how}", *said[4:])
    ]
    await say(api, "I live in Bergen.")
    assert await deaths(settings, "dream", "saved", how=how) == 3
    (letter,) = await letters(api)
    told = {"subject_id": saved[4]["id"], "kind": "memory", "job": "dream", "attempts": 2}
    assert {name: letter[name] for name in told} == told
    (done,) = (await api.get("/v1/dreams"))["items"]
    set_aside = {"memory_id": saved[4]["id"], "attempts": 2, "reason": letter["reason"]}
    assert (done["status"], done["report"]["set_aside"], done["report"]["memories"]) == ("succeeded", [set_aside], 8)
    changes = (await api.get(f"/v1/dreams/{done['id']}"))["changes"]
    assert [one["memory_id"] for one in changes if one["op"] == "skipped"] == [saved[4]["id"]]
    assert await contents(api) == {*said[::2], f"POISON {how}", "u1 lives in Bergen."}

    await api.post(f"/v1/dead-letters/{letter['id']}/retry")
    assert await run_until_exit(settings, "dream") == 0
    assert await letters(api) == []
    await api.post(f"/v1/dreams/{(await api.get('/v1/dreams'))['items'][0]['id']}/undo")
    assert [one["status"] for one in await letters(api)] == ["retrying"]


async def test_a_purge_takes_dead_letters_along(api: Api, settings: Settings) -> None:
    await say_with_poison(api, "kill")
    assert await deaths(settings, "dream", "rules", how="kill") == 3
    assert len(await letters(api)) == 1
    await api.post("/v1/users/u1/purge")
    assert await letters(api) == []


@pytest.mark.parametrize("how", ["kill", "block"])
async def test_compaction_goes_on_without_a_poisonous_message(api: Api, settings: Settings, how: str) -> None:
    poisoned = await say_with_poison(api, how)
    await say(api, *(f"Turn {n} about plan{n}.xlsx." for n in range(12)))
    assert await deaths(settings, "fold", "compaction", how=how) == 3
    (letter,) = await letters(api)
    assert (letter["subject_id"], letter["job"]) == (poisoned["id"], "compaction")
    shown = await api.get("/v1/sessions/s/window", agent="a")
    assert shown["summary"]["from_seq"] == 1
    assert "plan0.xlsx" in shown["summary"]["content"]
    assert "POISON" not in shown["summary"]["content"]


@pytest.mark.parametrize("job", ["embed", "reindex"])
async def test_embedding_goes_on_without_a_poisonous_text(api: Api, settings: Settings, job: str) -> None:
    with_embedder = settings.model_copy(update={"embedding_model": "static"})
    assert await run_until_exit(with_embedder, "embed") == 0
    saved = [await api.save(content) for content in ("Oslo is large", "POISON kill", "Bergen is wet")]
    stored = await say(api, "Tea is hot", "POISON kill", "Coffee is black")
    document = await api.post("/v1/documents", {"agent": "a", "title": "Harbour", "text": "POISON kill"})
    if job == "reindex":
        assert await run_until_exit(with_embedder, "embed") == 0
        async with api.runtime.db.unscoped() as connection:
            workspace = await connection.value("workspace_by_name", name="default")
            await connection.run("request_reindex", workspace=workspace, force=True, total=7, now=api.runtime.now())
    assert await deaths(with_embedder, job, "embed", how="kill") == 9
    assert {(one["kind"], one["job"]) for one in await letters(api)} == {
        (kind, "embedding" if job == "embed" else "reindex") for kind in ("memory", "message", "chunk")
    }
    ids = {one["subject_id"] for one in await letters(api)}
    assert {saved[1]["id"], stored[1]["id"]} < ids
    assert {one["document_id"] for one in await letters(api)} == {document["id"], None}
    assert (await api.get("/v1/engine"))["pending"] == 0
    for letter in await letters(api):
        await api.post(f"/v1/dead-letters/{letter['id']}/retry")
    assert await run_until_exit(with_embedder, "embed") == 0
    assert {one["kind"] for one in await letters(api)} == {"message"}
    assert await run_until_exit(with_embedder, "dream") == 0
    assert await letters(api) == []
