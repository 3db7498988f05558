"""What one user said reaches no other."""

from __future__ import annotations

import json

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
