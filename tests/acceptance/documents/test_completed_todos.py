"""A todo is open "until marked done": also by a dream that reads that it was done."""

from __future__ import annotations

from typing import Any

import pytest

from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Tenant
from tests.worker.dreaming import asked_for, dream, fact, model, note_everything, notes, say, turns_of

Json = dict[str, Any]
TODO = "Ping Ramesh about the Q3 numbers"
DONE = "I pinged Ramesh about the Q3 numbers"


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def todos(api: Tenant) -> dict[str, str]:
    """The status of each todo."""
    return {one["content"]: one["status"] for one in (await api.get("/v1/memories", agent="a", type="todo"))["items"]}


def closed_in(dreamed: Json) -> list[str]:
    return [one["before"]["content"] for one in dreamed["changes"] if one["op"] == "completed"]


@pytest.mark.parametrize("user", ["Sam", None])
async def test_a_saved_todo_is_closed_by_what_is_said(api: Tenant, user: str | None) -> None:
    await api.save(TODO, type="todo", user=user, owners=["Sam"])
    await say(api, DONE, user="Sam")
    done = await dream(api)
    assert await todos(api) == {TODO: "done"}
    assert closed_in(done) == [TODO]
    assert done["report"]["completed"] == 1
    assert "1 todo done" in (await api.get(f"/v1/dreams/{done['id']}"))["summary"]
    assert TODO not in (await api.get("/v1/agents/a/bulletin", user="Sam"))["content"]


async def test_the_agent_s_todo_is_closed_by_what_a_user_says_where_all_users_see_all(api: Tenant) -> None:
    await api.save(TODO, type="todo")
    await say(api, DONE, user="Sam")
    await dream(api)
    assert await todos(api) == {TODO: "open"}
    await api.put("/v1/settings", {"users": "shared"})
    await say(api, f"{DONE} this morning.", user="Sam", session="later")
    assert closed_in(await dream(api)) == [TODO]
    assert await todos(api) == {TODO: "done"}


async def test_a_todo_of_a_conversation_is_closed_by_a_later_one(api: Tenant) -> None:
    await say(api, f"{TODO}.", user="Sam")
    await dream(api)
    assert await todos(api) == {f"Sam has a todo: {TODO.replace('Ping', 'ping')}.": "open"}
    await say(api, f"{DONE} this morning.", user="Sam", session="later")
    await dream(api)
    assert set((await todos(api)).values()) == {"done"}


async def test_a_todo_and_its_report_in_one_conversation(api: Tenant) -> None:
    await say(api, f"{TODO}.", f"{DONE}.", user="Sam")
    done = await dream(api)
    assert set((await todos(api)).values()) == {"done"}
    assert [one["after"]["status"] for one in done["changes"] if one["op"] == "created" and "status" in one["after"]]


@pytest.mark.parametrize("saved", [{"user": "Sam", "content": "Sam pinged Ramesh about the Q3 numbers."},
                                   {"content": DONE}, {"content": "Pinged Ramesh about the Q3 numbers"}])  # fmt: skip
async def test_a_todo_is_closed_by_a_saved_memory(api: Tenant, saved: Json) -> None:
    await api.save(TODO, type="todo", user=saved.get("user"))
    await api.save(**saved, type="event")
    await dream(api)
    assert await todos(api) == {TODO: "done"}


async def test_what_closes_nothing(api: Tenant) -> None:
    await api.save(TODO, type="todo", user="Sam")
    await say(
        api,
        "Did I ping Ramesh about the Q3 numbers?",
        "I haven't pinged Ramesh about the Q3 numbers.",
        "I will ping Ramesh about the Q3 numbers.",
        "I pinged Ramesh about the Q4 numbers.",
        "I pinged Ramona about the Q3 numbers.",
        "I almost pinged Ramesh about the Q3 numbers.",
        "Tom pinged Ramesh about the Q3 numbers.",
        "I pinged Ramesh about the Q3 numbers last year.",
        user="Sam",
    )
    done = await dream(api)
    assert done["report"]["created"] >= 5
    assert closed_in(done) == []
    assert set((await todos(api)).values()) == {"open"}


