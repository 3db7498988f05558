"""One agent with the users of a family, and everything it knows of each: what the matrix of users is tried on."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from uuid import UUID

import asyncpg

from service.domain.ids import DEFAULT_WORKSPACE, new_id
from tests.live_api import Api, Json
from tests.promises.tenants import READS_COUNTED, SCOPES, waiting
from tests.worker.dreaming import dream

DESK, CREW, JOB = "desk", "crew", "job"
ANNA, BORIS, CHLOE = "anna", "boris", "chloe"
JOINT, LATE = (ANNA, BORIS), (ANNA, BORIS, CHLOE)
"""Owners of what was said in the session of all before Chloe joined, and after."""

OWNERS: tuple[tuple[str, ...], ...] = ((ANNA,), (BORIS,), JOINT, LATE, ())
VIEWERS = (BORIS, CHLOE)
"""For whom requests are made. Nothing is only Chloe's."""

SHARED_SESSION = "family"
DREAMS = 12
"""More than there are sets of owners and kinds of work left for each."""

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_WORD = re.compile(r"zq[a-z]+\d{3}")
_PARTS = {
    "chunks": ("documents", "document_id"),
    "edges": ("memories", "memory_id"),
    "dead_letters": ("messages", "message_id"),
}
"""Tables whose rows belong to those whom a row of another belongs to."""


@dataclass(frozen=True, slots=True)
class Owned:
    """Something with an id, to whom it belongs, and words that are in it alone."""

    kind: str
    id: str
    owners: tuple[str, ...]
    words: tuple[str, ...] = ()

    def seen_by(self, user: str) -> bool:
        """Whether a request for this user may tell of it."""
        return not self.owners or user in self.owners


@dataclass(frozen=True, slots=True)
class Asker:
    """A key, and for whom it asks; ``bound``: the key is that user's, else the request names the user."""

    role: str
    user: str
    bound: bool
    key: str

    def __str__(self) -> str:
        return f"{self.role} {'bound to' if self.bound else 'for'} {self.user}"


@dataclass(slots=True)
class Family:
    """Everything there is, and everyone who asks. ``sessions`` are the names of sessions, by their owners."""

    askers: list[Asker] = field(default_factory=list)
    things: list[Owned] = field(default_factory=list)
    sessions: dict[tuple[str, ...], str] = field(default_factory=dict)

    def of(self, kind: str, owners: Collection[str] | None = None) -> list[Owned]:
        """The things of a kind, of all or of these owners."""
        return [one for one in self.things if one.kind == kind and (owners is None or one.owners == tuple(owners))]

    def secrets(self, user: str, text: str, *, by_words_alone: bool = False) -> list[Owned]:
        """What a text tells of others to a request for this user, by a word or an id."""
        said = set(_WORD.findall(text.lower())) if by_words_alone else _said(text)
        return [one for one in self.things if not one.seen_by(user) and {one.id, *one.words} & said]

    def tells(self, user: str, kind: str, text: str) -> bool:
        """Whether a text tells of something of this kind that is this user's alone."""
        said = _said(text)
        return any({one.id, *one.words} & said for one in self.of(kind, (user,)))


def _said(text: str) -> set[str]:
    return set(_WORD.findall(text.lower())) | set(_ID.findall(text))


class _Words:
    """New words, which say of whom they are."""

    def __init__(self) -> None:
        self._numbers = count(100)

    def of(self, owners: Sequence[str]) -> str:
        return f"zq{''.join(owner[0] for owner in owners) or 'nobody'}{next(self._numbers)}"


async def build(api: Api) -> Family:
    """Fill the workspace; it dreams by rules."""
    family, words = Family(), _Words()
    await api.put(
        "/v1/settings", {"proxy": {"enabled": True, "models": ["openai/any"]}, "retention": {"model_calls_days": 30}}
    )
    await api.put(f"/v1/agents/{DESK}", {"teams": [CREW], "prime": True})
    await api.put("/v1/tasks/closed", {"members": [DESK]})
    for owners in OWNERS:
        family.sessions[owners] = SHARED_SESSION if len(owners) > 1 else f"talk {words.of(owners)}"
    for owners in OWNERS:
        family.things += await _told(api, family.sessions[owners], owners, words)
    with api.lending(llm=None):
        for _ in range(DREAMS):
            await dream(api, DESK)
    for owners in OWNERS:
        family.things += await _made(api, family, owners, words)
    for user in VIEWERS:
        for role, agent, bound in (
            ("admin", None, False), ("agent", DESK, False), ("agent", DESK, True), ("reader", None, True),
        ):  # fmt: skip
            named = {"role": role, "agent": agent, "name": f"{role} {user} {bound}", "user": user if bound else None}
            made = await api.post("/v1/keys", named)
            family.askers.append(Asker(role, user, bound, made["key"]))
    async with api.runtime.db.unscoped() as connection:
        family.things += await _rows(connection.raw)
    return family


