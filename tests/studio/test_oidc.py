"""Sign-in to the Studio by OpenID Connect: who gets in with which rights, and what does not get anybody in."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pydantic import ValidationError

from service.domain.validation import explain
from service.errors import InvalidInput
from service.oidc import CALLBACK, START, oidc_settings
from service.settings import Oidc, Settings
from service.studio import HEADER, PATH, SIGNED_IN
from tests.fakes.oidc_provider import CLIENT, OidcProvider, oidc_provider
from tests.live_api import UNENCRYPTED, Api, Caller, serving

SESSION = f"{PATH}/session"
OWN = {HEADER: "session", "Sec-Fetch-Site": "same-origin"}
GRANTS = {
    "admins": {"role": "admin"},
    "bots": {"role": "agent", "agent": "bo", "scopes": ["read"]},
    "everybody": {"role": "reader"},
    "nowhere": {"role": "reader", "workspace": "no such workspace"},
}
OTHER_KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


@pytest.fixture
async def provider() -> AsyncIterator[OidcProvider]:
    async with oidc_provider() as running:
        yield running


def with_oidc(settings: Settings, issuer: str, **more: Any) -> Settings:
    return settings.model_copy(update={"oidc": Oidc(issuer=issuer, client_id=CLIENT, grants=GRANTS), **more})


@pytest.fixture
async def api(settings: Settings, provider: OidcProvider) -> AsyncIterator[Api]:
    async with serving(with_oidc(settings, provider.issuer)) as running:
        yield running


class Visitor:
    """A browser that follows the redirects of a sign-in by itself, one at a time."""

    def __init__(self, api: Api) -> None:
        self.http = httpx.AsyncClient(base_url=api.http.base_url, timeout=600, verify=UNENCRYPTED)
        self.key_id = ""

    async def to_provider(self, back: str = f"{PATH}/memories?agent=ada") -> str:
        """The address that the provider sends the browser back to."""
        begun = await self.http.get(START, params={"back": back})
        assert begun.status_code == 303, begun.text
        async with httpx.AsyncClient(verify=UNENCRYPTED) as outside:
            return (await outside.get(begun.headers["location"])).headers["location"]

    async def sign_in(self, back: str = f"{PATH}/memories?agent=ada") -> httpx.Response:
        """The answer that the browser gets when it comes back; its session then holds the key."""
        answer = await self.http.get(await self.to_provider(back))
        shown = (await self.http.get(SESSION, headers=OWN)).json()
        self.key_id = shown["signed_in"] or ""
        return answer

    async def whoami(self) -> dict[str, Any]:
        answer = await self.http.get("/v1/whoami", headers={HEADER: self.key_id, "Sec-Fetch-Site": "same-origin"})
        return {"status": answer.status_code} | answer.json()


@pytest.fixture
async def visitor(api: Api) -> AsyncIterator[Visitor]:
    opened = Visitor(api)
    yield opened
    await opened.http.aclose()


async def test_groups_give_role_agent_and_scopes_and_the_page_asked_for(
    visitor: Visitor, provider: OidcProvider, api: Api
) -> None:
    answer = await visitor.sign_in()
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PATH}/memories?agent=ada")
    who = await visitor.whoami()
    assert (who["role"], who["name"], who["workspace"]) == ("admin", "oidc: ann@example.org", "default")
    assert who["expires_at"] is not None
    audited = await api.get("/v1/audit", action="key.created")
    assert [one["target"] for one in audited["items"]][:1] == [who["key_id"]]

    provider.claims |= {"groups": "bots", "email": None, "preferred_username": "<bot>"}
    await visitor.sign_in()
    who = await visitor.whoami()
    assert (who["role"], who["agent"], who["scopes"], who["name"]) == ("agent", "bo", ["read"], "oidc: <bot>")
    kept = (await visitor.http.get(SESSION, headers=OWN)).json()["keys"]
    assert [key["role"] for key in kept] == ["agent"]
    ended = {key["id"]: key["revoked_at"] for key in (await api.get("/v1/keys"))["items"]}
    assert ended[audited["items"][0]["target"]] is not None


@pytest.mark.parametrize(
    ("email", "name"),
    [
        (["x"], "oidc: 1"),
        ("a\x00b\n@c\u202e", "oidc: ab@c"),
        ("\ud800x", "oidc: x"),
        ("", "oidc: 1"),
        ("é" * 300, "oidc: é"),
    ],
)
async def test_a_key_is_named_by_printable_text_alone(
    visitor: Visitor, provider: OidcProvider, email: Any, name: str
) -> None:
    provider.claims["email"] = email
    await visitor.sign_in()
    assert (await visitor.whoami())["name"].startswith(name)


async def test_a_key_of_a_sign_in_is_no_admin_key_that_lasts(visitor: Visitor, api: Api) -> None:
    await visitor.sign_in()
    (lasting,) = [key["id"] for key in (await api.get("/v1/keys"))["items"] if key["expires_at"] is None]
    assert await api.status("DELETE", f"/v1/keys/{lasting}") == 409


@pytest.mark.parametrize("groups", [[], ["strangers"], None, 5, {"admins": True}, [["admins"]], "ADMINS", ["nowhere"]])
async def test_who_is_in_no_group_gets_no_key(visitor: Visitor, provider: OidcProvider, api: Api, groups: Any) -> None:
    before = len((await api.get("/v1/keys"))["items"])
    provider.claims["groups"] = groups
    assert (await visitor.sign_in()).status_code == 403
    assert len((await api.get("/v1/keys"))["items"]) == before


async def test_a_sign_out_revokes_the_key_and_a_pasted_one_stays(visitor: Visitor, api: Api) -> None:
    await visitor.sign_in()
    signed_on = visitor.key_id
    await visitor.http.post(SESSION, json={"key": api.key}, headers=OWN)
    assert (await visitor.http.delete(SESSION, headers=OWN)).json()["keys"] == []
    live = {key["id"]: key["revoked_at"] for key in (await api.get("/v1/keys"))["items"]}
    assert live[signed_on] is not None
    assert await api.status("GET", "/v1/whoami") == 200


@dataclass(frozen=True, slots=True)
class Browser(Caller):
    """The API, spoken to with the session of a sign-in."""

    http: httpx.AsyncClient
    key: str

    async def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One request as a page of the Studio makes it; ``key`` is the id of the key."""
        own = {HEADER: self.key, "Sec-Fetch-Site": "same-origin"}
        return await self.http.request(method, path, headers=own, **options)


