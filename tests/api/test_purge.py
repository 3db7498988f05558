"""The right to be forgotten, and to be shown what is held."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import asyncpg

from service.memory.counters import AccessCounter
from service.runtime import Runtime
from service.settings import Settings
from tests.live_api import Api, Json
from tests.pg_dump import dump
from worker.app import run_once

BADGE = "qxbadge7731"
PLACE = "Zorbelheim"
KEPT = "Karlsfjord"


async def say(api: Api, user: str, *texts: str, session: str | None = None, agent: str = "a") -> Json:
    turns = [{"role": "user", "content": text} for text in texts]
    body = {"agent": agent, "user": user, "messages": [*turns, {"role": "assistant", "content": f"Noted: {texts[0]}"}]}
    return await api.post(f"/v1/sessions/{session or user}/messages", body)


async def counts(runtime: Runtime, tables: Sequence[str]) -> dict[str, int]:
    async with runtime.db.unscoped() as connection:
        return {
            table: await connection.raw.fetchval(f"SELECT count(*) FROM {table}")  # noqa: S608
            for table in tables
        }


async def contents(api: Api, **params: str) -> set[str]:
    items = (await api.get("/v1/memories", include="deleted,superseded,expired", **params))["items"]
    return {memory["content"] for memory in items}


async def dreamt(api: Api, settings: Settings) -> None:
    """Two users have talked, an agent has dreamt, and somebody has written memories by hand."""
    await say(api, "u1-anna", f"I live in {PLACE}.", f"I like {BADGE} very much.", "My sister is called Quilandra.")
    await say(api, "u2", f"I live in {KEPT}.", "I love Go.")
    await run_once(settings)
    await say(api, "u1-anna", "I moved to Vexborough.")
    await run_once(settings)
    old = await api.save(f"The badge is {BADGE}", user="u1-anna", key="badge", metadata={"no": BADGE})
    await api.patch(f"/v1/memories/{old['id']}", {"version": 1, "content": f"The badge is {BADGE}-b"})
    await api.delete(f"/v1/memories/{old['id']}")
    body = {"agent": "a", "type": "fact", "content": f"{BADGE} again", "user": "u1-anna"}
    await api.call("POST", "/v1/memories", json=body, headers={"Idempotency-Key": "once"})
    document = {"agent": "a", "title": f"Letter of {BADGE}", "text": f"From {PLACE}, with love", "user": "u1-anna"}
    await api.post("/v1/documents", document)
    await api.get("/v1/users/u1-anna/export")


async def test_nothing_of_a_purged_user_is_in_a_dump(api: Api, settings: Settings, database_url: str) -> None:
    await dreamt(api, settings)
    others = await contents(api, user="u2")
    before = dump(database_url).lower()
    words = [BADGE, PLACE.lower(), "vexborough", "quilandra", "u1-anna"]
    assert [word for word in words if word not in before] == []
    await api.post("/v1/users/u1-anna/purge")
    after = dump(database_url).lower()
    assert [word for word in words if word in after] == []
    assert await contents(api, user="u2") == others
    assert KEPT.lower() in after


async def test_the_receipt_adds_up(api: Api, settings: Settings) -> None:
    await dreamt(api, settings)
    tables = [
        "memories", "messages", "sessions", "memory_versions", "memory_sources", "memory_usage", "search_index",
        "search_terms", "documents", "chunks", "edges", "entities", "entity_aliases", "bulletins", "dream_changes",
        "dream_steps", "window_summaries", "entity_merges",
    ]  # fmt: skip
    await api.runtime.part(AccessCounter).flush()
    before = await counts(api.runtime, tables)
    receipt = (await api.post("/v1/users/u1-anna/purge"))["receipt"]
    after = await counts(api.runtime, tables)
    removed = {table: before[table] - after[table] for table in tables}
    assert {table: receipt["counts"][table] for table in tables} == removed
    assert all(removed[table] > 0 for table in ("memories", "messages", "memory_versions", "search_index", "edges"))
    line = (await api.get("/v1/audit", action="user.purged"))["items"][0]
    assert (line["target"], line["subject"], line["details"]) == (receipt["id"], None, receipt["counts"])
    again = (await api.post("/v1/users/u1-anna/purge"))["receipt"]
    assert sum(again["counts"].values()) == 0


async def test_a_later_dream_brings_nothing_back(api: Api, settings: Settings, database_url: str) -> None:
    await dreamt(api, settings)
    await api.post("/v1/users/u1-anna/purge")
    await say(api, "u2", "I like tea.")
    await run_once(settings)
    after = dump(database_url).lower()
    assert [word for word in (BADGE, PLACE.lower(), "u1-anna") if word in after] == []
    assert KEPT in (await api.get("/v1/agents/a/bulletin", user="u2"))["content"]


async def test_a_purge_during_a_dream_wins(api: Api, settings: Settings, database_url: str) -> None:
    """The purge comes when the dream has read the messages and is about to write."""
    await say(api, "u1-anna", f"I live in {PLACE}.")
    embed = Runtime.embed
    purged: list[Any] = []

    async def purge_first(runtime: Runtime, texts: Sequence[str]) -> Any:
        if texts and not purged:
            purged.append(await api.post("/v1/users/u1-anna/purge"))
        return await embed(runtime, texts)

    Runtime.embed = purge_first  # type: ignore[method-assign]
    try:
        await run_once(settings)
    finally:
        Runtime.embed = embed  # type: ignore[method-assign]
    assert purged
    await run_once(settings)
    assert await contents(api) == set()
    assert PLACE not in dump(database_url)


async def test_a_shared_memory_loses_only_the_users_part(api: Api, database_url: str) -> None:
    one = (await say(api, "u1", f"The office is in Bergen and the code is {BADGE}"))["messages"][0]["id"]
    two = (await say(api, "u2", "The office is in Bergen"))["messages"][0]["id"]
    both = await api.save(
        f"The office is in Bergen. The code is {BADGE}.",
        tags=["office", BADGE], metadata={"code": BADGE, "city": "Bergen"}, source={"message_ids": [one, two]},
    )  # fmt: skip
    alone = await api.save("The code is secret", source={"message_ids": [one]})
    receipt = (await api.post("/v1/users/u1/purge"))["receipt"]
    assert receipt["counts"]["shared_memories"] == 1
    kept = await api.get(f"/v1/memories/{both['id']}")
    assert kept["content"] == kept["summary"] == "The office is in Bergen."
    assert (kept["tags"], kept["metadata"]) == (["office"], {"city": "Bergen"})
    assert [found["id"] for found in await api.search("office in Bergen")] == [both["id"]]
    assert await api.search(BADGE) == []
    assert len((await api.get(f"/v1/memories/{both['id']}/history"))["items"]) == 1
    assert await api.status("GET", f"/v1/memories/{alone['id']}?include=deleted") == 404
    assert BADGE not in dump(database_url)


async def test_in_a_session_of_two_each_has_its_own_turns_and_the_answers_to_them(api: Api) -> None:
    for user in ("u1", "u2"):
        body = {"agent": "a", "user": user, "messages": [{"role": "user", "content": f"{user} speaks"}]}
        await api.post("/v1/sessions/room/messages", body)
        answer = {"agent": "a", "messages": [{"role": "assistant", "content": f"{user} is right"}]}
        await api.post("/v1/sessions/room/messages", answer)
    await api.post("/v1/users/u1/purge")
    left = (await api.get("/v1/sessions/room/messages", agent="a"))["items"]
    assert [message["content"] for message in left] == ["u2 speaks", "u2 is right"]
    assert (await api.get("/v1/sessions/room", agent="a"))["user"] is None


async def test_what_a_purged_memory_had_replaced_holds_again(api: Api, settings: Settings) -> None:
    first = (await say(api, "u2", "The depot is in Oslo"))["messages"][0]["id"]
    older = await api.save("The depot is in Oslo", source={"message_ids": [first]})
    newer = await api.save("The depot is in Vexborough", user="u1")
    async with api.runtime.db.unscoped() as connection:
        await connection.raw.execute(
            "UPDATE memories SET superseded_by = $2, valid_until = now(), change_reason = 'now: Vexborough'"
            " WHERE id = $1", older["id"], newer["id"],
        )  # fmt: skip
    await api.post(f"/v1/memories/{older['id']}/feedback", {"useful": True})  # a former version quotes it too
    await api.post("/v1/users/u1/purge")
    kept = await api.get(f"/v1/memories/{older['id']}")
    assert (kept["superseded_by"], kept["valid_until"]) == (None, None)
    assert "Vexborough" not in json.dumps(await api.get(f"/v1/memories/{older['id']}/history"))


async def test_an_export_shows_what_a_purge_would_remove(api: Api, settings: Settings) -> None:
    await dreamt(api, settings)
    shown = await api.get("/v1/users/u1-anna/export")
    text = json.dumps(shown).lower()
    assert [word for word in (BADGE, PLACE.lower(), "vexborough", "quilandra") if word not in text] == []
    assert KEPT.lower() not in text
    receipt = (await api.post("/v1/users/u1-anna/purge"))["receipt"]
    assert len(shown["memories"]) == receipt["counts"]["memories"]
    assert len(shown["messages"]) == receipt["counts"]["messages"]
    assert sum(len(one["history"]) for one in shown["memories"]) == receipt["counts"]["memory_versions"]
    empty = await api.get("/v1/users/u1-anna/export")
    assert [empty[name] for name in ("memories", "messages", "sessions", "edges")] == [[], [], [], []]


async def test_only_an_admin_purges_and_exports(api: Api) -> None:
    await api.save("Mine", user="u1", agent="a")
    for role, agent in (("agent", "a"), ("reader", None)):
        other = await api.as_role(role, agent)
        assert await other.status("POST", "/v1/users/u1/purge") == 403
        assert await other.status("GET", "/v1/users/u1/export") == 403
    assert await contents(api) == {"Mine"}


async def test_a_repeated_request_is_not_carried_out_again_after_a_purge(api: Api) -> None:
    body = {"agent": "a", "type": "event", "content": "Mine", "user": "u1"}
    for status in (201, 201, 409):
        answer = await api.call("POST", "/v1/memories", json=body, headers={"Idempotency-Key": "k"})
        assert answer.status_code == status
        if answer.headers.get("idempotent-replayed"):
            await api.post("/v1/users/u1/purge")
    assert await contents(api) == set()


async def test_users_whose_names_only_look_alike_stay(api: Api) -> None:
    names = ["a_b", "axb", "a%b", "A_B", "a_b ", "а_b", "a_b:c"]
    for name in names:
        await api.save(f"About {name!r} alone", user=name)
    await api.post("/v1/users/a_b/purge")
    left = {memory["user"] for memory in (await api.get("/v1/memories"))["items"]}
    assert left == set(names) - {"a_b"}


async def test_whoever_was_merged_into_the_person_goes_with_her(api: Api, database_url: str) -> None:
    """By whichever of her names she is purged, and whoever else still speaks of her."""
    for user in ("Quinta Marsh", "Quintie", "Quinny"):
        names = ("Quinta Marsh", "Quintie", "Quinny")
        for name in names:
            link = {"relation": "mentions", "entity": {"name": name, "kind": "person"}}
            await api.save(f"The tea of {user} is at five. {name} comes.", user="u2", links=[link])
        ids = {one["name"]: one["id"] for one in (await api.get("/v1/entities", agent="a", kind="person"))["items"]}
        await api.post(f"/v1/entities/{ids['Quinny']}/merge", {"into": ids["Quintie"]})
        await api.post(f"/v1/entities/{ids['Quintie']}/merge", {"into": ids["Quinta Marsh"]})
        await api.save("Cake is at six", user="u2")
        assert "quin" in dump(database_url).lower()
        counts_ = (await api.post(f"/v1/users/{user}/purge"))["receipt"]["counts"]
        assert (counts_["entities"], counts_["entity_merges"], counts_["entity_aliases"]) == (3, 2, 3)
        assert [line for line in dump(database_url).splitlines() if "quin" in line.lower()] == []
        assert "Cake is at six" in await contents(api, user="u2")


async def test_messages_said_under_her_name_in_anybodys_session(api: Api, database_url: str) -> None:
    turns = [
        {"role": "user", "content": "Bo says hello", "name": "bo"},
        {"role": "assistant", "content": "Hello Bo"},
        {"role": "user", "content": f"My badge is {BADGE}", "name": "anna q"},
        {"role": "assistant", "content": f"Noted: {BADGE}"},
        {"role": "tool", "content": {"badge": BADGE}, "tool_call_id": "1"},
        {"role": "user", "content": "Bo says goodbye", "name": "bo"},
        {"role": "assistant", "content": "Goodbye", "name": "anna q"},
        {"role": "user", "content": "Annas of the world", "name": "anna"},
    ]
    stored = await api.post("/v1/sessions/room/messages", {"agent": "a", "user": "bo", "messages": turns})
    hers = stored["messages"][2]["id"]
    derived = await api.save(f"The badge is {BADGE}", source={"message_ids": [hers]})
    shown = await api.get("/v1/users/anna q/export")
    assert [message["seq"] for message in shown["messages"]] == [3, 4, 5]
    receipt = (await api.post("/v1/users/anna q/purge"))["receipt"]["counts"]
    assert (receipt["messages"], receipt["memories"]) == (3, 1)
    left = (await api.get("/v1/sessions/room/messages", agent="a"))["items"]
    assert [message["seq"] for message in left] == [1, 2, 6, 7, 8]
    assert await api.status("GET", f"/v1/memories/{derived['id']}?include=deleted") == 404
    assert BADGE not in dump(database_url)


STATISTICS = """
SELECT c.relname || '.' || a.attname AS place, array_to_string(ARRAY[
    s.stavalues1::text, s.stavalues2::text, s.stavalues3::text, s.stavalues4::text, s.stavalues5::text], ' ') AS kept
