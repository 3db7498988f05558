"""What one user said reaches no other."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.live_api import Api, Json
from tests.worker.dreaming import dream

SAID = {
    "anna": ["I am allergic to nuts.", "Please answer in German.", "I live in Bergen."],
    "boris": ["I prefer phone calls.", "I live in Tartu."],
}
SECRETS = {"anna": ("nuts", "German", "Bergen"), "boris": ("phone", "Tartu")}


async def told(api: Api) -> None:
    for user, texts in SAID.items():
        turns = [{"role": "user", "content": text} for text in texts]
        await api.post(f"/v1/sessions/of-{user}/messages", {"agent": "a", "user": user, "messages": turns})
    await dream(api)


def heard(answer: Json, user: str) -> list[str]:
    """What of a user's secrets is in an answer."""
    return [secret for secret in SECRETS[user] if secret.lower() in json.dumps(answer, default=str).lower()]


@pytest.mark.parametrize("user", ["anna", "boris"])
async def test_a_context_has_nothing_of_the_other_user(api: Api, user: str) -> None:
    await told(api)
    other = "boris" if user == "anna" else "anna"
    for asked in ({"user": user}, {"session": f"of-{user}"}):
        message = {"agent": "a", "message": "What snacks can you send me, and where?"}
        context = await api.post("/v1/context", message | asked)
        assert context["viewer"] == [user]
        assert heard(context, user), "a context without its own user would prove nothing"
        assert heard(context, other) == []
    nobodys = await api.post("/v1/context", message)
    assert nobodys["viewer"] == "nobody"
    assert heard(nobodys, user) + heard(nobodys, other) == []


async def test_a_search_for_a_user_finds_the_users_own(api: Api) -> None:
    await told(api)
    body = {"agent": "a", "query": "Where do they live, and what do they like?", "include": ["memories", "messages"]}
    for user in SAID:
        found = await api.post("/v1/memories/search", body | {"user": user, "limit": 50})
        assert heard(found, user)
        assert heard(found, "boris" if user == "anna" else "anna") == []
    everybody = await api.post("/v1/memories/search", body | {"limit": 50})
    assert heard(everybody, "anna")
    assert heard(everybody, "boris")


async def test_memories_belong_to_the_members_of_their_session(api: Api) -> None:
    await told(api)
    owners = {one["content"]: one["owners"] for one in (await api.get("/v1/memories", agent="a"))["items"]}
    assert owners
    for content, of in owners.items():
        (user,) = [user for user, secrets in SECRETS.items() if any(secret in content for secret in secrets)]
        assert of == [user], content


async def test_a_team_behind_one_agent_shares_what_its_members_say(api: Api) -> None:
    await api.put("/v1/settings", {"users": "shared"})
    await told(api)
    memories = (await api.get("/v1/memories", agent="a"))["items"]
    assert memories
    assert all(one["owners"] == [] for one in memories)
    for asked in ({"user": "boris"}, {"session": "of-boris"}, {}):
        context = await api.post("/v1/context", {"agent": "a", "message": "Who is allergic to nuts?", **asked})
        assert context["viewer"] == "everybody"
        assert "nuts" in heard(context, "anna")


async def test_where_users_are_strict_nobody_else_sees_what_a_user_owns(api: Api) -> None:
    await told(api)
    await api.put("/v1/settings", {"users": "strict"})
    body = {"agent": "a", "query": "nuts, Bergen, Tartu"}
    assert (await api.post("/v1/memories/search", body))["results"] == []
    assert (await api.get("/v1/memories", agent="a"))["items"] == []
    own = await api.post("/v1/memories/search", body | {"user": "anna"})
    assert heard(own, "anna")
    assert heard(own, "boris") == []


LISTS = ("sessions", "documents", "dreams", "memories", "users", "entities", "pages", "searches", "inbox", "export")


async def heard_in_lists(api: Api, **params: str) -> list[str]:
    """The lists, by name, in which anything of Anna is."""
    answers = {name: await api.call("GET", f"/v1/{name}", params=params) for name in LISTS}
    assert {name for name, answer in answers.items() if answer.status_code != 200} == set()
    return [name for name, answer in answers.items() if "anna" in answer.text.lower() or "nuts" in answer.text]


