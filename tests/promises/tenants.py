"""Two workspaces that look alike, and everybody in them: what the matrix of all endpoints is tried on."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote
from uuid import UUID

import asyncpg

from service.domain.identity import identity_hash
from service.domain.ids import new_id
from service.domain.model_calls import Exchange
from service.domain.principal import KeyGrant
from service.domain.proposals import fingerprint
from service.domain.spending import Payer, Usage
from service.domain.types import MemoryType
from service.first_start import key_in_workspace
from service.runtime import Runtime
from service.settings import Settings
from service.store.agents import get_agent
from service.store.proposals import NewProposal
from tests.citus_cluster import add_apart
from tests.live_api import Api

WORKSPACES = ("acme", "acme-corp")
TEAMS = {"x": "a_b", "prime:x": "a_b", "%": "axb", "х": "axb"}
"""Four agents, in two teams, whose names are patterns of each other, or look alike (the last is a Cyrillic letter)."""

AGENTS = tuple(TEAMS)
PRIME = "x"
SCOPES = ("agent", "team", "task", "session", "prime")
SESSION, USER, ENTITY, NOBODY = "s/%", "u_1", "Apollo", "nobody"
READS_COUNTED = (
    "audit_log", "rate_limits", "key_usage", "memory_usage", "model_usage", "model_budgets", "search_counts", "events",
    "stored_days", "request_counts",
    "event_counters",
)  # fmt: skip
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TOKEN = re.compile(r"zq[a-z]{2}\d{3}")


def task_of(agent: str) -> str:
    """The task an agent works on."""
    return f"job:{agent}"


def closed_task_of(team: str) -> str:
    """The task whose declared members are the agents of a team."""
    return f"closed:{team}"


@dataclass(frozen=True, slots=True)
class Thing:
    """Something with an id. ``agent`` is whose it is; ``scope`` who else may see it; ``token`` a word of it alone."""

    kind: str
    id: str
    workspace: str
    agent: str
    scope: str = "agent"
    token: str = ""


@dataclass(frozen=True, slots=True)
class Caller:
    """A key: an admin's, a reader's (``agent`` None) or an agent's."""

    workspace: str
    role: str
    agent: str | None
    key: str

    def may_see(self, thing: Thing) -> bool:
        """Whether this key may read something, naming its own task and session."""
        if thing.workspace != self.workspace:
            return False
        if self.agent is None or thing.agent == self.agent:
            return True
        mates = TEAMS[thing.agent] == TEAMS[self.agent]
        return (thing.scope in ("team", "closed task") and mates) or (thing.scope == "prime" and self.agent == PRIME)

    def may_change(self, thing: Thing) -> bool:
        """Whether this key may write it."""
        own = self.role == "admin" or (self.agent is not None and thing.agent == self.agent)
        return thing.workspace == self.workspace and own


@dataclass(slots=True)
class World:
    """Everything there is, and everyone who asks. ``names`` are those of workspaces and agents, by id."""

    callers: list[Caller] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    things: list[Thing] = field(default_factory=list)

    def of(self, kind: str) -> list[Thing]:
        """All things of a kind."""
        return [thing for thing in self.things if thing.kind == kind]

    def secrets(self, caller: Caller, text: str) -> list[Thing]:
        """What a text tells this caller, by a word or an id, that it must not know."""
        said = set(_TOKEN.findall(text.lower())) | set(_ID.findall(text))
        return [thing for thing in self.things if {thing.token, thing.id} & said and not caller.may_see(thing)]

    def mentions_any(self, text: str) -> bool:
        """Whether a text tells anything at all."""
        return bool(_TOKEN.search(text.lower()))


