"""OAuth by hand: an app that registers, and a user who consents, request by request."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from tests.live_api import ANSWER_S, UNENCRYPTED

CALLBACK = "http://127.0.0.1:33418/callback"
VERIFIER = "v" * 43 + "-._~"
CONSENT = "/oauth/consent"
_FIELD = re.compile(r'<input type="hidden" name="(request|csrf)" value="([^"]*)">')
_ERROR = re.compile(r'<p class="error" role="alert">(.*?)</p>', re.S)


def challenge_of(verifier: str = VERIFIER) -> str:
    """The S256 challenge of a verifier."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def query_of(url: str) -> dict[str, str]:
    """The parameters of an address."""
    return {name: values[-1] for name, values in parse_qs(urlsplit(url).query, keep_blank_values=True).items()}


def visitor(base: httpx.URL | str) -> httpx.AsyncClient:
    """A browser of its own that follows no redirect."""
    return httpx.AsyncClient(base_url=base, timeout=ANSWER_S, verify=UNENCRYPTED)


async def register(http: httpx.AsyncClient, **metadata: Any) -> str:
    """Register an app; its client id."""
    body = {"redirect_uris": [CALLBACK], "client_name": "Test app"} | metadata
    answer = await http.post("/register", json=body)
    assert answer.status_code == 201, answer.text
    client_id: str = answer.json()["client_id"]
    return client_id


@dataclass
class Flow:
    """One app and one user at a server."""

    http: httpx.AsyncClient
    client_id: str
    redirect_uri: str = CALLBACK
    state: str = field(default_factory=lambda: secrets.token_urlsafe(8))

    async def authorize(self, **changed: Any) -> httpx.Response:
        """Ask for authorization, as the user's browser does."""
        asked = {
            "response_type": "code", "client_id": self.client_id, "redirect_uri": self.redirect_uri,
            "code_challenge": challenge_of(), "code_challenge_method": "S256", "state": self.state,
        } | changed  # fmt: skip
        return await self.http.get("/authorize", params={name: one for name, one in asked.items() if one is not None})

    async def page(self, **changed: Any) -> httpx.Response:
        """The consent page of a request."""
        asked = await self.authorize(**changed)
        assert asked.status_code == 302, asked.text
        return await self.http.get(asked.headers["location"])

    async def submit(self, page: httpx.Response, action: str, **fields: Any) -> httpx.Response:
        """Send the form of a page."""
        hidden = {name: unescape(value) for name, value in _FIELD.findall(page.text)}
        data = {name: value for name, value in (hidden | {"action": action} | fields).items() if value is not None}
        return await self.http.post(CONSENT, data=data)

    async def sign_in(self, key: str, page: httpx.Response | None = None, **changed: Any) -> httpx.Response:
        """Sign in with a key; the page that asks for a decision."""
        signed_in = await self.submit(page or await self.page(**changed), "sign-in", key=key)
        assert signed_in.status_code == 303, signed_in.text
        return await self.http.get(signed_in.headers["location"])

    async def approve(
        self, key: str, agent: str = "ada", scopes: Any = ("read", "write"), user: str | None = None, **changed: Any
    ) -> str:
        """Sign in and approve; the code that the app is sent."""
        page = await self.sign_in(key, **changed)
        done = await self.submit(page, "approve", agent=agent, scope=list(scopes), **({"user": user} if user else {}))
        assert done.status_code == 303, done.text
        return query_of(done.headers["location"])["code"]

    async def token(self, **fields: Any) -> httpx.Response:
        """Call the token endpoint."""
        data = {"client_id": self.client_id} | fields
        return await self.http.post("/token", data={name: one for name, one in data.items() if one is not None})

    async def redeem(self, code: str, **changed: Any) -> httpx.Response:
        """Exchange a code."""
        given = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect_uri}
        return await self.token(**(given | {"code_verifier": VERIFIER} | changed))

    async def refresh(self, token: str, **changed: Any) -> httpx.Response:
        """Exchange a refresh token."""
        return await self.token(**({"grant_type": "refresh_token", "refresh_token": token} | changed))

    async def connect(self, key: str, **choices: Any) -> dict[str, Any]:
        """All of it: the tokens of a user who approves."""
        answer = await self.redeem(await self.approve(key, **choices))
        assert answer.status_code == 200, answer.text
        tokens: dict[str, Any] = answer.json()
        return tokens


def error_of(page: httpx.Response) -> str:
    """What a page says went wrong."""
    found = _ERROR.search(page.text)
    return unescape(found[1]) if found else ""


async def works(http: httpx.AsyncClient, token: str) -> bool:
    """Whether a token opens the API."""
    answer = await http.get("/v1/whoami", headers={"Authorization": f"Bearer {token}"})
    return answer.is_success
