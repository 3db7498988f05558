"""Whatever a user's words have touched, after a purge they are in no table; and a purge beats every dream."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.memory.counters import AccessCounter
from service.settings import Settings
from tests.databases import wait_for_lock_waiter
from tests.fakes.openai_server import FakeOpenAI
from tests.killable import dreaming, expire_leases
from tests.live_api import Api, Json
from tests.pg_dump import dump
from tests.worker.dreaming import (
    agent_id,
    asked_for,
    contents,
    dream,
    model,
    note_everything,
    say,
)
from worker.dreaming.run import Dreamer
from worker.maintenance.upkeep import compact_next

MARK = "zqxvkwjqzx"
"""Too long to stand by chance in what is random in a dump: hashes, secrets, tokens."""
USER = f"u-{MARK}"
"""In everything that comes from the user, so that one search of a dump finds all that is left."""


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    """A language model that notes everything, and repeats what it read wherever it may write freely."""
    with FakeOpenAI() as opened:
        opened.default_reply = repeating
        yield opened


def repeating(body: Json) -> str:
    if asked_for(body) == "WrittenPage":
        own = re.search(rf"^(\d+)\. .*{MARK}", body["messages"][-1]["content"], re.MULTILINE)
        cited = int(own[1]) if own else 1
        return json.dumps({"sentences": [{"text": f"Tea is served to {MARK}said.", "memories": [cited]}]})
    if asked_for(body):
        return note_everything(body)
    words = re.findall(rf"\w*{MARK}\w*", str(body["messages"]))
    return f"It was about {', '.join(words) or 'tea'}."


async def dream_and_die(settings: Settings, server: FakeOpenAI) -> None:
    """A worker is killed when it has paid for an extraction and kept it."""
    async with dreaming(settings, server.base_url, {"extract:kept": 1}) as worker:
        assert await worker.wait_for_step() == "extract:kept"


async def talk(api: Api, *texts: str, session: str, **fields: Any) -> list[Json]:
    return await say(api, *(f"{text} {MARK}said" for text in texts), session=session, user=USER, **fields)


async def dreams_of(api: Api, settings: Settings, server: FakeOpenAI) -> None:
    """Dreams that succeed, are tried out, are killed after a paid step, and fail."""
    await talk(api, "I live by the harbour", "My badge is new", session=f"s-{MARK}", name=f"{MARK}name")
    await dream(api.runtime)
    await talk(api, "I moved to the hills", session=f"s-{MARK}")
    await dream(api.runtime, dry_run=True)
    await dream(api.runtime)
    await talk(api, "I left the hills", session=f"s-{MARK}")
    await dream_and_die(settings, server)
    await expire_leases(str(settings.database_url))
    server.fail(body={"choices": [{"message": {"content": f"{MARK} is no JSON"}}]}, times=3, endpoint="chat")
    await dream(api.runtime)
    server.heal()
    await api.post("/v1/agents/a/bulletin")


async def written_by_hand(api: Api, shared_with: str) -> None:
    """Memories saved, changed, replaced, deleted, rated, folded; alone, many at once, and twice."""
    about = {"user": USER, "importance": 0.2}
    link = {"relation": "about", "entity": {"name": f"{MARK}thing", "kind": "thing", "metadata": {f"{MARK}k": [MARK]}}}
    kept = await api.save(f"A {MARK}fact", **about, key=f"{MARK}key", tags=[f"{MARK}tag"], links=[link],
                          metadata={f"{MARK}k": MARK}, source={"from": MARK}, session=f"s-{MARK}")  # fmt: skip
    await api.patch(f"/v1/memories/{kept['id']}", {"version": 1, "content": f"Another {MARK}fact", "reason": MARK})
    await api.save(f"A third {MARK}fact", **about, key=f"{MARK}key")
    await api.post(f"/v1/memories/{kept['id']}/feedback", {"useful": True})
    gone = await api.save(f"A {MARK}secret", **about)
    await api.delete(f"/v1/memories/{gone['id']}")
    await asyncio.gather(*(api.save(f"Together {n} {MARK}", **about, type="event") for n in range(20)))
    long = "is a note of so many words that a summary is shorter than all five of them are together"
    items = [{"agent": "a", "type": "fact", "content": f"Batch {n} {MARK} {long}"} | about for n in range(5)]
    await api.post("/v1/memories/batch", {"items": items})
    for _ in range(2):
        body = {"agent": "a", "type": "event", "content": f"Once {MARK}"} | about
        await api.post("/v1/memories", body, headers={"Idempotency-Key": MARK})
    assert (await api.post("/v1/summarize", {"agent": "a", "older_than_days": 0, "dry_run": False}))["memory"]
    (said,) = await talk(api, f"The tea is served at five in the {MARK}cup of {MARK}tag", session=f"s-{MARK}")
    both = {"message_ids": [said["id"], shared_with]}
    await api.save(f"Tea is at five. The cup is {MARK}cup.", source=both, tags=["tea", f"{MARK}tag"])


async def proposed(api: Api) -> None:
    """Proposals that wait, are accepted, edited and rejected."""
    await api.put("/v1/agents/a", {"settings": {"dream": {"propose_below": 0.99}}})
    await talk(api, "I have a cat", "I have a dog", "I have a horse", "I have a bird", session=f"s-{MARK}")
    await dream(api.runtime)
    first, second, third, _, *_ = (await api.get("/v1/inbox"))["items"]
    for proposal, decision in (
        (first, {"action": "accept"}),
        (second, {"action": "edit", "content": f"Something else of {MARK}"}),
        (third, {"action": "reject"}),
    ):
        await api.post(f"/v1/inbox/{proposal['id']}", decision)
    assert MARK in str((await api.get(f"/v1/users/{USER}/export"))["proposals"])
    await api.put("/v1/agents/a", {"settings": {"dream": {"propose_below": None}}})


async def around(api: Api) -> None:
    """Documents, entities merged and taken apart, edges, exports, searches."""
    document = {"agent": "a", "title": f"{MARK}letter", "text": f"Dear {MARK}", "user": USER, "metadata": {"x": MARK}}
    await api.post("/v1/documents", document)
    for name in ("one", "two", "three"):
        link = {"relation": "mentions", "entity": {"name": f"{MARK}{name}", "kind": "place"}}
        await api.save(f"At {MARK}{name}", user=USER, links=[link])
    ids = {entity["name"]: entity["id"] for entity in (await api.get("/v1/entities", agent="a", q=MARK))["items"]}
    await api.post(f"/v1/entities/{ids[f'{MARK}one']}/merge", {"into": ids[f"{MARK}two"]})
    await api.post(f"/v1/entities/{ids[f'{MARK}two']}/merge", {"into": ids[f"{MARK}three"]})
    await api.post(f"/v1/entities/{ids[f'{MARK}two']}/unmerge")
    await api.patch(f"/v1/entities/{ids[f'{MARK}three']}", {"aliases": [f"{MARK}alias"]})
    await api.get(f"/v1/users/{USER}/export")
    await api.call("GET", "/v1/export")
    await api.search(MARK)
    for scope in ({}, {"user": USER}):
        await api.post("/v1/pages", {"agent": "a", "question": "When is tea served?", "scope": scope})
    await api.post("/v1/pages", {"agent": "a", "question": f"What of {MARK}?", "scope": {"tags": [f"{MARK}tag"]}})
    for scope in ({"entities": [f"{MARK} Ltd"]}, {"metadata": {"of": f"{MARK}"}}, {"where": {"user": USER}}):
        await api.post("/v1/pages", {"agent": "a", "question": "When is tea served?", "scope": scope})
    expected = [one["id"] for one in await api.search(MARK, min_relevance=0)][:2]
    for content in (
        {"name": MARK},
        {"query": f"Where is {MARK}?"},
        {"options": {"user": USER}},
        {"options": {"tags": [MARK]}},
    ):
        search = await api.post("/v1/searches", {"agent": "a", "name": "n", "expected": expected} | content)
        await api.post(f"/v1/searches/{search['id']}/run", {})


async def test_nothing_is_left_anywhere(
    static_api: Api, settings: Settings, server: FakeOpenAI, database_url: str
) -> None:
    api = static_api
    api.runtime.llm = model(server, ledger=api.runtime.budget)
    kept = {"retention": {"model_calls_days": 7}}
    await api.put("/v1/settings", {"window": {"messages_max": 4, "trim_to": 2}} | kept)
    (kept,) = await say(api, "Tea is at five", session="other", user="u2")
    await dreams_of(api, settings, server)
    await talk(api, *(f"Turn {n} of the day" for n in range(9)), session=f"s-{MARK}")
    while await compact_next(api.runtime):
        pass
    await written_by_hand(api, kept["id"])
    await around(api)
    await proposed(api)
    await api.post("/v1/agents/a/bulletin")
    await talk(api, "Nobody has dreamt of this yet", session=f"s-{MARK}")
    await dream_and_die(settings, server)
    await api.runtime.part(AccessCounter).flush()
    await api.runtime.model_calls.flush()
    api.runtime.llm = None
    await api.post("/v1/agents/a/bulletin")  # in the words of the memories
    api.runtime.llm = model(server, ledger=api.runtime.budget)
    before = dump(database_url)
    assert tables_with(before) >= {
        "memories", "memory_versions", "messages", "sessions", "entities", "entity_aliases", "entity_merges",
        "documents", "chunks", "bulletins", "dream_changes", "dream_steps", "audit_log", "pages", "page_versions",
        "proposals", "model_calls", "saved_searches",
    }  # fmt: skip
    receipt = (await api.post(f"/v1/users/{USER}/purge"))["receipt"]["counts"]
    assert receipt["shared_memories"] == 1
    assert receipt["window_summaries"] > 0
    assert receipt["dream_steps"] > 0
    after = dump(database_url)
    assert tables_with(after) == set(), [line[:300] for line in after.splitlines() if MARK in line.lower()]
    assert "Tea is at five." in await contents(api)
    await api.post("/v1/agents/a/bulletin")
    await dream(api.runtime)
    assert tables_with(dump(database_url)) == set()
    assert (await api.get("/v1/sessions/other/messages", agent="a"))["items"][0]["content"] == "Tea is at five"


async def test_what_belongs_to_several_stays_with_the_others(own_api: Api, database_url: str) -> None:
    api = own_api
    await say(api, "I live in Bergen", session="alone", user=USER)
    await say(api, "I start in May", session="both", user=USER)
    await say(api, "The room in Riga is booked", session="both", user="boris")
    for _ in range(3):
        await dream(api)
    await api.save("Boris is late.", user="boris", owners=[USER])
    await api.save("The office moves in June.", owners=[USER, "boris"])
    await api.save("The team eats at noon.", owners=[USER, "boris"], key="lunch")
    await api.save("The team eats at one.", user=None, owners=["boris"], key="lunch")
    await api.save("The office closes at six.")
    for title, owners in (("Contract", [USER]), ("Timetable", [USER, "boris"])):
        await api.post(
            "/v1/documents", {"agent": "a", "title": title, "text": f"{title} of the year", "owners": owners}
        )
    key = await api.post("/v1/keys", {"role": "reader", "name": "k", "user": USER})
    exported = await api.get(f"/v1/users/{USER}/export")
    told = {one["memory"]["content"]: one["why"] for one in exported["memories"]}
    assert (told["Boris is late."], told["The office moves in June."]) == ("owner", None)
    assert {one["title"] for one in exported["documents"]} == {"Contract", "Timetable"}
    await api.post(f"/v1/users/{USER}/purge")
    assert tables_with(dump(database_url)) == set()
    assert (await api.http.get("/v1/whoami", headers={"Authorization": f"Bearer {key['key']}"})).status_code == 401
    left = {one["content"]: one["owners"] for one in (await api.get("/v1/memories", agent="a"))["items"]}
    assert "Boris is late." not in left
    assert left["The office moves in June."] == left["The team eats at one."] == ["boris"]
    assert "The team eats at noon." not in left, "a key of others stands for what they said"
    assert left["The office closes at six."] == []
    assert [one["title"] for one in (await api.get("/v1/documents", agent="a"))["items"]] == ["Timetable"]
    body = {"agent": "a", "query": "office June Riga timetable", "include": ["memories", "messages", "documents"]}
    found = json.dumps(await api.post("/v1/memories/search", body | {"user": "boris"}))
    for text in ("moves in June", "The room in Riga is booked", "Timetable of the year"):
        assert text in found
    again = await api.save("The office moves in June.", owners=["boris"])
    assert again["content"] in left, "it is the same memory"
    assert len((await api.get("/v1/memories", agent="a"))["items"]) == len(left)


def tables_with(dumped: str) -> set[str]:
    """The tables whose rows hold the mark."""
    found, table = set(), ""
    for line in dumped.splitlines():
        if line.startswith("COPY public."):
            table = line.split()[1].removeprefix("public.")
        elif MARK in line.lower():
            found.add(table)
    return found


@pytest.mark.exhaustive
async def test_a_purge_at_any_step_of_a_dream_wins(api: Api, server: FakeOpenAI, database_url: str) -> None:
    """A dream is under way, and at one of its steps the purge comes; for every step there is."""
    server.default_reply = note_everything
    api.runtime.llm = model(server, ledger=api.runtime.budget)
    await api.put("/v1/settings", {"retention": {"model_calls_days": 7}})
    steps = await steps_of_a_dream(api)
    assert len(steps) > 10
    for number, step in enumerate(steps):
        agent = f"agent {number}"
        await say(api, f"I live in {MARK}ville", session="s", agent=agent, user=USER)
        await say(api, "I like tea", session="t", agent=agent, user="u2")
        purge = PurgeAt(api, database_url, number)
        dreamer = Dreamer(api.runtime, "test", 60, on_step=purge)
        await dreamer.dream_for(DEFAULT_WORKSPACE, await agent_id(api.runtime, agent))
        assert purge.task is not None
        assert (await purge.task)["receipt"]["counts"]["messages"] == 1, step
        await api.runtime.model_calls.flush()
        assert tables_with(dump(database_url)) == set(), step
        again = await dream(api.runtime, agent)
        assert again["status"] == "succeeded", (step, again)
        assert tables_with(dump(database_url)) == set(), step
        said = Counter(memory["content"] for memory in (await api.get("/v1/memories", agent=agent))["items"])
        assert said == {"u2 said: I like tea": 1}, step


@dataclass(slots=True)
class PurgeAt:
    """Purges the user at the n-th step; where the purge waits for what the dream holds, the dream goes on meanwhile."""

    api: Api
    database_url: str
    left: int
    task: asyncio.Task[Json] | None = None

    async def __call__(self, _: str) -> None:
        self.left -= 1  # before anything is awaited: chunks reach a step side by side
        if self.left == -1:
            self.task = asyncio.create_task(self.api.post(f"/v1/users/{USER}/purge"))
            watcher = await asyncpg.connect(self.database_url)
            waits = asyncio.create_task(wait_for_lock_waiter(watcher))
            await asyncio.wait([self.task, waits], return_when=asyncio.FIRST_COMPLETED)
            waits.cancel()
            await asyncio.gather(waits, return_exceptions=True)
            await watcher.close()


async def steps_of_a_dream(api: Api) -> list[str]:
    """The steps, in their order, of the dream that is interrupted afterwards."""
    steps: list[str] = []

    async def reached(step: str) -> None:
        steps.append(step)

    await say(api, "I live in a ville", session="s", agent="first", user="u1")
    await say(api, "I like tea", session="t", agent="first", user="u2")
    dreamer = Dreamer(api.runtime, "test", 60, on_step=reached)
    await dreamer.dream_for(DEFAULT_WORKSPACE, await agent_id(api.runtime, "first"))
    return steps
