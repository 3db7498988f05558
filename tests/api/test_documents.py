"""Documents over real HTTP: cut, found beside memories, cited, and gone with all their parts when deleted."""

from __future__ import annotations

from typing import Any

import pytest

from service.embedding.tokens import count_tokens
from tests.live_api import Api, Caller, Tenant
from tests.tables import table

TITLE = "Handbook of the Bergen office"
CARE = {"coffee machine": "Astrid", "printer": "Bjarne", "fire alarm": "Cecilie", "bicycle shed": "Dag"}
TEXT = "\n\n".join(
    f"## The {subject}\n\n" + f"The {subject} is looked after by {who} every week. " * 30
    for subject, who in CARE.items()
)


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return static_tenant


async def add(api: Caller, **fields: Any) -> dict[str, Any]:
    return await api.post("/v1/documents", {"agent": "a", "title": TITLE, "text": TEXT} | fields)


async def find(api: Caller, query: str, **fields: Any) -> list[dict[str, Any]]:
    body = {"agent": "a", "query": query, "include": ["documents"]} | fields
    found: list[dict[str, Any]] = (await api.post("/v1/memories/search", body))["results"]
    return found


async def leftovers(api: Api) -> list[int]:
    async with api.runtime.db.unscoped() as connection:
        tables = ("documents", "chunks", "search_index", "search_terms")
        return [await connection.raw.fetchval(f"SELECT count(*) FROM {table}") for table in tables]  # noqa: S608


async def test_a_document_is_cut_within_bounds_and_read_back(api: Caller) -> None:
    text = "\n\n".join([TEXT] * 4)
    made = await add(api, text=text, user="u1", metadata={"source": "intranet"})
    assert made["chunks"] > 10
    assert made["text"] == text
    assert (made["user"], made["metadata"]) == ("u1", {"source": "intranet"})
    assert await api.get(f"/v1/documents/{made['id']}") == made
    (head,) = (await api.get("/v1/documents", agent="a"))["items"]
    assert head == {name: value for name, value in made.items() if name != "text"}
    for result in await find(api, "printer", limit=100):
        assert count_tokens(result["document"]["content"]) <= 400


async def test_parts_are_found_beside_memories(static_api: Caller) -> None:
    made = await add(static_api)
    memory = await static_api.save("Astrid repaired the coffee machine yesterday")
    found = await find(static_api, "Who looks after the coffee machine?", include=["memories", "documents"])
    kinds = {result["kind"] for result in found}
    assert kinds == {"memory", "document"}
    part = next(result["document"] for result in found if result["kind"] == "document")
    assert (part["document_id"], part["title"]) == (made["id"], TITLE)
    assert "Astrid" in part["content"]
    assert {r["memory"]["id"] for r in found if r["memory"]} == {memory["id"]}
    only = await static_api.post("/v1/memories/search", {"agent": "a", "query": "coffee machine"})
    assert {result["kind"] for result in only["results"]} == {"memory"}


async def test_a_part_is_found_by_the_title_of_its_document(api: Caller) -> None:
    await add(api)
    assert await find(api, "handbook")


async def test_the_context_cites_parts(api: Caller) -> None:
    await add(api)
    question = "Who looks after the fire alarm?"
    answer = await api.post("/v1/context", {"agent": "a", "message": question})
    section = next(one for one in answer["sections"] if one["name"] == "documents")
    assert "Cecilie" in section["text"]
    assert f"[{TITLE}, part" in section["text"]
    found = {result["document"]["id"] for result in await find(api, question, limit=100)}
    assert set(section["items"]) <= found


async def test_deleting_a_document_leaves_nothing_of_it(own_static_api: Api) -> None:
    kept = await own_static_api.save("The printer is broken")
    before = await leftovers(own_static_api)
    made = await add(own_static_api)
    await own_static_api.delete(f"/v1/documents/{made['id']}")
    assert await leftovers(own_static_api) == before
    assert await find(own_static_api, "printer", include=["memories", "documents"], limit=5)
    assert [m["id"] for m in await own_static_api.search("printer")] == [kept["id"]]
    assert await own_static_api.status("GET", f"/v1/documents/{made['id']}") == 404
    assert await own_static_api.status("DELETE", f"/v1/documents/{made['id']}") == 404


async def test_another_agents_documents_are_not_there(api: Caller) -> None:
    made = await add(api)
    other = await api.as_role("agent", "b")
    assert await other.status("GET", f"/v1/documents/{made['id']}") == 404
    assert await other.status("DELETE", f"/v1/documents/{made['id']}") == 404
    assert (await other.get("/v1/documents"))["items"] == []
    assert await find(other, "printer", agent=None) == []


async def test_a_reader_may_not_write_and_memory_off_keeps_nothing(api: Caller) -> None:
    draft = {"agent": "a", "title": "t", "text": "x"}
    assert await (await api.as_role("reader")).status("POST", "/v1/documents", json=draft) == 403
    off = {"X-Reverie-No-Memory": "1"}
    assert await api.status("POST", "/v1/documents", json=draft, headers=off) == 200
    assert (await api.get("/v1/documents"))["items"] == []


async def test_out_of_bounds_is_422(api: Caller) -> None:
    with table() as row:
        for fields in [{"title": ""}, {"title": " "}, {"text": ""}, {"text": "\n"}, {"text": "a\x00b"}, {"txet": "x"}]:
            with row(fields):
                body = {"agent": "a", "title": "t", "text": "x"} | fields
                assert await api.status("POST", "/v1/documents", json=body) == 422


async def test_pages_of_documents(api: Caller) -> None:
    made = [(await add(api, title=f"t{n}", text="short"))["id"] for n in range(5)]
    first = await api.get("/v1/documents", limit=3)
    rest = await api.get("/v1/documents", limit=3, cursor=first["next_cursor"])
    assert [one["id"] for one in first["items"] + rest["items"]] == made[::-1]
    assert rest["next_cursor"] is None
