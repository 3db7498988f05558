"""Workspaces to export from and to import into."""

from __future__ import annotations

from uuid import uuid4

import pytest

from service.domain.principal import KeyGrant
from service.first_start import key_in_workspace
from service.memory.counters import AccessCounter
from service.settings import Settings
from tests.live_api import Api, Tenant
from tests.promises.tenants import waiting


@pytest.fixture
async def elsewhere(api: Api, settings: Settings) -> Api:
    """Another workspace of the same server."""
    key = await key_in_workspace(settings, KeyGrant("admin", "elsewhere"), "elsewhere")
    return Api(api.http, api.runtime, key)


@pytest.fixture
async def full(api: Api | Tenant) -> Api | Tenant:
    """A workspace with something of everything."""
    await api.put("/v1/settings", {"window": {"messages_max": 30}})
    await api.put("/v1/agents/a", {"name": "Ada", "teams": ["blue"], "prime": True})
    await api.post(
        "/v1/sessions/s1/messages",
        {
            "agent": "a",
            "user": "sam",
            "messages": [
                {"role": "user", "content": "I moved to Bergen.", "created_at": "2024-03-01T10:00:00Z"},
                {"role": "assistant", "content": {"parts": ["noted", 1]}},
            ],
        },
    )
    first = await api.save("The launch is in May", type="decision", created_at="2024-01-02T03:04:05Z", tags=["x"])
    await api.save("Team fact", scope="team", team="blue")
    await api.save("Task fact", scope="task", task="t1", agent="b")
    await api.put("/v1/tasks/t2", {"members": ["a", "b"]})
    await api.save("Task fact for two", scope="task", task="t2", agent="b")
    await api.save("Session fact", scope="session", session="s1")
    await api.save("Prime fact", scope="prime")
    await api.save("Buy milk", type="todo", key="milk", metadata={"n": 1}, user="sam")
    await api.patch(f"/v1/memories/{first['id']}", {"version": 1, "content": "The launch is in June"})
    link = {"relation": "about", "entity": {"name": "Apollo", "kind": "project", "metadata": {"crew": [3, None]}}}
    await api.save("Apollo goes well", links=[link, {"relation": "supports", "memory_id": first["id"]}])
    for content in ("Sam may like tea", "Sam may like chess"):
        proposal = await api.inside(
            lambda runtime, content=content: waiting(runtime, content, api.workspace, "a", uuid4(), "sam", ["x"])
        )
    await api.post(f"/v1/inbox/{proposal}", {"action": "reject"})
    gone = await api.save("Gone again")
    await api.delete(f"/v1/memories/{gone['id']}")
    return api


@pytest.fixture
async def fuller(full: Api | Tenant) -> Api | Tenant:
    """As ``full``, with what a workspace gathers in time."""
    turns = [{"role": "user", "content": f"Turn {n} is about sailing to Bergen."} for n in range(12)]
    await full.post("/v1/sessions/s1/messages", {"agent": "a", "user": "sam", "messages": turns})
    await full.post("/v1/sessions/s1/compact?agent=a")
    await full.delete("/v1/sessions/s1/window", agent="a")
    await full.post("/v1/sessions/s1/messages", {"agent": "a", "messages": turns[:2]})
    text = "\n\n".join(f"# Part {n}\n" + "Green tea is brewed at 80 degrees. " * 60 for n in range(3))
    await full.post("/v1/documents", {"agent": "a", "title": "Tea", "text": text, "user": "sam", "metadata": {"n": 1}})
    await full.save("Ana likes tea", user="ana")
    said_again = await full.save("Ana likes tea", user="ana")
    await full.post(f"/v1/memories/{said_again['id']}/feedback", {"useful": True})
    both = [
        {"relation": "about", "entity": {"name": name, "kind": "project"}} for name in ("Apollo", "Apollo Programme")
    ]
    await full.save("Apollo and the Apollo Programme are one", links=both)
    await full.save("The Apollo Programme is large", links=both[1:])
    found = {one["name"]: one["id"] for one in (await full.get("/v1/entities", agent="a"))["items"]}
    await full.post(f"/v1/entities/{found['Apollo Programme']}/merge", {"into": found["Apollo"]})
    await full.search("Apollo")
    await full.post("/v1/agents/a/bulletin")
    await full.post("/v1/pages", {"agent": "a", "question": "When is the launch?", "trigger": "0 6 * * *"})
    expected = [one["id"] for one in await full.search("launch")][:1]
    saved = {"agent": "a", "name": "Launch", "query": "When is the launch?", "options": {"types": ["decision"]}}
    search = await full.post("/v1/searches", saved | {"expected": expected})
    await full.post(f"/v1/searches/{search['id']}/run", {"overrides": {"strategy": "keyword"}})
    await full.post("/v1/searches/run", {"agent": "a"})
    await full.inside(lambda runtime: runtime.part(AccessCounter).flush())
    return full
