"""purge(user) "removes every memory where source references that user", and an export shows the same memories."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.live_api import Api, Caller, Json, SharedServer, Tenant
from tests.pg_dump import dump

USER = "anna"
HERS = {"s-anna": USER, "s-bob": "bob"}

REFERENCES: list[tuple[str, Json]] = [
    ("user", {"user": "anna"}),
    ("source", {"source": {"user": "anna"}}),
    ("source", {"source": {"user_id": "anna"}}),
    ("source", {"source": {"email": "anna"}}),
    ("source", {"source": {"a": [{"b": ["bob", {"c": "anna"}]}]}}),
    ("session", {"source": {"session": "s-anna"}}),
    ("session", {"source": {"from": {"session_id": "s-anna"}}}),
    ("metadata", {"metadata": {"user_id": "anna"}}),
    ("metadata", {"metadata": {"user": ["bob", "anna"]}}),
    ("metadata", {"metadata": {"ticket": {"email": "anna"}}}),
    ("session", {"scope": "session", "session": "s-anna", "owners": []}),
    ("session", {"session": "s-anna", "owners": []}),
    ("session", {"session": "s-anna", "owners": ["bob"]}),
    ("owner", {"scope": "session", "session": "s-anna"}),
    ("owner", {"session": "s-anna"}),
    ("owner", {"owners": ["anna"]}),
    ("owner", {"user": "bob", "owners": ["anna"]}),
]

OTHERS: list[Json] = [
    {"user": "annabel"},
    {"user": "Anna"},
    {"source": {"user": "annabel"}},
    {"source": {"note": "anna said so on the phone"}},
    {"source": {"anna": "bob"}},
    {"source": {"session": "s-annabel"}},
    {"source": {"note": "s-anna"}},
    {"metadata": {"user_id": "annabel"}},
    {"metadata": {"colour": "anna"}},
    {"session": "s-bob", "scope": "session"},
    {"owners": ["Anna", "annabel"]},
    {"user": "bob", "owners": []},
]


async def sessions(api: Caller) -> None:
    for session, user in HERS.items():
        turn = {"role": "user", "content": "Good morning"}
        await api.post(f"/v1/sessions/{session}/messages", {"agent": "a", "user": user, "messages": [turn]})


async def exported(api: Caller, user: str = USER) -> dict[str, str]:
    """Why each memory goes with the user, by id."""
    items = (await api.get(f"/v1/users/{user}/export"))["memories"]
    return {item["memory"]["id"]: item["why"] for item in items if not item["shared"]}


async def live(api: Caller) -> set[str]:
    items = (await api.get("/v1/memories", limit=200, include="deleted,superseded,expired"))["items"]
    return {memory["id"] for memory in items}


@pytest.mark.parametrize(("why", "fields"), REFERENCES, ids=str)
async def test_every_reference_is_found(tenant: Tenant, why: str, fields: Json) -> None:
    await sessions(tenant)
    memory = await tenant.save("The badge is blue", **fields)
    assert await exported(tenant) == {memory["id"]: why}
    receipt = (await tenant.post(f"/v1/users/{USER}/purge"))["receipt"]
    assert (receipt["why"], receipt["counts"]["memories"]) == ({why: 1}, 1)
    assert await live(tenant) == set()


@pytest.mark.parametrize("fields", OTHERS, ids=str)
async def test_nothing_else_is_removed(tenant: Tenant, fields: Json) -> None:
    await sessions(tenant)
    memory = await tenant.save("The badge is blue", **fields)
    assert await exported(tenant) == {}
    assert (await tenant.post(f"/v1/users/{USER}/purge"))["receipt"]["why"] == {}
    assert await live(tenant) == {memory["id"]}


async def test_an_alias_of_the_user_is_a_reference(tenant: Tenant) -> None:
    link = {"relation": "about", "entity": {"name": USER, "kind": "person"}}
    await tenant.save("Works at the harbour", user=USER, links=[link])
    (entity,) = (await tenant.get("/v1/entities", agent="a", q=USER))["items"]
    await tenant.patch(f"/v1/entities/{entity['id']}", {"aliases": ["Anna Karlsson", "anna@example.com"]})
    by_name = await tenant.save("Has a key", source={"by": "Anna Karlsson"})
    by_address = await tenant.save("Has a car", metadata={"email": "anna@example.com"})
    found = await exported(tenant)
    assert (found[by_name["id"]], found[by_address["id"]]) == ("source", "metadata")


async def test_her_session_is_found_by_its_id(tenant: Tenant) -> None:
    await sessions(tenant)
    (session,) = (await tenant.get(f"/v1/users/{USER}/export"))["sessions"]
    memory = await tenant.save("The badge is blue", source={"from": [str(session["id"])]})
    assert await exported(tenant) == {memory["id"]: "session"}


async def test_the_session_of_another_agent_of_that_name_is_not_hers(tenant: Tenant) -> None:
    await sessions(tenant)
    await tenant.save("The badge is blue", agent="b", source={"session": "s-anna"})
    assert await exported(tenant) == {}


async def test_a_reference_in_an_earlier_version_goes_and_the_memory_stays(tenant: Tenant) -> None:
    memory = await tenant.save("The badge is blue", metadata={"user_id": USER})
    await tenant.patch(f"/v1/memories/{memory['id']}", {"version": 1, "metadata": {"user_id": "bob"}})
    receipt = (await tenant.post(f"/v1/users/{USER}/purge"))["receipt"]
    assert (receipt["why"], receipt["counts"]["shared_memories"]) == ({}, 1)
    assert await live(tenant) == {memory["id"]}
    assert not await tenant.stored("SELECT true FROM memory_versions WHERE record::text LIKE '%\"anna\"%'")


async def test_another_workspace_keeps_its_own(tenant: Tenant, shared_server: SharedServer) -> None:
    async with shared_server.tenant() as other:
        kept = await other.save("The badge is blue", source={"user": USER})
        await tenant.save("The badge is blue", source={"user": USER})
        assert (await tenant.post(f"/v1/users/{USER}/purge"))["receipt"]["counts"]["memories"] == 1
        assert await live(other) == {kept["id"]}


USERS = ("qxzuser", "qxzuserlonger", "QXZUSER", "bystander")
PLACES = ("user", "source", "metadata", "session", "none")


@st.composite
def references(draw: st.DrawFn) -> tuple[str, Json]:
    """A user, and the fields by which a memory refers to it, at any depth."""
    user, place = draw(st.sampled_from(USERS)), draw(st.sampled_from(PLACES))
    value: Any = user
    if place == "none":
        return "", {"source": {"note": f"{user}s and others"}}
    if place == "user":
        return user, {"user": user}
    if place == "session":
        return user, draw(st.sampled_from([{"session": f"of {user}"}, {"source": {"session": f"of {user}"}}]))
    if place == "metadata":
        value = {draw(st.sampled_from(("user", "user_id", "email"))): user}
    for wrapped_in_list in draw(st.lists(st.booleans(), max_size=4)):
        value = ["x", value] if wrapped_in_list else {"k": value}
    return user, {place: value if isinstance(value, dict) else {"v": value}}


@given(made=st.lists(references(), min_size=1, max_size=8))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_what_is_exported_is_what_goes_and_nothing_is_left(
    own_api: Api, database_url: str, made: list[tuple[str, Json]]
) -> None:
    for user in USERS:
        await own_api.post(f"/v1/users/{user}/purge")
        turn = {"role": "user", "content": "Good morning"}
        await own_api.post(f"/v1/sessions/of {user}/messages", {"agent": "a", "user": user, "messages": [turn]})
    before = await live(own_api)
    ids = {}
    for number, (user, fields) in enumerate(made):
        ids[(await own_api.save(f"Statement number {number}", **fields))["id"]] = user
    for user in USERS:
        hers = {id_ for id_, owner in ids.items() if owner == user}
        there = await live(own_api)
        why = await exported(own_api, user)
        receipt = (await own_api.post(f"/v1/users/{user}/purge"))["receipt"]
        assert set(why) == hers == there - await live(own_api)
        assert receipt["why"] == Counter(why.values())
        assert receipt["counts"]["memories"] == len(hers)
        assert not re.search(rf"(?<![\w ]){user}(?!\w)", dump(database_url))
    for id_ in await live(own_api) - before:
        await own_api.delete(f"/v1/memories/{id_}")