FROM pg_statistic s
JOIN pg_class c ON c.oid = s.starelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = s.staattnum
"""


async def test_the_statistics_of_postgres_forget_her_too(api: Api, database_url: str) -> None:
    await say(api, "u1-anna", *(f"Turn {number} about {BADGE}" for number in range(30)))
    for number in range(20):
        link = {"relation": "about", "entity": {"name": f"{BADGE} {number % 3}"}}
        await api.save(f"{BADGE} {number}", user="u1-anna", key=f"{BADGE} {number}", tags=[BADGE], links=[link],
                       metadata={"x": BADGE}, source={"x": BADGE})  # fmt: skip
        await api.save(f"Tea {number}", user="u2", key=f"k{number}", tags=["tea"], metadata={"x": number})
    document = {"agent": "a", "title": f"Of {BADGE}", "text": f"About {BADGE}", "user": "u1-anna"}
    for _ in range(2):  # a column of one row only has no values worth keeping
        await api.post("/v1/documents", document)
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute("ANALYZE")
        before = {row["place"] for row in await connection.fetch(STATISTICS) if BADGE in (row["kept"] or "")}
        assert {"memories.content", "messages.content", "entities.name", "documents.title"} <= before
        await api.post("/v1/users/u1-anna/purge")
        after = {row["place"] for row in await connection.fetch(STATISTICS) if BADGE in (row["kept"] or "")}
        names = {row["place"] for row in await connection.fetch(STATISTICS) if "u1-anna" in (row["kept"] or "")}
        kept = {row["place"] for row in await connection.fetch(STATISTICS) if "Tea 1" in (row["kept"] or "")}
    finally:
        await connection.close()
    assert after | names == set()
    assert "memories.content" in kept


async def test_a_purge_by_the_original_finds_every_form_of_a_masked_name(api: Api, database_url: str) -> None:
    """As it was stored before anything was masked, and as it is masked, whatever the workspace does now."""
    who = "anna.q@ex.com"
    await say(api, who, "Raw", session="s1")
    await api.put("/v1/settings", {"pii": {"mode": "redact", "entities": ["EMAIL_ADDRESS"]}})
    other = (await api.save("By mask", user="bo@ex.com"))["user"]
    await api.put("/v1/settings", {"pii": {"mode": "off"}})
    await api.save("Raw by hand", user=who)
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    turn = {"role": "user", "content": "Under her name", "name": who}
    stored = await api.post("/v1/sessions/room/messages", {"agent": "a", "user": "bo@ex.com", "messages": [turn]})
    await api.put("/v1/settings", {"pii": {"mode": "off"}})
    assert stored["messages"][0]["name"] != who
    shown = await api.get(f"/v1/users/{who}/export")
    assert {message["content"] for message in shown["messages"]} == {"Raw", "Noted: Raw", "Under her name"}
    counts_ = (await api.post(f"/v1/users/{who}/purge"))["receipt"]["counts"]
    assert (counts_["messages"], counts_["memories"]) == (3, 1)
    after = dump(database_url)
    assert [form for form in (who, stored["messages"][0]["name"]) if form in after] == []
    assert [memory["user"] for memory in (await api.get("/v1/memories", agent="a"))["items"]] == [other]


async def test_the_audit_log_names_nobody_that_is_masked(api: Api, database_url: str) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    await api.get("/v1/users/anna.q@ex.com/export")
    await api.post("/v1/users/anna.q@ex.com/purge")
    assert "anna.q@ex.com" not in dump(database_url)
