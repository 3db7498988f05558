"""The session cookie: a new id at each sign-in, and nothing for who knows an older one."""

from __future__ import annotations

import asyncio
import re
from http.cookies import SimpleCookie

import httpx
import pytest
from playwright.async_api import BrowserContext, Route, expect

from tests.live_api import ADMIN_KEY
from tests.processes import ServerProcess
from tests.studio.browser import Chromium, visiting

pytestmark = pytest.mark.asyncio(loop_scope="package")

COOKIE = "reverie_studio"


async def fresh_cookie(service: ServerProcess) -> str:
    """The cookie of a browser that has only seen the page to sign in at."""
    answer = await service.http.get("/studio/sign-in")
    service.http.cookies.clear()
    return answer.cookies[COOKIE]


async def cookie_of(context: BrowserContext) -> str:
    """What a browser sends now."""
    [found] = [one for one in await context.cookies() if one["name"] == COOKIE]
    return str(found["value"])


async def signed_in(service: ServerProcess, cookie: str) -> bool:
    """Whether a cookie opens the Studio."""
    async with httpx.AsyncClient(base_url=service.http.base_url, timeout=60) as http:
        answer = await http.get("/studio/engine", headers={"Cookie": f"{COOKIE}={cookie}"})
    assert answer.is_success or answer.headers["location"].startswith("/studio/sign-in"), answer.headers
    return answer.is_success


async def test_a_cookie_planted_before_a_sign_in_opens_nothing_after_it(
    service: ServerProcess, opened: Chromium
) -> None:
    planted = await fresh_cookie(service)
    async with visiting(opened, f"http://127.0.0.1:{service.port}") as visitor:
        context = visitor.page.context
        await context.add_cookies([{"name": COOKIE, "value": planted, "domain": "127.0.0.1", "path": "/studio"}])
        entered: list[str] = []
        visitor.page.on("request", lambda request: entered.append(request.url) if "/enter?" in request.url else None)
        await visitor.page.goto(f"{visitor.base}/studio")
        assert await cookie_of(context) == planted
        await visitor.sign_in()
        first = await cookie_of(context)
        assert await signed_in(service, first)
        assert first != planted
        for stolen in (planted, f"{first}; {COOKIE}={planted}"):
            assert not await signed_in(service, stolen)
        async with httpx.AsyncClient(cookies={COOKIE: planted}, timeout=60) as thief:
            assert (await thief.get(entered[0])).status_code == 303
        assert not await signed_in(service, planted)

        await visitor.choose("Workspace", "Open another…")
        await visitor.page.wait_for_url("**/sign-in")
        reader = (await service.call("POST", "/v1/keys", json={"role": "reader", "name": "a guest"})).json()
        await visitor.sign_in(reader["key"])
        second = await cookie_of(context)
        assert await signed_in(service, second)
        assert not await signed_in(service, first)
        await visitor.choose("Workspace", "default · admin")
        await expect(visitor.page.get_by_role("button", name="Add a memory")).to_be_visible()


async def test_signing_out_ends_the_session_in_every_tab(service: ServerProcess, opened: Chromium) -> None:
    async with visiting(opened, f"http://127.0.0.1:{service.port}") as visitor:
        await visitor.sign_in()
        before = await cookie_of(visitor.page.context)
        other = await visitor.page.context.new_page()
        await other.goto(f"{visitor.base}/studio/engine")
        await expect(other.get_by_role("heading", name="Engine", exact=True)).to_be_visible()
        await visitor.page.get_by_role("button", name="Sign out").click()
        for page, address in ((visitor.page, "/sign-in"), (other, "/sign-in?ended=true")):
            await page.wait_for_url(f"{visitor.base}/studio{address}")
            await expect(page.get_by_label("API key")).to_be_visible()
        assert not await signed_in(service, await cookie_of(visitor.page.context))
        assert not await signed_in(service, before)
        await visitor.sign_in()
        assert await cookie_of(visitor.page.context) != before
        assert not await signed_in(service, before)
        await other.goto(f"{visitor.base}/studio/sign-out")
        await expect(other.get_by_label("API key")).to_be_visible()
        assert not await signed_in(service, await cookie_of(visitor.page.context))


async def test_a_tab_that_was_open_before_another_signed_in_says_so_and_signs_in(
    service: ServerProcess, opened: Chromium
) -> None:
    async with visiting(opened, f"http://127.0.0.1:{service.port}") as visitor:
        other = await visitor.page.context.new_page()
        await other.goto(f"{visitor.base}/studio/sign-in")
        await visitor.sign_in()
        await other.get_by_label("API key").fill(ADMIN_KEY)
        await other.get_by_role("button", name="Sign in").click()
        await expect(other.get_by_text("That sign-in was not finished")).to_be_visible()
        await other.get_by_label("API key").fill(ADMIN_KEY)
        await other.get_by_role("button", name="Sign in").click()
        await expect(other.get_by_role("heading", name="Memories", exact=True)).to_be_visible()


async def test_a_sign_in_is_finished_by_the_browser_that_began_it(service: ServerProcess, opened: Chromium) -> None:
    async with opened.page() as page:
        caught: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def catch(route: Route) -> None:
            caught.set_result(route.request.url)
            await route.abort()

        await page.route(re.compile(r"/studio/enter\?"), catch)
        await page.goto(f"http://127.0.0.1:{service.port}/studio/sign-in")
        await page.get_by_label("API key").fill(ADMIN_KEY)
        await page.get_by_role("button", name="Sign in").click()
        other = await fresh_cookie(service)
        async with httpx.AsyncClient(cookies={COOKIE: other}, timeout=60) as http:
            for url in (await caught, f"http://127.0.0.1:{service.port}/studio/enter?code=made-up"):
                answer = await http.get(url)
                assert answer.status_code == 303
                assert not await signed_in(service, answer.cookies.get(COOKIE, other))
        assert not await signed_in(service, other)


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_the_cookie_is_for_this_site_and_no_script_and_over_tls_if_that_is_there(
    service: ServerProcess, scheme: str
) -> None:
    for path in ("/studio/sign-in", "/studio/sign-out", "/studio/enter?code=x"):
        answer = await service.http.get(path, headers={"X-Forwarded-Proto": scheme})
        service.http.cookies.clear()
        cookie = SimpleCookie(answer.headers["set-cookie"])[COOKIE]
        assert cookie["httponly"]
        assert (cookie["samesite"], cookie["path"]) == ("strict", "/studio")
        assert bool(cookie["secure"]) is (scheme == "https")
        assert ADMIN_KEY not in str(answer.headers)


@pytest.mark.parametrize("target", ["https://example.org", "//example.org", "/../../docs", "/nowhere"])
async def test_a_sign_in_leads_nowhere_but_to_a_page_of_the_studio(service: ServerProcess, target: str) -> None:
    answer = await service.http.get("/studio/enter", params={"code": "x", "next": target})
    service.http.cookies.clear()
    assert answer.headers["location"] == "/studio/sign-in?refused=true&next=%2F"
