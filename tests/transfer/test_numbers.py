"""Numbers that an import may set: what it takes leaves room for what comes after, all else is refused by its line."""

from __future__ import annotations

from typing import Any

import pytest

from service.domain.export_lines import SEQ_MAX, VERSION_MAX
from service.domain.ids import new_id
from service.memory.counters import AccessCounter
from tests.live_api import Api
from tests.tables import table
from tests.transfer.exports import exported, ndjson
from tests.worker.dreaming import dream, say

Json = dict[str, Any]
SESSION = {"record": "session", "id": str(new_id()), "agent": "a", "session": "s"}
MESSAGE = {"record": "message", "id": str(new_id()), "agent": "a", "session": "s", "role": "user"}
MEMORY = {"record": "memory", "id": str(new_id()), "agent": "a", "type": "fact", "content": "The ferry leaves at nine"}
HISTORY = {
    "record": "history", "memory_id": MEMORY["id"], "memory": {}, "actor": "x", "reason": "y",
    "at": "2024-01-01T00:00:00Z",
}  # fmt: skip
BULLETIN = {"record": "bulletin", "agent": "a", "content": "What I know", "inputs_hash": "x"}
WINDOW = {"record": "window", "agent": "a", "session": "s", "memory_id": MEMORY["id"]}


async def brought_in(api: Api, *lines: Json) -> Json:
    return await api.post("/v1/import", content=ndjson(list(lines)))


@pytest.mark.parametrize("seq", [2**31 - 1, 2**31, SEQ_MAX])
async def test_a_conversation_goes_on_after_the_largest_number(api: Api, elsewhere: Api, seq: int) -> None:
    near = {"dreamed_seq": seq - 1, "window_seq": seq - 1, "window_from_seq": seq - 1}
    await brought_in(api, SESSION | near, MESSAGE | {"seq": seq, "content": "I live in Oslo."})
    for text in ("I work in Bergen.", "I like green tea."):
        await say(api, text)
    last = {"id": str(new_id()), "content": "At the end"}
    await brought_in(api, MESSAGE | last)
    page = await api.get("/v1/sessions/s/messages", agent="a", limit=2)
    rest = await api.get("/v1/sessions/s/messages", agent="a", limit=2, cursor=page["next_cursor"])
    assert [one["seq"] for one in page["items"] + rest["items"]] == [seq, seq + 1, seq + 2, seq + 3]
    done = await dream(api.runtime)
    assert (done["status"], done["error"]) == ("succeeded", None)
    assert len((await api.get("/v1/sessions/s/window", agent="a"))["messages"]) == 4
    assert (await api.post("/v1/sessions/s/compact?agent=a")) is not None
    assert (await api.post(f"/v1/dreams/{done['id']}/undo"))["status"] == "undone"
    if seq < SEQ_MAX:  # an export holds what an import takes, except of a session that began at its very end
        answer = await elsewhere.post("/v1/import", content=ndjson(await exported(api)))
        assert answer["records"]["message"]["created"] == 4


async def test_a_memory_changes_after_the_largest_version(api: Api) -> None:
    known = {"version": VERSION_MAX, "access_count": 2**62}
    await brought_in(api, MEMORY | known, HISTORY | {"version": VERSION_MAX - 1})
    path = f"/v1/memories/{MEMORY['id']}"
    changed = await api.patch(path, {"version": VERSION_MAX, "content": "The ferry leaves at ten"})
    assert changed["version"] == VERSION_MAX + 1
    assert [one["id"] for one in await api.search("when does the ferry leave?")] == [MEMORY["id"]]
    await api.runtime.part(AccessCounter).flush()
    assert (await api.get(path))["access_count"] > 2**62
    await api.delete(path)
    assert (await api.post(f"{path}/restore"))["version"] == VERSION_MAX + 3


async def test_a_bulletin_is_rewritten_after_the_largest_version(api: Api) -> None:
    await brought_in(api, MEMORY, BULLETIN | {"version": VERSION_MAX, "owners": []})
    assert (await api.post("/v1/agents/a/bulletin"))["version"] == VERSION_MAX + 1
    page = await api.get("/v1/agents/a/bulletin/versions", limit=1)
    rest = await api.get("/v1/agents/a/bulletin/versions", limit=1, cursor=page["next_cursor"])
    assert [one["version"] for one in page["items"] + rest["items"]] == [VERSION_MAX + 1, VERSION_MAX]


NONE = [-1, 1.5, 1e300, 2**63, 10**30, "x", [], {}]
PLACES = [
    (MESSAGE | {"content": "c"}, "seq", [0, SEQ_MAX + 1]),
    (SESSION, "dreamed_seq", [SEQ_MAX + 1]),
    (SESSION, "window_seq", [SEQ_MAX + 1]),
    (SESSION, "window_from_seq", [SEQ_MAX + 1]),
    (WINDOW | {"to_seq": 1}, "from_seq", [0, SEQ_MAX + 1]),
    (WINDOW | {"from_seq": 1}, "to_seq", [0, SEQ_MAX + 1]),
    (MEMORY, "version", [0, VERSION_MAX + 1, 2**31 - 1]),
    (MEMORY, "access_count", [2**62 + 1]),
    (HISTORY, "version", [0, VERSION_MAX + 1]),
    (BULLETIN, "version", [0, VERSION_MAX + 1]),
    (BULLETIN | {"version": 1}, "tokens", [2**31]),
]


async def test_a_number_out_of_its_bounds_is_refused_by_its_line(api: Api) -> None:
    with table() as row:
        for line, field, also in PLACES:
            with row(line, field, also):
                for value in [*NONE, *also]:
                    answer = await api.call(
                        "POST", "/v1/import", content=ndjson([MEMORY | {"id": str(new_id())}, line | {field: value}])
                    )
                    assert answer.status_code == 422, (value, answer.text)
                    assert answer.json()["line"] == 2
                    assert answer.json()["errors"][0]["loc"][:3] == ["body", 2, field]
                assert (await api.get("/v1/memories", agent="a"))["items"] == []
