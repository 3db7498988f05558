"""Secrets that were stored while nothing looked for them: shown, then masked wherever they are, killed or not."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import asyncpg
import pytest

from tests.databases import wait_for_lock_waiter
from tests.live_api import Api
from tests.pg_dump import dump
from tests.privacy.secret_corpus import TOKENS
from tests.processes import WorkerProcess
from tests.waiting import until
from worker.maintenance.upkeep import rescan_next

ROOT = Path(__file__).parents[2]
KINDS = ("github_token", "stripe_key", "openai_key", "slack_token", "groq_key", "vault_token", "linear_key")


def _command(database_url: str, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "reverie", "redact", "--json", *options], cwd=ROOT, text=True,
        env=os.environ | {"DATABASE_URL": database_url, "EMBEDDING_MODEL": "none"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


async def _redact(database_url: str, *options: str) -> dict[str, Any]:
    process = _command(database_url, *options)
    written, errors = await asyncio.to_thread(process.communicate)
    assert process.returncode == 0, errors
    return json.loads(written)  # type: ignore[no-any-return]


async def _stored(api: Api) -> list[str]:
    """Every place gets a secret, some of them only a copy that nothing but the value gives away."""
    await api.put("/v1/settings", {"secrets": {"mode": "off"}})
    made = {kind: TOKENS[kind](Random(f"stored {kind}")) for kind in KINDS}
    memory = await api.save(f"the bot uses {made['github_token']}", tags=[f"bot {made['linear_key']}"[:90]],
                            key=f"of {made['slack_token']}", metadata={"a": [{"b": made["stripe_key"]}]})  # fmt: skip
    await api.patch(f"/v1/memories/{memory['id']}", {"version": 1, "content": "now it is gone", "reason": "leaked"})
    for kind in ("groq_key", "vault_token"):
        await api.save(f"one of two: {made[kind]}")
    said = [
        {"role": "user", "content": "my password is kalo!1999fin"},
        {"role": "tool", "content": {"env": json.dumps({"key": made["openai_key"]})}},
        {"role": "user", "content": "as I said: kalo!1999fin works there too"},
    ]
    await api.post("/v1/sessions/s/messages", {"agent": "a", "messages": said})
    await api.save("She opens it with kalo!1999fin every day")
    text = f"The gate squeaks.\n\nkey: {made['stripe_key']}\n"
    await api.post("/v1/documents", {"agent": "a", "title": f"About {made['groq_key']}", "text": text})
    link = {"relation": "about", "entity": {"name": f"bot {made['linear_key']}", "kind": "bot"}}
    await api.save("A bot", links=[link])
    await api.post("/v1/pages", {"agent": "a", "question": f"Who uses {made['vault_token']}?", "scope": {}})
    await api.put("/v1/settings", {"instructions": f"Call with {made['groq_key']}"})
    await api.put("/v1/agents/a", {"settings": {"instructions": f"Use {made['github_token']}."}})
    body = {"agent": "a", "type": "event", "content": f"Once {made['openai_key']}"}
    await api.post("/v1/memories", body, headers={"Idempotency-Key": "once"})
    return [*made.values(), "kalo!1999fin"]


@pytest.mark.exhaustive
async def test_a_preview_shows_no_value_and_changes_nothing(api: Api, database_url: str) -> None:
    secrets = await _stored(api)
    before = dump(database_url)
    assert [one for one in secrets if one not in before] == []
    shown = await _redact(database_url)
    assert _shown(secrets, shown) == []
    assert shown["applied"] is False
    assert shown["kinds"]["github_token"] >= 2
    tables = {one["table"] for one in shown["items"]}
    assert tables >= {"memories", "memory_versions", "messages", "documents", "chunks", "entities", "pages", "settings"}
    (copy,) = [one for one in shown["items"] if one["after"].startswith("She opens it") and one["field"] == "content"]
    assert copy["before"] == "She opens it with •••••••• every day"
    assert copy["after"] == "She opens it with [SECRET:password] every day"
    after = dump(database_url)
    assert "[SECRET:" not in after
    assert [one for one in secrets if after.count(one) != before.count(one)] == []


async def test_what_is_masked_is_in_no_table(api: Api, database_url: str) -> None:
    secrets = await _stored(api)
    shown = await _redact(database_url)
    done = await _redact(database_url, "--apply")
    assert done["kinds"].keys() == shown["kinds"].keys()
    written = dump(database_url)
    assert [one for one in secrets if one in written or one.lower() in written] == []
    assert (await _redact(database_url, "--apply"))["rows"] == {}
    audit = [one for one in (await api.get("/v1/audit"))["items"] if one["action"] == "secrets.masked"]
    assert {one["target"] for one in audit} >= {"memories", "messages", "documents", "chunks"}
    kept = (await api.get("/v1/memories", agent="a", limit=100))["items"]
    assert sum("[SECRET:" in one["content"] for one in kept) >= 4
    assert {one["embedding"] for one in kept if "[SECRET:" in one["content"]} <= {"pending", "none"}
    body = {"agent": "a", "type": "event", "content": f"Once {secrets[2]}"}
    assert await api.status("POST", "/v1/memories", json=body, headers={"Idempotency-Key": "once"}) == 409


@pytest.mark.exhaustive
@pytest.mark.parametrize("killed_after_lines", [1, 3, 6])
async def test_a_run_that_is_killed_is_completed_by_the_next(
    api: Api, database_url: str, killed_after_lines: int
) -> None:
    secrets = await _stored(api)
    shown = await _redact(database_url)
    process = _command(database_url, "--apply")
    while process.poll() is None:
        lines = await _audited(api)
        if len(lines) >= killed_after_lines:
            process.send_signal(signal.SIGKILL)
            break
        await asyncio.sleep(0.002)
    await asyncio.to_thread(process.communicate)
    await _redact(database_url, "--apply")
    written = dump(database_url)
    assert [one for one in secrets if one in written] == []
    rows = sum(sum(one["details"]["rows"].values()) for one in await _audited(api))
    assert rows >= sum(shown["rows"].values())
    assert (await _redact(database_url))["items"] == []


@pytest.mark.exhaustive
async def test_an_admin_lists_and_masks_secrets_by_the_api(api: Api, database_url: str) -> None:
    secrets = await _stored(api)
    before = dump(database_url)
    assert (await api.get("/v1/rescan"))["requested_at"] is None
    assert (await api.get("/v1/rescan/findings"))["items"] == []
    started = await asyncio.gather(api.post("/v1/rescan"), api.post("/v1/rescan"))
    assert sorted(one["started"] for one in started) == [False, True]
    joined = await api.post("/v1/rescan", {"dry_run": False})
    assert (joined["started"], joined["running"], joined["dry_run"]) == (False, True, True)
    assert await rescan_next(api.runtime, "w")
    assert not await rescan_next(api.runtime, "w")
    found = await api.get("/v1/rescan")
    assert (found["running"], found["error"], found["done"]) == (False, None, found["total"])
    listed = await _findings(api)
    assert _shown(secrets, found, listed, await api.get("/v1/audit", action="secrets.found")) == []
    assert {one["table"] for one in listed} == found["rows"].keys() >= {"memories", "messages", "chunks", "settings"}
    assert sum(len(one["kinds"]) for one in listed) == sum(found["kinds"].values())
    assert [one for one in secrets if dump(database_url).count(one) != before.count(one)] == []

    assert (await api.post("/v1/rescan", {"dry_run": False}))["started"] is True
    assert await rescan_next(api.runtime, "w")
    done = await api.get("/v1/rescan")
    assert done["kinds"].keys() == found["kinds"].keys()
    memories = {one["row"] for one in await _findings(api) if one["table"] == "memories"}
    assert memories >= {one["row"] for one in listed if one["table"] == "memories"}
    written = dump(database_url)
    assert [one for one in secrets if one in written or one.lower() in written] == []
    audit = (await api.get("/v1/audit", limit=200))["items"]
    assert {one["action"] for one in audit} >= {"rescan.started", "secrets.found", "secrets.masked"}
    assert await api.status("POST", "/v1/rescan", json={"dryrun": False}) == 422


@pytest.mark.exhaustive
async def test_a_scan_that_a_worker_died_over_is_completed_by_the_next(
    api: Api, database_url: str, tmp_path: Path
) -> None:
    secrets = await _stored(api)
    await api.post("/v1/rescan", {"dry_run": False})
    raw = await asyncpg.connect(database_url)
    worker = WorkerProcess(database_url, tmp_path / "worker.log", EMBEDDING_MODEL="none")
    try:
        async with raw.transaction():
            await raw.execute("SELECT FROM settings FOR UPDATE")  # where the first pass over all tables ends
            worker.start()
            await wait_for_lock_waiter(raw)
            await worker.kill()
        half = await api.get("/v1/rescan")
        assert half["running"] is True
        assert sum(half["rows"].values()) > 0
        await raw.execute("UPDATE rescans SET lease_until = now()")
        worker.start()
        done = await until(lambda: _ended(api), "the scan does not end")
    finally:
        await worker.kill()
        await raw.close()
    assert done["error"] is None
    assert sum(done["rows"].values()) > sum(half["rows"].values())
    written = dump(database_url)
    assert [one for one in secrets if one in written] == []


@pytest.mark.exhaustive
async def test_a_workspace_sees_its_own_scan_alone(api: Api, database_url: str) -> None:
    """Suspended, it has none."""
    other = replace(api, key=(await api.post("/v1/workspaces", {"name": "other"}))["key"])
    await _stored(api)
    assert (await other.post("/v1/rescan", {"dry_run": False}))["started"] is True
    assert (await api.get("/v1/rescan"))["requested_at"] is None
    assert (await api.post("/v1/rescan"))["started"] is True
    await api.patch("/v1/workspaces/other", {"suspended": True})
    assert await rescan_next(api.runtime, "w")
    assert not await rescan_next(api.runtime, "w")
    assert (await _findings(api)) != []
    await api.patch("/v1/workspaces/other", {"suspended": False})
    assert await rescan_next(api.runtime, "w")
    assert (await other.get("/v1/rescan"))["rows"] == {}
    assert (await other.get("/v1/rescan/findings"))["items"] == []


def _shown(secrets: list[str], *answers: Any) -> list[str]:
    """The secrets that are in answers, in any case."""
    written = json.dumps(answers).lower()
    return [one for one in secrets if one.lower() in written]


async def _findings(api: Api) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    page: dict[str, Any] = {"next_cursor": None}
    while not found or page["next_cursor"]:
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
        page = await api.get("/v1/rescan/findings", limit=3, **cursor)
        found += page["items"]
    return found


async def _ended(api: Api) -> dict[str, Any] | None:
    """The scan, once it has ended."""
    scan: dict[str, Any] = await api.get("/v1/rescan")
    return None if scan["running"] else scan


async def _audited(api: Api) -> list[dict[str, Any]]:
    return [one for one in (await api.get("/v1/audit", limit=200))["items"] if one["action"] == "secrets.masked"]
