"""Workspaces by API: made, renamed, suspended, exported, and deleted with a receipt and without a trace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.memory.access.workspace import active_workspaces
from service.memory.counters import AccessCounter, KeyUsage, ReadCounter
from service.settings import Settings
from tests.live_api import Api
from tests.promises.tenants import WORKSPACES, build, fingerprints
from tests.tables import table

QUERY = {"agent": "a", "query": "tea"}


async def _workspace(api: Api, name: str = "acme") -> tuple[str, Api]:
    """A new workspace's id, and its first admin."""
    made = await api.post("/v1/workspaces", {"name": name})
    return made["id"], replace(api, key=made["key"])


async def _deleted(api: Api, given: str) -> Any:
    counted = await _deletion(api, given, dry_run="true")
    return await _deletion(api, given, token=counted["token"])


async def _deletion(api: Api, given: str, **query: str) -> Any:
    answer = await api.call("DELETE", f"/v1/workspaces/{given}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_workspace_is_made_listed_and_renamed(own_api: Api) -> None:
    id_, admin = await _workspace(own_api)
    assert (await admin.get("/v1/whoami"))["workspace"] == "acme"
    await admin.save("Ada drinks tea")
    assert (await own_api.get("/v1/memories"))["items"] == []
    again = await own_api.call("POST", "/v1/workspaces", json={"name": "acme"})
    assert again.status_code == 409
    renamed = await own_api.patch("/v1/workspaces/acme", {"name": "Acme & sons"})
    assert (renamed["id"], renamed["name"]) == (id_, "Acme & sons")
    assert (await admin.get("/v1/whoami"))["workspace"] == "Acme & sons"
    assert [one["name"] for one in (await own_api.get("/v1/workspaces"))["items"]] == ["Acme & sons", "default"]
    first = await own_api.get("/v1/workspaces", limit=1)
    second = await own_api.get("/v1/workspaces", limit=1, cursor=first["next_cursor"])
    assert [one["name"] for one in first["items"] + second["items"]] == ["Acme & sons", "default"]
    taken = await own_api.call("PATCH", f"/v1/workspaces/{id_}", json={"name": "default"})
    assert taken.status_code == 409
    assert await own_api.status("PATCH", "/v1/workspaces/nobody", json={}) == 404


async def test_only_an_admin_of_the_default_workspace_is_let_in(own_api: Api) -> None:
    id_, admin = await _workspace(own_api)
    reader, agent = await own_api.as_role("reader"), await own_api.as_role("agent", "a")
    for caller in (admin, reader, agent):
        for method, path, body in (
            ("POST", "/v1/workspaces", {"name": "n"}),
            ("GET", "/v1/workspaces", None),
            ("PATCH", f"/v1/workspaces/{id_}", {"suspended": True}),
            ("DELETE", f"/v1/workspaces/{id_}?dry_run=true", None),
            ("DELETE", "/v1/workspaces/nobody?dry_run=true", None),
            ("GET", f"/v1/workspaces/{id_}/export", None),
        ):
            assert await caller.status(method, path, json=body) == 403


async def test_the_default_workspace_stays_as_it_is(own_api: Api) -> None:
    for given in ("default", str(DEFAULT_WORKSPACE)):
        assert await own_api.status("PATCH", f"/v1/workspaces/{given}", json={"suspended": True}) == 409
        assert await own_api.status("DELETE", f"/v1/workspaces/{given}?dry_run=true") == 409


async def test_a_suspended_workspace_answers_nobody_until_it_is_resumed(own_api: Api) -> None:
    id_, admin = await _workspace(own_api)
    agent = await admin.as_role("agent", "a")
    fact = {"type": "fact", "content": "Ada drinks tea"}
    for holder in (admin, agent):
        assert await holder.status("POST", "/v1/memories/search", json=QUERY) == 200
        await holder.call("POST", "/v1/memories", json=fact | {"agent": "a"})
    await admin.post(
        "/v1/sessions/s/messages", {"agent": "a", "messages": [{"role": "user", "content": "I drink tea"}]}
    )
    await admin.post("/v1/agents/a/dream", {})
    assert (await own_api.patch("/v1/workspaces/acme", {"suspended": True}))["suspended_at"] is not None
    for holder in (admin, agent):
        for method, path, body in (
            ("POST", "/v1/memories/search", QUERY),
            ("POST", "/v1/memories", fact | {"agent": "a", "content": "Ada drinks rum"}),
            ("GET", "/v1/whoami", None),
            ("GET", "/v1/export", None),
            ("POST", "/mcp", {}),
        ):
            answer = await holder.call(method, path, json=body)
            assert (answer.status_code, answer.json()["title"]) == (403, "Workspace suspended"), path
    assert id_ not in {str(one) for one in await active_workspaces(own_api.runtime)}
    async with own_api.runtime.db.unscoped() as connection:
        due = {"worker": "w", "lease_s": 60.0, "reserved": False, "now": own_api.runtime.now()}
        assert await connection.row("claim_due_agent", **due) is None
    await own_api.patch("/v1/workspaces/acme", {"suspended": False})
    assert await agent.status("POST", "/v1/memories/search", json=QUERY) == 200
    async with own_api.runtime.db.unscoped() as connection:
        assert await connection.row("claim_due_agent", **due) is not None
    assert "rum" not in (await admin.call("GET", "/v1/memories")).text


async def test_an_export_of_a_suspended_workspace_is_that_of_its_admin(own_api: Api) -> None:
    id_, admin = await _workspace(own_api)
    await admin.save("Ada drinks tea")
    theirs = (await admin.call("GET", "/v1/export")).text.splitlines()
    await own_api.patch(f"/v1/workspaces/{id_}", {"suspended": True})
    ours = (await own_api.call("GET", f"/v1/workspaces/{id_}/export")).text.splitlines()
    assert ours[1:] == theirs[1:]
    assert "Ada drinks tea" in "".join(ours)


async def test_a_deletion_needs_a_token_of_the_same_key_target_and_counts(own_api: Api) -> None:
    id_, admin = await _workspace(own_api)
    other_id, _ = await _workspace(own_api, "other")
    path = f"/v1/workspaces/{id_}"
    assert await own_api.status("DELETE", f"{path}?dry_run=true") == 409
    for one in (id_, other_id):
        await own_api.patch(f"/v1/workspaces/{one}", {"suspended": True})
    assert await own_api.status("DELETE", path) == 422
    counted = await _deletion(own_api, id_, dry_run="true")
    assert counted["counts"]["api_keys"] == 1
    assert counted["counts"]["workspaces"] == 1
    twin = await own_api.as_role("admin")
    assert await twin.status("DELETE", path, params={"token": counted["token"]}) == 409
    assert await own_api.status("DELETE", f"/v1/workspaces/{other_id}", params={"token": counted["token"]}) == 409
    for forged in (
        "",
        "x",
        "9" * 200,
        "1.a",
        counted["token"][:-1] + "g",
        "9999999999." + "0" * 64,
        "٣.a",
        "\U0001f600",
    ):
        assert await own_api.status("DELETE", path, params={"token": forged}) in (409, 422), forged
    await own_api.patch(path, {"suspended": False})
    await admin.save("One more")
    await own_api.patch(path, {"suspended": True})
    assert await own_api.status("DELETE", path, params={"token": counted["token"]}) == 409
    gone = await _deleted(own_api, "acme")
    assert gone["receipt"]["workspace"] == id_
    assert await own_api.status("DELETE", path, params={"dry_run": "true"}) == 404
    assert await admin.status("GET", "/v1/whoami") == 401
    last = (await own_api.get("/v1/audit", action="workspace.deleted"))["items"][0]
    assert (last["target"], last["details"]["receipt"]) == (id_, gone["receipt"]["id"])


@pytest.mark.first_tier
async def test_a_deleted_workspace_has_no_row_in_any_table_and_the_others_all_theirs(
    own_static_api: Api, database_url: str, tmp_path: Path
) -> None:
    settings = Settings(DATABASE_URL=database_url, REVERIE_DATA_DIR=tmp_path, _env_file=None)
    await build(own_static_api, settings)
    ids = {one["name"]: one["id"] for one in (await own_static_api.get("/v1/workspaces"))["items"]}
    gone, kept = (ids[name] for name in WORKSPACES)
    await own_static_api.patch(f"/v1/workspaces/{gone}", {"suspended": True})
    await own_static_api.runtime.part(KeyUsage).flush()
    await own_static_api.runtime.part(AccessCounter).flush()
    await own_static_api.runtime.part(ReadCounter).flush()
    async with fingerprints(database_url) as state:
        before = {key: value for key, value in (await state()).items() if key[1] == kept}
        deleted = await _deleted(own_static_api, gone)
        after = await state()
    assert len(deleted["counts"]) > 20
    assert {key: value for key, value in after.items() if key[1] == kept} == before
    connection = await asyncpg.connect(database_url)
    try:
        tables = await connection.fetch(
            "SELECT table_name::text FROM information_schema.columns WHERE table_schema = 'public'"
            " AND column_name = 'workspace_id'"
        )
        for (table,) in tables:
            left = await connection.fetchval(f"SELECT count(*) FROM {table} WHERE workspace_id = $1", gone)  # noqa: S608
            assert left == 0, table
        assert await connection.fetchval("SELECT count(*) FROM workspaces WHERE deletion_of = $1", gone) == 0
    finally:
        await connection.close()


async def test_a_name_that_is_none_is_refused(own_api: Api) -> None:
    with table() as row:
        for name in ["", " ", "\x00", "a" * 201, "\u202e", "a\nb", None, 1]:
            with row(name):
                answer = await own_api.call("POST", "/v1/workspaces", json={"name": name})
                assert answer.status_code == 422
                assert answer.json()["errors"][0]["loc"] == ["body", "name"]
