"""Ten thousand memories with history and edges go out, and come back equal, once, and whole or not at all."""

from __future__ import annotations

import json
from typing import Any

from service.domain.principal import KeyGrant
from service.first_start import key_in_workspace
from service.settings import Settings
from tests.live_api import Api, serving

COUNT, CHANGED, BATCH = 10_000, 2_000, 1_000


def memory(number: int, version: int = 1) -> dict[str, Any]:
    entity = {"relation": "about", "entity": {"name": f"Project {number % 50}", "kind": "project"}}
    return {
        "agent": f"agent {number % 3}", "type": "fact", "content": f"Fact {number} as known in version {version}",
        "key": f"fact {number}", "tags": [f"tag {number % 7}"], "user": f"user {number % 11}", "links": [entity],
        "metadata": {"number": number, "versions": {str(version): True}}, "importance": (number % 10) / 10,
        "occurred_at": f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}T10:00:00Z",
    }  # fmt: skip


async def exported(api: Api) -> str:
    answer = await api.call("GET", "/v1/export", params={"include": "deleted,expired"}, timeout=600)
    assert answer.status_code == 200
    return answer.text


def told(text: str) -> list[str]:
    """The lines, in an order of their own, without the one that says when."""
    return sorted(line for line in text.splitlines() if not line.startswith('{"record":"export"'))


async def rows(api: Api, workspace: str) -> int:
    """How many rows a workspace has in all that an import writes to."""
    tables = ("agents", "sessions", "messages", "memories", "memory_versions", "entities", "edges", "search_index")
    async with api.runtime.db.unscoped() as connection:
        counts = [
            await connection.raw.fetchval(
                f"SELECT count(*) FROM {table} JOIN workspaces w USING (workspace_id) WHERE w.name = $1",  # noqa: S608
                workspace,
            )
            for table in tables
        ]
    return sum(counts)


async def test_out_and_in_and_again(settings: Settings) -> None:
    async with serving(settings) as api:
        for start in range(0, COUNT, BATCH):
            await api.post(
                "/v1/memories/batch", {"items": [memory(n) for n in range(start, start + BATCH)]}, timeout=600
            )
        for start in range(0, CHANGED, BATCH):
            items = [memory(n, 2) for n in range(start, start + BATCH)]
            await api.post("/v1/memories/batch", {"items": items}, timeout=600)
        lines = await exported(api)
        counts = json.loads(lines.splitlines()[-1])["counts"]
        assert (counts["memory"], counts["history"], counts["entity"]) == (COUNT, CHANGED, 11 * 150)
        assert counts["edge"] >= COUNT

        twin = Api(api.http, api.runtime, await key_in_workspace(settings, KeyGrant("admin", "k"), "twin"))
        first = await twin.post("/v1/import", content=lines, timeout=600)
        assert (first["complete"], first["skipped"], first["unchanged"], first["updated"]) == (True, 0, 0, 0)
        assert first["records"]["memory"]["created"] == COUNT
        assert told(await exported(twin)) == told(lines)
        again = await twin.post("/v1/import", content=lines, timeout=600)
        assert (again["created"], again["updated"]) == (0, 0)
        assert told(await exported(twin)) == told(lines)

        empty = Api(api.http, api.runtime, await key_in_workspace(settings, KeyGrant("admin", "k"), "empty"))
        for number in (7, COUNT):
            broken = lines.splitlines()
            broken[number - 1] = broken[number - 1][:-1]
            answer = await empty.call("POST", "/v1/import", content="\n".join(broken), timeout=600)
            assert (answer.status_code, answer.json()["line"]) == (422, number)
            assert f"line {number}" in answer.json()["detail"]
            assert await rows(api, "empty") == 0