async def build(api: Api, settings: Settings) -> World:
    """Fill both workspaces with the same names and different words."""
    world = World()
    await add_apart(str(settings.database_url), WORKSPACES)
    numbers = iter(range(100, 1000))
    for place in WORKSPACES:
        admin = Api(api.http, api.runtime, await key_in_workspace(settings, KeyGrant("admin", "admin"), place))
        await admin.put("/v1/settings", {"proxy": {"enabled": True, "models": ["openai/any"]}})
        world.callers.append(Caller(place, "admin", None, admin.key))
        world.callers.append(Caller(place, "reader", None, (await admin.as_role("reader")).key))
        for agent in AGENTS:
            await admin.put(f"/v1/agents/{quote(agent, safe='')}", {"teams": [TEAMS[agent]], "prime": agent == PRIME})
        for team in set(TEAMS.values()):
            members = [agent for agent in AGENTS if TEAMS[agent] == team]
            await admin.put(f"/v1/tasks/{closed_task_of(team)}", {"members": members})
        for agent in AGENTS:
            made = await admin.post("/v1/keys", {"role": "agent", "agent": agent, "name": agent})
            world.callers.append(Caller(place, "agent", agent, made["key"]))
            world.things.append(Thing("key", made["id"], place, agent))
            world.things += await _belongings(admin, place, agent, numbers)
    async with api.runtime.db.unscoped() as connection:
        rows = await connection.raw.fetch(
            "SELECT w.workspace_id::text AS id, coalesce(p.name, w.name) AS name"
            " FROM workspaces w LEFT JOIN workspaces p ON p.workspace_id = w.deletion_of"
            " UNION ALL SELECT id::text, agent FROM agents"
        )
    world.names = {row["id"]: row["name"] for row in rows}
    return world


async def _belongings(admin: Api, place: str, agent: str, numbers: Any) -> list[Thing]:
    """What one agent has: a memory of each scope, a conversation, a document, an entity, an edge, a dream, a
    proposal."""

    def thing(kind: str, id_: Any, scope: str = "agent", token: str = "") -> Thing:
        return Thing(kind, str(id_), place, agent, scope, token)

    def word() -> str:
        return f"zq{'ab' if place == WORKSPACES[0] else 'cd'}{next(numbers)}"

    made = []
    for scope in SCOPES:
        token, name = word(), word()
        link = {"relation": "about", "entity": {"name": name, "kind": "project"}}
        saved = await admin.save(
            f"The harbour word is {token}.", agent=agent, scope=scope, team=TEAMS[agent], task=task_of(agent),
            session=SESSION, user=USER, links=[link], tags=[token], metadata={"word": token},
        )  # fmt: skip
        made.append(thing("memory", saved["id"], scope, token))
        entity = (await admin.get(f"/v1/entities/{name}"))["id"]
        if scope in ("agent", "team", "prime"):
            edge = (await admin.get(f"/v1/entities/{entity}/graph"))["edges"][0]
            made += [thing("entity", entity, scope, name), thing("edge", edge["id"], scope)]
    token = word()
    closed = {"scope": "task", "task": closed_task_of(TEAMS[agent])}
    saved = await admin.save(f"The harbour word is {token}.", agent=agent, user=USER, **closed)
    made.append(thing("memory", saved["id"], "closed task", token))
    token = word()
    turns = [{"role": "user", "content": f"The harbour word is {token}"}]
    body = {"agent": agent, "user": USER, "messages": turns}
    said = await admin.post(f"/v1/sessions/{quote(SESSION, safe='')}/messages", body)
    made.append(thing("message", said["messages"][0]["id"], token=token))
    made.append(thing("dead_letter", await _set_aside(admin, place, UUID(made[-1].id))))
    token = word()
    document = {"agent": agent, "title": f"Harbour {token}", "text": f"The harbour word is {token}", "user": USER}
    made.append(thing("document", (await admin.post("/v1/documents", document))["id"], token=token))
    there = quote(agent, safe="")
    made.append(thing("dream", (await admin.post(f"/v1/agents/{there}/dream", {}))["id"]))
    await admin.post(f"/v1/agents/{there}/bulletin", params={"user": USER})
    page = await admin.post("/v1/pages", {"agent": agent, "question": "Which harbour word?"}, params={"user": USER})
    made.append(thing("page", page["id"]))
    token = word()
    search = {"agent": agent, "name": f"Find {token}", "query": "harbour", "expected": [made[0].id]}
    made.append(thing("search", (await admin.post("/v1/searches", search))["id"], token=token))
    token = word()
    made.append(thing("proposal", await _proposed(admin, place, agent, UUID(made[-1].id), token), token=token))
    token = word()
    made.append(thing("deletion", await _deleted(admin, agent, f"old {token}"), token=token))
    token = word()
    made.append(thing("model_call", await _called(admin, place, agent, token), token=token))
    return made


async def _deleted(admin: Api, agent: str, session: str) -> str:
    """A session of the agent that has been deleted; the id of the deletion."""
    path = f"/v1/sessions/{quote(session, safe='')}"
    turns = {"agent": agent, "user": USER, "messages": [{"role": "user", "content": f"It was {session}"}]}
    await admin.post(f"{path}/messages", turns)
    counted = (await admin.call("DELETE", path, params={"agent": agent, "dry_run": True})).json()
    done = await admin.call("DELETE", path, params={"agent": agent, "token": counted["token"]})
    id_: str = done.json()["deletion_id"]
    return id_


