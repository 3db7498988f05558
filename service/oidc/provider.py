"""The provider: its discovery document, its signing keys, codes for tokens, and what an ID token must hold.

OpenID Connect Core 1.0, sections 3.1.2 to 3.1.3.7, Discovery 1.0 and RP-Initiated Logout 1.0; PKCE by RFC 7636.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from typing import Any
from urllib.parse import urlencode

import httpx
import jwt

from service.errors import ReverieError
from service.oidc.settings import is_web_address
from service.provider import trust

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Asymmetric ones alone: a public key must never pass for a shared secret."""
LEEWAY_S = 60
TIMEOUT_S = 10.0
ANSWER_BYTES_MAX = 512 * 1024
DOCUMENT_S = 3_600
"""For which a discovery document and its keys are used."""
NEVER = float("-inf")
KEYS_AGAIN_S = 30
"""Between two looks for a key that the provider did not have: a forged token must not make it one request each."""


class ProviderUnavailable(ReverieError):
    """The provider does not answer, or not as the specification says."""


class TokenRefused(ReverieError):
    """The provider refuses the code, or its ID token does not hold."""


class Provider:
    """``issuer``: its address, as its tokens name it. ``secret`` None: a public client, which PKCE alone protects."""

    def __init__(self, issuer: str, client_id: str, secret: str | None) -> None:
        self._issuer = issuer
        self._client_id = client_id
        self._secret = secret
        self._document: dict[str, Any] = {}
        self._document_at = NEVER
        self._keys: jwt.PyJWKSet | None = None
        self._keys_at = NEVER
        self._looked_again_at = NEVER

    async def authorization_url(self, redirect_uri: str, scopes: str, state: str, nonce: str, verifier: str) -> str:
        """Where the user signs in. Raises ProviderUnavailable."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = urlencode(
            {
                "response_type": "code",
                "client_id": self._client_id,
                "redirect_uri": redirect_uri,
                "scope": scopes,
                "state": state,
                "nonce": nonce,
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
        )
        return _with_query(await self._endpoint("authorization_endpoint"), query)

    async def end_session_url(self, back: str) -> str | None:
        """Where the user's session at the provider ends, which then sends the browser to ``back``; None where the
        provider has no such address. Raises ProviderUnavailable."""
        address = (await self._discovered()).get("end_session_endpoint")
        if not isinstance(address, str) or not is_web_address(address):
            return None
        return _with_query(address, urlencode({"client_id": self._client_id, "post_logout_redirect_uri": back}))

    async def claims(self, code: str, redirect_uri: str, nonce: str, verifier: str) -> dict[str, Any]:
        """The claims of the user whom a code stands for. Raises ProviderUnavailable, TokenRefused."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "client_id": self._client_id,
            "code_verifier": verifier,
        }
        auth = None if self._secret is None else httpx.BasicAuth(self._client_id, self._secret)
        answer = await self._ask("POST", await self._endpoint("token_endpoint"), data=form, auth=auth)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise TokenRefused("The provider gave no ID token.")
        claims = await self._verified(token)
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise TokenRefused("The ID token belongs to another sign-in.")
        return claims

    async def _verified(self, token: str) -> dict[str, Any]:
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in ALGORITHMS:
                raise TokenRefused("The ID token is not signed by a key pair.")
            key = await self._signing_key(header.get("kid"))
            claims: dict[str, Any] = jwt.decode(
                token, key, algorithms=[header["alg"]], audience=self._client_id, issuer=self._issuer, leeway=LEEWAY_S,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )  # fmt: skip
        except jwt.PyJWTError as error:
            raise TokenRefused(f"The ID token does not hold: {error}") from None
        if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and claims.get("azp") != self._client_id:
            raise TokenRefused("The ID token was made for another client.")
        return claims

    async def _signing_key(self, kid: str | None) -> jwt.PyJWK:
        """The key of this id. One that is not known may be new: the keys are read again, but not for each token."""
        now = time.monotonic()
        if self._keys_at < now - DOCUMENT_S:
            await self._read_keys()
        found = self._find(kid)
        if found is None and self._looked_again_at < now - KEYS_AGAIN_S:
            self._looked_again_at = now
            await self._read_keys()
            found = self._find(kid)
        if found is None:
            raise TokenRefused("The ID token is signed by a key that the provider does not name.")
        return found

    def _find(self, kid: str | None) -> jwt.PyJWK | None:
        keys = [key for key in (self._keys.keys if self._keys else ()) if key.public_key_use in (None, "sig")]
        if kid is None:
            return keys[0] if len(keys) == 1 else None
        return next((key for key in keys if key.key_id == kid), None)

    async def _read_keys(self) -> None:
        answer = await self._ask("GET", await self._endpoint("jwks_uri"))
        try:
            self._keys = jwt.PyJWKSet.from_dict(answer)
        except jwt.PyJWTError as error:
            raise ProviderUnavailable(f"The provider's keys cannot be read: {error}") from None
        self._keys_at = time.monotonic()

    async def _endpoint(self, name: str) -> str:
        found = (await self._discovered()).get(name)
        if not isinstance(found, str):
            raise ProviderUnavailable(f"The provider names no {name}.")
        return found

    async def _discovered(self) -> dict[str, Any]:
        if self._document_at < time.monotonic() - DOCUMENT_S:
            address = f"{self._issuer.removesuffix('/')}/.well-known/openid-configuration"
            document = await self._ask("GET", address)
            if document.get("issuer") != self._issuer:
                raise ProviderUnavailable(f"The provider at {self._issuer} names itself otherwise.")
            self._document, self._document_at = document, time.monotonic()
        return self._document

    async def _ask(self, method: str, address: str, **options: Any) -> dict[str, Any]:
        try:
            async with httpx.AsyncClient(verify=trust(), timeout=TIMEOUT_S, follow_redirects=False) as client:
                response = await client.request(method, address, **options)
                if len(response.content) > ANSWER_BYTES_MAX:
                    raise ProviderUnavailable(f"The provider answers with more than {ANSWER_BYTES_MAX:,} bytes.")
                answer = response.json()
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise ProviderUnavailable(f"The provider does not answer: {type(error).__name__}") from None
        if method == "POST" and response.is_client_error:
            raise TokenRefused("The provider refuses the code.")
        if not response.is_success or not isinstance(answer, dict):
            raise ProviderUnavailable(f"The provider answers with status {response.status_code}.")
        return answer


def _with_query(address: str, query: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{query}"
