"""The OpenAPI document is true: schemathesis finds no 5xx, no undocumented status, no other shape (row C1)."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ServerProcess
from tests.serving import ADMIN_KEY

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
ALONE = {
    "settings": ["--include-path", "/v1/settings"],
    "keys": ["--include-path-regex", "^/v1/keys"],
    "the rest": ["--exclude-path-regex", "^/v1/(settings|keys|import|chat|events)|/dream$"],
}
"""Settings and keys would shut the other tests out (a rate limit, a rotated key); an import is not JSON, and what
waits for a worker or streams for ever has tests of its own."""


@pytest.mark.parametrize("part", ALONE)
async def test_the_api_answers_as_it_says(server: ServerProcess, tmp_path: Path, part: str) -> None:
    command = [
        str(Path(sys.executable).with_name("st")), "run", f"{server.http.base_url}openapi.json",
        "-H", f"Authorization: Bearer {ADMIN_KEY}", "--checks", CHECKS, "--max-examples", "10",
        "--request-timeout", "30", "--no-color", *ALONE[part],
    ]  # fmt: skip
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, cwd=tmp_path, timeout=900)
    assert done.returncode == 0, done.stdout[-20_000:]
    assert "unexpected_error" not in server.log.read_text(encoding="utf-8")