@pytest.mark.parametrize("users", ["separate", "shared"])
async def test_nobody_closes_the_todo_of_another_person_or_agent(api: Tenant, users: str) -> None:
    await api.put("/v1/settings", {"users": users})
    await api.save(TODO, type="todo", user="Tom")
    await api.save(TODO, type="todo", agent="b")
    await say(api, DONE, user="Sam")
    assert closed_in(await dream(api)) == []
    everything = (await api.get("/v1/memories", type="todo"))["items"]
    assert [one["status"] for one in everything] == ["open", "open"]


async def test_a_report_of_before_the_todo_closes_nothing(api: Tenant) -> None:
    await say(api, DONE, f"{TODO}.", user="Sam")
    await api.save(TODO, type="todo", owners=["Sam"])
    await dream(api)
    assert set((await todos(api)).values()) == {"open"}


async def test_a_dry_run_shows_it_and_an_undo_opens_it_again(api: Tenant) -> None:
    saved = await api.save(TODO, type="todo", owners=["Sam"])
    await say(api, DONE, user="Sam")
    assert closed_in(await dream(api, dry_run=True)) == [TODO]
    assert await todos(api) == {TODO: "open"}
    done = await dream(api)
    assert closed_in(done) == [TODO]
    assert [one["text"] for one in (await api.get(f"/v1/dreams/{done['id']}"))["changes"] if one["op"] == "completed"]
    assert (await api.get(f"/v1/memories/{saved['id']}"))["version"] == 2
    await api.post(f"/v1/dreams/{done['id']}/undo")
    assert await todos(api) == {TODO: "open"}
    assert (await api.get(f"/v1/memories/{saved['id']}"))["version"] == 1


async def test_an_undo_is_refused_once_somebody_has_changed_the_todo(api: Tenant) -> None:
    saved = await api.save(TODO, type="todo", owners=["Sam"])
    await say(api, DONE, user="Sam")
    done = await dream(api)
    await api.patch(f"/v1/memories/{saved['id']}", {"version": 2, "status": "open"})
    refused = await api.call("POST", f"/v1/dreams/{done['id']}/undo")
    assert (refused.status_code, refused.json()["changed"]) == (409, [saved["id"]])


async def test_a_todo_said_again_is_open_again(api: Tenant) -> None:
    await say(api, f"{TODO}.", f"{DONE}.", user="Sam")
    await dream(api)
    await say(api, f"{TODO}.", user="Sam", session="a month later")
    again = await dream(api)
    assert set((await todos(api)).values()) == {"open"}
    assert [one["op"] for one in again["changes"] if one["op"] in ("reinforced", "reopened")] == [
        "reinforced", "reopened",
    ]  # fmt: skip
    await say(api, f"{TODO}.", DONE, user="Sam", session="another month later")
    assert len(closed_in(await dream(api))) == 1
    assert set((await todos(api)).values()) == {"done"}
    assert (await api.call("POST", f"/v1/dreams/{again['id']}/undo")).status_code == 409


async def test_an_undo_takes_back_all_that_a_dream_did_to_one_todo(api: Tenant) -> None:
    await say(api, f"{TODO}.", user="Sam")
    await dream(api)
    (before,) = (await api.get("/v1/memories", type="todo"))["items"]
    await say(api, f"{TODO}.", DONE, user="Sam", session="again")
    done = await dream(api)
    assert {"reinforced", "completed"} <= {one["op"] for one in done["changes"]}
    await api.post(f"/v1/dreams/{done['id']}/undo")
    (after,) = (await api.get("/v1/memories", type="todo"))["items"]
    same = ("status", "version", "importance", "confidence")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert len((await api.get(f"/v1/memories/{after['id']}/sources"))["items"]) == 1


async def test_what_a_model_notes_closes_it_too(api: Tenant) -> None:

    def notes_the_report(body: Json) -> str:
        if asked_for(body) != "Notes":
            return note_everything(body)
        said = [turn["turn"] for turn in turns_of(body) if "pinged" in turn["said"]]
        content = "Sam pinged Ramesh about the Q3 numbers."
        return notes([fact(content, *said, type="event", subject="Sam")] if said else [])

    await load_litellm()
    with FakeOpenAI() as server:
        server.default_reply = notes_the_report
        await api.save(TODO, type="todo", user="Sam")
        await say(api, "so yeah, pinged him (Ramesh) about those Q3 numbers", user="Sam")
        with api.lending(llm=model(server)):
            done = await dream(api)
    assert closed_in(done) == [TODO]
    assert await todos(api) == {TODO: "done"}
