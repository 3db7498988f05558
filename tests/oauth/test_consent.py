"""The consent page: what it shows, to whom, under which policy, and what a browser makes of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from html import escape
from random import Random

import pytest
import pytest_asyncio

from service.studio import HEADER
from tests.live_api import ADMIN_KEY, Api
from tests.oauth_flow import CALLBACK, Flow, error_of, query_of, register, visitor
from tests.pg_dump import dump
from tests.privacy.secret_corpus import TOKENS
from tests.studio.browser import Chromium, browser, chromium
from tests.tables import table

HOSTILE = [
    "<script>document.title='owned'</script>", '"><img src=x onerror=alert(1)>', "{{ 7*7 }}{% raw %}",
    "</strong><form>", "Reverie\u202e\u2066evil\u0000\u200b", "line\nbreak\r\nSet-Cookie: x=1", "x" * 5_000, "😀 emoji",
    " ", "javascript:alert(1)", "' onmouseover='alert(1)",
]  # fmt: skip


@pytest_asyncio.fixture
async def opened() -> AsyncIterator[Chromium]:
    """The browser."""
    if chromium() is None:
        pytest.skip("THE CONSENT PAGE IS NOT TESTED IN A BROWSER: there is no Chromium here")
    async with browser() as running:
        yield running


async def test_the_page_says_who_asks_and_where_it_leads(own_api: Api, flow: Flow) -> None:
    page = await flow.page()
    assert '<strong id="client">Test app</strong>' in page.text
    assert "a program on this computer (127.0.0.1)" in page.text
    for uri, shown in (
        ("https://claude.ai/api/mcp/auth_callback", "claude.ai"),
        ("https://xn--clude-9cd.ai/cb", "xn--clude-9cd.ai"),
        ("cursor://anysphere.cursor-retrieval/oauth", "the app that opens cursor: links"),
    ):
        app = Flow(flow.http, await register(own_api.http, redirect_uris=[uri]), redirect_uri=uri)
        assert f'<strong id="destination">{shown}</strong>' in (await app.page()).text


async def test_a_hostile_name_is_a_text(own_api: Api, flow: Flow) -> None:
    with table() as row:
        for name in HOSTILE:
            with row(name):
                answer = await own_api.http.post("/register", json={"redirect_uris": [CALLBACK], "client_name": name})
                assert answer.status_code == 201
                shown = answer.json()["client_name"]
                assert len(shown) <= 80
                assert shown.isprintable()
                app = Flow(flow.http, answer.json()["client_id"])
                page = await app.sign_in(ADMIN_KEY)
                assert re.findall(r'<strong id="client">(.*?)</strong>', page.text) == [
                    escape(shown).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
                ]
                assert "<script" not in page.text
                assert "<img" not in page.text
                done = await app.submit(page, "approve", agent="ada", scope=["read"])
                assert (await app.redeem(query_of(done.headers["location"])["code"])).status_code == 200
                assert (await own_api.get("/v1/keys"))["items"][0]["name"] == shown


async def test_secrets_and_personal_data_in_a_name(own_api: Api, database_url: str) -> None:
    secrets = [TOKENS[kind](Random(kind)) for kind in ("openai_key", "github_token")]
    assert (await own_api.put("/v1/settings", {"pii": {"mode": "reject"}}))["pii"]["mode"] == "reject"
    given = f"Sam's laptop {secrets[0]} sam@example.com" + " " * 1_000 + secrets[1]
    answer = await own_api.http.post("/register", json={"redirect_uris": [CALLBACK], "client_name": given})
    assert answer.json()["client_name"] == "Sam's laptop [SECRET:openai_key] sam@example.com [SECRET:github_token]"
    async with visitor(own_api.http.base_url) as http:
        app = Flow(http, answer.json()["client_id"])
        page = await app.sign_in(ADMIN_KEY)
        assert "sam@example.com" not in page.text
        done = await app.submit(page, "approve", agent="ada", scope=["read"])
        tokens = (await app.redeem(query_of(done.headers["location"])["code"])).json()
        assert (await app.refresh(tokens["refresh_token"])).status_code == 200
    name = (await own_api.get("/v1/keys"))["items"][0]["name"]
    assert name.startswith("Sam's laptop [SECRET:openai_key] <EMAIL_ADDRESS:")
    audited = (await own_api.get("/v1/audit"))["items"]
    assert name in [line["details"].get("client") for line in audited]
    rows = [line for line in dump(database_url).splitlines() if "sam@example.com" in line]
    assert len(rows) == 1, "only the row of the client, which belongs to no workspace"
    assert rows[0].startswith(answer.json()["client_id"])
    assert [secret for secret in secrets if secret in dump(database_url)] == []


async def test_no_page_may_be_framed_or_run_anything(flow: Flow) -> None:
    shown = await flow.page()
    pages = (
        shown,
        await flow.sign_in(ADMIN_KEY),
        await flow.authorize(response_type="x"),
        await flow.submit(shown, "x"),
    )
    for page in pages:
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["referrer-policy"] == "no-referrer"
    assert "form-action 'self' http://127.0.0.1:33418;" in shown.headers["content-security-policy"]
    cookie = shown.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/oauth/consent"} <= set(cookie.split("; "))


async def test_the_key_is_never_in_a_page_or_readable_in_the_cookie(flow: Flow) -> None:
    page = await flow.sign_in(ADMIN_KEY)
    assert ADMIN_KEY not in page.text
    assert ADMIN_KEY not in str(flow.http.cookies)


async def test_who_denies_tells_the_app_so(own_api: Api, flow: Flow) -> None:
    for signs_in in (False, True):
        page = await flow.sign_in(ADMIN_KEY) if signs_in else await flow.page()
        denied = await flow.submit(page, "deny")
        assert denied.status_code == 303
        answer = query_of(denied.headers["location"])
        assert answer["error"] == "access_denied"
        assert (answer["state"], answer["iss"]) == (flow.state, str(flow.http.base_url).rstrip("/"))
    assert [key for key in (await own_api.get("/v1/keys"))["items"] if key["client_id"]] == []


async def test_the_choices_are_those_of_the_key_and_of_the_app(own_api: Api, flow: Flow) -> None:
    def offered(text: str) -> dict[str, bool]:
        boxes = re.findall(r'<input type="checkbox" name="scope" value="(\w+)" (checked)?>', text)
        return {name: bool(chosen) for name, chosen in boxes}

    page = await flow.sign_in(ADMIN_KEY)
    assert offered(page.text) == {"read": True, "write": True, "dream": False, "export": False}
    assert 'type="text" name="agent"' in page.text
    page = await flow.sign_in(ADMIN_KEY, await flow.page(scope="read openid dream"))
    assert offered(page.text) == {"read": True, "dream": True}
    narrow = await own_api.post("/v1/keys", {"role": "agent", "agent": "ada", "name": "ada", "scopes": ["read"]})
    signed_out = await flow.submit(page, "sign-out")
    page = await flow.sign_in(narrow["key"], await flow.http.get(signed_out.headers["location"]))
    assert offered(page.text) == {"read": True}
    assert '<strong>ada</strong><input type="hidden" name="agent" value="ada">' in page.text


async def test_a_reader_s_consent_gives_a_reader(own_api: Api, flow: Flow) -> None:
    reader = await own_api.post("/v1/keys", {"role": "reader", "name": "reader"})
    tokens = await flow.connect(reader["key"], scopes=["read", "export"])
    assert tokens["scope"] == "export read"
    me = (await flow.http.get("/v1/whoami", headers={"Authorization": f"Bearer {tokens['access_token']}"})).json()
    assert (me["role"], me["agent"], me["client_id"]) == ("reader", "ada", flow.client_id)


async def test_the_session_of_the_studio_signs_in_without_a_key(flow: Flow) -> None:
    signed_in = await flow.http.post("/studio/session", json={"key": ADMIN_KEY}, headers={HEADER: "session"})
    page = await flow.page()
    assert "as in the Studio" in page.text
    assert ADMIN_KEY not in page.text
    next_page = await flow.submit(page, "sign-in", held=signed_in.json()["signed_in"])
    consent = await flow.http.get(next_page.headers["location"])
    done = await flow.submit(consent, "approve", agent="ada", scope=["read"])
    assert "code" in query_of(done.headers["location"])
    stranger = await flow.submit(await flow.page(), "sign-in", held="01890000-0000-7000-8000-00000000dead")
    assert stranger.status_code == 401
    assert error_of(stranger) == "Enter an API key."


async def test_a_consent_is_in_the_audit_log_and_its_key_in_the_list(own_api: Api, flow: Flow) -> None:
    me = await own_api.get("/v1/whoami")
    tokens = await flow.connect(ADMIN_KEY)
    [key] = [one for one in (await own_api.get("/v1/keys"))["items"] if one["client_id"]]
    assert (key["name"], key["granted_by"]) == ("Test app", me["key_id"])
    assert tokens["access_token"].startswith(key["prefix"])
    lines = (await own_api.get("/v1/audit"))["items"]
    assert [line["action"] for line in lines] == ["key.created", "client.approved"]
    assert lines[1]["target"] == flow.client_id
    rotated = await own_api.call("POST", f"/v1/keys/{key['id']}/rotate")
    assert rotated.status_code == 409
    assert "OAuth client" in rotated.json()["detail"]


async def test_a_suspended_key_at_the_page_is_asked_for_again(own_api: Api, flow: Flow) -> None:
    made = await own_api.post("/v1/keys", {"role": "agent", "agent": "ada", "name": "ada"})
    page = await flow.sign_in(made["key"])
    await own_api.delete(f"/v1/keys/{made['id']}")
    refused = await flow.submit(page, "approve", agent="ada", scope=["read"])
    assert refused.status_code == 401
    assert 'name="key"' in (await flow.page()).text


async def test_in_a_browser_from_another_site_with_the_session_of_the_studio(
    own_api: Api, flow: Flow, opened: Chromium
) -> None:
    received: asyncio.Queue[str] = asyncio.Queue()

    async def listener(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readline()).decode()
        if line.startswith("GET /callback"):
            await received.put(line.split()[1])
        body = b"<h1>The app</h1>"
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    app = await asyncio.start_server(listener, "localhost", 0)
    port = app.sockets[0].getsockname()[1]
    flow.redirect_uri = f"http://localhost:{port}/callback"
    flow.client_id = await register(own_api.http, redirect_uris=[flow.redirect_uri], client_name=HOSTILE[0])
    base = str(own_api.http.base_url).rstrip("/")
    sign_in = f"""fetch('/studio/session', {{method: 'POST', body: JSON.stringify({{key: '{ADMIN_KEY}'}}),
        headers: {{'{HEADER}': 'x', 'Content-Type': 'application/json'}}}})"""
    async with app, opened.page() as page:
        problems: list[str] = []
        await page.goto(f"{base}/healthz")
        await page.evaluate(sign_in)
        await page.goto(f"http://localhost:{port}/")
        page.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
        location = (await flow.authorize()).headers["location"]
        await page.evaluate("to => { location.href = to }", location)
        await page.get_by_text("as in the Studio").wait_for()
        assert await page.title() == "Give access to your memory? · Reverie"
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_label("Agent").fill("ada")
        await page.get_by_label("save, change").uncheck()
        await page.get_by_role("button", name="Approve").click()
        await page.get_by_role("heading", name="The app").wait_for()
        code = query_of(await asyncio.wait_for(received.get(), 60))["code"]
        assert problems == []
    tokens = await flow.redeem(code)
    assert tokens.json()["scope"] == "read"
