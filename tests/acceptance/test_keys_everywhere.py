"""A key that is revoked or rotated stops at once in every process, and no process ever writes one down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.live_api import ADMIN_KEY
from tests.pg_dump import dump
from tests.processes import ServerProcess


@pytest.fixture
async def pair(service_url: str, tmp_path: Path) -> AsyncIterator[tuple[ServerProcess, ServerProcess]]:
    """Two API processes on one database, as talkative as they can be."""
    servers = [ServerProcess(service_url, tmp_path / f"{name}.log", REVERIE_LOG_LEVEL="debug") for name in "ab"]
    try:
        for server in servers:
            await server.start()
        yield servers[0], servers[1]
    finally:
        for server in servers:
            await server.close()


async def test_a_key_stops_in_every_process_at_once(
    pair: tuple[ServerProcess, ServerProcess], database_url: str
) -> None:
    one, other = pair
    secrets = [ADMIN_KEY]

    async def status(server: ServerProcess, key: str) -> int:
        return (await server.call("GET", "/v1/agents", headers={"Authorization": f"Bearer {key}"})).status_code

    async def made(path: str, body: Any = None) -> Any:
        answer = (await one.call("POST", path, json=body)).json()
        secrets.append(answer["key"])
        return answer

    for role in ("admin", "reader", "agent"):
        key = await made("/v1/keys", {"role": role, "agent": "a" if role == "agent" else None, "name": role})
        assert [await status(server, key["key"]) for server in pair] == [200, 200]
        rotated = await made(f"/v1/keys/{key['id']}/rotate")
        assert [await status(server, key["key"]) for server in pair] == [401, 401]
        assert [await status(server, rotated["key"]) for server in pair] == [200, 200]
        asking = [asyncio.create_task(status(other, rotated["key"])) for _ in range(20)]
        assert (await one.call("DELETE", f"/v1/keys/{key['id']}")).status_code == 204
        assert {await status(server, rotated["key"]) for server in (other, one) for _ in range(5)} == {401}
        assert {await each for each in asking} <= {200, 401}
    for server in pair:
        await server.call("GET", f"/v1/agents/{secrets[1]}", headers={"X-Request-Id": "r"})
        await server.http.get("/v1/agents", headers={"Authorization": f"Bearer {secrets[1]}x"})
    written = dump(database_url) + "".join(server.log.read_text(encoding="utf-8") for server in pair)
    assert '"event": "request"' in written
    assert [secret for secret in secrets if secret in written or secret[-32:] in written] == []
