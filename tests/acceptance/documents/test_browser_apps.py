"""An app in a browser calls the API where its origin is listed; by default, and from elsewhere, none can."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest
from playwright.async_api import Page

from service.settings import Settings
from tests.live_api import ADMIN_KEY, Api, serving
from tests.studio.browser import browser, chromium
from tests.tables import table

APP, ELSEWHERE = "https://app.example", "https://elsewhere.example"
ALLOW, EXPOSE = "access-control-allow-origin", "access-control-expose-headers"
PREFLIGHT = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,idempotency-key,x-reverie-agent,mcp-protocol-version",
}
FETCH = """async ([url, key, options]) => {
  try {
    const headers = {Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'one'};
    const answer = await fetch(url, {headers, ...options});
    return [answer.status, await answer.json(), answer.headers.get('x-request-id')];
  } catch (error) { return error.name; }
}"""


async def preflight(api: Api, path: str, origin: str) -> httpx.Response:
    """What a browser asks before a request that is not a simple one; it has no key then."""
    return await api.http.options(path, headers=PREFLIGHT | {"origin": origin})


def told(answer: httpx.Response) -> dict[str, str]:
    """What an answer tells browsers."""
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


@pytest.fixture
async def open_to_app(settings: Settings) -> AsyncIterator[Api]:
    """A service that the origin APP is listed at."""
    async with serving(settings.model_copy(update={"cors_origins": (APP,)})) as api:
        yield api


async def test_by_default_no_page_is_told_anything(api: Api) -> None:
    for origin in (APP, "null"):
        asked = await preflight(api, "/v1/memories", origin)
        assert asked.status_code == 405
        answer = await api.call("GET", "/v1/memories", headers={"Origin": origin})
        assert answer.is_success
        assert (told(asked), told(answer)) == ({}, {})


async def test_a_listed_origin_may_ask_with_a_key(open_to_app: Api) -> None:
    with table() as row:
        for path in ["/v1/memories", "/v1/memories/search", "/v1/chat/completions", "/mcp", "/v1/events"]:
            with row(path):
                asked = await preflight(open_to_app, path, APP)
                assert asked.status_code == 200
                assert asked.headers[ALLOW] == APP
                allowed = asked.headers["access-control-allow-headers"].lower()
                assert set(PREFLIGHT["access-control-request-headers"].split(",")) <= set(
                    allowed.replace(" ", "").split(",")
                )
                assert {"GET", "POST", "PUT", "PATCH", "DELETE"} <= set(
                    asked.headers["access-control-allow-methods"].split(", ")
                )
                assert "access-control-allow-credentials" not in asked.headers


async def test_every_answer_can_be_read_and_none_with_cookies(open_to_app: Api) -> None:
    requests: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", "/v1/memories", {}),
        ("GET", "/v1/nothing", {}),
        ("POST", "/v1/memories", {"json": {}}),
        ("POST", "/v1/memories", {"content": b"x" * 2_000_000}),
        ("GET", "/v1/memories", {"headers": {"Authorization": "Bearer wrong"}}),
        ("POST", "/v1/chat/completions", {"json": {}}),
        ("POST", "/v1/memories/search", {"json": {"agent": "a", "query": "tea"}}),
    ]
    statuses = []
    for method, path, options in requests:
        headers = options.pop("headers", {}) | {"Origin": APP, "Cookie": "id=1"}
        answer = await open_to_app.call(method, path, headers=headers, **options)
        assert told(answer) == {ALLOW: APP, EXPOSE: "*"}, path
        assert "origin" in answer.headers["vary"].lower()
        statuses.append(answer.status_code)
    assert statuses == [200, 404, 422, 413, 401, 404, 200]


async def test_any_other_origin_is_told_nothing(open_to_app: Api) -> None:
    for origin in (ELSEWHERE, "null", "https://app.example.evil", "http://app.example", "https://app.example:8443"):
        asked = await preflight(open_to_app, "/v1/memories", origin)
        assert asked.status_code == 400
        answer = await open_to_app.call("GET", "/v1/memories", headers={"Origin": origin})
        assert ALLOW not in asked.headers
        assert ALLOW not in answer.headers


async def test_the_studio_is_left_out(open_to_app: Api) -> None:
    for path in ("/studio", "/studio/", "/studio/sign-in"):
        assert told(await preflight(open_to_app, path, APP)) == {}
        assert told(await open_to_app.http.get(path, headers={"origin": APP})) == {}


class _EmptyPage(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>An app</title>")

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def app_server() -> Iterator[str]:
    """The address of an app: an origin of its own."""
    with HTTPServer(("127.0.0.1", 0), _EmptyPage) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


async def fetched(page: Page, api: Api, path: str, **options: Any) -> Any:
    """What the script of a page gets: status, body and a header, or the name of the error."""
    return await page.evaluate(FETCH, [f"{api.http.base_url}".rstrip("/") + path, ADMIN_KEY, options])


async def test_a_real_browser_does_as_the_list_says(settings: Settings) -> None:
    if chromium() is None:
        pytest.skip("CROSS-ORIGIN REQUESTS ARE NOT TESTED IN A BROWSER: there is no Chromium here")
    with app_server() as listed, app_server() as other:
        opened = settings.model_copy(update={"cors_origins": (listed,)})
        async with serving(opened) as api, browser() as chrome, chrome.page() as page:
            await page.goto(listed)
            save = {"method": "POST", "body": '{"agent": "a", "type": "fact", "content": "Ana likes tea"}'}
            status, body, request_id = await fetched(page, api, "/v1/memories", **save)
            assert (status, body["memory"]["content"]) == (201, "Ana likes tea")
            assert request_id
            changed = {"method": "PATCH", "body": '{"version": 1, "content": "Ana likes coffee"}'}
            assert (await fetched(page, api, f"/v1/memories/{body['memory']['id']}", **changed))[0] == 200
            assert await fetched(page, api, "/v1/memories", credentials="include") == "TypeError"
            await page.goto(other)
            assert await fetched(page, api, "/v1/memories") == "TypeError"
