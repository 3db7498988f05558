"""Every endpoint × what belongs to each set of users × requests for one of them, by keys of each kind.

Nothing that belongs to others is told or changed, and of what is the user's own something is told wherever it should
be. The ways to ask are those of ``MATRIX`` (endpoints.py), so that a new endpoint is tried here as well; what it tells
is a line of ``TELLS``.
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

from service.domain.export_lines import LINES
from service.settings import Settings
from tests.api_document import DOCUMENT
from tests.databases import TEMPLATE, Databases
from tests.fakes.wire_formats import FakeModels
from tests.live_api import ANSWER_S, UNENCRYPTED, SharedServer, serving, serving_in_a_thread
from tests.pgbouncer import Bouncer
from tests.promises.endpoints import AGENT, CLOSED, ID, IDS, MATRIX, MISSING, OWN, SEARCH, TASK, Case, view
from tests.promises.tenants import ENTITY, SESSION
from tests.promises.users import (
    ANNA,
    BORIS,
    CREW,
    DESK,
    JOB,
    Asker,
    Family,
    Owned,
    Rows,
    build,
    fingerprints_of_owners,
)  # fmt: skip

TELLS = {
    "GET /v1/memories": ["memory"],
    "POST /v1/memories/search": ["memory", "message", "document"],
    "POST /v1/memories/search/preview": ["memory"],
    "GET /v1/sessions": ["session"],
    "GET /v1/sessions/{session}": ["session"],
    "GET /v1/sessions/{session}/messages": ["message"],
    "GET /v1/deletions": ["deletion"],
    "POST /v1/context": ["memory"],
    "POST /v1/ask": ["memory"],
    "GET /v1/agents/{agent}/bulletin": ["message"],
    "POST /v1/agents/{agent}/bulletin": ["message"],
    "GET /v1/agents/{agent}/bulletin/versions": ["message"],
    "GET /v1/dreams": ["dreams"],
    "GET /v1/inbox": ["proposal"],
    "GET /v1/entities": ["entity"],
    "GET /v1/graph": ["entity"],
    "GET /v1/model-calls": ["model_calls"],
    "GET /v1/export": ["memory", "message", "document", "entity", "edge", "proposal", "dreams", "page", "search"],
    "GET /v1/users/{user}/profile": ["message"],
    "GET /v1/users/{user}/profile/diff": ["message"],
    "GET /v1/users/{user}/export": ["memory", "message", "document"],
    "GET /v1/pages": ["page"],
    "GET /v1/searches": ["search"],
    "GET /v1/documents": ["document"],
    "GET /v1/events": ["memory"],
    "GET /v1/dead-letters": ["dead_letters"],
}
"""What of a user's own an endpoint tells a request for that user, by kinds of things or tables."""

READING_POSTS = {
    "POST /v1/memories/search", "POST /v1/memories/search/preview", "POST /v1/memories/delete", "POST /v1/context",
    "POST /v1/ask", "POST /v1/extract", "POST /v1/messages/count_tokens", "POST /v1/verify",
}  # fmt: skip
"""POSTs that change nothing, as they are asked here."""

CASES = MATRIX | {
    "POST /v1/memories/search": [
        *MATRIX["POST /v1/memories/search"],
        view(SEARCH | {"session": None, "task": None}),
    ],
    "GET /v1/model-calls": [*MATRIX["GET /v1/model-calls"], view(role="admin", purpose="page")],
}
"""Documents have no session, which narrows a search; pages are written by no other test."""

KINDS = {"dream": "dreams", "dead_letter": "dead_letters"}
"""Kinds of cases whose things are found by their tables."""

REFERRING = {"POST /v1/memories", "POST /v1/edges", "POST /v1/searches"}
"""Endpoints that make something which refers to what the caller may see."""

WITHOUT_USER = {"GET /v1/engine", "GET /healthz", "GET /readyz", "GET /metrics"}
"""Endpoints that are the same for everybody."""


OF_A_PERSON = {"GET /v1/users/{user}/export"}
"""Endpoints for admins alone that tell everything about one person, whoever said it, to requests for no other user."""

LOGS = {"GET /v1/audit"}
"""Endpoints for admins alone that name by its id what was done to anybody's, and hold the content of nothing."""


