"""Folding old, unimportant memories into one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from service.provider.library import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.worker.dreaming import model

Json = dict[str, Any]
TICKET = "0f3c2a9e-6a55-4b1e-9c5f-1f6f0a7f2b11"


async def shelf(api: Api) -> list[Json]:
    """Old memories that matter little, and others that must be left alone."""
    old = (datetime.now(UTC) - timedelta(days=100)).isoformat()
    notes = [
        await api.save(f"The {thing} was seen beside the {place} early in the morning", importance=0.2, created_at=old)
        for thing, place in (("heron", "pond"), ("fox", "hedge"), ("owl", "barn"), ("cat", "gate"))
    ]
    notes.append(
        await api.save(f"Ticket {TICKET} cost 1,250 euro on 2024-03-01", type="event", importance=0.3, created_at=old)
    )
    await api.save("An important thing about the garden", importance=0.9, created_at=old)
    await api.save("A small new thing about the garden", importance=0.2)
    await api.save("A preference is never folded", type="preference", importance=0.2, created_at=old)
    await api.save("Neither is what is exempt", importance=0.2, created_at=old, decay_exempt=True)
    await api.save("Or has a key", importance=0.2, created_at=old, key="k")
    return notes


async def summarize(api: Api, *, dry_run: bool, **fields: Any) -> Json:
    return await api.post("/v1/summarize", {"agent": "a", "older_than_days": 60, "dry_run": dry_run} | fields)


async def live(api: Api) -> set[str]:
    return {memory["id"] for memory in (await api.get("/v1/memories", limit=200))["items"]}


def ids(answer: Json) -> set[str]:
    return {memory["id"] for memory in answer["candidates"]}


async def test_the_dry_run_names_exactly_what_the_run_folds(api: Api) -> None:
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


async def test_it_is_a_dry_run_unless_said_otherwise(api: Api) -> None:
    await shelf(api)
    assert (await api.post("/v1/summarize", {"agent": "a", "older_than_days": 60}))["memory"] is None


async def test_identifiers_survive_and_the_summary_is_found_by_them(api: Api) -> None:
    await shelf(api)
    summary = (await summarize(api, dry_run=False))["memory"]
    for named in (TICKET, "1,250", "2024-03-01"):
        assert named in summary["content"]
    assert [memory["id"] for memory in await api.search(TICKET)] == [summary["id"]]


async def test_the_originals_stay_readable_and_can_be_restored(api: Api) -> None:
    notes = await shelf(api)
    summary = (await summarize(api, dry_run=False))["memory"]
    for note in notes:
        kept = await api.get(f"/v1/memories/{note['id']}")
        assert (kept["content"], kept["superseded_by"]) == (note["content"], summary["id"])
    restored = await api.post(f"/v1/memories/{notes[0]['id']}/restore")
    assert restored["superseded_by"] is None
    assert restored["valid_until"] is None
    assert notes[0]["id"] in {memory["id"] for memory in await api.search("heron beside the pond")}


async def test_folding_again_finds_nothing(api: Api) -> None:
    await shelf(api)
    await summarize(api, dry_run=False)
    again = await summarize(api, dry_run=False)
    assert (again["candidates"], again["memory"], again["tokens_saved"]) == ([], None, 0)


async def test_only_the_agents_own(api: Api) -> None:
    await shelf(api)
    await api.save("Of somebody else", agent="b")
    other = await api.as_role("agent", "b")
    assert (await summarize(other, dry_run=True))["candidates"] == []


async def test_the_model_writes_it_and_what_it_forgets_is_listed(api: Api) -> None:
    await load_litellm()
    await shelf(api)
    with FakeOpenAI() as server:
        server.say("Animals were seen, and a ticket was bought.")
        api.engine.llm = model(server)
        summary = (await summarize(api, dry_run=False))["memory"]
    assert summary["content"].startswith("Animals were seen, and a ticket was bought.")
    assert TICKET in summary["content"]


async def test_a_model_that_is_down_is_done_without(api: Api) -> None:
    await load_litellm()
    notes = await shelf(api)
    with FakeOpenAI() as server:
        server.fail(status=401, times=None)
        api.engine.llm = model(server)
        done = await summarize(api, dry_run=False)
    assert ids(done) == {memory["id"] for memory in notes}
    assert TICKET in done["memory"]["content"]
