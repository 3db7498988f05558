"""Folding old, unimportant memories into one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Tenant
from tests.worker.dreaming import model

Json = dict[str, Any]
TICKET = "0f3c2a9e-6a55-4b1e-9c5f-1f6f0a7f2b11"


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def shelf(api: Tenant) -> list[Json]:
    """Old memories that matter little, and others that must be left alone."""
    old = (datetime.now(UTC) - timedelta(days=100)).isoformat()
    notes = [
        await api.save(f"The {thing} was seen beside the {place} early in the morning", importance=0.2, created_at=old)
        for thing, place in (("heron", "pond"), ("fox", "hedge"), ("owl", "barn"), ("cat", "gate"))
    ]
    notes.append(
        await api.save(
            f"Ticket {TICKET} cost 1,250 euro on 2024-03-01, which the garden club paid out of the money that was left "
            "over from the fair in the summer before, after a long talk about the new fence and the old gate",
            type="event", importance=0.3, created_at=old,
        )
    )  # fmt: skip
    await api.save("An important thing about the garden", importance=0.9, created_at=old)
    await api.save("A small new thing about the garden", importance=0.2)
    await api.save("A preference is never folded", type="preference", importance=0.2, created_at=old)
    await api.save("Neither is what is exempt", importance=0.2, created_at=old, decay_exempt=True)
    await api.save("Or has a key", importance=0.2, created_at=old, key="k")
    await api.save("Or is to expire", importance=0.2, created_at=old, expires_at="2999-01-01T00:00:00Z")
    return notes


async def summarize(api: Tenant, *, dry_run: bool, **fields: Any) -> Json:
    return await api.post("/v1/summarize", {"agent": "a", "older_than_days": 60, "dry_run": dry_run} | fields)


async def live(api: Tenant) -> set[str]:
    return {memory["id"] for memory in (await api.get("/v1/memories", limit=200))["items"]}


def ids(answer: Json) -> set[str]:
    return {memory["id"] for memory in answer["candidates"]}


async def test_the_dry_run_names_exactly_what_the_run_folds(api: Tenant) -> None:
    notes = await shelf(api)
    before = await live(api)
    shown = await summarize(api, dry_run=True)
    assert shown["memory"] is None
    assert ids(shown) == {memory["id"] for memory in notes}
    assert await live(api) == before
    done = await summarize(api, dry_run=False)
    assert ids(done) == ids(shown)
    assert [done[name] for name in ("tokens_before", "tokens_after", "tokens_saved")] == [
        shown[name] for name in ("tokens_before", "tokens_after", "tokens_saved")
    ]
    assert done["tokens_saved"] == done["tokens_before"] - done["tokens_after"] > 0
    assert await live(api) == before - ids(shown) | {done["memory"]["id"]}


async def test_it_is_a_dry_run_unless_said_otherwise(api: Tenant) -> None:
    await shelf(api)
    assert (await api.post("/v1/summarize", {"agent": "a", "older_than_days": 60}))["memory"] is None


async def test_every_field_has_a_default(api: Tenant) -> None:
    notes = await shelf(api)
    agent = await api.as_role("agent", "a")
    shown = await agent.post("/v1/summarize", {})
    assert ids(shown) == {memory["id"] for memory in notes}
    assert shown["memory"] is None


async def test_a_cron_job_that_sends_no_body_summarizes(api: Tenant) -> None:
    notes = await shelf(api)
    agent = await api.as_role("agent", "a")
    done = await agent.post("/v1/summarize")
    assert ids(done) == {memory["id"] for memory in notes}
    assert done["memory"]["agent"] == "a"
    assert (await api.get(f"/v1/memories/{notes[0]['id']}"))["superseded_by"] == done["memory"]["id"]


async def test_identifiers_survive_and_the_summary_is_found_by_them(api: Tenant) -> None:
    await shelf(api)
    summary = (await summarize(api, dry_run=False))["memory"]
    for named in (TICKET, "1,250", "2024-03-01"):
        assert named in summary["content"]
    assert [memory["id"] for memory in await api.search(TICKET)] == [summary["id"]]


async def test_the_originals_stay_readable_and_can_be_restored(api: Tenant) -> None:
    notes = await shelf(api)
    summary = (await summarize(api, dry_run=False))["memory"]
    for note in notes:
        kept = await api.get(f"/v1/memories/{note['id']}")
        assert (kept["content"], kept["superseded_by"]) == (note["content"], summary["id"])
    restored = await api.post(f"/v1/memories/{notes[0]['id']}/restore")
    assert restored["superseded_by"] is None
    assert restored["valid_until"] is None
    assert notes[0]["id"] in {memory["id"] for memory in await api.search("heron beside the pond")}


async def test_folding_again_finds_nothing(api: Tenant) -> None:
    await shelf(api)
    await summarize(api, dry_run=False)
    again = await summarize(api, dry_run=False)
    assert (again["candidates"], again["memory"], again["tokens_saved"]) == ([], None, 0)


async def undo(api: Tenant, summary: Json) -> Json:
    return await api.post(f"/v1/summaries/{summary['id']}/undo")


async def refused(api: Tenant, summary: Json) -> list[str]:
    """The ids that an undo is refused for."""
    response = await api.call("POST", f"/v1/summaries/{summary['id']}/undo")
    assert response.status_code == 409
    changed: list[str] = response.json()["changed"]
    return changed


async def test_a_fold_is_undone_in_one_call(api: Tenant) -> None:
    notes = await shelf(api)
    before = await live(api)
    summary = (await summarize(api, dry_run=False))["memory"]
    undone = await undo(api, summary)
    assert await live(api) == before
    assert {memory["id"] for memory in undone["memories"]} == {note["id"] for note in notes}
    assert all(memory["superseded_by"] is None and memory["valid_until"] is None for memory in undone["memories"])
    assert undone["summary"]["deleted_at"] is not None
    assert notes[0]["id"] in {memory["id"] for memory in await api.search("heron beside the pond")}
    assert (await summarize(api, dry_run=False))["candidates"], "it can be folded again"


async def test_what_has_changed_since_is_named_and_nothing_is_undone(api: Tenant) -> None:
    notes = await shelf(api)
    summary = (await summarize(api, dry_run=False))["memory"]
    await api.post(f"/v1/memories/{notes[0]['id']}/restore")
    after = await live(api)
    assert await refused(api, summary) == [notes[0]["id"]]
    assert await live(api) == after


async def test_an_edited_summary_is_not_undone(api: Tenant) -> None:
    await shelf(api)
    summary = (await summarize(api, dry_run=False))["memory"]
    await api.patch(f"/v1/memories/{summary['id']}", {"version": 1, "content": "Animals came and went"})
    assert await refused(api, summary) == [summary["id"]]


async def test_what_has_been_said_again_is_in_the_way(api: Tenant) -> None:
    notes = await shelf(api)
    summary = (await summarize(api, dry_run=False))["memory"]
    again = await api.save(notes[1]["content"], importance=0.2)
    assert await refused(api, summary) == [notes[1]["id"]]
    await api.delete(f"/v1/memories/{again['id']}")
    assert len((await undo(api, summary))["memories"]) == len(notes)


async def test_a_deleted_summary_is_undone_once(api: Tenant) -> None:
    notes = await shelf(api)
    summary = (await summarize(api, dry_run=False))["memory"]
    await api.delete(f"/v1/memories/{summary['id']}")
    assert len((await undo(api, summary))["memories"]) == len(notes)
    assert set(await refused(api, summary)) >= {note["id"] for note in notes}


async def test_only_summaries_are_undone(api: Tenant) -> None:
    note = await api.save("A note", source={"kind": "summary", "memory_ids": ["x"]})
    for memory in (note, await api.save("Another")):
        assert await api.status("POST", f"/v1/summaries/{memory['id']}/undo") == 409
    forged = await api.save("Forged", source={"kind": "summary", "memory_ids": [note["id"]]})
    assert await refused(api, forged) == [note["id"]]


async def test_another_agents_summary_is_not_there(api: Tenant) -> None:
    await shelf(api)
    summary = (await summarize(api, dry_run=False))["memory"]
    other = await api.as_role("agent", "b")
    assert await other.status("POST", f"/v1/summaries/{summary['id']}/undo") == 404
    own = await api.as_role("agent", "a")
    assert len((await undo(own, summary))["memories"]) == 5


async def test_whom_each_note_is_about_is_said_where_they_differ(api: Tenant) -> None:
    old = (datetime.now(UTC) - timedelta(days=100)).isoformat()
    for user, thing in (("Sam", "green tea from the hills"), ("Ida", "black coffee from the market")):
        for day in ("weekdays", "holidays"):
            content = f"Prefers to drink {thing} on {day} after a slow walk along the water with neighbours and dogs"
            await api.save(content, type="fact", user=user, owners=[], importance=0.2, created_at=old)
    folded = await summarize(api, dry_run=False)
    assert folded["memory"]["user"] is None
    lines = folded["memory"]["content"].splitlines()[1:]
    assert [line.split(":")[0] for line in lines] == ["Sam", "Sam", "Ida", "Ida"]


async def test_personal_data_of_before_the_rule_is_masked(api: Tenant) -> None:
    old = (datetime.now(UTC) - timedelta(days=100)).isoformat()
    for n in range(4):
        content = f"The caterer of party {n} is cook{n}@kitchen.example and wants to know the number of guests soon"
        await api.save(content, importance=0.2, created_at=old)
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    summary = (await summarize(api, dry_run=False))["memory"]
    assert "kitchen.example" not in summary["content"]
    assert "EMAIL_ADDRESS" in summary["content"]


async def test_only_the_agents_own(api: Tenant) -> None:
    await shelf(api)
    await api.save("Of somebody else", agent="b")
    other = await api.as_role("agent", "b")
    assert (await summarize(other, dry_run=True))["candidates"] == []


async def test_an_agent_that_has_saved_nothing_is_named(api: Tenant) -> None:
    new = await api.as_role("agent", "newcomer")
    answer = await new.call("POST", "/v1/summarize")
    assert answer.status_code == 404
    assert "'newcomer'" in answer.json()["detail"]


async def test_the_model_writes_it_and_what_it_forgets_is_listed(api: Tenant) -> None:
    await load_litellm()
    await shelf(api)
    with FakeOpenAI() as server:
        server.say("Animals were seen, and a ticket was bought.")
        with api.lending(llm=model(server)):
            summary = (await summarize(api, dry_run=False))["memory"]
    assert summary["content"].startswith("Animals were seen, and a ticket was bought.")
    assert TICKET in summary["content"]


async def test_a_model_that_is_down_is_done_without(api: Tenant) -> None:
    await load_litellm()
    notes = await shelf(api)
    with FakeOpenAI() as server:
        server.fail(status=401, times=None)
        with api.lending(llm=model(server)):
            done = await summarize(api, dry_run=False)
    assert ids(done) == {memory["id"] for memory in notes}
    assert TICKET in done["memory"]["content"]
