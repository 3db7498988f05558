"""server.json, which registries of MCP servers read: of their schema what it uses, and what it says is so."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema
import pytest

from service import __version__
from service.cli.processes import mcp
from service.mcp.server import AGENT
from service.settings import CLIENT_NAMES
from tests.processes import ROOT

SERVER = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

TEXT = {"type": "string", "minLength": 1}
FLAG = {"type": "boolean"}
INPUT: dict[str, Any] = {
    "description": TEXT, "isRequired": FLAG, "isSecret": FLAG, "default": TEXT, "placeholder": TEXT, "value": TEXT,
    "format": {"enum": ["string", "number", "boolean", "filepath"]},
}  # fmt: skip
VARIABLES = {
    "type": "object",
    "additionalProperties": {"type": "object", "properties": INPUT, "additionalProperties": False},
}


def closed(required: list[str], properties: dict[str, Any]) -> dict[str, Any]:
    """An object of these properties and no others."""
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


VARIABLES = {"type": "object", "additionalProperties": closed([], INPUT)}
NAMED = closed(["name"], INPUT | {"name": TEXT, "variables": VARIABLES})
VERSION = {"type": "string", "pattern": r"^\d+\.\d+\.\d+[-+.0-9A-Za-z]*$", "maxLength": 255}
PACKAGE = closed(
    ["registryType", "identifier", "version", "transport"],
    {
        "registryType": {"enum": ["npm", "pypi", "cargo", "oci", "nuget", "mcpb"]},
        "registryBaseUrl": {"type": "string", "pattern": "^https://"},
        "identifier": TEXT,
        "version": VERSION,
        "runtimeHint": TEXT,
        "transport": closed(["type"], {"type": {"const": "stdio"}}),
        "packageArguments": {
            "type": "array", "items": closed(["type", "value"], {"type": {"const": "positional"}, "value": TEXT})
        },
        "environmentVariables": {"type": "array", "items": NAMED},
    },
)  # fmt: skip
REMOTE = closed(
    ["type", "url"],
    {
        "type": {"const": "streamable-http"},
        "url": {"type": "string", "pattern": r"^(https?://[^\s]+|\{[a-zA-Z_][a-zA-Z0-9_]*\}[^\s]*)$"},
        "headers": {"type": "array", "items": NAMED},
        "variables": VARIABLES,
    },
)
SCHEMA = closed(
    ["$schema", "name", "description", "version"],
    {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "minLength": 3, "maxLength": 200},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": VERSION,
        "packages": {"type": "array", "items": PACKAGE},
        "remotes": {"type": "array", "items": REMOTE},
    },
)
"""The registry's schema of that day, as far as the file uses it, and closed: a misspelt field is none of it."""


def test_it_is_in_the_form_of_the_registry() -> None:
    jsonschema.validate(SERVER, SCHEMA)


@pytest.mark.parametrize(
    "wrong",
    [{"description": "x" * 101}, {"name": "reverie"}, {"version": "latest"}, {"package": []}, {"remotes": [{}]}],
)
def test_another_form_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(SERVER | wrong, SCHEMA)


def test_the_package_is_this_one_and_starts_mcp() -> None:
    (package,) = SERVER["packages"]
    assert (package["identifier"], package["version"], SERVER["version"]) == (PROJECT["name"], __version__, __version__)
    assert package["identifier"] in PROJECT["scripts"], "the script that uvx runs"
    assert [argument["value"] for argument in package["packageArguments"]] == [mcp.__name__]
    variables = {one["name"]: one for one in package["environmentVariables"]}
    assert set(variables) == set(CLIENT_NAMES)
    assert variables["REVERIE_API_KEY"]["isSecret"]


def test_the_remote_takes_a_key_and_an_agent() -> None:
    (remote,) = SERVER["remotes"]
    headers = {one["name"]: one for one in remote["headers"]}
    assert set(headers) == {"Authorization", AGENT}
    assert headers["Authorization"]["isSecret"]
    used = remote["url"], headers["Authorization"]["value"]
    assert used == ("{reverie_url}/mcp", "Bearer {api_key}")
    assert set(remote["variables"]) == {"reverie_url"}
    assert set(headers["Authorization"]["variables"]) == {"api_key"}


def test_the_readme_says_whose_the_package_is() -> None:
    assert f"<!-- mcp-name: {SERVER['name']} -->" in (ROOT / "README.md").read_text(encoding="utf-8")
