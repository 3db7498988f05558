"""What a dream is not sure enough of waits in the inbox, unseen by anything else, until somebody decides on it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, Tenant
from tests.worker.dreaming import asked_for, contents, dream, fact, model, notes, say, turns_of
from worker.maintenance.retention import apply_retention

Json = dict[str, Any]


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


@pytest.fixture
async def server(api: Tenant) -> AsyncIterator[FakeOpenAI]:
    """A model that is sure of what is not followed by a question mark."""
    await load_litellm()
    with half_sure_of(api) as opened:
        yield opened


@contextmanager
def half_sure_of(api: Api | Tenant) -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as opened:
        opened.default_reply = half_sure
        with api.lending(llm=model(opened, timeout_s=60)):
            yield opened


def half_sure(body: Json) -> str:
    if asked_for(body) != "Notes":
        return json.dumps({"verdicts": [], "sections": []})
    return notes(
        [
            fact(turn["said"].rstrip("?"), turn["turn"], confidence=0.3 if turn["said"].endswith("?") else 0.9)
            for turn in turns_of(body)
        ]
    )


async def propose_below(api: Tenant, confidence: float | None, agent: str = "a") -> None:
    await api.put(f"/v1/agents/{agent}", {"settings": {"dream": {"propose_below": confidence}}})


async def inbox(api: Tenant, **query: Any) -> list[Json]:
    items: list[Json] = (await api.get("/v1/inbox", **query))["items"]
    return items


async def one_proposal(api: Tenant, *said: str, **fields: Any) -> Json:
    """The proposal of a dream about these turns."""
    await propose_below(api, 0.6)
    await say(api, *said, **fields)
    await dream(api)
    (proposal,) = await inbox(api)
    return proposal


async def decide(api: Tenant, proposal: Json, action: str, **fields: Any) -> Json:
    decided: Json = await api.post(f"/v1/inbox/{proposal['id']}", {"action": action} | fields)
    return decided


async def test_rules_propose_what_is_hedged_and_keep_what_is_plain(api: Tenant) -> None:
    await propose_below(api, 0.7)
    await say(api, "I love tea.", "I think I like chess.")
    done = await dream(api)
    assert await contents(api) == {"u1 loves tea."}
    (proposal,) = await inbox(api)
    assert "chess" in proposal["content"]
    assert proposal["confidence"] < 0.7
    assert done["report"]["proposed"] == 1


async def test_by_default_nothing_waits(api: Tenant, server: FakeOpenAI) -> None:
    await say(api, "The gate squeaks?", "The gate is green")
    await dream(api)
    assert await contents(api) == {"The gate squeaks", "The gate is green"}
    assert await inbox(api) == []


async def test_a_proposal_has_its_evidence_and_nothing_else_shows_it(api: Tenant, server: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"users": "shared"})
    proposal = await one_proposal(api, "The zebra gate squeaks?", "The gate is green")
    assert proposal["status"] == "proposed"
    assert (proposal["agent"], proposal["type"], proposal["confidence"]) == ("a", "fact", 0.3)
    assert [source["content"] for source in proposal["sources"]] == ["The zebra gate squeaks?"]
    assert proposal["reason"] == "not sure enough: confidence 0.30"
    body = {"agent": "a", "query": "zebra", "include": ["memories", "documents"]}
    shown = [
        await api.post("/v1/memories/search", body),
        await api.get("/v1/memories", agent="a", include="deleted,superseded,expired"),
        await api.post("/v1/context", {"agent": "a", "message": "zebra", "include_messages": "never"}),
        await api.get("/v1/agents/a/bulletin"),
        await api.get("/v1/entities", agent="a"),
        await api.get("/v1/memories/stats", agent="a"),
    ]
    said = json.dumps(shown).replace('"zebra"', "")
    assert "zebra" not in said.replace('"message": "zebra"', "")
    assert (await api.get("/v1/memories/stats", agent="a"))["memories"] == 1


async def test_accept_saves_the_memory_with_its_provenance(api: Tenant, server: FakeOpenAI) -> None:
    proposal = await one_proposal(api, "The gate squeaks?")
    decided = await decide(api, proposal, "accept")
    memory = decided["memory"]
    assert decided["proposal"]["status"] == "accepted"
    assert decided["proposal"]["memory_id"] == memory["id"]
    assert (memory["content"], memory["confidence"], memory["session"]) == ("The gate squeaks", 1.0, "s")
    assert memory["dream_id"] == proposal["dream_id"]
    assert memory["source"] == {"kind": "dream"}
    assert memory["valid_from"] == proposal["said_at"]
    sources = (await api.get(f"/v1/memories/{memory['id']}/sources"))["items"]
    assert [one["message_id"] for one in sources] == [one["message_id"] for one in proposal["sources"]]
    history = (await api.get(f"/v1/memories/{memory['id']}/history"))["items"]
    assert [one["reason"] for one in history] == ["accepted from the inbox"]
    assert await inbox(api) == []
    assert [one["id"] for one in await inbox(api, status="accepted")] == [proposal["id"]]
    assert (await api.search("gate"))[0]["id"] == memory["id"]
    audited = [one["action"] for one in (await api.get("/v1/audit", limit=50))["items"]]
    assert audited.count("inbox.accept") == 1


async def test_what_is_accepted_replaces_by_the_next_dream_what_it_outdates(api: Tenant) -> None:
    await say(api, "I live in Oslo.")
    await dream(api)
    await propose_below(api, 0.95)
    await say(api, "I live in Bergen.")
    await dream(api)
    assert await contents(api) == {"u1 lives in Oslo."}
    (proposal,) = await inbox(api)
    await decide(api, proposal, "accept")
    assert await contents(api) == {"u1 lives in Oslo.", "u1 lives in Bergen."}
    await dream(api)
    assert await contents(api) == {"u1 lives in Bergen."}


async def test_accepting_what_was_saved_meanwhile_reinforces_it(api: Tenant, server: FakeOpenAI) -> None:
    proposal = await one_proposal(api, "The gate squeaks?")
    saved = await api.save("The gate squeaks", owners=["u1"])
    assert await inbox(api) == []
    memory = (await decide(api, proposal, "accept"))["memory"]
    assert (memory["id"], memory["version"]) == (saved["id"], 2)
    assert len((await api.get(f"/v1/memories/{memory['id']}/sources"))["items"]) == 1


async def test_edit_saves_it_otherwise_and_the_first_words_do_not_come_again(api: Tenant, server: FakeOpenAI) -> None:
    proposal = await one_proposal(api, "The gate squeaks?")
    fields = {"content": "The gate squeaks in winter", "type": "observation", "tags": ["gate"], "confidence": 0.8}
    decided = await decide(api, proposal, "edit", **fields)
    assert decided["proposal"]["status"] == "edited"
    assert {name: decided["memory"][name] for name in fields} == fields
    await say(api, "The gate squeaks?")
    await dream(api)
    assert await inbox(api) == []


@pytest.mark.parametrize("again", ["The gate squeaks?", "the  GATE really squeaks?"])
async def test_what_was_rejected_does_not_come_again(api: Tenant, server: FakeOpenAI, again: str) -> None:
    proposal = await one_proposal(api, "The gate squeaks?")
    decided = await decide(api, proposal, "reject")
    assert (decided["proposal"]["status"], decided["memory"]) == ("rejected", None)
    await say(api, again)
    done = await dream(api)
    assert done["report"]["ignored"] == 1
    await propose_below(api, None)
    await say(api, again)
    await dream(api)
    assert await inbox(api) == []
    assert await contents(api) == set()
    await say(api, "The gate squeaks")
    await dream(api)
    assert await contents(api) == {"The gate squeaks"}


async def test_a_rejection_holds_for_its_agent_and_user(api: Tenant, server: FakeOpenAI) -> None:
    proposal = await one_proposal(api, "I like tea?")
    await decide(api, proposal, "reject")
    await propose_below(api, 0.6, "b")
    await say(api, "I like tea?", agent="b")
    await dream(api, "b")
    assert [one["agent"] for one in await inbox(api)] == ["b"]


async def test_a_rejected_one_may_be_reopened(api: Tenant, server: FakeOpenAI) -> None:
    proposal = await one_proposal(api, "The gate squeaks?")
    await decide(api, proposal, "reject")
    assert (await decide(api, proposal, "reopen"))["proposal"]["status"] == "proposed"
    assert [one["id"] for one in await inbox(api)] == [proposal["id"]]
    assert (await api.call("POST", f"/v1/inbox/{proposal['id']}", json={"action": "reopen"})).status_code == 409


async def test_said_again_it_is_one_proposal_of_all_its_messages(api: Tenant, server: FakeOpenAI) -> None:
    await one_proposal(api, "The gate squeaks?", "the gate squeaks?")
    await say(api, "The gate really squeaks?")
    second = await dream(api)
    (proposal,) = await inbox(api)
    assert len(proposal["sources"]) == 3
    assert proposal["version"] == 2
    assert (await api.call("POST", f"/v1/dreams/{second['id']}/undo")).status_code == 200
    (proposal,) = await inbox(api)
    assert (len(proposal["sources"]), proposal["version"]) == (2, 1)


async def test_what_is_said_for_certain_in_the_same_dream_is_not_proposed(api: Tenant, server: FakeOpenAI) -> None:
    await propose_below(api, 0.6)
    await say(api, "The gate squeaks?", "The gate squeaks")
    await dream(api)
    assert await contents(api) == {"The gate squeaks"}
    assert await inbox(api) == []


async def test_two_decisions_at_once_and_one_holds(api: Tenant, server: FakeOpenAI) -> None:
    proposal = await one_proposal(api, "The gate squeaks?")
    path = f"/v1/inbox/{proposal['id']}"
    answers = await asyncio.gather(
        *(api.call("POST", path, json={"action": action}) for action in ("accept", "reject") * 3)
    )
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert refused.json()["decided"] == [proposal["id"]]
    kept = next(answer for answer in answers if answer.status_code == 200).json()
    assert len(await contents(api)) == (kept["proposal"]["status"] == "accepted")


async def test_many_are_decided_on_alike_or_none_is(api: Tenant, server: FakeOpenAI) -> None:
    await propose_below(api, 0.6)
    await say(api, *(f"Gate {n} squeaks?" for n in range(5)))
    await dream(api)
    first, *rest = await inbox(api)
    await decide(api, first, "accept")
    ids = [one["id"] for one in rest]
    refused = await api.call("POST", "/v1/inbox", json={"ids": [first["id"], *ids], "action": "reject"})
    assert (refused.status_code, refused.json()["decided"]) == (409, [first["id"]])
    assert len(await inbox(api)) == 4
    decided = (await api.post("/v1/inbox", {"ids": ids, "action": "accept"}))["items"]
    assert [one["proposal"]["id"] for one in decided] == ids
    assert len(await contents(api)) == 5


async def test_pages_are_newest_first_and_each_is_shown_once(api: Tenant, server: FakeOpenAI) -> None:
    await propose_below(api, 0.6)
    await say(api, *(f"Gate {n} squeaks?" for n in range(5)))
    await dream(api)
    shown: list[str] = []
    query: Json = {"limit": 2}
    while True:
        page = await api.get("/v1/inbox", **query)
        shown += [one["id"] for one in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert shown == sorted(shown, reverse=True)
    assert len(set(shown)) == 5


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "action"), ({"action": "burn"}, "action"), ({"action": "edit"}, "body"),
        ({"action": "accept", "content": "x"}, "body"), ({"action": "edit", "content": ""}, "content"),
        ({"action": "edit", "content": None}, "body"), ({"action": "edit", "confidence": 2}, "confidence"),
        ({"action": "edit", "typ": "fact"}, "typ"), ({"action": "edit", "content": "x" * 8_001}, "content"),
    ],
)  # fmt: skip
async def test_a_wrong_decision_is_refused_by_name(api: Tenant, server: FakeOpenAI, body: Json, field: str) -> None:
    proposal = await one_proposal(api, "The gate squeaks?")
    answer = await api.call("POST", f"/v1/inbox/{proposal['id']}", json=body)
    assert answer.status_code == 422, answer.text
    assert field in answer.json()["errors"][0]["loc"]
    assert len(await inbox(api)) == 1


async def test_undo_takes_what_waits_and_leaves_what_is_rejected(api: Tenant, server: FakeOpenAI) -> None:
    await propose_below(api, 0.6)
    await say(api, "The gate squeaks?", "The door squeaks?")
    done = await dream(api)
    assert [change["op"] for change in done["changes"]].count("proposed") == 2
    (door,) = [one for one in await inbox(api) if "door" in one["content"]]
    await decide(api, door, "reject")
    assert (await api.call("POST", f"/v1/dreams/{done['id']}/undo")).status_code == 200
    assert await inbox(api) == []
    await dream(api)
    assert [one["content"] for one in await inbox(api)] == ["The gate squeaks"]


async def test_undo_is_refused_once_one_is_accepted(api: Tenant, server: FakeOpenAI) -> None:
    await propose_below(api, 0.6)
    await say(api, "The gate squeaks?", "The door squeaks?")
    done = await dream(api)
    first, second = await inbox(api)
    memory = (await decide(api, first, "accept"))["memory"]
    answer = await api.call("POST", f"/v1/dreams/{done['id']}/undo")
    assert (answer.status_code, answer.json()["changed"]) == (409, [memory["id"]])
    assert [one["id"] for one in await inbox(api)] == [second["id"]]


async def test_a_dry_run_shows_what_would_wait(api: Tenant, server: FakeOpenAI) -> None:
    await propose_below(api, 0.6)
    await say(api, "The gate squeaks?")
    tried = await dream(api, dry_run=True)
    (change,) = [change for change in tried["changes"] if change["op"] == "proposed"]
    assert change["after"]["content"] == "The gate squeaks"
    shown = await api.get(f"/v1/dreams/{tried['id']}")
    assert "1 statement proposed" in shown["summary"]
    assert "? fact: The gate squeaks" in [one["text"] for one in shown["changes"]]
    assert await inbox(api) == []


async def test_keys_decide_on_what_is_their_own_agents(api: Tenant, server: FakeOpenAI) -> None:
    proposal = await one_proposal(api, "The gate squeaks?")
    path = f"/v1/inbox/{proposal['id']}"
    other, reader, own = await api.as_role("agent", "b"), await api.as_role("reader"), await api.as_role("agent", "a")
    assert await inbox(other) == []
    assert (await other.call("POST", path, json={"action": "accept"})).status_code == 404
    assert len(await inbox(reader)) == 1
    assert (await reader.call("POST", path, json={"action": "accept"})).status_code == 403
    assert (await decide(own, proposal, "accept"))["memory"]["content"] == "The gate squeaks"


async def test_an_event_tells_of_it(api: Tenant, server: FakeOpenAI) -> None:
    proposal = await one_proposal(api, "The gate squeaks?")
    told = (await api.call("GET", "/v1/events", params={"after": 0, "wait": "false"})).text
    assert "event: proposal.created" in told
    assert f'"proposal_id":"{proposal["id"]}"' in told
    assert "squeaks" not in told


async def test_it_fades(own_api: Api) -> None:
    """On a database of its own: retention goes through all workspaces."""
    await load_litellm()
    with half_sure_of(own_api):
        await fades(own_api)


async def fades(api: Api) -> None:
    await propose_below(api, 0.6)
    await say(api, "The gate squeaks?", "The door squeaks?")
    await dream(api)
    door, gate = await inbox(api)
    await decide(api, door, "reject")
    assert (await apply_retention(api.runtime))["proposals"] == 0
    async with api.runtime.db.transaction(api.workspace) as connection:
        await connection.raw.execute("UPDATE proposals SET updated_at = updated_at - interval '91 days'")
    assert (await apply_retention(api.runtime))["proposals"] == 2
    assert await inbox(api) == await inbox(api, status="rejected") == []
    await say(api, "The gate squeaks?", "The door squeaks?")
    await dream(api)
    assert [one["content"] for one in await inbox(api)] == [gate["content"]]


async def test_with_redaction_no_address_waits(api: Tenant, server: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    proposal = await one_proposal(api, "The gate is ann@example.org's?")
    assert "ann@example.org" not in json.dumps(proposal)
    memory = (await decide(api, proposal, "edit", content="Ask bob@example.org"))["memory"]
    assert "bob@example.org" not in memory["content"]


async def test_a_purge_takes_what_names_the_user(api: Tenant, server: FakeOpenAI) -> None:
    await propose_below(api, 0.6)
    await say(api, "Ann sings with Quentin?", "The gate squeaks?", user="ann")
    await say(api, "Quentin is late?", session="t", user="bob")
    await say(api, "The door squeaks?", session="u", user="quentin")
    await dream(api)
    assert len((await api.get("/v1/users/quentin/export"))["proposals"]) == 3
    receipt = (await api.post("/v1/users/quentin/purge"))["receipt"]
    assert receipt["counts"]["proposals"] == 3
    assert [one["content"] for one in await inbox(api)] == ["The gate squeaks"]


async def test_a_purge_and_a_decision_at_once_leave_nothing(api: Tenant, server: FakeOpenAI) -> None:
    for number in range(5):
        await propose_below(api, 0.6)
        await say(api, f"Gate {number} squeaks?", user="quentin")
        await dream(api)
        (proposal,) = await inbox(api)
        decided, purged = await asyncio.gather(
            api.call("POST", f"/v1/inbox/{proposal['id']}", json={"action": "accept"}),
            api.call("POST", "/v1/users/quentin/purge"),
        )
        assert (decided.status_code in (200, 404), purged.status_code) == (True, 200)
        assert await inbox(api) == []
        assert await contents(api) == set()


async def test_a_type_of_the_workspaces_own_keeps_its_metadata(api: Tenant, server: FakeOpenAI) -> None:
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
    own = {"description": "A bill", "like": "fact", "metadata_schema": schema}
    await api.put("/v1/settings", {"memory_types": {"invoice": own}})
    server.default_reply = lambda body: (
        notes([fact("Acme owes 50", 1, type="invoice", confidence=0.3, metadata=json.dumps({"amount": 50}))])
        if asked_for(body) == "Notes"
        else half_sure(body)
    )
    proposal = await one_proposal(api, "Acme owes us 50.")
    assert (proposal["type"], proposal["metadata"]) == ("invoice", {"amount": 50})
    refused = await api.call(
        "POST", f"/v1/inbox/{proposal['id']}", json={"action": "edit", "metadata": {"amount": "x"}}
    )
    assert refused.status_code == 422
    memory = (await decide(api, proposal, "accept"))["memory"]
    assert (memory["type"], memory["metadata"]) == ("invoice", {"amount": 50})
