"""Reading in what other systems wrote out: Mem0 and ARKOS."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.live_api import Tenant


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


MEM0 = [
    {
        "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
        "memory": "Dev works at TechCorp as a senior engineer",
        "hash": "c0ffee",
        "metadata": {"type": "professional"},
        "categories": ["work"],
        "created_at": "2024-07-26T08:30:41.039788-07:00",
        "updated_at": None,
        "user_id": "dev",
        "agent_id": "helper",
    },
    {"id": "m-2", "memory": "Arjun prefers morning meetings", "user_id": "arjun", "created_at": "2024-07-27T00:00:00"},
]
ASKED = {"content": 'I like "green" tea,\nreally', "role": "user"}
CALLED = {"content": None, "role": "assistant", "tool_calls": {"name": "f"}}
ROWS = [
    ("1", "ana", "s1", "user", json.dumps(ASKED), "2025-01-02 03:04:05.678"),
    ("2", "ana", "s1", "assistant", json.dumps(CALLED), "2025-01-02 03:04:06"),
    ("3", "ben", "s2", "user", 'plain text of an old row,\n\n"quoted"', "2025-01-03 00:00:00"),
]
HEADER = ("id", "user_id", "session_id", "role", "message", "created_at")


def as_csv() -> str:
    text = io.StringIO()
    csv.writer(text).writerows([HEADER, *ROWS])
    return text.getvalue()


def as_ndjson() -> str:
    return "".join(json.dumps(dict(zip(HEADER, row, strict=True))) + "\n" for row in ROWS)


@pytest.mark.parametrize(
    "shape", [lambda items: items, lambda items: {"results": items}, lambda items: {"memories": items}]
)
async def test_a_mem0_export(api: Tenant, shape: object) -> None:
    body = json.dumps(shape(MEM0), indent=2)  # type: ignore[operator]
    for created in (2, 0):
        answer = await api.post("/v1/import", content=body, params={"format": "mem0", "agent": "a"})
        assert (answer["created"], answer["unchanged"]) == (created, 2 - created)
    memories = {memory["user"]: memory for memory in (await api.get("/v1/memories"))["items"]}
    assert memories["dev"]["id"] == MEM0[0]["id"]
    assert memories["dev"]["agent"] == "helper"
    assert memories["dev"]["created_at"] == "2024-07-26T15:30:41.039788Z"
    assert memories["dev"]["tags"] == ["work"]
    assert memories["dev"]["metadata"] == {"type": "professional"}
    assert memories["arjun"]["agent"] == "a"
    assert memories["arjun"]["source"]["kind"] == "mem0"


async def test_a_broken_mem0_item_is_named(api: Tenant) -> None:
    for body in (json.dumps([MEM0[0], {"id": "no text"}]), json.dumps(MEM0)[:-20]):
        response = await api.call("POST", "/v1/import", content=body, params={"format": "mem0", "agent": "a"})
        assert response.status_code == 422
        assert response.json()["line"] == 2
    assert (await api.get("/v1/memories"))["items"] == []


@pytest.mark.parametrize("body", [{"items": MEM0}, {"results": None}, "text", 7, {}, [{"note": "x"}]])
async def test_a_file_without_memories_says_what_is_needed(api: Tenant, body: object) -> None:
    response = await api.call("POST", "/v1/import", content=json.dumps(body), params={"format": "mem0", "agent": "a"})
    assert response.status_code == 422
    assert "memor" in response.json()["detail"]


@pytest.mark.parametrize("body", [[], {"results": []}, {"memories": [], "relations": []}])
async def test_a_list_without_memories_is_read(api: Tenant, body: object) -> None:
    answer = await api.post("/v1/import", content=json.dumps(body), params={"format": "mem0", "agent": "a"})
    assert answer["created"] == 0


@pytest.mark.parametrize(
    ("format_", "body"),
    [
        ("mem0", json.dumps(MEM0)),
        ("arkos", as_csv()),
        ("arkos", as_ndjson()),
        ("reverie", '{"agent": "a", "type": "fact", "content": "Likes tea"}'),
        ("reverie", '\n{"record": "message", "id": "01890000-0000-7000-8000-00000000000a", "agent": "a",'
         ' "session": "s", "role": "developer", "content": [{"text": "Be brief"}]}'),
    ],
)  # fmt: skip
async def test_a_byte_order_mark_is_passed_over(api: Tenant, format_: str, body: str) -> None:
    answer = await api.post("/v1/import", content="\ufeff" + body, params={"format": format_, "agent": "a"})
    assert answer["created"] >= 1


CONTENTS = ("x", None, None, None, "y")


@pytest.mark.parametrize(
    ("format_", "body"),
    [
        ("mem0", json.dumps([MEM0[0], None, {"id": "1", "memory": None}, {"id": "2", "memory": ""}, MEM0[1]])),
        ("reverie", "\n".join(json.dumps({"agent": "a", "type": "fact", "content": c}) for c in CONTENTS)),
    ],
)  # fmt: skip
async def test_a_memory_without_a_text_is_skipped_and_counted(api: Tenant, format_: str, body: str) -> None:
    answer = await api.post("/v1/import", content=body, params={"format": format_, "agent": "a"})
    assert (answer["created"], answer["skipped"], answer["records"]["memory"]["skipped"]) == (2, 3, 3)
    assert [notice.partition(":")[0] for notice in answer["notices"]] == ["line 2", "line 3", "line 4"]


OMNIROUTE = [
    {"id": "o-1", "apiKeyId": "k", "sessionId": "s", "type": "episodic", "key": "db", "metadata": {}, "expiresAt": None,
     "content": "We decided to use Postgres", "createdAt": "2025-01-02T03:04:05Z"},
    {"id": "o-2", "api_key_id": "k", "session_id": None, "type": "procedural", "key": "",
     "metadata": '{"source": "chat"}', "content": "Run the linter before a push", "created_at": "2025-01-02 03:04:05"},
    {"id": "o-3", "apiKeyId": "k", "sessionId": "", "type": "episodic", "metadata": None,
     "content": "Visited Oslo in May", "createdAt": 1735787045000},
]  # fmt: skip


@pytest.mark.parametrize("format_", ["mem0", "reverie"])
async def test_rows_of_omniroute(api: Tenant, format_: str) -> None:
    body = json.dumps(OMNIROUTE) if format_ == "mem0" else "\n".join(map(json.dumps, OMNIROUTE))
    for created in (3, 0):
        answer = await api.post("/v1/import", content=body, params={"format": format_, "agent": "a"})
        assert (answer["created"], answer["unchanged"]) == (created, 3 - created)
    found = {one["source"]["id"]: one for one in (await api.get("/v1/memories", agent="a"))["items"]}
    assert {id_: one["type"] for id_, one in found.items()} == {"o-1": "decision", "o-2": "fact", "o-3": "event"}
    assert {one["created_at"][:10] for one in found.values()} == {"2025-01-02"}
    assert (found["o-1"]["session"], found["o-1"]["key"], found["o-2"]["metadata"]) == ("s", "db", {"source": "chat"})


@pytest.mark.parametrize("body", [as_csv(), as_ndjson()], ids=["csv", "ndjson"])
async def test_the_conversation_context_of_arkos(api: Tenant, body: str) -> None:
    for created in (3, 0):
        answer = await api.post("/v1/import", content=body, params={"format": "arkos", "agent": "a"})
        assert (answer["created"], answer["unchanged"]) == (created, 3 - created)
    page = (await api.get("/v1/sessions/s1/messages", agent="a"))["items"]
    assert [(message["seq"], message["role"], message["user"]) for message in page] == [
        (1, "user", "ana"),
        (2, "assistant", "ana"),
    ]
    assert page[0]["content"] == 'I like "green" tea,\nreally'
    assert page[0]["created_at"] == "2025-01-02T03:04:05.678000Z"
    assert page[1]["content"] == {"content": "", "tool_calls": {"name": "f"}}
    assert (await api.get("/v1/sessions/s2/messages", agent="a"))["items"][0]["content"] == ROWS[2][4]


async def test_a_broken_row_of_arkos_is_named_by_its_line(api: Tenant) -> None:
    body = as_csv() + "4,ana,s1,robot,x,2025-01-01\n"
    response = await api.call("POST", "/v1/import", content=body, params={"format": "arkos", "agent": "a"})
    assert response.status_code == 422
    assert response.json()["line"] == 7
    assert (await api.get("/v1/sessions"))["items"] == []
    response = await api.call("POST", "/v1/import", content="a,b\n1,2\n", params={"format": "arkos", "agent": "a"})
    assert response.json()["line"] == 1
