"""Undo: the state before the dream to the byte, or a refusal that names what has changed."""

from __future__ import annotations

from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from tests.live_api import Api, Tenant
from tests.worker.dreaming import contents, dream, say

pytestmark = pytest.mark.first_tier

STATE = (
    "memories", "memory_versions", "memory_sources", "search_index", "search_terms", "entities", "entity_aliases",
    "edges", "bulletins", "sessions", "messages",
)  # fmt: skip


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def state(api: Tenant) -> dict[str, list[Any]]:
    """Every row of the workspace that dreams may write, but for the dream's own record."""
    found = {}
    for table in STATE:
        listed = f"SELECT to_jsonb(t)::text AS row FROM {table} t WHERE workspace_id = $1 ORDER BY 1"  # noqa: S608
        found[table] = [row["row"] for row in await api.rows(listed, api.workspace)]
    return found


async def undo(api: Api | Tenant, dreamed: dict[str, Any]) -> Any:
    return await api.call("POST", f"/v1/dreams/{dreamed['id']}/undo")


async def test_undo_restores_the_state_before_to_the_byte(api: Tenant) -> None:
    await say(api, "I like tea.", "I live in Oslo.", "I work at Acme with Maria.")
    await dream(api)
    await say(api, "I quit tea, coffee only.", "I live in Oslo.", "I like tea.", "Maria moved to Bergen.")
    before = await state(api)
    done = await dream(api)
    assert {change["op"] for change in done["changes"]} >= {"created", "superseded", "reinforced", "linked", "bulletin"}
    response = await undo(api, done)
    assert response.status_code == 200, response.text
    assert response.json()["status"] == "undone"
    assert await state(api) == before


async def exported(api: Api | Tenant) -> list[bytes]:
    """The lines of an export in any order, without when it was made; dreams have no line in it."""
    answer = await api.call("GET", "/v1/export", params={"include": "deleted,expired"})
    assert answer.status_code == 200, answer.text
    return sorted(line for line in answer.content.splitlines() if b'"record":"export"' not in line)


async def test_an_export_before_and_after_compares_equal(own_static_api: Api) -> None:
    api = own_static_api
    await say(api, "I like tea.", "I live in Oslo.", "I work at Acme with Maria.", "I'm planning a trip to Rome.")
    await dream(api.runtime)
    await api.save("The gate squeaks", type="observation", user="u1", created_at="2020-01-01T00:00:00Z")
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("UPDATE memories SET learned_at = created_at WHERE type = 'observation'")
    await say(api, "I quit tea, coffee only.", "I live in Oslo.", "Maria moved to Bergen.", "I now work at Globex.")
    before = await exported(api)
    done = await dream(api.runtime)
    ops = {change["op"] for change in done["changes"]}
    assert ops >= {"created", "superseded", "reinforced", "linked", "entity", "bulletin", "decayed"}
    assert await exported(api) != before
    assert (await undo(api, done)).status_code == 200
    assert await exported(api) == before
    again = await dream(api.runtime)
    assert {change["op"] for change in again["changes"]} >= ops - {"decayed"}


async def test_dreams_are_undone_one_by_one_back_to_the_beginning(static_tenant: Tenant) -> None:
    api = static_tenant
    days = (
        ("I live in Oslo.", "I like tea.", "My sister Maria is a nurse."),
        ("I moved to Bergen.", "I like tea."),
        ("I quit tea.", "I have a dog named Rex.", "I live in Bergen."),
    )
    await api.save("Something to begin with", user="u1")
    before, dreams = [], []
    for day, said in enumerate(days):
        await say(api, *said, session=f"day {day}")
        before.append(await made_of_it(api))
        dreams.append(await dream(api))
    for state_before, dreamed in zip(reversed(before), reversed(dreams), strict=True):
        assert (await undo(api, dreamed)).status_code == 200
        assert await made_of_it(api) == state_before


async def made_of_it(api: Api | Tenant) -> list[bytes]:
    """An export without what was said."""
    said = (b'"record":"session"', b'"record":"message"', b'"record":"end"')
    return [line for line in await exported(api) if not any(each in line for each in said)]


async def test_what_was_undone_is_due_again(api: Tenant) -> None:
    await say(api, "I live in Oslo.")
    await undo(api, await dream(api))
    assert await contents(api) == set()
    await dream(api)
    assert await contents(api) == {"u1 lives in Oslo."}


async def test_a_later_dream_of_the_session_keeps_its_messages(api: Tenant) -> None:
    await say(api, "I live in Oslo.")
    first = await dream(api)
    await say(api, "I work at Acme.")
    await dream(api)
    assert (await undo(api, first)).status_code == 200
    again = await dream(api)
    assert again["report"]["messages"] == 0
    assert await contents(api) == {"u1 works at Acme."}


async def test_a_changed_memory_is_named_and_nothing_is_undone(api: Tenant) -> None:
    await say(api, "I live in Oslo.", "I work at Acme.")
    done = await dream(api)
    memory = next(m for m in (await api.get("/v1/memories", agent="a"))["items"] if "Oslo" in m["content"])
    await api.patch(f"/v1/memories/{memory['id']}", {"version": memory["version"], "importance": 0.9})
    before = await state(api)
    response = await undo(api, done)
    assert response.status_code == 409
    assert response.json()["changed"] == [memory["id"]]
    assert await state(api) == before


async def test_what_a_later_dream_replaced_is_not_pulled_from_under_it(api: Tenant) -> None:
    await say(api, "I like tea.")
    first = await dream(api)
    await say(api, "I quit tea.")
    second = await dream(api)
    assert (await undo(api, first)).status_code == 409
    assert (await undo(api, second)).status_code == 200
    assert (await undo(api, first)).status_code == 200
    assert await contents(api) == set()


async def test_an_edge_drawn_since_stands_in_the_way(api: Tenant) -> None:
    await say(api, "I live in Oslo.")
    done = await dream(api)
    (memory,) = (await api.get("/v1/memories", agent="a"))["items"]
    edge = {
        "agent": "a",
        "relation": "about",
        "source": {"memory_id": memory["id"]},
        "target": {"entity": {"name": "X"}},
    }
    drawn = await api.post("/v1/edges", edge)
    response = await undo(api, done)
    assert response.status_code == 409
    assert response.json()["changed"] == [drawn["id"]]


async def test_only_a_dream_that_succeeded_can_be_undone(api: Tenant) -> None:
    await say(api, "I live in Oslo.")
    shown = await dream(api, dry_run=True)
    assert (await undo(api, shown)).status_code == 409
    done = await dream(api)
    assert (await undo(api, done)).status_code == 200
    assert (await undo(api, done)).status_code == 409


async def test_an_agent_cannot_undo_anothers_dream(api: Tenant) -> None:
    await say(api, "I live in Oslo.")
    done = await dream(api)
    other = await api.as_role("agent", "b")
    assert await other.status("POST", f"/v1/dreams/{done['id']}/undo") == 404
    reader = await api.as_role("reader")
    assert await reader.status("POST", f"/v1/dreams/{done['id']}/undo") == 403
