"""The set-ups of MCP clients that the pages give: each is read as its client reads it, and then works as pasted."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.live_api import ADMIN_KEY, Api
from tests.processes import ROOT

pytestmark = pytest.mark.exhaustive

PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"\(`([^`]*)`[^\n]*\n\n```(json|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {file: tomllib.loads(text) if kind == "toml" else json.loads(text) for file, kind, text in BLOCK.findall(PAGE)}
"""What the page says each file holds."""
COMMANDS = [line for line in PAGE.splitlines() if line.startswith(("claude mcp", "code --add-mcp", "codex mcp"))]
(IN_README,) = re.findall(r"`(claude mcp add [^`]*)`", README)


def words(command: str) -> list[str]:
    """The words that a shell makes of a command, with the variables of the page filled in."""
    return shlex.split(command.replace("'\"$KEY\"'", ADMIN_KEY).replace("$KEY", ADMIN_KEY))


async def remembers(api: Api, transport: Any) -> None:
    """Through this transport a tool saves, and finds what it has saved."""
    async with Client(transport) as client:
        saved = await client.call_tool("memory_save", {"content": "Ana prefers green tea", "type": "preference"})
        assert not saved.is_error, saved.content
        found: Any = (await client.call_tool("memory_search", {"query": "what does Ana drink?"})).structured_content
        assert [one["content"] for one in found["memories"]] == ["Ana prefers green tea"]
    assert len((await api.get("/v1/memories"))["items"]) == 1


async def remembers_over_http(api: Api, url: str, headers: Mapping[str, str]) -> None:
    """As ``remembers``, at the address of the page, which is the test's own."""
    assert url.startswith("http://localhost:8000/mcp")
    here = url.replace("http://localhost:8000", str(api.http.base_url).rstrip("/"))
    async with httpx2.AsyncClient(headers=dict(headers), timeout=600) as http:
        await remembers(api, streamable_http_client(here, http_client=http))


@pytest.mark.parametrize("command", [IN_README, *COMMANDS], ids=lambda command: str(command).split()[0])
async def test_a_line_works_as_pasted(static_api: Api, command: str) -> None:
    program, *rest = words(command)
    if program == "claude":
        assert rest[:4] == ["mcp", "add", "--transport", "http"]
        name, url, option, header = rest[4:]
        assert (name, option) == ("reverie", "--header")
        headers = dict([tuple(header.split(": ", 1))])
    elif program == "code":
        assert rest[0] == "--add-mcp"
        server = json.loads(rest[1])
        assert (server["name"], server["type"]) == ("reverie", "http")
        url, headers = server["url"], server["headers"]
    else:
        assert rest[:4] == ["mcp", "add", "reverie", "--url"]
        url, option, variable = rest[4:]
        assert option == "--bearer-token-env-var"
        assert f"export {variable}=$KEY" in PAGE
        headers = {"Authorization": f"Bearer {ADMIN_KEY}"}
    await remembers_over_http(static_api, url, headers)


def test_every_client_has_a_file_or_a_line() -> None:
    assert set(FILES) == {
        "claude_desktop_config.json", ".mcp.json", "~/.cursor/mcp.json", ".vscode/mcp.json", "~/.codex/config.toml"
    }  # fmt: skip
    assert [command.split()[0] for command in COMMANDS] == ["claude", "code", "codex"]


async def test_claude_desktop_starts_the_program(static_api: Api) -> None:
    server = FILES["claude_desktop_config.json"]["mcpServers"]["reverie"]
    assert set(server) == {"command", "args", "env"}, "what Claude Desktop reads; it skips servers by url"
    assert server["command"].endswith("/reverie")
    given = server["env"] | {"REVERIE_URL": str(static_api.http.base_url), "REVERIE_API_KEY": ADMIN_KEY}
    assert set(given) == {"REVERIE_URL", "REVERIE_API_KEY", "REVERIE_AGENT"}
    program = StdioServerParameters(
        command=sys.executable, args=["-m", "reverie", *server["args"]], env=os.environ | given
    )
    await remembers(static_api, program)


@pytest.mark.parametrize(
    ("file", "key", "fields", "placeholder"),
    [
        (".mcp.json", "mcpServers", {"type", "url", "headers"}, "${REVERIE_API_KEY}"),
        ("~/.cursor/mcp.json", "mcpServers", {"url", "headers"}, "${env:REVERIE_API_KEY}"),
        (".vscode/mcp.json", "servers", {"type", "url", "headers"}, "${input:reverie-key}"),
    ],
)
async def test_a_file_of_json_is_read(static_api: Api, file: str, key: str, fields: set[str], placeholder: str) -> None:
    server = FILES[file][key]["reverie"]
    assert set(server) == fields
    assert server.get("type", "http") == "http"
    assert server["headers"] == {"Authorization": f"Bearer {placeholder}"}
    headers = {name: value.replace(placeholder, ADMIN_KEY) for name, value in server["headers"].items()}
    await remembers_over_http(static_api, server["url"], headers)


def test_what_vs_code_asks_for_is_declared() -> None:
    (asked,) = FILES[".vscode/mcp.json"]["inputs"]
    assert asked == {"type": "promptString", "id": "reverie-key", "description": asked["description"], "password": True}


async def test_codex_reads_toml(static_api: Api) -> None:
    server = FILES["~/.codex/config.toml"]["mcp_servers"]["reverie"]
    assert set(server) == {"url", "bearer_token_env_var"}, "a key written into the file is refused by Codex"
    assert server["bearer_token_env_var"] == "REVERIE_API_KEY"
    await remembers_over_http(static_api, server["url"], {"Authorization": f"Bearer {ADMIN_KEY}"})
