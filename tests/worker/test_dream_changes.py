"""The changes of a dream one by one: pages of them, and undoing one without the others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.live_api import Api, Tenant
from tests.worker.dreaming import contents, dream, say
from worker.dreaming.run import Dreamer


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def changes(api: Api | Tenant, dreamed: dict[str, Any], **query: Any) -> list[dict[str, Any]]:
    """All changes, page by page."""
    found: list[dict[str, Any]] = []
    cursor = None
    while cursor is not None or not found:
        page = await api.get(f"/v1/dreams/{dreamed['id']}/changes", **query, **({"cursor": cursor} if cursor else {}))
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            assert page["total"] == len(found)
            break
    return found


async def undo(api: Api | Tenant, dreamed: dict[str, Any], n: int) -> tuple[int, str | None]:
    """The status, and why not."""
    answer = await api.call("POST", f"/v1/dreams/{dreamed['id']}/changes/{n}/undo")
    return answer.status_code, answer.json().get("reason") if answer.status_code == 409 else None


async def moved(api: Api | Tenant) -> dict[str, Any]:
    """A dream in which Oslo gives way to Bergen, and tea is said again."""
    await say(api, "I live in Oslo.", "I like tea.", "My sister Maria is a nurse.")
    await dream(api)
    await say(api, "I moved to Bergen.", "I like tea.", "I have a dog named Rex.", session="later")
    return await dream(api)


def numbered(found: list[dict[str, Any]], op: str, words: str = "") -> int:
    """The number of the first change of this action that says so."""
    n: int = next(one["n"] for one in found if one["op"] == op and words in one["text"])
    return n


async def test_every_change_is_reached_page_by_page_with_its_evidence(api: Tenant) -> None:
    done = await moved(api)
    found = await changes(api, done, limit=2)
    assert [one["n"] for one in found] == list(range(1, len(done["changes"]) + 1))
    page = await api.get(f"/v1/dreams/{done['id']}/changes")
    assert sum(page["totals"].values()) == len(found)
    rex = next(one for one in found if one["op"] == "created" and "Rex" in one["text"])
    (message_id,) = rex["message_ids"]
    assert [memory["id"] for memory in (await api.get(f"/v1/messages/{message_id}/memories"))["items"]] == [
        rex["memory_id"]
    ]
    some = await changes(api, done, action=["created", "superseded"], limit=1)
    assert {one["op"] for one in some} == {"created", "superseded"}
    preferences = await changes(api, done, type="preference")
    assert {one["op"] for one in preferences} >= {"reinforced"}
    assert await api.status("GET", f"/v1/dreams/{done['id']}/changes", params={"action": "invented"}) == 422


async def test_one_change_is_taken_back_once(api: Tenant) -> None:
    done = await moved(api)
    found = await changes(api, done)
    dog = numbered(found, "created", "Rex")
    before = await contents(api)
    assert any("Rex" in one for one in before)
    answers = await asyncio.gather(*(undo(api, done, dog) for _ in range(4)))
    assert sorted(answers, key=str) == [(200, None), *[(409, "already_undone")] * 3]
    assert await contents(api) == {one for one in before if "Rex" not in one}
    again = {one["n"]: one for one in await changes(api, done)}
    assert again[dog]["undone_at"] is not None
    assert not again[dog]["undoable"]
    assert (await api.post(f"/v1/dreams/{done['id']}/undo"))["status"] == "undone"
    assert not any("Bergen" in one for one in await contents(api))
    assert await undo(api, done, numbered(found, "superseded")) == (409, "dream_not_succeeded")


async def test_what_replaced_another_goes_after_it(api: Tenant) -> None:
    done = await moved(api)
    found = await changes(api, done)
    bergen = numbered(found, "created", "Bergen")
    assert await undo(api, done, bergen) == (409, "replaces_others")
    assert await undo(api, done, numbered(found, "superseded", "Bergen")) == (200, None)
    assert sum("Oslo" in one for one in await contents(api)) == 1
    assert await undo(api, done, bergen) == (200, None)
    assert not any("Bergen" in one for one in await contents(api))


async def test_what_was_changed_since_stays(api: Tenant) -> None:
    done = await moved(api)
    found = await changes(api, done)
    rex = next(one for one in found if one["op"] == "created" and "Rex" in one["text"])
    await api.patch(f"/v1/memories/{rex['memory_id']}", {"version": 1, "content": "Owns a dog called Rexie"})
    refused = await api.call("POST", f"/v1/dreams/{done['id']}/changes/{rex['n']}/undo")
    assert (refused.status_code, refused.json()["reason"]) == (409, "changed_since")
    assert refused.json()["changed"] == [rex["memory_id"]]
    assert await undo(api, done, 100_000) == (404, None)


async def test_others_neither_see_nor_undo_the_changes(api: Tenant) -> None:
    done = await moved(api)
    await api.save("Something of another", agent="b")
    other, reader = await api.as_role("agent", "b"), await api.as_role("reader")
    assert await other.status("GET", f"/v1/dreams/{done['id']}/changes") == 404
    assert await other.status("POST", f"/v1/dreams/{done['id']}/changes/1/undo") == 404
    assert await other.status("POST", f"/v1/dreams/{done['id']}/cancel") == 404
    assert await reader.status("GET", f"/v1/dreams/{done['id']}/changes") == 200
    assert await reader.status("POST", f"/v1/dreams/{done['id']}/changes/1/undo") == 403
    assert await reader.status("POST", f"/v1/dreams/{done['id']}/cancel") == 403


async def test_a_cancelled_dream_leaves_nothing(own_api: Api) -> None:
    api = own_api
    await say(api, "I live in Oslo.")
    queued = await api.post("/v1/agents/a/dream")
    held, go_on = asyncio.Event(), asyncio.Event()

    async def hold(step: str) -> None:
        if step == "reconciled":
            held.set()
            await go_on.wait()

    dreaming = asyncio.create_task(Dreamer(api.runtime, "w", 60, on_step=hold).dream_next())
    await held.wait()
    cancelled = await api.post(f"/v1/dreams/{queued['id']}/cancel")
    assert (cancelled["status"], cancelled["error"][:9]) == ("failed", "Cancelled")
    go_on.set()
    await dreaming
    assert (await api.get(f"/v1/dreams/{queued['id']}"))["status"] == "failed"
    assert await contents(api) == set()
    assert await api.status("POST", f"/v1/dreams/{queued['id']}/cancel") == 409
    await dream(api)
    assert any("Oslo" in one for one in await contents(api))


async def test_a_queued_dream_is_cancelled_before_it_begins(own_api: Api) -> None:
    api = own_api
    await say(api, "I live in Oslo.")
    queued = await api.post("/v1/agents/a/dream")
    assert (await api.post(f"/v1/dreams/{queued['id']}/cancel"))["status"] == "failed"
    await Dreamer(api.runtime, "w", 60).dream_next()
    assert [one["id"] for one in (await api.get("/v1/dreams"))["items"]] == [queued["id"]]
    assert (await api.post("/v1/agents/a/dream"))["id"] != queued["id"]
