"""A provider of OpenID Connect over HTTP: discovery, keys, authorization without a question, tokens by code."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.prompt_server import PromptServer

CLIENT = "reverie"


class OidcProvider:
    """What it says of the user is ``claims``; ``token`` overrides claims and header of the next ID tokens."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.claims: dict[str, Any] = {"sub": "1", "email": "ann@example.org", "groups": ["admins"]}
        self.header: dict[str, Any] = {}
        self.changed: dict[str, Any] = {}
        self.refusal: str | None = None
        self.asked_for_keys = 0
        self.end_session: str | None = f"{issuer}/logout"
        self.ended: list[dict[str, str]] = []
        self._codes: dict[str, dict[str, str]] = {}
        self.rotate()

    def rotate(self) -> None:
        """Sign with a new key, which replaces the former."""
        self.key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        self.kid = secrets.token_hex(4)

    def app(self) -> Starlette:
        """The provider's addresses."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._document),
                Route("/keys", self._keys),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/logout", self._logout),
            ]
        )

    async def _document(self, request: Request) -> Response:
        document = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }
        return JSONResponse(document | ({"end_session_endpoint": self.end_session} if self.end_session else {}))

    async def _logout(self, request: Request) -> Response:
        self.ended.append(dict(request.query_params))
        return RedirectResponse(request.query_params["post_logout_redirect_uri"], 303)

    async def _keys(self, request: Request) -> Response:
        self.asked_for_keys += 1
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return JSONResponse({"keys": [public | {"kid": self.kid, "use": "sig", "alg": "RS256"}]})

    async def _authorize(self, request: Request) -> Response:
        given = dict(request.query_params)
        assert given["client_id"] == CLIENT
        assert given["code_challenge_method"] == "S256"
        back = {"state": given["state"]}
        if self.refusal is not None:
            back |= {"error": "access_denied", "error_description": self.refusal}
        else:
            back["code"] = secrets.token_urlsafe(16)
            self._codes[back["code"]] = given
        return RedirectResponse(f"{given['redirect_uri']}?{urlencode(back)}", 303)

    async def _token(self, request: Request) -> Response:
        form = await request.form()
        given = self._codes.pop(str(form.get("code")), None)
        digest = hashlib.sha256(str(form.get("code_verifier")).encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if given is None or challenge != given["code_challenge"] or form.get("redirect_uri") != given["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": given["nonce"]}
        claims |= self.claims | self.changed
        return JSONResponse({"access_token": "unused", "token_type": "Bearer", "id_token": self.signed(claims)})

    def signed(self, claims: dict[str, Any]) -> str:
        """An ID token of these claims, signed as ``header`` says: RS256 by its own key unless that says otherwise."""
        header = {"kid": self.kid} | self.header
        algorithm = header.pop("alg", "RS256")
        key: Any = header.pop("key", self.key)
        if isinstance(key, bytes):
            return _by_shared_secret(header | {"alg": algorithm}, claims, key)
        return jwt.encode(claims, key, algorithm=algorithm, headers=header)


def _by_shared_secret(header: dict[str, Any], claims: dict[str, Any], key: bytes) -> str:
    """A token as an attacker signs it: PyJWT itself refuses to take a public key for a secret."""
    body = ".".join(_encoded(json.dumps(part).encode()) for part in (header, claims))
    return f"{body}.{_encoded(hmac.digest(key, body.encode(), 'sha256'))}"


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


@asynccontextmanager
async def oidc_provider() -> AsyncIterator[OidcProvider]:
    """A provider on a free port for the length of the block."""
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    provider = OidcProvider(f"http://127.0.0.1:{listener.getsockname()[1]}")
    server = PromptServer(uvicorn.Config(provider.app(), log_config=None, access_log=False))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        async with asyncio.timeout(60):
            while not server.started:  # noqa: ASYNC110 — uvicorn has no event for it
                await asyncio.sleep(0.005)
        yield provider
    finally:
        server.stop()
        await task
        listener.close()