def reads(endpoint: str) -> bool:
    """Whether asking it changes nothing."""
    return endpoint.startswith("GET ") or endpoint in READING_POSTS


def without_users(value: Any) -> Any:
    """A body or query without the users that it names: the key or ``?user=`` says for whom it is."""
    if isinstance(value, list):
        return [without_users(one) for one in value]
    if isinstance(value, dict):
        return {key: without_users(one) for key, one in value.items() if key not in ("user", "user_id")}
    return value


@dataclass(frozen=True, slots=True)
class Asking:
    """One endpoint of a copy of the family's database, asked over HTTP."""

    http: httpx.AsyncClient
    family: Family
    endpoint: str
    state: Callable[[], Awaitable[Rows]]

    def ways(self, case: Case) -> Iterator[tuple[str, str]]:
        """The sessions and users to ask it of, each where it has a place for them."""
        text = self.endpoint + json.dumps([case.query, case.body])
        sessions = dict.fromkeys(self.family.sessions.values())
        for session in sessions if SESSION in text or "{session}" in text else ["none"]:
            for user in (ANNA, BORIS) if "{user}" in text else [ANNA]:
                yield session, user

    async def ask(
        self, asker: Asker, case: Case, thing: str = MISSING, *, session: str = "none", user: str = ANNA
    ) -> httpx.Response:
        """The answer to a request for the asker's user."""
        method, _, path = self.endpoint.partition(" ")
        path = path.replace("{session}", quote(session, safe="")).replace("{user}", user)
        path = path.replace("{agent}", DESK).replace("{task}", JOB).replace("{n}", "1").replace("{team}", CREW)
        path = path.replace("{workspace}", "default").replace("{entity}", thing if case.kind else ENTITY)
        for place in IDS:
            path = path.replace(f"{{{place}}}", thing)
        places = {AGENT: DESK, OWN: DESK, TASK: JOB, ID: thing, SESSION: session, CLOSED["task"]: JOB}
        query = {name: places.get(value, value) for name, value in without_users(case.query or {}).items()}
        if not asker.bound:
            query["user"] = asker.user
        options: dict[str, Any] = {"params": query}
        headers = {"Authorization": f"Bearer {asker.key}"}
        if case.body is not None:
            text = json.dumps(without_users(case.body))
            for place, name in places.items():
                text = text.replace(json.dumps(place), json.dumps(name))
            options["content"] = text
            headers |= {"Content-Type": "application/json", "X-Reverie-Agent": DESK}
        answer = await self.http.request(method, path, headers=headers, **options)
        assert answer.status_code < 500, answer.text
        assert answer.status_code not in (401, 405), answer.text
        return answer


Ask = Callable[[str], Asking]


def settings_on(url: str, folder: Path, model: FakeModels) -> Settings:
    return Settings(
        DATABASE_URL=url, REVERIE_DATA_DIR=folder, REVERIE_TUNING={"pool_wait_s": 60}, EMBEDDING_MODEL="static",
        LLM_MODEL="openai/echo", LLM_API_BASE=model.base_url, LLM_API_KEY="key", _env_file=None,
    )  # fmt: skip


@pytest.fixture(scope="module")
def model() -> Iterator[FakeModels]:
    """A language model that answers with what it was told."""
    with FakeModels() as running:
        running.default_reply = json.dumps
        yield running


@pytest.fixture(scope="module")
def full(
    databases: Databases, model: FakeModels, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Family]]:
    """The name of a database with the family, and what is in it; tests work on copies."""
    name = f"family_{uuid4().hex[:12]}"
    url = asyncio.run(databases.copy(TEMPLATE, name))

    async def fill() -> Family:
        async with serving(settings_on(url, tmp_path_factory.mktemp("family"), model)) as api:
            family = await build(api)
        await databases.close(name)
        return family

    yield name, asyncio.run(fill())
    asyncio.run(databases.drop(name))


