"""Exports as tests read them."""

from __future__ import annotations

import json
from typing import Any

from tests.live_api import Caller

Line = dict[str, Any]


async def exported(api: Caller, **params: Any) -> list[Line]:
    """The lines of an export."""
    response = await api.call("GET", "/v1/export", params=params)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in response.text.splitlines()]


def ndjson(lines: list[Line]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def records(lines: list[Line], name: str) -> list[Line]:
    return [line for line in lines if line["record"] == name]


def describe(lines: list[Line]) -> list[Line]:
    """What an export says about its workspace, without when it was made."""
    return sorted(
        (line for line in lines if line["record"] != "export"), key=lambda line: json.dumps(line, sort_keys=True)
    )
