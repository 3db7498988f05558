"""Dreams that conclude: habits, changes, preferences and open questions, beside what they rest on, and gone with it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Tenant
from tests.worker.dreaming import dream, say

Json = dict[str, Any]


@pytest.fixture
def api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


async def concluded(api: Tenant) -> list[Json]:
    found: list[Json] = (await api.get("/v1/memories", agent="a", type="insight"))["items"]
    return found


async def test_a_change_is_concluded_and_falls_with_what_it_rests_on(api: Tenant) -> None:
    await say(api, "I live in Berlin.", user="Sam", session="may", created_at="2026-05-02T10:00:00Z")
    await dream(api)
    await say(api, "I moved to Bergen.", user="Sam", session="november", created_at="2026-11-20T10:00:00Z")
    done = await dream(api)
    (insight,) = await concluded(api)
    assert insight["content"] == "Sam moved from Berlin to Bergen in November 2026"
    texts = [change["text"] for change in (await api.get(f"/v1/dreams/{done['id']}"))["changes"]]
    assert any("Sam moved from Berlin to Bergen in November 2026" in text for text in texts)
    evidence = {one["id"]: one["former"] for one in insight["source"]["evidence"]}
    contents = {(await api.get(f"/v1/memories/{id_}"))["content"]: former for id_, former in evidence.items()}
    assert contents == {"Sam lives in Berlin.": True, "Sam moved to Bergen.": False}
    bergen = next(id_ for id_, former in evidence.items() if not former)
    await api.delete(f"/v1/memories/{bergen}")
    assert await concluded(api) == []
    assert await api.status("GET", f"/v1/memories/{insight['id']}") == 404


async def test_a_habit_is_found_beside_its_evidence(api: Tenant) -> None:
    for day in ("2026-10-03", "2026-10-20", "2026-11-12"):
        await say(api, "I ran by the river today.", user="Sam", session=day, created_at=f"{day}T18:00:00Z")
    await say(api, "I like tea.", "I work at Initech.", user="Sam", session="else")
    await dream(api)
    (insight,) = await concluded(api)
    assert insight["content"] == "Sam often runs by the river (3 times, October–November 2026)"
    found = await api.search("when did Sam run by the river?", limit=5)
    ids = [one["id"] for one in found]
    assert {one["id"] for one in insight["source"]["evidence"]} <= set(ids), "it takes no place of its evidence"
    asked = {"agent": "a", "message": "does Sam often run by the river?", "user": "Sam"}
    assert "often runs by the river" in str(await api.post("/v1/context", asked))


async def test_a_purge_of_the_user_leaves_nothing_of_it(api: Tenant) -> None:
    for day in ("2026-10-03", "2026-10-20", "2026-11-12"):
        await say(api, "I ran by the river today.", user="Sam", session=day, created_at=f"{day}T18:00:00Z")
    await dream(api)
    await api.post("/v1/users/Sam/purge", {})
    assert (await api.get("/v1/memories", agent="a", include="superseded,deleted"))["items"] == []
    assert b"river" not in (await api.call("GET", "/v1/export", params={"include": "deleted,expired"})).content


async def test_an_undo_takes_insight_profile_page_and_bulletin_back(api: Tenant) -> None:
    body = {"agent": "a", "question": "Where does Sam live?", "scope": {"user": "Sam", "types": ["fact", "identity"]}}
    page = await api.post("/v1/pages", body)

    async def known() -> Json:
        shown = await api.get(f"/v1/pages/{page['id']}")
        versions = (await api.get(f"/v1/pages/{page['id']}/versions"))["items"]
        profile = await api.get("/v1/users/Sam/profile", agent="a")
        return {
            "insights": [one["content"] for one in await concluded(api)],
            "profile": [(one["name"], one["value"]) for one in profile["fields"]],
            "page": [one["text"] for one in shown["sentences"]],
            "versions": [(one["version"], [each["text"] for each in one["sentences"]]) for one in versions],
            "bulletin": (await api.get("/v1/agents/a/bulletin", user="Sam"))["content"],
        }

    await say(api, "I live in Berlin.", user="Sam", session="may", created_at="2026-05-02T10:00:00Z")
    await dream(api)
    before = await known()
    assert (before["insights"], before["profile"]) == ([], [("home", "Berlin")])
    assert before["page"] == ["Sam lives in Berlin."]
    await say(api, "I moved to Bergen.", user="Sam", session="november", created_at="2026-11-20T10:00:00Z")
    done = await dream(api)
    after = await known()
    assert after["insights"] == ["Sam moved from Berlin to Bergen in November 2026"]
    assert after["profile"] == [("home", "Bergen")]
    assert "Berlin" not in str(after["page"])
    assert [version for version, _ in after["versions"]] == [3, 2, 1]
    assert (await api.post(f"/v1/dreams/{done['id']}/undo"))["status"] == "undone"
    assert await known() == before


async def test_a_preference_across_things_and_an_open_question(api: Tenant) -> None:
    told = {
        "2026-10-03": "I love hiking in Jotunheimen.",
        "2026-10-20": "I'm thinking about taking the job in Oslo.",
        "2026-11-12": "I like hiking in Lofoten.",
        "2026-11-14": "I'm still thinking about taking the job in Oslo.",
    }
    for day, text in told.items():
        await say(api, text, user="Sam", session=day, created_at=f"{day}T18:00:00Z")
    await dream(api)
    likes = "Sam likes hiking (Jotunheimen, Lofoten)"
    still_open = "Open question: Sam is still thinking about taking the job in Oslo (2 times, October–November 2026)"
    assert {one["content"] for one in await concluded(api)} == {likes, still_open}
    await say(api, "I took the job in Oslo.", user="Sam", session="taken", created_at="2026-11-20T18:00:00Z")
    await dream(api)
    (insight,) = await concluded(api)
    assert insight["content"] == likes
    await api.delete(f"/v1/memories/{insight['source']['evidence'][0]['id']}")
    assert await concluded(api) == []