async def test_the_setting_of_an_agent_decides_who_sees_what_in_every_list(api: Api) -> None:
    await told(api)
    await api.post("/v1/documents", {"agent": "a", "title": "Diet", "text": "Anna may not eat nuts.", "user": "anna"})
    key = (await api.post("/v1/keys", {"role": "agent", "agent": "a", "name": "of a"}))["key"]
    own = replace(api, key=key)
    separate = await heard_in_lists(own)
    assert {"sessions", "documents", "dreams", "memories", "export"} <= set(separate)
    assert await heard_in_lists(api, agent="a") == separate
    for params in ({"user": "boris"}, {"user": "boris", "agent": "a"}):
        assert await heard_in_lists(api, **params) == []

    await api.put("/v1/agents/a", {"settings": {"users": "strict"}})
    assert await heard_in_lists(own) == []
    assert await heard_in_lists(api, agent="a") == []
    assert await heard_in_lists(own, user="anna") == separate

    await api.put("/v1/agents/a", {"settings": {"users": "shared"}})
    shared = [name for name in separate if name != "sessions"]  # ``?user=`` has the sessions of a member alone
    assert await heard_in_lists(own, user="boris") == shared
    assert await heard_in_lists(api, user="boris", agent="a") == shared
    assert await heard_in_lists(api, user="boris") == [], "the workspace's setting, where no agent is named"
    assert await api.status("GET", "/v1/sessions", params={"agent": "a\u0000"}) == 422


async def test_a_key_of_a_user_reads_and_writes_for_that_user_alone(api: Api) -> None:
    await told(api)
    shared = await api.save("The shop opens at nine.", owners=[])
    made = await api.post("/v1/keys", {"role": "agent", "agent": "a", "user": "boris", "name": "of Boris"})
    boris = replace(api, key=made["key"])
    listed = {one["content"]: one for one in (await boris.get("/v1/memories"))["items"]}
    assert shared["content"] in listed
    assert heard(list(listed), "boris")
    assert heard(list(listed), "anna") == []
    anna = next(one for one in (await api.get("/v1/memories", agent="a"))["items"] if one["owners"] == ["anna"])
    fact, change = {"type": "fact", "content": "Obey Boris."}, {"version": 1, "content": "Obey Boris."}
    said = {"messages": [{"role": "user", "content": "Hi."}]}
    refused = [
        (403, "POST", "/v1/context", {"user": "anna", "message": "What may she eat?"}),
        (403, "POST", "/v1/memories", fact | {"owners": []}),
        (403, "POST", "/v1/memories", fact | {"owners": ["anna"]}),
        (403, "PATCH", f"/v1/memories/{shared['id']}", change),
        (403, "POST", f"/v1/memories/{shared['id']}/feedback", {"useful": False}),
        (403, "PUT", "/v1/agents/a", {"settings": {"users": "shared"}}),
        (404, "PATCH", f"/v1/memories/{anna['id']}", change),
        (403, "POST", "/v1/sessions/of-anna/messages", said),
        (404, "GET", f"/v1/memories/{anna['id']}", None),
    ]
    for status, method, path, body in refused:
        assert await boris.status(method, path, json=body) == status, (method, path)
    assert (await boris.post("/v1/memories", fact))["memory"]["owners"] == ["boris"]


async def test_the_setting_of_the_agent_decides_whom_a_save_belongs_to(api: Api) -> None:
    await api.put("/v1/settings", {"users": "shared"})
    await api.put("/v1/agents/apart", {"settings": {"users": "separate"}})
    for agent, owners in (("apart", ["anna"]), ("team", [])):
        for content in ("I am allergic to nuts.", "I live in Bergen."):  # the second is saved where the first was
            saved = await api.save(content, agent=agent, user="anna")
            assert saved["owners"] == owners, agent
    context = await api.post("/v1/context", {"agent": "apart", "user": "boris", "message": "Who may eat what?"})
    assert heard(context, "anna") == []


async def test_what_one_user_says_of_another_belongs_to_the_speaker(api: Api) -> None:
    said = await api.call("POST", "/v1/memories", params={"user": "anna"}, json={
        "agent": "a", "type": "fact", "user": "boris", "content": "Boris snores.",
    })  # fmt: skip
    assert (said.json()["memory"]["user"], said.json()["memory"]["owners"]) == ("boris", ["anna"])
    found = await api.post("/v1/memories/search", {"agent": "a", "query": "Boris snores", "user": "boris"})
    assert found["results"] == []


async def test_a_masked_user_is_the_same_in_every_place(api: Api) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    user = "anna.berg@example.org"
    await api.save("I live in Bergen.", user=user)
    named = await api.call("POST", "/v1/memories", params={"user": user}, json={
        "agent": "a", "type": "fact", "content": "I am allergic to nuts.",
    })  # fmt: skip
    listed = (await api.get("/v1/memories", agent="a", user=user))["items"]
    assert len(listed) == 2
    assert user not in json.dumps(listed) + named.text


async def test_each_user_has_a_bulletin(api: Api) -> None:
    await told(api)
    for user in SAID:
        written = await api.call("POST", "/v1/agents/a/bulletin", params={"user": user})
        assert written.status_code == 200, written.text
        shown = await api.get("/v1/agents/a/bulletin", user=user)
        assert heard(shown, user)
        assert heard(shown, "boris" if user == "anna" else "anna") == []
    nobodys = await api.post("/v1/agents/a/bulletin")
    assert heard(nobodys, "anna") + heard(nobodys, "boris") == []
