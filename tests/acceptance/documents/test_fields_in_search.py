"""Full-text search covers content and key, and tags and summary beside them, each with its weight."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.live_api import Api, Caller, Tenant
from tests.worker.dreaming import dream

WORDED = "The editor is Neovim with the Gruvbox theme"


async def found(api: Caller, query: str, **fields: Any) -> list[dict[str, Any]]:
    """By words alone."""
    answer = await api.post("/v1/memories/search", {"agent": "a", "query": query, "strategy": "keyword"} | fields)
    results: list[dict[str, Any]] = answer["results"]
    return results


async def contents(api: Caller, query: str, **fields: Any) -> list[str]:
    return [one["memory"]["content"] for one in await found(api, query, **fields)]


@pytest.mark.parametrize(
    ("query", "fields", "matched"),
    [
        ("favorite editor", {"key": "favorite_color"}, ["content", "key"]),
        ("favorite color", {"key": "favorite_color"}, ["key"]),
        ("what is their favorite color?", {"key": "user.profile:favoriteColor"}, ["key"]),
        ("user.profile:favoriteColor", {"key": "user.profile:favoriteColor"}, ["key"]),
        ("productivity", {"tags": ["dev tools", "productivity"]}, ["tags"]),
        ("tools", {"tags": ["dev-tools"]}, ["tags"]),
        ("東京", {"tags": ["東京"]}, ["tags"]),
        ("strasse", {"tags": ["Straße"]}, ["tags"]),
        ("preferences of Priya", {"summary": "Editor preferences of Priya"}, ["summary"]),
        (
            "Gruvbox color",
            {"key": "color", "tags": ["color"], "summary": "Color"},
            ["content", "key", "tags", "summary"],
        ),
    ],
)
async def test_a_memory_is_found_by_its_other_fields(
    tenant: Tenant, query: str, fields: dict[str, Any], matched: list[str]
) -> None:
    await tenant.save("Oslo is rainy in autumn")
    await tenant.save(WORDED, **fields)
    [one] = await found(tenant, query)
    assert one["memory"]["content"] == WORDED
    assert one["matched_fields"] == matched
    assert one["keyword_score"] > 0


async def test_content_comes_first_then_key_tags_and_summary(tenant: Tenant) -> None:
    await tenant.save("Something else", summary="About the deadline")
    await tenant.save("Something more", tags=["deadline"])
    await tenant.save("Something again", key="deadline")
    await tenant.save("The deadline is on Friday")
    results = await found(tenant, "deadline")
    assert [one["matched_fields"] for one in results] == [["content"], ["key"], ["tags"], ["summary"]]
    scores = [one["keyword_score"] for one in results]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


async def test_a_summary_made_of_the_content_adds_nothing(tenant: Tenant) -> None:
    await tenant.save(WORDED)
    plain = (await found(tenant, "editor"))[0]["keyword_score"]
    await tenant.save(WORDED, agent="b", summary=WORDED)
    [again] = await found(tenant, "editor", agent="b")
    assert again["keyword_score"] == pytest.approx(plain)
    assert again["matched_fields"] == ["content"]


async def test_what_changes_is_found_by_its_new_words_alone(tenant: Tenant) -> None:
    saved = await tenant.save(WORDED, key="editor_of_choice", tags=["tools"], summary="A preference")
    path = f"/v1/memories/{saved['id']}"
    await tenant.patch(path, {"version": 1, "tags": ["setup"], "key": "ide", "summary": "A habit"})
    for gone in ("choice", "tools", "preference"):
        assert await found(tenant, gone) == []
    for query in ("setup", "ide", "habit", "Neovim"):
        assert await contents(tenant, query) == [WORDED]
    await tenant.patch(path, {"version": 2, "content": "The editor is Emacs"})
    assert await contents(tenant, "setup") == ["The editor is Emacs"]
    assert await found(tenant, "Neovim") == []


async def test_what_is_said_again_is_found_by_the_tags_it_gains(tenant: Tenant) -> None:
    await tenant.save(WORDED, tags=["tools"])
    before = (await found(tenant, "editor"))[0]["keyword_score"]
    for tag in ("setup", "desk"):
        await tenant.save(WORDED, tags=[tag])
    for query in ("tools", "setup", "desk"):
        assert await contents(tenant, query) == [WORDED]
    assert (await found(tenant, "editor"))[0]["keyword_score"] == pytest.approx(before)


async def test_a_word_is_as_rare_as_memories_that_have_it_in_any_field(tenant: Tenant) -> None:
    for agent in "ab":
        await tenant.save("The deadline is on Friday", agent=agent)
        for number in range(5):
            await tenant.save(f"Cup {number} is on the shelf", agent=agent, tags=["deadline"] if agent == "b" else [])
    rare, common = [(await found(tenant, "deadline", agent=agent))[0]["keyword_score"] for agent in "ab"]
    assert common < rare / 2


async def test_large_audiences_are_searched_alike(own_static_api: Api) -> None:
    api = own_static_api
    for number in range(30):
        await api.save(f"Cup {number} is on the shelf", tags=["kitchen"] if number % 3 else [], key=f"cup {number}")
    await api.save("The kitchen has a shelf")
    exact = await found(api, "kitchen cup 7", limit=40)
    api.runtime.search_limits = replace(api.runtime.search_limits, exact_rows=-1, postings=10)
    asked = {"agent": "a", "query": "kitchen cup 7", "strategy": "keyword", "limit": 40}
    scanned = await api.post("/v1/memories/search", asked)
    assert scanned["tier"] == "scan"
    assert [(one["keyword_score"], one["matched_fields"]) for one in scanned["results"]] == [
        (pytest.approx(one["keyword_score"]), one["matched_fields"]) for one in exact
    ]


async def test_the_past_is_found_by_the_fields_it_had(own_static_api: Api) -> None:
    api, start = own_static_api, datetime.now(UTC)
    saved = await api.save(WORDED, tags=["tools"], key="editor_of_choice")
    api.runtime.now = lambda: start + timedelta(days=2)
    await api.patch(f"/v1/memories/{saved['id']}", {"version": 1, "tags": ["setup"], "content": "Emacs"})
    then = (start + timedelta(days=1)).isoformat()
    [one] = await found(api, "tools", as_of=then)
    assert one["memory"]["content"] == WORDED
    assert one["matched_fields"] == ["tags"]
    assert await found(api, "setup", as_of=then) == []
    assert await contents(api, "choice", as_of=then) == [WORDED]


async def test_what_a_dream_joins_is_found_until_it_is_undone(own_static_api: Api) -> None:
    api = own_static_api
    first = await api.save("Maria likes tea")
    await api.save("Maria likes tea.", type="preference", tags=["beverage"])
    await api.patch(f"/v1/memories/{first['id']}", {"version": 1, "type": "preference"})
    done = await dream(api.runtime)
    alive = [one["memory"]["id"] for one in await found(api, "beverage")]
    assert alive == [one["memory"]["id"] for one in await found(api, "tea")]
    await api.post(f"/v1/dreams/{done['id']}/undo", {})
    assert len(await found(api, "tea")) == 2
    assert len(await found(api, "beverage")) == 1