@pytest.fixture(scope="module")
def served(
    full: tuple[str, Family],
    databases: Databases,
    model: FakeModels,
    bouncer: Bouncer | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[SharedServer]:
    """A server of a copy of the family's database, for all tests that change nothing."""
    name = f"copy_{uuid4().hex[:12]}"
    url = asyncio.run(databases.copy(full[0], name))
    settings = settings_on(bouncer.url(url) if bouncer else url, tmp_path_factory.mktemp("served"), model)
    with serving_in_a_thread(settings, url) as server:
        yield server
    asyncio.run(databases.drop(name))


@pytest.fixture
async def ask(full: tuple[str, Family], served: SharedServer) -> AsyncIterator[Ask]:
    """Any endpoint, to be read."""
    async with (
        httpx.AsyncClient(base_url=served.base_url, timeout=ANSWER_S, verify=UNENCRYPTED) as http,
        fingerprints_of_owners(served.database_url) as state,
    ):
        yield lambda endpoint: Asking(http, full[1], endpoint, state)


@pytest.fixture
async def ask_copy(
    full: tuple[str, Family], databases: Databases, model: FakeModels, bouncer: Bouncer | None, tmp_path: Path
) -> AsyncIterator[Ask]:
    """Any endpoint of a copy of the test's own."""
    name = f"copy_{uuid4().hex[:12]}"
    url = await databases.copy(full[0], name)
    settings = settings_on(bouncer.url(url) if bouncer else url, tmp_path, model)
    async with serving(settings) as api, fingerprints_of_owners(url) as state:
        yield lambda endpoint: Asking(api.http, full[1], endpoint, state)
    await databases.drop(name)


def test_every_endpoint_takes_the_user_of_the_request() -> None:
    without = set()
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            if not any(one["name"] == "user" and one["in"] == "query" for one in operation.get("parameters", [])):
                without.add(f"{method.upper()} {path}")
    assert without == WITHOUT_USER
    assert set(MATRIX) >= set(TELLS) | READING_POSTS


def test_there_is_something_of_everybody_of_each_kind(full: tuple[str, Family]) -> None:
    family = full[1]
    kinds = {one.kind for one in family.things}
    assert kinds >= {kind for told in TELLS.values() for kind in told}
    for kind in kinds:
        assert family.of(kind, (ANNA,)), kind
        assert family.of(kind, (BORIS,)), kind


@pytest.mark.parametrize("endpoint", [one for one in MATRIX if reads(one)])
async def test_nothing_of_others_is_read(ask: Ask, full: tuple[str, Family], endpoint: str) -> None:
    asking, family = ask(endpoint), full[1]
    before = await asking.state()
    told: dict[Asker, set[str]] = {asker: set() for asker in family.askers if asker.user == BORIS}
    served = set()
    for case in CASES[endpoint]:
        for asker in family.askers:
            if case.kind is None:
                for session, user in asking.ways(case):
                    answer = await asking.ask(asker, case, session=session, user=user)
                    if endpoint not in OF_A_PERSON:
                        text = answer.text.replace(session, "")
                        leaked = family.secrets(asker.user, text, by_words_alone=endpoint in LOGS)
                        assert not leaked, (endpoint, str(asker), session, user, leaked)
                    elif user != asker.user:
                        assert answer.status_code == 403, (endpoint, str(asker), user)
                    if asker in told and answer.is_success:
                        served.add(asker)
                        told[asker] |= {
                            kind for kind in TELLS.get(endpoint, []) if family.tells(BORIS, kind, answer.text)
                        }
            else:
                await _one_by_one(asking, asker, case)
    for asker in served:
        assert told[asker] == set(TELLS.get(endpoint, [])), f"{asker} is told too little"
    assert served or endpoint not in TELLS
    assert await asking.state() == before


async def _one_by_one(asking: Asking, asker: Asker, case: Case) -> None:
    """What belongs to others answers as if it were not there; what is one's own is there."""
    family = asking.family
    absent = await asking.ask(asker, case)
    for thing in family.of(KINDS.get(str(case.kind), str(case.kind))):
        answer = await asking.ask(asker, case, thing.id)
        if thing.seen_by(asker.user):
            assert not family.secrets(asker.user, answer.text), (asking.endpoint, str(asker), thing)
            assert answer.is_success or absent.status_code == 403, (asking.endpoint, str(asker), thing, answer.text)
        else:
            assert answer.status_code == absent.status_code, (asking.endpoint, str(asker), thing, answer.text)
            assert answer.text.replace(thing.id, MISSING) == absent.text, (asking.endpoint, str(asker), thing)


CHANGING = [endpoint for endpoint in MATRIX if not reads(endpoint)]


@pytest.mark.parametrize("endpoint", [one for one in CHANGING if any(case.kind for case in MATRIX[one])])
async def test_nothing_of_others_is_changed(ask_copy: Ask, full: tuple[str, Family], endpoint: str) -> None:
    """By id: with a key of a user nothing but what belongs to exactly that user."""
    asking, family = ask_copy(endpoint), full[1]
    (asker,) = [one for one in family.askers if one.user == BORIS and one.role == "agent" and one.bound]
    own: list[tuple[Case, Owned]] = []
    before = await asking.state()
    for case in CASES[endpoint]:
        for thing in family.of(KINDS.get(str(case.kind), str(case.kind))):
            if thing.owners == (BORIS,) or (thing.seen_by(BORIS) and (case.shared or endpoint in REFERRING)):
                own.append((case, thing))
                continue
            answer = await asking.ask(asker, case, thing.id)
            assert not family.secrets(BORIS, answer.text.replace(thing.id, "")), (endpoint, thing)
            refused = (403, 404, 422) if endpoint in REFERRING else (403, 404)
            assert answer.status_code in refused, (endpoint, thing, answer.text)
            assert await asking.state() == before, (endpoint, thing)
    assert own or any(case.kind == "key" for case in CASES[endpoint])
    answers = [await asking.ask(asker, case, thing.id) for case, thing in own]
    possible = {answer.status_code for answer in answers} - {403, 404}
    assert possible or all(case.role for case in CASES[endpoint]) or not own, (
        "nor may the user change what is their own"
    )
    _only_changed(before, await asking.state(), endpoint)


@pytest.mark.exhaustive
@pytest.mark.parametrize("endpoint", [one for one in CHANGING if any(not case.kind for case in MATRIX[one])])
async def test_what_is_written_for_a_user_tells_and_changes_nothing_of_others(
    ask_copy: Ask, full: tuple[str, Family], endpoint: str
) -> None:
    asking, family = ask_copy(endpoint), full[1]
    for case in CASES[endpoint]:
        for asker in family.askers:
            if case.kind is not None or asker.user != BORIS or (asker.role == "admin" and case.role is not None):
                continue  # what admins do for all of a workspace is for no user
            before = await asking.state()
            for session, user in asking.ways(case):
                answer = await asking.ask(asker, case, session=session, user=user)
                leaked = family.secrets(BORIS, answer.text.replace(session, ""))
                assert not leaked, (endpoint, str(asker), session, user, leaked)
            _only_changed(before, await asking.state(), endpoint)


def _only_changed(before: Rows, after: Rows, endpoint: str) -> None:
    """Of what has owners nothing has changed but what Boris owns, alone or with others: he may speak in a session of
    several, and say what was of use to him."""
    for table, owners in before.keys() | after.keys():
        if owners not in ("", "{}") and BORIS not in owners:
            assert before.get((table, owners)) == after.get((table, owners)), (endpoint, table, owners)


async def test_a_key_of_a_user_asks_for_no_other(ask: Ask, full: tuple[str, Family]) -> None:
    bound = [asker for asker in full[1].askers if asker.bound and asker.user == BORIS]
    for endpoint in MATRIX.keys() - WITHOUT_USER:
        for asker in bound:
            answer = await ask(endpoint).ask(replace(asker, user=ANNA, bound=False), MATRIX[endpoint][0])
            assert answer.status_code == 403, (endpoint, str(asker), answer.text)


async def test_an_import_of_any_line_is_an_admins(ask: Ask, full: tuple[str, Family]) -> None:
    exported = ask("GET /v1/export")
    by_kind: dict[str, str] = {}
    (admin,) = [asker for asker in full[1].askers if asker.role == "admin" and asker.user == BORIS]
    text = (await exported.ask(replace(admin, bound=True), Case())).text  # for everybody
    for line in text.splitlines():
        by_kind.setdefault(json.loads(line)["record"], line)
    assert by_kind.keys() >= LINES.keys()
    before = await exported.state()
    for line in by_kind.values():
        for asker in full[1].askers:
            if asker.bound:
                answer = await ask("POST /v1/import").ask(asker, Case(body=json.loads(line)))
                assert answer.status_code == 403, (str(asker), line, answer.text)
    assert await exported.state() == before
