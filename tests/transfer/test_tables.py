"""Every table is exported, or the page on exports says why not; what is exported comes back row for row."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

import asyncpg
import pytest

from service.domain.export_lines import KEYS, LINES, RECORDS
from service.domain.ids import DEFAULT_WORKSPACE
from tests.live_api import Api
from tests.processes import ROOT
from tests.schema_snapshot import table_names
from tests.transfer.exports import exported, ndjson

PAGE = (ROOT / "docs" / "export-and-import.md").read_text(encoding="utf-8")
MADE_ANEW = {"workspace_id", "agent_id", "audience", "team_id", "task_id", "prime_audience"}
"""Ids of what is named in an export; they are others in another workspace."""
ALSO_MADE_ANEW = {
    "agents": {"id"},
    "teams": {"id"},
    "tasks": {"id"},
    "chunks": {"id"},
    "memories": {"identity_hash", "key_id", "learned_at", "dream_analysis"},
    "messages": {"key_id"},
    "settings": {"updated_at"},
}


def listed(heading: str) -> dict[str, str]:
    """The tables named in the first column of the table under a heading, and what its second column says of them."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (`.+?) \| (.+?) \|$", section, re.MULTILINE)
    return {table: said for tables, said in rows for table in re.findall(r"`(\w+)`", tables)}


EXPORTED = listed("What is exported")
LEFT_BEHIND = listed("What stays behind")


def test_every_table_is_exported_or_said_to_stay_behind() -> None:
    assert table_names() == EXPORTED.keys() | LEFT_BEHIND.keys()
    assert EXPORTED.keys() & LEFT_BEHIND.keys() == set()
    assert set(re.findall(r"`(\w+)`", " ".join(EXPORTED.values()))) == set(RECORDS)
    assert all(len(reason) > 20 for reason in LEFT_BEHIND.values())
    assert LINES.keys() == KEYS.keys()


MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)")


def without(value: Any, names: set[str]) -> Any:
    """A row without what is made anew, at any depth; every moment spelled in one way."""
    if isinstance(value, str) and MOMENT.fullmatch(value):
        return datetime.fromisoformat(value).isoformat()
    if isinstance(value, dict):
        return {name: without(one, names) for name, one in value.items() if name not in names}
    return [without(one, names) for one in value] if isinstance(value, list) else value


async def rows(connection: Any, table: str, workspace: Any) -> list[str]:
    found = await connection.fetch(f"SELECT to_jsonb(t) FROM {table} t WHERE workspace_id = $1", workspace)  # noqa: S608 (a table of ours)
    names = MADE_ANEW | ALSO_MADE_ANEW.get(table, set())
    return sorted(json.dumps(without(json.loads(one[0]), names), sort_keys=True) for one in found)


@pytest.fixture
async def database(database_url: str) -> Any:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


async def test_every_row_comes_back(fuller: Api, elsewhere: Api, database: Any) -> None:
    lines = await exported(fuller, include="deleted,expired")
    first = await elsewhere.post("/v1/import", content=ndjson(lines))
    assert (first["skipped"], first["unchanged"]) == (0, 0)
    copy = await database.fetchval("SELECT workspace_id FROM workspaces WHERE name = 'elsewhere'")
    for table in EXPORTED:
        given = await rows(database, table, DEFAULT_WORKSPACE)
        assert given, f"{table} is empty: the fixture does not show that it is exported"
        assert await rows(database, table, copy) == given, table
    again = await elsewhere.post("/v1/import", content=ndjson(lines))
    assert (again["created"], again["updated"], again["skipped"]) == (0, 0, 0)
    into_itself = await fuller.post("/v1/import", content=ndjson(lines))
    assert (into_itself["created"], into_itself["updated"], into_itself["skipped"]) == (0, 0, 0)


async def test_what_was_imported_works(fuller: Api, elsewhere: Api) -> None:
    await elsewhere.post("/v1/import", content=ndjson(await exported(fuller)))
    window = await elsewhere.get("/v1/sessions/s1/window", agent="a")
    assert window == await fuller.get("/v1/sessions/s1/window", agent="a")
    found = await elsewhere.post(
        "/v1/memories/search", {"agent": "a", "query": "how hot is green tea brewed", "include": ["documents"]}
    )
    assert found["results"][0]["document"]["title"] == "Tea"
    graphs = []
    for workspace in (fuller, elsewhere):
        merged = next(line["entity_id"] for line in await exported(workspace) if line["record"] == "merge")
        await workspace.post(f"/v1/entities/{merged}/unmerge")
        graph = await workspace.get(f"/v1/entities/{merged}/graph", agent="a")
        graphs.append(sorted(memory["content"] for memory in graph["memories"]))
    assert graphs[0] == graphs[1]
    assert "The Apollo Programme is large" in graphs[0]


async def test_turns_of_a_session_that_was_here_are_not_said_to_be_summed_up(fuller: Api, elsewhere: Api) -> None:
    await elsewhere.post("/v1/sessions/s1/messages", {"agent": "a", "messages": [{"role": "user", "content": "mine"}]})
    answer = await elsewhere.post("/v1/import", content=ndjson(await exported(fuller)))
    assert answer["records"]["window"] == {"created": 0, "unchanged": 0, "updated": 0, "skipped": 1}


async def test_a_merge_into_what_is_here_under_another_id_stays_merged(fuller: Api, elsewhere: Api) -> None:
    link = {"relation": "about", "entity": {"name": "Apollo", "kind": "project"}}
    await elsewhere.save("Apollo is here already", links=[link])
    answer = await elsewhere.post("/v1/import", content=ndjson(await exported(fuller)))
    assert answer["records"]["merge"]["skipped"] == 1
    assert [one["name"] for one in (await elsewhere.get("/v1/entities", agent="a"))["items"]] == ["Apollo"]
    graph = await elsewhere.get("/v1/entities/Apollo Programme/graph", agent="a")
    assert graph["entity"]["name"] == "Apollo"


async def test_a_document_as_large_as_they_may_be(api: Api) -> None:
    text = "wörter " * 20_000
    line = {
        "record": "document",
        "id": "01890000-0000-7000-8000-000000000001",
        "agent": "a",
        "title": "Long",
        "text": text,
    }
    assert (await api.post("/v1/import", content=ndjson([line] * 2)))["records"]["document"] == {
        "created": 1, "unchanged": 1, "updated": 0, "skipped": 0,
    }  # fmt: skip
    assert (await api.get(f"/v1/documents/{line['id']}"))["text"] == text