async def _signed_in(visitor: Visitor) -> Browser:
    await visitor.sign_in()
    return Browser(visitor.http, visitor.key_id)


def _days(key: dict[str, Any]) -> float:
    left = datetime.fromisoformat(key["expires_at"]) - datetime.now(UTC)
    return round(left / timedelta(days=1), 2)


async def test_a_sign_in_makes_keys_that_outlive_it_for_some_days(visitor: Visitor, api: Api) -> None:
    ann = await _signed_in(visitor)
    made = await ann.post("/v1/keys", {"role": "admin", "name": "of Ann"})
    assert _days(made) == 90
    refused = await ann.call(
        "POST", "/v1/keys", json={"role": "reader", "name": "k", "expires_at": "2999-01-01T00:00:00Z"}
    )
    assert (refused.status_code, "expires_at" in refused.json()["detail"]) == (403, True)
    assert await ann.status("PUT", "/v1/settings", json={"keys": {"days_max": 91}}) == 403
    holder = replace(api, key=made["key"])
    assert (await holder.post("/v1/keys", {"role": "reader", "name": "k"}))["expires_at"] == made["expires_at"]
    await api.put("/v1/settings", {"keys": {"days_max": 2}})
    assert _days(await ann.post("/v1/keys", {"role": "reader", "name": "k"})) == 2
    lasting = await api.post("/v1/keys", {"role": "reader", "name": "of nobody"})
    for method, path, body in (("POST", "/rotate", None), ("PATCH", "", {"limits": {"rows_max": 1}})):
        refused = await ann.call(method, f"/v1/keys/{lasting['id']}{path}", json=body)
        assert (refused.status_code, "expires_at" in refused.json()["detail"]) == (403, True)
    workspace = await ann.post("/v1/workspaces", {"name": "w"})
    first = await replace(api, key=workspace["key"]).get("/v1/whoami")
    assert first["expires_at"] == (await ann.get("/v1/whoami"))["expires_at"]

    await visitor.http.delete(SESSION, headers=OWN)
    assert await ann.status("GET", "/v1/whoami") == 401
    assert await holder.status("GET", "/v1/whoami") == 200, "a sign-out revokes nobody's access"