async def _told(api: Api, session: str, owners: tuple[str, ...], words: _Words) -> list[Owned]:
    """What is said in the session of these owners, before a dream reads it."""
    made = []
    path = f"/v1/sessions/{session}/messages"
    for user in owners:
        opened = await api.post("/v1/sessions", {"agent": DESK, "session": session, "user": user})
        if len(owners) == 1:
            made.append(Owned("session", opened["id"], owners, (session.removeprefix("talk "),)))
    said = [words.of(owners) for _ in range(5)]
    allergy, first, second, harbour, aside = said
    turns = [f"I am allergic to {allergy}.", f"I live in {first.title()}.", f"I moved to {second.title()}.",
             f"Is {harbour} a harbour word?", f"Nobody gets to read {aside}."]  # fmt: skip
    body: Json = {"agent": DESK, "messages": [{"role": "user", "content": turn} for turn in turns]}
    if owners:
        body["user"] = owners[-1]
    stored = (await api.post(path, body))["messages"]
    for word, message in zip(said, stored, strict=True):
        assert message["owners"] == list(owners), message
        made.append(Owned("message", message["id"], owners, (word,)))
    await _set_aside(api, UUID(stored[-1]["id"]))
    for scope in SCOPES:
        word, name = words.of(owners), words.of(owners)
        link = {"relation": "about", "entity": {"name": name, "kind": "project"}}
        saved = await api.save(
            f"The harbour word is {word}.", agent=DESK, scope=scope, team=CREW, task=JOB, session=session,
            owners=list(owners), user=owners[0] if owners else None, links=[link], tags=[word], key=word,
            metadata={"word": word}, source={"kind": word},
        )  # fmt: skip
        made.append(Owned("memory", saved["id"], owners, (word,)))
        if scope not in ("task", "session"):  # others are seen by who names them
            entity = (await api.get(f"/v1/entities/{name}"))["id"]
            edge = (await api.get(f"/v1/entities/{entity}/graph"))["edges"][0]
            made += [Owned("entity", entity, owners, (name,)), Owned("edge", edge["id"], owners)]
    word, *names = words.of(owners), words.of(owners), words.of(owners)
    links = [{"relation": "about", "entity": {"name": name, "kind": "project"}} for name in names]
    await api.save(f"It is {word}.", agent=DESK, owners=list(owners), links=links)
    kept, merged = [(await api.get(f"/v1/entities/{name}"))["id"] for name in names]
    await api.post(f"/v1/entities/{merged}/merge", {"into": kept})
    made.append(Owned("entity", kept, owners, tuple(names)))
    word = words.of(owners)
    document = {
        "agent": DESK,
        "title": f"Harbour {word}",
        "text": f"The harbour word is {word}",
        "owners": list(owners),
    }
    made.append(Owned("document", (await api.post("/v1/documents", document))["id"], owners, (word,)))
    return made


