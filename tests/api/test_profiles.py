"""Users and their profiles over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.memory.search.profiles import MEMORIES_MAX
from tests.live_api import Api, Caller, Tenant
from tests.tables import table

DAY = timedelta(days=1)


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


async def stated(api: Caller, content: str, attribute: str, value: str, *, user: str = "ada", **fields: Any) -> Any:
    """A memory of which it has been noted what it says of a user."""
    about = {"user": user, "source": {"slot": f"{user}/{attribute}", "value": value}}
    return await api.save(content, **about | fields)


async def profile(api: Caller, user: str = "ada", **query: Any) -> dict[str, Any]:
    """The values of each field."""
    fields = (await api.get(f"/v1/users/{user}/profile", **query))["fields"]
    found: dict[str, Any] = {}
    for one in fields:
        found.setdefault(one["name"], []).append(one["value"])
    return found


async def test_a_profile_names_its_sources(api: Tenant) -> None:
    saved = await stated(api, "ada lives in Oslo.", "lives_in", "oslo")
    answer = await api.get("/v1/users/ada/profile")
    (field,) = answer["fields"]
    assert (field["name"], field["value"], field["memory_ids"]) == ("home", "Oslo", [saved["id"]])
    assert field["since"] == saved["valid_from"]
    assert answer["user"] == "ada"
    assert len(answer["version"]) == 16


async def test_nobody_known_has_no_fields_and_no_such_agent_is_not_there(api: Tenant) -> None:
    assert await profile(api, "nobody") == {}
    assert await api.status("GET", "/v1/users/ada/profile", params={"agent": "none"}) == 404
    assert await api.status("GET", "/v1/users/ada/profile", params={"as_of": "yesterday"}) == 422


async def test_hearsay_deleted_expired_and_others_are_left_out(api: Tenant) -> None:
    gone = await stated(api, "ada lives in Oslo.", "lives_in", "oslo")
    await api.delete(f"/v1/memories/{gone['id']}")
    await stated(api, "ada likes tea.", "likes/tea", "tea", hearsay_by="mallory", type="preference")
    past, before = ((datetime.now(UTC) - days * DAY).isoformat() for days in (1, 2))
    await stated(api, "ada works at Initech.", "works_at", "initech", created_at=before, expires_at=past)
    await stated(api, "bob is vegan.", "diet", "vegan", user="bob")
    assert await profile(api) == {}
    assert await profile(api, "bob") == {"diet": ["vegan"]}


async def test_an_edited_text_says_nothing_until_it_is_read(api: Tenant) -> None:
    saved = await stated(api, "ada lives in Oslo.", "lives_in", "oslo")
    await api.patch(f"/v1/memories/{saved['id']}", {"version": 1, "content": "ada lives in Bergen."})
    assert await profile(api) == {}


async def test_only_what_the_reader_may_see(api: Tenant) -> None:
    for agent, teams in (("one", ["x"]), ("two", ["x"]), ("three", [])):
        await api.put(f"/v1/agents/{agent}", {"teams": teams})
    await stated(api, "ada lives in Oslo.", "lives_in", "oslo", agent="one")
    await stated(api, "ada is vegan.", "diet", "vegan", agent="two")
    await stated(api, "ada works at Initech.", "works_at", "initech", agent="one", scope="team", team="x")
    one, two, three = [await api.as_role("agent", name) for name in ("one", "two", "three")]
    assert await profile(one) == {"home": ["Oslo"], "work": ["Initech"]}
    assert await profile(two) == {"work": ["Initech"], "diet": ["vegan"]}
    assert await profile(three) == {}
    assert (await three.get("/v1/users"))["items"] == []
    assert await profile(api) == {"home": ["Oslo"], "work": ["Initech"], "diet": ["vegan"]}
    assert await profile(api, agent="two") == await profile(two)
    assert await profile(await api.as_role("reader"), agent="one") == await profile(one)


async def test_users_are_listed_by_name_in_pages(api: Tenant) -> None:
    for user in ("ada", "bob", "Bob", "carol"):
        await api.save(f"{user} is here", user=user)
        await api.save(f"{user} is there", user=user)
    await api.save("nobody is here")
    first = await api.get("/v1/users", limit=3)
    rest = await api.get("/v1/users", limit=3, cursor=first["next_cursor"])
    items = first["items"] + rest["items"]
    assert sorted(one["user"] for one in items) == ["Bob", "ada", "bob", "carol"]
    assert {one["memories"] for one in items} == {2}
    assert rest["next_cursor"] is None
    assert {one["user"] for one in (await api.get("/v1/users", q="bo"))["items"]} == {"bob", "Bob"}
    assert (await api.get("/v1/users", q="%"))["items"] == []


async def test_as_of_shows_what_held_then(own_api: Api) -> None:
    start = datetime.now(UTC)

    def on(day: float) -> str:
        return (start + day * DAY).isoformat()

    own_api.runtime.now = lambda: start
    await stated(own_api, "ada lives in Oslo.", "lives_in", "oslo", key="home")
    own_api.runtime.now = lambda: start + 4 * DAY
    await stated(own_api, "ada is vegan.", "diet", "vegan")
    answer = await own_api.post(
        "/v1/memories",
        {"agent": "a", "type": "fact", "content": "ada lives in Bergen.", "key": "home", "user": "ada",
         "source": {"slot": "ada/lives_in", "value": "bergen"}},
    )  # fmt: skip
    assert answer["updated"]
    own_api.runtime.now = lambda: start + 9 * DAY
    assert await profile(own_api, as_of=on(-1)) == {}
    assert await profile(own_api, as_of=on(2)) == {"home": ["Oslo"]}
    assert (await profile(own_api, as_of=on(5)))["diet"] == ["vegan"]
    before, after, now = [
        (await own_api.get("/v1/users/ada/profile", **at))["version"] for at in ({"as_of": on(2)}, {"as_of": on(5)}, {})
    ]
    assert before != after == now


async def test_a_diff_shows_what_came_went_and_changed(own_api: Api) -> None:
    start = datetime.now(UTC)

    def on(day: float) -> str:
        return (start + day * DAY).isoformat()

    async def diff(**query: str) -> list[tuple[str, Any, Any]]:
        answer = await own_api.get("/v1/users/ada/profile/diff", **query)
        assert (answer["from_version"] == answer["to_version"]) == (answer["changes"] == [])
        return [
            (one["change"], *(side and f"{side['name']}: {side['value']}" for side in (one["before"], one["after"])))
            for one in answer["changes"]
        ]

    own_api.runtime.now = lambda: start
    await stated(own_api, "ada lives in Oslo.", "lives_in", "oslo")
    await stated(own_api, "ada likes tea.", "likes/tea", "tea", type="preference", expires_at=on(6))
    await stated(own_api, "ada likes jazz.", "likes/jazz", "jazz", type="preference")
    own_api.runtime.now = lambda: start + 4 * DAY
    await stated(own_api, "ada lives in Bergen.", "lives_in", "bergen")
    await stated(own_api, "ada really likes jazz!", "likes/jazz", "jazz", type="preference")
    own_api.runtime.now = lambda: start + 9 * DAY
    assert await diff(**{"from": on(2)}) == [
        ("changed", "home: Oslo", "home: Bergen"), ("removed", "likes: tea", None),
        ("sources", "likes: jazz", "likes: jazz"),
    ]  # fmt: skip
    assert await diff(**{"from": on(-1), "to": on(2)}) == [
        ("added", None, "home: Oslo"), ("added", None, "likes: jazz"), ("added", None, "likes: tea")
    ]  # fmt: skip
    assert await diff(**{"from": on(7)}) == []


async def test_a_diff_needs_two_moments_in_their_order(api: Tenant) -> None:
    for query in ({}, {"from": "yesterday"}, {"from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}):
        refused = await api.call("GET", "/v1/users/ada/profile/diff", params=query)
        assert (refused.status_code, refused.json()["errors"][0]["loc"]) == (422, ["query", "from"])
    one = {"from": "2026-01-01T00:00:00Z"}
    assert (await api.get("/v1/users/nobody/profile/diff", **one))["changes"] == []
    assert await api.status("GET", "/v1/users/ada/profile/diff", params=one | {"agent": "none"}) == 404


async def test_fields_of_the_workspaces_own(api: Tenant) -> None:
    await stated(api, "ada lives in Oslo.", "lives_in", "oslo")
    await stated(api, "ada wears size 42.", "shoe_size", "42")
    built_in = await api.get("/v1/users/ada/profile")
    schema = {"type": "object", "properties": {"size": {"type": "integer", "x-reverie-slot": "shoe_size"}}}
    assert (await api.put("/v1/settings", {"profile_schema": schema}))["profile_schema"] == schema
    own = await api.get("/v1/users/ada/profile")
    assert [(one["name"], one["value"], one["group"]) for one in own["fields"]] == [("size", 42, "static")]
    assert own["version"] != built_in["version"]
    (change,) = (await api.get("/v1/users/ada/profile/diff", **{"from": "2000-01-01T00:00:00Z"}))["changes"]
    assert (change["change"], change["after"]["value"]) == ("added", 42)
    other = {"type": "object", "properties": {"home": {"type": "string"}}}
    assert (await api.put("/v1/settings", {"profile_schema": other}))["profile_schema"] == other, "given as a whole"
    assert await profile(api) == {"home": ["Oslo"]}
    await api.put("/v1/settings", {"profile_schema": None})
    assert (await api.get("/v1/users/ada/profile"))["fields"] == built_in["fields"]


async def test_personal_data_in_a_schema_is_masked(api: Tenant) -> None:
    team = {"type": "string", "description": "As eve@example.org calls it"}
    wanted = {"pii": {"mode": "redact"}, "profile_schema": {"type": "object", "properties": {"team": team}}}
    assert "eve@example.org" not in str(await api.put("/v1/settings", wanted))
    assert "eve@example.org" not in str((await api.get("/v1/settings"))["profile_schema"])


async def test_a_schema_that_profiles_cannot_have_is_refused(api: Tenant) -> None:
    with table() as row:
        for schema in [
            {},
            {"type": "object"},
            {"type": "object", "properties": {"a": {"type": "object"}}},
            [],
            "x",
            {"type": "object", "properties": {"a": {"type": "string", "pattern": "(a+)+$"}}},
        ]:
            with row(schema):
                refused = await api.call("PUT", "/v1/settings", json={"profile_schema": schema})
                assert (refused.status_code, refused.json()["errors"][0]["loc"]) == (422, ["body", "profile_schema"])
                reader = await api.as_role("reader")
                assert await reader.status("PUT", "/v1/settings", json={"profile_schema": None}) == 403


async def test_reads_are_audited_and_a_purge_leaves_nothing(api: Tenant) -> None:
    await stated(api, "ada lives in Oslo.", "lives_in", "oslo")
    await profile(api)
    await api.post("/v1/users/ada/purge")
    assert await profile(api) == {}
    assert await profile(api, as_of=datetime.now(UTC).isoformat()) == {}
    assert (await api.get("/v1/users"))["items"] == []


async def test_a_profile_is_bounded(api: Tenant) -> None:
    about = {"agent": "a", "type": "preference", "user": "ada"}
    items = [
        about | {"content": f"ada likes thing {n}.", "source": {"slot": f"ada/likes/thing {n}", "value": f"thing {n}"}}
        for n in range(MEMORIES_MAX + 50)
    ]
    await api.post("/v1/memories/batch", {"items": items})
    await stated(api, "ada lives in Oslo.", "lives_in", "oslo")
    found = await profile(api)
    assert len(found["likes"]) == MEMORIES_MAX
    assert found["home"] == ["Oslo"]


def section(context: dict[str, Any], name: str) -> str:
    """The text of a section of a context."""
    return next(one["text"] for one in context["sections"] if one["name"] == name)


async def test_a_context_has_the_profile_of_the_speaker_instead_of_lines_of_the_bulletin(api: Tenant) -> None:
    await stated(api, "ada lives in Oslo, by the fjord.", "lives_in", "oslo", owners=[])
    await api.save("ada broke a ski.", user="ada", owners=[])
    await stated(api, "bob lives in Rome.", "lives_in", "rome", user="bob", owners=[])
    await stated(api, "ada likes tea.", "likes/tea", "tea", type="preference", owners=[])
    await stated(api, "ada works at Initech.", "works_at", "initech", scope="session", session="other", owners=[])
    await api.post("/v1/agents/a/bulletin")
    hers = await api.post("/v1/context", {"agent": "a", "user": "ada", "message": "Hello", "session": "s"})
    shown = section(hers, "bulletin")
    assert "About ada: home: Oslo." in shown
    assert "by the fjord" not in shown
    assert "Ada broke a ski" in shown
    assert "Bob lives in Rome" in shown
    assert "Initech" not in shown
    assert "tea" not in shown
    assert "ada likes tea" in section(hers, "preferences")
    his = await api.post("/v1/context", {"agent": "a", "user": "bob", "message": "Hello"})
    assert "by the fjord" in section(his, "bulletin")
    assert "About bob: home: Rome." in section(his, "bulletin")
    nobody = await api.post("/v1/context", {"agent": "a", "message": "Hello"})
    assert section(nobody, "bulletin").count("About ") == 0


async def test_a_bulletin_of_which_the_profile_says_all_is_left_out(api: Tenant) -> None:
    await stated(api, "ada lives in Oslo.", "lives_in", "oslo")
    await api.post("/v1/agents/a/bulletin")
    context = await api.post("/v1/context", {"agent": "a", "user": "ada", "message": "Hello"})
    assert section(context, "bulletin") == "<bulletin>\nAbout ada: home: Oslo.\n</bulletin>"
