"""Export and import over HTTP: what goes out comes back, once."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator

import pytest

from service.db.queries import query
from service.domain.export_lines import FormerMemory
from tests.live_api import SharedServer, Tenant
from tests.tables import table
from tests.transfer.exports import Line, describe, exported, ndjson, records


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


@pytest.fixture
async def elsewhere(shared_server: SharedServer) -> AsyncIterator[Tenant]:
    """Another workspace of the same server."""
    async with shared_server.tenant() as opened:
        yield opened


async def test_another_workspace_becomes_the_same(full: Tenant, elsewhere: Tenant) -> None:
    lines = await exported(full, include="deleted")
    answer = await elsewhere.post("/v1/import", content=ndjson(lines))
    assert answer["complete"] is True
    assert (answer["unchanged"], answer["skipped"]) == (0, 0)
    assert answer["records"]["memory"]["created"] == len(records(lines, "memory")) == 9
    assert describe(await exported(elsewhere, include="deleted")) == describe(lines)


async def test_memories_keep_ids_times_and_history(full: Tenant, elsewhere: Tenant) -> None:
    before = {memory["id"]: memory for memory in (await full.get("/v1/memories", include="superseded"))["items"]}
    await elsewhere.post("/v1/import", content=ndjson(await exported(full)))
    after = {memory["id"]: memory for memory in (await elsewhere.get("/v1/memories", include="superseded"))["items"]}
    assert after == before
    changed = next(memory for memory in before.values() if memory["version"] == 2)
    path = f"/v1/memories/{changed['id']}/history"
    assert await elsewhere.get(path) == await full.get(path)
    assert (await elsewhere.search("launch June"))[0]["id"] == changed["id"]
    page = await elsewhere.get("/v1/sessions/s1/messages", agent="a")
    assert page == await full.get("/v1/sessions/s1/messages", agent="a")


async def test_what_waits_in_the_inbox_and_what_was_rejected_come_along(full: Tenant, elsewhere: Tenant) -> None:
    lines = await exported(full)
    assert {line["status"] for line in records(lines, "proposal")} == {"proposed", "rejected"}
    await elsewhere.post("/v1/import", content=ndjson(lines))
    for status in ("proposed", "rejected"):
        assert await elsewhere.get("/v1/inbox", status=status) == await full.get("/v1/inbox", status=status)
    (proposal,) = (await elsewhere.get("/v1/inbox"))["items"]
    decided = await elsewhere.post(f"/v1/inbox/{proposal['id']}", {"action": "accept"})
    assert decided["memory"]["content"] == "Sam may like tea"


async def test_a_second_time_changes_nothing(full: Tenant, elsewhere: Tenant) -> None:
    lines = await exported(full)
    first = await elsewhere.post("/v1/import", content=ndjson(lines))
    snapshot = describe(await exported(elsewhere))
    again = await elsewhere.post("/v1/import", content=ndjson(lines))
    assert (again["created"], again["updated"]) == (0, 0)
    assert again["unchanged"] == first["created"] + first["updated"]
    assert describe(await exported(elsewhere)) == snapshot
    into_itself = await full.post("/v1/import", content=ndjson(lines))
    assert (into_itself["created"], into_itself["updated"]) == (0, 0)


async def test_a_newer_line_updates_and_an_older_one_does_not(full: Tenant, elsewhere: Tenant) -> None:
    old = await exported(full)
    await elsewhere.post("/v1/import", content=ndjson(old))
    milk = (await full.get("/v1/memories", key="milk"))["items"][0]
    await full.patch(f"/v1/memories/{milk['id']}", {"version": milk["version"], "status": "done"})
    answer = await elsewhere.post("/v1/import", content=ndjson(await exported(full)))
    assert answer["records"]["memory"]["updated"] == 1
    assert (await elsewhere.get(f"/v1/memories/{milk['id']}"))["status"] == "done"
    assert (await elsewhere.get(f"/v1/memories/{milk['id']}"))["version"] == milk["version"] + 1
    stale = await elsewhere.post("/v1/import", content=ndjson(old))
    assert stale["records"]["memory"]["updated"] == 0
    assert (await elsewhere.get(f"/v1/memories/{milk['id']}"))["status"] == "done"


@pytest.mark.parametrize(
    ("given", "ours"),
    [("factual", "fact"), ("episodic", "event"), ("procedural", "fact"), ("semantic", "fact"), ("goal", "goal")],
)
async def test_types_of_other_systems_are_ours(api: Tenant, given: str, ours: str) -> None:
    await api.post("/v1/import", content=ndjson([{"agent": "a", "type": given, "content": "x"}]))
    assert [memory["type"] for memory in (await api.get("/v1/memories"))["items"]] == [ours]


VERSION: Line = {
    "record": "history", "memory_id": "01890000-0000-7000-8000-000000000000", "version": 1, "memory": {}, "actor": "x",
    "reason": "y", "at": "2024-01-01T00:00:00Z",
}  # fmt: skip
BROKEN_LINES = [
    ("{not json", "JSON"),
    ("[1]", "object"),
    ('{"agent": "a", "type": "rumour", "content": "x"}', "type"),
    ('{"agent": "a", "type": "fact", "content": ""}', "content"),
    ('{"type": "fact", "content": "whose?"}', "agent"),
    ('{"record": "wish"}', "record"),
    ('{"record": "history", "memory_id": "01890000-0000-7000-8000-000000000000", "version": 1, "memory": {}, '
     '"actor": "x", "reason": "y", "at": "2024-01-01T00:00:00Z"}', "memory_id"),
    (json.dumps(VERSION | {"memory": {"importance": "very"}}), "memory.importance"),
    (json.dumps(VERSION | {"memory": {"tags": None}}), "memory.tags"),
    (json.dumps(VERSION | {"memory": {"valid_from": "soon"}}), "memory.valid_from"),
    (json.dumps(VERSION | {"memory": {"superseded_by": "x"}}), "memory.superseded_by"),
    (json.dumps(VERSION | {"memory": {"scope": "world"}}), "memory.scope"),
    (json.dumps(VERSION | {"memory": {"of": {"another": "sys\0tem"}}}), "memory"),
]  # fmt: skip


@pytest.mark.first_tier
async def test_a_broken_line_is_named_and_nothing_is_written(api: Tenant) -> None:
    with table() as row:
        for broken, named in BROKEN_LINES:
            with row(broken, named):
                lines = [json.dumps({"agent": "a", "type": "fact", "content": f"fact {n}"}) for n in range(10)]
                lines[6] = broken
                response = await api.call("POST", "/v1/import", content="\n".join(lines))
                assert response.status_code == 422
                assert response.headers["content-type"] == "application/problem+json"
                problem = response.json()
                assert problem["line"] == 7
                assert "line 7" in problem["detail"]
                assert named in problem["detail"]
                assert (await api.get("/v1/memories"))["items"] == []
                assert (await api.get("/v1/agents"))["items"] == []


async def test_what_a_version_leaves_out_is_as_it_is_now(api: Tenant) -> None:
    memory = {"id": VERSION["memory_id"], "agent": "a", "type": "fact", "version": 3, "content": "Tea", "tags": ["x"]}
    second = {"version": 2, "memory": {"content": "Milk", "valid_from": "1704067200", "another": "system's"}}
    assert (await api.post("/v1/import", content=ndjson([memory, VERSION, VERSION | second])))["created"] == 3
    versions = (await api.get(f"/v1/memories/{memory['id']}/history"))["items"]
    shown = [(one["version"], one["content"], one["tags"], one["origin"]) for one in versions]
    origin = versions[-1]["origin"]
    assert shown == [(1, "Tea", ["x"], origin), (2, "Milk", ["x"], origin), (3, "Tea", ["x"], origin)]
    assert versions[1]["valid_from"] == "2024-01-01T00:00:00Z"


def test_every_field_that_is_read_of_a_version_is_checked() -> None:
    """The columns of the fragment ``version_record``, but for the number, which the line has itself."""
    columns = re.findall(r"AS x\(([^)]*)\)", query("memory_history").sql)[0]
    assert {column.split()[0].strip('"') for column in columns.split(",")} == {*FormerMemory.__annotations__, "version"}


async def test_one_agent_alone(full: Tenant, elsewhere: Tenant) -> None:
    lines = await exported(full, agent="b")
    assert {line["agent"] for line in records(lines, "memory")} == {"b"}
    assert records(lines, "settings") == []
    await elsewhere.post("/v1/import", content=ndjson(lines))
    assert [agent["agent"] for agent in (await elsewhere.get("/v1/agents"))["items"]] == ["b"]
    assert await full.status("GET", "/v1/export", params={"agent": "nobody"}) == 404


async def test_an_agent_key_exports_itself_and_imports_nothing(full: Tenant) -> None:
    agent = await full.as_role("agent", "b")
    lines = await exported(agent, agent="a")
    assert {line["agent"] for line in records(lines, "memory")} == {"b"}
    assert await agent.status("POST", "/v1/import", content="") == 403
    assert await (await full.as_role("reader")).status("POST", "/v1/import", content="") == 403


async def test_deleted_and_expired_memories_only_when_asked(full: Tenant) -> None:
    await full.save("Expired", created_at="2019-12-01T00:00:00Z", expires_at="2020-01-01T00:00:00Z")
    contents = {line["content"] for line in records(await exported(full), "memory")}
    assert not contents & {"Gone again", "Expired"}
    contents = {line["content"] for line in records(await exported(full, include="deleted,expired"), "memory")}
    assert contents >= {"Gone again", "Expired"}


async def test_some_memories_with_their_history_and_nothing_else(full: Tenant, elsewhere: Tenant) -> None:
    other = await full.save("The launch was put off twice", tags=["x"], metadata={"at": {"gate": 'Größe "3"'}})
    where = {"or": [{"tags": "x", "type": "decision"}, {"metadata.at.gate": {"in": ['Größe "3"']}}]}
    lines = await exported(full, where=json.dumps(where))
    assert {line["record"] for line in lines} == {"export", "agent", "task", "memory", "history", "end"}
    contents = {line["content"]: line["id"] for line in records(lines, "memory")}
    assert contents == {
        "The launch is in June": records(lines, "history")[0]["memory_id"],
        other["content"]: other["id"],
    }
    written = {name: count for name, count in lines[-1]["counts"].items() if name != "task"}
    assert lines[0]["counts"] == written == {"agent": 2, "memory": 2, "history": 1}
    read = await elsewhere.post("/v1/import", content=ndjson(lines))
    assert read["complete"]
    assert read["records"]["memory"]["created"] == 2
    assert {line["content"] for line in records(await exported(elsewhere), "memory")} == set(contents)
    rest = await exported(full, where=json.dumps(where), resume_from=f"memory:{other['id']}")
    assert [line["content"] for line in records(rest, "memory")] == [other["content"]]


async def test_a_filter_that_is_none_is_named_before_anything_is_sent(full: Tenant) -> None:
    for where, loc in (('{"colour": 1}', ["where", "colour"]), ("[1]", ["where"]), ("{", ["where"])):
        refused = await full.call("GET", "/v1/export", params={"where": where})
        assert (refused.status_code, refused.json()["errors"][0]["loc"]) == (422, ["query", *loc])
    only = {"where": '{"type": "fact"}', "resume_from": "message:00000000-0000-0000-0000-000000000000"}
    assert (await full.call("GET", "/v1/export", params=only)).json()["errors"][0]["loc"] == ["query", "resume_from"]


async def test_goes_on_where_it_broke_off(full: Tenant) -> None:
    lines = await exported(full)
    part = lines[: len(lines) // 2]
    last = part[-1]
    key = {"agent": "agent", "bulletin": "agent", "history": "memory_id"}.get(last["record"], "id")
    rest = await exported(full, resume_from=f"{last['record']}:{last.get(key, '')}")
    assert rest[1] == last
    assert [line for line in part + rest[2:] if line["record"] not in ("export", "end")] == lines[1:-1]
    assert await full.status("GET", "/v1/export", params={"resume_from": "memory:no-id"}) == 422


async def test_a_cut_off_export_is_said_to_be_incomplete(full: Tenant, elsewhere: Tenant) -> None:
    answer = await elsewhere.post("/v1/import", content=ndjson((await exported(full))[:-1]))
    assert answer["complete"] is False
    answer = await elsewhere.post("/v1/import", content=ndjson([{"agent": "a", "type": "fact", "content": "x"}]))
    assert answer["complete"] is None


async def test_a_memory_that_is_here_under_another_id_stays(api: Tenant) -> None:
    here = await api.save("Ana likes tea")
    line = {"id": "01890000-0000-7000-8000-000000000001", "agent": "a", "type": "fact", "content": "ana likes  TEA"}
    answer = await api.post("/v1/import", content=ndjson([line]))
    assert answer["unchanged"] == 1
    assert [memory["id"] for memory in (await api.get("/v1/memories"))["items"]] == [here["id"]]
    assert (await api.get(f"/v1/memories/{here['id']}"))["version"] == here["version"]


async def test_messages_of_two_histories_of_one_session_are_all_kept(full: Tenant, elsewhere: Tenant) -> None:
    await elsewhere.post("/v1/sessions/s1/messages", {"agent": "a", "messages": [{"role": "user", "content": "mine"}]})
    lines = await exported(full)
    await elsewhere.post("/v1/import", content=ndjson(lines))
    await elsewhere.post("/v1/import", content=ndjson(lines))
    page = (await elsewhere.get("/v1/sessions/s1/messages", agent="a"))["items"]
    assert [message["seq"] for message in page] == [1, 2, 3]
    assert page[0]["content"] == "mine"
    assert {message["content"] for message in page[1:] if isinstance(message["content"], str)} == {"I moved to Bergen."}
    after = await elsewhere.post(
        "/v1/sessions/s1/messages", {"agent": "a", "messages": [{"role": "user", "content": "next"}]}
    )
    assert after["messages"][0]["seq"] == 4


async def test_what_no_search_finds_is_not_found_elsewhere_either(api: Tenant, elsewhere: Tenant) -> None:
    for content, searchable in (("The spare key is under the mat.", False), ("The mat is blue.", True)):
        turns = {"agent": "a", "messages": [{"role": "user", "content": content}], "searchable": searchable}
        await api.post("/v1/sessions/s1/messages", turns)
    lines = await exported(api)
    assert [line["searchable"] for line in lines if line["record"] == "message"] == [False, True]
    await elsewhere.post("/v1/import", content=ndjson(lines))
    found = await elsewhere.post("/v1/memories/search", {"agent": "a", "query": "mat", "include": ["messages"]})
    assert [one["message"]["content"] for one in found["results"]] == ["The mat is blue."]
    assert (await exported(elsewhere))[1:] == lines[1:]


async def test_larger_than_the_bound_on_other_bodies(api: Tenant) -> None:
    lines = [{"agent": "a", "type": "fact", "content": f"{n} " + "word " * 500} for n in range(800)]
    body = ndjson(lines)
    assert len(body) > 1_048_576
    answer = await api.post("/v1/import", content=body)
    assert answer["created"] == 800


async def test_personal_data_is_masked_before_it_is_stored(api: Tenant) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    memory = {"id": "01890000-0000-7000-8000-000000000001", "agent": "a", "type": "fact", "version": 2}
    lines: list[Line] = [
        memory | {"content": "Write to ann@example.org", "metadata": {"mail": "ann@example.org"}},
        {"record": "message", "id": "01890000-0000-7000-8000-000000000002", "agent": "a", "session": "s",
         "role": "user", "content": "I am ann@example.org"},
        {"record": "history", "memory_id": memory["id"], "version": 1, "actor": "x", "reason": "y",
         "at": "2024-01-01T00:00:00Z", "memory": {"content": "ann@example.org", "summary": "", "metadata": {}}},
    ]  # fmt: skip
    assert (await api.post("/v1/import", content=ndjson(lines)))["created"] == 3
    told = json.dumps(await exported(api))
    assert "ann@example.org" not in told
    places = ("content", "summary", "metadata", "message", "former version")
    assert told.count("<EMAIL_ADDRESS>") == len(places)
    assert (await api.post("/v1/import", content=ndjson(lines)))["unchanged"] == 3


async def test_personal_data_that_is_refused_names_its_line(api: Tenant) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "reject"}})
    lines = [{"agent": "a", "type": "fact", "content": f"fact {n}"} for n in range(10)]
    lines[6]["content"] = "ann@example.org"
    response = await api.call("POST", "/v1/import", content=ndjson(lines) + "{broken")
    assert (response.status_code, response.json()["line"]) == (422, 7)
    assert "ann@example.org" not in response.text
    assert (await api.get("/v1/memories"))["items"] == []


async def test_imports_and_exports_are_in_the_audit_log(full: Tenant) -> None:
    await full.post("/v1/import", content=ndjson(await exported(full, agent="a")))
    actions = [line["action"] for line in (await full.get("/v1/audit"))["items"]]
    assert {"import", "read.export"} <= set(actions)


async def progress_of(api: Tenant, body: str) -> list[Line]:
    """What an import tells while it is written."""
    headers = {"Accept": "application/x-ndjson"}
    response = await api.call("POST", "/v1/import", content=body, headers=headers)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in response.text.splitlines()]


async def test_an_import_tells_how_far_it_is(api: Tenant) -> None:
    lines = [{"agent": "a", "type": "fact", "content": f"fact {n}"} for n in range(1_100)]
    *steps, last = await progress_of(api, ndjson(lines))
    assert [(step["record"], step["stage"], step["done"], step["total"]) for step in steps] == [
        ("progress", "writing", done, 1_100) for done in (500, 1_000, 1_100)
    ]
    assert (last["record"], last["created"]) == ("imported", 1_100)
    assert await progress_of(api, "") == [last | {"created": 0, "records": {}}]


async def test_what_fails_after_the_first_progress_is_told_last_and_nothing_is_written(api: Tenant) -> None:
    *steps, last = await progress_of(api, ndjson([{"agent": "a", "type": "fact", "content": "x"}, VERSION]))
    assert [step["record"] for step in steps] == ["progress"]
    assert (last["record"], last["status"], last["line"]) == ("problem", 422, 2)
    assert (await api.get("/v1/memories"))["items"] == []


async def test_a_broken_line_is_a_status_for_those_who_want_progress_too(api: Tenant) -> None:
    response = await api.call("POST", "/v1/import", content="{broken", headers={"Accept": "application/x-ndjson"})
    assert (response.status_code, response.json()["line"]) == (422, 1)
