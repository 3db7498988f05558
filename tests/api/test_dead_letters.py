"""Dead letters over the API: for admins, page by page, audited, and counted by the engine."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from service.domain.ids import DEFAULT_WORKSPACE, new_id
from tests.live_api import Api
from tests.worker.dreaming import say


async def set_aside(api: Api, subject_id: str, **fields: object) -> None:
    given = {"job": "dream", "step": "read", "attempts": 2, "dream_id": None, "now": api.runtime.now()} | fields
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.run(
            "add_dead_letter", workspace=DEFAULT_WORKSPACE, id=new_id(), subject_id=UUID(subject_id), **given
        )


async def test_they_are_listed_page_by_page_newest_first(api: Api) -> None:
    stored = await say(api, *(f"turn {n}" for n in range(5)))
    memory = await api.save("Oslo is large")
    document = await api.post("/v1/documents", {"agent": "a", "title": "Tea", "text": "Tea is hot."})
    for message in stored:
        await set_aside(api, message["id"])
    await set_aside(api, memory["id"], job="embedding", step="embed")
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        chunk = await connection.raw.fetchval("SELECT id FROM chunks")
    await set_aside(api, str(chunk), job="reindex", step="embed")
    await set_aside(api, str(uuid4()))
    found, cursor = [], {}
    while True:
        page = await api.get("/v1/dead-letters", limit=3, **cursor)
        found += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert [(one["kind"], one["seq"]) for one in found] == [
        ("chunk", None), ("memory", None), *(("message", seq) for seq in (5, 4, 3, 2, 1))
    ]  # fmt: skip
    assert {one["agent"] for one in found} == {"a"}
    assert [one["document_id"] for one in found[:2]] == [document["id"], None]
    assert (found[1]["job"], found[1]["step"], found[1]["status"]) == ("embedding", "embed", "dead")
    assert "'embed'" in found[1]["reason"]
    counted = (await api.get("/v1/engine"))["dead_letters"]
    assert counted == {"count": 7, "oldest_at": found[-1]["created_at"]}


async def test_retrying_and_giving_up_are_audited_and_done_once(api: Api) -> None:
    first, second = await say(api, "one", "two")
    for message in (first, second):
        await set_aside(api, message["id"])
    newest, oldest = [one["id"] for one in (await api.get("/v1/dead-letters"))["items"]]
    for _ in range(2):
        assert (await api.post(f"/v1/dead-letters/{newest}/retry"))["status"] == "retrying"
    queued = (await api.get("/v1/dreams"))["items"]
    assert [(one["trigger"], one["status"]) for one in queued] == [("retry", "queued")]
    assert (await api.get("/v1/engine"))["dead_letters"]["count"] == 1
    await api.delete(f"/v1/dead-letters/{oldest}")
    await api.delete(f"/v1/dead-letters/{newest}")
    assert (await api.get("/v1/dead-letters"))["items"] == []
    for path in (f"/v1/dead-letters/{newest}/retry", f"/v1/dead-letters/{uuid4()}/retry"):
        assert (await api.call("POST", path)).status_code == 404
    assert (await api.call("DELETE", f"/v1/dead-letters/{oldest}")).status_code == 404
    lines = [(line["action"], line["target"]) for line in (await api.get("/v1/audit"))["items"]]
    assert [line for line in lines if line[0].startswith("dead_letter")] == [
        ("dead_letter.discarded", newest), ("dead_letter.discarded", oldest), ("dead_letter.retried", newest),
    ]  # fmt: skip


@pytest.mark.parametrize("role", ["agent", "reader"])
async def test_only_admins_see_and_touch_them(api: Api, role: str) -> None:
    (message,) = await say(api, "one")
    await set_aside(api, message["id"])
    (letter,) = (await api.get("/v1/dead-letters"))["items"]
    other = await api.as_role(role, "a") if role == "agent" else await api.as_role(role)
    for method, path in (
        ("GET", "/v1/dead-letters"),
        ("POST", f"/v1/dead-letters/{letter['id']}/retry"),
        ("DELETE", f"/v1/dead-letters/{letter['id']}"),
    ):
        assert (await other.call(method, path)).status_code == 403
    assert (await api.get("/v1/dead-letters"))["items"] == [letter]


async def test_what_is_deleted_leaves_no_dead_letter(api: Api) -> None:
    document = await api.post("/v1/documents", {"agent": "a", "title": "Tea", "text": "Tea is hot."})
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        chunk = await connection.raw.fetchval("SELECT id FROM chunks")
    await set_aside(api, str(chunk))
    await api.delete(f"/v1/documents/{document['id']}")
    assert (await api.get("/v1/dead-letters"))["items"] == []