async def test_with_the_key_of_a_sign_in_go_all_keys_of_its_subject(
    visitor: Visitor, provider: OidcProvider, api: Api
) -> None:
    earlier = await _signed_in(visitor)
    kept = await earlier.post("/v1/keys", {"role": "admin", "name": "of Ann"})
    await visitor.http.delete(SESSION, headers=OWN)
    later = await _signed_in(visitor)
    made = replace(api, key=(await later.post(f"/v1/keys/{kept['id']}/rotate"))["key"])
    provider.claims |= {"sub": "2", "email": "ben@example.org"}
    other = Visitor(api)
    ben = await _signed_in(other)
    assert await ben.status("POST", f"/v1/keys/{kept['id']}/rotate") == 403, "it outlives Ben's sign-in"
    assert await made.status("GET", "/v1/whoami") == 200
    await api.delete(f"/v1/keys/{later.key}")
    statuses = [await caller.status("GET", "/v1/whoami") for caller in (later, made, ben, api)]
    assert statuses == [401, 401, 200, 200]
    await other.http.aclose()


async def test_the_keys_of_a_sign_in_that_has_ended_can_be_revoked_by_it(visitor: Visitor, api: Api) -> None:
    ended = await _signed_in(visitor)
    made = replace(api, key=(await ended.post("/v1/keys", {"role": "admin", "name": "of Ann"}))["key"])
    await visitor.http.delete(SESSION, headers=OWN)
    assert await api.status("DELETE", f"/v1/keys/{ended.key}") == 204
    assert await made.status("GET", "/v1/whoami") == 401
    assert await api.status("DELETE", f"/v1/keys/{ended.key}") == 404


@pytest.mark.parametrize(("groups", "left"), [("admins", 200), ("everybody", 401), ("strangers", 401)])
async def test_who_may_less_than_before_loses_the_keys_that_may_more(
    visitor: Visitor, provider: OidcProvider, api: Api, groups: str, left: int
) -> None:
    signed_in = await _signed_in(visitor)
    made = replace(api, key=(await signed_in.post("/v1/keys", {"role": "admin", "name": "of Ann"}))["key"])
    provider.claims["groups"] = groups
    await visitor.sign_in()
    assert await made.status("GET", "/v1/whoami") == left
    assert await api.status("GET", "/v1/whoami") == 200


async def test_a_sign_out_leads_to_where_the_session_at_the_provider_ends(
    visitor: Visitor, provider: OidcProvider, api: Api
) -> None:
    await visitor.sign_in()
    await visitor.http.post(SESSION, json={"key": api.key}, headers=OWN)
    assert (await visitor.http.delete(f"{SESSION}/unknown", headers=OWN)).json()["end_session"] is None
    address = (await visitor.http.delete(SESSION, headers=OWN)).json()["end_session"]
    assert address.startswith(f"{provider.issuer}/logout?")
    given = {"client_id": CLIENT, "post_logout_redirect_uri": f"{visitor.http.base_url}{PATH}/"}
    assert {name: one for name, (one,) in parse_qs(urlsplit(address).query).items()} == given
    await visitor.http.post(SESSION, json={"key": api.key}, headers=OWN)
    assert (await visitor.http.delete(SESSION, headers=OWN)).json() == {"keys": [], "end_session": None}


@pytest.mark.parametrize("address", [None, "", 5, "javascript:alert(1)", "http://idp.example/logout", "/logout"])
async def test_without_an_address_for_it_the_session_at_the_provider_stays(
    visitor: Visitor, provider: OidcProvider, address: Any
) -> None:
    provider.end_session = address
    await visitor.sign_in()
    assert (await visitor.http.delete(SESSION, headers=OWN)).json() == {"keys": [], "end_session": None}
    assert (await visitor.whoami())["status"] == 401