async def _made(api: Api, family: Family, owners: tuple[str, ...], words: _Words) -> list[Owned]:
    """What is made of it; what is made for a user alone only for one."""
    made = []
    session = family.sessions[owners]
    await api.post(f"/v1/sessions/{session}/compact", params={"agent": DESK})
    if len(owners) > 1:
        return made
    for_user = {"user": owners[0]} if owners else {}
    mine = family.of("memory", owners)
    await api.post(f"/v1/agents/{DESK}/bulletin", params=for_user)
    word = words.of(owners)
    page = await api.post("/v1/pages", {"agent": DESK, "question": f"Which harbour {word}?"}, params=for_user)
    made.append(Owned("page", page["id"], owners, (word,)))
    word = words.of(owners)
    search = {"agent": DESK, "name": f"Find {word}", "query": "harbour", "expected": [mine[0].id]}
    made.append(Owned("search", (await api.post("/v1/searches", search, params=for_user))["id"], owners, (word,)))
    await api.post(f"/v1/searches/{made[-1].id}/run", {}, params=for_user)
    word = words.of(owners)
    dream_id = UUID((await api.get("/v1/dreams", agent=DESK, **for_user))["items"][0]["id"])
    content = f"The harbour word may be {word}"
    user = owners[0] if owners else None
    proposal = await waiting(api.runtime, content, DEFAULT_WORKSPACE, DESK, dream_id, user, [word])
    made.append(Owned("proposal", str(proposal), owners, (word,)))
    word = words.of(owners)
    made.append(Owned("deletion", await _deleted(api, f"old {word}", for_user), owners, (word,)))
    word = words.of(owners)
    await api.post("/v1/ask", {"agent": DESK, "question": f"Which harbour word {word}?"}, params=for_user)
    await api.runtime.model_calls.flush()
    if owners:  # what a call for nobody was told is an admin's to read
        made.append(Owned("model_call", (await api.get("/v1/model-calls"))["items"][0]["id"], owners, (word,)))
    return made


async def _deleted(api: Api, session: str, for_user: Json) -> str:
    """A session that has been deleted; the id of the deletion."""
    path = f"/v1/sessions/{session}"
    turns = {"agent": DESK, "messages": [{"role": "user", "content": f"It was {session}"}]}
    await api.post(f"{path}/messages", turns, params=for_user)
    named = {"agent": DESK, **for_user}
    counted = (await api.call("DELETE", path, params={**named, "dry_run": True})).json()
    done = await api.call("DELETE", path, params={**named, "token": counted["token"]})
    id_: str = done.json()["deletion_id"]
    return id_


async def _set_aside(api: Api, message_id: UUID) -> None:
    """A message as workers leave it that have died over it twice."""
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.run(
            "add_dead_letter", workspace=DEFAULT_WORKSPACE, id=new_id(), subject_id=message_id, job="dream",
            step="read", attempts=2, dream_id=None, now=api.runtime.now(),
        )  # fmt: skip


async def _rows(raw: asyncpg.Connection) -> list[Owned]:
    """Every row that has owners of its own or of the row it is part of, by its table."""
    tables = await raw.fetch(
        "SELECT table_name::text FROM information_schema.columns WHERE table_schema = 'public'"
        " GROUP BY 1 HAVING bool_or(column_name = 'owners' AND data_type = 'ARRAY') AND bool_or(column_name = 'id')"
    )
    found = []
    for (table,) in tables:
        rows = await raw.fetch(f"SELECT id::text, owners FROM {table} WHERE owners <> '{{}}'")  # noqa: S608
        found += [Owned(table, row["id"], tuple(row["owners"])) for row in rows]
    for table, (parent, parent_id) in _PARTS.items():
        rows = await raw.fetch(
            f"SELECT c.id::text, p.owners FROM {table} c JOIN {parent} p ON p.id = c.{parent_id}"  # noqa: S608
            " WHERE p.owners <> '{}'"
        )
        found += [Owned(table, row["id"], tuple(row["owners"])) for row in rows]
    return found


Rows = dict[tuple[str, str], str]
"""A fingerprint of the rows of every table, by table and owners."""


@asynccontextmanager
async def fingerprints_of_owners(database_url: str) -> AsyncIterator[Callable[[], Awaitable[Rows]]]:
    """What takes the fingerprint of everything in a database now, but for what counts or keeps reads."""
    connection = await asyncpg.connect(database_url)
    try:
        tables = await connection.fetch(
            "SELECT table_name::text AS name, bool_or(column_name = 'owners' AND data_type = 'ARRAY') AS owned"
            " FROM information_schema.columns JOIN pg_tables ON tablename = table_name AND schemaname = table_schema"
            " WHERE table_schema = 'public' AND table_name <> ALL($1) GROUP BY 1", [*READS_COUNTED, "model_calls"],
        )  # fmt: skip
        queries = [
            f"SELECT '{table['name']}', {'owners::text' if table['owned'] else 'NULL'},"  # noqa: S608
            f" md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table['name']} t GROUP BY 1, 2"
            for table in tables
        ]
        statement = await connection.prepare(" UNION ALL ".join(queries))

        async def state() -> Rows:
            return {(row[0], row[1] or ""): row[2] for row in await statement.fetch()}

        yield state
    finally:
        await connection.close()
