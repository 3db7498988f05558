"""Large bodies, which are validated off the event loop, are answered as small ones are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.api.errors import ERRORS_MAX
from service.concurrency.executor import INLINE_CHARACTERS_MAX
from tests.live_api import Tenant

PADDING = {"metadata": {"padding": "x" * INLINE_CHARACTERS_MAX}}
SAVE = {"agent": "a", "type": "fact", "content": "Has a long note."}


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def test_what_is_valid_is_kept(api: Tenant) -> None:
    saved = (await api.post("/v1/memories", SAVE | PADDING))["memory"]
    assert (saved["content"], saved["metadata"]) == (SAVE["content"], PADDING["metadata"])


@pytest.mark.parametrize("padding", [{}, PADDING], ids=["small", "large"])
async def test_what_is_not_is_named(api: Tenant, padding: dict[str, object]) -> None:
    wrong = {"scope": "what", "links": [{"relation": "about"}], "unknown": 1}
    answer = (await api.call("POST", "/v1/memories", json=SAVE | padding | wrong)).json()
    assert {tuple(error["loc"]) for error in answer["errors"]} == {
        ("body", "scope"),
        ("body", "links", 0),
        ("body", "unknown"),
    }
    assert answer["title"] == "Invalid input"


@pytest.mark.parametrize("padding", ["", " " * INLINE_CHARACTERS_MAX], ids=["small", "large"])
async def test_what_is_no_json_is_said_to_be_none(api: Tenant, padding: str) -> None:
    headers = {"Content-Type": "application/json"}
    for body in ('{"agent": ' + padding, "[" * 5_000 + padding, b"\xff" + padding.encode()):
        answer = await api.call("POST", "/v1/memories", content=body, headers=headers)
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["loc"][0] == "body"
    other = {"Content-Type": "text/plain"}
    assert await api.status("POST", "/v1/memories", content='"' + padding + '"', headers=other) == 422


async def test_no_more_than_so_many_errors_are_listed(api: Tenant) -> None:
    many = {f"unknown{number}": number for number in range(10 * ERRORS_MAX)}
    for body in (SAVE | many, {"items": [SAVE | many]}):
        path = "/v1/memories/batch" if "items" in body else "/v1/memories"
        answer = await api.call("POST", path, json=body)
        assert answer.status_code == 422
        assert len(answer.json()["errors"]) == ERRORS_MAX


async def test_only_who_has_a_key_is_told(api: Tenant) -> None:
    assert await replace(api, key="wrong").status("POST", "/v1/memories", json=PADDING) == 401
    assert (await api.http.post("/v1/memories", json=PADDING)).status_code == 401