async def test_a_query_of_the_address_is_kept_and_the_public_url_comes_back(
    settings: Settings, provider: OidcProvider
) -> None:
    provider.end_session = "https://idp.example/logout?tenant=7"
    given = with_oidc(settings, provider.issuer, public_url="https://memory.example")
    async with serving(given) as api:
        visitor = Visitor(api)
        back = await visitor.to_provider()
        assert (await visitor.http.get(f"{CALLBACK}?{urlsplit(back).query}")).status_code == 303
        await visitor.http.get(SESSION, headers=OWN)
        address = (await visitor.http.delete(SESSION, headers=OWN)).json()["end_session"]
        await visitor.http.aclose()
    asked = {"tenant": ["7"], "client_id": [CLIENT], "post_logout_redirect_uri": [f"https://memory.example{PATH}/"]}
    assert (urlsplit(address).hostname, parse_qs(urlsplit(address).query)) == ("idp.example", asked)


async def test_the_session_says_what_the_provider_is_called(visitor: Visitor, api: Api, settings: Settings) -> None:
    assert (await visitor.http.get(SESSION, headers=OWN)).json()["single_sign_on"] == "single sign-on"
    async with serving(settings) as plain:
        assert (await plain.http.get(SESSION, headers=OWN)).json()["single_sign_on"] is None
        assert (await plain.http.get(START)).headers.get("location") is None


@pytest.mark.parametrize(
    "back", ["https://evil.example/studio/", "//evil.example/studio/", "/studio", "/\\evil.example", "/v1/keys", "",
             "/studio/\r\nSet-Cookie: a=b", "javascript:alert(1)", "/studio\\..\\evil"]
)  # fmt: skip
async def test_nobody_is_sent_to_a_foreign_page(visitor: Visitor, back: str) -> None:
    answer = await visitor.sign_in(back)
    assert answer.headers["location"] == f"{PATH}/"


TOKENS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "of another key": ({"key": OTHER_KEY}, {}),
    "unsigned": ({"alg": "none", "key": None}, {}),
    "signed by a shared secret": ({"alg": "HS256", "key": "k" * 40}, {}),
    "for another client": ({}, {"aud": "another"}),
    "for several, by another": ({}, {"aud": [CLIENT, "another"], "azp": "another"}),
    "of another issuer": ({}, {"iss": "https://evil.example"}),
    "expired": ({}, {"exp": int(time.time()) - 600}),
    "not yet made": ({}, {"iat": int(time.time()) + 6_000}),
    "without an end": ({}, {"exp": None}),
    "of another sign-in": ({}, {"nonce": "another"}),
    "without a nonce": ({}, {"nonce": None}),
    "of an unknown key": ({"kid": "unknown"}, {}),
    "without a subject": ({}, {"sub": None}),
}


@pytest.mark.parametrize("case", TOKENS)
async def test_a_token_that_does_not_hold_gives_no_key(visitor: Visitor, provider: OidcProvider, case: str) -> None:
    provider.header, provider.changed = TOKENS[case]
    answer = await visitor.sign_in()
    assert answer.status_code == 403, answer.text
    assert visitor.key_id == ""


async def test_a_shared_secret_that_is_the_public_key_signs_nothing(visitor: Visitor, provider: OidcProvider) -> None:
    pem = provider.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    provider.header = {"alg": "HS256", "key": pem}
    assert (await visitor.sign_in()).status_code == 403


async def test_unknown_keys_are_looked_up_once_and_a_new_one_is_found(visitor: Visitor, provider: OidcProvider) -> None:
    await visitor.sign_in()
    provider.rotate()
    assert (await visitor.sign_in()).status_code == 303
    assert provider.asked_for_keys == 2
    provider.header = {"kid": "unknown"}
    for _ in range(3):
        assert (await visitor.sign_in()).status_code == 403
    assert provider.asked_for_keys == 2


