"""Undo: the state before the dream to the byte, or a refusal that names what has changed (row D11)."""

from __future__ import annotations

from typing import Any

from tests.serving import Api
from tests.worker.dreaming import contents, dream, say

STATE = (
    "memories", "memory_versions", "memory_sources", "search_index", "search_terms", "entities", "entity_aliases",
    "edges", "bulletins", "sessions", "messages",
)  # fmt: skip


async def state(api: Api) -> dict[str, list[Any]]:
    """Every row that dreams may write, but for the dream's own record."""
    found = {}
    async with api.engine.db.unscoped() as connection:
        for table in STATE:
            rows = await connection.raw.fetch(f"SELECT to_jsonb(t)::text AS row FROM {table} t ORDER BY 1")  # noqa: S608
            found[table] = [row["row"] for row in rows]
    return found


async def undo(api: Api, dreamed: dict[str, Any]) -> Any:
    return await api.call("POST", f"/v1/dreams/{dreamed['id']}/undo")


async def test_undo_restores_the_state_before_to_the_byte(api: Api) -> None:
    await say(api, "I like tea.", "I live in Oslo.", "I work at Acme with Maria.")
    await dream(api.engine)
    await say(api, "I quit tea, coffee only.", "I live in Oslo.", "I like tea.", "Maria moved to Bergen.")
    before = await state(api)
    done = await dream(api.engine)
    assert {change["op"] for change in done["changes"]} >= {"created", "superseded", "reinforced", "linked", "bulletin"}
    response = await undo(api, done)
    assert response.status_code == 200, response.text
    assert response.json()["status"] == "undone"
    assert await state(api) == before


async def test_what_was_undone_is_due_again(api: Api) -> None:
    await say(api, "I live in Oslo.")
    await undo(api, await dream(api.engine))
    assert await contents(api) == set()
    await dream(api.engine)
    assert await contents(api) == {"u1 lives in Oslo."}


async def test_a_later_dream_of_the_session_keeps_its_messages(api: Api) -> None:
    await say(api, "I live in Oslo.")
    first = await dream(api.engine)
    await say(api, "I work at Acme.")
    await dream(api.engine)
    assert (await undo(api, first)).status_code == 200
    again = await dream(api.engine)
    assert again["report"]["messages"] == 0
    assert await contents(api) == {"u1 works at Acme."}


async def test_a_changed_memory_is_named_and_nothing_is_undone(api: Api) -> None:
    await say(api, "I live in Oslo.", "I work at Acme.")
    done = await dream(api.engine)
    memory = next(m for m in (await api.get("/v1/memories", agent="a"))["items"] if "Oslo" in m["content"])
    await api.patch(f"/v1/memories/{memory['id']}", {"version": memory["version"], "importance": 0.9})
    before = await state(api)
    response = await undo(api, done)
    assert response.status_code == 409
    assert response.json()["changed"] == [memory["id"]]
    assert await state(api) == before


async def test_what_a_later_dream_replaced_is_not_pulled_from_under_it(api: Api) -> None:
    await say(api, "I like tea.")
    first = await dream(api.engine)
    await say(api, "I quit tea.")
    second = await dream(api.engine)
    assert (await undo(api, first)).status_code == 409
    assert (await undo(api, second)).status_code == 200
    assert (await undo(api, first)).status_code == 200
    assert await contents(api) == set()


async def test_an_edge_drawn_since_stands_in_the_way(api: Api) -> None:
    await say(api, "I live in Oslo.")
    done = await dream(api.engine)
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


async def test_only_a_dream_that_succeeded_can_be_undone(api: Api) -> None:
    await say(api, "I live in Oslo.")
    shown = await dream(api.engine, dry_run=True)
    assert (await undo(api, shown)).status_code == 409
    done = await dream(api.engine)
    assert (await undo(api, done)).status_code == 200
    assert (await undo(api, done)).status_code == 409


async def test_an_agent_cannot_undo_anothers_dream(api: Api) -> None:
    await say(api, "I live in Oslo.")
    done = await dream(api.engine)
    other = await api.as_role("agent", "b")
    assert await other.status("POST", f"/v1/dreams/{done['id']}/undo") == 404
    reader = await api.as_role("reader")
    assert await reader.status("POST", f"/v1/dreams/{done['id']}/undo") == 403
