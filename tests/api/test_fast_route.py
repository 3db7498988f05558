"""The short path of the busiest routes answers as the ordinary one does, whatever is sent."""

from __future__ import annotations

from typing import Any

import pytest

from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import ADMIN_KEY, Caller, Tenant, serving

PLAIN = "application/json"
LONG_WAY = "application/json; charset=utf-8"
"""A content type that the short path leaves alone."""

SEARCHES = (
    b'{"agent": "a", "query": "tea"}',
    b'{"agent": "a", "query": "tea", "limit": 1, "types": ["fact"], "as_of": "2020-01-01T00:00:00Z", "fusion": "rrf"}',
    b'{"agent": "nobody", "query": "tea"}',
    b'{"query": "tea"}',
    b'{"agent": "a", "query": "tea", "since": "2024-01-02T00:00:00Z", "until": "2024-01-01T00:00:00Z"}',
    b'{"agent": "a", "query": "tea", "limit": "3"}',
    b'{"agent": "a", "query": "tea", "limit": 3.0}',
    b'{"agent": "a", "query": "tea", "limit": 3.5}',
    b'{"agent": "a", "query": "tea", "limit": 101}',
    b'{"agent": "a", "query": "tea", "min_importance": NaN}',
    b'{"agent": "a", "query": "tea", "metadata": {"n": 123456789012345678901234567890}}',
    b'{"agent": "a", "query": "tea", "metadata": {"n": Infinity}}',
    b'{"agent": "a", "query": "tea", "metadata": ' + b'{"n": ' * 30 + b"1" + b"}" * 31,
    b'{"agent": "a", "query": "tea", "now": "yesterday"}',
    b'{"agent": "a", "query": "tea", "now": 1700000000}',
    b'{"agent": "a", "query": "tea", "as_of": "2024-01-01"}',
    b'{"agent": "a", "query": "tea", "explain": "yes", "include_faded": 1}',
    b'{"agent": "a", "query": "tea", "query": "twice"}',
    b'{"agent": "a", "query": "\\ud800 tea"}',
    b'{"agent": "a", "query": "nul \\u0000 tea"}',
    b'{"agent": "a", "query": "\xff"}',
    b'{"agent": "a", "query": "tea", "colour": "green"}',
    '{"agent": "a", "query": "tea"}'.encode("utf-16"),
    b'\xef\xbb\xbf{"agent": "a", "query": "tea"}',
    b"[" * 100_000,
    b'{"agent": "a", ',
    b"[]",
    b"null",
    b"",
)
KEY = "<key>"
HEADERS: tuple[dict[str, str], ...] = (
    {},
    {"Authorization": KEY},
    {"Authorization": "Bearer"},
    {"Authorization": f"Basic {KEY}"},
    {"Authorization": f"bearer {KEY}"},
    {"Authorization": f"Bearer  {KEY}"},
    {"Authorization": "Bearer nobody's"},
    {"Authorization": "Bearer n\xf6"},
    {"Authorization": f"Bearer {KEY}", "X-Reverie-No-Memory": "yes"},
    {"Authorization": f"Bearer {KEY}", "X-Reverie-No-Memory": "perhaps"},
)
"""``KEY`` stands for the caller's."""


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


async def answered(api: Caller, path: str, content: bytes, headers: dict[str, str]) -> tuple[int, Any]:
    raw = [(name.encode(), value.replace(KEY, api.key).encode("latin-1")) for name, value in headers.items()]
    response = await api.http.post(path, content=content, headers=raw)
    return response.status_code, response.json()


async def both(api: Caller, path: str, content: bytes, headers: dict[str, str]) -> tuple[Any, Any]:
    short = await answered(api, path, content, headers | {"Content-Type": PLAIN})
    return short, await answered(api, path, content, headers | {"Content-Type": LONG_WAY})


@pytest.mark.parametrize("content", SEARCHES, ids=range(len(SEARCHES)))
async def test_a_search_is_answered_alike(api: Caller, content: bytes) -> None:
    await api.save("Green tea keeps Ada awake")
    await api.save("Ada drinks black tea with milk")
    preview = "/v1/memories/search/preview"
    expected = await answered(api, preview, content, {"Authorization": f"Bearer {KEY}", "Content-Type": LONG_WAY})
    short, long = await both(api, "/v1/memories/search", content, {"Authorization": f"Bearer {KEY}"})
    for status, answer in (short, long, expected):
        if status == 200:
            for result in answer["results"]:
                for field in ("access_count", "last_accessed_at"):
                    result["memory"].pop(field)
    for of_preview in ("timings_ms", "explanation"):
        expected[1].pop(of_preview, None)
    assert short == long == expected


@pytest.mark.parametrize("headers", HEADERS, ids=range(len(HEADERS)))
async def test_a_caller_is_known_or_refused_alike(api: Caller, headers: dict[str, str]) -> None:
    short, long = await both(api, "/v1/memories/search", SEARCHES[0], headers)
    assert short == long


async def test_a_save_is_answered_alike(api: Caller) -> None:
    caller = {"Authorization": f"Bearer {KEY}"}
    for content in (
        b'{"agent": "a", "type": "fact"}',
        b'{"agent": "a", "type": "fact", "content": ""}',
        b'{"agent": "a", "type": "dream", "content": "x"}',
        b'{"agent": "a", "type": "fact", "content": "x", "importance": "high"}',
        b'{"agent": "a", "type": "fact", "content": "x", "links": [{"relation": "about"}]}',
    ):
        short, long = await both(api, "/v1/memories", content, caller)
        assert short == long
        assert short[0] == 422
    first = await answered(
        api, "/v1/memories", b'{"agent":"a","type":"fact","content":"x"}', caller | {"Content-Type": PLAIN}
    )
    again = await answered(
        api, "/v1/memories", b'{"agent":"a","type":"fact","content":"x"}', caller | {"Content-Type": LONG_WAY}
    )
    assert [first[0], again[0]] == [201, 200]
    assert first[1]["memory"].keys() == again[1]["memory"].keys()


COMPLETION = b'{"model": "m", "messages": [{"role": "user", "content": "tea?"}]}'
ABOUT_MEMORY = (
    {},
    {"X-Reverie-Agent": "a"},
    {"X-Reverie-Agent": "x" * 201},
    {"X-Reverie-User": ""},
    {"X-Reverie-Session": "n\xf6rdlich"},
    {"X-Reverie-Placement": "above"},
    {"X-Reverie-Max-Tokens": "ten"},
    {"X-Reverie-Max-Tokens": "-1"},
    {"X-Reverie-Max-Tokens": "100"},
)


@pytest.mark.parametrize("headers", ABOUT_MEMORY, ids=str)
async def test_a_completion_is_answered_alike(settings: Settings, headers: dict[str, str]) -> None:
    with FakeOpenAI(key="k") as model:
        model.say("Green tea.")
        model.say("Green tea.")
        async with serving(settings.model_copy(update={"llm_api_base": model.base_url, "llm_api_key": "k"})) as api:
            await api.put("/v1/settings", {"proxy": {"enabled": True, "models": ["*"]}})
            caller = {"Authorization": f"Bearer {ADMIN_KEY}"}
            short, long = await both(api, "/v1/chat/completions", COMPLETION, caller | headers)
    for _, answer in (short, long):
        for ever_new in ("id", "created"):
            answer.pop(ever_new, None)
    assert short == long
    assert (short[0] == 200) == (list(headers.values()) in ([], ["a"], ["n\xf6rdlich"], ["100"]))
