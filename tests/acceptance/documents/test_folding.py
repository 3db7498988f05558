"""Old, unimportant memories are folded by age or token budget into a summary that "keeps a line of each"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.live_api import Json, Tenant

NOTES = {
    "QX-4": "Ticket QX-4 blocks the release of the mobile app until the payment team has fixed the login page",
    "ISS-7": "Maria reported that ISS-7 happens only on tablets with the old firmware and only at night",
    "SKU-9": "The warehouse ran out of SKU-9 last week, so Tom ordered forty more of them from a shop in Lyon",
    "PROJ-1": "PROJ-1 was put on hold because the customer wanted to see the prototype before paying any more",
    "RFC 9457": "The format of errors follows RFC 9457, and all clients were told about it in a long letter",
    "BA 117": "Ana took flight BA 117 to the conference on databases and came back two days later with a cold",
}
NAMES = ("Maria", "Tom", "Lyon", "Ana")


async def shelf(tenant: Tenant, *, days: float = 100) -> list[Json]:
    old = (datetime.now(UTC) - timedelta(days=days)).isoformat()
    return [await tenant.save(text, importance=0.2, created_at=old) for text in NOTES.values()]


async def test_identifiers_and_names_survive_and_each_note_keeps_a_line(tenant: Tenant) -> None:
    notes = await shelf(tenant)
    folded = await tenant.post("/v1/summarize", {"agent": "a", "dry_run": False})
    heading, *lines = folded["memory"]["content"].splitlines()
    assert heading.startswith("6 notes")
    assert len(lines) == len(notes)
    for line, (identifier, note) in zip(lines, NOTES.items(), strict=True):
        assert identifier in line
        assert note.split()[0] in line
        assert all(name in line for name in NAMES if name in note)
    assert folded["tokens_saved"] * 3 >= folded["tokens_before"]


async def test_a_fold_that_saves_too_little_is_not_made(tenant: Tenant) -> None:
    old = (datetime.now(UTC) - timedelta(days=100)).isoformat()
    for text in ("QX-4 is closed", "ISS-7 is open", "SKU-9 is sold", "PROJ-1 is on hold", "Ana took BA 117"):
        await tenant.save(text, importance=0.2, created_at=old)
    folded = await tenant.post("/v1/summarize", {"agent": "a", "dry_run": False})
    assert (folded["not_folded"], folded["candidates"], folded["memory"]) == ("saves_too_little", [], None)
    assert folded["tokens_saved"] == 0
    assert len((await tenant.get("/v1/memories"))["items"]) == 5


async def test_notes_that_are_nothing_but_identifiers_are_left_as_they_are(tenant: Tenant) -> None:
    notes = await shelf(tenant)
    old = (datetime.now(UTC) - timedelta(days=101)).isoformat()
    bare = [
        await tenant.save(f"0f3c2a9e-6a55-4b1e-9c5f-1f6f0a7f2b1{n}, 4f3c2a9e-6a55-4b1e-9c5f-1f6f0a7f2b1{n}",
                          importance=0.2, created_at=old)
        for n in range(9)
    ]  # fmt: skip
    folded = await tenant.post("/v1/summarize", {"agent": "a", "dry_run": False})
    assert {one["id"] for one in folded["candidates"]} == {note["id"] for note in notes}
    left = {one["id"] for one in (await tenant.get("/v1/memories"))["items"]}
    assert left == {one["id"] for one in bare} | {folded["memory"]["id"]}


async def test_undo_takes_one_call(tenant: Tenant) -> None:
    notes = await shelf(tenant)
    folded = await tenant.post("/v1/summarize", {"agent": "a", "dry_run": False})
    await tenant.post(f"/v1/summaries/{folded['memory']['id']}/undo")
    left = (await tenant.get("/v1/memories"))["items"]
    assert {one["id"] for one in left} == {note["id"] for note in notes}
    assert {one["content"] for one in left} == set(NOTES.values())


@pytest.mark.parametrize("spare", [1, 20])
async def test_by_token_budget_the_oldest_are_folded_until_the_memories_fit(tenant: Tenant, spare: int) -> None:
    for n in range(4):
        for note in NOTES.values():
            await tenant.save(f"{note} {'again ' * n}", importance=0.2)
    important = await tenant.save("The release is planned for the first week of June", importance=0.9)
    total = (await tenant.get("/v1/memories/stats"))["tokens"]
    shown = await tenant.post("/v1/summarize", {"agent": "a", "tokens_max": total - spare})
    assert shown["agent_tokens_before"] == total
    assert shown["agent_tokens_after"] <= total - spare
    assert 2 <= len(shown["candidates"]) < 12, "no more than it takes"
    done = await tenant.post("/v1/summarize", {"agent": "a", "tokens_max": total - spare, "dry_run": False})
    assert [one["id"] for one in done["candidates"]] == [one["id"] for one in shown["candidates"]]
    assert important["id"] not in {one["id"] for one in done["candidates"]}
    assert (await tenant.get("/v1/memories/stats"))["tokens"] == done["agent_tokens_after"]
    again = await tenant.post("/v1/summarize", {"agent": "a", "tokens_max": total - spare, "dry_run": False})
    assert (again["not_folded"], again["memory"]) == ("fits", None)


async def test_a_budget_that_cannot_be_met_folds_what_there_is(tenant: Tenant) -> None:
    await shelf(tenant, days=0)
    folded = await tenant.post("/v1/summarize", {"agent": "a", "tokens_max": 0, "dry_run": False})
    assert len(folded["candidates"]) == 6
    assert folded["agent_tokens_after"] > 0


async def test_by_age_and_budget_together(tenant: Tenant) -> None:
    await shelf(tenant, days=5)
    budget = {"agent": "a", "tokens_max": 0, "older_than_days": 30}
    assert (await tenant.post("/v1/summarize", budget))["not_folded"] == "too_few"
    assert (await tenant.post("/v1/summarize", budget | {"older_than_days": 1}))["candidates"]


@pytest.mark.parametrize("body", [{"tokens_max": -1}, {"older_than_days": -1}, {"tokens_max": "many"}])
async def test_bad_bounds_are_named(tenant: Tenant, body: Json) -> None:
    response = await tenant.call("POST", "/v1/summarize", json={"agent": "a"} | body)
    assert response.status_code == 422
    assert response.json()["errors"][0]["loc"][-1] == next(iter(body))


async def test_a_window_names_what_it_folded(tenant: Tenant) -> None:
    said = "It was a quiet day at the office and there is little else to tell you about it. "
    turns = [{"role": "user", "content": said + note} for note in NOTES.values()]
    await tenant.post("/v1/sessions/s/messages", {"agent": "a", "messages": turns * 2})
    window = await tenant.post("/v1/sessions/s/compact?agent=a")
    for named in (*NOTES, *NAMES):
        assert named in window["summary"]["content"]
