"""Names that hold personal data: masked, they stay different, and the original finds what was saved so."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any
from urllib.parse import quote

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.placeholders import placeholder
from service.domain.workspace import Masking, PiiSettings
from service.memory.access.redaction import masked_names
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from tests.live_api import Api, serving
from tests.pg_dump import dump
from tests.tables import table

BOB, AMY = "bob@ex.com", "amy@ex.com"
MASKED = re.compile(r"<EMAIL_ADDRESS:[0-9a-f]{24}>")
PLACES = ("agent", "session", "user", "task")


@pytest.fixture
async def redacting(api: Api) -> Api:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    return api


def there(name: str) -> str:
    return quote(name, safe="")


@pytest.mark.first_tier
async def test_two_keys_are_two_memories(redacting: Api) -> None:
    bob = await redacting.save("Bob likes tea", key=BOB)
    amy = await redacting.call(
        "POST", "/v1/memories", json={"agent": "a", "type": "fact", "content": "Amy likes tea", "key": AMY}
    )
    assert amy.status_code == 201
    assert MASKED.fullmatch(bob["key"])
    assert amy.json()["memory"]["key"] != bob["key"]
    assert (await redacting.get(f"/v1/memories/{bob['id']}"))["content"] == "Bob likes tea"
    changed = await redacting.save("Bob likes coffee", key=BOB)
    assert changed["id"] == bob["id"]
    for key, content in ((BOB, "Bob likes coffee"), (AMY, "Amy likes tea"), (bob["key"], "Bob likes coffee")):
        assert [one["content"] for one in (await redacting.get("/v1/memories", key=key))["items"]] == [content]


async def test_a_batch_of_names_that_are_masked_alike_loses_nothing(redacting: Api) -> None:
    people = [f"p{number}@ex.com" for number in range(50)]
    items = [{"agent": "a", "type": "fact", "content": f"{n}", "key": one} for n, one in enumerate(people)]
    await redacting.post("/v1/memories/batch", {"items": items})
    answers = await asyncio.gather(*(redacting.get("/v1/memories", agent="a", key=one) for one in people))
    assert [[one["content"] for one in answer["items"]] for answer in answers] == [[str(n)] for n in range(50)]


@pytest.mark.parametrize("field", [*PLACES, "about", "tag"])
async def test_every_filter_finds_what_was_saved_under_the_original(redacting: Api, field: str) -> None:
    for who in (BOB, AMY):
        given: dict[str, Any] = {"tags": [who]} if field == "tag" else {field: who}
        given = {"user": who, "owners": []} if field == "about" else given
        await redacting.save("likes tea", **({"agent": "a"} | given), key=f"of {who}")
    searched = {"tags": [BOB]} if field == "tag" else {field: BOB}
    found = await redacting.search("tea", **({"agent": "a"} | searched))
    listed = [] if field == "task" else (await redacting.get("/v1/memories", **{field: BOB}))["items"]
    for memory in [*found, *listed]:
        told = memory["tags"][0] if field == "tag" else memory["user" if field == "about" else field]
        assert MASKED.fullmatch(told)
        assert (await redacting.get("/v1/memories", key=f"of {BOB}"))["items"][0]["id"] == memory["id"]
    assert len(found) == 1
    assert len(listed) == (field != "task")


async def test_sessions_agents_teams_and_documents(redacting: Api) -> None:
    for who in (BOB, AMY):
        body = {"agent": who, "user": who, "messages": [{"role": "user", "content": who, "name": who}]}
        stored = (await redacting.post(f"/v1/sessions/{there(who)}/messages", body))["messages"][0]
        assert stored["user"] == stored["name"] != who
        assert stored["content"] == "<EMAIL_ADDRESS>"
        await redacting.put(f"/v1/agents/{there(who)}", {"teams": [who], "name": who})
        await redacting.save("Our tea", agent=who, scope="team", team=who)
        await redacting.post("/v1/documents", {"agent": who, "user": who, "title": who, "text": "A letter"})
    for who in (BOB, AMY):
        session = await redacting.get(f"/v1/sessions/{there(who)}", agent=who)
        assert MASKED.fullmatch(session["session"])
        assert (await redacting.get(f"/v1/sessions/{there(session['session'])}", agent=session["agent"])) == session
        assert len((await redacting.get("/v1/sessions", user=who))["items"]) == 1
        assert len((await redacting.get("/v1/documents", user=who))["items"]) == 1
        agent = await redacting.get(f"/v1/agents/{there(who)}")
        assert agent["teams"] == [agent["agent"]] == [agent["name"]]
        key = await redacting.as_role("agent", who)
        assert [memory["content"] for memory in await key.search("tea", agent=who)] == ["Our tea"]
    assert len((await redacting.get("/v1/agents"))["items"]) == 2


async def test_entities_stay_two_people(redacting: Api) -> None:
    for who in (BOB, AMY):
        await redacting.save("likes tea", key=who, links=[{"relation": "about", "entity": {"name": who}}])
    bob, amy = [await redacting.get(f"/v1/entities/{there(who)}", agent="a") for who in (BOB, AMY)]
    assert bob["id"] != amy["id"]
    assert (bob["mentions"], amy["mentions"]) == (1, 1)
    assert [one["id"] for one in (await redacting.get("/v1/entities", q=BOB))["items"]] == [bob["id"]]
    renamed = await redacting.patch(
        f"/v1/entities/{bob['id']}", {"name": "bob2@ex.com", "kind": "k@ex.com", "aliases": ["bobby@ex.com"]}
    )
    assert MASKED.fullmatch(renamed["name"])
    assert MASKED.fullmatch(renamed["kind"])
    for name in ("bob2@ex.com", "bobby@ex.com"):
        assert (await redacting.get(f"/v1/entities/{there(name)}", agent="a"))["id"] == bob["id"]
    assert (await redacting.get("/v1/entities", kind="k@ex.com"))["items"][0]["id"] == bob["id"]


@pytest.mark.parametrize("name", ["<EMAIL_ADDRESS>", "<email_address>", "friend of <PERSON>"])
async def test_a_placeholder_that_stands_for_anybody_is_no_entity(redacting: Api, name: str) -> None:
    saved = await redacting.save("likes tea", links=[{"relation": "about", "entity": {"name": "Tea"}}])
    entity = await redacting.get("/v1/entities/Tea", agent="a")
    link = {"relation": "about", "entity": {"name": name}}
    memory = {"agent": "a", "type": "fact", "content": "x", "links": [link]}
    edge = {
        "agent": "a",
        "relation": "about",
        "source": {"memory_id": saved["id"]},
        "target": {"entity": {"name": name}},
    }
    split = {"memory_ids": [saved["id"]], "name": name}
    for method, path, body in (
        ("POST", "/v1/memories", memory),
        ("POST", "/v1/memories/batch", {"items": [memory]}),
        ("POST", "/v1/edges", edge),
        ("PATCH", f"/v1/entities/{entity['id']}", {"name": name}),
        ("PATCH", f"/v1/entities/{entity['id']}", {"aliases": [name]}),
        ("POST", f"/v1/entities/{entity['id']}/split", split),
    ):
        answer = await redacting.call(method, path, json=body)
        assert answer.status_code == 422, (path, answer.text)
        assert "placeholder" in answer.text
    assert [one["name"] for one in (await redacting.get("/v1/entities"))["items"]] == ["Tea"]


async def test_another_process_and_a_repetition_know_the_same_names(redacting: Api, settings: Settings) -> None:
    body = {"agent": "a", "type": "fact", "content": "Bob likes tea", "key": BOB}
    first = await redacting.call("POST", "/v1/memories", json=body, headers={"Idempotency-Key": "once"})
    async with serving(settings) as other:
        again = await other.call("POST", "/v1/memories", json=body, headers={"Idempotency-Key": "once"})
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.json() == first.json()
        assert (await other.save("Bob likes coffee", key=BOB))["id"] == first.json()["memory"]["id"]


async def test_processes_that_mask_at_the_same_time_agree(settings: Settings) -> None:
    async with open_runtime(settings, "one") as one, open_runtime(settings, "two") as two:
        forms = await asyncio.gather(*(_masked(runtime, BOB) for runtime in (one, two) * 5))
    assert len(set(forms)) == 1


async def _masked(runtime: Runtime, name: str) -> str:
    settings = Masking(PiiSettings(mode="redact"))
    return (await masked_names(runtime, DEFAULT_WORKSPACE, settings, [(("key",), name)], refuse=False))[0]


async def test_two_workspaces_mask_differently() -> None:
    assert placeholder("EMAIL_ADDRESS", BOB, b"one") != placeholder("EMAIL_ADDRESS", BOB, b"two")
    assert placeholder("EMAIL_ADDRESS", BOB, b"one") != placeholder("EMAIL_ADDRESS", AMY, b"one")


async def test_a_refusal_names_the_field(api: Api) -> None:
    with table() as row:
        for method, path, body, loc in [
            ("POST", "/v1/memories", {"agent": "a", "type": "fact", "content": "x", "user": BOB}, ["body", "user"]),
            ("POST", "/v1/memories", {"agent": BOB, "type": "fact", "content": "x"}, ["body", "agent"]),
            (
                "POST",
                f"/v1/sessions/{there(BOB)}/messages",
                {"agent": "a", "messages": [{"role": "user", "content": "x"}]},
                ["path", "session"],
            ),
            (
                "POST",
                "/v1/sessions/s/messages",
                {"agent": "a", "messages": [{"role": "user", "content": "x", "name": BOB}]},
                ["body", "messages", 0, "name"],
            ),
            ("PUT", "/v1/agents/a", {"teams": [BOB]}, ["body", "teams"]),
            ("PUT", f"/v1/agents/{there(BOB)}", {}, ["path", "agent"]),
            ("POST", "/v1/keys", {"role": "admin", "name": BOB}, ["body", "name"]),
            ("POST", "/v1/webhooks", {"url": "https://hooks.example/x", "name": BOB}, ["body", "name"]),
            ("POST", "/v1/webhooks", {"url": f"https://hooks.example/?to={BOB}"}, ["body", "url"]),
        ]:
            with row(method, path, body, loc):
                await api.put("/v1/settings", {"pii": {"mode": "reject"}})
                answer = await api.call(method, path, json=body)
                assert answer.status_code == 422, answer.text
                assert answer.json()["errors"][0]["loc"] == loc
                assert "EMAIL_ADDRESS" in answer.text
                assert BOB not in answer.text


async def test_where_personal_data_is_refused_it_may_still_be_looked_for(api: Api) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "reject"}})
    await api.save("likes tea")
    assert await api.search("tea", about=BOB) == []
    assert len(await api.search("tea", user=BOB)) == 1, "for Bob there is what nobody owns"
    assert (await api.get("/v1/memories", user=BOB, about=BOB, key=BOB, tag=BOB))["items"] == []
    assert await api.status("GET", f"/v1/agents/{there(BOB)}") == 404
    assert await api.status("POST", f"/v1/users/{there(BOB)}/purge") == 200


async def test_who_was_named_before_keeps_the_name(api: Api) -> None:
    """Masked from then on only, an agent or a user would be split in two."""
    before = await api.save("likes tea", agent=BOB, user=BOB, session=BOB, task=BOB)
    by_hand = await api.save("likes milk", agent=BOB, user="cleo@ex.com")
    for mode in ("redact", "reject"):
        await api.put("/v1/settings", {"pii": {"mode": mode}})
        after = await api.save(f"likes {mode}", agent=BOB, user=BOB, session=BOB, task=BOB)
        for field in ("agent", "user", "session", "task"):
            assert after[field] == before[field] == BOB
        assert (await api.get("/v1/memories", user="cleo@ex.com"))["items"][0]["id"] == by_hand["id"]
    assert len((await api.get("/v1/agents"))["items"]) == 1
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    assert MASKED.fullmatch((await api.save("x", agent=BOB, key=BOB))["key"])


async def test_memories_with_a_bare_placeholder_for_a_key_are_read_as_before(redacting: Api) -> None:
    former = await redacting.save("of whoever", key="<EMAIL_ADDRESS>", tags=["<EMAIL_ADDRESS>"])
    assert former["key"] == "<EMAIL_ADDRESS>"
    await redacting.save("Bob's", key=BOB)
    assert (await redacting.get("/v1/memories", key="<EMAIL_ADDRESS>"))["items"] == [former]
    assert (await redacting.get("/v1/memories", tag="<EMAIL_ADDRESS>"))["items"] == [former]


async def test_a_name_that_grows_past_its_bound_is_one_placeholder(redacting: Api) -> None:
    tag = " ".join(f"a{number}@b.co" for number in range(9))
    other = tag.replace("a8", "a9")
    key = " ".join(f"a{number}@b.co" for number in range(20))
    saved = await redacting.save("x", tags=[tag, other], key=key)
    assert all(MASKED.fullmatch(each) for each in (*saved["tags"], saved["key"]))
    assert len({*saved["tags"], saved["key"]}) == 3
    changed = await redacting.patch(f"/v1/memories/{saved['id']}", {"version": 1, "content": "y"})
    assert changed["tags"] == saved["tags"]
    assert len((await redacting.get("/v1/memories", tag=other))["items"]) == 1


async def test_an_export_read_into_another_workspace_keeps_them_apart(redacting: Api, database_url: str) -> None:
    for who in (BOB, AMY):
        await redacting.save(f"of {who[:3]}", agent=who, user=who, key=who, tags=[who], session=who,
                             links=[{"relation": "about", "entity": {"name": who}}])  # fmt: skip
    exported = (await redacting.call("GET", "/v1/export")).text
    assert not [who for who in (BOB, AMY) if who in exported + dump(database_url)]
    again = await redacting.call("POST", "/v1/import", content=exported)
    assert again.json()["created"] == again.json()["updated"] == 0
    raw = re.sub(r"<EMAIL_ADDRESS:[0-9a-f]+>", "zoe@ex.com", exported, flags=re.IGNORECASE)
    ids = set(re.findall(r'"id":"([0-9a-f-]{36})"', raw))
    for number, id_ in enumerate(sorted(ids)):
        raw = raw.replace(id_, f"019a0000-0000-7000-8000-{number:012x}")
    lines = [
        line for line in raw.splitlines() if json.loads(line)["record"] in ("agent", "session", "memory", "entity")
    ]
    read_in = await redacting.call("POST", "/v1/import", content="\n".join(lines))
    assert read_in.status_code == 200, read_in.text
    assert "zoe@ex.com" not in dump(database_url)
    assert (await redacting.get("/v1/memories", key="zoe@ex.com"))["items"]


async def test_an_import_makes_no_entity_of_what_may_be_anybody(redacting: Api) -> None:
    ids = [f"019a0000-0000-7000-8000-{number:012x}" for number in range(4)]
    lines = [
        {"record": "memory", "id": ids[0], "agent": "a", "type": "fact", "content": "likes tea"},
        *(
            {"record": "entity", "id": id_, "agent": "a", "name": name, "kind": "thing", "audience": {"agent": "a"}}
            for id_, name in zip(ids[1:3], ("<EMAIL_ADDRESS>", "Tea"), strict=True)
        ),
        *(
            {"record": "edge", "id": id_.replace("8000", "9000"), "audience": {"agent": "a"}, "relation": "about",
             "source_kind": "memory", "source_id": ids[0], "target_kind": "entity", "target_id": id_, "created_by": "x"}
            for id_ in ids[1:3]
        ),
    ]  # fmt: skip
    for created in (3, 0):
        answer = await redacting.call("POST", "/v1/import", content="\n".join(map(json.dumps, lines)))
        assert (answer.json()["created"], answer.json()["skipped"]) == (created, 2), answer.text
    assert [one["name"] for one in (await redacting.get("/v1/entities"))["items"]] == ["Tea"]
