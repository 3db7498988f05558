"""Every endpoint × two workspaces × two teams × four agents × admin, agent and reader keys × every scope.

Whatever is not the caller's to see answers exactly as if it were not there, and nothing of it is said or changed.
A new endpoint is a new line of ``MATRIX`` (endpoints.py); without one the first test fails. The first tier walks all
endpoints with some of the keys, the second with each.
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
from tests.api_document import DOCUMENT
from tests.databases import TEMPLATE, Databases
from tests.fakes.wire_formats import FakeModels
from tests.live_api import Api, serving
from tests.pgbouncer import Bouncer
from tests.promises.endpoints import AGENT, CLOSED, ID, IDS, MATRIX, MISSING, OWN, TASK, Case
from tests.promises.tenants import (
    AGENTS,
    ENTITY,
    NOBODY,
    PRIME,
    SESSION,
    TEAMS,
    USER,
    WORKSPACES,
    Caller,
    State,
    World,
    build,
    fingerprints,
    task_of,
)  # fmt: skip


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
    named = {"DATABASE_URL": url, "REVERIE_DATA_DIR": folder, "REVERIE_TUNING": {"pool_wait_s": 60}}
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
        path = path.replace("{n}", "1").replace("{team}", TEAMS[PRIME])
        path = path.replace("{workspace}", WORKSPACES[1])
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


Ask = Callable[[str], Asking]


@pytest.fixture
async def ask(
    full: tuple[str, World], databases: Databases, bouncer: Bouncer | None, tmp_path: Path
) -> AsyncIterator[Ask]:
    """Any endpoint of a copy of the world, with a language model that answers with what it was told."""
    name = f"copy_{uuid4().hex[:12]}"
    url = await databases.copy(full[0], name)
    through = bouncer.url(url) if bouncer else url
    with FakeModels() as model:
        model.default_reply = json.dumps
        llm = {"LLM_MODEL": "openai/echo", "LLM_API_BASE": model.base_url, "LLM_API_KEY": "key"}
        async with serving(settings_on(through, tmp_path, **llm)) as api, fingerprints(url) as state:

            def endpoint(named: str) -> Asking:
                method, _, path = named.partition(" ")
                return Asking(api, method, path, state)

            yield endpoint
    await databases.drop(name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("endpoint", MATRIX)
async def test_nothing_crosses_with_any_key(ask: Ask, full: tuple[str, World], endpoint: str) -> None:
    for case in MATRIX[endpoint]:
        if case.kind is None:
            await views(ask(endpoint), full[1], case)
        else:
            await things(ask(endpoint), full[1], case)
            await rightful(ask(endpoint), full[1], case)


def some_of(world: World) -> World:
    """The prime agent, one of the other team and the admin of the first workspace, an agent and the reader of the
    second, and what these two agents have in both."""
    first, second = WORKSPACES
    agents = (PRIME, AGENTS[-1])
    asking = {(first, "admin", None), *((first, "agent", one) for one in agents),
              (second, "agent", PRIME), (second, "reader", None)}  # fmt: skip
    callers = [caller for caller in world.callers if (caller.workspace, caller.role, caller.agent) in asking]
    return replace(world, callers=callers, things=[thing for thing in world.things if thing.agent in agents])


async def test_nothing_crosses(ask: Ask, full: tuple[str, World]) -> None:
    """Reads, and what is somebody else's."""
    world = some_of(full[1])
    for endpoint, cases in MATRIX.items():
        asking = ask(endpoint)
        for case in cases:
            if case.kind is not None:
                await things(asking, world, case)
            elif not asking.writes:
                await views(asking, world, case)


WRITING_VIEWS = [
    endpoint
    for endpoint, cases in MATRIX.items()
    if not endpoint.startswith("GET ") and any(case.kind is None for case in cases)
]


@pytest.mark.exhaustive
@pytest.mark.parametrize("endpoint", WRITING_VIEWS)
async def test_what_is_written_crosses_nothing(ask: Ask, full: tuple[str, World], endpoint: str) -> None:
    for case in MATRIX[endpoint]:
        if case.kind is None:
            await views(ask(endpoint), some_of(full[1]), case)


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


