"""The session cookie of the Studio: what it opens, for whom, and what it does not."""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from service.settings import Settings
from service.studio import COOKIE, CSP, HEADER, PATH
from tests.live_api import UNENCRYPTED, Api, Tenant, serving

SESSION = f"{PATH}/session"
OWN = {HEADER: "session"}
FRIEND = "https://friend.example"


class Browser:
    """What a browser keeps of a service: its cookies. ``key_id``: of the key it signed in with."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = httpx.AsyncClient(base_url=http.base_url, timeout=600, verify=UNENCRYPTED)
        self.key_id = ""

    async def sign_in(self, key: str, **headers: str) -> httpx.Response:
        answer = await self.http.post(SESSION, json={"key": key}, headers=OWN | headers)
        self.key_id = answer.json().get("signed_in", self.key_id)
        return answer

    async def call(self, path: str = "/v1/whoami", method: str = "GET", **headers: str) -> httpx.Response:
        """A call as a page sends it; ``headers`` replace its own, and an empty one is left out."""
        given = {HEADER: self.key_id, "Sec-Fetch-Site": "same-origin"} | headers
        return await self.http.request(method, path, headers={name: value for name, value in given.items() if value})


@pytest.fixture
async def browser(tenant: Tenant) -> AsyncIterator[Browser]:
    """Somebody who has signed in."""
    opened = Browser(tenant.http)
    assert (await opened.sign_in(tenant.key)).status_code == 200
    yield opened
    await opened.http.aclose()


async def test_a_key_that_was_signed_in_with_opens_the_api_and_is_never_shown(tenant: Tenant, browser: Browser) -> None:
    shown = await browser.http.get(SESSION)
    assert [key["role"] for key in shown.json()["keys"]] == ["admin"]
    assert tenant.key not in shown.text
    cookie = shown.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/", "Max-Age=43200"} <= set(cookie.split("; "))
    assert tenant.key not in cookie
    assert tenant.key.encode() not in base64.urlsafe_b64decode(cookie.partition("=")[2].partition(";")[0].strip('"'))
    assert (await browser.call()).json()["role"] == "admin"


@pytest.mark.parametrize(
    "headers",
    [
        {HEADER: ""},
        {HEADER: "", "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "cross-site"},
        {HEADER: "1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "", "Origin": FRIEND},
        {"Sec-Fetch-Site": "", "Origin": "null"},
        {"Authorization": "Bearer wrong"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_the_cookie_alone_opens_nothing(browser: Browser, headers: dict[str, str], method: str) -> None:
    path = "/v1/whoami" if method == "GET" else "/v1/memories"
    assert (await browser.call(path, method, **headers)).status_code == 401


async def test_a_page_of_the_same_host_without_fetch_metadata_is_served(browser: Browser) -> None:
    origin = str(browser.http.base_url).rstrip("/")
    assert (await browser.call(**{"Sec-Fetch-Site": "", "Origin": origin})).status_code == 200


async def test_another_site_neither_signs_anybody_in_nor_out(tenant: Tenant, browser: Browser) -> None:
    for method in ("POST", "DELETE"):
        for headers in ({}, OWN | {"Sec-Fetch-Site": "cross-site"}, OWN | {"Origin": FRIEND}):
            answer = await browser.http.request(method, SESSION, json={"key": tenant.key}, headers=headers)
            assert answer.status_code == 403
            assert "set-cookie" not in answer.headers
    assert (await browser.call()).status_code == 200


async def test_files_set_no_cookie(browser: Browser) -> None:
    page = await browser.http.get(f"{PATH}/")
    files = re.findall(r'(?:src|href)="(/studio/[^"]+)"', page.text)
    if not files:
        pytest.skip("The Studio is not built here")
    for path in (f"{PATH}/", f"{PATH}/memories", *files):
        answer = await browser.http.get(path)
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers, path


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"key": 7}', b'{"key": ""}', b'{"key": "%s"}' % (b"x" * 2000)])
async def test_what_is_no_key_is_refused(tenant: Tenant, body: bytes) -> None:
    answer = await tenant.http.post(SESSION, content=body, headers=OWN)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["body", "key"]


@pytest.mark.parametrize("key", ["wrong", "rv_" + "A" * 65, "schlüssel", "rv_'; DROP TABLE keys; --"])
async def test_a_wrong_key_signs_nobody_in(tenant: Tenant, key: str) -> None:
    answer = await Browser(tenant.http).sign_in(key)
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


async def test_several_keys_are_held_and_dropped_one_by_one(tenant: Tenant, browser: Browser) -> None:
    admin = browser.key_id
    made: dict[str, Any] = (
        await browser.http.post(
            "/v1/keys", json={"role": "agent", "name": "Bot 🤖", "agent": "ada"}, headers={HEADER: admin}
        )
    ).json()
    await browser.sign_in(made["key"])
    await browser.sign_in(made["key"])
    held = (await browser.http.get(SESSION)).json()["keys"]
    assert [key["role"] for key in held] == ["admin", "agent"]
    assert (await browser.call()).json()["agent"] == "ada"
    assert (await browser.call(**{HEADER: admin})).json()["role"] == "admin"
    await browser.http.delete(f"{SESSION}/{made['id']}", headers=OWN)
    assert (await browser.call()).status_code == 401
    assert (await browser.call(**{HEADER: admin})).status_code == 200


async def test_more_keys_than_fit_leave_the_newest(tenant: Tenant, browser: Browser) -> None:
    admin = browser.key_id
    for number in range(30):
        name = f"{number} {'name ' * 20}"
        made = await browser.http.post("/v1/keys", json={"role": "reader", "name": name}, headers={HEADER: admin})
        if made.status_code == 401:
            break
        await browser.sign_in(made.json()["key"])
        held = (await browser.http.get(SESSION)).json()["keys"]
        assert held[-1]["id"] == made.json()["id"]
    assert len(browser.http.cookies[COOKIE]) < 4000


async def test_signing_out_takes_the_cookie(browser: Browser) -> None:
    await browser.http.delete(SESSION, headers=OWN)
    assert COOKIE not in browser.http.cookies
    assert (await browser.http.get(SESSION)).json()["keys"] == []
    assert (await browser.call()).status_code == 401


async def test_a_forged_or_damaged_cookie_opens_nothing(browser: Browser) -> None:
    sealed = browser.http.cookies[COOKIE].strip('"')
    turned = sealed[:-6] + ("A" if sealed[-6] != "A" else "B") + sealed[-5:]
    forged = base64.urlsafe_b64encode(secrets.token_bytes(200)).decode()
    for value in (turned, sealed[:-9], forged, "", "x", "é"):
        browser.http.cookies.clear()
        headers = [(b"cookie", f"{COOKIE}={value}".encode()), (HEADER.encode(), browser.key_id.encode())]
        assert (await browser.http.get("/v1/whoami", headers=headers)).status_code == 401
        assert (await browser.http.get(SESSION, headers=headers)).json()["keys"] == []


async def test_a_restart_and_a_second_process_do_not_end_a_session(settings: Settings) -> None:
    async with serving(settings) as first:
        one = Browser(first.http)
        await one.sign_in(first.key)
        sealed = one.http.cookies[COOKIE]
    async with serving(settings) as second:
        again = Browser(second.http)
        again.key_id = one.key_id
        again.http.cookies.set(COOKIE, sealed)
        assert (await again.call()).status_code == 200


async def test_an_allowed_foreign_origin_cannot_use_the_cookie(settings: Settings) -> None:
    async with serving(settings.model_copy(update={"cors_origins": (FRIEND,)})) as api:
        browser = Browser(api.http)
        await browser.sign_in(api.key)
        asked = {"Origin": FRIEND, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": HEADER}
        preflight = await browser.http.options("/v1/whoami", headers=asked)
        assert "access-control-allow-credentials" not in preflight.headers
        for headers in ({"Sec-Fetch-Site": "cross-site", "Origin": FRIEND}, {"Sec-Fetch-Site": "", "Origin": FRIEND}):
            assert (await browser.call(**headers)).status_code == 401
        closed = await browser.http.options(SESSION, headers=asked)
        assert "access-control-allow-origin" not in closed.headers


async def test_pages_are_never_cached_and_their_files_always(own_api: Api) -> None:
    for path in ("", "/", "/memories", "/memories/what/ever", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fservice/app.py"):
        answer = await own_api.http.get(f"{PATH}{path}", follow_redirects=True)
        assert answer.headers["content-security-policy"] == CSP
        assert answer.headers["x-content-type-options"] == "nosniff"
        if answer.status_code == 200:
            assert answer.headers["cache-control"] == "no-cache"
            assert '<div id="root">' in answer.text
    missing = await own_api.http.get(f"{PATH}/assets/missing.js")
    assert missing.status_code in (404, 503)
