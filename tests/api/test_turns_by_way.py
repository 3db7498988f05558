"""A turn of any form is the same turn by every way in: messages, one by one and together, extraction, import, and the
Python client, also in the words of mem0."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest

from reverie_client import AsyncMemory, AsyncReverie
from service.domain.turns import text_of, words_of
from tests.live_api import Tenant
from tests.tables import table
from tests.wire_messages import CALLS, RESULTS, SAID, USER

Way = Callable[[Tenant, dict[str, dict[str, Any]]], Awaitable[None]]
AGENT = "a"


async def one_by_one(api: Tenant, messages: dict[str, dict[str, Any]]) -> None:
    for session, message in messages.items():
        await api.post(f"/v1/sessions/{session}/messages", {"agent": AGENT, "messages": [message]})


async def imported(api: Tenant, messages: dict[str, dict[str, Any]]) -> None:
    own = {"record": "message", "agent": AGENT}
    lines = [own | message | {"id": str(uuid4()), "session": session} for session, message in messages.items()]
    answer = await api.post("/v1/import", content="\n".join(map(json.dumps, lines)))
    assert answer["created"] == len(lines)


async def by_the_client(api: Tenant, messages: dict[str, dict[str, Any]]) -> None:
    async with AsyncReverie(str(api.http.base_url), api.key, agent=AGENT) as client:
        for session, message in messages.items():
            given: Any = [message]
            await client.append_messages(session, given)


async def in_the_words_of_mem0(api: Tenant, messages: dict[str, dict[str, Any]]) -> None:
    async with AsyncMemory(str(api.http.base_url), api.key) as memory:
        for session, message in messages.items():
            await memory.add([message], agent_id=AGENT, run_id=session)


WAYS: list[Way] = [one_by_one, imported, by_the_client, in_the_words_of_mem0]


async def kept(api: Tenant, session: str) -> list[tuple[str, Any]]:
    found = await api.get(f"/v1/sessions/{session}/messages", agent=AGENT)
    return [(one["role"], one["content"]) for one in found["items"]]


@pytest.mark.parametrize("way", WAYS)
async def test_what_is_said_called_and_answered_is_kept_and_found(tenant: Tenant, way: Way) -> None:
    forms = {
        f"{kind} {name}": raw
        for kind, of in (("user", USER), ("call", CALLS), ("result", RESULTS))
        for name, raw in of.items()
    }
    if way is imported:
        del forms["user langchain constructor"]  # whose class stands where a line has its id
    await way(tenant, forms)
    with table() as row:
        for name in forms:
            with row(name):
                ((role, content),) = await kept(tenant, name)
                expected = {"user": ("user", SAID), "call": ("assistant", ""), "result": ("tool", "rain")}[
                    name.split()[0]
                ]
                text = text_of(content) if role == "tool" else words_of(content)
                assert (role, text) == expected
    found = await tenant.post(
        "/v1/memories/search", {"agent": AGENT, "query": "Oslo", "include": ["messages"], "limit": 100}
    )
    said = {name for name in forms if name.startswith("user")}
    assert {one["message"]["session"] for one in found["results"]} == said


@pytest.mark.first_tier
async def test_messages_of_all_forms_come_together(tenant: Tenant) -> None:
    body = {"agent": AGENT, "messages": [*USER.values(), *CALLS.values(), *RESULTS.values()]}
    answer = await tenant.post("/v1/sessions/s/messages", body)
    roles = [one["role"] for one in answer["messages"]]
    assert roles == ["user"] * len(USER) + ["assistant"] * len(CALLS) + ["tool"] * len(RESULTS)
    assert "hologram" in [one["name"] for one in answer["skipped"]]


async def test_extraction_reads_every_form(tenant: Tenant) -> None:
    with table() as row:
        for name, raw in USER.items():
            with row(name):
                answer = await tenant.post("/v1/extract", {"agent": AGENT, "messages": [raw]})
                assert [one["content"] for one in answer["candidates"]] == ["The user lives in Oslo."]


async def test_turns_saved_as_they_are_are_what_users_and_models_say(tenant: Tenant) -> None:
    turns: list[Any] = [
        *USER.values(),
        *CALLS.values(),
        *RESULTS.values(),
        {"role": "developer", "content": "Be brief."},
    ]
    async with AsyncMemory(str(tenant.http.base_url), tenant.key) as memory:
        await memory.add(turns, agent_id=AGENT, infer=False)
        assert {one["memory"] for one in (await memory.get_all(agent_id=AGENT))["results"]} == {SAID}


@pytest.mark.parametrize("content", ["x" * 200_001, [{"type": "text", "text": "x" * 100_001}] * 2])
async def test_a_text_that_is_too_long_is_refused_in_every_form(tenant: Tenant, content: Any) -> None:
    body = {"agent": AGENT, "messages": [{"role": "user", "content": content}]}
    answer = await tenant.call("POST", "/v1/sessions/s/messages", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["body", "messages", 0, "content"]
    assert "200,000 characters" in answer.json()["detail"]


async def test_an_image_counts_the_same_in_the_window_and_in_a_context(tenant: Tenant) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBORw0KGgo" * 15_000}}
    said = [{"type": "text", "text": "What is on this picture?"}, image]
    answer = await tenant.post(
        "/v1/sessions/s/messages", {"agent": AGENT, "messages": [{"role": "user", "content": said}]}
    )
    tokens = answer["window"]["tokens"]
    assert 1_500 < tokens < 1_520
    asked = {"agent": AGENT, "session": "s", "message": "And now?", "max_tokens": 8_000, "sections": {"window": 1.0}}
    context = await tenant.post("/v1/context", asked)
    (window,) = (one for one in context["sections"] if one["name"] == "window")
    assert 0 <= window["tokens"] - tokens < 20
    assert context["messages"][-2]["content"] == said
    small = await tenant.post("/v1/context", asked | {"max_tokens": 1_000})
    assert small["messages"][-2] == {"role": "user", "content": "What is on this picture?"}


@pytest.mark.parametrize(
    ("content", "queries"),
    [
        ("Open src/app/mainMenu.py now", ["main menu", "app", "mainMenu.py", "src/app"]),
        ("The remote is git@github.com:acme/rocket.git", ["acme", "rocket", "github.com", "rocket.git"]),
        ("See https://docs.example.com/guide/install.html?page=2", ["guide", "install", "docs", "example.com"]),
        ("It runs on db-prod-01.internal.acme.io", ["prod", "internal", "acme.io"]),
        ("Call parseUserName() before HTTPServerError", ["user name", "parse", "server error", "parseUserName"]),
        ("The branch feature/login-page", ["login", "feature", "page"]),
        ("Choose tea/coffee", ["tea", "coffee"]),
        (r"It is in C:\Data\Quarterly\report.xlsx", ["quarterly", "report", "xlsx"]),
        ("This ends here.And goes on", ["goes", "ends here"]),
        ("Ask support@mail.example.org", ["support", "mail", "example"]),
        ("The \ufb01nal o\ufb00er", ["final offer", "final"]),
        ("Co\u00adope\u00adration is on", ["cooperation"]),
        ("A zero\u200bwidth \u2060joiner", ["zerowidth", "joiner"]),
        ("\u202eturned\u202c around", ["turned"]),
        ("\uff21\uff30\uff29 keys \u2122", ["api keys"]),
        ("heart\ufe0f beat\u200d", ["heart beat"]),
    ],
)  # fmt: skip
async def test_parts_and_look_alikes_are_found_by_keyword(tenant: Tenant, content: str, queries: list[str]) -> None:
    saved = await tenant.post("/v1/memories", {"agent": AGENT, "type": "fact", "content": content})
    assert saved["memory"]["content"] == content
    with table() as row:
        for query in queries:
            with row(query):
                found = await tenant.post(
                    "/v1/memories/search", {"agent": AGENT, "query": query, "strategy": "keyword"}
                )
                assert [one["memory"]["content"] for one in found["results"]] == [content]


@pytest.mark.parametrize(
    ("said", "again"),
    [("The \ufb01nal o\ufb00er", "The final offer"), ("Co\u00adope\u00adration", "Cooperation"), ("a\u200bb", "ab")],
)
async def test_look_alikes_are_one_memory(tenant: Tenant, said: str, again: str) -> None:
    for text in (said, again):
        saved = await tenant.post("/v1/memories", {"agent": AGENT, "type": "fact", "content": text})
        assert saved["created"] == (text == said)
        assert saved["memory"]["content"] == said


@pytest.mark.parametrize("day", ["2026-03-01", " 2026-03-01 "])
async def test_a_day_is_a_time(tenant: Tenant, day: str) -> None:
    saved = await tenant.post("/v1/memories", {"agent": AGENT, "type": "event", "content": "Moved", "occurred_at": day})
    assert saved["memory"]["occurred_at"] == "2026-03-01T00:00:00Z"
    body = {"agent": AGENT, "type": "event", "content": "x", "occurred_at": "2026-02-30"}
    assert (await tenant.call("POST", "/v1/memories", json=body)).json()["errors"][0]["loc"] == ["body", "occurred_at"]