READING = ("read", "export")
"""Scopes that change nothing."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("scope", ["read", "write", "dream", "export"])
async def test_a_scope_lets_in_to_nothing_else(
    full: tuple[str, World], databases: Databases, bouncer: Bouncer | None, tmp_path: Path, scope: str
) -> None:
    """An admin key with one scope, on every endpoint: it reads, changes, administers and takes out no more than that
    scope says."""
    name = f"copy_{uuid4().hex[:12]}"
    url = await databases.copy(full[0], name)
    admin = next(caller for caller in full[1].callers if caller.role == "admin")
    served = set()
    async with serving(settings_on(bouncer.url(url) if bouncer else url, tmp_path)) as api, fingerprints(url) as state:
        body = {"role": "admin", "name": scope, "scopes": [scope]}
        made = await replace(api, key=admin.key).post("/v1/keys", body)
        holder = replace(admin, key=made["key"])
        before = await state()
        for endpoint, cases in MATRIX.items():
            method, _, path = endpoint.partition(" ")
            if path in ("/healthz", "/readyz"):
                continue
            for case in cases:
                own = next(
                    thing.id for thing in full[1].of(case.kind or "memory") if thing.workspace == admin.workspace
                )
                if case.spends and scope == "read" and path != "/v1/extract":
                    continue  # no model is configured here
                answer = await Asking(api, method, path, state).ask(holder, case, thing=own)
                if answer.status_code != 403:
                    served.add(endpoint)
                administers = case.role is not None and method != "GET" and path != "/v1/import"
                assert not administers or answer.status_code == 403, endpoint
                tells = full[1].mentions_any(answer.text)
                assert not tells or scope != "export" or "export" in path, (endpoint, answer.text)
        if scope in READING:
            unchanged(before, await state(), full[1], None)
    gets = {endpoint for endpoint in served if endpoint.startswith("GET ")} - {"GET /v1/whoami"}
    exports = {"GET /v1/export", "GET /v1/users/{user}/export"}
    of_installation = {one for one in MATRIX if one.startswith("GET /v1/workspaces")}
    assert (
        gets
        == {"export": exports, "read": {one for one in MATRIX if one.startswith("GET ")} - exports}.get(scope, set())
        - {"GET /v1/whoami", "GET /v1/models", "GET /healthz", "GET /readyz", "GET /metrics"}
        - of_installation
    )
    assert len(served - gets) > 1 or scope in READING
    await databases.drop(name)


async def things(asking: Asking, world: World, case: Case) -> None:
    """What a caller may not see is not there, and stays as it was."""
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
            assert answer.status_code == absent.status_code, (asking.path, caller, thing, answer.text)
            assert answer.text.replace(thing.id, MISSING) == absent.text, (caller, thing)
            assert answer.status_code in ((403,) if barred else (404, 422)), (caller, thing, answer.text)
    unchanged(before, await asking.state(), world, None)


async def rightful(asking: Asking, world: World, case: Case) -> None:
    """Every caller on what it may see: one that may not change it is refused, and the others' stays as it was."""
    before = await asking.state()
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
    told = dict.fromkeys((one.workspace for one in world.callers if case.role in (None, one.role)), False)
    before = await asking.state()
    for caller in world.callers:
        for agent in (*AGENTS, NOBODY):
            answer = await asking.ask(caller, case, agent=agent)
            if case.role not in (None, caller.role):
                assert answer.status_code == 403, answer.text
            if case.spends and (caller.agent or agent).isascii():  # no other name is carried by a header
                assert answer.status_code == (403 if caller.role == "reader" else 200), answer.text
            leaked = world.secrets(caller, answer.text)
            assert not leaked, (asking.path, caller, agent, leaked)
            if caller.workspace in told:
                told[caller.workspace] |= world.mentions_any(answer.text)
            if "{agent}" in asking.path and caller.agent not in (None, agent):
                assert answer.status_code == 404, (caller, agent, answer.text)
        if asking.writes:
            after = await asking.state()
            unchanged(before, after, world, caller)
            before = after
    if not asking.writes:
        unchanged(before, await asking.state(), world, None)
    assert not case.tells or all(told.values()), asking.path


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
