"""Every endpoint × two workspaces × two teams × four agents × admin, agent and reader keys × every scope.

Whatever is not the caller's to see answers exactly as if it were not there, and nothing of it is said or changed.
A new endpoint is a new line of ``MATRIX``; without one the first test fails.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest

from service.settings import Settings
from tests.acceptance.tenants import (
    AGENTS,
    ENTITY,
    NOBODY,
    SESSION,
    USER,
    WORKSPACES,
    Caller,
    State,
    World,
    build,
    closed_task_of,
    fingerprints,
    task_of,
)  # fmt: skip
from tests.api_document import DOCUMENT
from tests.databases import TEMPLATE, Databases
from tests.fakes.wire_formats import FakeModels
from tests.live_api import Api, serving
from tests.pgbouncer import Bouncer

ID, AGENT, TASK, OWN = "<id>", "<agent>", "<task>", "<own agent>"
"""Stand in a request for the id of the thing, the name asked for, the caller's task, and the agent it acts as."""

MISSING = "01890000-0000-7000-8000-00000000dead"
IDS = (
    "memory_id", "message_id", "document_id", "entity_id", "edge_id", "dream_id", "key_id", "webhook_id",
    "dead_letter_id", "page_id", "proposal_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One way to ask an endpoint: of a ``kind`` of thing with an id, or (None) of whatever the caller's view holds."""

    kind: str | None = None
    body: Any = None
    query: Any = None
    role: str | None = None
    tells: bool = False
    shared: bool = False
    spends: bool = False


def of(kind: str, body: Any = None, query: Any = None, role: str | None = None, *, shared: bool = False) -> Case:
    """About one thing, in the path or the body: for who may not see it as if it were not there.

    ``shared``: whoever may see it may also do this to it.
    """
    return Case(kind, body, query, role, shared=shared)


def view(body: Any = None, role: str | None = None, *, tells: bool = False, spends: bool = False, **query: str) -> Case:
    """About the caller's own view, through each agent's name; ``tells``: something of the caller's is in it;
    ``spends``: it calls a model as it is told to, which is no reader's to do."""
    return Case(None, body, query, role, tells, spends=spends)


SEARCH = {"agent": AGENT, "query": "harbour word %", "limit": 100, "session": SESSION, "task": TASK, "user": USER,
          "include": ["memories", "messages", "documents"], "include_faded": True}  # fmt: skip
CLOSED = {"task": closed_task_of("a_b"), "session": None}
"""A task whose members are two of the agents, as every caller may name it."""

TALK = {"agent": AGENT, "session": SESSION, "task": TASK}
MEMORY = {"agent": AGENT, "type": "event", "content": "A word of their own"}
TURN = {"agent": AGENT, "messages": [{"role": "user", "content": "Which harbour word?"}]}
MERGED = {"relation": "about", "source": {"entity": {"name": "n"}}}
ASKED = {"model": "openai/any", "messages": [{"role": "user", "content": "Which harbour word?"}], "user": USER}
MESSAGE = {"model": "openai/any", "max_tokens": 100, "metadata": {"user_id": USER}, "messages": ASKED["messages"]}

MATRIX: dict[str, list[Case]] = {
    "GET /healthz": [view()],
    "GET /readyz": [view()],
    "GET /metrics": [view(role="admin of the default workspace")],
    "POST /v1/memories": [view(MEMORY), of("memory", MEMORY | {"links": [{"relation": "about", "memory_id": ID}]})],
    "POST /v1/memories/batch": [
        view({"items": [MEMORY, MEMORY | {"scope": "task", "task": TASK}]}), view({"items": [MEMORY | CLOSED]}),
    ],
    "GET /v1/memories": [
        view(tells=True), view(agent=AGENT, tells=True), view(q="%", include="deleted,superseded,expired"),
        view(q="_", user="u%"), view(session=SESSION, tells=True), view(tag="zq%"), view(key="%"),
    ],
    "POST /v1/memories/search": [
        view(SEARCH, tells=True), view(SEARCH | {"user": "u%1", "session": "s/_"}),
        view(SEARCH | CLOSED, tells=True), view(SEARCH | {"task": "closed:a%", "session": None}),
    ],
    "POST /v1/memories/search/preview": [
        view(SEARCH, tells=True), view(SEARCH | {"strategy": "keyword"} | CLOSED, tells=True),
    ],
    "GET /v1/memories/stats": [view(), view(agent=AGENT)],
    "GET /v1/memories/{memory_id}": [of("memory"), of("memory", query={"include": "deleted,expired"})],
    "PATCH /v1/memories/{memory_id}": [of("memory", {"version": 1, "content": "Changed"})],
    "DELETE /v1/memories/{memory_id}": [of("memory")],
    "POST /v1/memories/{memory_id}/restore": [of("memory")],
    "POST /v1/memories/{memory_id}/feedback": [of("memory", {"useful": True}, shared=True)],
    "GET /v1/memories/{memory_id}/history": [of("memory")],
    "GET /v1/memories/{memory_id}/sources": [of("memory")],
    "POST /v1/sessions": [view({"agent": AGENT, "session": SESSION, "user": USER})],
    "GET /v1/sessions": [view(), view(agent=AGENT), view(user="u%")],
    "GET /v1/sessions/{session}": [view(agent=AGENT)],
    "GET /v1/sessions/{session}/messages": [view(agent=AGENT, tells=True)],
    "POST /v1/sessions/{session}/messages": [view(TURN, tells=True)],
    "GET /v1/sessions/{session}/window": [view(agent=AGENT, tells=True)],
    "DELETE /v1/sessions/{session}/window": [view(agent=AGENT)],
    "POST /v1/sessions/{session}/compact": [view(agent=AGENT)],
    "GET /v1/messages/{message_id}/memories": [of("message")],
    "POST /v1/context": [
        view(TALK | {"message": "harbour word"}, tells=True),
        view(TALK | {"message": "harbour word"} | CLOSED, tells=True),
    ],
    "POST /v1/ask": [
        view(TALK | {"question": "Which harbour word?"}), view(TALK | {"question": "Which harbour word?"} | CLOSED),
        view(TALK | {"question": "Which harbour word?", "stream": True, "evidence": True}, tells=True),
    ],
    "POST /v1/extract": [
        view({"agent": AGENT, "text": "I live in Oslo."}, spends=True),
        view({"agent": AGENT, "text": "I live in Oslo.", "prompts": True}, spends=True),
    ],
    "GET /v1/tasks": [view()],
    "GET /v1/tasks/{task}": [view()],
    "PUT /v1/tasks/{task}": [view({"members": None}, role="admin")],
    "GET /v1/agents": [view()],
    "GET /v1/agents/{agent}": [view()],
    "PUT /v1/agents/{agent}": [view({"name": "n"})],
    "GET /v1/agents/{agent}/bulletin": [view(tells=True), view(version="1")],
    "POST /v1/agents/{agent}/bulletin": [view(tells=True)],
    "GET /v1/agents/{agent}/bulletin/versions": [view(tells=True)],
    "POST /v1/agents/{agent}/dream": [view({"dry_run": True})],
    "GET /v1/dreams": [view(), view(agent=AGENT)],
    "GET /v1/dreams/{dream_id}": [of("dream")],
    "POST /v1/dreams/{dream_id}/undo": [of("dream")],
    "POST /v1/agents/{agent}/calibration": [view({"stood_days": 0}), view({"stood_days": 0, "write": True})],
    "GET /v1/inbox": [view(tells=True), view(agent=AGENT, tells=True), view(status="rejected", agent="a%")],
    "POST /v1/inbox": [of("proposal", {"ids": [ID], "action": "reject"})],
    "POST /v1/inbox/{proposal_id}": [
        of("proposal", {"action": "accept"}), of("proposal", {"action": "edit", "content": "Otherwise"}),
    ],
    "POST /v1/summarize": [view({"agent": AGENT, "older_than_days": 0, "dry_run": True})],
    "POST /v1/summaries/{memory_id}/undo": [of("memory")],
    "GET /v1/entities": [view(tells=True), view(agent=AGENT), view(q="%"), view(q="_", kind="proj%")],
    "GET /v1/entities/{entity}": [of("entity"), of("entity", query={"agent": OWN}), view(agent=AGENT)],
    "GET /v1/entities/{entity}/graph": [of("entity"), view(agent=AGENT, depth="4")],
    "PATCH /v1/entities/{entity_id}": [of("entity", {"name": "Taken"})],
    "POST /v1/entities/{entity_id}/merge": [of("entity", {"into": ID})],
    "POST /v1/entities/{entity_id}/unmerge": [of("entity")],
    "POST /v1/entities/{entity_id}/split": [of("entity", {"memory_ids": [MISSING], "name": "Other"})],
    "POST /v1/edges": [
        of("memory", MERGED | {"agent": OWN, "target": {"memory_id": ID}}),
        of("entity", MERGED | {"agent": OWN, "target": {"entity_id": ID}}),
    ],
    "DELETE /v1/edges/{edge_id}": [of("edge")],
    "POST /v1/keys": [view({"role": "agent", "agent": AGENT, "name": "n"}, role="admin")],
    "GET /v1/keys": [view(role="admin")],
    "POST /v1/keys/{key_id}/rotate": [of("key", role="admin")],
    "DELETE /v1/keys/{key_id}": [of("key", role="admin")],
    "GET /v1/whoami": [view()],
    "GET /v1/settings": [view()],
    "PUT /v1/settings": [
        view({"window": {"idle_s": 60}}, role="admin"),
        view({"embedding": {"cache_size": 5}}, role="admin of the default workspace"),
    ],
    "GET /v1/usage": [view(role="admin"), view(role="admin", by="agent"), view(role="admin", by="key")],
    "GET /v1/audit": [view(role="admin"), view(role="admin", actor="%")],
    "GET /v1/export": [view(tells=True), view(agent=AGENT, include="deleted,expired", tells=True)],
    "POST /v1/import": [view(MEMORY, role="admin")],
    "GET /v1/users": [view(), view(agent=AGENT), view(q="u%"), view(q="_")],
    "GET /v1/users/{user}/profile": [view(), view(agent=AGENT), view(agent=AGENT, as_of="2100-01-01T00:00:00Z")],
    "GET /v1/users/{user}/profile/diff": [
        view(**{"from": "2000-01-01T00:00:00Z"}),
        view(agent=AGENT, **{"from": "2000-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z"}),
    ],
    "POST /v1/users/{user}/purge": [view(role="admin")],
    "GET /v1/users/{user}/export": [view(role="admin", tells=True)],
    "POST /v1/pages": [view({"agent": AGENT, "question": "Which harbour word?"}, tells=True)],
    "GET /v1/pages": [view(tells=True), view(agent=AGENT, tells=True)],
    "GET /v1/pages/{page_id}": [of("page")],
    "PUT /v1/pages/{page_id}": [of("page", {"question": "Which word?"})],
    "POST /v1/pages/{page_id}": [of("page")],
    "DELETE /v1/pages/{page_id}": [of("page")],
    "GET /v1/pages/{page_id}/versions": [of("page"), of("page", query={"compared_to": "1"})],
    "POST /v1/documents": [view({"agent": AGENT, "title": "t", "text": "Their own", "user": USER})],
    "GET /v1/documents": [view(tells=True), view(agent=AGENT), view(user="u%")],
    "GET /v1/documents/{document_id}": [of("document")],
    "DELETE /v1/documents/{document_id}": [of("document")],
    "POST /v1/chat/completions": [view(ASKED, spends=True)],
    "POST /v1/responses": [view({"model": "openai/any", "input": "Which harbour word?", "user": USER}, spends=True)],
    "POST /v1/messages": [view(MESSAGE, spends=True)],
    "POST /v1/messages/count_tokens": [view(MESSAGE, spends=True)],
    "GET /v1/models": [view(spends=True)],
    "GET /v1/engine": [view()],
    "GET /v1/embedding-providers": [view()],
    "POST /v1/verify": [view()],
    "GET /v1/dead-letters": [view(role="admin")],
    "POST /v1/dead-letters/{dead_letter_id}/retry": [of("dead_letter", role="admin")],
    "DELETE /v1/dead-letters/{dead_letter_id}": [of("dead_letter", role="admin")],
    "POST /v1/reindex": [view({}, role="admin")],
    "GET /v1/reindex": [view()],
    "GET /v1/events": [view(after="0", wait="false")],
    "POST /v1/webhooks": [view({"url": "https://example.org/"}, role="admin")],
    "PATCH /v1/webhooks/{webhook_id}": [view({"active": False}, role="admin")],
    "POST /v1/webhooks/{webhook_id}/test": [view(role="admin")],
    "POST /v1/webhooks/{webhook_id}/enable": [view(role="admin")],
    "GET /v1/webhooks": [view(role="admin")],
    "DELETE /v1/webhooks/{webhook_id}": [view(role="admin")],
}  # fmt: skip


def test_every_endpoint_is_in_the_matrix() -> None:
    there = {f"{method.upper()} {path}" for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert set(MATRIX) == there


@pytest.fixture(scope="module")
def full(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, World]]:
    """The name of a database with both workspaces, and what is in it; tests work on copies."""
    name = f"world_{uuid4().hex[:12]}"
    url = asyncio.run(databases.copy(TEMPLATE, name))

    async def fill() -> World:
        settings = settings_on(url, tmp_path_factory.mktemp("world"))
        async with serving(settings) as api:
            world = await build(api, settings)
        await databases.close(name)
        return world

    yield name, asyncio.run(fill())
    asyncio.run(databases.drop(name))


def settings_on(url: str, folder: Path, **more: Any) -> Settings:
    named = {"DATABASE_URL": url, "REVERIE_DATA_DIR": folder, "REVERIE_POOL_WAIT_S": 60}
    return Settings(**named, EMBEDDING_MODEL="static", _env_file=None, **more)


@dataclass(frozen=True, slots=True)
class Asking:
    """One endpoint, asked over HTTP. ``state``: what is in the database now."""

    api: Api
    method: str
    path: str
    state: Callable[[], Awaitable[State]]

    @property
    def writes(self) -> bool:
        """Whether it is there to change something."""
        return self.method != "GET"

    async def ask(self, caller: Caller, case: Case, *, thing: str = MISSING, agent: str = AGENTS[0]) -> httpx.Response:
        """The answer to a caller, with the thing's id and the agent's name where the case has their places."""
        own = caller.agent or agent
        names = {AGENT: agent, TASK: task_of(own), OWN: own, ID: thing}
        path = self.path.replace("{session}", quote(SESSION, safe="")).replace("{user}", USER)
        path = path.replace("{agent}", quote(agent, safe="")).replace("{task}", quote(CLOSED["task"], safe=""))
        path = path.replace("{entity}", thing if case.kind else ENTITY)
        for place in IDS:
            path = path.replace(f"{{{place}}}", thing)
        options: dict[str, Any] = {}
        if case.query:
            options["params"] = {name: names.get(value, value) for name, value in case.query.items()}
        if case.body is not None:
            text = json.dumps(case.body)
            for place, name in names.items():
                text = text.replace(json.dumps(place), json.dumps(name))
            options |= {
                "content": text,
                "headers": {"Content-Type": "application/json", "X-Reverie-Agent": own.encode()},
            }
        answer = await replace(self.api, key=caller.key).call(self.method, path, **options)
        assert answer.status_code < 500, answer.text
        assert answer.status_code not in (401, 405), answer.text
        return answer


@pytest.fixture(params=MATRIX)
async def asked(
    request: pytest.FixtureRequest,
    full: tuple[str, World],
    databases: Databases,
    bouncer: Bouncer | None,
    tmp_path: Path,
) -> AsyncIterator[tuple[Asking, World, list[Case]]]:
    """One endpoint on a copy of the world, with a language model that answers with what it was told."""
    name = f"copy_{uuid4().hex[:12]}"
    url = await databases.copy(full[0], name)
    through = bouncer.url(url) if bouncer else url
    method, _, path = request.param.partition(" ")
    with FakeModels() as model:
        model.default_reply = json.dumps
        llm = {"LLM_MODEL": "openai/echo", "LLM_API_BASE": model.base_url, "LLM_API_KEY": "key"}
        async with serving(settings_on(through, tmp_path, **llm)) as api, fingerprints(url) as state:
            yield Asking(api, method, path, state), full[1], MATRIX[request.param]
    await databases.drop(name)


async def test_nothing_crosses(asked: tuple[Asking, World, list[Case]]) -> None:
    asking, world, cases = asked
    for case in cases:
        if case.kind is None:
            await views(asking, world, case)
        else:
            await things(asking, world, case)


async def test_an_import_of_anothers_ids_touches_nothing_of_theirs(
    full: tuple[str, World], databases: Databases, bouncer: Bouncer | None, tmp_path: Path
) -> None:
    name = f"copy_{uuid4().hex[:12]}"
    url = await databases.copy(full[0], name)
    through = bouncer.url(url) if bouncer else url
    admins = [caller for caller in full[1].callers if caller.role == "admin"]
    async with serving(settings_on(through, tmp_path)) as api, fingerprints(url) as state:
        theirs = (await replace(api, key=admins[0].key).call("GET", "/v1/export?include=deleted,expired")).text
        before = await state()
        changed = theirs.replace("harbour", "haven")
        answer = await replace(api, key=admins[1].key).call("POST", "/v1/import", content=changed)
        assert answer.is_success, answer.text
        unchanged(before, await state(), full[1], admins[1])
        assert (await replace(api, key=admins[0].key).call("GET", "/v1/export?include=deleted,expired")).text.split(
            "\n", 1)[1] == theirs.split("\n", 1)[1]  # fmt: skip
    await databases.drop(name)


async def things(asking: Asking, world: World, case: Case) -> None:
    """What a caller may not see is not there; what it may not change stays; whose it is gets it."""
    before = await asking.state()
    for caller in world.callers:
        absent = await asking.ask(caller, case)
        barred = case.role not in (None, caller.role) or (asking.writes and caller.role == "reader")
        if barred:
            assert absent.status_code == 403
        for thing in world.of(str(case.kind)):
            if caller.may_see(thing) and not barred:
                continue
            answer = await asking.ask(caller, case, thing=thing.id)
            assert answer.status_code == absent.status_code, (caller, thing, answer.text)
            assert answer.text.replace(thing.id, MISSING) == absent.text, (caller, thing)
            assert answer.status_code in ((403,) if barred else (404, 422)), (caller, thing, answer.text)
    after = await asking.state()
    unchanged(before, after, world, None)
    await rightful(asking, world, case, after)


async def rightful(asking: Asking, world: World, case: Case, before: State) -> None:
    """Every caller on what it may see: one that may not change it is refused, and the others' stays as it was."""
    served = False
    for caller in world.callers:
        for thing in world.of(str(case.kind)):
            if not caller.may_see(thing) or case.role not in (None, caller.role):
                continue
            answer = await asking.ask(caller, case, thing=thing.id)
            assert not world.secrets(caller, answer.text), (caller, thing)
            served = served or answer.is_success or answer.status_code in (409, 422)
            owns = caller.may_change(thing) or "{" not in asking.path
            if asking.writes and not (owns or case.shared):
                assert answer.status_code in (403, 404), (caller, thing, answer.text)
        if asking.writes:
            after = await asking.state()
            unchanged(before, after, world, replace(caller, agent=None) if case.shared else caller)
            before = after
    assert served


async def views(asking: Asking, world: World, case: Case) -> None:
    """A caller's own view through every agent's name, and one nobody has: nothing in it is another's."""
    told = dict.fromkeys(WORKSPACES, False)
    before = await asking.state()
    for caller in world.callers:
        for agent in (*AGENTS, NOBODY):
            answer = await asking.ask(caller, case, agent=agent)
            if case.role not in (None, caller.role):
                assert answer.status_code == 403, answer.text
            if case.spends and (caller.agent or agent).isascii():  # no other name is carried by a header
                assert answer.status_code == (403 if caller.role == "reader" else 200), answer.text
            leaked = world.secrets(caller, answer.text)
            assert not leaked, (caller, agent, leaked)
            told[caller.workspace] |= world.mentions_any(answer.text)
            if "{agent}" in asking.path and caller.agent not in (None, agent):
                assert answer.status_code == 404, (caller, agent, answer.text)
        if asking.writes:
            after = await asking.state()
            unchanged(before, after, world, caller)
            before = after
    if not asking.writes:
        unchanged(before, await asking.state(), world, None)
    assert not case.tells or all(told.values())


def unchanged(before: State, after: State, world: World, caller: Caller | None) -> None:
    """Nothing has changed but what is the caller's: rows of its workspace and, if it is an agent, of no other agent.

    A reader's are none; without a caller nothing at all may have changed.
    """
    for table, workspace, agent in before.keys() | after.keys():
        if before.get((table, workspace, agent)) == after.get((table, workspace, agent)):
            continue
        assert caller is not None, f"{table} has changed"
        assert caller.role != "reader", f"a reader has changed {table}"
        assert world.names[workspace] == caller.workspace, f"{caller} has changed {table} of another workspace"
        if caller.agent is not None and agent:
            assert world.names.get(agent) == caller.agent, f"{caller} has changed {table} of another agent"
