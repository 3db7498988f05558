"""The bulletin: "I'm Prime at Acme … Current priorities … Recent decisions"."""

from __future__ import annotations

from typing import Any

from tests.live_api import Tenant
from tests.worker.dreaming import dream
from tests.worker.test_decay import days_pass

Json = dict[str, Any]


async def bulletin(tenant: Tenant, agent: str = "a", **params: Any) -> str:
    """The agent's bulletin, written now."""
    written: str = (await tenant.post(f"/v1/agents/{agent}/bulletin", params=params))["content"]
    return written


async def test_its_sections_say_who_whom_what_next_and_what_was_decided(tenant: Tenant) -> None:
    for type_, content, more in (
        ("identity", "I'm Prime at Acme", {}),
        ("fact", "Priya leads marketing", {"user": "Priya", "owners": []}),
        ("preference", "Priya prefers bullet points over paragraphs", {"user": "Priya", "owners": []}),
        ("goal", "Launch the marketing site by 2026-05-01", {}),
        ("todo", "Ping Ramesh about the Q3 numbers", {}),
        ("decision", "Ship v0.4 with Telegram only", {}),
        ("fact", "The office has two floors", {}),
    ):
        await tenant.save(content, type=type_, **more)
    paragraphs = (await bulletin(tenant)).split("\n\n")
    assert [paragraph.split(":")[0] for paragraph in paragraphs[1:]] == [
        "Identity", "People", "Current priorities", "Recent decisions", "Also known"
    ]  # fmt: skip
    _, identity, people, priorities, decisions, also = paragraphs
    assert "I'm Prime at Acme." in identity
    assert "Priya leads marketing." in people
    assert "Priya prefers bullet points over paragraphs." in people
    assert "Launch the marketing site by 2026-05-01." in priorities
    assert "Ping Ramesh about the Q3 numbers." in priorities
    assert "Ship v0.4 with Telegram only." in decisions
    assert "The office has two floors." in also


async def test_what_is_done_leaves_the_priorities_and_the_newest_decision_comes_first(tenant: Tenant) -> None:
    todo = await tenant.save("Ping Ramesh", type="todo")
    await tenant.save("Use Postgres", type="decision")
    await tenant.save("Use Redis as well", type="decision")
    await tenant.patch(f"/v1/memories/{todo['id']}", {"version": 1, "status": "done"})
    written = await bulletin(tenant)
    assert "Ramesh" not in written
    assert written.index("Redis") < written.index("Postgres")


async def test_what_is_alike_is_said_in_one_clause(tenant: Tenant) -> None:
    for what in ("tea", "Go", "long walks"):
        await tenant.save(f"Ada likes {what}", type="preference", user="Ada")
    assert "People: Ada likes" in await bulletin(tenant, user="Ada")
    assert (await bulletin(tenant, user="Ada")).count("Ada") == 1
    assert "Ada" not in await bulletin(tenant)
    assert "Ada likes" not in await bulletin(tenant, user="Bob")


async def test_no_section_starves_the_others(tenant: Tenant) -> None:
    await tenant.call("PUT", "/v1/settings", json={"dream": {"bulletin_tokens_max": 200}})
    for n in range(60):
        await tenant.save(f"Ada has visited the city number {n} in one year", user="Ada", owners=[])
    await tenant.save("Ship v0.4", type="decision")
    await tenant.save("The office has two floors")
    written = await tenant.post("/v1/agents/a/bulletin")
    assert written["tokens"] <= 200
    assert "Ship v0.4" in written["content"]
    assert "two floors" in written["content"]


async def test_nothing_faded_is_in_it(tenant: Tenant) -> None:
    api = tenant
    await api.save("The gate squeaks", type="observation", importance=0.3)
    await api.save("The gate is green")
    await dream(api)
    assert "squeaks" in await bulletin(api)
    await days_pass(api, 93)
    assert "squeaks" not in await bulletin(api)
    assert "green" in await bulletin(api)


async def test_a_prime_agent_knows_what_the_others_saved_for_it(tenant: Tenant) -> None:
    await tenant.call("PUT", "/v1/agents/chief", json={"prime": True})
    await tenant.save("Revenue fell by a tenth", scope="prime", agent="sales")
    await tenant.save("The coffee machine is broken", agent="sales")
    written = await bulletin(tenant, "chief")
    assert "Revenue fell by a tenth." in written
    assert "coffee" not in written
    await tenant.call("PUT", "/v1/agents/chief", json={"prime": False})
    assert "Revenue" not in (await tenant.get("/v1/agents/chief/bulletin"))["content"]
    assert "Revenue" not in await bulletin(tenant, "chief")


async def test_its_sentences_cite_memories_and_it_is_stale_once_one_is_superseded(tenant: Tenant) -> None:
    api = tenant
    berlin = await api.save("Sam lives in Berlin", user="Sam", owners=[])
    todo = await api.save("Ping Ramesh", type="todo")
    floors = await api.save("The office has two floors")
    written = await api.post("/v1/agents/a/bulletin")
    assert {(one["section"], one["text"], *one["memory_ids"]) for one in written["sentences"]} == {
        ("People", "Sam lives in Berlin.", berlin["id"]), ("Current priorities", "Ping Ramesh.", todo["id"]),
        ("Also known", "The office has two floors.", floors["id"]),
    }  # fmt: skip
    assert (written["stale"], {one["current"] for one in written["sentences"]}) == (False, {True})
    await api.patch(f"/v1/memories/{todo['id']}", {"version": 1, "status": "done"})
    await api.patch(f"/v1/memories/{floors['id']}", {"version": 1, "content": "The office has three floors"})
    read = await api.get("/v1/agents/a/bulletin")
    assert (read["stale"], [one["text"] for one in read["sentences"]]) == (True, ["Sam lives in Berlin."])
    assert "floors" not in read["content"]
    assert "Ramesh" not in read["content"]
    assert (await api.post("/v1/agents/a/bulletin"))["stale"] is False


async def test_its_versions_say_what_came_and_went(tenant: Tenant) -> None:
    api = tenant
    berlin = await api.save("Sam lives in Berlin", user="Sam")
    await dream(api)
    await api.save("Sam has moved to Bergen", user="Sam")
    done = await dream(api)
    assert done["owners"] == ["Sam"]
    path = "/v1/agents/a/bulletin/versions"
    second, first = (await api.get(path, user="Sam"))["items"]
    assert [[one["text"] for one in second[name]] for name in ("added", "removed")] == [
        ["Sam has moved to Bergen."], ["Sam lives in Berlin."]
    ]  # fmt: skip
    (former,) = first["sentences"]
    assert (former["current"], first["stale"], second["stale"]) == (False, True, False)
    (bergen,) = second["sentences"]
    assert former["superseded_by"] == bergen["memory_ids"]
    assert former["memory_ids"] == [berlin["id"]]
    newest = (await api.get(path, user="Sam", compared_to=2))["items"][0]
    assert (newest["added"], newest["removed"]) == ([], [])
    assert (await api.get(path, user="Sam", limit=1))["items"][0]["removed"] == second["removed"]
    assert await api.status("GET", path, params={"user": "Sam", "compared_to": 9}) == 404
    await api.post(f"/v1/dreams/{done['id']}/undo")
    (left,) = (await api.get(path, user="Sam"))["items"]
    assert (left["version"], left["stale"], [one["text"] for one in left["sentences"]]) == (
        1, False, ["Sam lives in Berlin."]
    )  # fmt: skip
