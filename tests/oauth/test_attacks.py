"""What must not work: stolen, copied, forged and foreign codes, tokens, forms and addresses."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from service.memory.access.oauth import CODE_LIFETIME, REFRESH_LIFETIME
from tests.live_api import ADMIN_KEY, Api
from tests.oauth_flow import Flow, challenge_of, error_of, query_of, register, visitor, works
from tests.tables import table


async def test_a_code_needs_its_verifier(flow: Flow) -> None:
    code = await flow.approve(ADMIN_KEY)
    for verifier in ("w" * 43, challenge_of(), "", None):
        refused = await flow.redeem(code, code_verifier=verifier)
        assert refused.status_code == 400, verifier
        assert refused.json()["error"] in ("invalid_grant", "invalid_request")
    assert (await flow.redeem(code)).status_code == 200


BAD_REQUESTS = [
    {"code_challenge_method": "plain", "code_challenge": "v" * 43},
    {"code_challenge": None},
    {"code_challenge": "short"},
    {"code_challenge": "v" * 5_000},
    {"response_type": "token"},
    {"state": "s" * 10_000},
    {"resource": "https://elsewhere.example/mcp"},
    {"resource": ["http://127.0.0.1:1/mcp"]},
]


async def test_a_bad_request_is_shown_and_sends_nobody_away(flow: Flow) -> None:
    with table() as row:
        for asked in BAD_REQUESTS:
            with row(asked):
                refused = await flow.authorize(**asked)
                assert refused.status_code == 400
                assert "location" not in refused.headers
                assert "The app cannot connect" in refused.text


FOREIGN_URIS = [
    "https://evil.example/callback", "http://127.0.0.1:33418/callback/", "http://127.0.0.1:33418/callback?x=1",
    "http://127.0.0.1:33418/", "http://localhost:33418/callback", "https://127.0.0.1:33418/callback",
    "http://127.0.0.1.evil.example/callback", "http://127.0.0.1:33418@evil.example/callback", "javascript:alert(1)",
    "http://127.0.0.1:33418/callback#x", "", "http://a:b@127.0.0.1:33418/callback", "http://a@127.0.0.1:50123/callback",
    "http://127.0.0.1@127.0.0.1:33418/callback", "http://:b@127.0.0.1:33418/callback",
]  # fmt: skip


async def test_a_foreign_redirect_uri_is_refused_without_a_link_to_it(flow: Flow) -> None:
    with table() as row:
        for uri in FOREIGN_URIS:
            with row(uri):
                refused = await flow.authorize(redirect_uri=uri)
                assert refused.status_code == 400
                assert "location" not in refused.headers
                assert "href" not in refused.text


async def test_the_port_of_a_loopback_address_is_free_and_nothing_else(flow: Flow) -> None:
    flow.redirect_uri = "http://127.0.0.1:50123/callback"
    page = await flow.sign_in(ADMIN_KEY)
    done = await flow.submit(page, "approve", agent="ada", scope=["read"])
    assert done.headers["location"].startswith(f"{flow.redirect_uri}?")
    code = query_of(done.headers["location"])["code"]
    assert (await flow.redeem(code, redirect_uri="http://127.0.0.1:33418/callback")).status_code == 400
    assert (await flow.redeem(code)).status_code == 200


async def test_the_code_of_another_client_does_not_exist(flow: Flow) -> None:
    code = await flow.approve(ADMIN_KEY)
    other = Flow(flow.http, await register(flow.http))
    assert (await other.redeem(code)).json()["error"] == "invalid_grant"
    tokens = await flow.redeem(code)
    assert tokens.status_code == 200, "the attempt of another client uses nothing up"
    assert (await other.refresh(tokens.json()["refresh_token"])).json()["error"] == "invalid_grant"
    revoked = await flow.http.post(
        "/revoke", data={"client_id": other.client_id, "token": tokens.json()["access_token"]}
    )
    assert revoked.status_code == 200
    assert await works(flow.http, tokens.json()["access_token"]), "a client revokes its own tokens only"


async def test_a_code_used_twice_revokes_what_it_gave(flow: Flow) -> None:
    code = await flow.approve(ADMIN_KEY)
    tokens = (await flow.redeem(code)).json()
    assert await works(flow.http, tokens["access_token"])
    assert (await flow.redeem(code)).json()["error"] == "invalid_grant"
    assert not await works(flow.http, tokens["access_token"])
    assert (await flow.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_of_two_at_once_one_gets_a_token(own_api: Api, flow: Flow) -> None:
    for _ in range(5):
        code = await flow.approve(ADMIN_KEY)
        answers = await asyncio.gather(*(flow.redeem(code) for _ in range(4)))
        assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
    keys = (await own_api.get("/v1/keys"))["items"]
    assert sum(key["client_id"] == flow.client_id for key in keys) == 5


async def test_codes_and_refresh_tokens_expire(own_api: Api, flow: Flow) -> None:
    now = own_api.runtime.now
    own_api.runtime.now = lambda: now() - CODE_LIFETIME - timedelta(seconds=1)
    code = await flow.approve(ADMIN_KEY)
    own_api.runtime.now = now
    expired = await flow.redeem(code)
    assert expired.json() == {"error": "invalid_grant", "error_description": "authorization code has expired"}
    tokens = await flow.connect(ADMIN_KEY)
    own_api.runtime.now = lambda: now() + REFRESH_LIFETIME + timedelta(seconds=1)
    refused = await flow.refresh(tokens["refresh_token"])
    assert refused.json()["error"] == "invalid_grant"


async def test_a_refresh_token_used_twice_revokes_the_key(own_api: Api, flow: Flow) -> None:
    first = await flow.connect(ADMIN_KEY)
    second = (await flow.refresh(first["refresh_token"])).json()
    assert not await works(flow.http, first["access_token"]), "the former access token stops with the refresh"
    assert await works(flow.http, second["access_token"])
    assert (await flow.refresh(first["refresh_token"])).json()["error"] == "invalid_grant"
    assert not await works(flow.http, second["access_token"])
    assert (await flow.refresh(second["refresh_token"])).json()["error"] == "invalid_grant"
    revocations = (await own_api.get("/v1/audit", action="key.revoked"))["items"]
    assert [line["details"] for line in revocations] == [{"reason": "refresh token used twice"}]


async def test_two_refreshes_at_once_give_at_most_one_token(flow: Flow) -> None:
    tokens = await flow.connect(ADMIN_KEY)
    answers = await asyncio.gather(*(flow.refresh(tokens["refresh_token"]) for _ in range(4)))
    assert sum(answer.status_code == 200 for answer in answers) == 1


async def test_a_token_for_another_resource_is_refused(flow: Flow) -> None:
    code = await flow.approve(ADMIN_KEY, resource=f"{str(flow.http.base_url).rstrip('/')}/mcp")
    foreign = "https://elsewhere.example/mcp"
    assert (await flow.redeem(code, resource=foreign)).json()["error"] == "invalid_target"
    tokens = await flow.redeem(code, resource=f"{str(flow.http.base_url).rstrip('/')}/mcp")
    assert tokens.status_code == 200
    refused = await flow.refresh(tokens.json()["refresh_token"], resource=foreign)
    assert refused.json()["error"] == "invalid_target"
    assert (await flow.refresh(tokens.json()["refresh_token"])).status_code == 200


async def test_a_refresh_may_narrow_the_scopes_and_never_widen_them(flow: Flow) -> None:
    tokens = await flow.connect(ADMIN_KEY, scopes=["read", "write"])
    wider = await flow.refresh(tokens["refresh_token"], scope="read export")
    assert wider.json()["error"] == "invalid_scope"
    narrower = (await flow.refresh(tokens["refresh_token"], scope="read")).json()
    assert narrower["scope"] == "read"
    headers = {"Authorization": f"Bearer {narrower['access_token']}"}
    body = {"type": "fact", "content": "Ana lives in Porto"}
    assert (await flow.http.post("/v1/memories", json=body, headers=headers)).status_code == 403
    assert (await flow.refresh(narrower["refresh_token"])).json()["scope"] == "read write"


TOO_MUCH = [
    ({"role": "agent", "agent": "ada", "scopes": ["read"]}, "ada", ["read", "write"]),
    ({"role": "agent", "agent": "ada"}, "ben", ["read"]),
    ({"role": "reader"}, "ada", ["read", "write"]),
    ({"role": "reader"}, "ada", ["dream"]),
    ({"role": "admin"}, "ada", ["admin"]),
    ({"role": "admin"}, "ada", ["read", "everything"]),
]


async def test_nobody_gives_more_than_they_have(own_api: Api, flow: Flow) -> None:
    with table() as row:
        for grant, agent, scopes in TOO_MUCH:
            with row(grant, agent, scopes):
                key = (await own_api.post("/v1/keys", {"name": "narrow"} | grant))["key"]
                page = await flow.sign_in(key)
                refused = await flow.submit(page, "approve", agent=agent, scope=scopes)
                assert refused.status_code == 403
                assert "This key may" in error_of(refused)
                assert "location" not in refused.headers


async def test_an_agent_needs_a_name(flow: Flow) -> None:
    with table() as row:
        for agent in ["", " ", "a\x00b", "a\nb", "x" * 201]:
            with row(agent):
                refused = await flow.submit(await flow.sign_in(ADMIN_KEY), "approve", agent=agent, scope=["read"])
                assert refused.status_code == 422
                assert "Name the agent" in error_of(refused)


async def test_without_a_scope_nothing_is_given(flow: Flow) -> None:
    refused = await flow.submit(await flow.sign_in(ADMIN_KEY), "approve", agent="ada")
    assert refused.status_code == 422


async def test_a_form_without_the_token_of_its_page_decides_nothing(flow: Flow) -> None:
    with table() as row:
        for csrf in [None, "", "x", "é", "x" * 10_000]:
            with row(csrf):
                page = await flow.sign_in(ADMIN_KEY)
                for action in ("approve", "deny", "sign-in", "sign-out"):
                    refused = await flow.submit(page, action, csrf=csrf, agent="ada", scope=["read"], key=ADMIN_KEY)
                    assert refused.status_code in (403, 413), action
                    assert "location" not in refused.headers


async def test_the_token_of_one_browser_is_none_of_another(flow: Flow) -> None:
    page = await flow.sign_in(ADMIN_KEY)
    async with visitor(flow.http.base_url) as other:
        mine = await Flow(other, flow.client_id).sign_in(ADMIN_KEY)
        assert mine.status_code == 200
        forged = await Flow(other, flow.client_id).submit(page, "approve", agent="ada", scope=["read"])
        assert forged.status_code == 403


async def test_a_form_of_another_site_decides_nothing(flow: Flow) -> None:
    page = await flow.sign_in(ADMIN_KEY)
    for site in ("cross-site", "same-site", "none"):
        flow.http.headers["Sec-Fetch-Site"] = site
        refused = await flow.submit(page, "approve", agent="ada", scope=["read"])
        assert refused.status_code == 403, site


async def test_a_forged_request_is_no_request(flow: Flow) -> None:
    with table() as row:
        for sealed in ["", "x", "gAAAAA", "é", "x" * 5_000]:
            with row(sealed):
                page = await flow.sign_in(ADMIN_KEY)
                assert (await flow.http.get("/oauth/consent", params={"request": sealed})).status_code == 422
                assert (
                    await flow.submit(page, "approve", request=sealed, agent="ada", scope=["read"])
                ).status_code == 422


async def test_the_seal_of_a_cookie_is_none_of_a_request(flow: Flow) -> None:
    page = await flow.sign_in(ADMIN_KEY)
    cookie = flow.http.cookies["reverie_consent"]
    assert (await flow.submit(page, "approve", request=cookie, agent="ada", scope=["read"])).status_code == 422


async def test_whoever_has_no_key_does_not_sign_in(flow: Flow) -> None:
    with table() as row:
        for key in ["", "no-key", "rv_x", "é", "x" * 1_000]:
            with row(key):
                refused = await flow.submit(await flow.page(), "sign-in", key=key)
                assert refused.status_code == 401
                assert error_of(refused)
                assert (await flow.submit(refused, "approve", agent="ada", scope=["read"])).status_code == 401


async def test_an_app_may_not_let_in_another_app(flow: Flow) -> None:
    tokens = await flow.connect(ADMIN_KEY, scopes=["read", "write", "dream", "export"])
    refused = await flow.submit(await flow.page(), "sign-in", key=tokens["access_token"])
    assert refused.status_code == 403
    assert "access of an app" in error_of(refused)
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    body = {"role": "agent", "agent": "ada", "name": "more"}
    assert (await flow.http.post("/v1/keys", json=body, headers=headers)).status_code == 403


async def test_the_key_that_consented_takes_its_tokens_with_it(own_api: Api, flow: Flow) -> None:
    made = await own_api.post("/v1/keys", {"role": "agent", "agent": "ada", "name": "Ada's"})
    waiting = await flow.approve(made["key"])
    tokens = await flow.connect(made["key"])
    others = await flow.connect(ADMIN_KEY)
    await own_api.delete(f"/v1/keys/{made['id']}")
    assert not await works(flow.http, tokens["access_token"])
    assert (await flow.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await flow.redeem(waiting)).json()["error"] == "invalid_grant"
    assert await works(flow.http, others["access_token"])


async def test_tokens_do_not_outlive_the_key_that_consented(own_api: Api, flow: Flow) -> None:
    expires_at = (own_api.runtime.now() + timedelta(minutes=10)).isoformat()
    made = await own_api.post("/v1/keys", {"role": "agent", "agent": "ada", "name": "brief", "expires_at": expires_at})
    tokens = await flow.connect(made["key"])
    assert 500 < tokens["expires_in"] <= 600
    now = own_api.runtime.now
    own_api.runtime.now = lambda: now() + timedelta(minutes=11)
    assert (await flow.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
