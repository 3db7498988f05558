"""What a client finds out before it asks, where the server's address comes from, and how clients register."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.errors import RateLimited
from service.memory.access.oauth import UNUSED_CLIENTS_MAX
from service.oauth import ADDRESSES_MAX, PER_ADDRESS_AND_MINUTE, Registrations
from service.settings import Settings
from tests.live_api import ADMIN_KEY, Api, Tenant, serving
from tests.oauth_flow import CALLBACK, Flow, register, visitor, works
from tests.tables import table
from worker.maintenance.retention import apply_retention

RESOURCE = "/.well-known/oauth-protected-resource"
SERVER = "/.well-known/oauth-authorization-server"


async def test_a_refused_call_says_where_to_ask(tenant: Tenant) -> None:
    base = str(tenant.http.base_url).rstrip("/")
    without = await tenant.http.post("/mcp", json={})
    assert without.status_code == 401
    assert without.headers["www-authenticate"] == f'Bearer resource_metadata="{base}{RESOURCE}/mcp"'
    wrong = await tenant.http.post("/mcp", json={}, headers={"Authorization": "Bearer no-key"})
    assert 'error="invalid_token"' in wrong.headers["www-authenticate"]
    assert (await tenant.http.get("/v1/memories")).headers["www-authenticate"] == "Bearer"


async def test_the_documents_name_the_server_as_it_was_reached(tenant: Tenant) -> None:
    base = str(tenant.http.base_url).rstrip("/")
    for path in (RESOURCE, f"{RESOURCE}/mcp"):
        resource = (await tenant.http.get(path)).json()
        assert resource["resource"] == f"{base}/mcp"
        assert resource["authorization_servers"] == [base]
    server = (await tenant.http.get(SERVER, headers={"Origin": "https://inspector.example"})).json()
    assert server["issuer"] == base
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["token_endpoint_auth_methods_supported"] == ["none"]
    assert server["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert server["scopes_supported"] == ["read", "write", "dream", "export"]
    for name in ("authorization", "token", "registration", "revocation"):
        assert server[f"{name}_endpoint"].startswith(f"{base}/")


async def test_the_address_is_taken_from_no_other_host(tenant: Tenant) -> None:
    with table() as row:
        for host in ["memory.example", "127.0.0.1.evil.example", "localhost:x", "evil.example:8000", "[::2]"]:
            with row(host):
                for path in (RESOURCE, SERVER, "/authorize"):
                    answer = await tenant.http.get(path, headers={"Host": host})
                    assert answer.status_code == 404
                    assert "REVERIE_PUBLIC_URL" in answer.json()["detail"]
                refused = await tenant.http.post("/mcp", json={}, headers={"Host": host})
                assert refused.headers["www-authenticate"] == "Bearer"


async def test_a_public_url_is_the_issuer_whatever_host_a_request_names(settings: Settings) -> None:
    async with serving(settings.model_copy(update={"public_url": "https://memory.example"})) as api:
        for host in ("127.0.0.1", "evil.example"):
            server = (await api.http.get(SERVER, headers={"Host": host})).json()
            assert server["issuer"] == "https://memory.example"
            refused = await api.http.post("/mcp", json={}, headers={"Host": host})
            assert f'"https://memory.example{RESOURCE}/mcp"' in refused.headers["www-authenticate"]
        flow = Flow(api.http, await register(api.http))
        asked = await flow.authorize(resource="https://memory.example/mcp")
        assert asked.headers["location"].startswith("https://memory.example/oauth/consent?request=")
        page = await api.http.get(asked.headers["location"].removeprefix("https://memory.example"))
        assert "Secure" in page.headers["set-cookie"]
        assert (await flow.authorize(resource=f"{str(api.http.base_url).rstrip('/')}/mcp")).status_code == 400


async def test_switched_off_there_is_none_of_it(settings: Settings) -> None:
    async with serving(settings.model_copy(update={"oauth": False})) as api:
        for path in (RESOURCE, SERVER, "/authorize", "/oauth/consent"):
            assert (await api.http.get(path)).status_code == 404
        assert (await api.http.post("/register", json={"redirect_uris": [CALLBACK]})).status_code == 404
        assert (await api.http.post("/mcp", json={})).headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "url", ["memory.example", "http://memory.example", "https://memory.example/path", "https://u@memory.example", "*"]
)
def test_a_public_url_that_clients_would_refuse_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("REVERIE_PUBLIC_URL", url)
    with pytest.raises(ValueError, match="REVERIE_PUBLIC_URL"):
        Settings()


async def test_a_registration_answers_what_is_kept_and_no_secret(own_api: Api) -> None:
    asked = {
        "redirect_uris": [CALLBACK, "https://app.example/cb", "cursor://anysphere.cursor-retrieval/oauth/callback"],
        "client_name": "Claude", "scope": "claudeai", "token_endpoint_auth_method": "client_secret_basic",
        "logo_uri": "https://app.example/logo.png", "jwks": {"keys": []}, "contacts": ["ana@example.com"],
    }  # fmt: skip
    answer = await own_api.http.post("/register", json=asked)
    assert answer.status_code == 201
    given = answer.json()
    assert given["redirect_uris"] == asked["redirect_uris"]
    assert given["token_endpoint_auth_method"] == "none"
    assert given["scope"] == "read write dream export"
    assert not {"client_secret", "logo_uri", "jwks", "contacts"} & set(given)
    assert answer.headers["cache-control"] == "no-store"


BAD_METADATA = [
    {"redirect_uris": []},
    {"redirect_uris": None},
    {"redirect_uris": ["http://app.example/cb"]},
    {"redirect_uris": ["javascript:alert(1)"]},
    {"redirect_uris": ["data:text/html,x"]},
    {"redirect_uris": ["https://app.example/cb#fragment"]},
    {"redirect_uris": ["https://user:secret@app.example/cb"]},
    {"redirect_uris": ["http://127.0.0.1.evil.example/"]},
    {"redirect_uris": [CALLBACK, "file:///etc/passwd"]},
    {"redirect_uris": ["ms-settings:network"]},
    {"redirect_uris": [f"https://app.example/{'x' * 1_000}"]},
    {"redirect_uris": [f"https://app.example/{n}" for n in range(11)]},
    {"redirect_uris": "https://app.example/cb"},
    {"grant_types": ["client_credentials"]},
    {"grant_types": ["authorization_code", "urn:ietf:params:oauth:grant-type:jwt-bearer"]},
    {"response_types": ["token"]},
    {"token_endpoint_auth_method": "private_key_jwt"},
    {"client_name": 7},
]


async def test_bad_metadata_is_refused(own_api: Api) -> None:
    with table() as row:
        for metadata in BAD_METADATA:
            with row(metadata):
                answer = await own_api.http.post("/register", json={"redirect_uris": [CALLBACK]} | metadata)
                assert answer.status_code == 400
                assert answer.json()["error"] in ("invalid_client_metadata", "invalid_redirect_uri")


BROKEN_BODIES = [
    (b"", 400), (b"{", 400), (b"[]", 400), (b"\xff", 400), (b'{"jwks":' + b"[" * 5_000 + b"]" * 5_000 + b"}", 400),
    (b'{"client_name":"' + b"x" * 20_000 + b'"}', 413),
]  # fmt: skip


async def test_huge_and_broken_bodies_are_refused(own_api: Api) -> None:
    with table() as row:
        for body, status in BROKEN_BODIES:
            with row(body, status):
                assert (await own_api.http.post("/register", content=body)).status_code == status
                assert (await own_api.http.post("/token", content=body)).status_code in (401, 413)


async def test_an_unknown_client_gets_nothing(own_api: Api) -> None:
    with table() as row:
        for client_id in ["", "x", "\x00", "é" * 100, "01890000-0000-7000-8000-00000000dead"]:
            with row(client_id):
                flow = Flow(own_api.http, client_id)
                assert (await flow.authorize()).status_code == 400
                for answer in (await flow.redeem("x"), await flow.refresh("x")):
                    assert answer.status_code == 401
                    assert answer.json()["error"] == "invalid_client"
                revoked = await own_api.http.post("/revoke", data={"client_id": client_id, "token": "x"})
                assert revoked.status_code == 401


async def test_forged_codes_and_tokens_are_invalid_grants(own_api: Api) -> None:
    with table() as row:
        for text in ["x", "rv_", "\x00", "rv_" + "A" * 65, "é" * 100, "x" * 5_000]:
            with row(text):
                flow = Flow(own_api.http, await register(own_api.http))
                for answer in (await flow.redeem(text), await flow.refresh(text)):
                    assert answer.json()["error"] == "invalid_grant"
                revoked = await own_api.http.post("/revoke", data={"client_id": flow.client_id, "token": text})
                assert revoked.status_code == 200, "RFC 7009: an invalid token is no error"


async def test_registration_is_bounded_by_address_and_minute(own_api: Api) -> None:
    now = own_api.runtime.now
    own_api.runtime.now = lambda: start
    start = now()
    for _ in range(PER_ADDRESS_AND_MINUTE):
        await register(own_api.http)
    refused = await own_api.http.post("/register", json={"redirect_uris": [CALLBACK]})
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "60"
    elsewhere = {"X-Forwarded-For": "203.0.113.7"}
    assert (await own_api.http.post("/register", json={"redirect_uris": [CALLBACK]}, headers=elsewhere)).is_success
    own_api.runtime.now = lambda: start + timedelta(seconds=61)
    await register(own_api.http)


def test_addresses_are_counted_by_subscriber() -> None:
    registrations, now = Registrations(), datetime.now(UTC)
    for number in range(PER_ADDRESS_AND_MINUTE):
        registrations.note(f"2001:db8::{number:x}", now)
        registrations.note(["192.0.2.1", "::ffff:192.0.2.1"][number % 2], now)
    for full in ("2001:db8::ffff", "192.0.2.1"):
        with pytest.raises(RateLimited):
            registrations.note(full, now)
    for other in ("2001:db8:0:1::1", "192.0.2.2", None, "a.sock"):
        registrations.note(other, now)
    for number in range(ADDRESSES_MAX):
        registrations.note(f"10.0.{number >> 8}.{number & 255}", now)
    registrations.note("192.0.2.1", now)


async def test_clients_that_nobody_uses_go_and_others_stay(own_api: Api) -> None:
    async with visitor(own_api.http.base_url) as http:
        used = Flow(http, await register(http))
        tokens = await used.connect(ADMIN_KEY)
        unused = Flow(http, await register(http))
        now = own_api.runtime.now
        assert (await apply_retention(own_api.runtime))["oauth"] == 0
        own_api.runtime.now = lambda: now() + timedelta(days=2)
        assert (await apply_retention(own_api.runtime))["oauth"] == 2, "the client without a consent, and the used code"
        assert (await unused.authorize()).status_code == 400
        assert (await used.authorize()).status_code == 302
        own_api.runtime.now = now
        assert await works(http, tokens["access_token"])
        second = (await used.refresh(tokens["refresh_token"])).json()
        own_api.runtime.now = lambda: now() + timedelta(days=31)
        assert (await apply_retention(own_api.runtime))["oauth"] == 2, "both refresh tokens"
        assert (await used.refresh(second["refresh_token"])).json()["error"] == "invalid_grant"
        own_api.runtime.now = lambda: now() + timedelta(days=401)
        assert (await apply_retention(own_api.runtime))["oauth"] == 1


async def test_so_many_clients_wait_and_no_more(own_api: Api) -> None:
    async with own_api.runtime.db.unscoped() as connection:
        await connection.raw.execute(
            """INSERT INTO oauth_clients (id, name, redirect_uris, created_at, used_at)
            SELECT gen_random_uuid(), 'x', '{}', now() - interval '1 hour', NULL FROM generate_series(1, $1)""",
            UNUSED_CLIENTS_MAX,
        )
    newest = await register(own_api.http)
    async with own_api.runtime.db.unscoped() as connection:
        count = await connection.raw.fetchval("SELECT count(*) FROM oauth_clients")
    assert count == UNUSED_CLIENTS_MAX
    assert (await Flow(own_api.http, newest).authorize()).status_code == 302


async def test_pages_of_any_origin_may_discover_and_exchange(own_api: Api) -> None:
    origin = {"Origin": "https://inspector.example"}
    preflight = origin | {"Access-Control-Request-Method": "POST"}
    for path in ("/register", "/token", "/revoke"):
        assert (await own_api.http.options(path, headers=preflight)).headers["access-control-allow-origin"] == "*"
    for path in (RESOURCE, SERVER):
        assert (await own_api.http.get(path, headers=origin)).headers["access-control-allow-origin"] == "*"
    consent: httpx.Response = await own_api.http.get("/oauth/consent", headers=origin)
    assert "access-control-allow-origin" not in consent.headers


async def test_nothing_that_opens_is_stored_as_it_is(own_api: Api) -> None:
    async with visitor(own_api.http.base_url) as http:
        flow = Flow(http, await register(http))
        code = await flow.approve(ADMIN_KEY)
        tokens = (await flow.redeem(code)).json()
    async with own_api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        for table in ("oauth_clients", "oauth_codes", "oauth_refresh_tokens", "api_keys", "audit_log"):
            rows = await connection.raw.fetch(f"SELECT t::text AS row FROM {table} t")  # noqa: S608
            assert rows, table
            text = "\n".join(row["row"] for row in rows)
            for secret in (code, tokens["access_token"], tokens["refresh_token"]):
                assert secret not in text, table
                assert secret.encode().hex() not in text, table