async def test_a_code_is_taken_once_in_the_browser_that_asked_for_it(visitor: Visitor, api: Api) -> None:
    back = await visitor.to_provider()
    stranger = Visitor(api)
    assert (await stranger.http.get(back)).status_code == 400
    state = parse_qs(urlsplit(back).query)["state"][0]
    assert (await visitor.http.get(back.replace(state, "forged"))).status_code == 400
    flow = dict(visitor.http.cookies)
    assert (await visitor.http.get(back)).status_code == 303
    assert (await visitor.http.get(back)).status_code == 400
    again = Visitor(api)
    again.http.cookies.update(flow)
    assert (await again.http.get(back)).status_code == 403
    await again.http.aclose()
    await stranger.http.aclose()


async def test_what_the_provider_says_is_shown_as_text(visitor: Visitor, provider: OidcProvider) -> None:
    provider.refusal = "<script>alert(1)</script>"
    answer = await visitor.sign_in()
    assert answer.status_code == 403
    assert "&lt;script&gt;" in answer.text
    assert "<script>" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


async def test_cookies_of_a_sign_in_are_not_for_scripts_and_not_for_other_sites(visitor: Visitor) -> None:
    begun = await visitor.http.get(START)
    cookie = begun.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", f"Path={PATH}", "Max-Age=600"} <= set(cookie.split("; "))
    answer = await visitor.http.get(await visitor.to_provider())
    left = next(one for one in answer.headers.get_list("set-cookie") if one.startswith(SIGNED_IN))
    assert {"HttpOnly", "SameSite=lax", "Max-Age=60"} <= set(left.split("; "))
    foreign = await visitor.http.get(SESSION, headers={"Sec-Fetch-Site": "cross-site"})
    assert foreign.json()["keys"] == []


async def test_a_provider_that_is_away_is_said_and_a_key_still_signs_in(settings: Settings) -> None:
    async with serving(with_oidc(settings, "http://127.0.0.1:9")) as api:
        visitor = Visitor(api)
        answer = await visitor.http.get(START)
        assert answer.status_code == 503
        assert "does not answer" in answer.text
        assert (await visitor.http.get(f"{CALLBACK}?code=a&state=b")).status_code == 400
        assert (await visitor.http.post(SESSION, json={"key": api.key}, headers=OWN)).status_code == 200
        await visitor.http.aclose()


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"issuer": "http://idp.example"}, "REVERIE_OIDC.issuer: must be an address with https"),
        ({"issuer": "idp.example"}, "REVERIE_OIDC.issuer: must be an address with https"),
        ({"client_id": None}, "REVERIE_OIDC.client_id: must be a string"),
        ({"client": "x"}, "REVERIE_OIDC.client: is not known here; is client_id meant?"),
        ({"scopes": "profile"}, "REVERIE_OIDC.scopes: must name openid"),
        ({"grants": {}}, "REVERIE_OIDC.grants: must not be empty"),
        ({"grants": "{"}, "REVERIE_OIDC.grants: must be an object"),
        ({"grants": {"a": {"role": "owner"}}}, "REVERIE_OIDC.grants.a.role: must be 'admin', 'agent' or 'reader'"),
        ({"grants": {"a": {"role": "agent"}}}, "REVERIE_OIDC.grants.a: a grant of role `agent` names its agent"),
        ({"grants": {"a": {"role": "admin", "agent": "x"}}}, "REVERIE_OIDC.grants.a: a grant of role `agent`"),
        ({"grants": {"a": {"role": "admin", "rights": 1}}}, "REVERIE_OIDC.grants.a.rights: is not known here"),
    ],
)
def test_settings_that_do_not_fit_are_named_at_start(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], named: str
) -> None:
    given = {"issuer": "https://idp.example", "client_id": CLIENT, "grants": GRANTS}
    monkeypatch.setenv("REVERIE_OIDC", json.dumps(given | changed))
    with pytest.raises((ValidationError, InvalidInput)) as refused:
        oidc_settings(Settings(_env_file=None))
    error = refused.value
    assert (explain(error) if isinstance(error, ValidationError) else str(error)).startswith(named)


def test_without_the_variable_there_is_no_sign_in(settings: Settings) -> None:
    assert oidc_settings(settings) is None