async def _called(admin: Api, place: str, agent: str, token: str) -> UUID:
    """A kept call of a model for the agent, with a word in it; its id."""
    runtime = admin.runtime
    async with runtime.db.unscoped() as connection:
        workspace = await connection.value("workspace_by_name", name=place)
    said = Exchange(f"user:\nThe harbour word is {token}", "ok", "answered")
    runtime.model_calls.note(Payer(workspace, agent=agent), "ask", "m", runtime.now(), 1.0, Usage(1), said)
    await runtime.model_calls.flush()
    async with runtime.db.transaction(workspace) as connection:
        found: UUID = (await connection.raw.fetchrow("SELECT id FROM model_calls ORDER BY id DESC LIMIT 1"))["id"]
    return found


async def _proposed(admin: Api, place: str, agent: str, dream_id: UUID, token: str) -> UUID:
    """A statement that a dream of the agent was not sure of, with a word in it; its id."""
    async with admin.runtime.db.unscoped() as connection:
        workspace = await connection.value("workspace_by_name", name=place)
    return await waiting(admin.runtime, f"The harbour word may be {token}", workspace, agent, dream_id, USER, [token])


async def waiting(
    runtime: Runtime, content: str, workspace: UUID, agent: str, dream_id: UUID, user: str | None, tags: list[str]
) -> UUID:
    """Let a statement wait in the inbox as one that a dream was not sure of; its id."""
    marks: dict[str, Any] = {"user": user, "hearsay_by": None, "occurred_at": None}
    owners = [] if user is None else [user]
    item = NewProposal(
        id=new_id(), fingerprint=fingerprint(content, type_=MemoryType.FACT, **marks),
        identity_hash=identity_hash(MemoryType.FACT, content, key=None, owners=owners, **marks), type="fact",
        content=content, user_name=user, owners=owners, hearsay_by=None, importance=0.5, confidence=0.3, tags=tags,
        source={"kind": "dream"}, metadata={}, message_ids=[], reason="not sure enough", said_at=runtime.now(),
        occurred_at=None, occurred_until=None,
    )  # fmt: skip
    async with runtime.db.transaction(workspace) as connection:
        row = await get_agent(connection, workspace, agent)
        assert row is not None
        added = await connection.one(
            "add_proposals", workspace=workspace, agent_id=row.id, items=[item], dream_id=dream_id, now=runtime.now()
        )
    return added["id"]


async def _set_aside(admin: Api, place: str, message_id: UUID) -> UUID:
    """A message as workers leave it that have died over it twice; the id of its dead letter."""
    runtime = admin.runtime
    async with runtime.db.unscoped() as connection:
        workspace = await connection.value("workspace_by_name", name=place)
    async with runtime.db.transaction(workspace) as connection:
        letter = new_id()
        assert await connection.run(
            "add_dead_letter", workspace=workspace, id=letter, subject_id=message_id, job="dream", step="read",
            attempts=2, dream_id=None, now=runtime.now(),
        ) == 1  # fmt: skip
    return letter


State = dict[tuple[str, str, str], str]
"""A fingerprint of every table's rows, by table, workspace and agent (by id)."""


@asynccontextmanager
async def fingerprints(database_url: str) -> AsyncIterator[Callable[[], Awaitable[State]]]:
    """What takes the fingerprint of everything in a database as it is now, but for what merely counts reads."""
    connection = await asyncpg.connect(database_url)
    try:
        tables = await connection.fetch(
            "SELECT table_name::text AS name, bool_or(column_name = 'agent_id') AS of_agents"
            " FROM information_schema.columns JOIN pg_tables ON tablename = table_name AND schemaname = table_schema"
            " WHERE table_schema = 'public' AND table_name <> ALL($1)"
            " GROUP BY 1 HAVING bool_or(column_name = 'workspace_id')", list(READS_COUNTED),
        )  # fmt: skip
        queries = [
            f"SELECT '{table['name']}', workspace_id::text, {'agent_id::text' if table['of_agents'] else 'NULL'},"  # noqa: S608
            f" md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table['name']} t GROUP BY 1, 2, 3"
            for table in tables
        ]
        statement = await connection.prepare(" UNION ALL ".join(queries))

        async def state() -> State:
            return {(row[0], row[1], row[2] or ""): row[3] for row in await statement.fetch()}

        yield state
    finally:
        await connection.close()
